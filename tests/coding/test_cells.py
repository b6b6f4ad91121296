"""Cells with several names: lists as text, separators, and names that only look like several."""

import random
from typing import Any

import polars as pl
import pytest

import aspectrum as asp
from aspectrum.coding.cells import with_cells_read, written_lists
from aspectrum.coding.objects import aspect_rows, feature_rows, subtopic_rows
from aspectrum.coding.rows import Rows
from aspectrum.io import read_input
from tests.io.reading import read, refused


def aspects_of(rows: Rows) -> dict[Any, list[Any]]:
    items, aspects = rows.ids["item"], rows.ids["aspect"]
    found: dict[Any, list[Any]] = {item: [] for item in items.ids}
    for item, aspect in zip(items.codes.tolist(), aspects.codes.tolist(), strict=True):
        found[items.ids[item]].append(aspects.ids[aspect] if aspect >= 0 else None)
    return found


def kinds(rows: Rows) -> list[str]:
    return [notice.kind for notice in rows.notices]


def doubts(names: list[str]) -> list[str]:
    """What is noticed of names, in objects and in a frame."""
    plain = aspect_rows([(place, name) for place, name in enumerate(names)])
    series = pl.Series(list(dict.fromkeys(names)), dtype=pl.String)
    column = plain.ids["aspect"]
    framed = with_cells_read(Rows("x", {"item": plain.ids["item"], "aspect": type(column)(column.codes, series)}), "aspect")
    assert kinds(plain) == kinds(framed)
    return kinds(plain)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('["Action", "Comedy"]', ["Action", "Comedy"]),
        ("['Action', 'Comedy']", ["Action", "Comedy"]),
        ("['Action' 'Comedy']", ["Action", "Comedy"]),
        ("['Action'\n 'Comedy']", ["Action", "Comedy"]),
        ("('Action', 'Comedy')", ["Action", "Comedy"]),
        ("('Action',)", ["Action"]),
        ("{'Action', 'Comedy'}", ["Action", "Comedy"]),
        ("[]", []),
        (" [ 'Action' , ' Comedy ' ] ", ["Action", "Comedy"]),
        ("[\"Children's\", 'Sci-Fi, Fantasy']", ["Children's", "Sci-Fi, Fantasy"]),
        (r"['Children\'s', '\xe9t\xe9']", ["Children's", "été"]),
        (r'["\u00e9t\u00e9", "a\/b", "\"x\""]', ["été", "a/b", '"x"']),
        (r'["\ud800"]', [r"\ud800"]),  # which is no text
        (r"['\d']", [r"\d"]),  # no escape of Python's
        ("[28, 12]", [28, 12]),
        ("['28', 12]", ["28", 12]),
        ("['Action', 'Action', '']", ["Action"]),
    ],
)
def test_lists_as_text(text: str, names: list[Any]) -> None:
    rows = aspect_rows({"a": text})
    assert aspects_of(rows) == {"a": names}
    assert kinds(rows) == ["text_lists"]


@pytest.mark.parametrize(
    "text",
    [
        "[Action, Comedy]",
        "['a', None]",
        "[['a']]",
        '[{"name": "a"}]',
        "['a'",
        "(1995)",
        "(none)",
        "{}",
        "['a''b']",
        "[1 +2j]",
        "[",
        "['a',,'b']",
    ],
)
def test_what_is_no_list_of_names(text: str) -> None:
    assert written_lists([text]) is None
    assert aspects_of(aspect_rows({"a": text})) == {"a": [text]}


def test_lists_among_other_names_are_no_lists() -> None:
    assert aspects_of(aspect_rows({"a": "['x', 'y']", "b": "z"})) == {"a": ["['x', 'y']"], "b": ["z"]}


def test_items_of_empty_lists_are_known() -> None:
    assert aspects_of(aspect_rows({"a": "['x']", "b": "[]"})) == {"a": ["x"], "b": []}
    assert aspects_of(subtopic_rows({"u": {"a": "['x']", "b": "[]"}})) == {"a": ["x"], "b": [None]}  # judged for nothing


def test_numbers_in_lists_are_what_ids_of_their_source_are(tmp_path: Any) -> None:
    frame = pl.DataFrame({"item": ["a", "b"], "genre": ["[28, 12]", "[12]"]})
    assert read("aspects", frame) == {"item": ["a", "a", "b"], "aspect": [28, 12, 12]}
    frame.write_csv(tmp_path / "x.csv")
    assert read("aspects", tmp_path / "x.csv") == {"item": ["a", "a", "b"], "aspect": ["28", "12", "12"]}


def test_numbers_and_places_go_with_their_row(tmp_path: Any) -> None:
    (tmp_path / "x.csv").write_text("item,genre,strength\na,\"['x', 'y']\",0.5\nb,['x'],2\n")
    assert read("aspects", tmp_path / "x.csv") == {"item": ["a", "a", "b"], "aspect": ["x", "y", "x"], "strength": [0.5, 0.5, 2.0]}
    with pytest.raises(asp.InputError, match=r"x\.csv, line 3: the strength of item 'b', aspect 'x' is 2"):
        asp.evaluate({"u": ["a"]}, "AspectRecall@1", aspects=tmp_path / "x.csv")


