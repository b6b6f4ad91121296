"""Other tools' numbers, from the published examples and from what their code does."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import aspectrum as asp
from aspectrum.cli import run
from aspectrum.config import read_settings
from aspectrum.conventions import convention_named, conventions_named
from aspectrum.toy_world import VARIANTS
from tests.questions import Bank, Question

COMMUNITIES = {1: [0], 2: [0], 3: [1], 4: [2]}


def test_relison_err_ia_and_community_recall() -> None:
    result = asp.evaluate(
        {"u": [1, 2, 3]},
        ["ERRIA@3", "Community recall@2,3"],
        aspects=COMMUNITIES,
        relevance={"u": [1, 2, 3]},
        history={"u": [4]},
        convention="relison",
    )
    assert result["ERRIA@3"] == pytest.approx(0.354167, abs=5e-7)
    assert result["Community recall@3"] == pytest.approx(2 / 3)
    assert result["Community recall@2"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("lists", "value"),
    [([[1], [1], [2]], 2 / 9), ([[1], [1], [1]], 0.0), ([[1], [2], [3], [4]], 1.0), ([[], []], 1.0)],
)
def test_relison_gini(lists: list[list[int]], value: float) -> None:
    rankings = {f"u{number}": items for number, items in enumerate(lists)}
    result = asp.evaluate(rankings, "Predicted Gini complement", catalogue=[1, 2, 3, 4], convention="relison")
    assert result["Predicted Gini complement"] == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(("lengths", "value"), [([1], 0.0), ([2], 0.5), ([3], 2 / 3), ([1, 3], 0.5)])
def test_relison_ild_with_all_distances_1(lengths: list[int], value: float) -> None:
    features: dict[Any, Any] = {number: np.eye(4)[number] for number in range(4)}
    rankings = {f"u{number}": list(range(length)) for number, length in enumerate(lengths)}
    result = asp.evaluate(rankings, "ILD", features=features, convention="relison")
    assert result["ILD"] == pytest.approx(value, abs=1e-15)


def test_relison_ild_of_users_without_features_is_0() -> None:
    result = asp.evaluate({"u": ["a", "x", "y"]}, "ILD", features={"a": [1.0, 0.0]}, convention="relison")
    assert result["ILD"] == 0.0


def test_relison_averages_everybody_and_ndcg_those_with_links() -> None:
    inputs: dict[Any, Any] = {"aspects": COMMUNITIES, "history": {"u": [4], "v": [1], "w": [2]}, "relevance": {"u": [1], "w": [3]}}
    result = asp.evaluate({"u": [1, 2]}, ["ERRIA@2", "Community recall@2", "nDCG@2"], convention="relison", **inputs)
    assert result.details["ERRIA@2"]["scored"] == 3
    assert result.details["ERRIA@2"]["missing"] == 2
    assert result["Community recall@2"] == pytest.approx(1 / 9)
    assert result.details["nDCG@2"]["scored"] == 2
    assert result["nDCG@2"] == pytest.approx(0.5)


def test_relison_leaves_out_items_outside_the_catalogue() -> None:
    result = asp.evaluate({"u": [1, 99]}, "Predicted Gini complement@2", catalogue=[1, 2], convention="relison")
    assert result["Predicted Gini complement@2"] == 0.0
    assert result.details["Predicted Gini complement@2"]["outside_catalogue"] == 1


def test_informfully_alpha_ndcg() -> None:
    inputs: dict[Any, Any] = {"history": {"u": ["all"]}, "relevance": {"u": ["all"]}}
    genres = {"all": ["A", "B"], "a1": ["A"], "a2": ["A"], "a3": ["A"], "ab": ["A", "B"]}
    sorted_ideal = asp.evaluate({"u": ["a1", "ab"]}, "AlphaNDCG@2", aspects=genres, convention="informfully", **inputs)
    assert sorted_ideal["AlphaNDCG@2"] == pytest.approx(0.9134, abs=5e-5)
    own_list = asp.evaluate({"u": ["a1", "ab"]}, "AlphaNDCG(pool=list)@2", aspects=genres, **inputs)
    assert own_list["AlphaNDCG(pool=list)@2"] == pytest.approx(0.8406, abs=5e-5)
    repeated = asp.evaluate({"u": ["a1", "a2", "a3"]}, "AlphaNDCG@3", aspects=genres, convention="informfully", **inputs)
    assert repeated["AlphaNDCG@3"] == 1.0


def test_informfully_ndcg() -> None:
    grades = {"u": {"a": 5, "b": 4, "c": 4, "d": 4}}
    theirs = asp.evaluate({"u": ["a", "x"]}, "NDCG@2", relevance=grades, convention="informfully")
    ours = asp.evaluate({"u": ["a", "x"]}, "NDCG@2", relevance=grades)
    assert theirs["NDCG@2"] == 1.0
    assert ours["NDCG@2"] == pytest.approx(0.6646, abs=5e-5)
    nothing = asp.evaluate({"u": ["x", "y"]}, "NDCG@2", relevance=grades, convention="informfully")
    assert nothing["NDCG@2"] == 0.0
    assert nothing.details["NDCG@2"]["undefined"] == 0


def test_informfully_drops_unknown_items_after_the_cut_and_keeps_known_ones_without_genres() -> None:
    def score(genres: dict[str, list[str]], **more: Any) -> float:
        inputs: dict[Any, Any] = {"history": {"u": ["h"]}, "relevance": {"u": ["h"]}, **more}
        return asp.evaluate({"u": ["x", "a", "ab"]}, "AlphaNDCG@3", aspects=genres, convention="informfully", **inputs)["AlphaNDCG@3"]

    genres = {"h": ["A", "B"], "a": ["A"], "ab": ["A", "B"]}
    discount = [1 / math.log2(rank + 1) for rank in (1, 2, 3)]
    dropped = (1 * discount[0] + 1.5 * discount[1]) / (1.5 * discount[0] + 1 * discount[1])
    kept = (1 * discount[1] + 1.5 * discount[2]) / (1.5 * discount[0] + 1 * discount[1])
    assert score(genres) == pytest.approx(dropped, rel=1e-12)
    assert score({**genres, "x": []}) == pytest.approx(kept, rel=1e-12)
    assert score(genres, items=["x"]) == pytest.approx(kept, rel=1e-12)


def test_informfully_history_and_users_follow_the_threshold() -> None:
    inputs: dict[Any, Any] = {
        "aspects": {"a": ["A"], "b": ["B"], "ab": ["A", "B"]},
        "history": {"u": {"a": 4.0, "b": 0.5}, "v": {"a": 5.0}},
        "relevance": {"u": {"a": 1.0}, "v": {"a": 0.5}},
    }
    theirs = asp.evaluate({"u": ["ab"], "v": ["ab"]}, "AlphaNDCG@1", convention="informfully", **inputs)
    assert theirs.per_user["user"].to_list() == ["u"]
    gains = asp.evaluate({"u": ["ab"]}, "AlphaDCG@1", convention="informfully", **inputs)
    assert gains["AlphaDCG@1"] == 1.0  # b was graded below the threshold: B is not of interest


def test_informfully_ild_of_one_item_no_item_and_zero_vectors() -> None:
    lists = {"one": ["a"], "none": ["x"], "zero": ["a", "o", "b"], "two": ["a", "b"]}
    features: dict[Any, Any] = {"a": [1.0, 0.0], "b": [0.0, 1.0], "o": [0.0, 0.0]}
    relevance = {user: ["a"] for user in lists}
    result = asp.evaluate(lists, "ILD@3", features=features, relevance=relevance, convention="informfully")
    scores = dict(result.per_user.iter_rows())
    assert scores["one"] == 0.0
    assert scores["two"] == 1.0
    assert math.isnan(scores["none"])
    assert math.isnan(scores["zero"])
    assert result.details["ILD@3"]["undefined"] == 2


def test_ndeval_divides_by_the_perfect_list_and_pyndeval_not_at_rank_1() -> None:
    subtopics = {"q": {"a": ["x", "y"], "b": ["x"]}}
    for convention, at_1 in (("ndeval", 0.5), ("pyndeval", 1.0)):
        result = asp.evaluate({"q": ["b", "a"]}, ["AlphaDCG@1,2", "ERRIA@1,2"], subtopics=subtopics, convention=convention)
        assert result["AlphaDCG@1"] == at_1
        assert result["ERRIA@1"] == at_1
        perfect = 2 * (1 + 0.5 / math.log2(3))
        assert result["AlphaDCG@2"] == pytest.approx((1 + 1.5 / math.log2(3)) / perfect, rel=1e-12)
        assert result["ERRIA@2"] == pytest.approx((1 + 1.5 / 2) / (2 * (1 + 0.5 / 2)), rel=1e-12)


def test_ndeval_scores_topics_without_positive_judgments_0_and_orders_ties_by_falling_id() -> None:
    qrels = [("1", "s", "a", 1), ("2", "s", "a", 0)]
    run = [("1", "a", 1.0), ("1", "b", 1.0), ("2", "a", 1.0), ("3", "a", 1.0)]
    result = asp.evaluate(run, "AlphaNDCG@1,2", subtopics=qrels, convention="ndeval")
    assert dict(result.per_user.select("user", "AlphaNDCG@1").iter_rows()) == {"1": 0.0, "2": 0.0}
    assert result.details["AlphaNDCG@2"]["undefined"] == 0
    ours = asp.evaluate(run, "AlphaNDCG@2", subtopics=qrels)
    assert ours.details["AlphaNDCG@2"] == {**ours.details["AlphaNDCG@2"], "scored": 1, "undefined": 2, "missing": 0}


def test_a_parameter_that_was_set_stays() -> None:
    convention = asp.CONVENTIONS["ndeval"]
    assert convention.applied(asp.ERRIA(normalize="ideal")) == asp.ERRIA(normalize="ideal", judged_by="subtopics")
    assert convention.applied(asp.ERRIA()) == asp.ERRIA(normalize="perfect", judged_by="subtopics")


def test_unknown_convention() -> None:
    with pytest.raises(asp.MetricError, match="unknown convention 'ndevel'; did you mean 'ndeval'"):
        asp.evaluate({"u": ["a"]}, "NDCG", relevance={"u": ["a"]}, convention="ndevel")


def test_conventions_name_parameters_that_exist() -> None:
    for convention in asp.CONVENTIONS.values():
        for name in {**convention.parameters, **convention.only}:
            metric = asp.registered()[name]
            assert convention.computes(metric(**convention.choices(metric)))


TABLE = (Path(__file__).parent.parent / "docs" / "conventions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted({*asp.CONVENTIONS} - {"published", "ndeval", "pyndeval", "relison", "informfully"}))
def test_the_page_says_what_each_convention_covers(name: str) -> None:
    row = next(line for line in TABLE.splitlines() if line.startswith(f"| `{name}` |"))
    _, _, tool, _, metrics, _ = (cell.strip() for cell in row.split("|"))
    assert tuple(metrics.split(", ")) == asp.CONVENTIONS[name].covers
    assert asp.CONVENTIONS[name].summary.startswith(f"{tool}:")


def test_help_names_every_convention(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evaluate", "--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in asp.CONVENTIONS if name not in shown] == []


def test_relison_counts_the_first_community_and_all_communities() -> None:
    communities = [(1, "red"), (1, "blue"), (2, "green")]
    result = asp.evaluate({"u": [1]}, "Community recall", aspects=communities, convention="relison")
    assert result["Community recall"] == pytest.approx(1 / 3)
    assert asp.evaluate({"u": [1]}, "Community recall", aspects=communities)["Community recall"] == pytest.approx(2 / 3)


def test_relison_ignores_the_values_of_features() -> None:
    features = {"a": {"x": 5.0, "y": 1.0}, "b": {"x": 1.0, "y": 5.0}}
    for given in (
        features,
        (["a", "b"], np.array([[5.0, 1.0], [1.0, 5.0]])),
        (["a", "b"], scipy.sparse.csr_array([[5.0, 1.0], [1.0, 5.0]])),
    ):
        assert asp.evaluate({"u": ["a", "b"]}, "ILD@2", features=given, convention="relison")["ILD@2"] == pytest.approx(0.0, abs=1e-15)
        assert asp.evaluate({"u": ["a", "b"]}, "ILD@2", features=given)["ILD@2"] == pytest.approx(8 / 13)


def test_relison_users_in_two_blocks_are_an_error() -> None:
    rows = [("u", "a"), ("v", "b"), ("u", "b")]
    with pytest.raises(asp.InputError, match="the rows of user 'u' are in two blocks"):
        asp.evaluate(rows, "Predicted Gini complement", convention="relison")
    assert asp.evaluate(rows, "Predicted Gini complement")["Predicted Gini complement"] == pytest.approx(2 / 3)


def test_ndeval_leaves_metrics_it_does_not_have_undefined() -> None:
    result = asp.evaluate({"q": ["a"]}, ["ILD", "AlphaNDCG"], features={"a": [1.0]}, subtopics={"q": {"a": {"s": 0}}}, convention="ndeval")
    assert math.isnan(result["ILD"])
    assert result["AlphaNDCG"] == 0.0


def test_a_metric_that_a_convention_cannot_have() -> None:
    with pytest.raises(asp.MetricError, match=r"AlphaNDCG\(pool=list\) cannot be computed under convention informfully: .*pool goes with"):
        asp.evaluate({"u": ["a"]}, "AlphaNDCG(pool=list)", convention="informfully")


def test_several_conventions_side_by_side() -> None:
    lists = {"A": {"u": ["a", "x"], "v": ["x", "a"]}, "B": {"u": ["x"]}}
    grades = {"u": {"a": 5, "b": 4}, "v": {"a": 0.5}}
    both = asp.evaluate_systems(lists, "NDCG@2", relevance=grades, convention=["informfully", "published"])
    assert list(both) == ["A (informfully)", "A (published)", "B (informfully)", "B (published)"]
    for way in ("informfully", "published"):
        alone = asp.evaluate_systems(lists, "NDCG@2", relevance=grades, convention=way)
        assert {system: both[f"{system} ({way})"] for system in lists} == dict(alone)
    world = asp.World.of(lists["A"], relevance=grades)
    assert list(asp.evaluate_systems({"A": world}, "NDCG@2", convention="published,informfully")) == ["A (published)", "A (informfully)"]


def test_what_can_be_read_once_serves_every_convention() -> None:
    grades = (row for row in [("u", "a", 5.0), ("u", "b", 4.0)])
    both = asp.evaluate_systems({"A": {"u": ["a", "x"]}}, "NDCG@2", relevance=grades, convention="published,informfully", users=iter(["u"]))
    assert both["A (informfully)"]["NDCG@2"] == 1.0
    assert both["A (published)"]["NDCG@2"] == pytest.approx(0.6646, abs=5e-5)


def test_notes_say_for_which_convention_they_hold() -> None:
    rows = [("u", "a", 1.0), ("u", "b", 2.0)]
    both = asp.evaluate_systems({"A": rows}, "NDCG@2", relevance={"u": ["c"]}, convention="published,relison", order=None)
    assert any(note.startswith("relison: ") for note in both.notes)
    assert len(both.notes) == len(set(both.notes))


@pytest.mark.parametrize(
    ("convention", "message"),
    [
        ("published,published", "convention published is named twice"),
        ([], "no convention is named"),
        ("published,", "unknown convention ''"),
    ],
)
def test_conventions_that_cannot_be(convention: Any, message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.evaluate_systems({"A": {"u": ["a"]}}, "NDCG@1", relevance={"u": ["a"]}, convention=convention)


def test_one_result_has_one_convention() -> None:
    with pytest.raises(asp.MetricError, match="which gives several results: use evaluate_systems"):
        asp.evaluate({"u": ["a"]}, "NDCG@1", relevance={"u": ["a"]}, convention="published,ndeval")


def test_lenskit_counts_users_without_a_relevant_item_as_0() -> None:
    """Only users with a list are averaged. As LensKit's list_summary has it."""
    lists, truth = {"u": ["a"], "v": ["a"]}, {"u": ["a"], "w": ["a"]}
    result = asp.evaluate(lists, ["NDCG@1", "HitRate@1", "MRR@1"], relevance=truth, convention="lenskit")
    assert list(result.values()) == [0.5] * 3


