"""The terminal: the sidecar in process for a command line, its question, and what it draws.

``calls`` opens the store and speaks for one command, ``prompt`` asks the person at the controlling terminal,
``tables`` and ``screen`` draw results. Invariants: nothing here imports pygls (``.importlinter``), and memory
text reaches a terminal only through ``make_visible`` or ``one_line``, so that nothing stored can move a
cursor, forge a prompt line or be read as markup.
"""
