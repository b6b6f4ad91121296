"""Mean prediction distance, effects on the network and RELISON's novelty, as contacts are evaluated."""

import math
from dataclasses import replace
from typing import Any

import networkx
import pytest
from hypothesis import given

import aspectrum as asp
from aspectrum.asked import asked_for
from aspectrum.conventions import conventions_named
from tests.networks import EXAMPLE, UNDIRECTED, PlainNetwork, networks
from tests.strategies import checked, same

RELISON = {
    "Mean prediction distance@2": 1.272727,
    "Modularity complement@2": 0.656566,
    "Weak ties@2": 10,
    "Inter-community edge Gini complement@2": 0.4,
    "Clustering coefficient complement@2": 0.32,
    "Reciprocity@2": 0.769231,
}
"""What RELISON prints for the example, by its names."""

BEFORE = {
    "Modularity complement@2": 0.603448,
    "Weak ties@2": 5,
    "Inter-community edge Gini complement@2": 0.24,
    "Clustering coefficient complement@2": 0.75,
    "Reciprocity@2": 0.285714,
}
KNOWN: dict[str, Any] = {"train": sorted(EXAMPLE.links), "communities": {one: own[0] for one, own in EXAMPLE.communities.items()}}


@pytest.mark.parametrize("convention", ["published", "relison"])
def test_the_numbers_of_relison(convention: str) -> None:
    found = asp.contacts.evaluate(EXAMPLE.lists, [*RELISON], convention=convention, **KNOWN)
    for name, value in RELISON.items():
        assert found[name] == pytest.approx(value, abs=5e-7), name
    for name, value in BEFORE.items():
        details = found.details[str(asp.parse(name))]
        assert details["before"] == pytest.approx(value, abs=5e-7), name
        assert details["after"] - details["before"] == details["difference"]


@checked(40)
@given(networks())
def test_contacts_and_graphs_give_the_same(network: PlainNetwork) -> None:
    """Contacts read users, candidates and communities in their own way; what is measured is the same."""
    people: Any = (networkx.DiGraph if network.directed else networkx.Graph)()
    people.add_nodes_from(network.people)
    people.add_edges_from(network.links)
    lists = {user: shown for user, shown in network.lists.items() if user in network.people} or {network.people[0]: []}
    metrics = ["MeanPredictionDistance@2", "WeakTies@2", "CommunityEdgeGiniComplement@2", "ClusteringComplement@2", "Reciprocity@2"]
    communities = {one: own for one, own in network.communities.items() if own and one in network.people}
    if not communities or not any(lists.values()):
        return
    known = {one for shown in lists.values() for one in shown} & set(network.people)
    if not known:
        return  # nobody who is recommended is in the network, which is an error there
    found = asp.contacts.evaluate(lists, metrics, train=people, communities=communities)
    plain = replace(network, lists=lists, communities=communities).world()
    for metric in metrics:
        (state,) = asp.parse(metric).observe(plain)
        assert same(found[metric], state.value), metric


def test_undirected() -> None:
    train = networkx.Graph(sorted(EXAMPLE.links))
    found = asp.contacts.evaluate(UNDIRECTED.lists, ["Reciprocity@2", "WeakTies@2", "MPD@2"], **{**KNOWN, "train": train})
    assert (found["Reciprocity@2"], found["WeakTies@2"]) == (1, 6)
    assert found["MPD@2"] == asp.MeanPredictionDistance(k=2).observe(UNDIRECTED.world())[0].value
    again = asp.contacts.evaluate(UNDIRECTED.lists, "WeakTies@2", directed=False, **KNOWN)
    assert again["WeakTies@2"] == 6


def test_relison_has_0_where_nothing_is_recommended() -> None:
    nothing: dict[int, list[int]] = {1: []}
    assert math.isnan(asp.contacts.evaluate(nothing, "MPD@2", train=KNOWN["train"])["MPD@2"])
    assert asp.contacts.evaluate(nothing, "MPD@2", train=KNOWN["train"], convention="relison")["MPD@2"] == 0


def test_all_and_usual_have_them() -> None:
    usual = asp.contacts.evaluate(EXAMPLE.lists, "usual@2", **KNOWN)
    assert "MeanPredictionDistance@2" in usual and str(asp.parse("LTN@2")) in usual
    everything = asp.contacts.evaluate(EXAMPLE.lists, "all@2", **KNOWN)
    assert {str(asp.parse(name)) for name in RELISON} <= set(everything)


def test_long_tail_novelty_counts_users_who_link() -> None:
    """The novelty of 3 is 1 - 1/5: of the five users who link to anybody, one links to them."""
    found = asp.contacts.evaluate({1: [3], 2: [1, 5]}, "LTN@2", convention="relison", **KNOWN)
    assert found["LTN@2"] == pytest.approx((4 / 5 + 3 / 5 + 1) / 3)
    assert asp.contacts.evaluate({1: [3], 2: [1, 5]}, "EPC@2", convention="relison", **KNOWN)["EPC@2"] == found["LTN@2"]


def test_unexpectedness_is_the_distance_to_contacts() -> None:
    """Without discount and relevance, and 0 for whoever cannot be compared."""
    features = {1: ["x"], 2: ["x", "y"], 3: ["y"], 4: ["x"]}
    usual = asp.contacts.evaluate({1: [3, 5]}, "usual@2", train=KNOWN["train"], features=features, convention="relison")
    unexpected = next(name for name in usual if name.startswith("EPD"))
    near = (1 - 1 / math.sqrt(2) + 1) / 2  # 3 is compared with 2 and 4, and 5 has no features
    assert usual[unexpected] == pytest.approx(near / 2)
    assert (
        "\tUnexpectedness@2\t"
        in asp.contacts.evaluate_systems(
            {"near": {1: [3, 5]}}, "usual@2", train=KNOWN["train"], features=features, convention="relison"
        ).to_relison()
    )


def test_a_name_may_mean_another_metric() -> None:
    meant = {"Recall": asp.EPC(discount="none")}
    asked, _ = asked_for(["Recall@2,3", "Precision@2"], ["relevance", "history"], conventions_named(None), meant=meant)
    assert [one.metric for one in asked] == [asp.EPC(k=(2, 3), discount="none"), asp.Precision(k=2)]
    by_class, _ = asked_for([asp.Recall(k=2)], ["relevance", "history"], conventions_named(None), meant=meant)
    assert by_class[0].metric == asp.Recall(k=2)  # an object is no name


@pytest.mark.parametrize("convention", ["published", "relison"])
def test_unexpectedness_by_name_is_that_of_relison(convention: str) -> None:
    features = {1: ["x"], 2: ["x", "y"], 3: ["y"], 4: ["x"]}
    given: dict[str, Any] = {"train": KNOWN["train"], "features": features, "convention": convention}
    (found,) = asp.contacts.evaluate({1: [3, 5]}, "Unexpectedness@2", **given)
    assert found == str(asp.EPD(k=2, missing="zero", discount="none", relevance="none", average="links"))


def test_systems_are_compared_where_users_contribute() -> None:
    systems = {"A": EXAMPLE.lists, "B": {1: [5, 3], 2: [1], 3: [1, 5]}}
    results = asp.contacts.evaluate_systems(systems, ["MPD@2", "WeakTies@2"], **KNOWN)
    compared = asp.compare(results)
    assert "MeanPredictionDistance@2" in str(compared)