@pytest.mark.parametrize("convention", ["radio", "informfully"])
def test_calibration_by_kl_and_by_the_root_of_js(convention: str) -> None:
    """Both tools print the two, so the one that is our default has to stay as it is."""
    mixture: Any = {"alpha": 0.001, "mixed": "both", "discount": "reciprocal", "history_discount": "reciprocal"}
    way = asp.CONVENTIONS[convention]
    assert way.applied(asp.Calibration(k=3)) == way.applied(asp.parse("Calibration(divergence=kl)@3")) == asp.Calibration(k=3, **mixture)
    root = asp.parse("Calibration(divergence=js_distance)@3")
    assert way.applied(root) == asp.Calibration(k=3, divergence="js_distance", **mixture)
    assert {way.applied(metric()).parameters["divergence"] for metric in (asp.Representation, asp.Fragmentation)} == {"js_distance"}


def test_evidently_divides_similarities_by_all_items_of_the_history() -> None:
    """1 - 1/2: of two items had, the relevant one shown is like one, and the other has no features."""
    inputs: dict[str, Any] = {"history": {"u": ["a", "b"]}, "relevance": {"u": ["c"]}, "features": {"a": [1.0, 0.0], "c": [1.0, 0.0]}}
    result = asp.evaluate({"u": ["c"]}, "Serendipity@1", **inputs, convention="evidently")
    assert result["Serendipity@1"] == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize("convention", ["rectools", "elliot", "warprec", "lenskit", "ranksys"])
