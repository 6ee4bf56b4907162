"""What the fronts that speak over stdin and stdout share: the wire, the log, the end, the question in words.

It knows no protocol's types and no store.
"""
