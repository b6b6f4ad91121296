"""Whole-system metrics without each user, against recomputation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum import leave_one_out
from aspectrum.comparison.paired import paired
from tests.comparison import plain_statistics as plain
from tests.comparison.data import coverage_without, users
from tests.strategies import checked

N_ITEMS = 9
LISTS = st.lists(st.lists(st.integers(0, N_ITEMS - 1), max_size=5, unique=True), min_size=1, max_size=8)
METRICS = {
    "coverage": (plain.coverage, coverage_without),
    "entropy": (plain.entropy, leave_one_out.entropy_without),
    "gini": (plain.gini_complement, leave_one_out.gini_complement_without),
}


@pytest.mark.parametrize("name", METRICS)
@checked(80)
@given(lists=LISTS)
def test_without_each_user(name: str, lists: list[list[int]]) -> None:
    """Lists of unequal length, and empty ones."""
    define, compute = METRICS[name]
    items = np.array([item for one in lists for item in one], dtype=np.int32)
    offsets = np.array([0, *np.cumsum([len(one) for one in lists])], dtype=np.int64)
    found = compute(np.bincount(items, minlength=N_ITEMS), offsets, items)
    assert found.tolist() == pytest.approx(plain.without_each(define, lists, N_ITEMS), abs=1e-12, nan_ok=True)


K = 3
SETTINGS: list[asp.Metric] = [
    asp.CatalogueCoverage(k=K),
    asp.CatalogueCoverage(k=K, percent=True, extra_items=2),
    asp.CatalogueCoverage(k=K, normalize=False),
    asp.CatalogueCoverage(k=K, outside="drop"),
    asp.CatalogueCoverage(k=K, outside="keep"),
    asp.CatalogueCoverage(k=K, of="history"),
    asp.CatalogueCoverage(k=K, of="history", outside="keep"),
    asp.CatalogueCoverage(k=K, normalize=False, weigh="lists"),
    asp.CatalogueCoverage(k=K, normalize=False, weigh="lists", over="k"),
    asp.GiniComplement(k=K),
    asp.Gini(k=K),
    asp.Gini(k=K, divisor="n", extra_items=1),
    asp.Gini(k=K, outside="drop"),
    asp.Gini(k=K, over="recommended"),
    asp.Gini(k=K, discount="log"),
    asp.Gini(k=K, discount="log", outside="drop"),
    asp.Gini(k=K, discount="geometric", patience=0.3, over="recommended", divisor="n"),
    asp.ExposureEntropy(k=K),
    asp.ExposureEntropy(k=K, base="e", normalize="items_shown"),
    asp.ExposureEntropy(k=K, normalize="catalogue", outside="drop"),
    asp.ExposureEntropy(k=K, index="simpson", normalize="catalogue"),
    asp.ExposureEntropy(k=K, weigh="lists"),
    asp.ExposureEntropy(k=K, weigh="lists", over="k", base=10.0, normalize="items_shown"),
    asp.ExposureEntropy(k=K, weigh="lists", index="simpson"),
    asp.ExposureEntropy(k=K, weigh="lists", index="simpson", over="k"),
    asp.EffectiveItems(k=K),
    asp.EffectiveItems(k=K, q=0),
    asp.EffectiveItems(k=K, q=2),
    asp.EffectiveItems(k=K, q=0.75),
    asp.Personalization(k=K),
    asp.Personalization(k=K, over="k"),
    asp.Personalization(k=K, similarity="overlap"),
    asp.Personalization(k=K, similarity="jaccard"),
]


@pytest.mark.parametrize("metric", SETTINGS, ids=str)
@checked(25)
@given(lists=LISTS)
def test_contributions_are_those_of_recomputed_values(metric: asp.Metric, lists: list[list[int]]) -> None:
    """Lists of different lengths, some of them empty, and a catalogue without some of their items where that is no error."""
    outside = 2 if metric.parameters.get("outside", "error") != "error" else 0
    truth = asp.Truth.read(catalogue=list(range(N_ITEMS - outside)), history={99: [0, 1, 2, 4]}, items=list(range(N_ITEMS)))

    def value(some: list[list[int]]) -> float:
        return metric.observe(asp.World.read(dict(enumerate(some)), truth))[0].value

    built = asp.World.read(dict(enumerate(lists)), truth)
    states = metric.observe(built)
    found = metric.contributions(built, states)
    assert found is not None
    without = [value([*lists[:place], *lists[place + 1 :]]) for place in range(len(lists))]
    everybody = [*without, *[states[0].value] * (built.n_users - len(lists))]  # one has no list
    expected = plain.contributions(states[0].value, everybody) if not any(map(math.isnan, everybody)) else None
    if expected is not None:
        assert found[:, 0].tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric", SETTINGS, ids=str)
@pytest.mark.parametrize("catalogue", [[], ["a"]], ids=["no items", "one item"])
def test_contributions_to_nothing_are_nothing(metric: asp.Metric, catalogue: list[str]) -> None:
    for one in (metric, metric.at(-1)):
        some: list[dict[str, list[str]]] = [{}, {"u": []}, {"u": [], "v": catalogue}]
        for lists in some:
            world = asp.World.of(lists, catalogue=catalogue, history={"u": catalogue})
            states = one.observe(world)
            found = one.contributions(world, states)
            assert found is not None and found.shape == (world.n_users, 1)
            assert np.isnan(found).all() or not math.isnan(states[0].value)


@checked(60)
@given(st.floats(-5, 5), st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_contributions_have_the_value_as_mean(value: float, without: list[float]) -> None:
    found = leave_one_out.contributions(value, np.array(without))
    assert found.tolist() == pytest.approx(plain.contributions(value, without), abs=1e-9)
    assert found.mean() == pytest.approx(value, abs=1e-9)
    n = len(without)
    jackknife = math.sqrt((n - 1) / n * math.fsum((one - math.fsum(without) / n) ** 2 for one in without))
    if n > 1:
        assert paired(found).se == pytest.approx(jackknife, abs=1e-9)


@checked(25)
@given(st.lists(st.tuples(*[st.lists(st.integers(0, N_ITEMS - 1), min_size=1, max_size=4, unique=True)] * 2), min_size=10, max_size=14))
def test_whole_system_metrics_are_compared_by_leave_one_out(lists: list[tuple[list[int], list[int]]]) -> None:
    ids = users(len(lists))
    systems = {name: dict(zip(ids, (one[side] for one in lists), strict=True)) for side, name in enumerate("AB")}
    found = asp.compare(asp.evaluate_systems(systems, "GiniComplement@3", catalogue=list(range(N_ITEMS))))["GiniComplement@3", "B"]
    columns = []
    for side in (0, 1):
        cut = [one[side][:3] for one in lists]
        value = plain.gini_complement(cut, N_ITEMS)
        columns.append(plain.contributions(value, plain.without_each(plain.gini_complement, cut, N_ITEMS)))
    d = [b - a for a, b in zip(*columns, strict=True)]
    assert found.difference == pytest.approx(plain.mean(d), abs=1e-9)
    assert (found.wins, found.effect_size, found.largest_gain) == (None, None, None)
    if max(d) - min(d) > 1e-9:
        assert found.interval == pytest.approx(plain.t_interval(d, 0.95), abs=1e-9)
        assert found.t == pytest.approx(plain.t_test(d)[0], rel=1e-6, abs=1e-9)


def test_bootstraps_of_whole_systems_are_refused_with_a_reason() -> None:
    lists = {name: {user: [(place * step) % 7, 7] for place, user in enumerate(users(20))} for name, step in {"A": 1, "B": 3}.items()}
    results = asp.evaluate_systems(lists, "GiniComplement@2", catalogue=list(range(9)))
    by_t, by_bootstrap = (asp.compare(results, interval=kind)["GiniComplement@2", "B"] for kind in ("t", "bca"))
    assert by_bootstrap.interval == by_t.interval
    assert any("bootstrap intervals of whole-system metrics miss the truth" in note for note in by_bootstrap.notes)
