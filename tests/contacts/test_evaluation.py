"""Contact recommendation against its definitions in plain Python, laws of it, and what its notes say."""

from __future__ import annotations

import csv
import math
import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import igraph
import networkx
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.contacts.plain_contacts import (
    OF_LINKS,
    RULES,
    Link,
    PlainConvention,
    PlainMetric,
    PlainNetwork,
    Rule,
    scores,
    value,
)
from tests.plain import Id
from tests.strategies import checked, same

METRICS: tuple[PlainMetric, ...] = get_args(PlainMetric)
CONVENTIONS: tuple[PlainConvention, ...] = get_args(PlainConvention)
CUTOFFS = (1, 2, 3, 5)
ASKED = [f"{metric}@{','.join(map(str, CUTOFFS))}" for metric in METRICS]

COLUMNS: dict[PlainMetric, str] = {
    "Community recall": "AspectRecall",
    "ERRIA": "ERRIA",
    "ILD": "IntraListDiversity",
    "nDCG": "NDCG",
    "Precision": "Precision",
    "Recall": "Recall",
    "MAP": "MAP",
}
"""What metrics of users are called where their scores stand."""

TEXT_USERS: list[Id] = ["ann", "Bob", "bob", "é", "10", "9", "日", "z z", "cyd", "dan"]
NUMBER_USERS: list[Id] = [9, 10, 1, 8, 3, 30, 2, 7, 100, 4]
VALUES = [1.0, 2.0, 0.5, 0.1, 3.0, -1.0]
SETS_OF_RULES = st.lists(st.sampled_from(RULES), unique=True).map(tuple)


# Random networks


@st.composite
def networks(draw: st.DrawFn, *, text: bool | None = None, one_community_each: bool = False, empty_lists: bool = True) -> PlainNetwork:
    """A few users, some only in the test graph, some only recommended, each part missing for some of them."""
    as_text = draw(st.booleans()) if text is None else text
    everybody = (TEXT_USERS if as_text else NUMBER_USERS)[: draw(st.integers(4, 10))]
    in_train = everybody[: draw(st.sampled_from([len(everybody), len(everybody) - 1, len(everybody) - 2, 3, 1]))]
    train = draw(st.lists(links_between(in_train), min_size=1, max_size=12))
    test = draw(st.lists(links_between(everybody), min_size=draw(st.sampled_from([1, 4, 8])), max_size=16))
    several = st.lists(st.sampled_from(everybody), unique=True, min_size=0 if empty_lists else 1, max_size=7)
    lists = {user: draw(several) for user in draw(st.lists(st.sampled_from(everybody), unique=True, min_size=1))}
    community: st.SearchStrategy[Id] = st.sampled_from(["x", "y", "w", "v"]) if as_text else st.integers(0, 3)
    communities = draw(st.lists(st.tuples(st.sampled_from(everybody), community), min_size=1, max_size=14))
    if one_community_each:
        communities = list(dict(communities).items())
    return PlainNetwork(
        lists=lists,
        train=train,
        test=test,
        communities=communities,
        features=draw(feature_rows(everybody)),
        directed=draw(st.booleans()),
        keep=draw(SETS_OF_RULES),
    )


def links_between(users: Sequence[Id]) -> st.SearchStrategy[Link]:
    return st.tuples(st.sampled_from(users), st.sampled_from(users))


@st.composite
def feature_rows(draw: st.DrawFn, users: Sequence[Id]) -> list[tuple[Id, Id, float]]:
    """Some rows stand there twice; of the same user and feature always with the same value."""
    weighted = draw(st.booleans())
    kinds = st.sampled_from(["f", "g", "h", "i", "j"])
    values: dict[tuple[Id, Id], float] = {}
    rows: list[tuple[Id, Id, float]] = []
    for user, feature in draw(st.lists(st.tuples(st.sampled_from(users), kinds), min_size=1, max_size=20)):
        if (user, feature) not in values:
            values[user, feature] = draw(st.sampled_from(VALUES)) if weighted else 1.0
        rows.append((user, feature, values[user, feature]))
    return rows


