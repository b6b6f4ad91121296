"""Who is best, who ties, who is worth considering: against brute force."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.comparison.marks import Pareto, Standing, pareto, standing
from tests.comparison.data import METRIC, Effort, by_user, result, results, skewed
from tests.strategies import checked

NAMES = "ABCDE"


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, float], set[tuple[str, str]]]:
    """Means with ties, and pairs of which the first is significantly better; no pair both ways, and none against the means."""
    names = NAMES[: draw(st.integers(0, 5))]
    means = {name: float(draw(st.integers(0, 4))) for name in names}
    better = {(one, other) for one, other in product(names, repeat=2) if means[one] > means[other] and draw(st.booleans())}
    return means, better


@checked(200)
@given(tables())
def test_standings(table: tuple[dict[str, float], set[tuple[str, str]]]) -> None:
    means, better = table
    found = standing(means, lambda one, other: (one, other) in better)
    best = [one for one in means if len(means) > 1 and all((one, other) in better for other in means if other != one)]
    assert len(best) <= 1
    assert found.best == (best[0] if best else None)
    if best:
        rest = [one for one in means if one != best[0]]
        second = [one for one in rest if len(rest) > 1 and all((one, other) in better for other in rest if other != one)]
        assert (found.tie, found.second) == ((), second[0] if second else None)
        return
    assert found.second is None
    if len(means) < 2:
        assert found == Standing()
        return
    leaders = [one for one in means if means[one] == max(means.values())]
    expected = [{name for name in means if name == leader or (leader, name) not in better} for leader in leaders]
    assert set(found.tie) in expected  # of leaders with equal means, the tie is with one of them; all of them are in it
    assert set(leaders) <= set(found.tie)


def test_no_leader_of_equal_means_is_best() -> None:
    assert standing({"A": 0.5, "B": 0.5, "C": 0.1}, lambda one, other: True) == Standing(tie=("A", "B"))


@checked(50)
@given(tables())
def test_lower_may_be_better(table: tuple[dict[str, float], set[tuple[str, str]]]) -> None:
    means, better = table
    turned = {name: -mean for name, mean in means.items()}
    assert standing(turned, lambda one, other: (one, other) in better, higher_is_better=False) == standing(
        means, lambda one, other: (one, other) in better
    )


@checked(200)
@given(
    st.dictionaries(st.sampled_from(NAMES), st.tuples(st.integers(0, 3), st.integers(0, 3))),
    st.sets(st.tuples(*[st.sampled_from(NAMES)] * 2)),
)
def test_pareto_fronts(points: dict[str, tuple[int, int]], clear: set[tuple[str, str]]) -> None:
    def dominates(one: str, other: str) -> bool:
        (x, y), (u, v) = points[one], points[other]
        return x >= u and y >= v and (x > u or y > v)

    beats = {(one, other) for one, other in clear if one in points and other in points and dominates(one, other)}
    found = pareto({name: (float(x), float(y)) for name, (x, y) in points.items()}, lambda one, other: (one, other) in beats)
    front = {name for name in points if not any(dominates(other, name) for other in points)}
    clearly = {name for name in points if any((other, name) in beats for other in points)}
    assert set(found.front) == front
    assert set(found.clearly_dominated) == clearly
    assert set(found.open) == set(points) - front - clearly
    assert [points[name][0] for name in found.front] == sorted((points[name][0] for name in found.front), reverse=True)


def test_marks_of_a_comparison_follow_adjusted_p_values() -> None:
    scores = skewed(2, 200, 3)
    scores[:, 2] += 0.3
    made = {name: result({METRIC: by_user(scores[:, place]), "P@10": by_user(1 - scores[:, place])}) for place, name in enumerate("ABC")}
    comparison = asp.compare(made)
    assert comparison.standings[METRIC].best == "C"
    assert comparison.mark(comparison[METRIC, "C"]) == "▲"
    assert comparison.mark(comparison[METRIC, "B"]) == "≈"
    assert comparison.standings["P@10"].tie == ("A", "B")
    assert comparison.pareto(METRIC, "P@10").front[0] == "C"
    assert comparison.pareto(METRIC, METRIC) == Pareto(("C",), ("A", "B"), ())
    reverse = asp.compare(results({name: by_user(scores[:, place]) for place, name in enumerate("ABC")}, metrics={METRIC: Effort(k=10)}))
    assert reverse.standings[METRIC].tie == ("A", "B")
    found = reverse[METRIC, "C"]
    assert (reverse.mark(found), found.difference > 0) == ("▲", True)  # the arrow has the direction of the difference
    assert (found.losses or 0) > (found.wins or 0)


def test_nothing_is_marked_without_a_correction_or_a_test() -> None:
    scores = skewed(2, 40, 3)
    scores[:, 2] += 0.5
    made = results({name: by_user(scores[:, place]) for place, name in enumerate("ABC")})
    assert asp.compare(made, correction="none").standings[METRIC] == Standing()
    two = results({name: by_user(scores[:, place]) for place, name in {1: "B", 2: "C"}.items()})
    assert asp.compare(two, correction="none").standings[METRIC].best == "C"  # nothing to correct for
    few = results({name: by_user(scores[:9, place]) for place, name in enumerate("ABC")})
    assert asp.compare(few).standings[METRIC] == Standing()
    assert {asp.compare(few).mark(one) for one in asp.compare(few).differences} == {""}
