"""Claude Code hooks: the events of a coding agent, its sessions, what is learned from them, and how they are installed."""

from muninn.hooks.service import CANARY, HookService

__all__ = ["CANARY", "HookService"]
