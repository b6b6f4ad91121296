"""Cells that hold several things, or nothing; columns that are not what they seem; truth the wrong way round."""

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl

import aspectrum as asp
from aspectrum.cli import run
from tests.misuse.table import Misuse

FILMS = {
    "Alien": ["Horror", "SciFi"],
    "Big": ["Comedy"],
    "Brazil": ["Comedy", "SciFi"],
    "Fargo": ["Comedy", "Crime"],
    "Heat": ["Crime", "Drama"],
    "Solaris": ["Drama", "SciFi"],
}
LISTS = {"ann": ["Heat", "Fargo", "Alien"], "bob": ["Big", "Brazil", "Solaris"]}
WRITTEN: Mapping[str, Callable[[list[str]], str]] = {
    "separated by '|'": "|".join,
    "separated by ';'": ";".join,
    "separated by ', '": ", ".join,
    "separated by ' / '": " / ".join,
    "separated by ','": ",".join,
    "as JSON": json.dumps,
    "as a Python list": str,
    "as a NumPy array": lambda names: "[" + " ".join(map(repr, names)) + "]",
}
NUMBERS_OF_GENRES = {
    "Alien": ["4", "5", "2"],
    "Big": ["1"],
    "Brazil": ["1", "5"],
    "Fargo": ["1", "2"],
    "Heat": ["2", "3"],
    "Solaris": ["3", "5"],
}
METRIC = {"aspects": "AspectRecall@2", "subtopics": "AspectRecall@2", "features": "ILD@3"}


def as_objects(input: str, cells: Mapping[str, Any]) -> Any:
    return dict.fromkeys(LISTS, cells) if input == "subtopics" else cells


def as_frame(input: str, cells: Mapping[str, Any]) -> pl.DataFrame:
    role = "feature" if input == "features" else "genre"
    frame = pl.DataFrame({"item": list(cells), role: list(cells.values())})
    return pl.DataFrame({"user": list(LISTS)}).join(frame, how="cross") if input == "subtopics" else frame


def evaluate_file(input: str, cells: Mapping[str, Any]) -> asp.Results:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "films.csv")
        as_frame(input, cells).write_csv(path)
        return evaluate(input, path)


def evaluate(input: str, given: Any) -> asp.Results:
    inputs: dict[str, Any] = {input: given}
    return asp.evaluate(LISTS, METRIC[input], **inputs)


DOORS: Mapping[str, Callable[[str, Mapping[str, Any]], asp.Results]] = {
    "objects": lambda name, cells: evaluate(name, as_objects(name, cells)),
    "a frame": lambda name, cells: evaluate(name, as_frame(name, cells)),
    "a file": evaluate_file,
}


def several_in_a_cell(input: str, how: str, door: str) -> Misuse:
    cells = {film: WRITTEN[how](genres) for film, genres in FILMS.items()}
    is_list = how.startswith("as ")
    says = "written as text, read as a list" if is_list else "pass a list of" if door == "objects" else f"split={how.partition(' by ')[2]}"
    return Misuse(
        f"{input} {how} in {door}",
        "note" if is_list else "warning",
        says,
        lambda: DOORS[door](input, cells),
        lambda: evaluate(input, as_objects(input, FILMS)),
        "text_lists" if is_list else "unsplit",
    )


TRAIN = {"u": ["d"], "a": ["b"], "b": ["c"], "c": ["u"]}
COMMUNITIES = {"a": [1, 2], "b": [2, 3], "c": [1], "d": [3], "u": [2]}


def community_recall(communities: Any) -> asp.Results:
    return asp.contacts.evaluate({"u": ["a", "b", "c"]}, "Community recall@2", train=TRAIN, communities=communities)


def communities_by_bars(of: Callable[[dict[str, list[Any]]], Any]) -> asp.Results:
    columns = {"user": list(COMMUNITIES), "community": ["|".join(map(str, several)) for several in COMMUNITIES.values()]}
    return community_recall(of(columns))


