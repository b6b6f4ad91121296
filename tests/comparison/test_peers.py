"""Statistics live against scipy and statsmodels."""

import math

import numpy as np
import pytest
from scipy import stats

import aspectrum as asp
from aspectrum.comparison.bootstrap import intervals_of
from aspectrum.comparison.corrections import benjamini_hochberg, holm
from aspectrum.comparison.flips import exact_p, on_grid
from aspectrum.comparison.paired import paired, sign_test, welch, wilcoxon
from tests.comparison.data import METRIC, pair, skewed

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("seed", range(5))
def test_paired_t(seed: int) -> None:
    a, b = skewed(seed, 40, 2).T
    found, theirs = asp.compare(pair(a, b), flips=99)[METRIC, "B"], stats.ttest_rel(b, a)
    assert [found.t, found.p_t] == pytest.approx([theirs.statistic, theirs.pvalue])
    interval = theirs.confidence_interval(0.95)
    assert found.interval == pytest.approx((interval.low, interval.high))
    assert found.skewness == pytest.approx(stats.skew(b - a))


@pytest.mark.parametrize("seed", range(5))
def test_exact_sign_flips(seed: int) -> None:
    d = np.random.default_rng(seed).integers(-6, 9, 11).astype(float)  # whole numbers, which tie in scipy, too
    theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)
    count, total = exact_p(d / 10)
    assert count / total == pytest.approx(theirs.pvalue)


def test_monte_carlo_flips_of_the_absolute_mean() -> None:
    """Other random flips, so that the two agree within their error."""
    a, b = skewed(3, 80, 2).T
    d = np.rint(100 * (b - a))
    theirs = stats.permutation_test(
        (d,),
        lambda x, axis: np.abs(x.mean(axis)),
        permutation_type="samples",
        n_resamples=9999,
        alternative="greater",
        rng=1,
        vectorized=True,
    )
    found = asp.compare(pair(a, b))[METRIC, "B"].p
    assert found is not None
    assert abs(found - theirs.pvalue) < 5 * math.sqrt(2 * found * (1 - found) / 9999)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_bootstrap_intervals_from_the_same_distribution(seed: int, method: str) -> None:
    """scipy compares floats where it looks for ties with the estimate, so it gets whole numbers."""
    choose = np.random.default_rng(seed)
    d = choose.integers(-5, 9, 16).astype(float)
    drawn = choose.integers(0, 16, (999, 16))
    units, shift = on_grid(d, 16)
    mine = intervals_of(d, units[drawn].sum(axis=1), int(units.sum()), shift)
    given = stats.bootstrap((d,), np.sum, n_resamples=0, bootstrap_result=_Distribution(d[drawn].sum(axis=1)), method=method)
    low, high = given.confidence_interval
    assert (mine.percentile if method == "percentile" else mine.bca) == pytest.approx((low / 16, high / 16))


class _Distribution:
    def __init__(self, values: np.ndarray) -> None:
        self.bootstrap_distribution = values


@pytest.mark.parametrize("n", [8, 13, 14, 60])
def test_wilcoxon(n: int) -> None:
    a, b = skewed(4, n, 2).T
    d = np.rint(100 * (b - a))
    some = d[d != 0]
    if len(some) <= 13:
        ranks = stats.rankdata(np.abs(some))
        signs = (np.arange(1 << len(some))[:, np.newaxis] >> np.arange(len(some))) & 1
        apart = np.abs(signs @ ranks - ranks.sum() / 2)
        assert wilcoxon(d) == pytest.approx((apart >= abs(ranks[some > 0].sum() - ranks.sum() / 2) - 1e-9).mean())
    else:
        assert wilcoxon(d) == stats.wilcoxon(d, zero_method="wilcox", correction=False, method="asymptotic").pvalue
    assert wilcoxon(np.zeros(5)) == 1.0


def test_wilcoxon_ranks_floats() -> None:
    """As scipy does: differences of 0.1 that rounding tells apart do not tie, and whole numbers do."""
    a, b = np.array([0.2, 0, 0.5, 0.3, 0, 0.4, 0.1, 0.6, 0, 0.3]), np.array([0.3, 0, 0.7, 0.3, 0.1, 0.3, 0.4, 0.8, 0, 0.5])
    theirs = stats.wilcoxon(b - a, zero_method="wilcox", correction=False, method="asymptotic")
    assert (theirs.statistic, theirs.pvalue) == (3.0, pytest.approx(0.06297905121445523))
    assert wilcoxon(b - a) == 0.078125
    assert wilcoxon(np.rint(10 * (b - a))) == 0.0625


@pytest.mark.parametrize(("wins", "losses"), [(6, 1), (1, 6), (0, 5), (20, 20), (150, 110)])
def test_sign_test(wins: int, losses: int) -> None:
    assert sign_test(wins, losses) == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


@pytest.mark.parametrize("seed", range(5))
def test_corrections(seed: int) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(seed).random(20) ** 3
    assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert benjamini_hochberg(p.tolist()) == pytest.approx(multipletests(p, method="fdr_bh")[1].tolist())


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.5])
def test_equivalence(margin: float) -> None:
    from statsmodels.stats.weightstats import ttost_paired

    a, b = skewed(5, 50, 2).T
    assert paired(b - a).equivalence_p(margin) == pytest.approx(ttost_paired(b, a, -margin, margin)[0])


@pytest.mark.parametrize("sizes", [(10, 15), (12, 30, 18), (10, 11, 12, 40)])
def test_welchs_f(sizes: tuple[int, ...]) -> None:
    from statsmodels.stats.oneway import anova_oneway

    choose = np.random.default_rng(6)
    groups = [choose.normal(place / 3, 1 + place, size) for place, size in enumerate(sizes)]
    theirs = anova_oneway(groups, use_var="unequal")
    assert welch(groups) == pytest.approx((theirs.statistic, *theirs.df, theirs.pvalue))
