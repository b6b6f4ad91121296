"""``python -m aspectrum``."""

from aspectrum.cli import main

if __name__ == "__main__":
    main()
