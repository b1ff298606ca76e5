"""MCP for agents: tools, resources and prompts over the daemon's API. Nothing here writes memories; the daemon does."""
