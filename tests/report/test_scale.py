"""Ticks, scales and written numbers."""

import math

from hypothesis import given
from hypothesis import strategies as st

from aspectrum.report.charts.scale import Numbers, Scale, domain, tick_labels, ticks

FLOATS = st.floats(-1e9, 1e9)


@given(FLOATS, st.floats(1e-6, 1e9), st.integers(3, 9))
def test_ticks_are_round_few_and_inside(low: float, extent: float, about: int) -> None:
    high = low + extent
    if extent < 1e-9 * abs(low):
        return
    found = ticks(low, high, about)
    assert 1 <= len(found) <= 3 * about
    assert found == sorted(set(found))
    assert all(low - 1e-6 * extent <= value <= high + 1e-6 * extent for value in found)
    if len(found) > 1:
        step = found[1] - found[0]
        assert float(f"{step:.0e}") - step <= 1e-3 * step or abs(step - round(step, 12)) < 1e-9


@given(st.floats(-1000, 1000), st.floats(1e-3, 1000))
def test_labels_of_ticks_differ(low: float, extent: float) -> None:
    found = ticks(low, low + extent)
    assert len(set(tick_labels(found, Numbers()))) == len(found)


@given(st.lists(st.floats(allow_nan=True), max_size=5))
def test_a_domain_is_never_empty(values: list[float]) -> None:
    low, high = domain(values)
    assert math.isfinite(low) and math.isfinite(high) and low < high
    for value in values:
        if math.isfinite(value) and abs(value) < 1e300:
            assert low <= value <= high
    assert 0 <= Scale(low, high, 0, 100)(low / 2 + high / 2) <= 100


def test_a_turned_scale() -> None:
    scale = Scale(10, 0, 0, 100)
    assert (scale(10), scale(0), scale(2.5)) == (0, 100, 75)
    assert (scale.inside(20), scale.inside(-3)) == (0, 100)


def test_numbers() -> None:
    assert Numbers().value(-0.00001) == "0.000"
    assert Numbers().signed(0.0) == "0.000"
    assert Numbers().signed(0.00001) == "0.000"
    assert Numbers().value(math.nan) == "undefined"
    assert Numbers().value(-1234.5) == "−1,234.500"
    assert Numbers(percent=True).value(0.31234) == "31.2"
    assert Numbers().interval((0.1, 0.2)) == "[0.1000, 0.2000]"
    assert Numbers().interval((math.nan, 0.2)) == ""


def test_percent_labels_of_ticks() -> None:
    assert tick_labels([0.1, 0.15, 0.2], Numbers(percent=True)) == ["10", "15", "20"]
    assert tick_labels([1e6, 2e6], Numbers()) == ["1e6", "2e6"]
