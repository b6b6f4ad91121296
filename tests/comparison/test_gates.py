"""Gates: one-sided tests of a limit, which agree with Fieller's bound, and share alpha."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.comparison.gates import Gate
from aspectrum.comparison.paired import quantile
from tests.comparison import plain_statistics as plain
from tests.comparison.data import METRIC, by_user, pair, result, results
from tests.strategies import checked

SCORES = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 12)), min_size=10, max_size=30)
LIMITS = st.sampled_from([-0.5, -0.1, -0.01, 0.0, 0.05, 0.3])


@checked(150)
@given(SCORES, LIMITS, st.booleans(), st.booleans())
def test_a_gate_is_a_one_sided_test(scores: list[tuple[int, int]], limit: float, below: bool, relative: bool) -> None:
    a, b = ([one[side] / 4 for one in scores] for side in (0, 1))
    (found,) = asp.compare(pair(a, b), flips=99).check(Gate(METRIC, below, limit, relative))
    z = [y - (1 + limit) * x if relative else y - x - limit for x, y in zip(a, b, strict=True)]
    if max(z) - min(z) < 1e-9:
        return
    p_below, p_above = plain.one_sided_p(a, b, limit, relative)
    beyond, within = (p_below, p_above) if below else (p_above, p_below)
    assert [found.p_beyond, found.p_within] == pytest.approx([beyond, within], rel=1e-7)
    assert found.decision == ("fail" if beyond <= 0.05 else "pass" if within <= 0.05 else "inconclusive")


@checked(150)
@given(SCORES, LIMITS)
def test_a_relative_gate_fails_where_fiellers_bound_lies_beyond_it(scores: list[tuple[int, int]], limit: float) -> None:
    """The bound of a one-sided test at 5 % is the end of a 90 % interval."""
    a, b = ([one[side] / 4 for one in scores] for side in (0, 1))
    bounds = plain.fieller(a, b, quantile(0.95, len(a) - 1))
    if bounds is None or min(abs(end - limit) for end in bounds) < 1e-9 or max(map(abs, np.subtract(b, np.multiply(1 + limit, a)))) < 1e-9:
        return
    comparison = asp.compare(pair(a, b), flips=99)
    (under,), (over,) = comparison.check(Gate(METRIC, True, limit, True)), comparison.check(Gate(METRIC, False, limit, True))
    assert (under.decision == "fail") == (bounds[1] < limit) == (over.decision == "pass")
    assert (over.decision == "fail") == (bounds[0] > limit) == (under.decision == "pass")


def steady(n: int = 40, gain: float = 0.1) -> asp.SystemResults:
    """B gains about as much for every user."""
    base = [0.4 + 0.01 * (place % 7) for place in range(n)]
    return pair(base, [score + gain + 0.002 * (place % 3 - 1) for place, score in enumerate(base)])


def decided(results: asp.SystemResults, *gates: str, **options: list[str]) -> list[str]:
    return [one.decision for one in asp.compare(results).check(*gates, **options)]


def test_three_outcomes() -> None:
    assert decided(steady(), f"{METRIC} < 0") == ["pass"]
    assert decided(steady(gain=-0.1), f"{METRIC} < 0") == ["fail"]
    assert decided(steady(gain=0.0), f"{METRIC} < 0.0001") == ["inconclusive"]
    assert decided(steady(), f"{METRIC} > 50%") == ["pass"]
    assert decided(steady(), f"{METRIC} > 10%") == ["fail"]


def test_what_must_be_shown_fails_otherwise() -> None:
    assert decided(steady(), unless=[f"{METRIC} > -1%"]) == ["pass"]
    assert decided(steady(gain=-0.1), unless=[f"{METRIC} > -1%"]) == ["fail"]
    assert decided(steady(gain=-0.0001), unless=[f"{METRIC} > 0"]) == ["fail"]  # undecided
    assert decided(steady(9), unless=[f"{METRIC} > -1%"]) == ["fail"]
    bare = asp.SystemResults({name: asp.Results(one.columns) for name, one in steady().systems.items()})
    assert decided(bare, unless=[f"{METRIC} > -1%"]) == ["fail"]


def test_too_few_users_decide_nothing() -> None:
    (found,) = asp.compare(steady(9)).check(f"{METRIC} < 50%")
    assert (found.decision, found.p_beyond) == ("inconclusive", None)
    assert found.said == f"B: fail if {METRIC} < 50%: inconclusive, as 9 users are too few to test"
    bare = asp.SystemResults({name: asp.Results(one.columns) for name, one in steady().systems.items()})
    assert "no per-user scores" in asp.compare(bare).check(f"{METRIC} < 50%")[0].said


def test_alpha_is_shared_by_gates_that_fail_if_something_is_shown() -> None:
    base = steady().systems
    three = asp.SystemResults({**base, "C": base["A"]})
    comparison = asp.compare(three)
    gates = comparison.check(f"{METRIC} < 0", f"{METRIC} > 1", unless=[f"{METRIC} > -1%"])
    assert [one.alpha for one in gates] == [0.05 / 4] * 4 + [0.05] * 2
    assert [one.system for one in gates] == ["B", "C"] * 3
    # One gate alone finds what two together cannot.
    d = np.random.default_rng(4).normal(0, 1, 30)
    d = (d - d.mean()) / d.std(ddof=1) * math.sqrt(30)  # so that the standard error is 1
    shift = -1.9
    systems = pair(np.zeros(30), d + shift)
    assert plain.tails(shift, 29)[0] > 0.025 and plain.tails(shift, 29)[0] < 0.05
    assert decided(systems, f"{METRIC} < 0") == ["fail"]
    assert decided(systems, f"{METRIC} < 0", f"{METRIC} > 9")[0] == "inconclusive"


def test_rounding_decides_no_gate() -> None:
    base = [0.1 * (place % 8) for place in range(20)]
    systems = pair(base, [score + 0.1 for score in base])
    assert decided(systems, f"{METRIC} < 0.1", f"{METRIC} > 0.1") == ["pass"] * 2  # nothing varies, and 0.1 is neither below nor above
    assert decided(systems, f"{METRIC} < 0.2", f"{METRIC} > 0.2") == ["fail", "pass"]
    double = pair([score + 0.1 for score in base], [1.1 * (score + 0.1) for score in base])
    assert decided(double, f"{METRIC} < 10%", f"{METRIC} > 10%") == ["pass"] * 2


def test_intervals_of_scores_make_gates_less_certain() -> None:
    base = by_user([0.5] * 20)
    systems = {
        "A": result({METRIC: base}, least={METRIC: base}),
        "B": result({METRIC: by_user([0.6] * 10 + [0.61] * 10)}, least={METRIC: by_user([0.6] * 10 + [0.5] * 10)}),
    }
    (sure,) = asp.compare(
        {name: result({METRIC: dict(zip(base, one.blocks[0].scores[:, 0], strict=True))}) for name, one in systems.items()}
    ).check(f"{METRIC} < 0.09")
    (open_end,) = asp.compare(systems, ignore="other_ideals").check(f"{METRIC} < 0.09")
    assert (sure.decision, open_end.decision) == ("pass", "inconclusive")


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("NDCG@10", "is not of the form METRIC < LIMIT"),
        ("NDCG@10 < ", "is not of the form"),
        ("NDCG@10 <= 1%", "is not of the form"),
        ("NDCG@10 < nan", "is not of the form"),
        ("< 1%", "is not of the form"),
        ("ILD@10 < 1%", "gate ILD@10 < 1%: ILD@10 was not computed"),
        ("nonsense < 1%", "nonsense was not computed"),
    ],
)
def test_gates_that_cannot_be(gate: str, message: str) -> None:
    with pytest.raises(asp.MetricError, match=message):
        asp.compare(steady()).check(gate)


def test_gates_that_need_something_else() -> None:
    with pytest.raises(asp.MetricError, match="the mean of A is 0, and a relative limit needs one above 0"):
        asp.compare(pair([0.0] * 12, [0.1] * 12)).check(f"{METRIC} < -1%")
    with pytest.raises(asp.MetricError, match="gates compare with a baseline"):
        asp.compare(steady(), pairs="all").check(f"{METRIC} < 0")
    two = {name: result({METRIC: by_user([0.1] * 10), "P@10": by_user([0.1] * 10)}) for name in "AB"}
    with pytest.raises(asp.MetricError, match=r"P@10 was not compared; compared are NDCG@10"):
        asp.compare(two, metrics=METRIC).check("P@10 < 0")


@pytest.mark.parametrize("text", ["NDCG@10 < -1%", "ILD@5 > 0", "AlphaNDCG(alpha=0.7)@10 < 2.5%", "NDCG@10 > 1e-05", "a < b > 0.5"])
def test_gates_are_printed_as_they_are_read(text: str) -> None:
    gate = Gate.parse(text)
    assert Gate.parse(str(gate)) == gate
    assert str(gate) == text


def test_what_is_said() -> None:
    (found,) = asp.compare(steady(gain=0.0)).check(f"{METRIC} < 0.01%")
    assert found.decision == "inconclusive"
    assert "with these 40 users a true difference of ±" in found.said
    (found,) = asp.compare(results({"A": by_user([0.1, -0.1] * 8), "B": by_user([0.2, 0.1] * 8)})).check(f"{METRIC} < 0")
    assert found.said.startswith(f"B: fail if {METRIC} < 0: pass (+0.1500; one-sided 95 % bounds +0.")
