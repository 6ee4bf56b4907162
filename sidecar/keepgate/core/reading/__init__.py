"""What a reader is shown."""