def test_a_number_of_distinct_items_needs_no_catalogue(convention: str) -> None:
    result = asp.evaluate({"u": ["a", "x"], "v": ["a", "y"]}, "ItemCoverage@2", catalogue=["a", "b"], convention=convention)
    assert next(iter(result.values())) == 3


def test_groups_that_a_tool_cannot_be_given() -> None:
    """WarpRec has PopRSP and PopREO, by popularity, and neither RSP nor REO of given groups."""
    lists, inputs = VARIANTS["toy"]
    message = r"convention warprec covers RSP with groups_by=popularity only; ask for PopRSP@3"
    with pytest.raises(asp.MetricError, match=message):
        asp.evaluate(lists, "RSP@3", **inputs, convention="warprec")
    with pytest.raises(asp.MetricError, match="ask for PopREO@3"):
        asp.evaluate(lists, "REO@3", **inputs, convention="warprec")
    both = asp.evaluate_systems({"A": lists}, ["RSP@3", "PopRSP@3", "PopREO@3"], **inputs, convention="published,warprec")
    assert [list(result) for result in both.values()] == [
        ["RSP@3", "RSP(groups_by=popularity)@3", "REO(groups_by=popularity)@3"],
        ["RSP(groups_by=popularity)@3", "REO(groups_by=popularity)@3"],
    ]
    assert re.search(message, "\n".join(both.notes))
    row = next(line for line in both.to_text(how=False).splitlines() if line.startswith("RSP@3"))
    assert row.count("not computed") == 1
    every = asp.evaluate(lists, "all@3", **inputs, convention="warprec")
    assert "RSP@3" not in every
    assert any("REO (ask for PopREO@3), RSP (ask for PopRSP@3)" in note for note in every.notes)
    assert asp.CONVENTIONS["warprec"].named(asp.CONVENTIONS["warprec"].applied(asp.parse("PopRSP@3"))) == "PopRSP@3"


