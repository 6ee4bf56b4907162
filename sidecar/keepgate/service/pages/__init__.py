"""The operations on pages: reading, writing, indexing."""