def test_vectors_as_text() -> None:
    assert feature_rows({"a": "[1.5, 2]", "b": "[0, 1e-3]"}).matrix.tolist() == [[1.5, 2.0], [0.0, 0.001]]
    assert feature_rows({"a": "[0, 1]", "b": "[1, 1]"}).matrix.tolist() == [[0.0, 1.0], [1.0, 1.0]]
    names = feature_rows({"a": "[28, 12]", "b": "[12]"})  # of ids an item has some
    assert (names.matrix, names.ids["feature"].ids) == (None, [28, 12])
    frame = pl.DataFrame({"item": ["a", "b"], "features": ["[1.5, 2]", "[1.5]"]})
    assert refused("features", frame) == "features, row 2: has a vector of 1 numbers, expected 2 numbers as in the first vector"


@pytest.mark.parametrize("cells", [["[0, 1, 0]", "[1, 1, 0]"], ["[0.5, 0.5]", "[0.1, 0.9]"]])
def test_vectors_name_no_aspects(cells: list[str]) -> None:
    assert doubts(cells) == ["unread_lists"]


@pytest.mark.parametrize("mark", ["|", ";", ", ", " / ", ",", "/", "&", "+", "::", ":", "\\"])
def test_names_that_are_several(mark: str) -> None:
    some = ["Action", "Comedy"], ["Comedy", "Drama", "War"], ["Drama"], ["Drama", "War"], ["War", "Western"], ["Comedy", "Western", "Crime"]
    assert doubts([mark.join(names) for names in some]) == ["unsplit"]
    choose = random.Random(mark)
    tags = [f"tag {number}" for number in range(300)]
    weights = [1 / (place + 1) for place in range(300)]
    assert doubts([mark.join(dict.fromkeys(choose.choices(tags, weights, k=5))) for _ in range(200)]) == ["unsplit"]


FAMILIES = [f"Family{number}" for number in range(200)] + ["James", "Paul"]
GIVEN = ["James", "Mary", "Paul", "Ann", "Eve", "Bob"]
CITIES = ["Springfield", "Salem", "Dover", "Paris", "Troy", "Athens"]


@pytest.mark.parametrize(
    "names",
    [
        ["Action", "Drama", "Children's, Family", "Comedy"],
        ["Action", "Family", "Children's, Family", "Comedy"],
        ["Clothing, Shoes & Jewelry", "Arts, Crafts & Sewing", "Patio, Lawn & Garden", "Home & Kitchen"],
        ["Hip-Hop / Rap", "R&B / Soul", "Folk / Acoustic", "Jazz", "Rock", "Soul"],
        ["Arts &amp; Crafts", "Health &amp; Beauty", "Toys &amp; Games", "Books"],
        [f"{family}, {given}" for family in FAMILIES for given in GIVEN if len(family + given) % 3],
        [f"{city}, {state}" for city in CITIES for state in ("Texas", "Ohio", "Maine")],
        [f"{one}|{two}|{three}" for one in "ABC" for two in ("x", "y") for three in ("Other", "New", "Used")],
        [f"genre|{name}" for name in GIVEN] + [f"actor|{name}" for name in FAMILIES],
        ["1,234", "234,567", "1,234,567", "567,234", "234,001", "1,567"],
        ["What are the causes of A, and why?", "What are the causes of B, and why?", "Who found A, B and C?", "Where is A?"],
        ["[deleted]", "(no genres listed)", "Drama"],
        ["1,5", "2,5", "5,1", "5,2", "1,2", "2,1", "3"],
        ["Action & Adventure", "Sci-Fi & Fantasy", "War & Politics", "Action", "Adventure", "Fantasy", "War", "Kids", "Talk"],
        ["Pop/Rock", "Rock", "Pop", "R&B", "Hip-Hop/Rap", "Rap", "Country", "Jazz"],
        [f"{year}/{year + 1}" for year in range(1990, 2020)],
        [f"{hour}:{minute:02}" for hour in range(24) for minute in (0, 12, 15, 30)],
        ["en:fr", "fr:en", "de:en", "en:de", "fr:de", "de:fr", "es:en"],
        [
            "FICTION/General",
            "FICTION/Crime",
            "HISTORY/General",
            "HISTORY/Europe/General",
            "HISTORY/Europe/France",
            "ART/General",
            "General",
        ],
        ["Sport/Other", "Sport/Ball/Other", "Sport/Ball/Tennis", "Music/Other", "Music/Jazz/Other", "Other"],
        [],
    ],
)
def test_names_that_only_look_like_several(names: list[str]) -> None:
    assert doubts(names) == []


def test_names_are_looked_at_after_they_were_split() -> None:
    frame = pl.DataFrame({"item": ["a", "b", "c"], "genre": ["x|y; z", "y|x", "x; y"]})
    rows = read_input("aspects", asp.Source(frame, split="; "))
    assert any("contain '|'" in notice.said() for notice in rows.notices)
