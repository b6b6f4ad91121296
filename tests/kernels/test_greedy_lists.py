"""Greedy lists against a plain greedy loop, and their sums against the kernels that only sum."""

import random
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats

N_ASPECTS = 5
Item = Mapping[int, float]


def offsets_of(lengths: Sequence[int]) -> Any:
    return np.cumsum([0, *lengths]).astype(np.int64)


class Draw:
    """Sets of aspects as rows, and users who each have a pool of them."""

    def __init__(self, seed: int, kind: str) -> None:
        choose = random.Random(seed)
        strengths = (1.0,) if kind == "masks" else (0.25, 0.5, 1.0)
        self.n_users = 4
        self.items: list[Item] = [
            {aspect: choose.choice(strengths) for aspect in range(N_ASPECTS) if choose.random() < 0.4} for _ in range(12)
        ]
        self.heads = np.array(choose.sample(range(len(self.items)), len(self.items)), dtype=np.int32)
        self.wanted = [sorted(choose.sample(range(N_ASPECTS), choose.randint(1, N_ASPECTS))) for _ in range(self.n_users)]
        self.pools = [sorted(choose.sample(range(len(self.items)), choose.randint(0, 9))) for _ in range(self.n_users)]
        self.kind = kind

    def cover(self, *, wanting: bool = True) -> kernels.Cover:
        flat = [entry for item in self.items for entry in item.items()]
        n_users = self.n_users if wanting else 1
        more: dict[str, Any] = {}
        if self.kind == "masks":
            more["masks"] = np.array([sum(1 << aspect for aspect in item) for item in self.items], dtype=np.uint64)
            if wanting:
                more["interests"] = np.array([sum(1 << aspect for aspect in wants) for wants in self.wanted], dtype=np.uint64)
        else:
            more["strengths"] = np.array([strength for _, strength in flat])
            if wanting:
                more["wanted_offsets"] = offsets_of([len(wants) for wants in self.wanted])
                more["wanted_codes"] = np.array([aspect for wants in self.wanted for aspect in wants], dtype=np.int32)
        return kernels.Cover(
            np.zeros(n_users + 1, dtype=np.int64),
            np.empty(0, dtype=np.int32),
            offsets_of([len(item) for item in self.items]),
            np.array([aspect for aspect, _ in flat], dtype=np.int32),
            N_ASPECTS,
            **more,
        )

    def plain(self, user: int, pool: Sequence[int], depth: int, alpha: float) -> tuple[list[int], list[float]]:
        """Heads and gains of the greedy list."""
        left = dict.fromkeys(self.wanted[user], 1.0)
        rest = list(pool)
        heads: list[int] = []
        gains: list[float] = []
        while rest and len(heads) < depth:
            gain, head, row = max((self._gain(row, left), int(self.heads[row]), row) for row in rest)
            if gain <= 0:
                break
            heads.append(head)
            gains.append(gain)
            rest.remove(row)
            for aspect, strength in self.items[row].items():
                if aspect in left:
                    left[aspect] *= 1.0 - alpha * strength
        return heads, gains

    def _gain(self, row: int, left: Mapping[int, float]) -> float:
        """Summed in the order of the values, one by one."""
        return reduce(add, sorted(left[aspect] * strength for aspect, strength in self.items[row].items() if aspect in left), 0.0)


def check(heads: Codes, gains: Floats, plain: tuple[list[int], list[float]]) -> None:
    n = len(plain[0])
    assert heads[:n].tolist() == plain[0]
    assert gains[:n].tolist() == plain[1]
    assert (heads[n:] == -1).all()
    assert (gains[n:] == 0).all()


@pytest.mark.parametrize("kind", ["masks", "codes"])
@pytest.mark.parametrize("alpha", [0.5, 0.3, 1.0, 0.0])
@pytest.mark.parametrize("depth", [0, 1, 3, 20, -1])
def test_lists_over_own_pools(kind: str, alpha: float, depth: int) -> None:
    for seed in range(10):
        draw = Draw(seed, kind)
        cover = draw.cover()
        offsets = offsets_of([len(pool) for pool in draw.pools])
        pool_rows = np.array([row for pool in draw.pools for row in pool], dtype=np.int32)
        rows, heads, gains = kernels.greedy_pool_lists(cover, offsets, pool_rows, draw.heads, depth, alpha)
        largest = max(map(len, draw.pools))
        assert rows.shape == heads.shape == gains.shape == (draw.n_users, largest if depth < 0 else min(depth, largest))
        assert np.where(heads < 0, -1, draw.heads[rows]).tolist() == heads.tolist()
        for user, pool in enumerate(draw.pools):
            check(heads[user], gains[user], draw.plain(user, pool, len(heads[user]), alpha))
        discounts = kernels.log_discounts(0, largest, 2.0)
        sums = kernels.greedy_pools(cover, offsets, pool_rows, draw.heads, np.array([depth]), discounts, alpha)
        expected = [sum(gain * discounts[rank] for rank, gain in enumerate(of_user)) for of_user in gains.tolist()]
        assert sums[:, 0].tolist() == expected


@pytest.mark.parametrize("kind", ["masks", "codes"])
@pytest.mark.parametrize("excluding", [False, True])
@pytest.mark.parametrize("depth", [2, -1])
def test_lists_over_a_catalogue(kind: str, excluding: bool, depth: int) -> None:
    for seed in range(10):
        draw = Draw(seed, kind)
        n = len(draw.items)
        order = np.argsort(-draw.heads).astype(np.int32)
        catalogue = kernels.distinct_sets(draw.cover(wanting=False), order, draw.heads)
        out = [[int(draw.heads[row]) for row in pool] for pool in draw.pools]
        excluded = (
            (offsets_of([len(one) for one in out]), np.array([head for heads in out for head in heads], dtype=np.int32))
            if excluding
            else (None, None)
        )
        rows, heads, gains = kernels.greedy_catalogue_lists(draw.cover(), *catalogue, n, *excluded, depth=depth, alpha=0.5)
        assert (rows >= 0).tolist() == (heads >= 0).tolist()
        for user, pool in enumerate(draw.pools):
            offered = [row for row in range(n) if not excluding or row not in pool]
            check(heads[user], gains[user], draw.plain(user, offered, len(heads[user]), 0.5))


def test_depths_are_checked() -> None:
    draw = Draw(0, "masks")
    with pytest.raises(ValueError, match="depth"):
        kernels.greedy_pool_lists(draw.cover(), np.zeros(5, dtype=np.int64), np.empty(0, dtype=np.int32), draw.heads, -2, 0.5)
