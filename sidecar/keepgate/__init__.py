"""keepgate: a memory sidecar that stores nothing a person has not seen and allowed."""

__version__ = "0.1.0"