@pytest.mark.parametrize(
    ("convention", "asked", "computed"),
    [
        ("warprec", "ACLT@3", "LongTailShare(by=interactions, reach=more, count=true)@3"),
        ("warprec", "LongTailShare(by=seen_items)@3", "LongTailShare(by=seen_items, over=k)@3"),
        ("msrec", "Serendipity(relevance='none')@3", "Serendipity(unexpected=history, missing=far, relevance='none')@3"),
        ("evidently", "Serendipity(unexpected=popularity)@3", "Serendipity(unexpected=popularity)@3"),
        ("evidently", "Gini(extra_items=1)@3", None),
        ("recbole", "Gini(over=recommended)@3", "Gini(over=recommended, divisor=n)@3"),
        ("recbole", "ExposureEntropy(index=simpson)@3", "ExposureEntropy(index=simpson, normalize=items_shown)@3"),
        ("recbole", "LongTailShare(head=0.3)@3", None),
        ("rectools", "NDCG(gain=exponential)@3", "NDCG(gain=exponential)@3"),
        ("informfully", "AlphaNDCG(pool=list)@3", None),
    ],
)
def test_what_has_no_effect_with_the_parameters_of_a_user_is_left_out(convention: str, asked: str, computed: str | None) -> None:
    """But what the user chose must have an effect."""
    way, metric = asp.CONVENTIONS[convention], asp.parse(asked)
    if computed is None:
        with pytest.raises(asp.MetricError, match=f"cannot be computed under convention {convention}: .* goes with"):
            way.applied(metric)
    else:
        assert way.applied(metric) == asp.parse(computed)


