"""Pure converters between other memory formats and entries (DSH-9).

``contract`` says what an adapter is; ``registry`` keeps them and is the only door through which they are
run, so that whatever an adapter does wrong becomes ``ADAPTER_PAYLOAD``. ``built_in`` lists the four that
ship.

Invariants: no IO, no clock, no randomness (``.importlinter``); an adapter returns values and never reaches
the gate or the store.
"""
