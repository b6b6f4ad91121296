"""The share of the long tail against its definition in plain Python."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.metrics.long_tail_share import LongTailShare
from tests import plain, toy
from tests.plain import Id, PlainWorld
from tests.strategies import CUTOFFS, build, check_scores, checked, same, worlds

SHARES = st.sampled_from([None, 0.0, 0.1, 0.3, 0.5, 0.8, 1.0])
WAYS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"by": st.just("items"), "head": SHARES, "unseen_in_tail": st.booleans()}),
    st.fixed_dictionaries(
        {
            "by": st.just("interactions"),
            "head": SHARES,
            "unseen_in_tail": st.booleans(),
            "reach": st.sampled_from(["at_least", "more"]),
        }
    ),
    st.fixed_dictionaries({"by": st.just("seen_items"), "tail": st.sampled_from([None, 0.1, 0.5, 1.0, 2.0, 3.5])}),
)


def id_order(item: Id) -> Any:
    return item if isinstance(item, int) else item.encode()


def is_in_tail(world: PlainWorld, item: Id, *, by: str, head: Any = None, tail: Any = None, reach: str = "at_least", **more: Any) -> bool:
    users = world.users_of
    if by == "seen_items":
        if tail is not None and tail > 1:
            return 0 < users.get(item, 0) <= float(tail)
        least = sorted(users, key=lambda one: (users[one], id_order(one)))
        return item in least[: max(1, math.floor(Fraction(str(tail or 0.1)) * len(least)))]
    catalogue = world.known_items if world.catalogue is None else set(world.catalogue)
    by_popularity = sorted(catalogue if by == "items" else users, key=lambda one: (-users.get(one, 0), id_order(one)))
    if by == "items":
        exact = Fraction(str(0.2 if head is None else head)) * len(by_popularity)
        the_head = by_popularity[: max(1, math.floor(exact + Fraction(1, 2)))]
    else:
        line = Fraction(str(0.8 if head is None else head)) * sum(users.values())
        the_head, held = [], 0
        for one in by_popularity:
            the_head.append(one)
            held += users[one]
            if held > line or (held == line and reach == "at_least"):
                break
    could_be = world.catalogue is None or item in catalogue
    return could_be and item not in the_head and (more["unseen_in_tail"] or users.get(item, 0) > 0)


def share(world: PlainWorld, user: Id, k: int, over: Any, ways: dict[str, Any]) -> float:
    if not any(world.users_of.values()):
        return math.nan
    return plain.list_mean(world, user, k, lambda item: float(is_in_tail(world, item, **ways)), over=over)


@checked(300)
@given(worlds(references=True), CUTOFFS, WAYS, st.sampled_from(["list", "k"]))
def test_scores_follow_the_definition(world: PlainWorld, k: tuple[int, ...], ways: dict[str, Any], over: Any) -> None:
    check_scores(LongTailShare(k=k, over=over, **ways), world, lambda user, k: share(world, user, k, over, ways))


@checked(50)
@given(worlds(), WAYS)
def test_numbers_and_links(world: PlainWorld, ways: dict[str, Any]) -> None:
    lists = [items[:3] for items in world.rankings.values() if items and world.users_of]
    found = [sum(is_in_tail(world, item, **ways) for item in items) for items in lists]
    counted, linked = LongTailShare(k=3, count=True, **ways), LongTailShare(k=3, average="links", **ways)
    results = asp.evaluate(build(world), [counted, linked])
    assert same(results[counted], plain.ratio(sum(found), len(lists)))
    assert same(results[linked], plain.ratio(sum(found), sum(map(len, lists))))


ELLIOT = "by=interactions, unseen_in_tail=false"


@pytest.mark.parametrize(
    ("metric", "lists", "expected"),
    [
        ("APLT@3", toy.LISTS, 0.888889),
        (f"APLT({ELLIOT})@3", toy.LISTS, 0.222222),
        (f"ACLT({ELLIOT})@3", toy.LISTS, 0.666667),
        ("APLT(by=interactions)@3", toy.LISTS, 0.444444),
        ("APLT(by=interactions, reach=more, over=k)@3", toy.LISTS, 0.444444),
        ("TailPercentage@3", toy.LISTS, 0.222222),
        ("TailPercentage(tail=0.5)@3", toy.LISTS, 0.444444),
        ("TailPercentage(tail=2)@3", toy.LISTS, 7 / 9),
        ("APLT@3", toy.UNEVEN, (1 + 1 + 1 / 2) / 3),
        ("APLT(over=k)@3", toy.UNEVEN, (1 + 1 / 3 + 1 / 3) / 3),
        ("ACLT@3", toy.UNEVEN, (3 + 1 + 1) / 3),
        ("APLT@3", toy.REPEAT, (1 / 2 + 1 / 3 + 1) / 3),
    ],
)
def test_numbers_of_other_programs(metric: str, lists: Any, expected: float) -> None:
    """Elliot: interactions without unseen items; WarpRec: with them; RecBole: TailPercentage."""
    assert asp.evaluate(lists, metric, **toy.TRUTH)[metric] == pytest.approx(expected, abs=1e-6)


def test_scores_by_hand() -> None:
    """The head is a and b."""
    scores = LongTailShare(k=3).scores(asp.World.of(toy.LISTS, **toy.TRUTH))
    assert scores[:3, 0].tolist() == [1.0, 1.0, 2 / 3]


def test_ties_go_to_smaller_ids() -> None:
    history = {1: [10, 9], 2: [10, 9]}
    numbers = asp.World.of({1: [9, 10]}, history=history, catalogue=[8, 9, 10, 11, 12])
    assert LongTailShare(k=(1, 2)).scores(numbers)[0].tolist() == [0.0, 0.5]
    texts = asp.World.of({1: ["9", "10"]}, history={1: ["10", "9"]}, catalogue=["8", "9", "10", "11", "12"])
    assert LongTailShare(k=(1, 2)).scores(texts)[0].tolist() == [1.0, 0.5]
    least = asp.World.of({1: [9, 10]}, history=history)
    assert LongTailShare(k=(1, 2), by="seen_items").scores(least)[0].tolist() == [1.0, 0.5]


def test_who_reaches_the_line() -> None:
    """Half of four interactions are those with a."""
    world = asp.World.of({"u": ["a", "b"]}, history={"u": ["a", "b"], "v": ["a", "c"]})
    assert LongTailShare(k=2, by="interactions", head=0.5).scores(world)[0, 0] == 0.5
    assert LongTailShare(k=2, by="interactions", head=0.5, reach="more").scores(world)[0, 0] == 0.0


def test_shares_are_read_as_they_are_written() -> None:
    """0.7 of 10 interactions are 7, though the binary number is a little less."""
    history = {user: ["a", *(["b"] if user < 3 else [])] for user in range(7)}
    world = asp.World.of({0: ["a", "b"]}, history=history)
    assert LongTailShare(k=2, by="interactions", head=0.7).scores(world)[0, 0] == 0.5
    assert LongTailShare(k=2, by="interactions", head=0.7, reach="more").scores(world)[0, 0] == 0.0


def test_interactions_count_repeats() -> None:
    world = asp.World.of({"u": ["a", "b"]}, history=[("u", "b"), ("u", "b"), ("u", "b"), ("u", "b"), ("v", "a"), ("w", "b")])
    assert LongTailShare(k=2, by="interactions").scores(world)[0, 0] == 0.5
    assert LongTailShare(k=1, by="interactions").scores(world)[0, 0] == 1.0


def test_items_outside_the_catalogue_are_in_neither() -> None:
    inputs: dict[str, Any] = {"history": {"u": ["a", "old"], "v": ["old"]}, "catalogue": ["a", "b"]}
    world = asp.World.of({"u": ["a", "b", "old", "new"]}, **inputs)
    assert LongTailShare(k=4).scores(world)[0, 0] == 0.25
    without = asp.World.of({"u": ["a", "b", "old", "new"]}, history=inputs["history"])
    assert LongTailShare(k=4).scores(without)[0, 0] == 0.75


def test_undefined() -> None:
    world = asp.World.of({"empty": [], "new": ["x"]}, history={"u": ["a"]})
    assert [math.isnan(score) for score in LongTailShare().scores(world)[:2, 0]] == [True, False]
    assert [math.isnan(score) for score in LongTailShare(count=True).scores(world)[:2, 0]] == [True, False]
    assert math.isnan(LongTailShare().scores(asp.World.of({"u": ["a"]}, history={"u": []}))[0, 0])


def test_the_share_that_was_taken_is_told() -> None:
    details = asp.evaluate(toy.LISTS, ["APLT@3", "TailPercentage@3"], **toy.TRUTH).details
    assert details["LongTailShare@3"]["head"] == 0.2
    assert details["LongTailShare(by=seen_items)@3"]["tail"] == 0.1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("head=1.5", "head is 1.5, expected 0 to 1"),
        ("tail=0.1", "tail goes with by=seen_items only"),
        ("by=seen_items, head=0.1", "head goes with by=items or interactions only"),
        ("by=seen_items, tail=0", "tail is 0, expected a share above 0"),
        ("reach=more", "reach goes with by=interactions only"),
        ("count=true, over=k", "over goes with count=false only"),
        ("by=users", "by is 'users', expected"),
    ],
)
def test_parameters_that_are_refused(parameters: str, said: str) -> None:
    with pytest.raises(asp.MetricError, match=said):
        asp.parse(f"LongTailShare({parameters})")
