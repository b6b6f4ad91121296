"""The configuration to start from."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping

from aspectrum.config.values import listed
from aspectrum.formats import EXTENSIONS, FORMATS
from aspectrum.inputs import ALL_TRUTH, ROLES, TRUTH, InputSpec
from aspectrum.io import FORMATS as INPUT_FORMATS

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


_TEMPLATE = """\
# yaml-language-server: $schema=aspectrum.schema.json
#
# One evaluation. Paths are relative to the folder of this file. Lines that start with # are comments; a key with nothing
# behind it, or with null, is as good as absent. Run it with: aspectrum evaluate --config THIS_FILE

# The lists to measure: a name and a file for each system. A file may be CSV, TSV, Parquet, Arrow, JSON lines or a TREC run.
# A list of paths will do as well; the systems are then called like the files.
systems:
  ALS: recs_als.parquet
  Popular:
    path: recs_popular.csv
    columns: {user: uid, item: docno}   # which column holds what: its name, or its position from 1
    format: csv                         # <formats>
    header: true                        # whether the first line names the columns

# What the lists are measured against. Each metric says what it needs; the rest can be left out.
inputs:
<inputs>
  # For aspectrum contacts, which reads these and features instead of the others:
<social inputs>

<roles>
columns: {user: userId, item: movieId}

# What is measured: the name of a metric, its parameters if they are not the usual ones, and the ranks that count.
metrics:
  - AlphaNDCG(alpha=0.5)@5,10
  - ERRIA@10
  - AspectRecall@5,10
  - ILD@10
  - GiniComplement@10
  - NDCG@10
# The same as a mapping; every combination of values is measured. The metrics of a RELISON file work unchanged.
# metrics:
#   AlphaNDCG: {cutoff: [5, 10], alpha: [0.5, 0.9]}
#   Community recall:
#     cutoff:
#       type: int
#       values: [1, 5]
#       range: [{start: 10, end: 50, step: 10}]

convention: published   # whose way of computing: published, ndeval, pyndeval, relison or informfully; a list: side by side
threshold: 4            # the grade from which an item is relevant
users: lists            # who is averaged: lists, judged, both, relevant, all, or the path of a file of users
order: auto             # what orders the lists: rank, score, input (the order of the rows), or auto
ties: input             # of items with equal scores, which comes first: input (as given), ascending or descending ids
duplicates: error       # an item twice in one list: error, or first (the first counts)
ideal_budget: null      # for exact ideals: what may be spent on one list, in units of about a second; null is 2
ideal_seconds: null     # for exact ideals: how long HiGHS may look for what is still open then; null is 0
threads: null           # how many threads may work; null is one per core

# Where the results go. The format goes by the extension (<extensions>), or is named:
# <output formats>.
outputs:
  - results.md
  - {path: results.log, format: table}
per_user: scores.parquet  # the scores of every user
systems_as: columns       # whether systems are the columns or the rows of a table

# What only aspectrum contacts asks.
contacts:
  directed: null          # whether links lead one way; null is as the graph says, and an edge list does
  weighted: null          # whether the weights of test links are grades; null is false
  keep: []                # test links that are not left out: strangers, self, known, reciprocal
  texts_of: null          # whose texts a user is known by: own, followees, followers or all; null is own
  weighting: null         # how the terms of texts are weighted: tf-idf, relison or counts; null is as the convention does

algorithms: null          # what RELISON recommends by, in a file of its own; it is not run here
"""

_FILLED = {
    "inputs": _inputs(TRUTH.values()),
    "social inputs": _inputs(spec for name, spec in ALL_TRUTH.items() if name not in TRUTH),
    "roles": _roles(),
    "formats": listed(("auto", *INPUT_FORMATS)),
    "extensions": " ".join(EXTENSIONS),
    "output formats": listed(FORMATS),
}

EXAMPLE = re.sub("<([a-z ]+)>", lambda found: _FILLED[found[1]], _TEMPLATE)
"""A commented file with every key, which reads as it stands; the files it names need not exist."""
