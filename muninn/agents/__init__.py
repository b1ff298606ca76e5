"""Coding agents on this machine: which there are, and how muninn enters their settings and leaves them again."""