def feature_frame(rows: Iterable[tuple[Id, Id, float]] | None) -> polars.DataFrame | None:
    return None if rows is None else polars.DataFrame(list(rows), schema=["user", "feature", "value"], orient="row")


def inputs_of(network: PlainNetwork) -> dict[str, Any]:
    return {
        "train": list(network.train),
        "test": network.test,
        "communities": network.communities,
        "features": feature_frame(network.features),
        "directed": network.directed,
        "keep": tuple(network.keep),
    }


def can_be_evaluated(network: PlainNetwork) -> bool:
    """Whether there is a link to find, and every input speaks of some user: else the ids of two inputs cannot be the same kind."""
    candidates = {candidate for ranked in network.ranked.values() for candidate in ranked}
    speaks_of = [
        set(network.lists),
        *([candidates] if candidates else []),
        *({row[0] for row in rows} for rows in (network.communities, network.features) if rows is not None),
    ]
    return all(users & network.users for users in speaks_of) and (network.test is None or bool(network.links_to_find))


def evaluate(network: PlainNetwork, metrics: Sequence[str] = ASKED, **options: Any) -> asp.Results:
    return asp.contacts.evaluate(dict(network.lists), metrics, **{**inputs_of(network), **options})


def check_network(network: PlainNetwork, convention: PlainConvention) -> None:
    """Every number of the library, and every score of a user, is the plain one."""
    if not can_be_evaluated(network):
        with pytest.raises(asp.InputError):
            evaluate(network, convention=convention)
        return
    result = evaluate(network, convention=convention)
    for metric in METRICS:
        for k in CUTOFFS:
            found, expected = result[f"{metric}@{k}"], value(network, metric, k, convention)
            assert same(found, expected), f"{metric}@{k}: {found!r}, expected {expected!r}"
            if metric in COLUMNS and not (metric == "ILD" and convention == "relison"):
                check_scores(result, f"{COLUMNS[metric]}@{k}", scores(network, metric, k, convention))


def check_scores(result: asp.Results, column: str, expected: Mapping[Id, float]) -> None:
    """Whoever is not averaged has no score."""
    found = {user: score for user, score in result.per_user.select("user", column).rows() if score is not None}
    assert set(found) == set(expected), column
    for user, score in expected.items():
        assert same(found[user], score), f"{column}, user {user}: {found[user]!r}, expected {score!r}"


def bits(result: asp.Results) -> tuple[dict[str, str], dict[tuple[str, str], str | None]]:
    """Every number of a result, and every score of a user."""
    of_users = result.per_user.rows(named=True)
    return (
        {str(metric): number.hex() for metric, number in result.items()},
        {
            (str(row["user"]), column): None if score is None else score.hex()
            for row in of_users
            for column, score in row.items()
            if column != "user"
        },
    )


# The numbers of the definitions


EXAMPLE: dict[str, Any] = {
    "train": [(5, 4), (1, 2), (2, 3)],
    "test": [(5, 1), (5, 2), (5, 3)],
    "communities": {1: 0, 2: 0, 3: 1, 4: 2},
    "convention": "relison",
}


def test_example_of_err_ia_and_community_recall() -> None:
    result = asp.contacts.evaluate({5: [1, 2, 3]}, ["ERRIA@3", "Community recall@2,3"], **EXAMPLE, users=[5])
    assert result["ERRIA@3"] == pytest.approx(0.354167, abs=5e-7)
    assert result["Community recall@2"] == pytest.approx(1 / 3, abs=1e-15)
    assert result["Community recall@3"] == pytest.approx(2 / 3, abs=1e-15)


