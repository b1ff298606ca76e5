"""muninn: a memory for AI agents that dreams."""

__all__ = ["__version__"]

__version__ = "0.1.0"
