"""A plan makes every choice once; lists come in any form and in any pieces; users without a list are settled at the end."""

import math
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars
import pytest

import aspectrum as asp
import aspectrum.metric as metric_module

RELEVANCE = {"ann": ["x"], "bob": ["y", "z"], "eve": ["x"]}
LISTS = {"ann": ["x", "y"], "bob": ["x", "y"]}


def truth() -> asp.Truth:
    return asp.Truth.read(relevance=RELEVANCE, history={"ann": ["z"]}, aspects={"x": ["a"], "y": ["b"], "z": ["b"]})


def test_observe_and_finish_are_evaluate() -> None:
    plan = asp.Plan(["NDCG@2", "GiniComplement"], truth(), users="judged")
    expected = asp.evaluate(LISTS, ["NDCG@2", "GiniComplement"], relevance=RELEVANCE, history={"ann": ["z"]}, users="judged")
    found = plan.finish(plan.observe(LISTS))
    assert found == expected
    assert found.per_user.sort("user").equals(expected.per_user.sort("user"))


@pytest.mark.parametrize(
    "lists",
    [
        LISTS,
        [("ann", "x"), ("ann", "y"), ("bob", "x"), ("bob", "y")],
        {"ann": {"y": 0.5, "x": 1.0}, "bob": {"x": 3.0, "y": 2.0}},
        polars.DataFrame({"user": ["ann", "ann", "bob", "bob"], "item": ["x", "y", "x", "y"], "rank": [1, 2, 1, 2]}),
    ],
    ids=["lists", "rows", "scores", "frame"],
)
def test_lists_in_any_form(lists: Any) -> None:
    plan = asp.Plan("NDCG@2", truth())
    assert plan.finish(plan.observe(lists)) == plan.finish(plan.observe(LISTS))


