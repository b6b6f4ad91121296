"""What aspects contribute is added in ascending order, to the bit, however the kernels get there."""

import random
from collections.abc import Iterable
from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
import pytest

from aspectrum import kernels


def added(terms: Iterable[float]) -> float:
    return reduce(add, sorted(terms), 0.0)


def plain_gains(listed: list[dict[int, float]], weights: list[float], alpha: float, gamma: float | None) -> list[float]:
    """Gains of a list of items, one after the other."""
    left, gains = list(weights), []
    for item in listed:
        if gamma is None:
            gains.append(added(left[aspect] * strength for aspect, strength in item.items()))
        else:
            gains.append(1.0 - reduce(mul, sorted(1.0 - gamma * alpha * strength * left[aspect] for aspect, strength in item.items()), 1.0))
        for aspect, strength in item.items():
            left[aspect] *= 1.0 - alpha * strength
    return gains


@pytest.mark.parametrize("kind", ["masks", "codes", "strengths", "weights"])
@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.9, 1.0, 0.0, 0.75])
@pytest.mark.parametrize("gamma", [None, 0.7])
def test_gains_are_those_of_ordered_terms(kind: str, alpha: float, gamma: float | None) -> None:
    """From one aspect to as many as there are, over lists so long that nothing is left of some."""
    n_aspects = 64 if kind == "masks" else 80
    for seed in range(3):
        draw = random.Random(seed)
        often = draw.sample(range(n_aspects), 3)
        listed = []
        for size in (*range(0, 40), *range(1, n_aspects, 9), n_aspects, *[2] * 60):
            has = {*draw.sample(range(n_aspects), size), *(often if size > 1 else ())}
            listed.append({aspect: draw.random() if kind == "strengths" else 1.0 for aspect in sorted(has)})
        draw.shuffle(listed)
        weights = [draw.random() if kind == "weights" else 1.0 for _ in range(n_aspects)]
        codes = np.array([aspect for item in listed for aspect in item], dtype=np.int32)
        more: dict[str, Any] = {}
        if kind == "masks":
            more["masks"] = np.array([sum(1 << aspect for aspect in item) for item in listed], dtype=np.uint64)
        if kind == "strengths":
            more["strengths"] = np.array([strength for item in listed for strength in item.values()])
        if kind == "weights":
            more |= {"wanted_offsets": np.array([0, n_aspects]), "wanted_codes": np.arange(n_aspects, dtype=np.int32)}
            more["wanted_weights"] = np.array(weights)
        sets = np.cumsum([0, *map(len, listed)])
        rows = np.arange(len(listed), dtype=np.int32)
        cover = kernels.Cover(np.array([0, len(listed)]), rows, sets, codes, n_aspects, **more)
        found = kernels.place_gains(cover, np.array([[len(listed)]], np.int32), alpha, gamma)
        assert found.tolist() == plain_gains(listed, weights, alpha, gamma)
        covered = kernels.covered_aspects(cover, np.array([[1, len(listed)]], np.int32))
        assert covered[0, 0] == added(weights[aspect] * strength for aspect, strength in listed[0].items())
