"""Recall: the resident read model, and the pure steps that turn a question into scored, explained answers."""
