"""A small social network with two systems, and the same as files in the manner of RELISON: integer ids, tabs, no names."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

TRAIN = {1: [2, 3], 2: [1, 4], 3: [5], 4: [6], 5: [7, 8], 6: [1], 7: [8], 8: [2]}
TEST = {1: [4, 5], 2: [3, 6], 3: [6, 7], 5: [2], 7: [1]}  # nothing in it is left out
WEIGHTS = {1: {4: 3.0, 5: 0.5}, 2: {3: 1.0, 6: 2.0}, 3: {6: 4.0, 7: 1.0}, 5: {2: 1.0}, 7: {1: 2.5}}
NEAR = {1: [4, 5, 6, 7], 2: [3, 6, 5], 3: [6, 8, 2], 4: [5, 2, 1], 5: [2, 6], 6: [3, 8], 7: [1, 2, 3]}
POP = {1: [7, 6, 5], 2: [5, 3], 3: [7, 4, 6, 2], 4: [1, 8], 5: [4, 2, 1], 6: [7, 5], 8: [1, 3, 5]}
SYSTEMS = {"near": NEAR, "pop": POP}
COMMUNITIES = {1: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 1, 7: 2, 8: 2}
FEATURES = {
    1: {"art": 1.0, "law": 2.0},
    2: {"art": 3.0},
    3: {"law": 1.0, "sea": 1.0},
    4: {"sea": 2.0},
    5: {"art": 1.0, "sea": 1.0},
    6: {"law": 1.0},
    7: {"tea": 1.0, "art": 2.0},
    8: {"tea": 1.0},
}
TEXTS = {
    1: "blue sky blue sea",
    2: "red hill",
    3: "blue hill blue hill",
    4: "sea sea sea moon",
    5: "moon sky red",
    6: "green sea",
    7: "sky hill",
    8: "red red moon",
}

INPUTS: dict[str, Any] = {"train": TRAIN, "test": TEST, "communities": COMMUNITIES, "features": FEATURES}
LINKS = ("--train", "train.tsv", "--test", "test.tsv")
FILES = (*LINKS, "--communities", "communities.tsv", "--features", "features.tsv")

# With values, one value, a range that its steps miss the end of, and combinations.
RELISON_YAML = """\
algorithms:
  Random:
    seed:
      type: int
      values: 0
metrics:
  Community recall:
    cutoff:
      type: int
      values: [2, 5]
  ERRIA:
    cutoff:
      type: int
      range:
        - start: 1
          end: 4
          step: 2
    stop:
      type: double
      values: [0.5, 0.25]
  ILD:
    cutoff:
      type: int
      values: 5
  Predicted Gini complement:
    cutoff:
      type: int
      values: 10
  nDCG:
    cutoff:
      type: int
      values: [2, 3]
"""
MEASURED = {  # in the order of the file: what RELISON calls it, and what it is here
    "Community recall@2": "AspectRecall@2",
    "Community recall@5": "AspectRecall@5",
    "ERRIA@1": "ERRIA@1",
    "ERRIA(stop=0.25)@1": "ERRIA(stop=0.25)@1",
    "ERRIA@3": "ERRIA@3",
    "ERRIA(stop=0.25)@3": "ERRIA(stop=0.25)@3",
    "ERRIA@4": "ERRIA@4",
    "ERRIA(stop=0.25)@4": "ERRIA(stop=0.25)@4",
    "ILD@5": "IntraListDiversity@5",
    "Predicted Gini complement@10": "GiniComplement@10",
    "nDCG@2": "NDCG@2",
    "nDCG@3": "NDCG@3",
}


def pairs(links: Mapping[Any, Iterable[Any]]) -> list[tuple[Any, Any]]:
    return [(one, other) for one, others in links.items() for other in others]


def write_rows(path: Path, rows: Iterable[Sequence[object]], *, end: str = "\n", before: str = "") -> Path:
    path.write_bytes((before + "".join("\t".join(map(str, row)) + end for row in rows)).encode())
    return path


def write_network(folder: Path) -> None:
    write_rows(folder / "train.tsv", pairs(TRAIN))
    write_rows(folder / "test.tsv", pairs(TEST))
    write_rows(folder / "weights.tsv", [(one, other, weight) for one, own in WEIGHTS.items() for other, weight in own.items()])
    (folder / "recs").mkdir()
    for name, lists in SYSTEMS.items():
        rows = [(user, item, 1 / place) for user, items in lists.items() for place, item in enumerate(items, 1)]
        write_rows(folder / "recs" / f"{name}.tsv", rows)
    write_rows(folder / "communities.tsv", COMMUNITIES.items())
    write_rows(folder / "features.tsv", [(user, name, value) for user, own in FEATURES.items() for name, value in own.items()])
    write_rows(folder / "texts.tsv", TEXTS.items())
    (folder / "relison.yaml").write_text(RELISON_YAML)