def test_everybody_in_the_train_graph_is_averaged() -> None:
    result = asp.contacts.evaluate({5: [1, 2, 3]}, ["ERRIA@3", "Community recall@3", "nDCG@3", "Recall@2"], **EXAMPLE)
    assert result["ERRIA@3"] == pytest.approx(0.35416666666666667 / 5, abs=1e-15)
    assert result["Community recall@3"] == pytest.approx(2 / 3 / 5, abs=1e-15)
    assert result["nDCG@3"] == 1.0
    assert result["Recall@2"] == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ({2: [1], 3: [1], 4: [2]}, 2 / 9),
        ({2: [1], 3: [1], 4: [1]}, 0.0),
        ({4: [1], 1: [2], 2: [3], 3: [4]}, 1.0),
        ({1: [99, 2]}, 1.0),  # nothing that could be recommended is
    ],
)
def test_examples_of_the_gini_complement(lists: dict[Id, list[Id]], expected: float) -> None:
    train = [(1, 2), (3, 4)]
    result = asp.contacts.evaluate(lists, "Predicted Gini complement@1", train=train, convention="relison")
    assert result["Predicted Gini complement@1"] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ({1: [2]}, 0.0),
        ({1: [2, 3]}, 0.5),
        ({1: [2, 3, 4]}, 2 / 3),
        ({1: [2, 3, 4], 2: [3]}, 0.5),
    ],
)
def test_examples_of_ild(lists: dict[Id, list[Id]], expected: float) -> None:
    features = {user: [f"of {user}"] for user in range(1, 5)}
    train = [(1, 2), (3, 4)]
    result = asp.contacts.evaluate(lists, "ILD@1,3", train=train, features=features, convention="relison")
    assert result["ILD@3"] == pytest.approx(expected, abs=1e-15)
    assert result["ILD@1"] == 0.0


def test_only_the_first_community_of_a_user_counts() -> None:
    """But all communities there are."""
    communities = [(2, "x"), (2, "y"), (3, "x")]
    result = asp.contacts.evaluate({1: [2, 3]}, "Community recall@2", train=[(1, 2), (3, 1)], communities=communities, convention="relison")
    assert result["Community recall@2"] == pytest.approx(1 / 2 / 3, abs=1e-15)
    published = asp.contacts.evaluate({1: [2, 3]}, "Community recall@2", train=[(1, 2), (3, 1)], communities=communities)
    assert published["Community recall@2"] == 1.0


def test_values_of_features_are_ignored_by_relison() -> None:
    train = [(1, 2), (3, 1)]
    rows: list[tuple[Id, Id, float]] = [(2, "f", 1.0), (2, "f", 1.0), (3, "f", 5.0), (3, "g", 7.0)]
    for convention, expected in (("relison", (1 - 1 / math.sqrt(2)) / 2), ("published", 1 - 5 / math.sqrt(25 + 49))):
        result = asp.contacts.evaluate({1: [2, 3]}, "ILD@2", train=train, features=feature_frame(rows), convention=convention)
        assert result["ILD@2"] == pytest.approx(expected, abs=1e-15)


def test_weights_of_test_links_are_grades_if_asked() -> None:
    asked: dict[str, Any] = {"train": [(1, 2), (3, 4), (5, 1)], "test": [(1, 3, 4.0), (1, 4, 0.5), (2, 3, 0.25)]}
    lists = {1: [4, 3]}
    plain = asp.contacts.evaluate(lists, ["nDCG@2", "Recall@1", "Precision@1"], **asked, convention="relison")
    graded = asp.contacts.evaluate(lists, ["nDCG@2", "Recall@1", "Precision@1"], **asked, convention="relison", weighted=True)
    assert plain["nDCG@2"] == 1 / 2
    discount = 1 / math.log2(3)
    assert graded["nDCG@2"] == pytest.approx((0.5 + 4 * discount) / (4 + 0.5 * discount) / 2, abs=1e-15)
    for metric in ("Recall@1", "Precision@1"):
        assert graded[metric] == plain[metric] == pytest.approx({"Recall@1": 1 / 4, "Precision@1": 1 / 2}[metric], abs=1e-15)


# Against the transcription


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(network=networks())
@checked(100)
def test_numbers_are_the_plain_ones(convention: PlainConvention, network: PlainNetwork) -> None:
    check_network(network, convention)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("rule", RULES)
