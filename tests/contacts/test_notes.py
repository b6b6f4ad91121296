"""What results say of how a network was read, and what is refused rather than ignored."""

from typing import Any, get_args

import polars
import pytest

import aspectrum as asp
from aspectrum.cli import cli
from aspectrum.contacts.cleaning import KEEPABLE
from aspectrum.contacts.communities import METHODS
from aspectrum.contacts.texts import Of, Weighting

TRAIN = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 1)]
TEST = [(1, 3), (2, 4), (3, 3), (1, 9)]
LISTS = {1: [3, 4], 2: [4, 1], 3: [1]}
TEXTS = {1: "blue sky", 2: "blue sea", 3: "deep sea", 4: "sky"}
SETS = [(1, "f", 1.0), (2, "f", 1.0), (3, "g", 3.0), (4, "g", 0.5)]


def notes(metrics: Any = "nDCG@2", **options: Any) -> tuple[str, ...]:
    return asp.contacts.evaluate(LISTS, metrics, train=TRAIN, **{"test": TEST, **options}).notes


def test_the_direction_of_links() -> None:
    assert "the graph is undirected" in notes(directed=False)
    assert not {"the graph is directed", "the graph is undirected"} & set(notes())
    rows = polars.DataFrame([(user, item) for user, items in LISTS.items() for item in items], schema=["user", "item"], orient="row")
    assert "the graph is directed" in asp.contacts.evaluate(rows, "nDCG@2", train=TRAIN, test=TEST).notes


def test_weights_as_grades() -> None:
    weighted = [(1, 3, 2.0), (2, 4, 0.5)]
    assert "test link weights are used as grades" in notes(test=weighted, weighted=True)
    assert "test link weights are used as grades" not in notes(test=weighted)
    result = asp.contacts.evaluate({1: [3], 2: [4]}, ["nDCG@1", "Recall@1"], train=TRAIN, test=weighted, weighted=True)
    assert dict(result) == {"NDCG@1": 1.0, "Recall@1": 1.0}
    assert result.details["Recall@1"]["threshold"] == 0.5


@pytest.mark.parametrize(
    ("of", "said"),
    [("own", "their own texts"), ("followers", "the texts of their followers"), ("all", "their own and their neighbours' texts")],
)
def test_whose_texts_and_how_weighted(of: Any, said: str) -> None:
    assert f"users' features are {said}, weighted by tf-idf" in notes("ILD@2", texts=TEXTS, texts_of=of)
    assert f"users' features are {said}, weighted by relison" in notes("ILD@2", texts=TEXTS, texts_of=of, convention="relison")
    both = asp.contacts.evaluate_systems({"a": LISTS}, "ILD@2", train=TRAIN, texts=TEXTS, texts_of=of, convention="both").notes
    assert f"published: users' features are {said}, weighted by tf-idf" in both
    assert f"relison: users' features are {said}, weighted by relison" in both


def test_values_of_features_that_do_not_count() -> None:
    said = "features: 2 of 4 feature values are not 1; only the presence of a feature counts"
    assert said in notes("ILD@2", features=SETS, convention="relison")
    assert said not in notes("ILD@2", features=SETS)


def test_notes_of_one_convention_say_which() -> None:
    communities = {1: ["a", "b"], 2: "a", 3: "b", 4: "b"}
    both = asp.contacts.evaluate_systems({"a": LISTS}, "CommunityRecall@2", train=TRAIN, communities=communities, convention="both").notes
    first = "communities: 1 of 5 rows are ignored: only the first community of each user counts"
    assert f"relison: {first}" in both
    assert first not in both
    assert "train: 1 of 5 links are self-links and are excluded (such as 1 to 1)" in both


def test_users_of_several_communities_are_counted() -> None:
    said = "communities: 1 of 4 users have more than one community (such as 1)"
    assert said in notes("CommunityRecall@2", communities=[(1, "a"), (1, "b"), (2, "a"), (2, "a"), (9, "a"), (9, "b")])
    assert said not in notes("CommunityRecall@2", communities={1: "a", 2: "b"})


def test_train_and_test_that_may_be_exchanged() -> None:
    said = "test: 5 of 7 links are in test, more than in train; are train and test swapped?"
    assert said in asp.contacts.evaluate({1: [3]}, "Recall@1", train=[(1, 2), (3, 1)], test=[(1, 3), (2, 1), (2, 3), (3, 2), (1, 4)]).notes
    assert not any("swapped" in note for note in notes())