def test_parameters_that_one_of_several_conventions_cannot_have() -> None:
    lists, inputs = VARIANTS["toy"]
    asked = ["LongTailShare(head=0.3)@3", "LongTailShare@3"]
    found = asp.evaluate_systems({"A": lists}, asked, **inputs, convention="published,recbole")
    assert [list(result) for result in found.values()] == [asked, asked[1:]]
    assert any("LongTailShare(head=0.3)@3 cannot be computed under convention recbole: " in note for note in found.notes)
    with pytest.raises(asp.MetricError, match=r"under convention recbole: .*; convention pyg does not cover LongTailShare"):
        asp.evaluate_systems({"A": lists}, asked[0], **inputs, convention="recbole,pyg")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(("RecBole", "recbole"), ("LensKit", "lenskit"), ("TREC_Fair", "trec_fair"), ("TREC-Fair", "trec_fair"), (" Elliot ", "elliot")),
        *(("ms_recommenders", "msrec"), ("recommenders", "msrec"), ("Microsoft", "msrec"), ("Microsoft Recommenders", "msrec")),
    ],
)
def test_names_of_conventions_in_other_spellings(written: str, meant: str) -> None:
    assert convention_named(written) is asp.CONVENTIONS[meant]
    assert conventions_named(f"published, {written}")[1] is asp.CONVENTIONS[meant]
    with pytest.raises(asp.MetricError, match=f"convention {meant} is named twice"):
        conventions_named([written, meant])