@given(network=networks())
@checked(25)
def test_each_rule_alone(convention: PlainConvention, directed: bool, rule: Rule, network: PlainNetwork) -> None:
    check_network(replace(network, directed=directed, keep=(rule,)), convention)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_a_larger_network(convention: PlainConvention, directed: bool, seed: int) -> None:
    check_network(replace(large_network(seed), directed=directed), convention)


def large_network(seed: int) -> PlainNetwork:
    draw = random.Random(seed)
    kept: list[tuple[Rule, ...]] = [(), ("reciprocal",), ("strangers",)]
    users: list[Id] = list(range(60))
    strangers: list[Id] = list(range(60, 70))

    def some_links(ends: list[Id], number: int) -> list[Link]:
        return [(draw.choice(ends), draw.choice(ends)) for _ in range(number)]

    everybody = users + strangers
    rows: list[tuple[Id, Id, float]] = [
        (user, draw.randrange(12), draw.choice([1.0, 2.0, 0.25])) for user in draw.sample(everybody, 55) for _ in range(1)
    ]
    rows += [(user, 12 + draw.randrange(12), draw.choice(VALUES)) for user in draw.sample(everybody, 50)]
    return PlainNetwork(
        lists={user: draw.sample(everybody, draw.randint(0, 12)) for user in draw.sample(everybody, 50)},
        train=some_links(users, 300),
        test=some_links(everybody, 200),
        communities=[(draw.choice(everybody), draw.randrange(9)) for _ in range(75)],
        features=rows,
        keep=draw.choice(kept),
    )


# Cases that both the rules and their exceptions touch


def test_a_known_link_of_an_undirected_network_is_not_its_own_reverse() -> None:
    """A link without direction has no reverse, so to keep known links is enough."""
    network = PlainNetwork({1: [2]}, train=[(1, 2), (3, 1)], test=[(1, 2), (2, 3)], directed=False, keep=["known"])
    assert network.to_find[1] == {2}
    assert evaluate(network, ["Recall@1"])["Recall@1"] == 1.0


def test_a_link_to_oneself_is_not_its_own_reverse() -> None:
    network = PlainNetwork({1: [1]}, train=[(1, 1), (1, 2)], test=[(1, 1)], keep=("self", "known"))
    assert network.to_find[1] == {1}
    assert evaluate(network, ["Recall@1"])["Recall@1"] == 1.0


def test_a_known_link_that_is_kept_may_have_its_reverse_in_the_train_graph() -> None:
    """Reciprocal is what only the reverse of is known."""
    network = PlainNetwork({1: [2, 3]}, train=[(1, 2), (2, 1), (3, 1)], test=[(1, 2), (1, 3)], keep=["known"])
    assert network.to_find == {1: {2}}
    result = evaluate(network, ["Recall@1", "Precision@2"])
    assert (result["Recall@1"], result["Precision@2"]) == (1.0, 0.5)
    assert counted(result.notes, "test", "have their reverse in the train graph and are excluded") == (1, 2)


def test_without_features_every_distance_is_0_for_relison() -> None:
    network = PlainNetwork({1: [2, 3]}, train=[(1, 2), (3, 1)])
    assert evaluate(network, ["ILD@2"], convention="relison")["ILD@2"] == value(network, "ILD", 2, "relison") == 0.0
    with pytest.raises(asp.MissingInput, match="features"):
        evaluate(network, ["ILD@2"])


def test_a_feature_of_value_0_is_a_feature_for_relison() -> None:
    """Its values are always 1."""
    rows: list[tuple[Id, Id, float]] = [(2, "f", 1.0), (3, "f", 0.0), (3, "g", 0.0)]
    network = PlainNetwork({1: [2, 3]}, train=[(1, 2), (3, 1)], features=rows)
    result = evaluate(network, ["ILD@2"], convention="relison")
    assert same(result["ILD@2"], value(network, "ILD", 2, "relison"))
    assert result["ILD@2"] == pytest.approx((1 - 1 / math.sqrt(2)) / 2, abs=1e-15)


