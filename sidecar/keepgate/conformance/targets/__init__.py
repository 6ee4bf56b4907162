"""What can be certified: a server on pipes (MCP or LSP framing), one behind an address, or this process."""
