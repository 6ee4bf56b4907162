"""The MCP front: the tools of a surface over stdio, through the official SDK (docs/adr/0022-mcp-sdk.md).

Only this package knows the SDK, which is an extra. ``server`` runs the process and loads the rest; what
touches the SDK is imported after the wire is claimed.
"""