def test_repeated_features_with_different_values_are_one_feature_for_relison() -> None:
    """As their values do not count; by the published definitions they contradict one another."""
    rows: list[tuple[Id, Id, float]] = [(2, "f", 1.0), (2, "f", 3.0), (3, "f", 1.0), (3, "g", 1.0)]
    network = PlainNetwork({1: [2, 3]}, train=[(1, 2), (3, 1)], features=rows)
    with pytest.raises(asp.InputError, match="two values"):
        evaluate(network, ["ILD@2"])
    result = evaluate(network, ["ILD@2"], convention="relison")
    assert result["ILD@2"] == pytest.approx((1 - 1 / math.sqrt(2)) / 2, abs=1e-15)


def test_features_may_be_rows() -> None:
    rows = [(2, "f", 1.0), (3, "f", 1.0), (3, "g", 1.0)]
    network = PlainNetwork({1: [2, 3]}, train=[(1, 2), (3, 1)], features=rows)
    assert bits(evaluate(network, ["ILD@2"], features=rows)) == bits(evaluate(network, ["ILD@2"]))


def test_two_blocks_of_rows_are_an_error() -> None:
    rows = [(1, 2), (3, 2), (1, 3)]
    with pytest.raises(asp.InputError, match="1"):
        asp.contacts.evaluate(rows, "Predicted Gini complement@2", train=[(1, 2), (3, 1)], convention="relison")


# Laws


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(network=networks().filter(can_be_evaluated), names=st.permutations([f"user {number}" for number in range(10)]))
@checked(40)
def test_names_do_not_matter(convention: PlainConvention, network: PlainNetwork, names: list[str]) -> None:
    given_names = TEXT_USERS if any(isinstance(user, str) for user in network.users) else NUMBER_USERS
    name: dict[Id, Id] = dict(zip(given_names, names, strict=True))
    renamed = replace(
        network,
        lists={name[user]: [name[candidate] for candidate in candidates] for user, candidates in network.lists.items()},
        train=[(name[source], name[target]) for source, target in network.train],
        test=[(name[source], name[target]) for source, target in network.test or ()],
        communities=[(name[user], community) for user, community in network.communities or ()],
        features=[(name[user], feature, number) for user, feature, number in network.features or ()],
    )
    numbers, of_users = bits(evaluate(network, convention=convention))
    back = {str(new): str(old) for old, new in name.items()}
    new_numbers, of_new_users = bits(evaluate(renamed, convention=convention))
    assert new_numbers == numbers
    assert {(back[user], column): score for (user, column), score in of_new_users.items()} == of_users


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(network=networks(one_community_each=True).filter(can_be_evaluated), shuffle=st.randoms(use_true_random=False))
@checked(40)
def test_the_order_of_rows_does_not_show(convention: PlainConvention, network: PlainNetwork, shuffle: random.Random) -> None:
    def shuffled(rows: Sequence[Any] | None) -> list[Any]:
        return shuffle.sample(rows or (), len(rows or ()))

    other = replace(
        network,
        lists=dict(shuffled(list(network.lists.items()))),
        train=shuffled(network.train),
        test=shuffled(network.test),
        communities=shuffled(network.communities),
    )
    assert bits(evaluate(other, convention=convention)) == bits(evaluate(network, convention=convention))


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(network=networks().filter(can_be_evaluated), threads=st.integers(1, 4), batch_size=st.integers(1, 5))
@checked(40)
def test_threads_and_batches_do_not_show(convention: PlainConvention, network: PlainNetwork, threads: int, batch_size: int) -> None:
    expected = bits(evaluate(network, convention=convention))
    assert bits(evaluate(network, convention=convention, threads=threads, batch_size=batch_size)) == expected


