"""The published types: operations, params, results, faults and their JSON form.

Invariants: nothing here reads a clock, a file or the network, and nothing here imports another
package of keepgate (``layers`` in ``.importlinter``).
"""