def on_the_command_line(*options: str, **files: pl.DataFrame) -> float:
    """The number that the command line writes; options name the files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in files.items():
            frame.write_csv(Path(folder, f"{name}.csv"))
        result = Path(folder, "result.json")
        assert run(["evaluate", *(option.format(folder) for option in options), "--quiet", "--output", str(result)]) == 0
        (system,) = json.loads(result.read_text())["systems"].values()
        return float(system["metrics"][0]["value"])


def same_file_for_aspects_and_features() -> float:
    films = ("--aspects", "{}/films.csv", "--features", "{}/films.csv", "--columns", "features:feature=genres")
    lists = pl.DataFrame([(user, item) for user, items in LISTS.items() for item in items], schema=["user", "item"], orient="row")
    cells = pl.DataFrame({"item": list(FILMS), "genres": ["|".join(genres) for genres in FILMS.values()]})
    return on_the_command_line("{}/lists.csv", *films, "--split", "|", "-m", "ILD@3", lists=lists, films=cells)


def precision(truth: Any) -> asp.Results:
    return asp.evaluate(LISTS, "Precision@3", relevance=truth)


JUDGED = pl.DataFrame(
    {
        "user": ["ann", "ann", "bob", "bob"],
        "item": ["Heat", "Alien", "Big", "Brazil"],
        "is_relevant": [True, False, False, True],
    }
)
RELEVANT = {"ann": ["Heat"], "bob": ["Brazil"]}


def precision_of_file(truth: pl.DataFrame) -> asp.Results:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "truth.csv")
        path.write_text(truth.write_csv().replace("true", "True").replace("false", "False"))  # as pandas writes them
        return precision(path)


NUMBERED = JUDGED.drop("is_relevant").with_columns(item_id=pl.Series([4, 0, 1, 2]))
NUGGETS = {"ann": {"n1": ["Heat", "Fargo"], "n2": ["Alien"]}, "bob": {"n1": ["Solaris"], "n3": ["Brazil", "Solaris"]}}


def one_column_a_genre(**changed: Any) -> pl.DataFrame:
    """A table with a column of 0 and 1 per genre; twenty films that nobody lists make the shares of cells what they are in real tables."""
    films = {**FILMS, **{f"film {i}": ["Comedy" if i % 2 else "Drama"] for i in range(20)}}
    names = ("Comedy", "Crime", "Drama", "Horror", "SciFi")
    columns = {name: [int(name in genres) for genres in films.values()] for name in names}
    frame = pl.DataFrame({"item": list(films), "title": [f"{film} (19)" for film in films], **columns})
    return frame.with_columns(**{name: pl.Series(change(frame[name].to_list(), list(films))) for name, change in changed.items()})


def without_a_zero(cells: list[Any], films: list[str]) -> list[Any]:
    return [None if film == "Big" else cell for film, cell in zip(films, cells, strict=True)]


def with_a_two(cells: list[Any], films: list[str]) -> list[Any]:
    return [2 if film == "Alien" else cell for film, cell in zip(films, cells, strict=True)]


def beside_genres() -> pl.DataFrame:
    """The table with columns of other kinds."""
    frame = one_column_a_genre()
    price = [4.99 if row % 26 == 0 else 0.0 for row in range(len(frame))]
    picture = pl.Series([b"\xff\xd8"] * len(frame))
    return frame.with_columns(runtime=pl.duration(minutes=pl.int_range(60, 60 + len(frame))), price=pl.Series(price), picture=picture)


def pandas_genres(**cells: Any) -> pd.DataFrame:
    """The table with another cell for the first film."""
    frame = pd.DataFrame(one_column_a_genre().to_dict(as_series=False)).astype(dict.fromkeys(cells, object))
    for column, cell in cells.items():
        frame[column] = [cell, *frame[column][1:]]
    return frame


def alpha_ndcg(subtopics: Any) -> asp.Results:
    return asp.evaluate(LISTS, "AlphaNDCG@3", subtopics=subtopics)


MISUSES = [
    Misuse(
        "a column of 0 and 1 with an empty cell",
        "note",
        "1 empty cell in columns of 0 and 1 is read as 0",
        lambda: evaluate("aspects", one_column_a_genre(Crime=without_a_zero)),
        lambda: evaluate("aspects", one_column_a_genre()),
        "empty_indicators",
    ),
    Misuse(
        "a column of 0 and 1 with a 2",
        "warning",
        "column 'Horror' is left out, as 1 cell is neither 0 nor 1; correct it, or drop the column (such as 2)",
        lambda: evaluate("aspects", one_column_a_genre(Horror=with_a_two)),
        lambda: evaluate("aspects", one_column_a_genre()),
        "almost_indicators",
    ),
    Misuse(
        "a column of 0, 1 and '?' of pandas",
        "warning",
        "column 'Horror' is left out, as 1 cell is neither 0 nor 1; correct it, or drop the column (such as '?')",
        lambda: evaluate("aspects", pandas_genres(Horror="?")),
        lambda: evaluate("aspects", one_column_a_genre()),
        "almost_indicators",
    ),
    Misuse(
        "running times, pictures and prices beside columns of 0 and 1",
        "note",
        "5 columns of 0 and 1 are read as aspects",
        lambda: evaluate("aspects", beside_genres()),
        lambda: evaluate("aspects", one_column_a_genre()),
        "indicators",
    ),
    Misuse(
        "sets in another column of pandas",
        "note",
        "5 columns of 0 and 1 are read as aspects",
        lambda: evaluate("aspects", pandas_genres(title={"a", "b"})),
        lambda: evaluate("aspects", one_column_a_genre()),
        "indicators",
    ),
    Misuse(
        "a year beside columns of 0 and 1 as features",
        "warning",
        "column 'year', from 1960 to 1985, outweighs 5 columns of 0 and 1",
        lambda: evaluate("features", one_column_a_genre().drop("title").with_columns(year=pl.int_range(1960, 1986))),
        lambda: evaluate("features", one_column_a_genre().drop("title")),
        "outweighing",
    ),
    Misuse(
        "numbers of genres separated by ','",
        "warning",
        "use asp.Source(..., split=',')",
        lambda: evaluate("aspects", as_frame("aspects", {film: ",".join(numbers) for film, numbers in NUMBERS_OF_GENRES.items()})),
        lambda: evaluate("aspects", NUMBERS_OF_GENRES),
        "unsplit",
    ),
    *(several_in_a_cell(input, how, door) for input in METRIC for how in WRITTEN for door in ("objects", "a frame")),
    *(several_in_a_cell(input, how, "a file") for input in METRIC for how in ("separated by '|'", "separated by ', '", "as JSON")),
    Misuse(
        "features as vectors that are text",
        "note",
        "with a vector written as text",
        lambda: evaluate("features", {film: str([1.5, float(len(film))]) for film in FILMS}),
        lambda: evaluate("features", {film: [1.5, float(len(film))] for film in FILMS}),
        "text_vectors",
    ),
    Misuse(
        "a separator for cells that are JSON",
        "note",
        "read as a list",
        lambda: evaluate("aspects", asp.Source(as_frame("aspects", {film: json.dumps(own) for film, own in FILMS.items()}), split=",")),
        lambda: evaluate("aspects", FILMS),
        "text_lists",
    ),
    Misuse(
        "aspects as lists of objects in JSON",
        "warning",
        "look like lists or objects written as text",
        lambda: evaluate("aspects", {film: json.dumps([{"name": name} for name in own]) for film, own in FILMS.items()}),
        lambda: evaluate("aspects", FILMS),
        "unread_lists",
    ),
    Misuse(
        "aspects as lists without quotes",
        "warning",
        "pass one aspect per row, or a list of names per cell",
        lambda: evaluate("aspects", as_frame("aspects", {film: f"[{', '.join(own)}]" for film, own in FILMS.items()})),
        lambda: evaluate("aspects", FILMS),
        "unread_lists",
    ),
    Misuse(
        "communities separated by '|' in a frame",
        "warning",
        "2 of 5 community names contain '|' (such as '1|2', '2|3'); use asp.Source(..., split='|')",
        lambda: communities_by_bars(pl.DataFrame),
        1.0,
        "unsplit",
    ),
    Misuse(
        "communities separated by '|' in objects",
        "warning",
        "pass a list of community names",
        lambda: communities_by_bars(lambda columns: dict(zip(*columns.values(), strict=True))),
        1.0,
        "unsplit",
    ),
    Misuse(
        "the same file as aspects and as features, with --split",  # 1.0 where only the aspects are split
        "right",
        "",
        same_file_for_aspects_and_features,
        lambda: evaluate("features", FILMS),
    ),
    Misuse(
        "an empty aspect in a frame",
        "note",
        "1 of 6 rows have an empty aspect and add none",
        lambda: evaluate("aspects", as_frame("aspects", {film: None if film == "Big" else own[0] for film, own in FILMS.items()})),
        lambda: evaluate("aspects", {film: [] if film == "Big" else own[0] for film, own in FILMS.items()}),
        "null_aspects",
    ),
    Misuse(
        "an empty aspect in a file",
        "note",
        "1 of 6 rows have an empty aspect and add none",
        lambda: evaluate_file("aspects", {film: None if film == "Big" else own[0] for film, own in FILMS.items()}),
        lambda: evaluate("aspects", {film: [] if film == "Big" else own[0] for film, own in FILMS.items()}),
        "null_aspects",
    ),
    Misuse(
        "relevance with a column is_relevant",
        "note",
        "column 'is_relevant' is read as the grade: true is 1, false is 0",
        lambda: precision(JUDGED),
        lambda: precision(RELEVANT),
        "flags",
    ),
    Misuse(
        "relevance with a column purchased in a file",
        "note",
        "column 'purchased' is read as the grade",
        lambda: precision_of_file(JUDGED.rename({"is_relevant": "purchased"})),
        lambda: precision(RELEVANT),
        "flags",
    ),
    Misuse(
        "grades that are true or false in a file",
        "right",
        "",
        lambda: precision_of_file(JUDGED.rename({"is_relevant": "rating"})),
        lambda: precision(RELEVANT),
    ),
    Misuse(
        "relevance with another column of true and false",
        "warning",
        "4 of 4 rows have no grade, but column 'in_time' is true or false; is it the grade?",
        lambda: precision(JUDGED.rename({"is_relevant": "in_time"})),
        lambda: precision(RELEVANT),
        "unused_flags",
    ),
    Misuse(
        "item and item_id that differ",
        "error",
        "'item' and 'item_id' may both be the item; specify one with asp.Source(..., columns={'item': 'NAME'})",
        lambda: precision(NUMBERED),
    ),
    Misuse(
        "user and user_id that differ in a file",
        "error",
        "'user' and 'user_id' may both be the user",
        lambda: precision_of_file(NUMBERED.drop("item_id").with_columns(user_id=pl.Series([1, 1, 2, 2]))),
    ),
    Misuse(
        "item and item_id that are equal",
        "right",
        "",
        lambda: precision_of_file(NUMBERED.with_columns(item_id=pl.col("item"))),
        lambda: precision({"ann": ["Heat", "Alien"], "bob": ["Big", "Brazil"]}),
    ),
    Misuse(
        "item and item_id, and one is said",
        "right",
        "",
        lambda: precision(asp.Source(NUMBERED, columns={"item": "item"})),
        lambda: precision({"ann": ["Heat", "Alien"], "bob": ["Big", "Brazil"]}),
    ),
    Misuse(
        "subtopics as {user: {aspect: items}}",  # 0 for everybody
        "error",
        "most are aspects there; expected {user: {item: [aspects]}}",
        lambda: alpha_ndcg(NUGGETS),
    ),
    Misuse(
        "subtopics as {user: {aspect: items}}, all of them numbers",
        "error",
        "most are aspects there; expected {user: {item: [aspects]}}",
        lambda: asp.evaluate({"q": [10, 20, 30, 1]}, "AlphaNDCG@3", subtopics={"q": {1: [10, 20], 2: [30]}}),
    ),
    Misuse(
        "subtopics whose columns are swapped",
        "error",
        "most are aspects there; are the item and aspect columns swapped?",
        lambda: alpha_ndcg(
            pl.DataFrame(
                [(user, item, aspect) for user, has in NUGGETS.items() for aspect, items in has.items() for item in items],
                schema=["user", "aspect", "item"],
                orient="row",
            )
        ),
    ),
    Misuse(
        "relevance of other items, as objects",  # 0 for everybody
        "error",
        "5 of 5 items are not in relevance (such as 'x1', 'x2', 'x3'); no item of any list is in any other input",
        lambda: asp.evaluate({"ann": ["x1", "x2"], "bob": ["x3", "x4", "x5"]}, "NDCG@2", relevance=RELEVANT),
    ),
    Misuse(
        "subtopics of other items, as objects",
        "error",
        "no item of any list is in any other input",
        lambda: asp.evaluate({"ann": ["x", "y"], "bob": ["z"]}, "AlphaNDCG@2", subtopics={"ann": {"Heat": ["a"]}, "bob": {"Big": ["b"]}}),
    ),
    Misuse(
        "relevance whose ids differ in case, as objects",
        "error",
        "they differ in case: 'Heat' here, 'heat' there",
        lambda: precision({user: [item.lower() for item in items] for user, items in LISTS.items()}),
    ),
    Misuse(
        "aspects of other items, as objects",
        "error",
        "6 of 6 items are not in aspects",
        lambda: asp.evaluate(LISTS, "AspectRecall@2", aspects={"other": "x", "another": "y"}),
    ),
]