@pytest.mark.parametrize("batch_size", [None, 1, 7])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_threads_and_batches_do_not_show_in_a_larger_network(convention: PlainConvention, threads: int, batch_size: int | None) -> None:
    network = large_network(7)
    expected = bits(evaluate(network, convention=convention))
    assert bits(evaluate(network, convention=convention, threads=threads, batch_size=batch_size)) == expected


@given(network=networks().filter(can_be_evaluated))
@checked(40)
def test_both_conventions_at_once_are_the_two_of_them(network: PlainNetwork) -> None:
    systems: dict[str, dict[Id, Sequence[Id]]] = {
        "one": dict(network.lists),
        "other": {user: list(reversed(candidates)) for user, candidates in network.lists.items()},
    }
    together = asp.contacts.evaluate_systems(systems, ASKED, **inputs_of(network), convention="both")
    assert list(together) == [f"{system} ({convention})" for system in systems for convention in CONVENTIONS]
    for system, lists in systems.items():
        for convention in CONVENTIONS:
            alone = evaluate(replace(network, lists=lists), convention=convention)
            assert bits(together[f"{system} ({convention})"]) == bits(alone)


# Files and graphs of other libraries


def rows_of_lists(network: PlainNetwork) -> list[Link]:
    return [(user, candidate) for user, candidates in network.lists.items() for candidate in candidates]


