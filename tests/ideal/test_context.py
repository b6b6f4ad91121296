"""The best context: against all choices and orders of documents, and what is said where the search stops."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

import aspectrum as asp
from aspectrum.ideal.exact import on_all_cores
from tests.questions import Bank, Question

Documents = Mapping[str, Mapping[int, float]]
DISCOUNTS = [1.0 / math.log2(2 + rank) for rank in range(12)]
PARTS = ("drop", "share", "keep", "skip")


class Pool:
    """Documents of one query with strengths of aspects, weights of these, lengths, and a list of some of them and of others."""

    def __init__(self, seed: int, budget: int) -> None:
        chance = random.Random(seed)
        n_aspects, binary = chance.randint(1, 5), chance.random() < 0.5
        names = [f"{seed}-{place}" for place in range(chance.randint(1, 6))]
        self.documents: dict[str, dict[int, float]] = {}
        for name in names:
            has = [aspect for aspect in range(n_aspects) if chance.random() < 0.5]
            self.documents[name] = {aspect: 1.0 if binary else chance.choice([0.25, 0.5, 1.0]) for aspect in has}
            if chance.random() < 0.25:
                self.documents[name] = dict(self.documents[names[0]])
        self.weights = {aspect: chance.choice([1.0, 1.0, 2.0, 0.1, 1 / 3]) for aspect in range(n_aspects)}
        others = [f"{seed}-x{place}" for place in range(2)]
        longest = chance.choice([3, 9])
        self.lengths = {name: chance.randint(1, longest) for name in (*names, *others)}
        self.listed = chance.sample([*names, *others], chance.randint(1, len(names) + 2))
        self.budget = budget

    @property
    def contexts(self) -> Iterator[tuple[str, ...]]:
        """Documents that fit together."""
        for n in range(len(self.documents) + 1):
            for chosen in combinations(self.documents, n):
                if sum(self.lengths[name] for name in chosen) <= self.budget:
                    yield chosen

    def cut(self, partial: str) -> dict[str, float]:
        """The documents of the list that count, with the share of each."""
        kept: dict[str, float] = {}
        left = self.budget
        for name in self.listed:
            if self.lengths[name] <= left:
                kept[name] = 1.0
                left -= self.lengths[name]
            elif partial != "skip":
                if left and partial != "drop":
                    kept[name] = 1.0 if partial == "keep" else left / self.lengths[name]
                break
        return kept

    def gain(self, order: Sequence[str], alpha: float, shares: Mapping[str, float] | None = None) -> float:
        left, sum_of_gains = dict(self.weights), 0.0
        for discount, name in zip(DISCOUNTS, order, strict=False):
            for aspect, strength in self.documents.get(name, {}).items():
                shown = strength * (shares or {}).get(name, 1.0)
                sum_of_gains += discount * left[aspect] * shown
                left[aspect] *= 1.0 - alpha * shown
        return sum_of_gains

    def covered(self, names: Sequence[str], shares: Mapping[str, float] | None = None) -> float:
        return sum(
            weight * max((self.documents.get(name, {}).get(aspect, 0.0) * (shares or {}).get(name, 1.0) for name in names), default=0.0)
            for aspect, weight in self.weights.items()
        )


def inputs_of(pools: Mapping[str, Pool]) -> dict[str, Any]:
    return {
        "rankings": {query: pool.listed for query, pool in pools.items()},
        "subtopics": [
            (query, f"{query}:{aspect}", name, 1, strength)
            for query, pool in pools.items()
            for name, has in pool.documents.items()
            for aspect, strength in has.items()
        ],
        "weights": [(query, f"{query}:{aspect}", weight) for query, pool in pools.items() for aspect, weight in pool.weights.items()],
        "lengths": {name: tokens for pool in pools.values() for name, tokens in pool.lengths.items()},
    }


def check(found: float, reached: float, best: float, where: Any) -> None:
    if best == 0:
        assert math.isnan(found), where
    else:
        assert math.isclose(found, reached / best, rel_tol=1e-12, abs_tol=1e-12), (where, found, reached / best)


@pytest.mark.parametrize("seed", range(12))
def test_against_all_choices_and_orders(seed: int) -> None:
    budget, alpha = (5, 8, 12, 20)[seed % 4], (0.5, 0.0, 1.0, 0.3, 0.5)[seed % 5]
    pools = {f"q{number}": Pool(1000 * seed + number, budget) for number in range(100)}
    pools = {query: pool for query, pool in pools.items() if any(pool.documents.values())}
    of_gains = {partial: asp.AlphaNDCG(k=asp.Tokens(budget), alpha=alpha, partial=partial) for partial in PARTS}  # type: ignore[arg-type]
    of_coverage = {
        partial: asp.AspectRecall(k=asp.Tokens(budget), denominator="best", partial=partial)  # type: ignore[arg-type]
        for partial in PARTS
    }
    inputs = inputs_of(pools)
    found = asp.evaluate(inputs.pop("rankings"), [*of_gains.values(), *of_coverage.values()], **inputs)
    assert all(details["open"] == 0 for details in found.details.values())
    scores = {row["user"]: row for row in found.per_user.to_dicts()}
    for query, pool in pools.items():
        contexts = list(pool.contexts)
        best_gain = max(pool.gain(order, alpha) for chosen in contexts for order in permutations(chosen))
        best_coverage = max(map(pool.covered, contexts))
        for partial in PARTS:
            shares = pool.cut(partial)
            names = list(shares)
            check(scores[query][str(of_gains[partial])], pool.gain(names, alpha, shares), best_gain, (query, partial))
            check(scores[query][str(of_coverage[partial])], pool.covered(names, shares), best_coverage, (query, partial))


def test_the_ideal_grows_with_the_budget() -> None:
    pools = {f"q{number}": Pool(number, 20) for number in range(60)}
    inputs = inputs_of(pools)
    cutoffs = tuple(asp.Tokens(budget) for budget in range(1, 21))
    world = asp.World.of(inputs.pop("rankings"), **inputs)
    for metric in (asp.AlphaNDCG(k=cutoffs), asp.AspectRecall(k=cutoffs, denominator="best")):
        ideals = metric.resolved(world.truth).fractions_at_all(world).denominators
        assert (np.diff(ideals, axis=1) >= -1e-12).all()


@pytest.mark.parametrize(
    "metric", ["AspectRecall(judged_by=history, denominator=best, pool=catalogue)", "AlphaNDCG(judged_by=history, pool=catalogue)"]
)
def test_users_with_the_same_interests_share_a_problem(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[Any] = []

    def counted(work: Any, tasks: Sequence[Any], stop: Any) -> list[Any]:
        solved.extend(tasks)
        return on_all_cores(work, tasks, stop)

    monkeypatch.setattr("aspectrum.ideal.context.on_all_cores", counted)
    aspects = {"a": ["x"], "b": ["x", "y"], "c": ["z"], "d": ["y", "z"]}
    history = {"u": ["a"], "v": ["b"], "w": ["a"], "t": ["b", "a"]}
    lists = {"u": ["b", "c"], "v": ["c", "a"], "w": ["a"], "t": ["d", "a"]}
    world = asp.World.of(lists, aspects=aspects, history=history, lengths={"a": 2, "b": 3, "c": 1, "d": 2})
    both = asp.parse(f"{metric}@3t,5t")
    scores = both.scores(world)  # type: ignore[attr-defined]
    assert len(solved) == 4, "two interests at each of two budgets"
    for user, items in lists.items():
        alone = asp.World.of({user: items}, aspects=aspects, history={user: history[user]}, lengths={"a": 2, "b": 3, "c": 1, "d": 2})
        assert both.scores(alone).tolist() == [scores[[*lists].index(user)].tolist()]  # type: ignore[attr-defined]


def large(n_documents: int, n_aspects: int, seed: int = 3) -> dict[str, Any]:
    chance = random.Random(seed)
    names = [f"d{place}" for place in range(n_documents)]
    strengths = {name: {aspect: chance.choice([0.5, 1.0]) for aspect in range(n_aspects) if chance.random() < 0.3} for name in names}
    return {
        "rankings": {"q": chance.sample(names, 20)},
        "subtopics": [("q", aspect, name, 1, strength) for name, has in strengths.items() for aspect, strength in has.items()],
        "lengths": {name: chance.randint(50, 900) for name in names},
    }


def test_where_the_search_stops_there_is_an_interval() -> None:
    """With more to spend the interval narrows, and it always holds what is found with the most."""
    given = large(60, 12)
    lists = given.pop("rankings")
    for name in ("AlphaNDCG(ideal=exact, budget={})@6000t", "AspectRecall(denominator=best, budget={})@600t"):
        intervals = []
        for spent in (0, 0.001, 0.02):
            metric = str(asp.parse(name.format(spent)))
            found = asp.evaluate(lists, metric, **given)
            details = found.details[metric]
            assert details["open"] + details["proved"] == 1
            assert 0 <= details["widest_interval"] < 1
            intervals.append((details["at_least"], found[metric]))
        last_low, last_high = intervals[-1]
        for low, high in intervals:
            assert low <= high
            assert low <= last_low * (1 + 1e-12)
            assert high >= last_high * (1 - 1e-12)
    open_ones = asp.evaluate(lists, "AlphaNDCG(ideal=exact, budget=0)@6000t", **given)
    assert open_ones.details["AlphaNDCG(ideal=exact, budget=0.0)@6000t"]["open"] == 1


def test_what_may_be_spent_is_said_once_for_all() -> None:
    given = large(60, 12)
    lists = given.pop("rankings")
    found = asp.evaluate(lists, ["AlphaNDCG@6000t", "AspectRecall(denominator=best)@6000t"], **given, ideal_budget=0.5)
    assert {details["budget"] for details in found.details.values()} == {0.5}
    with pytest.raises(asp.MetricError, match="ideal_seconds=1 is for exact ideals"):
        asp.evaluate(lists, "AlphaNDCG@6000t", **given, ideal_seconds=1)


def test_greedy_by_gain_per_token_is_no_ideal() -> None:
    """A short document of little gain, which greedy takes first, keeps out a long one of much."""
    subtopics = {"q": {"short": [1], "long": [2, 3, 4, 5]}}
    lengths = {"short": 10, "long": 100}
    found = asp.evaluate(
        {"q": ["short", "long"]}, ["AlphaNDCG@100t", "AspectRecall(denominator=best)@100t"], subtopics=subtopics, lengths=lengths
    )
    assert list(found.values()) == [0.25, 0.25]


def test_pools_that_all_users_share() -> None:
    """Judged by genres of the history the pool is the catalogue, to the same numbers as if every item was judged."""
    chance = random.Random(5)
    items = [f"i{place:02}" for place in range(12)]
    aspects = {item: chance.sample("abcdef", chance.randint(0, 3)) for item in items}
    lengths = {item: chance.randint(1, 9) for item in items}
    lists = {user: chance.sample(items, 6) for user in ("ann", "bob")}
    history = {"ann": items[:3], "bob": items[3:5]}
    metrics = ["AlphaNDCG@12t", "AspectRecall(denominator=best, judged_by=history)@12t"]
    shared = asp.evaluate(lists, metrics, aspects=aspects, lengths=lengths, history=history)
    liked = {user: {aspect for item in had for aspect in aspects[item]} for user, had in history.items()}
    judged = {user: {item: [aspect for aspect in aspects[item] if aspect in liked[user]] for item in items} for user in lists}
    own = asp.evaluate(lists, ["AlphaNDCG@12t", "AspectRecall(denominator=best)@12t"], subtopics=judged, lengths=lengths)
    assert list(shared.values()) == pytest.approx(list(own.values()), abs=1e-15)
    with pytest.raises(asp.MetricError, match="pool=unseen does not go with cutoffs in tokens"):
        asp.evaluate(lists, "AlphaNDCG(pool=unseen)@12t", aspects=aspects, lengths=lengths, history=history)


def test_questions_with_several_answers_have_no_best_coverage() -> None:
    bank = Bank({"q": [Question(answers=[{"d1": 1.0}, {"d2": 1.0}]), Question(answers=[{"d1": 1.0, "d3": 1.0}])]})
    lists, lengths = {"q": ["d1", "d2"]}, {"d1": 2, "d2": 2, "d3": 2}
    found = asp.evaluate(lists, ["AspectRecall@2t,4t", "Density@4t"], subtopics=bank, lengths=lengths)
    assert list(found.values()) == [0.5, 1.0, 500.0]
    truth = asp.Truth.read(subtopics=bank, lengths=lengths)
    for metric, instead in {
        "AspectRecall(denominator=best)@4t": "denominator=attainable",
        "Density(normalize=best)@4t": "leave out",
    }.items():
        with pytest.raises(asp.MetricError, match="best coverage is not known where questions ask for several answers") as raised:
            asp.Plan(metric, truth)
        assert metric in str(raised.value) and instead in str(raised.value)


def test_streams_and_parts_are_the_whole(tmp_path: Any) -> None:
    pools = {f"q{number:03}": Pool(number, 8) for number in range(200)}
    inputs = inputs_of(pools)
    lists = inputs.pop("rankings")
    run = tmp_path / "run.csv"
    rows = [f"{query},{name},{-rank}" for query, ranked in lists.items() for rank, name in enumerate(ranked)]
    run.write_text("\n".join(["user,item,score", *rows]) + "\n")
    metrics = [f"AlphaNDCG(partial={partial})@8t" for partial in PARTS] + ["AspectRecall(denominator=best)@8t", "Density@8t"]
    whole = asp.evaluate(run, metrics, **inputs)
    plan = asp.Plan(metrics, asp.Truth.read(**inputs))
    halves = [dict(list(lists.items())[place::2]) for place in range(2)]
    parts = plan.finish(plan.observe(halves[1]) + plan.observe(halves[0]))
    for other in (
        asp.evaluate(run, metrics, **inputs, memory="4GB", threads=1),
        parts,
        asp.evaluate(lists, metrics, **inputs, batch_size=3),
    ):
        assert [value.hex() for value in other.values()] == [value.hex() for value in whole.values()]


def test_a_proved_score_is_at_least_itself() -> None:
    metric = "AspectRecall(denominator=best)@4000t"
    for seed in range(20):
        chance = random.Random(seed)
        pool = {f"d{place}": chance.sample(range(12), chance.randint(1, 4)) for place in range(30)}
        weights = {"q": {aspect: chance.choice([0.1, 0.3, 0.7]) for aspect in range(12)}}
        lengths = {item: chance.randint(50, 900) for item in pool}
        found = asp.evaluate({"q": [*pool]}, metric, subtopics={"q": pool}, weights=weights, lengths=lengths, ideal_budget=20)
        details = found.details[metric]
        assert (details["proved"], details["at_least"], details["widest_interval"]) == (1, found[metric], 0.0)
