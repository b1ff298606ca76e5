"""The five senses of a coding agent: pure functions over a window of its actions. No clock, disk, network, randomness."""