def test_lists_as_files(tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text("user,item\nann,x\nann,y\nbob,x\nbob,y\n")
    plan = asp.Plan("NDCG@2", truth())
    assert plan.finish(plan.observe(tmp_path / "lists.csv")) == plan.finish(plan.observe(LISTS))
    assert plan.finish(plan.observe(asp.Source(tmp_path / "lists.csv"))) == plan.finish(plan.observe(LISTS))


def test_lists_of_a_world_of_the_same_truth() -> None:
    known = truth()
    plan = asp.Plan("NDCG@2", known)
    assert plan.finish(plan.observe(asp.World.read(LISTS, known))) == plan.finish(plan.observe(LISTS))
    with pytest.raises(asp.InputError, match="these lists belong to another truth"):
        plan.observe(asp.World.read(LISTS, truth()))


def test_finishing_twice_changes_nothing() -> None:
    plan = asp.Plan(["NDCG@2", "GiniComplement"], truth(), users="judged")
    partial = plan.observe(LISTS)
    assert plan.finish(partial) == plan.finish(partial) == partial.finish()


def test_users_without_a_list_score_0_at_the_end() -> None:
    plan = asp.Plan("NDCG@2", truth(), users="judged")
    ann, bob = (plan.observe({user: LISTS[user]}) for user in LISTS)
    for partial, missing in ((ann, 2), (bob, 2), (ann + bob, 1)):
        details = plan.finish(partial).details["NDCG@2"]
        assert (details["scored"], details["missing"]) == (3, missing)


def test_every_choice_is_made_before_any_list_is_seen() -> None:
    plan = asp.Plan("AlphaNDCG@2", truth())
    assert plan.how["AlphaNDCG@2"]["judged_by"] == "history"
    assert plan.how["AlphaNDCG@2"]["users"] == "lists"
    assert plan.how == {name: plan.finish(plan.observe({})).columns[name].how for name in plan.how}


@pytest.mark.parametrize(
    ("metrics", "options", "error", "message"),
    [
        ("ILD(of=features)@5", {}, asp.MissingInput, "needs features: pass features="),
        ("AlphaNDCG(judged_by=subtopics)", {}, asp.MissingInput, "needs subtopics: pass subtopics="),
        ("NDCG@2", {"users": "everyone"}, asp.MetricError, "users is 'everyone', expected 'lists'"),
        ("NDCG@2", {"convention": "ndevil"}, asp.MetricError, "ndevil"),
        ([], {}, asp.MetricError, "no metric was asked for"),
        ("NDCG@2", {"ideal_budget": 1}, asp.MetricError, "is for exact ideals"),
    ],
)
def test_mistakes_are_found_when_the_plan_is_made(metrics: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        asp.Plan(metrics, truth(), **options)


def test_needs() -> None:
    plan = asp.Plan(["NDCG@2", "AspectRecall"], truth())
    assert plan.needs["NDCG@2"] == (frozenset({"relevance"}),)
    assert frozenset({"subtopics"}) in plan.needs["AspectRecall"]


def test_named_users() -> None:
    plan = asp.Plan("NDCG@2", truth(), users=["eve", "ann", "ann", "unheard of"])
    details = plan.finish(plan.observe(LISTS)).details["NDCG@2"]
    assert (details["users"], details["scored"], details["missing"]) == ("given", 3, 2)


def test_a_convention_reads_the_truth_in_its_way() -> None:
    """Informfully counts only history that reaches the threshold."""
    known = asp.Truth.read(relevance=RELEVANCE, history={"ann": {"x": 0.5, "y": 5}}, aspects={"x": ["a"], "y": ["b"]})
    assert known.history is not None
    plans = [asp.Plan("AspectRecall(judged_by=history)", known, convention=convention) for convention in (None, "informfully")]
    assert [plan.truth.need("history", "it").liked_items.tolist() for plan in plans] == [[0, 1], [1]]


def test_progress_counts_users() -> None:
    told: list[tuple[int, int]] = []
    asp.Plan("NDCG@2", truth(), batch_size=1).observe(LISTS, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


def test_a_plan_travels() -> None:
    plan = asp.Plan(["AlphaNDCG@2", "NDCG@2"], truth(), users="judged")
    here = plan.observe({"ann": LISTS["ann"]})
    there = pickle.loads(pickle.dumps(plan))
    elsewhere = pickle.loads(pickle.dumps(there.observe({"bob": LISTS["bob"]})))
    assert plan.finish(here + elsewhere) == plan.finish(plan.observe(LISTS))


def test_the_truth_is_never_changed() -> None:
    known = truth()
    before = (known.n_users, known.n_items, dict(known.fingerprints), list(known.users), list(known.items))
    plan = asp.Plan(["GiniComplement", "NDCG"], known, users=["stranger"])
    plan.finish(plan.observe({"new": ["p", "q"], "ann": ["x"]}))
    assert (known.n_users, known.n_items, dict(known.fingerprints), list(known.users), list(known.items)) == before
    assert list(known.tables.item.ids) == before[4]


def test_lists_as_codes() -> None:
    rankings = asp.Rankings(np.array([0, 2, 3]), np.array([0, 1, 1], dtype=np.int32))
    relevance = asp.Relevance(np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32))
    plan = asp.Plan("NDCG", asp.Truth(relevance=relevance, n_items=2))
    assert plan.finish(plan.observe(rankings))["NDCG"] == 1.0


def test_nothing_observed_is_nan() -> None:
    plan = asp.Plan("NDCG", truth())
    assert math.isnan(plan.finish(plan.observe({}))["NDCG"])


def test_what_other_lists_name_does_not_change_a_finished_part() -> None:
    plan = asp.Plan(["NDCG@2", "GiniComplement@2"], asp.Truth.read(relevance={"a": ["x"], "b": ["y"]}), users="all")
    part = plan.observe({"a": ["x", "q"]})
    before = plan.finish(part)
    plan.observe({"stranger": ["m", "n"]})
    after = plan.finish(part)
    assert dict(after) == dict(before) == {"NDCG@2": 0.5, "GiniComplement@2": 0.5}
    assert after == before
    assert after.details["GiniComplement@2"]["catalogue_items"] == 3


def test_spending_reaches_ideals_that_a_convention_makes_exact() -> None:
    exact = asp.Convention("exact", "exact ideals", parameters={"ERRIA": {"normalize": "ideal", "ideal": "exact"}})
    truth = asp.Truth.read(relevance={"ann": ["x"]}, aspects={"x": ["a"]})
    plan = asp.Plan(["AlphaNDCG(ideal=exact)@2", "ERRIA@2"], truth, convention=exact, ideal_budget=7)
    assert [how["budget"] for how in plan.how.values()] == [7.0, 7.0]


def test_an_average_of_ones_own_is_not_pooled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_module, "_registry", dict(metric_module._registry))

    @dataclass(frozen=True)
    class Share(asp.UserMetric):
        family = "relevance"
        average: Literal["users", "ratio"] = "ratio"

        def fractions(self, world: asp.World) -> metric_module.Fractions:
            lengths = world.rankings.lengths[:, np.newaxis].astype(np.float64)
            return metric_module.Fractions(np.ones(lengths.shape), lengths)

    assert asp.evaluate({"ann": ["x"], "bob": ["x", "y"]}, Share())[Share()] == 0.75
