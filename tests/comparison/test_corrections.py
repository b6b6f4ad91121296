"""Corrections for many comparisons against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import aspectrum as asp
from aspectrum import kernels
from aspectrum.comparison.corrections import benjamini_hochberg, holm
from aspectrum.comparison.flips import FlippedPair, step_down, sum_of_squares
from tests.comparison import plain_statistics as plain
from tests.comparison.data import METRIC, by_user, result, skewed
from tests.strategies import checked

P = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), min_size=1, max_size=12)


@checked(150)
@given(P)
def test_by_definition(p: list[float]) -> None:
    assert holm(p) == pytest.approx(plain.holm(p), abs=1e-15)
    assert benjamini_hochberg(p) == pytest.approx(plain.benjamini_hochberg(p), abs=1e-15)


def test_nothing_to_correct() -> None:
    assert holm([]) == benjamini_hochberg([]) == []


@checked(15)
@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=10, max_size=10))
def test_max_t_over_all_flips(rows: list[list[int]]) -> None:
    """Two metrics of two systems against a baseline; whole numbers, so that ties tie."""
    scores = np.array(rows)
    systems = {"A": (np.full(10, 2), np.full(10, 2)), "B": (scores[:, 0], scores[:, 1]), "C": (scores[:, 2], scores[:, 3])}
    comparison = asp.compare({name: result({METRIC: by_user(one), "P@10": by_user(two)}) for name, (one, two) in systems.items()})
    keys = [(METRIC, "B"), (METRIC, "C"), ("P@10", "B"), ("P@10", "C")]
    columns = [(scores[:, place] - 2).tolist() for place in (0, 2, 1, 3)]
    assert [comparison[key].p_adjusted for key in keys] == pytest.approx(plain.max_t(columns), abs=1e-15)


def flipped(*columns: list[int], flips: int = 99) -> list[FlippedPair]:
    """Pairs of each column with zeros, under random flips."""
    units = np.array(columns).T
    sums = np.asfortranarray(kernels.flipped_sums(np.ascontiguousarray(units), 0, 0, flips))
    return [FlippedPair(len(own), sum(own), sum_of_squares(np.array(own)), sums, place, None) for place, own in enumerate(columns)]


def test_no_adjusted_p_value_is_below_the_raw_one() -> None:
    """A raw one may be exact where the adjusted one comes from random flips."""
    pairs = flipped([5] * 20, [1, -1] * 10)
    assert step_down(pairs, [0.0, 0.0], exact=False).p[0] == 0.01
    assert step_down(pairs, [0.5, 0.0], exact=False).p[0] == 0.5


def test_differences_that_vary_by_rounding_have_an_infinite_t() -> None:
    nearly, some, none = flipped(
        [2**39 + (place % 2 << 18) for place in range(20)], [2**39 + (place % 2 << 30) for place in range(20)], [0] * 20
    )
    assert (nearly.size, none.size) == (math.inf, 0.0)
    assert math.isfinite(some.size)
    assert none.sizes.tolist() == [0.0] * 99


def many(n_users: int, n_systems: int) -> dict[str, asp.Results]:
    scores = skewed(1, n_users, n_systems)
    return {f"s{place}": result({METRIC: by_user(scores[:, place])}) for place in range(n_systems)}


def test_families() -> None:
    systems = many(60, 4)
    own = {name: one.blocks[0].scores[:, 0] for name, one in systems.items()}
    both = {name: result({METRIC: by_user(scores), "P@10": by_user(scores**2)}) for name, scores in own.items()}
    assert asp.compare(both).found.family_size == 6
    assert asp.compare(both, pairs="all").found.family_size == 12
    within = asp.compare(both, family="metric", correction="holm")
    assert within.found.family_size == 3
    alone = asp.compare(systems, correction="holm")
    for name in ("s1", "s2", "s3"):
        assert within[METRIC, name].p_adjusted == alone[METRIC, name].p_adjusted
    assert "the 3 comparisons of each metric" in within.tested_by
    for one in asp.compare(both).differences:
        assert one.p is not None and one.p_adjusted is not None and one.p_adjusted >= one.p


def test_holm_refuses_too_few_flips() -> None:
    systems = many(60, 5)
    with pytest.raises(asp.InputError, match="10 comparisons need 1,999 flips for Holm; use max-t, or test by t"):
        asp.compare(systems, pairs="all", test="flips", correction="holm", flips=999)
    with pytest.raises(asp.InputError, match="need 1,999 flips for Benjamini-Hochberg"):
        asp.compare(systems, pairs="all", test="flips", correction="bh", flips=1998)
    assert asp.compare(systems, pairs="all", test="flips", correction="holm", flips=1999).found.family_size == 10
    assert asp.compare(systems, pairs="all", correction="holm", flips=99).procedure.test == "t"
    few = many(15, 5)  # whose p-values are exact
    assert asp.compare(few, pairs="all", test="flips", correction="holm", flips=99).found.family_size == 10


def test_detectable_differences_follow_the_correction() -> None:
    systems = many(60, 5)
    found = {correction: asp.compare(systems, test="t", correction=correction) for correction in ("none", "holm", "max-t")}
    for name, critical in {
        "none": stats.t.ppf(0.975, 59),
        "holm": stats.t.ppf(1 - 0.05 / 8, 59),
        "max-t": found["max-t"].found.critical,
    }.items():
        one = found[name][METRIC, "s1"]
        assert one.t and one.minimum_detectable == pytest.approx((critical + stats.t.ppf(0.8, 59)) * one.difference / one.t)
    assert found["none"].found.critical < found["max-t"].found.critical < found["holm"].found.critical + 0.3
    assert not math.isnan(found["max-t"].found.critical)
