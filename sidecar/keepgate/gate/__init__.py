"""The gate: the only way a change reaches the store.

Every write is a proposal; a verdict arrives whenever and from whomever it arrives; ``decide`` commits.
Invariants: only this package builds an ``Approved`` and only it holds the store's writer (import contracts).
Nobody holds a lock, a transaction or a thread while a person thinks.
"""