@pytest.mark.parametrize("name", ["trec_eval", "ranx", "cornac", "", "recpack"])
def test_other_tools_are_no_slips_of_a_convention(name: str) -> None:
    with pytest.raises(asp.MetricError, match=rf"unknown convention '{name}'\. Known: published, "):
        convention_named(name)


def test_a_convention_that_covers_little_says_what_it_covers() -> None:
    lists, inputs = VARIANTS["toy"]
    result = asp.evaluate(lists, "all@3", **inputs, convention="trec_fair")
    assert list(result) == ["AWRF@3"]
    assert "of the metrics asked for, trec_fair covers only AWRF" in result.notes
    assert not any("NDCG" in note for note in result.notes)
    with pytest.raises(asp.MetricError, match="under convention trec_fair, which covers AWRF; "):
        asp.evaluate(lists, "all@3", convention="trec_fair")


def test_a_family_that_a_convention_does_not_cover() -> None:
    lists, inputs = VARIANTS["toy"]
    with pytest.raises(asp.MetricError, match="novelty@3: convention trec_fair covers no metric of this family; it covers AWRF"):
        asp.evaluate(lists, "novelty@3", **inputs, convention="trec_fair")
    with pytest.raises(asp.MetricError, match="novelty@3: none of the conventions trec_fair, radio covers a metric of this family"):
        asp.evaluate_systems({"A": lists}, "novelty@3", **inputs, convention="trec_fair,radio")
    message = r"no metric of this family can be computed from the inputs under convention rectools: SelfInformation \(no history\)"
    with pytest.raises(asp.MetricError, match=f"{message}$"):
        asp.evaluate(lists, "novelty@3", convention="rectools")