def written(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, header: bool = True) -> Path:
    if path.suffix == ".parquet":
        polars.DataFrame(list(rows), schema=list(columns), orient="row").write_parquet(path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n")
        if header:
            writer.writerow(columns)
        writer.writerows(rows)
    return path


def as_files(network: PlainNetwork, folder: Path, suffix: str, *, header: bool = True) -> dict[str, Any]:
    tables = {
        "recommendations": (("user", "candidate"), rows_of_lists(network)),
        "train": (("source", "target"), network.train),
        "test": (("source", "target"), network.test or ()),
        "communities": (("user", "community"), network.communities or ()),
        "features": (("user", "feature", "value"), network.features or ()),
    }
    paths = {name: written(folder / f"{name}.{suffix}", *table, header=header) for name, table in tables.items()}
    return {name: path if header else asp.Source(path, header=False) for name, path in paths.items()}


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(("suffix", "header"), [("csv", True), ("tsv", True), ("tsv", False), ("parquet", True)])
@given(network=networks(empty_lists=False).filter(can_be_evaluated))
@checked(25)
def test_files_are_as_good_as_objects(
    convention: PlainConvention,
    suffix: str,
    header: bool,
    network: PlainNetwork,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    files = as_files(network, tmp_path_factory.mktemp("network"), suffix, header=header)
    lists = files.pop("recommendations")
    found = asp.contacts.evaluate(lists, ASKED, **{**inputs_of(network), **files}, convention=convention)
    assert bits(found) == bits(evaluate(network, convention=convention))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_file_without_header_is_recognised(convention: PlainConvention, seed: int, tmp_path: Path) -> None:
    network = large_network(seed)
    network = replace(network, lists={user: candidates for user, candidates in network.lists.items() if candidates})
    files = {name: source.data for name, source in as_files(network, tmp_path, "tsv", header=False).items()}
    lists = files.pop("recommendations")
    found = asp.contacts.evaluate(lists, ASKED, **{**inputs_of(network), **files}, convention=convention)
    assert bits(found) == bits(evaluate(network, convention=convention))


def as_networkx(links: Iterable[Link], *, directed: bool) -> Any:
    graph = networkx.DiGraph() if directed else networkx.Graph()
    graph.add_edges_from(links)
    return graph


def as_igraph(links: Iterable[Link], *, directed: bool) -> Any:
    return igraph.Graph.TupleList(list(links), directed=directed)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("convert", [as_networkx, as_igraph])
@given(network=networks().filter(can_be_evaluated))
@checked(40)
def test_graphs_are_as_good_as_rows(convention: PlainConvention, convert: Any, network: PlainNetwork) -> None:
    """They say themselves whether they are directed."""
    graphs: dict[str, Any] = {
        "train": convert(network.train, directed=network.directed),
        "test": convert(network.test, directed=network.directed),
        "directed": None,
    }
    assert bits(evaluate(network, convention=convention, **graphs)) == bits(evaluate(network, convention=convention))


@pytest.mark.parametrize("directed", [True, False])
@given(network=networks(text=True).filter(can_be_evaluated))
@checked(20)
def test_graphml_is_as_good_as_rows(directed: bool, network: PlainNetwork, tmp_path_factory: pytest.TempPathFactory) -> None:
    network = replace(network, directed=directed)
    if not can_be_evaluated(network):
        return
    folder = tmp_path_factory.mktemp("network")
    graphs: dict[str, Any] = {"directed": None}
    for name, links in (("train", network.train), ("test", network.test or ())):
        graphs[name] = folder / f"{name}.graphml"
        networkx.write_graphml(as_networkx(links, directed=directed), graphs[name])
    assert bits(evaluate(network, **graphs)) == bits(evaluate(network))


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(network=networks().filter(can_be_evaluated))
@checked(40)
def test_mappings_are_as_good_as_rows(convention: PlainConvention, network: PlainNetwork) -> None:
    features: dict[Id, dict[Id, float]] = {}
    for user, feature, number in network.features or ():
        features.setdefault(user, {})[feature] = number
    # Features are added up in order of first appearance, so rows have to come in the order of the mapping.
    network = replace(network, features=[(user, feature, number) for user, has in features.items() for feature, number in has.items()])
    others: dict[str, Any] = {
        "train": grouped(network.train),
        "test": grouped(network.test or ()),
        "communities": grouped(dict.fromkeys(network.communities or ())),  # lists of 0 and 1 alone would be taken for arrays
        "features": features,
    }
    assert bits(evaluate(network, convention=convention, **others)) == bits(evaluate(network, convention=convention))


def grouped(rows: Iterable[tuple[Id, Id]]) -> dict[Id, list[Id]]:
    groups: dict[Id, list[Id]] = {}
    for one, other in rows:
        groups.setdefault(one, []).append(other)
    return groups


# Notes

SAID: dict[Rule, str] = {
    "strangers": "have an end outside the train graph",
    "self": "are self-links",
    "known": "are in the train graph",
    "reciprocal": "have their reverse in the train graph",
}


def counted(notes: Iterable[str], input: str, said: str) -> tuple[int, int] | None:
    """How many of how many a note of an input speaks of; None if there is no such note."""
    found = [note for note in notes if note.startswith(f"{input}: ") and said in note]
    assert len(found) <= 1, found
    if not found:
        return None
    match = re.match(rf"{input}: (\d+) of (\d+) ", found[0])
    assert match is not None, found[0]
    return int(match[1]), int(match[2])


def share(part: Collection[Any], whole: Collection[Any]) -> tuple[int, int] | None:
    """What a note should count; nothing is said of nothing."""
    return (len(part), len(whole)) if part else None


@given(network=networks().filter(can_be_evaluated))
@checked(100)
def test_notes_count_test_links_by_rule(network: PlainNetwork) -> None:
    def once(links: Iterable[tuple[Any, Any]]) -> Collection[Any]:
        """An undirected link is counted once."""
        return set(links) if network.directed else {frozenset(link) for link in links}

    notes = evaluate(network).notes
    for rule, said in SAID.items():
        what = "are kept, as requested" if rule in network.keep else "are excluded"
        assert counted(notes, "test", f"{said} and {what}") == share(once(network.by_rule[rule]), once(network.test_links)), rule
    left_out = network.test_links - network.links_to_find
    expected = (len(once(network.links_to_find)), len(once(network.test_links))) if left_out else None
    assert counted(notes, "test", "are left to predict") == expected


def test_links_of_strangers_that_are_kept_are_counted() -> None:
    network = PlainNetwork({1: [2]}, train=[(1, 2)], test=[(1, 3), (2, 3), (1, 2)], keep=["strangers"])
    notes = evaluate(network, ["Recall@1"]).notes
    assert counted(notes, "test", "have an end outside the train graph and are kept, as requested") == (2, 3)


@given(network=networks().filter(can_be_evaluated))
@checked(100)
def test_notes_count_repeated_links_and_links_to_oneself(network: PlainNetwork) -> None:
    results = evaluate(network)
    notes = results.notes
    own = [link for link in network.train if link[0] == link[1] and "self" not in network.keep]
    counting = [link for link in network.train if link not in own]
    for name, links in (("train", counting), ("test", network.test or ())):
        repeated = len(links) - len(set(links))
        found = [notice.count for notice in results.notices if notice.source == name and notice.kind == "repeated_links"]
        assert found == ([repeated] if repeated else [])
    assert counted(notes, "train", "are self-links and are excluded") == share(own, network.train)


@given(network=networks().filter(can_be_evaluated))
@checked(100)
def test_notes_count_who_is_not_in_the_network(network: PlainNetwork) -> None:
    result = evaluate(network)
    notes = (*result.notes, *result.warnings)
    with_lists = set(network.lists)
    candidates = {candidate for ranked in network.ranked.values() for candidate in ranked}
    rows = [(user, candidate) for user, ranked in network.ranked.items() for candidate in ranked]
    expected = {
        "users with recommendations are not in": share(with_lists - network.users, with_lists),
        "candidates are not in": share(candidates - network.users, candidates),
        "rows recommend users to themselves": share([row for row in rows if row[0] == row[1]], rows),
        "rows recommend a contact that the user already has": share(
            [row for row in rows if row[0] != row[1] and row in network.train_links], rows
        ),
    }
    for said, numbers in expected.items():
        assert counted(notes, "recommendations", said) == numbers, said
    with_community = set(network.every_community_of)
    assert counted(notes, "communities", "users are not in") == share(with_community - network.users, with_community)
    assert counted(notes, "communities", "have no community") == share(network.users - with_community, network.users)
    with_features = {user for user, _, _ in network.features or ()}
    assert counted(notes, "features", "users are not in") == share(with_features - network.users, with_features)
    assert counted(notes, "features", "have no features") == share(network.users - with_features, network.users)


@given(network=networks().filter(can_be_evaluated))
@checked(40)
def test_results_say_how_many_users_they_stand_on(network: PlainNetwork) -> None:
    for convention in CONVENTIONS:
        result = evaluate(network, convention=convention)
        for metric in OF_LINKS:
            asked: PlainMetric = metric  # type: ignore[assignment]
            expected = [score for score in scores(network, asked, 2, convention).values() if not math.isnan(score)]
            assert result.details[f"{metric}@2"]["scored"] == len(expected), metric


def test_a_candidate_outside_the_train_graph_is_no_part_of_the_catalogue() -> None:
    metrics = ["all@2", "Gini(over=recommended)@2", "ExposureEntropy(normalize=catalogue)@2"]
    found = asp.contacts.evaluate({1: [4, 99]}, metrics, train={1: [2, 3], 4: [2]}, test={1: [4]})
    assert found["CatalogueCoverage@2"] == 1 / 4
    assert found.details["CatalogueCoverage@2"]["outside_catalogue"] == 1
    assert found["Gini@2"] == 1.0
    assert found["ExposureEntropy(normalize=catalogue)@2"] == 0.0


def test_lists_of_a_baseline() -> None:
    lists = {1: [4, 99], 2: [4]}
    inputs: dict[str, Any] = {"train": {1: [2, 3], 4: [2]}, "test": {1: [4]}, "baseline": {1: [99, 5], 2: [4], 77: [1]}}
    found = asp.contacts.evaluate(lists, ["all@2", "Serendipity(unexpected=baseline)@2"], **inputs)
    assert "Serendipity(unexpected=baseline)@2" in found
    assert found["Unexpectedness@2"] == (0.5 + 0) / 2
    assert any("users with recommendations are not in train (such as 77)" in note for note in found.notes)
