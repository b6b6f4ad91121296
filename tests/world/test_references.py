"""Groups, popularity, baselines and counted histories, from objects, frames and files."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse

import aspectrum as asp
from aspectrum.toy_world import BASELINE, GROUPS, HISTORY, LISTS

ROWS = list(GROUPS.items())


def members(truth: asp.Truth) -> dict[Any, dict[Any, float]]:
    """The groups of each item, with shares."""
    assert truth.groups is not None
    found: dict[Any, dict[Any, float]] = {}
    for item, id in enumerate(truth.items):
        entries = range(truth.groups.offsets[item], truth.groups.offsets[item + 1])
        shares = np.ones(len(truth.groups.codes)) if truth.groups.strengths is None else truth.groups.strengths
        found[id] = {truth.group_ids[int(truth.groups.codes[entry])]: float(shares[entry]) for entry in entries}
    return found


@pytest.mark.parametrize(
    "groups",
    [
        GROUPS,
        {item: [group] for item, group in ROWS},
        {item: {group: 1.0} for item, group in ROWS},
        ROWS,
        [(item, group, 1.0) for item, group in ROWS],
        pl.DataFrame(ROWS, schema=["item", "group"], orient="row"),
        pl.DataFrame(ROWS, schema=["movieId", "provider"], orient="row"),
        pl.DataFrame(ROWS, schema=["item", "genre"], orient="row"),
    ],
)
def test_forms_of_groups(groups: Any) -> None:
    truth = asp.Truth.read(groups=groups)
    assert members(truth) == {item: {group: 1.0} for item, group in ROWS}
    assert list(truth.aspect_ids) == []


def test_groups_with_shares() -> None:
    truth = asp.Truth.read(groups={"a": {"P": 0.25, "Q": 0.75}, "b": {"P": 0.5}, "c": []})
    assert members(truth) == {"a": {"P": 0.25, "Q": 0.75}, "b": {"P": 0.5}, "c": {}}


def test_groups_beside_aspects_of_the_same_names() -> None:
    truth = asp.Truth.read(groups={"a": "x", "b": "y"}, aspects={"a": ["y"], "b": ["z", "x"]})
    assert members(truth) == {"a": {"x": 1.0}, "b": {"y": 1.0}}
    assert truth.aspects is not None and truth.aspects.n_aspects == 3
    assert truth.item_groups[0] is truth.groups
    without = asp.Truth.read(aspects={"a": ["y"]})
    assert without.item_groups == (without.aspects, without.aspect_ids)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"a": {"P": 1.5}}, "groups: the share of item 'a', group 'P' is 1.5, expected above 0 and at most 1"),
        ({"a": {"P": 0.0}}, "the share of item 'a', group 'P' is 0, expected above 0"),
        ([("a", "P", 0.5), ("a", "P", 0.25)], "item 'a' and group 'P' have two shares"),
        ("groups.csv", "file not found"),
        (7, "groups: expected"),
    ],
)
def test_wrong_groups(groups: Any, message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        asp.Truth.read(groups=groups)


@pytest.mark.parametrize(
    "popularity",
    [
        {"a": 4, "b": 2, "z": 0},
        [("b", 2), ("a", 4), ("z", 0)],
        pl.DataFrame({"item": ["a", "b", "z"], "count": [4, 2, 0]}),
        pl.DataFrame({"movieId": ["a", "b", "z"], "popularity": [4.0, 2.0, 0.0]}),
    ],
)
def test_forms_of_popularity(popularity: Any) -> None:
    truth = asp.Truth.read(popularity=popularity, popularity_users=5)
    found = truth.item_popularity
    assert dict(zip(truth.items, found.users.tolist(), strict=True)) == {"a": 4, "b": 2, "z": 0}
    assert (found.n_users, found.n_interactions) == (5, 6)


def test_popularity_is_counted_in_the_history() -> None:
    found = asp.Truth.read(history=HISTORY)
    assert dict(zip(found.items, found.item_popularity.users.tolist(), strict=True)) == {"a": 4, "b": 2, "c": 1, "d": 1, "e": 1}
    assert (found.item_popularity.n_users, found.item_popularity.n_interactions) == (4, 9)


def test_given_popularity_counts_more_than_the_history() -> None:
    truth = asp.Truth.read(history=HISTORY, popularity={"a": 3, "h": 1})
    assert dict(zip(truth.items, truth.item_popularity.users.tolist(), strict=True)) == {"a": 3, "b": 0, "c": 0, "d": 0, "e": 0, "h": 1}
    assert truth.item_popularity.n_users == 4


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"popularity": {"a": 0.5}}, "popularity: a count is 0.5, expected a whole number from 0"),
        ({"popularity": {"a": -1}}, "a count is -1"),
        ({"popularity": {"a": float("nan")}}, "the count of 'a' is nan"),
        ({"popularity": [("a", 1), ("a", 2)]}, "item 'a' has two counts, 1 and 2"),
        ({"popularity": [("a",)]}, r"row 0 has 1 values, expected \(item, count\)"),
        ({"popularity": {"a": 9}, "popularity_users": 5}, "item 'a' has count 9, more than popularity_users=5"),
        ({"popularity": {"a": 9}, "history": {"u": ["a"]}}, "popularity counts 9 users of an item, and 1 have a history"),
        ({"popularity": {"a": 9}}, "popularity was given without the number of users: pass popularity_users= or history="),
        ({"popularity": {"a": 1}, "popularity_users": 0}, "popularity_users is 0, expected a whole number from 1"),
        ({"popularity": {"a": 1}, "popularity_users": True}, "popularity_users is True"),
    ],
)
def test_wrong_popularity(inputs: Any, message: str) -> None:
    with pytest.raises(asp.InputError, match=message):
        _ = asp.Truth.read(**inputs).item_popularity.n_users


def listed(truth: asp.Truth) -> dict[Any, list[Any]]:
    lists = truth.baseline
    assert lists is not None and lists.listed is not None
    return {
        user: [truth.items[int(item)] for item in lists.items[lists.offsets[code] : lists.offsets[code + 1]]]
        for code, user in enumerate(truth.users)
        if lists.listed[code]
    }


@pytest.mark.parametrize(
    "baseline",
    [
        BASELINE,
        {user: {item: -place for place, item in enumerate(items)} for user, items in BASELINE.items()},
        [(user, item) for user, items in BASELINE.items() for item in items],
        pl.DataFrame(
            [(user, item, 1 + at) for user, items in BASELINE.items() for at, item in enumerate(items)][::-1],
            schema=["user", "item", "rank"],
            orient="row",
        ),
    ],
)
def test_forms_of_a_baseline(baseline: Any) -> None:
    truth = asp.Truth.read(history=HISTORY, baseline=baseline)
    assert listed(truth) == BASELINE
    world = asp.World.of({"u3": LISTS["u3"], "stranger": ["a"], "u1": LISTS["u1"]}, history=HISTORY, baseline=baseline)
    own = world.need_baseline("a test")
    assert own.lengths.tolist() == [3, 0, 3, 3, 0]
    assert [world.items[int(item)] for item in own.items[:6]] == [*BASELINE["u3"], *BASELINE["u1"]]


def test_ties_of_a_baseline_are_broken_as_those_of_the_lists() -> None:
    scores = {"u": {"a": 1.0, "b": 1.0, "c": 2.0}}
    truth = asp.Truth.read(baseline=scores)
    assert listed(truth) == {"u": ["c", "a", "b"]}
    assert listed(truth.read_as(asp.CONVENTIONS["ndeval"].reading({}))) == {"u": ["c", "b", "a"]}


def test_wrong_baseline() -> None:
    with pytest.raises(asp.InputError, match="baseline: the list of user 'u' names item 'a' twice"):
        asp.Truth.read(baseline={"u": ["a", "b", "a"]})
    with pytest.raises(asp.InputError, match="baseline: the list of user 'u' is a set"):
        asp.Truth.read(baseline={"u": {"a"}})


def times(truth: asp.Truth) -> dict[Any, tuple[int, int]]:
    """Users and interactions of each item."""
    found = truth.item_popularity
    return dict(zip(truth.items, zip(found.users.tolist(), found.times.tolist(), strict=True), strict=True))


def test_repeats_and_counts_of_the_history() -> None:
    repeated = [("u", "b"), ("u", "a"), ("u", "b"), ("v", "b")]
    assert times(asp.Truth.read(history=repeated)) == {"b": (2, 3), "a": (1, 1)}
    counted = pl.DataFrame([("u", "b", 2), ("u", "a", 1), ("v", "b", 1)], schema=["user", "item", "count"], orient="row")
    assert times(asp.Truth.read(history=counted)) == {"b": (2, 3), "a": (1, 1)}
    both = pl.concat([counted, counted[:1]])
    assert times(asp.Truth.read(history=both)) == {"b": (2, 5), "a": (1, 1)}
    matrix = scipy.sparse.csr_matrix([[0, 1, 1], [1, 0, 0]])
    assert times(asp.Truth.read(history=matrix)) == {0: (1, 1), 1: (1, 1), 2: (1, 1)}


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_wrong_counts(count: float) -> None:
    history = pl.DataFrame([("u", "b", float(count))], schema=["user", "item", "count"], orient="row")
    with pytest.raises(asp.InputError, match=r"a count is .*, expected a whole number from 1"):
        asp.Truth.read(history=history)


def test_the_order_of_the_history_is_kept() -> None:
    history = asp.Truth.read(history=[("u", "b"), ("v", "a"), ("u", "a"), ("u", "b")]).history
    assert history is not None and history.sequence is not None
    assert history.sequence.items.tolist() == [0, 1, 0, 1]
    assert history.sequence.lengths.tolist() == [3, 1]
    taken = history.take(np.array([1, -1, 0]))
    assert taken.sequence is not None
    assert (taken.sequence.items.tolist(), taken.sequence.lengths.tolist()) == ([1, 0, 1, 0], [1, 0, 3])
    assert taken.times is not None and taken.times.tolist() == [1, 2, 1]


def test_a_time_in_the_fourth_column_is_no_count(tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text("1\t10\t5\t881250949\n1\t11\t3\t881250950\n2\t10\t4\t881250951\n")
    with pytest.raises(asp.InputError, match="columns"):
        asp.Truth.read(history=asp.Source(tmp_path / "u.data", format="tsv", header=False))


def test_parts_with_other_popularity_do_not_add_up() -> None:
    """Neither the states of metrics, nor parts of an evaluation."""
    few, many = ({"u": ["a"], "v": ["a", "b"]}, {"u": ["a"], "v": ["a", "b"], "w": ["b"]})
    one, other = (asp.EPC(k=1).observe(asp.World.of({"u": ["b"]}, history=history))[0] for history in (few, many))
    with pytest.raises(asp.InputError, match="built on different facts about all users"):
        _ = one + other
    same = asp.EPC(k=1).observe(asp.World.of({"v": ["b"]}, history=dict(reversed(few.items()))))[0]
    assert (one + same).value == 0.25  # a user of each world has no list
    parts = [asp.Plan("EPC@1", asp.Truth.read(history=history)).observe({user: ["b"]}) for user, history in (("u", few), ("v", many))]
    with pytest.raises(asp.InputError, match="different truths, which differ in history"):
        _ = parts[0] + parts[1]


def test_popularity_of_other_items_does_not_add_up() -> None:
    """Nor does it matter how items are coded, and what holds their ids."""

    def state(popularity: Any) -> Any:
        return asp.AveragePopularity(k=1).observe(asp.World.of({"u": ["b"]}, popularity=popularity))[0]

    one = state({"a": 4, "b": 1})
    with pytest.raises(asp.InputError, match="built on different facts about all users"):
        _ = one + state({"b": 4, "c": 1})
    same = [{"b": 1, "a": 4}, {"z": 0, "b": 1, "a": 4}, pl.DataFrame({"item": ["b", "a"], "count": [1, 4]})]
    assert [(one + state(popularity)).value for popularity in same] == [1.0] * 3
    mixed = [state({"b": 1, 7: 4}), state({7: 4, "b": 1})]
    assert mixed[0].built_on == mixed[1].built_on != one.built_on


def test_several_groups_in_a_cell(tmp_path: Path) -> None:
    frame = pl.DataFrame({"item": ["a", "b"], "group": ["P|Q", "Q"]})
    frame.write_csv(tmp_path / "groups.csv")
    expected = asp.evaluate({"u": ["a", "b"]}, "AWRF@2", groups={"a": ["P", "Q"], "b": "Q"})
    listed = frame.with_columns(pl.col("group").str.split("|"))
    for groups in (listed, asp.Source(frame, split="|"), asp.Source(tmp_path / "groups.csv", split="|")):
        assert asp.evaluate({"u": ["a", "b"]}, "AWRF@2", groups=groups)["AWRF@2"] == expected["AWRF@2"]


def test_shares_that_do_not_add_up_are_said() -> None:
    for shares, odd in (({"P": 0.5, "Q": 0.5}, False), ({"P": 0.5, "Q": 0.2}, True), ({"P": 0.7, "Q": 0.7}, True)):
        found = asp.evaluate({"u": ["a", "b"]}, "AWRF@2", groups={"a": shares, "b": "Q"})
        assert any("do not add up to 1" in text for text in found.warnings) == odd


def test_a_baseline_of_several_systems_is_refused() -> None:
    frame = pl.DataFrame({"system": ["x", "y"], "user": ["u", "u"], "item": ["a", "b"], "rank": [1, 1]})
    with pytest.raises(asp.InputError, match="column 'system' names 2 systems"):
        asp.evaluate({"u": ["a"]}, "Unexpectedness@1", baseline=frame)
    assert asp.evaluate({"u": ["a"]}, "Unexpectedness@1", baseline=frame.filter(pl.col("system") == "x"))["Unexpectedness@1"] == 0


def test_a_baseline_of_other_items_is_refused(tmp_path: Path) -> None:
    """Everything would be unexpected."""
    pl.DataFrame({"user": ["u", "u"], "item": [101, 102]}).write_csv(tmp_path / "base.csv")
    with pytest.raises(asp.InputError, match="2 of 2 items are not in any list"):
        asp.evaluate({"u": [1, 2]}, "Unexpectedness@2", baseline=tmp_path / "base.csv")


def test_where_popularity_comes_from_is_said() -> None:
    history = {"v": ["a"], "w": ["a", "b"]}
    counted = asp.evaluate({"u": ["a"]}, "MIUF@1", history=history)
    given = asp.evaluate({"u": ["a"]}, "MIUF@1", popularity={"a": 2, "b": 1}, popularity_users=2)
    assert next(iter(counted.values())) == next(iter(given.values()))
    details = given.details["SelfInformation@1"]
    assert (details["popularity"], details["popularity_users"]) == ("given", 2)
    assert "popularity" not in counted.details["SelfInformation@1"]


@pytest.mark.parametrize(
    ("metric", "one", "other"),
    [
        ("EPC(relevance=graded)", {"relevance": {"u": {"a": 1}}}, {"relevance": {"u": {"a": 4}}}),
        ("AspectEntropy(normalize=true)", {"aspects": {"a": ["x"]}}, {"aspects": {"a": ["x", "y"]}}),
        ("Fragmentation", {"aspects": {"a": ["x"]}}, {"aspects": {"a": ["x", "y"]}}),
        ("Serendipity(unexpected=popularity)", {"catalogue": ["a"]}, {"catalogue": ["a", "b"]}),
    ],
)
def test_states_of_other_facts_do_not_add_up(metric: str, one: Any, other: Any) -> None:
    shared: Any = {"history": {"v": ["a"]}, "relevance": {"u": {"a": 1}}}
    states = [asp.parse(metric).observe(asp.World.of({"u": ["a"]}, **{**shared, **given}))[0] for given in (one, other)]
    with pytest.raises(asp.InputError, match="different facts"):
        states[0] + states[1]


PATH = [("a", "b"), ("b", "c"), ("c", "d")]
SHOWN = {"a": ["c", "d"], "d": ["b", "a"]}


def graphml(path: Path, directed: bool) -> Path:
    nodes = "".join(f'<node id="{name}"/>' for name in "abcd")
    edges = "".join(f'<edge source="{source}" target="{target}"/>' for source, target in PATH)
    way = "directed" if directed else "undirected"
    path.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="{way}">{nodes}{edges}</graph></graphml>')
    return path


def test_directed_and_undirected_graphs(tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    pytest.importorskip("igraph")
    forms: list[dict[str, Any]] = [
        {"graph": PATH, "directed": False},
        {"graph": networkx.Graph(PATH)},
        {"graph": networkx.DiGraph(PATH), "directed": False},
        {"graph": graphml(tmp_path / "both.graphml", directed=False)},
        {"graph": graphml(tmp_path / "one.graphml", directed=True), "directed": False},
        {"graph": asp.contacts.read_graph(PATH, directed=False)},
    ]
    metrics = ["MeanPredictionDistance@2", "Reciprocity@2"]
    found = [asp.evaluate(SHOWN, metrics, **form) for form in forms]
    expected = asp.contacts.evaluate(SHOWN, metrics, train=PATH, directed=False)
    assert [list(one.values()) for one in found] == [list(expected.values())] * len(forms)
    assert all("the graph is undirected" in one.notes for one in found)
    both_ways = asp.evaluate(SHOWN, metrics[0], graph=[*PATH, *((target, source) for source, target in PATH)])
    assert both_ways[metrics[0]] == expected[metrics[0]]
    assert "graph: each of the 6 links has its reverse; use directed=False if the graph is undirected" in both_ways.notes
    one_way = asp.evaluate(SHOWN, metrics, graph=PATH)
    assert list(one_way.values()) != list(expected.values())
    for graph in (networkx.DiGraph(PATH), tmp_path / "one.graphml"):
        assert list(asp.evaluate(SHOWN, metrics, graph=graph).values()) == list(one_way.values())
    systems = asp.evaluate_systems({"A": SHOWN}, metrics, graph=PATH, directed=False)
    assert list(systems["A"].values()) == list(expected.values())


def test_wrong_directions() -> None:
    networkx = pytest.importorskip("networkx")
    for inputs, message in (
        ({"graph": networkx.Graph(PATH), "directed": True}, "graph: the graph is undirected, expected a directed one"),
        ({"graph": PATH, "directed": "no"}, "directed is 'no', expected true, false or none"),
        ({"history": SHOWN, "directed": False}, "directed=False goes with graph=, which is not given"),
    ):
        with pytest.raises(asp.InputError, match=message):
            asp.evaluate(SHOWN, "Reciprocity@2", **inputs)