def test_links_to_oneself_that_are_kept_are_counted_in_both_graphs() -> None:
    found = notes(keep="self")
    for name in ("train: 1 of 5", "test: 1 of 4"):
        assert any(note.startswith(f"{name} links are self-links and are kept, as requested") for note in found)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ties": "descending", "order": "input"}, "ties= needs order='score' or rank"),
        ({"ties": "descending", "convention": "relison"}, "ties= needs order='score' or rank"),
        ({"texts_of": "all"}, "texts_of and weighting need texts"),
        ({"weighting": "counts"}, "texts_of and weighting need texts"),
        ({"metrics": "GiniComplement@2", "test": None, "keep": "self"}, "keep needs test links"),
        ({"test": None, "weighted": True}, "weighted needs test links"),
        ({"weighted": True}, "test: has no weights, which are to be grades"),
        ({"features": SETS, "texts": TEXTS}, "both features and texts are given"),
        ({"keep": "everything"}, "keep is 'everything', expected 'strangers', 'self', 'known', 'reciprocal'"),
        ({"directed": "no"}, "directed is 'no'"),
        ({"metrics": "ERRIA@2"}, "ERRIA@2 needs more: pass communities="),
        ({"metrics": "ERRIA@2", "test": None}, "ERRIA@2 needs more: pass communities= and test="),
        ({"metrics": "ILD@2"}, "IntraListDiversity@2 needs more: pass features= or texts="),
        ({"metrics": "AlphaNDCG@2"}, "AlphaNDCG@2 needs more: pass communities="),
        ({"metrics": "AspectRecall(judged_by=subtopics)@2"}, "AspectRecall(judged_by=subtopics)@2"),
        ({"users": [1, 77]}, "users: 1 of 2 users are not in train (such as 77)"),
        ({"communities": {1: None, 2: None}}, "communities: 4 of 4 users of train have no community"),
    ],
)
def test_nothing_is_ignored(options: dict[str, Any], said: str) -> None:
    with pytest.raises(asp.InputError) as caught:
        notes(**options)
    assert str(caught.value).startswith(said)


def test_a_graph_has_no_links_to_oneself_to_keep() -> None:
    with pytest.raises(asp.InputError, match="which a Graph has not"):
        asp.contacts.evaluate(LISTS, "nDCG@2", train=asp.contacts.read_graph(TRAIN), test=TEST, keep="self")


def test_conventions_of_other_fields_are_refused() -> None:
    for name in ("ndeval", asp.CONVENTIONS["ndeval"]):
        with pytest.raises(asp.MetricError, match="expected 'published', 'relison' or 'both' for contacts"):
            notes(convention=name)
    with pytest.raises(asp.InputError, match=r"use contacts\.evaluate_systems"):
        notes(convention="both")
    with pytest.raises(asp.InputError, match="there are no recommendations to measure"):
        asp.contacts.evaluate_systems({}, train=TRAIN)


def test_users_may_be_chosen() -> None:
    lists = {1: [3], 2: [1]}
    every = asp.contacts.evaluate(lists, "nDCG@1", train=TRAIN, test=TEST)
    assert every["nDCG@1"] == 0.5
    assert asp.contacts.evaluate(lists, "nDCG@1", train=TRAIN, test=TEST, users=[1])["nDCG@1"] == 1.0
    assert asp.contacts.evaluate(lists, "nDCG@1", train=TRAIN, test=TEST, users=[2, 1]) == asp.contacts.evaluate(
        lists, "nDCG@1", train=TRAIN, test=TEST, users=[1, 2]
    )


def test_communities_that_were_found_are_communities() -> None:
    found = asp.contacts.find_communities(TRAIN, method="components")
    given = asp.contacts.evaluate(LISTS, "CommunityRecall@2", train=TRAIN, communities=found)
    assert given == asp.contacts.evaluate(LISTS, "CommunityRecall@2", train=TRAIN, communities=found.to_dict())


def test_columns_may_be_called_as_contacts_call_them() -> None:
    rows = polars.DataFrame({"a": [1, 2], "b": [3, 4]})
    features = polars.DataFrame({"who": [1, 2, 3, 4], "feature": ["f", "f", "g", "g"]})
    given = asp.contacts.evaluate(
        asp.Source(rows, columns={"user": "a", "candidate": "b"}),
        ["nDCG@1"],
        train=TRAIN,
        test=TEST,
        features=asp.Source(features, columns={"user": "who", "feature": "feature"}),
    )
    assert given["nDCG@1"] == 1.0


def test_the_command_line_offers_the_same_words() -> None:
    offered = {
        (name, option.opts[0]): tuple(option.type.choices)
        for name in ("contacts", "index", "communities")
        for option in cli.commands[name].params
        if hasattr(option.type, "choices")
    }
    assert offered["contacts", "--of"] == offered["index", "--of"] == get_args(Of)
    assert offered["contacts", "--weighting"] == offered["index", "--weighting"] == get_args(Weighting)
    assert offered["communities", "--method"] == METHODS
    (keep,) = [option for option in cli.commands["contacts"].params if option.name == "keep"]
    assert all(rule in str(getattr(keep, "help", "")) for rule in KEEPABLE)
