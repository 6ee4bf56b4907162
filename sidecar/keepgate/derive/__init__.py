"""Everything that is written from the operation table: schemas, OpenRPC, reference pages, client calls.

``python -m keepgate.derive`` writes the files, ``--check`` names those that are stale. Nothing of it is
edited by hand; the words come from the docstrings and field notes of ``keepgate.protocol``.

Invariants: the same table gives the same bytes; no clock, no network (``.importlinter``); files are written
by ``__main__`` alone.
"""
