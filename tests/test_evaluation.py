"""Who is averaged, what is undefined, what is missing, and what the details say."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import aspectrum as asp

LISTS = {"listed": ["a", "b"], "both": ["b", "a"], "empty": []}
GRADES = {"both": {"a": 1.0}, "judged": {"b": 2.0}, "zero": {"a": 0.0}, "empty": {"a": 1.0}}


def evaluate(users: object = None) -> asp.Results:
    return asp.evaluate(LISTS, "NDCG@2", relevance=GRADES, users=users)  # type: ignore[arg-type]


SECOND = 1 / math.log2(3)


@pytest.mark.parametrize(
    ("users", "scores", "missing"),
    [
        (None, {"listed": math.nan, "both": SECOND, "empty": 0.0}, 0),
        ("lists", {"listed": math.nan, "both": SECOND, "empty": 0.0}, 0),
        ("judged", {"both": SECOND, "empty": 0.0, "judged": 0.0, "zero": 0.0}, 2),
        ("both", {"both": SECOND, "empty": 0.0}, 0),
        ("relevant", {"both": SECOND, "empty": 0.0, "judged": 0.0}, 1),
        ("all", {"listed": math.nan, "both": SECOND, "empty": 0.0, "judged": 0.0, "zero": 0.0}, 2),
        ({"both", "nobody"}, {"both": SECOND, "nobody": 0.0}, 1),
    ],
)
def test_users(users: object, scores: dict[str, float], missing: int) -> None:
    result = evaluate(users)
    assert dict(result.per_user.iter_rows()) == pytest.approx(scores, nan_ok=True)
    defined = [score for score in scores.values() if not math.isnan(score)]
    assert result["NDCG@2"] == pytest.approx(sum(defined) / len(defined))
    details = result.details["NDCG@2"]
    assert (details["scored"], details["undefined"], details["missing"]) == (len(defined), len(scores) - len(defined), missing)


def test_unknown_choice_of_users() -> None:
    with pytest.raises(asp.MetricError, match="users is 'everyone', expected 'lists'"):
        evaluate("everyone")


def test_judged_needs_truth() -> None:
    with pytest.raises(asp.MissingInput, match="who is averaged depends on who is judged: give subtopics, relevance or history"):
        asp.evaluate({"u": ["a"]}, "GiniComplement", users="judged")


def test_nobody_to_average() -> None:
    result = asp.evaluate({}, ["NDCG@2", "GiniComplement@2", "AlphaNDCG"], relevance={}, subtopics=[])
    assert math.isnan(result["NDCG@2"])
    assert math.isnan(result["GiniComplement@2"])
    assert math.isnan(result["AlphaNDCG"])
    assert result.details["NDCG@2"]["scored"] == 0


def test_details_say_how() -> None:
    result = asp.evaluate(
        {"u": ["a"]}, ["AlphaNDCG@1", "ERRIA@1"], aspects={"a": ["x"]}, history={"u": ["a"]}, relevance={"u": {"a": 4.0}}, threshold=3.0
    )
    details = result.details["AlphaNDCG@1"]
    expected = {"judged_by": "history", "pool": "catalogue", "ideal": "greedy", "ties": "largest item id", "alpha": 0.5}
    assert {key: details[key] for key in expected} == expected
    assert details["users"] == "lists"
    assert details["convention"] == "published"
    assert result.details["ERRIA@1"]["judged_by"] == "relevance"
    assert result.details["ERRIA@1"]["threshold"] == 3.0


def test_threshold_says_what_is_relevant() -> None:
    inputs: dict[Any, Any] = {"aspects": {"a": ["x"], "b": ["y"]}, "relevance": {"u": {"a": 2.0, "b": 4.0}}}
    low = asp.evaluate({"u": ["a", "b"]}, "AspectRecall(judged_by=relevance)@1", **inputs)
    high = asp.evaluate({"u": ["a", "b"]}, "AspectRecall(judged_by=relevance)@1", threshold=3.0, **inputs)
    assert list(low.values()) == [0.5]
    assert list(high.values()) == [0.0]


def test_default_judging() -> None:
    aspects = {"a": ["x"]}
    lists = {"u": ["a"]}
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("AlphaNDCG", {"history": {"u": ["a"]}, "relevance": {"u": ["a"]}}, "history"),
        ("AlphaNDCG", {"relevance": {"u": ["a"]}}, "relevance"),
        ("ERRIA", {"history": {"u": ["a"]}, "relevance": {"u": ["a"]}}, "relevance"),
        ("AspectRecall", {"relevance": {"u": ["a"]}}, "membership"),
        ("AspectRecall", {"subtopics": {"u": {"a": ["x"]}}}, "subtopics"),
        ("AlphaNDCG", {"history": {"u": ["a"]}, "subtopics": {"u": {"a": ["x"]}}}, "subtopics"),
    ]
    for metric, inputs, judged_by in cases:
        assert asp.evaluate(lists, metric, aspects=aspects, **inputs).details[metric]["judged_by"] == judged_by


@pytest.mark.parametrize(
    ("metric", "inputs", "message"),
    [
        ("AlphaNDCG", {}, "AlphaNDCG needs judgments: pass subtopics= (which may be asp.Nuggets), or aspects= and history= or relevance="),
        ("AlphaNDCG(judged_by=history)", {"aspects": {"a": ["x"]}}, "needs history: pass history="),
        ("ERRIA", {"aspects": {"a": ["x"]}}, "ERRIA needs judgments"),
        ("NDCG", {}, "needs relevance: pass relevance="),
        ("ILD", {}, "needs features: pass features="),
        ("AspectRecall", {}, "AspectRecall needs judgments"),
        ("AspectRecall(judged_by=subtopics)", {"aspects": {"a": ["x"]}}, "needs subtopics"),
        ("AlphaNDCG(pool=unseen)", {"aspects": {"a": ["x"]}, "relevance": {"u": ["a"]}}, "needs history"),
    ],
)
def test_missing_inputs_are_named(metric: str, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(asp.MissingInput) as error:
        asp.evaluate({"u": ["a"]}, metric, **inputs)
    assert message in str(error.value)


def test_metrics_must_be_metrics() -> None:
    with pytest.raises(asp.MetricError, match="no metric"):
        asp.evaluate({"u": ["a"]}, [])
    with pytest.raises(asp.MetricError, match="NDCG is a class, not a metric; give an object"):
        asp.evaluate({"u": ["a"]}, [asp.NDCG], relevance={"u": ["a"]})  # type: ignore[list-item]
    given: Any
    for given in (asp.NuggetCoverage, [asp.NuggetCoverage], {"mine": asp.NuggetCoverage}):
        with pytest.raises(
            asp.MetricError, match=r"NuggetCoverage is a class, not a metric; give an object, as asp.NuggetCoverage\(k=10\)"
        ):
            asp.evaluate({"u": ["a"]}, given, relevance={"u": ["a"]})


def test_progress_and_threads_and_batches() -> None:
    lists = {user: ["a", "b"] for user in range(1000)}
    calls: list[tuple[int, int]] = []
    before = asp.kernels.threads()
    asp.evaluate(lists, "GiniComplement", batch_size=300, threads=1, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(300, 1000), (600, 1000), (900, 1000), (1000, 1000)]
    assert asp.kernels.threads() == before
    with pytest.raises(asp.InputError, match="batch_size is -1, expected a whole number from 1"):
        asp.evaluate(lists, "GiniComplement", batch_size=-1)


def test_ideal_is_shared_by_users_of_the_same_interests_over_batches() -> None:
    world = asp.World.of(
        {user: ["a", "b"] for user in range(6)},
        aspects={"a": ["x"], "b": ["y"]},
        history={user: ["a" if user % 2 else "b"] for user in range(6)},
    )
    plan = asp.Plan("AlphaNDCG@2", world.truth, batch_size=1)
    plan.observe(world)
    assert len(plan.memory[("ideals",)]) == 2


def test_a_world_can_be_evaluated_and_holds_everything() -> None:
    world = asp.World.of({"u": ["a"]}, relevance={"u": ["a"]})
    assert asp.evaluate(world, "NDCG@1")["NDCG@1"] == 1.0
    assert asp.evaluate(world, "NDCG@1", users=["u"])["NDCG@1"] == 1.0
    with pytest.raises(asp.InputError, match="relevance was given beside a World"):
        asp.evaluate(world, "NDCG@1", relevance={"u": ["a"]})
    with pytest.raises(asp.InputError, match="'v' is not a user of the truth"):
        asp.evaluate(world, "NDCG@1", users=["v"])


def test_systems_share_the_catalogue_of_what_was_seen() -> None:
    results = asp.evaluate_systems({"A": {"u": ["x"]}, "B": {"u": ["y"]}}, "GiniComplement@1")
    assert results["A"].details["GiniComplement@1"]["catalogue_items"] == 2
    assert results["A"]["GiniComplement@1"] == 0.0
    with pytest.raises(asp.InputError, match="system 'B'"):
        asp.evaluate_systems({"A": asp.Rankings(np.array([0, 1]), np.array([0])), "B": {"u": ["y"]}}, "GiniComplement")
    with pytest.raises(asp.InputError, match="the list of user 'u' names item 'y' twice"):
        asp.evaluate_systems({"A": {"u": ["x"]}, "B": {"u": ["y", "y"]}}, "GiniComplement@1")


def test_scores_of_a_million_users_in_bounded_time_and_memory() -> None:
    n = 1_000_000
    items = np.tile(np.array([0, 1, 2], dtype=np.int32), n)
    world = asp.World(
        asp.Rankings(np.arange(n + 1, dtype=np.int64) * 3, items),
        aspects=asp.Aspects(np.array([0, 1, 2, 3]), np.array([0, 1, 1], dtype=np.int32), 2),
        relevance=asp.Relevance(np.arange(n + 1, dtype=np.int64), np.zeros(n, dtype=np.int32)),
    )
    result = asp.evaluate(world, ["NDCG@3", "AspectRecall@1,3", "GiniComplement@2"], per_user=False)
    assert dict(result) == pytest.approx({"NDCG@3": 1.0, "AspectRecall@1": 0.5, "AspectRecall@3": 1.0, "GiniComplement@2": 0.5})
    with pytest.raises(asp.InputError, match="per_user=True"):
        _ = result.per_user


def test_who_is_judged_depends_on_what_judges() -> None:
    inputs: dict[str, Any] = {"subtopics": {"u": {"a": ["x"]}}, "relevance": {"u": ["a"], "v": ["a"]}}
    result = asp.evaluate({"u": ["a"]}, ["NDCG@1", "AlphaNDCG@1"], users="judged", **inputs)
    assert (result.details["NDCG@1"]["scored"], result.details["AlphaNDCG@1"]["scored"]) == (2, 1)


def test_arguments_out_of_range() -> None:
    world = asp.World.of({"u": ["a"]}, relevance={"u": ["a"]})
    cases: list[tuple[dict[str, Any], str]] = [
        ({"threads": 0}, "threads is 0, expected a whole number from 1"),
        ({"batch_size": 0}, "batch_size is 0, expected a whole number from 1"),
        ({"threshold": 3.0}, "threshold was given beside a World"),
        ({"items": ["a"]}, "items was given beside a World"),
    ]
    for arguments, message in cases:
        with pytest.raises(asp.InputError, match=message):
            asp.evaluate(world, "NDCG", **arguments)
    for threshold in ("3", float("nan"), True):
        with pytest.raises(asp.InputError, match="threshold is"):
            asp.evaluate({"u": ["a"]}, "NDCG", relevance={"u": ["a"]}, threshold=threshold)  # type: ignore[arg-type]


def test_probabilities_above_1_are_refused() -> None:
    inputs: dict[str, Any] = {"aspects": {"a": ["x"]}, "history": {"u": ["a"]}, "weights": {"x": 4.0}}
    with pytest.raises(asp.InputError, match="weights times gamma as probabilities, found 4"):
        asp.evaluate({"u": ["a"]}, "AlphaNDCG(gain=probabilistic)", **inputs)
    assert list(asp.evaluate({"u": ["a"]}, "AlphaNDCG(gain=probabilistic, gamma=0.25)", **inputs).values()) == [1.0]
    with pytest.raises(asp.MetricError, match="alpha is 5, expected 0 to 1"):
        asp.gains({"u": ["a"]}, alpha=5, **inputs)


def test_details_name_weights_only_where_they_count() -> None:
    inputs: dict[str, Any] = {"aspects": {"a": ["x"]}, "relevance": {"u": ["a"]}, "weights": {"x": 1.0}}
    result = asp.evaluate({"u": ["a"]}, ["ERRIA", "ERRIA(intents=uniform)"], **inputs)
    assert result.details["ERRIA"]["weights"] == "given"
    assert "weights" not in result.details["ERRIA(intents=uniform)"]


def test_details_say_when_ids_have_no_order() -> None:
    items = [frozenset({1}), (2, 3)]
    result = asp.evaluate({"u": items}, "AlphaNDCG", aspects=dict.fromkeys(items, "x"), history={"u": items})
    assert result.details["AlphaNDCG"]["ties"] == "last item given, as ids cannot be ordered"


@pytest.mark.parametrize("ties", ["input", "ascending", "descending"])
def test_systems_of_one_frame_score_as_frames_of_their_own(ties: Any, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    rows = [
        (system, f"u{user}", int(item), int(random.integers(3)))
        for system in ("b", "a", "c")
        for user in range(8)
        for item in random.permutation(20)[: random.integers(1, 9)]
    ]
    frame = pl.DataFrame(rows, schema=["system", "user", "item", "score"], orient="row").sample(fraction=1, shuffle=True, seed=3)
    frame.write_csv(tmp_path / "recs.csv")
    truth: Any = {"relevance": {f"u{user}": [user, 2 * user, 11] for user in range(9)}, "aspects": {item: [item % 4] for item in range(20)}}
    metrics = ["NDCG@3", "AspectRecall@2", "GiniComplement@4", "ILD@5"]
    apart = {name: frame.filter(pl.col("system") == name).drop("system") for name in frame["system"].unique(maintain_order=True)}
    expected = asp.evaluate_systems(apart, metrics, users="judged", ties=ties, **truth)
    for together in (frame, tmp_path / "recs.csv"):
        found = asp.evaluate_systems(together, metrics, users="judged", ties=ties, **truth)
        assert list(found) == list(expected)
        for name, results in expected.items():
            assert dict(found[name]) == dict(results)
            assert found[name].per_user.sort("user").equals(results.per_user.sort("user"))
