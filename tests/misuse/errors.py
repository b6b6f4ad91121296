"""Calls, metrics and inputs in a form that cannot be evaluated: what people are told to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import aspectrum as asp
from tests.misuse.table import Misuse

LISTS = {"ann": ["a", "b", "c"], "bob": ["b", "a", "d"]}
TRUTH = {"ann": ["b"], "bob": ["b", "d"]}
SCORED = {"ann": {"a": 3.0, "b": 2.0}, "bob": {"b": 0.9}}
FRAME = pd.DataFrame({"user": ["ann", "ann", "bob"], "item": ["a", "b", "b"], "score": [3.0, 2.0, 0.9]})


def measured(lists: Any = LISTS, metrics: Any = "NDCG@2", relevance: Any = TRUTH, **more: Any) -> Callable[[], asp.Results]:
    return lambda: asp.evaluate(lists, metrics, relevance=relevance, **more)


def compared(systems: Any, metrics: Any = "NDCG@2", **more: Any) -> Callable[[], asp.SystemResults]:
    return lambda: asp.evaluate_systems(systems, metrics, relevance=TRUTH, **more)


def refused(does: str, says: str, run: Callable[[], Any]) -> Misuse:
    return Misuse(does, "error", says, run)


def read(does: str, run: Callable[[], Any], meant: Callable[[], Any]) -> Misuse:
    return Misuse(does, "right", "", run, meant)


class Opaque:
    """Something of another library."""


class Sparse:
    """A matrix that can be iterated over, but not read."""

    shape = (2, 2)
    tocsr = None

    def __iter__(self) -> Any:
        raise TypeError


CALLS = [
    refused(
        "gives relevance beside a world to gains",
        "relevance was given beside a World",
        lambda: asp.gains(asp.World.of(LISTS, subtopics={"ann": {"a": [1]}}), "ann", relevance=TRUTH),
    ),
    refused("gives a class for a metric", "NDCG is a class, not a metric; give an object, as asp.NDCG(k=10)", measured(metrics=asp.NDCG)),
    refused("gives a class in a list", "NDCG is a class, not a metric", measured(metrics=["MAP@2", asp.NDCG])),
    refused("gives a function for a metric", "metrics is a function, expected a metric such as 'NDCG@10'", measured(metrics=measured)),
    refused("gives no metric at all", "metrics is None, expected a metric", measured(metrics=None)),
    refused("gives a number of users", "users is 5, expected a word such as 'judged', or the users", measured(users=5)),
    refused("gives a number for progress", "progress is 3, expected a function", measured(progress=3)),
    refused(
        "calls in the order of ranx",
        "too many positional arguments; it is called as evaluate(lists, 'NDCG@10', relevance=...)",
        lambda: asp.evaluate(TRUTH, LISTS, "NDCG@2"),  # type: ignore[call-arg]
    ),
    refused("gives metrics before lists", "metrics is a DataFrame, expected a metric", measured("NDCG@2", FRAME)),
    refused("gives metrics before plain lists", "lists come first, metrics second", measured("NDCG@2", LISTS)),
    refused("says qrels", "evaluate() has no argument 'qrels'; use relevance= or subtopics=", measured(qrels=TRUTH)),
    refused("says k", "evaluate() has no argument 'k'; a cutoff belongs to a metric: write 'NDCG@10'", measured(k=10)),
    refused(
        "has several wrong arguments",
        "no argument 'qrels'; use relevance= or subtopics=\nevaluate() has no argument 'k'",
        measured(qrels=TRUTH, k=1),
    ),
    refused("misspells an argument", "no argument 'catalog'; did you mean 'catalogue'?", measured(catalog=["a"])),
    refused("misspells an argument for several systems", "did you mean 'catalogue'?", compared({"A": LISTS}, catalog=["a"])),
    refused("leaves metrics out", "missing a required argument: 'metrics'", lambda: asp.evaluate(LISTS, relevance=TRUTH)),  # type: ignore[call-arg]
    refused(
        "says relevance of contacts",
        "has no argument 'relevance'; use test=",
        lambda: asp.contacts.evaluate({"a": ["b"]}, "NDCG", train={"a": ["c"]}, relevance={"a": ["b"]}),  # type: ignore[call-arg]
    ),
    refused(
        "misspells an argument of contacts",
        "evaluate_systems() has no argument 'tset'; did you mean 'test'?",
        lambda: asp.contacts.evaluate_systems({"A": {"a": ["b"]}}, "NDCG", train={"a": ["c"]}, tset={"a": ["b"]}),
    ),
    refused("says qrels of a truth", "Truth.read() has no argument 'qrels'; use relevance=", lambda: asp.Truth.read(qrels=TRUTH)),
    refused("says k of a plan", "a cutoff belongs to a metric", lambda: asp.Plan("NDCG", asp.Truth.read(relevance=TRUTH), k=5)),  # type: ignore[call-arg]
]

METRICS = [
    refused("gives the cutoff as a parameter", "NDCG has no parameter 'k'; the cutoff follows the metric: write NDCG@10", measured(metrics="NDCG(k=10)")),
    refused("gives the cutoff beside a parameter", "write NDCG(gain=exponential)@5", measured(metrics="NDCG(cutoff=5, gain=exponential)")),
    refused("gives a metric a threshold", "use threshold=4", measured(metrics="Precision(threshold=4)@5")),
    refused("gives a parameter that no metric has", "It has rel", measured(metrics="Precision(foo=4)@5")),
    refused("gives a parameter to a metric without any", "It has no parameters", measured(metrics="PopularityLift(foo=4)@5")),
    refused("writes two metrics in one text", "give each of them by itself: 'NDCG@2', 'MAP@2'", measured(metrics="NDCG@2, MAP@2")),
    refused("writes a cutoff twice", "'ndcg_cut_10@5' has two cutoffs, 10 and 5; expected NDCG@10", measured(metrics="ndcg_cut_10@5")),
    refused("writes k for a number", "unknown metric 'ndcg_at_k'; did you mean 'NDCG@10'?", measured(metrics="ndcg_at_k")),
    refused("asks for a family without its input", "novelty@5: no metric of this family can be computed", measured(metrics="novelty@5")),
    *(
        refused(f"asks for {name}", f"unknown metric '{name}'; asp.registered() lists all metrics", measured(metrics=f"{name}@2"))
        for name in ("AUC", "F1", "bpref", "IPrec", "MAPE")
    ),
    refused(
        "misspells several metrics",
        "unknown metric 'NDGC'; did you mean 'NDCG'?\nunknown metric 'Recal'; did you mean 'Recall'?",
        measured(metrics=["NDGC@2", "MAP@2", "Recal@2"]),
    ),
    refused(
        "lacks the inputs of several metrics",
        "IntraListDiversity needs features: pass features=, one vector per item\nEPC needs history",
        measured(metrics=["ILD@2", "NDCG@2", "EPC@2"]),
    ),
    refused("gives a metric the name of another", "metrics['NDCG@5'] is NDCG@2, but 'NDCG@5' is the name", measured(metrics={"NDCG@5": asp.NDCG(k=2)})),
    refused("names a metric like a column of users", "scores of users have a column", measured(metrics={"user": "NDCG@2"})),
    refused("gives cutoffs by metric", "metrics['NDCG'] is 10, expected a metric", measured(metrics={"NDCG": 10})),
    refused("gives several metrics one name", "'all@5' is several metrics", measured(metrics={"mine": "all@5"})),
    refused("gives two metrics one name", "two metrics are called 'x@2': NDCG@2 and MAP", measured(metrics={"x": "NDCG@2,3", "x@2": "MAP"})),
    read("names metrics as in RecTools", measured(metrics={"ndcg": asp.NDCG(k=2)}), measured()),
    read("asks for a metric twice", measured(metrics=["NDCG@2,3", "NDCG@2", "nDCG@3"]), measured()),
]  # fmt: skip

FORMS = [
    refused("gives a matrix", "expected {user: [items]}, {user: {item: score}} or rows (user, item[, score]), a frame", measured(Sparse())),
    refused("gives an object", "relevance: expected {user: [items]}, {user: {item: grade}} or rows", measured(relevance=Opaque())),
    refused("gives a number as weights", "weights: expected {aspect: weight}, {user: {aspect: weight}}", measured(weights=5)),
    refused("gives several wrong inputs", "found 5\nhistory: expected {user: [items]}", measured(relevance=5, history=Opaque())),
    refused(
        "has ids in the index",
        "no user and no item column found; columns are 'score'; the index 'user', 'item' is not read: make columns of it with .reset_index()",
        measured(FRAME.set_index(["user", "item"])),
    ),
    refused("has users in the index", "the index 'user' is not read", measured(FRAME.set_index("user"))),
    refused("gives a series with ids in the index", "the index 'user', 'item' is not read", measured(FRAME.set_index(["user", "item"])["score"])),
    refused("has lists in a series by user", "the index 'user' is not read", measured(FRAME.groupby("user")["item"].agg(list))),
    refused("has no name for the index", "the index, which has no name, is not read", measured(pd.Series(LISTS, name="items"))),
    refused("gives counts of items as a catalogue", "the index 'item' is not read", measured(metrics="GiniComplement@2", catalogue=FRAME["item"].value_counts())),
    refused("names columns in its own way", "no user and no item column found; columns are 'who', 'what'; specify them with asp.Source(..., columns={'user': 'NAME', 'item': 'NAME'})", measured(pd.DataFrame({"who": ["ann"], "what": ["a"]}))),
    refused("groups a frame", "found a DataFrameGroupBy, expected the frame itself", measured(FRAME.groupby("user"))),
    refused("groups the truth", "relevance: found a SeriesGroupBy", measured(relevance=FRAME.groupby("user")["item"])),
    refused(
        "has several bad columns",
        "relevance, row 2: the user is missing\nrelevance, row 1: the grade is 'x', expected a finite number (in 2 rows)",
        measured(relevance=pd.DataFrame({"user": ["ann", None], "item": ["a", "b"], "grade": ["x", "y"]})),
    ),
    refused("gives frames of systems to evaluate", "the list of user 'A' is a DataFrame, expected items; several systems, each with its own lists, go to evaluate_systems", measured({"A": FRAME})),
    refused("gives files of systems to evaluate", "go to evaluate_systems", measured({"A": "a.csv", "B": "b.csv"})),
    refused("gives lists of systems to evaluate", "the list of user 'A' is a mapping of lists", measured({"A": LISTS, "B": LISTS})),
    refused("gives lists of users to evaluate_systems", "the lists of one system go to evaluate", compared(LISTS)),
    refused("gives scores of users to evaluate_systems", "the lists of one system go to evaluate", compared(SCORED)),
    refused("gives a frame of one system to evaluate_systems", "no system column found", compared(FRAME)),
    refused("gives frames of users as truth", "relevance: user 'ann' has a DataFrame, expected items", measured(relevance={"ann": FRAME})),
    refused(
        "gives frames of items as aspects",
        "aspects: item 'a' has a DataFrame, expected a list",
        measured(metrics="AspectRecall@2", aspects={"a": FRAME}),
    ),
    refused("gives pairs of items and scores", "user 'ann' has pairs such as ('a', 1.5), expected {user: {item: score}}", measured({"ann": [("a", 1.5)]})),
    refused("gives lists of items and grades", "has pairs such as ['a', 2], expected {user: {item: grade}}", measured(relevance={"ann": [["a", 2]]})),
    refused("gives pairs of items and counts", "items with numbers are given as {user: {item: number}}", measured(relevance={"ann": [("a", 2)]})),
    refused("has numbers here and text there", "numbers in rankings (1), text in relevance ('1'); convert one of them, as with .astype(str)", measured({"ann": [1]}, relevance={"ann": ["1"]})),
    read("gives arrays of items", measured({user: np.array(items) for user, items in LISTS.items()}), measured()),
    refused("misses several files", "a.csv: file not found\nb.csv: file not found\nc.csv: file not found", compared({"A": "a.csv", "B": "b.csv"}, aspects="c.csv")),
]  # fmt: skip

MISUSES = [*CALLS, *METRICS, *FORMS]
