"""Values that writing and reading share."""
