"""Page files: read, watched, indexed, and written when a person said yes."""
