"""``keepgate try``: an editor played in the terminal, with a real sidecar behind it."""
