"""Us and the peers on the same data in one run: ``python -m benchmarks [name ...]``."""

import sys
from importlib import import_module

NAMES = (
    "alpha_ndcg",
    "ild",
    "topics",
    "catalogue",
    "files",
    "contacts",
    "exact",
    "comparison",
    "family",
    "streams",
    "nuggets",
    "ties",
    "spark",
)


def main() -> int:
    chosen = sys.argv[1:] or NAMES
    missed = [name for name in chosen if not import_module(f"benchmarks.{name}").run()]
    print(f"missed: {', '.join(missed)}" if missed else "every aim reached")
    return 1 if missed else 0


sys.exit(main())