def test_spellings_in_a_configuration_and_for_contacts(tmp_path: Path) -> None:
    (tmp_path / "recs.csv").write_text("user,item\nu,a\n")
    (tmp_path / "job.yaml").write_text("systems: [recs.csv]\nmetrics: [CatalogueCoverage@1]\nconvention: [RecTools, MS-Recommenders]\n")
    assert [*read_settings(tmp_path / "job.yaml").convention] == ["rectools", "msrec"]
    network: dict[str, Any] = {"train": {"a": ["b"], "b": ["c"]}, "test": {"a": ["c"]}}
    found = asp.contacts.evaluate_systems({"A": {"a": ["c"]}}, "NDCG@1", **network, convention="Both")
    assert list(found) == ["A (published)", "A (relison)"]


def freshstack(lists: Mapping[str, Any], metric: str, nuggets: Mapping[str, Sequence[Question]], **options: Any) -> dict[str, float]:
    """By user, under the convention."""
    inputs: dict[str, Any] = {**Bank(nuggets).inputs(), "relevance": {"q": {"a": 1}, "p": {"e": 0}}}
    result = asp.evaluate(lists, metric, convention="freshstack", **inputs, **options)
    return dict(result.per_user.iter_rows())


EQUAL = {"q": {"c": 1.0, "a": 1.0, "b": 1.0}}
ONE_NUGGET = {"q": [Question(1.0, [{"a": 1.0}]), Question(1.0, [])], "p": [Question(1.0, [])]}


def test_freshstack_breaks_ties_in_another_order_for_each_metric() -> None:
    assert freshstack(EQUAL, "AspectRecall@2", ONE_NUGGET) == {"q": 0.5, "p": 0.0}  # as given: c, a
    assert freshstack(EQUAL, "Recall@2", ONE_NUGGET) == {"q": 0.0, "p": 0.0}  # the larger id first: c, b
    assert freshstack(EQUAL, "AlphaNDCG@3", ONE_NUGGET) == {"q": 1.0, "p": 0.0}  # the smaller id first: a, b, c
    # Cut to c and a first, then in order of ids.
    assert freshstack(EQUAL, "AlphaNDCG@1", {"q": [Question(1.0, [{"c": 1.0}])]})["q"] == 1.0
    assert freshstack(EQUAL, "AlphaNDCG@2", {"q": [Question(1.0, [{"a": 1.0}])]})["q"] == 1.0
    assert freshstack(EQUAL, "AlphaNDCG@1", {"q": [Question(1.0, [{"a": 1.0}])]})["q"] == 0.0


def test_freshstack_cuts_at_its_largest_cutoff_but_computes_more() -> None:
    many = {"q": {f"d{place:02}": 1.0 for place in range(30)[::-1]}}
    found = asp.evaluate(many, "AlphaNDCG@1,20,25", convention="freshstack", subtopics={"q": {"d10": [1], "d00": [2]}})
    scores = dict(zip(("1", "20", "25"), found.values(), strict=True))
    assert scores["1"] == 1.0  # d10 is the smallest id of the first 20
    assert scores["25"] > scores["20"]


def test_freshstack_counts_queries_without_any_supported_nugget_for_all_metrics() -> None:
    inputs: dict[str, Any] = {**Bank(ONE_NUGGET).inputs(), "relevance": {"q": ["a"]}}
    found = asp.evaluate(EQUAL, ["AspectRecall@2", "Recall@2", "AlphaNDCG@2"], convention="freshstack", **inputs)
    assert [found.details[name]["scored"] for name in found] == [2, 2, 2]


