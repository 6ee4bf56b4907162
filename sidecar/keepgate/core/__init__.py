"""The pure core: values, the road of a write, and what a reader is shown.

Invariants: no IO, no clock, no randomness, no database (``forbidden imports`` in ``.importlinter``).
Time and ids come in through :class:`~keepgate.core.model.stamp.Stamp`.
"""
