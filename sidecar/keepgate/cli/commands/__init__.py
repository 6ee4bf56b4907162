"""The commands. Each module names its own in ``COMMANDS`` and imports what they need when they run."""
