"""Which column is what: by what was said, by usual names, or by place; and whether the first line names them."""

import dataclasses
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import aspectrum as asp
from aspectrum.errors import InputError
from aspectrum.inputs import INPUTS, InputSpec
from aspectrum.io import read_input
from aspectrum.io.columns import find_columns
from aspectrum.io.source import UsualColumns
from tests.io.reading import read, refused, short


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.csv"


def found(input: str, *names: str, **said: str | int) -> dict[str, str]:
    return {role: names[place] for role, place in find_columns("x", INPUTS[input], said, names, len(names)).items()}


@pytest.mark.parametrize(
    ("input", "names", "roles"),
    [
        ("rankings", ("user", "item"), {"user": "user", "item": "item"}),
        ("rankings", ("userId", "movieId", "rating", "timestamp"), {"user": "userId", "item": "movieId", "score": "rating"}),
        ("rankings", ("qid", "docno", "rank", "score"), {"user": "qid", "item": "docno", "rank": "rank", "score": "score"}),
        ("rankings", ("user_id", "item_id", "Position"), {"user": "user_id", "item": "item_id", "rank": "Position"}),
        ("rankings", ("", "USER ID", "Item-Id", "prediction"), {"user": "USER ID", "item": "Item-Id", "score": "prediction"}),
        ("rankings", ("query", "doc_id", "score", "rating"), {"user": "query", "item": "doc_id", "score": "score"}),
        ("rankings", ("user", "session", "source", "item"), {"user": "user", "item": "item"}),
        ("rankings", ("target_user", "recommended"), {"user": "target_user", "item": "recommended"}),
        ("aspects", ("movieId", "title", "genres"), {"item": "movieId", "aspect": "genres"}),
        ("aspects", ("item", "topic"), {"item": "item", "aspect": "topic"}),
        ("aspects", ("user", "community"), {"item": "user", "aspect": "community"}),
        ("aspects", ("id", "tag", "confidence"), {"item": "id", "aspect": "tag", "strength": "confidence"}),
        ("relevance", ("user", "item", "rel"), {"user": "user", "item": "item", "grade": "rel"}),
        ("relevance", ("user", "item", "score"), {"user": "user", "item": "item", "grade": "score"}),
        ("history", ("customer", "product", "stars"), {"user": "customer", "item": "product", "grade": "stars"}),
        (
            "subtopics",
            ("topic", "subtopic", "docno", "judgment"),
            {"user": "topic", "aspect": "subtopic", "item": "docno", "grade": "judgment"},
        ),
        ("weights", ("aspect", "weight"), {"aspect": "aspect", "weight": "weight"}),
        ("weights", ("importance", "user", "genre"), {"aspect": "genre", "weight": "importance", "user": "user"}),
        ("catalogue", ("isbn", "title"), {"item": "isbn"}),
        ("catalogue", ("whatever",), {"item": "whatever"}),
        ("users", ("id",), {"user": "id"}),
    ],
)
def test_usual_names_are_recognised(input: str, names: tuple[str, ...], roles: dict[str, str]) -> None:
    assert found(input, *names) == roles


