"""``python -m keepgate`` is the command line."""

from keepgate.cli import main

if __name__ == "__main__":
    main()
