from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from tests.plain import UNDEFINED, Id, PlainWorld, counted_aspects, cut, wanted_aspects
from tests.strategies import build, check_scores, checked, same, worlds


def covered(world: PlainWorld, way: Any, user: Id, items: list[Id]) -> float:
    wanted = wanted_aspects(world, way, user)
    found = [counted_aspects(world, way, user, item) for item in items]
    return sum(weight * max((has.get(aspect, 0.0) for has in found), default=0.0) for aspect, weight in wanted.items())


def density(world: PlainWorld, way: Any, user: Id, items: list[Id]) -> float:
    tokens = sum((world.lengths or {})[item] for item in items)
    if not tokens or not sum(wanted_aspects(world, way, user).values()):
        return UNDEFINED
    return 1000 * covered(world, way, user, items) / tokens


WAYS: Any = st.sampled_from(["subtopics", "relevance", "history", "membership"])


@checked(40)
@given(worlds(references=True), WAYS)
def test_the_plain_definition_at_ranks(world: PlainWorld, way: Any) -> None:
    metric = asp.Density(k=(1, 3, -1), judged_by=way)

    def score(user: Id, k: int) -> float:
        return density(world, way, user, cut(world.rankings[user], k)) if user in world.rankings else UNDEFINED

    check_scores(metric, world, score)


@checked(40)
@given(worlds(references=True), WAYS, st.integers(1, 12))
def test_the_plain_definition_at_tokens(world: PlainWorld, way: Any, budget: int) -> None:
    built = build(world)
    found = asp.Density(k=asp.Tokens(budget), judged_by=way).scores(built)[:, 0]
    for user, score in zip(built.users, found.tolist(), strict=True):
        items: list[Id] = []
        for item in world.rankings.get(user, []):  # type: ignore[call-overload]
            if sum((world.lengths or {})[one] for one in [*items, item]) > budget:
                break
            items.append(item)
        assert same(score, density(world, way, user, items))  # type: ignore[arg-type]


def test_relative_to_the_best_context() -> None:
    """All that fits, in half of the tokens: twice as dense as the best context that needs them all."""
    subtopics, lengths = {"q": {"short": [1, 2], "long": [1, 2]}}, {"short": 200, "long": 400, "nothing": 200}
    metric = asp.Density(k=asp.Tokens(400), normalize="best")
    lists = {"q": ["short"]}
    for listed, expected in ((["short"], 2.0), (["long"], 1.0), (["nothing", "short"], 1.0), (["nothing"], 0.0)):
        found = asp.evaluate({"q": listed}, metric, subtopics=subtopics, lengths=lengths)
        assert found[metric] == expected, listed
    assert asp.evaluate(lists, metric, subtopics=subtopics, lengths=lengths).details[str(metric)]["proved"] == 1


def test_lengths_are_needed() -> None:
    with pytest.raises(asp.MissingInput, match=r"Density.* needs lengths"):
        asp.evaluate({"q": ["a"]}, "Density@1", subtopics={"q": {"a": [1]}})


@pytest.mark.parametrize("metric", ["Density(normalize=best, budget=-1)@4t", "AspectRecall(denominator=best, budget=-1)@4t"])
def test_nobody_spends_less_than_nothing(metric: str) -> None:
    with pytest.raises(asp.MetricError, match="budget is -1, expected 0 or more"):
        asp.parse(metric)
