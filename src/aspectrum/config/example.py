"""The configuration to start from: ``example.yaml``, in which words between < and > stand for what tables know."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from aspectrum.formats import EXTENSIONS, FORMATS
from aspectrum.inputs import ALL_TRUTH, ROLES, TRUTH, InputSpec
from aspectrum.io import FORMATS as INPUT_FORMATS
from aspectrum.wording import listed

# What stands behind the keys of the inputs that the example has.
_GIVEN: Mapping[str, tuple[str, ...]] = {
    "aspects": (
        "",
        "    path: movies.csv",
        "    columns: {item: movieId, aspect: genres}",
        '    split: "|"                          # the character between several aspects in one cell',
    ),
    "relevance": (" test.csv",),
    "history": (" train.csv",),
    "features": (
        "",
        "    path: vectors.npy",
        "    ids: ids.txt                        # the items that the rows of the matrix belong to, one per line",
    ),
}


def _inputs(specs: Iterable[InputSpec]) -> str:
    lines: list[str] = []
    for spec in specs:
        value, *more = _GIVEN.get(spec.name, (" null",))
        lines += [f"  {spec.name}:{value}".ljust(40) + f"# {spec.comment}", *more]
    return "\n".join(lines)


def _roles() -> str:
    said = f"Columns for every file above that does not name its own. What they can hold: {listed(ROLES)}."
    return textwrap.fill(said, 118, initial_indent="# ", subsequent_indent="# ")


_FILLED = {
    "inputs": _inputs(TRUTH.values()),
    "social inputs": _inputs(spec for name, spec in ALL_TRUTH.items() if name not in TRUTH),
    "roles": _roles(),
    "formats": listed(("auto", *INPUT_FORMATS)),
    "extensions": " ".join(EXTENSIONS),
    "output formats": listed(FORMATS),
}

EXAMPLE = re.sub("<([a-z ]+)>", lambda found: _FILLED[found[1]], Path(__file__).with_name("example.yaml").read_text("utf-8"))
"""A commented file with every key, which reads as it stands; the files it names need not exist."""
