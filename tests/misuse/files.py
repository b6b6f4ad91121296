"""Files that are joined, damaged, too large, or hold ids and numbers that their readers would change."""

import gzip
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl

import aspectrum as asp
from aspectrum.io import files
from tests.misuse.table import Misuse

BEYOND = 2**53 + 1
NANOSECONDS = np.array(["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"], "M8[ns]")


def evaluated(contents: Mapping[str, str | bytes], metric: str = "NDCG@1", **inputs: Any) -> Any:
    """An evaluation of files: lists.*, and inputs by their names."""
    with tempfile.TemporaryDirectory() as folder:
        given = dict(inputs)
        for name, content in contents.items():
            path = Path(folder, name)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            given[name.partition(".")[0]] = path
        return asp.evaluate(given.pop("lists"), metric, **given)


def communities(content: str, name: str = "graph.csv", method: Any = "components") -> int:
    """How many communities there are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(content)
        return asp.contacts.find_communities(path, method=method).n_communities


def graphml(*names: str, kind: str = "long") -> str:
    nodes = "".join(f'<node id="n{place}"><data key="k">{name}</data></node>' for place, name in enumerate(names))
    keys = f'<key id="k" for="node" attr.name="name" attr.type="{kind}"/>'
    return f'<graphml>{keys}<graph edgedefault="directed">{nodes}<edge source="n0" target="n1"/></graph></graphml>'


def filling_the_memory() -> Any:
    with mock.patch.object(files, "free_memory", return_value=1e5):
        return evaluated({"lists.csv.gz": gzip.compress(b"user,item\n" + b"u,a\n" * 1_000_000)}, relevance={"u": ["a"]})


def in_microseconds() -> Any:
    times = pl.Series("item", np.array(["2024-01-01T00:00:00.000001", "2024-01-01T00:00:00.000002"], "M8[ns]"))
    lists = pl.DataFrame({"user": ["u", "u"], "item": times})
    return asp.evaluate(lists, "NDCG@1", relevance=lists[:1])


def ordered_by(scores: Any) -> Any:
    lists = pl.DataFrame({"user": ["u", "u"], "item": ["b", "a"], "score": scores})
    return asp.evaluate(lists, "NDCG@1", relevance={"u": ["a"]})


MISUSES = [
    Misuse(
        "cat part1.csv part2.csv, each with a header",
        "error",
        "aspects.csv, line 4: repeats the header; were several files joined?",
        lambda: evaluated(
            {"lists.csv": "user,item\nu,1\nu,3\n", "aspects.csv": "item,genre\n1,x\n2,y\nitem,genre\n3,x\n"}, "AspectRecall@2"
        ),
    ),
    Misuse(
        "JSON that is nested 700 deep",
        "error",
        "line 1: its values are nested more than 60 deep",
        lambda: evaluated({"lists.jsonl": '{"user":"u","item":"a","x":' + '{"a":' * 700 + "1" + "}" * 700 + "}\n"}),
    ),
    Misuse(
        "scores that are times in nanoseconds, in text",
        "error",
        "expected whole numbers up to 2**53",
        lambda: evaluated({"lists.csv": f"user,item,score\nu,b,{BEYOND}\nu,a,{BEYOND + 1}\n"}, relevance={"u": ["a"]}),
    ),
    Misuse(
        "scores that are whole numbers beyond 2**53 among fractions, in JSON",
        "error",
        "expected whole numbers up to 2**53",
        lambda: evaluated({"lists.jsonl": "".join(f'{{"user":"u","item":"{n}","score":{n}}}\n' for n in (BEYOND, BEYOND + 1, 0.5))}),
    ),
    Misuse(
        "scores that are decimals beyond 2**53",
        "error",
        "expected whole numbers up to 2**53",
        lambda: ordered_by([Decimal(BEYOND), Decimal(BEYOND + 1)]),
    ),
    Misuse(
        "scores that are decimals beyond 2**53, in plain objects",
        "error",
        "expected whole numbers up to 2**53",
        lambda: asp.evaluate({"u": {"b": Decimal(BEYOND), "a": Decimal(BEYOND + 1)}}, "NDCG@1", relevance={"u": ["a"]}),
    ),
    Misuse(
        "scores of which one is the first that floating point does not hold",
        "error",
        "expected whole numbers up to 2**53",
        lambda: asp.evaluate({"u": {"b": BEYOND - 1, "a": BEYOND}}, "NDCG@1", relevance={"u": ["a"]}),
    ),
    Misuse(
        "the same as text in a frame",
        "error",
        "expected whole numbers up to 2**53",
        lambda: ordered_by([str(BEYOND - 1), str(BEYOND)]),
    ),
    Misuse(
        "users that are whole numbers beyond 2**53, which pandas made floating point",
        "error",
        "Float64 does not tell such numbers apart",
        lambda: asp.evaluate(pl.DataFrame({"user": [float(BEYOND - 1), float(BEYOND)], "item": ["a", "b"]}), "GiniComplement"),
    ),
    Misuse("scores that are decimals", "right", "", lambda: ordered_by([Decimal("0.10"), Decimal("0.25")]), 1.0),
    Misuse(
        "items that are times in nanoseconds",
        "error",
        "ids have no nanoseconds",
        lambda: asp.evaluate(pl.DataFrame({"user": ["u", "u"], "item": NANOSECONDS}), "GiniComplement"),
    ),
    Misuse(
        "items that are times in microseconds, held in nanoseconds",
        "right",
        "",
        in_microseconds,
        1.0,
    ),
    Misuse("a packed file that would fill the memory", "error", "lists.csv.gz: holds more than", filling_the_memory),
    Misuse(
        "GraphML whose names are numbers beyond 2**53",
        "error",
        'declare the names as text: attr.type="string"',
        lambda: communities(graphml(str(BEYOND), str(BEYOND + 1), "5"), "graph.graphml"),
    ),
    Misuse(
        "weights of parallel links that add up to infinity",
        "error",
        "the weights of the links from 'a' to 'b' add up to infinity",
        lambda: communities("source,target,weight\na,b,1.7e308\na,b,1.7e308\nb,c,1\n", method="leiden"),
    ),
]