@pytest.mark.parametrize(
    ("names", "said", "message"),
    [
        (("user", "thing"), {}, "no item column found; columns are 'user', 'thing'"),
        (("user", "item", "item"), {}, "'item' and 'item' may both be the item"),
        (("userid", "uid", "item"), {}, "'userid' and 'uid' may both be the user"),
        (("userid", "user", "item"), {}, "'user' and 'userid' may both be the user"),
        (("user", "item", "item_id"), {}, "'item' and 'item_id' may both be the item"),
        (
            ("who", "item"),
            {"user": "whom"},
            "user is given as column 'whom', which does not exist; columns are 'who', 'item'; did you mean 'who'?",
        ),
        (("user", "item"), {"user": 3}, "user is given as column 3, but there are 2 columns"),
        (("user", "item"), {"user": 0}, "user is given as column 0, but there are 2 columns"),
        (("user", "item"), {"user": -1}, "user is given as column -1, but there are 2 columns"),
        (("user", "item"), {"user": "²"}, "user is given as column '²'"),
        (("a", "a", "item"), {"user": "a"}, "two columns have that name; give its number"),
        (("who", "item"), {"user": 2}, "no item column found"),
        (("who", "what"), {"user": "who", "item": 1}, "column 'who' is given as both user and item"),
        (tuple(f"c{place}" for place in range(1000)), {}, "'c19' and 980 more"),
    ],
    ids=short,
)
def test_what_cannot_be_told_is_an_error(names: tuple[str, ...], said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        found("rankings", *names, **said)
    assert message in str(caught.value)


def test_columns_without_names_go_by_place() -> None:
    for spec in INPUTS.values():
        for width, roles in spec.by_place.items():
            assert list(find_columns("x", spec, {}, None, width)) == list(roles)
    with pytest.raises(InputError, match=r"has 7 columns without names, expected user, item.*columns=\{'user': 1, 'item': 2, 'score': 3\}"):
        find_columns("x", INPUTS["rankings"], {}, None, 7)
    with pytest.raises(InputError, match="column 'uid', but the columns have no names; give its number"):
        find_columns("x", INPUTS["rankings"], {"user": "uid"}, None, 3)
    with pytest.raises(InputError, match="no item column found; its 3 columns have no names"):
        find_columns("x", INPUTS["rankings"], {"user": 2}, None, 3)
    assert find_columns("x", InputSpec("rankings", ("user",)), {"user": "2"}, None, 3) == {"user": 1}


def test_said_columns(path: Path) -> None:
    path.write_text("a,b,user,item\n1,2,3,4\n")
    assert read("rankings", path) == {"user": ["3"], "item": ["4"]}
    assert read("rankings", asp.Source(path, columns={"user": "a", "item": 2})) == {"user": ["1"], "item": ["2"]}
    assert read("rankings", asp.Source(path, columns={"user": "1"})) == {"user": ["1"], "item": ["4"]}
    assert "'grade' is not a column of rankings, which has user, item[, rank][, score]" in refused(
        "rankings", asp.Source(path, columns={"grade": 1})
    )
    frame = pl.DataFrame({"a": [1], "b": [2]})
    assert read("rankings", asp.Source(frame, columns={"user": "b", "item": "a"})) == {"user": [2], "item": [1]}


def test_said_columns_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_text("1 Q0 a 1 2.5 t\n")
    found = read("rankings", asp.Source(tmp_path / "x.run", columns={"item": 6}))
    assert found == {"user": ["1"], "item": ["t"], "rank": [1.0], "score": [2.5]}
    (tmp_path / "x.txt").write_text("1 Q0 a 1 2.5 t\n")
    assert read("rankings", asp.Source(tmp_path / "x.txt", columns={"user": 1, "item": 3})) == {"user": ["1"], "item": ["a"]}


def test_names_for_several_inputs(path: Path) -> None:
    usual = UsualColumns({"user": "who", "item": "what", "aspect": "kind"})
    path.write_text("who,what,user\nu,i,x\n")
    assert read("rankings", asp.Source(path, usual=usual)) == {"user": ["u"], "item": ["i"]}
    path.write_text("what,sort\ni,x\n")
    assert "no aspect column found" in refused("aspects", asp.Source(path, usual=usual))
    assert usual.found == {"user", "item"}
    with pytest.raises(InputError, match="aspect is given as column 'kind', but no input"):
        usual.check()
    path.write_text("who,what,what\nu,i,x\n")
    assert "two columns have that name" in refused("rankings", asp.Source(path, usual=usual))


@pytest.mark.parametrize(
    ("input", "content", "items"),
    [
        ("rankings", "user,item\nu,i\n", ["i"]),
        ("rankings", "u,i\nv,j\n", ["i", "j"]),
        ("rankings", "1,2\n3,4\n", ["2", "4"]),
        ("rankings", "user,item,2024\nu,i,5\n", ["i"]),
        ("rankings", "u,i,nan1\n", None),
        ("rankings", "u,i,1\n", ["i"]),
        ("rankings", "who,what,mark\nu,i,3\n", None),
        ("rankings", "u,i,\nv,j,3\n", None),
        ("catalogue", "item\na\nb\n", ["a", "b"]),
        ("catalogue", "movieId\n1\n2\n", ["1", "2"]),
        ("catalogue", "thing\n1\n2\n", None),
        ("catalogue", "1\n2\n", ["1", "2"]),
        ("catalogue", "a\nb\n", ["a", "b"]),
        ("aspects", "1,news\n2,sports\n", ["1", "2"]),
        ("aspects", "m1,news\nm2,sports\n", None),
        ("features", "item,0,1\na,5,6\n", ["a"]),
        ("features", "item,1,2,3\na,5,6,7\n", ["a"]),
        ("features", "a,0,1\nb,5,6\n", ["a", "b"]),
    ],
)
def test_the_first_line_is_a_header_or_data_or_an_error(input: str, content: str, items: list[str] | None, path: Path) -> None:
    path.write_text(content)
    if items is None:
        refused(input, path)
    else:
        assert read(input, path)["item"] == items


def test_whether_there_is_a_header_can_be_said(path: Path) -> None:
    path.write_text("user,item\nu,i\n")
    assert read("rankings", asp.Source(path, header=False))["item"] == ["item", "i"]
    path.write_text("1,2\n3,4\n")
    said = asp.Source(path, header=True, columns={"user": "1", "item": "2"})
    assert read("rankings", said) == {"user": ["3"], "item": ["4"]}
    assert read("rankings", dataclasses.replace(said, header=None)) == {"user": ["1", "3"], "item": ["2", "4"]}


def test_places_do_not_hide_a_header(path: Path) -> None:
    places = {"user": 1, "item": 2}
    path.write_text("usr,itm,when\n1,2,99\n")
    assert "line 1: 'usr', 'itm', 'when' looks like a header" in refused("rankings", asp.Source(path, columns=places))
    path.write_text("uid,thing,when\n1,2,99\n")
    assert read("rankings", asp.Source(path, columns=places)) == {"user": ["1"], "item": ["2"]}
    path.write_text("m1,news\nm2,sports\n")
    assert read("aspects", asp.Source(path, columns={"item": 1, "aspect": 2}))["item"] == ["m1", "m2"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": {"user": None}},
        {"columns": {"user": 1.0}},
        {"columns": {"user": True}},
        {"format": "xls"},
        {"split": ""},
        {"header": "yes"},
    ],
)
def test_a_source_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        asp.Source("x.csv", **wrong)


def test_items_that_are_called_as_systems_are_no_header(tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text("ann,run\nann,model\n")
    assert len(read_input("rankings", tmp_path / "lists.csv")) == 2


@pytest.mark.parametrize("name", ["user_id:token", "user_id:float"])
def test_names_with_kinds(name: str) -> None:
    assert len(read_input("history", pl.DataFrame({name: [1, 2], "item_id:token": ["a", "b"]}))) == 2
    with pytest.raises(asp.InputError, match="no item column found"):
        read_input("history", pl.DataFrame({name: [1, 2], "item_id:int": ["a", "b"]}))
