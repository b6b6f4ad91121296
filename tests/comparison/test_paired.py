"""Differences of pairs against their definitions in plain Python, on random small inputs."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import aspectrum as asp
from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.comparison.bootstrap import bootstrap, intervals_of, ratio_bootstrap
from aspectrum.comparison.flips import MOST_EXACT, exact_p, on_grid
from aspectrum.comparison.paired import Paired, fieller, linearised, paired, quantile, skewness, welch
from tests.comparison import plain_statistics as plain
from tests.comparison.data import METRIC, Effort, by_user, pair, result, results
from tests.strategies import checked

SCALES = st.sampled_from([1.0, 0.1, 1e-90, 1e90, 3e-7, 12345.678])
STEPS = st.integers(-8, 8)
"""Scores in steps tie in many ways, and whole numbers tie for sure."""


def near(expected: Any, rel: float = 1e-9) -> Any:
    return pytest.approx(expected, rel=rel, abs=0.0, nan_ok=True)


@st.composite
def differences(draw: st.DrawFn, least: int = 2, most: int = 12) -> list[int]:
    """Of all kinds: constant, zero, one that is not zero, many ties."""
    n = draw(st.integers(least, most))
    kind = draw(st.sampled_from(["any", "any", "any", "constant", "one", "zeros", "signs"]))
    if kind == "constant":
        return [draw(STEPS)] * n
    if kind == "one":
        return [draw(STEPS), *[0] * (n - 1)]
    if kind == "zeros":
        return [0] * n
    return draw(st.lists(STEPS if kind == "any" else st.sampled_from([-1, 0, 1]), min_size=n, max_size=n))


@checked(150)
@given(differences(), SCALES)
def test_exact_flips_are_those_of_all_sign_vectors(d: list[int], scale: float) -> None:
    count, total = exact_p(np.array(d) * scale)
    assert Fraction(count, total) == plain.flip_p(d)


@checked(20)
@given(st.lists(STEPS, min_size=14, max_size=16))
def test_halves_that_meet_in_the_middle_miss_nothing(d: list[int]) -> None:
    signs = 1 - 2 * ((np.arange(1 << len(d))[:, np.newaxis] >> np.arange(len(d))) & 1)
    expected = Fraction(int((np.abs(signs @ np.array(d)) >= abs(sum(d))).sum()), 1 << len(d))
    assert Fraction(*exact_p(np.array(d) * 0.1)) == expected


@checked(150)
@given(differences(), SCALES, st.sampled_from([0.95, 0.9, 0.5]))
def test_t_and_its_interval(d: list[int], scale: float, level: float) -> None:
    values = np.array(d) * scale
    found = paired(values)
    t, p = plain.t_test(values.tolist())
    assert found.mean == plain.mean(values.tolist())
    if len(set(d)) == 1:  # the mean of equal numbers may be rounded
        assert found.sd <= 1e-12 * abs(values[0])
        return
    assert (found.t, found.p) == (near(t), near(p))
    assert found.interval(level) == pytest.approx(plain.t_interval(values.tolist(), level), rel=1e-9, abs=1e-12 * scale)
    z = -float(stats.norm.ppf((1 - level) / 2))
    assert found.effect_size is not None
    half = z * math.sqrt(1 / len(d) + found.effect_size**2 / (2 * len(d)))
    assert found.effect_size == pytest.approx(plain.mean(d) / math.sqrt(plain.variance(d)), rel=1e-9, abs=1e-12)
    assert found.effect_interval(level) == pytest.approx((found.effect_size - half, found.effect_size + half))
    moments = [float(sum((Fraction(one) - Fraction(sum(d), len(d))) ** power for one in d)) / len(d) for power in (2, 3)]
    assert skewness(values, found.mean) == pytest.approx(moments[1] / moments[0] ** 1.5, rel=1e-9, abs=1e-9)


def test_no_variation() -> None:
    assert (Paired(5, 0.0, 0.0).t, Paired(5, 0.0, 0.0).p, Paired(5, 0.0, 0.0).effect_size) == (0.0, 1.0, None)
    assert (Paired(5, -0.2, 0.0).t, Paired(5, -0.2, 0.0).p) == (-math.inf, 0.0)
    assert Paired(5, 0.1, 0.0).interval() == (0.1, 0.1)
    assert (Paired(5, 0.1, 0.0).equivalence_p(0.2), Paired(5, 0.3, 0.0).equivalence_p(0.2)) == (0.0, 1.0)


@checked(100)
@given(st.lists(st.tuples(st.integers(-3, 9), st.integers(-3, 9)), min_size=3, max_size=12), SCALES)
def test_relative_intervals_are_fiellers(scores: list[tuple[int, int]], scale: float) -> None:
    a, b = ([float(one[side]) for one in scores] for side in (0, 1))
    n, critical = len(scores), quantile(0.975, len(scores) - 1)
    var_a, var_b, cov = (moment / n * scale * scale for moment in (plain.variance(a), plain.variance(b), plain.covariance(a, b)))
    expected = plain.fieller(a, b, critical)
    found = fieller(plain.mean(a) * scale, plain.mean(b) * scale, var_a, var_b, cov, critical)
    bound = plain.mean(a) ** 2 - critical**2 * plain.variance(a) / n
    if abs(bound) < 1e-9 * plain.mean(a) ** 2:
        return  # on the border, rounding decides
    assert found == (None if expected is None else pytest.approx(expected, rel=1e-7, abs=1e-9))


@checked(60)
@given(st.lists(st.integers(-6, 6), min_size=2, max_size=5), st.sampled_from([1.0, 0.1, 1e-30]))
def test_bca_over_all_resamples(d: list[int], scale: float) -> None:
    values = np.array(d) * scale
    units, shift = on_grid(values, len(d))
    resamples = list(product(range(len(d)), repeat=len(d)))
    found = intervals_of(values, np.array([units[list(one)].sum() for one in resamples]), int(units.sum()), shift)
    if len(set(d)) == 1:
        assert found.percentile == found.bca == (found.percentile[0],) * 2
        assert found.percentile[0] == near(d[0] * scale)
        return
    expected = plain.bca(d, resamples)
    assert expected is not None and found.bca is not None
    near_scale = pytest.approx([end * scale for end in expected], rel=1e-6, abs=1e-9 * scale)
    assert list(found.bca) == near_scale
    means = [sum(d[place] for place in one) / len(d) for one in resamples]
    assert list(found.percentile) == pytest.approx([plain.quantile(means, share) * scale for share in (0.025, 0.975)], abs=1e-9 * scale)


def test_all_resamples_on_one_side_have_no_bca() -> None:
    d = np.array([1.0, 2.0, 4.0])
    units, shift = on_grid(d, 3)
    found = intervals_of(d, np.full(50, 3 * int(units[0])), int(units.sum()), shift)
    assert found.bca is None and found.percentile == (1.0, 1.0)


@checked(30)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=3, max_size=9), st.integers(0, 2**64 - 1))
def test_ratios_are_resampled_by_user(rows: list[tuple[int, int]], seed: int) -> None:
    tops, bottoms = (np.array([float(row[side]) for row in rows]) for side in (0, 1))
    contributions = linearised(tops, bottoms)[1] - linearised(bottoms, tops + bottoms)[1]
    found = ratio_bootstrap(contributions, (tops, bottoms), (bottoms, tops + bottoms), seed=seed, resamples=99)
    n, ratios = len(rows), []
    for row in range(99):
        drawn = [(int(word) * n) >> 64 for word in kernels.random_words(seed, 1, row, n)]
        top, bottom = tops[drawn].sum(), bottoms[drawn].sum()
        ratios.append(top / bottom - bottom / (top + bottom))
    if contributions.std() > 1e-12:
        assert list(found.percentile) == pytest.approx([plain.quantile(ratios, share) for share in (0.025, 0.975)], rel=1e-9, abs=1e-9)


@checked(100)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=12))
def test_linearised_ratios_have_the_ratio_as_mean(rows: list[tuple[int, int]]) -> None:
    tops, bottoms = ([float(row[side]) for row in rows] for side in (0, 1))
    ratio, found = linearised(np.array(tops), np.array(bottoms))
    assert ratio == sum(tops) / sum(bottoms)
    assert found.mean() == near(ratio) if ratio else found.tolist() == [0.0] * len(rows)
    expected = [ratio + (top - ratio * bottom) / (sum(bottoms) / len(rows)) for top, bottom in rows]
    assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@checked(60)
@given(st.lists(st.lists(STEPS, min_size=3, max_size=8).filter(lambda one: len(set(one)) > 1), min_size=2, max_size=4))
def test_welch(groups: list[list[int]]) -> None:
    assert welch([np.array(group, dtype=float) for group in groups])[0] == pytest.approx(plain.welch(groups), rel=1e-9, abs=1e-12)


SCORES = st.one_of(st.integers(-4, 10).map(float), st.just(math.nan))


@checked(80)
@given(st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=24), SCALES, st.booleans())
def test_a_comparison_is_what_its_definitions_say(scores: list[tuple[float, float]], scale: float, lower: bool) -> None:
    a, b = ([one[side] * scale for one in scores] for side in (0, 1))
    metrics = {METRIC: Effort(k=10)} if lower else None
    found = asp.compare(results({"A": by_user(a), "B": by_user(b)}, metrics=metrics), flips=99)[METRIC, "B"]
    both = [(x, y) for x, y in zip(a, b, strict=True) if x == x and y == y]
    assert found.n == len(both)
    assert found.undefined_a == sum(x != x and y == y for x, y in zip(a, b, strict=True))
    assert found.undefined_b == sum(x == x and y != y for x, y in zip(a, b, strict=True))
    assert found.undefined_both == sum(x != x and y != y for x, y in zip(a, b, strict=True))
    if not both:
        assert math.isnan(found.difference) and found.p is None
        return
    steps = [y - x for x, y in scores if x == x and y == y]
    d = [y - x for x, y in both]
    better = [-one if lower else one for one in steps]
    assert (found.wins, found.ties, found.losses) == tuple(sum(kind(one) for one in better) for kind in (_above, _zero, _below))
    assert found.difference == pytest.approx(plain.mean(d), rel=1e-9, abs=1e-12 * scale)
    mean_a, mean_b = (plain.mean([one[side] for one in both]) for side in (0, 1))
    assert (found.mean_a, found.mean_b) == (near(mean_a), near(mean_b))
    assert found.relative == (pytest.approx(mean_b / mean_a - 1, rel=1e-9, abs=1e-12) if mean_a > 0 else None)
    gain = max(better)
    if gain > 0:
        kept = [place for place, (x, y) in enumerate(scores) if x == x and y == y]
        first = kept[better.index(gain)]
        assert found.largest_gain is not None and found.largest_gain[0] == f"u{first:04}"
    else:
        assert found.largest_gain is None
    if len(both) < 10:
        assert (found.p, found.p_adjusted, found.interval, found.significant) == (None, None, None, None)
        return
    assert found.exact == (sum(map(bool, steps)) <= MOST_EXACT)
    whole = [int(one) for one in steps if one]
    if len(whole) <= 12:
        assert found.p == float(plain.flip_p(whole))
    if len(set(steps)) > 1:
        assert (found.t, found.p_t) == (near(plain.t_test(d)[0], 1e-7), near(plain.t_test(d)[1], 1e-7))
    assert found.significant == (found.p_adjusted is not None and found.p_adjusted <= 0.05)


def _above(one: float) -> bool:
    return one > 0


def _zero(one: float) -> bool:
    return one == 0


def _below(one: float) -> bool:
    return one < 0


@checked(60)
@given(
    st.dictionaries(st.integers(0, 40), SCORES, min_size=1, max_size=25),
    st.dictionaries(st.integers(0, 40), SCORES, min_size=1, max_size=25),
    st.dictionaries(st.integers(0, 40), SCORES, min_size=1, max_size=25),
)
def test_users_of_all_systems_are_common(a: dict[int, float], b: dict[int, float], c: dict[int, float]) -> None:
    systems = results({"A": a, "B": b, "C": c})
    same = set(a) == set(b) == set(c)
    if not same:
        with pytest.raises(asp.InputError, match="averaged over different users"):
            asp.compare(systems, flips=99)
    shared = set(a) & set(b) & set(c)
    if not shared:
        with pytest.raises(asp.InputError, match="no user is averaged by all systems"):
            asp.compare(systems, users="common", flips=99)
        return
    comparison = asp.compare(systems, users="common", flips=99)
    for name, other in {"B": b, "C": c}.items():
        found = comparison[METRIC, name]
        kept = [user for user in shared if a[user] == a[user] and other[user] == other[user]]
        assert found.n == len(kept)
        assert found.undefined_a == sum(a[user] != a[user] and other[user] == other[user] for user in shared)
        assert (found.absent_a, found.absent_b) == (len(set(other) - set(a)), len(set(a) - set(other)))


@checked(30)
@given(st.lists(st.tuples(*[st.integers(0, 5)] * 4), min_size=10, max_size=20))
def test_pooled_ratios(rows: list[tuple[int, ...]]) -> None:
    tops, bottoms = ({name: [float(row[place]) for row in rows] for place, name in enumerate("AB", start)} for start in (0, 2))

    def made(name: str) -> asp.Results:  # where a denominator is 0, a score may be undefined, or 0 and without weight
        undefined = {"A": math.nan, "B": 0.0}[name]
        scores = [top / bottom if bottom else undefined for top, bottom in zip(tops[name], bottoms[name], strict=True)]
        return result({METRIC: by_user(scores)}, weights={METRIC: by_user(bottoms[name])})

    found = asp.compare({name: made(name) for name in "AB"}, flips=99)[METRIC, "B"]
    kept = [place for place in range(len(rows)) if bottoms["A"][place] and bottoms["B"][place]]
    assert found.n == len(kept)
    if not kept:
        return
    ratios, columns = {}, {}
    for name in "AB":
        top, bottom = ([values[name][place] for place in kept] for values in (tops, bottoms))
        ratios[name] = sum(top) / sum(bottom)
        columns[name] = [ratios[name] + (t - ratios[name] * b) / (sum(bottom) / len(kept)) for t, b in zip(top, bottom, strict=True)]
    assert [found.mean_a, found.mean_b] == pytest.approx([ratios["A"], ratios["B"]], abs=1e-12)
    own = [tops["B"][place] / bottoms["B"][place] - tops["A"][place] / bottoms["A"][place] for place in kept]
    assert (found.wins, found.losses) == (sum(one > 1e-9 for one in own), sum(one < -1e-9 for one in own))
    assert found.effect_size is None
    d = [b - a for a, b in zip(columns["A"], columns["B"], strict=True)]
    if len(kept) >= 10 and max(d) - min(d) > 1e-9:
        assert found.interval == pytest.approx(plain.t_interval(d, 0.95), rel=1e-7, abs=1e-9)
        assert found.relative_interval == (
            pytest.approx(expected, rel=1e-6, abs=1e-8)
            if (expected := plain.fieller(columns["A"], columns["B"], quantile(0.975, len(kept) - 1))) is not None and ratios["A"] > 0
            else None
        )


def test_monte_carlo_counts_the_flip_found() -> None:
    d: Floats = np.round(np.random.default_rng(5).normal(0.1, 1, 50), 1)
    found = asp.compare(pair(np.zeros(50), d), flips=499, seed=3)[METRIC, "B"]
    words = [kernels.random_words(3, 0, row, 1)[0] for row in range(499)]
    flips = np.array([[1 - 2 * ((int(word) >> user) & 1) for user in range(50)] for word in words])
    tenths = np.rint(d * 10).astype(np.int64)
    b = int((np.abs(flips @ tenths) >= abs(tenths.sum())).sum())
    assert (found.p, found.exact) == ((b + 1) / 500, False)
    assert bootstrap(d, seed=3, resamples=99).percentile[0] < float(d.mean()) < bootstrap(d, seed=3, resamples=99).percentile[1]
