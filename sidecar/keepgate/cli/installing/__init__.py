"""Telling MCP clients of keepgate: their files and formats, and edits that leave all else as it was."""
