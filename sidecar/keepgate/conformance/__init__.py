"""Certification: one runner, two contracts, any target; the cases are data (docs/guides/conformance.md).

Invariants: a target that dies, hangs, prints noise or answers garbage fails a case and never the runner;
nothing but synthetic data that carries the run's marker is written; a case that is skipped says why.
"""