def test_ties_that_were_asked_for_hold_for_all_metrics() -> None:
    assert freshstack(EQUAL, "Recall@2", ONE_NUGGET, ties="ascending")["q"] == 1.0


def test_parts_under_an_order_of_ties_add_up_to_the_bit() -> None:
    random = Random(3)
    items = [f"d{place}" for place in range(12)]
    lists = {f"q{user}": {item: float(random.randrange(3)) for item in random.sample(items, 9)} for user in range(30)}
    subtopics = {user: {item: [random.randrange(4)] for item in random.sample(items, 5)} for user in lists}
    plan = asp.Plan(
        ["AlphaNDCG@3,5", "Recall@3"],
        asp.Truth.read(subtopics=subtopics, relevance={user: list(has) for user, has in subtopics.items()}, order="score"),
        convention="freshstack",
        batch_size=7,
    )
    whole = plan.finish(plan.observe(lists))
    parts = [plan.observe({user: lists[user] for user in list(lists)[start::3]}) for start in range(3)]
    assert plan.finish(parts[0] + parts[1] + parts[2]) == whole


def test_brightpro_counts_the_last_aspect_of_an_item() -> None:
    judged = [("q", "first", "a", 1), ("q", "last", "a", 1), ("q", "first", "b", 1)]
    inputs: dict[str, Any] = {"subtopics": judged, "weights": {"first": 3.0, "last": 1.0, "none": 1.0}}
    found = asp.evaluate({"q": ["a"], "p": ["a"]}, ["AspectRecall@1", "AlphaNDCG@1"], convention="brightpro", **inputs)
    assert list(found.values()) == [1 / 5, 1 / 3]
    assert found.details["AspectRecall@1"]["scored"] == 1
    assert any("only the last aspect of each item counts" in note for note in found.notes)


def test_brightpro_counts_gold_documents_only_in_alpha_ndcg() -> None:
    judged = {"q": {"a": ["heavy"], "z": ["heavy"], "b": ["light"]}, "no aspect": {"c": []}, "no list": {"d": ["heavy"]}}
    gold = {"q": {"a": 1, "b": 1, "z": 0}, "no aspect": ["c"], "no list": ["d"]}
    lists = {"q": ["z", "a", "b"], "no aspect": ["c"], "no gold": ["a"]}
    truth: dict[str, Any] = {"subtopics": judged, "weights": {"heavy": 2, "light": 1}}
    metrics = ["AlphaNDCG@1,3", "AspectRecall@1,3", "AlphaNDCG(ideal=exact)@3"]
    found = asp.evaluate(lists, metrics, convention="brightpro", relevance=gold, **truth)
    alpha = (2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3))
    assert found["AlphaNDCG@3"] == pytest.approx(alpha, abs=1e-15) == found["AlphaNDCG(ideal=exact)@3"]
    assert found["AlphaNDCG@1"] == 0 and found.details["AlphaNDCG@1"]["scored"] == 1  # no aspect: no ideal, and left out
    assert found["AspectRecall@1"] == (2 / 3 + 0) / 2 and found["AspectRecall@3"] == 1 / 2  # no aspect: 0
    plan = asp.Plan(metrics, asp.Truth.read(relevance=gold, **truth), convention="brightpro", batch_size=1)
    assert plan.finish(plan.observe({"q": lists["q"]}) + plan.observe({user: lists[user] for user in list(lists)[1:]})) == found
    assert asp.evaluate(lists, "AlphaNDCG@3", convention="brightpro", **truth)["AlphaNDCG@3"] > 0.8  # nobody says what is gold


def test_a_name_that_a_tool_gives_to_another_metric_is_explained() -> None:
    with pytest.raises(
        asp.MetricError, match="does not cover CatalogueCoverage; what it calls Coverage is NuggetCoverage; it covers AlphaNDCG"
    ):
        asp.CONVENTIONS["freshstack"].applied(asp.parse("Coverage@20"))
