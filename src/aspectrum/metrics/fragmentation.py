"""Fragmentation: divergence between the aspects of different users' lists."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from aspectrum import leave_one_out
from aspectrum.arrays import Floats, Offsets
from aspectrum.blocks.aspect_shares import Mixed, Share, check_divergence, divergence_of, list_shares
from aspectrum.discounts import DiscountKind, rank_discount
from aspectrum.divergences import Distributions, DivergenceKind, LogBase
from aspectrum.metric import Metric
from aspectrum.states import SampledShares, State, exact_sums, rounded
from aspectrum.world import World

_BLOCK = 1 << 20
"""Pairs of users that are compared at a time."""


@dataclass(frozen=True)
class Fragmentation(Metric):
    r"""Mean divergence between the aspects of two users' lists: 0 if all are the same. Which way is better depends on the aim.

    .. math:: \frac{1}{n(n-1)} \sum_{u} \sum_{v \ne u} \delta(q_v, q_u)
              \quad \text{with} \quad q_{u,a} \propto \sum_{j \le k} D(j) \, s(a, d_j)

    over the n users with an aspect in their list, where delta is the Jensen-Shannon divergence (see ``divergence`` for others), D(j) is the
    discount of rank j and s(a, d) is the share of item d that belongs to aspect a. Aspects are usually stories or topics. A system-level
    metric that compares users with one another; :meth:`scores` gives each user's mean divergence from the others in a world.

    With more than 2,000 users, 2,000 are sampled by a hash of their ids: the same users in every part and for every system. The details say
    how many were ``sampled``.

    Args:
        k: Ranks that count; one number or several.
        divergence: ``js``: Jensen-Shannon divergence. ``js_distance``: its square root, which RADio and Informfully call JS. ``kl``: the
            sum of p log(p/q), with alpha of p mixed into q. ``hellinger``: the square root of half the sum of (sqrt p - sqrt q)^2. ``tv``:
            total variation, half the sum of |p - q|. All but KL lie between 0 and 1.
        alpha: Weight of p mixed into q, which keeps ``kl`` finite. RADio uses 0.001.
        mixed: Which distribution is smoothed with alpha: that of the ``list`` (``kl`` only), or ``both``: as much of q is also mixed into
            p, for any divergence, as RADio and Informfully do.
        base: Base of the logarithm; ``e`` for nats.
        discount: D(j): ``reciprocal`` is 1/j, ``none`` 1, ``log`` 1/log2(1+j), ``geometric`` patience^(j-1), ``clipped``
            1/log2(max(j, 2)).
        patience: Ratio of the geometric discount.
        share: ``item``: every item has a total weight of 1, split among its aspects, evenly or by strength. ``pair``: every (item, aspect)
            pair has a weight of 1, or its strength.
        first: Which list is p under ``kl``, which is not symmetric: that of the ``other`` user, as in Informfully, or the user's ``own``,
            as in RADio. It changes per-user numbers (:meth:`scores`), not the mean.

    Range:
        0 to 1; ``kl``: 0 to log2(1/alpha).

    Undefined:
        If fewer than two users have an aspect in the top k.

    References:
        Vrijenhoek et al., RecSys 2022.

    Examples:
        >>> world = World.of({"u": ["a"], "v": ["b"], "w": ["b"]}, aspects={"a": ["x"], "b": ["y"]})
        >>> round(Fragmentation().observe(world)[0].value, 6)
        0.666667
        >>> Fragmentation().scores(world)
        array([[1. ],
               [0.5],
               [0.5]])
    """

    divergence: DivergenceKind = "js"
    alpha: float = 0.01
    mixed: Mixed = "list"
    base: LogBase = 2.0
    discount: DiscountKind = "reciprocal"
    patience: float = 0.85
    share: Share = "item"
    first: Literal["other", "own"] = "other"

    cites: ClassVar[tuple[str, ...]] = ("vrijenhoek2022radio",)

    family = "calibration"
    higher_is_better = None
    inputs = ("aspects",)
    built_on = ("aspects",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_divergence(self)

    def observe(self, world: World) -> list[State]:
        shown, missing = self._shown(world), int((~world.listed).sum())
        built_on = world.truth.fingerprint_of(self.built_on)
        states: list[State] = []
        for place, cutoff in enumerate(self.cutoffs):
            own = self._at(shown, place)
            has = np.flatnonzero(own.sizes > 0)
            undefined = world.n_users - missing - len(has)
            states.append(SampledShares.of(self.at(cutoff), world.users.take(has), own.take(has), undefined, missing, built_on))
        return states

    def value_of(self, state: SampledShares) -> float:
        n = len(state.keys)
        if n < 2:
            return math.nan
        divergence, lists = divergence_of(self), state.lists
        pairs = [np.triu_indices(n, 1)] if self.divergence != "kl" else [np.triu_indices(n, 1), np.tril_indices(n, -1)]
        total = 0
        for left, right in pairs:
            for start in range(0, len(left), _BLOCK):
                some = slice(start, start + _BLOCK)
                total += exact_sums(divergence.of_pairs(lists, lists, left[some], right[some])[:, np.newaxis])[0][0]
        return rounded(total) / (len(pairs) * len(pairs[0][0]))  # all but KL are symmetric

    def contributions(self, world: World, states: Sequence[State]) -> Floats:
        found = np.empty((world.n_users, len(self.cutoffs)))
        for place, state in enumerate(states):
            assert isinstance(state, SampledShares)
            n, value = len(state.keys), state.value
            left = np.full(n, math.nan)
            if n > 2:
                sums = zip(*(self._sums(state.lists, state, np.arange(n), first) for first in _ORDERS), strict=True)
                total = value * n * (n - 1)
                left = np.array([(total - rounded(one + other)) / ((n - 1) * (n - 2)) for one, other in sums])
            without = np.append(left, value)[state.places(world.users)]  # whoever is not compared changes nothing
            found[:, place] = leave_one_out.contributions(value, without)
        return found

    def scores(self, world: World) -> Floats:
        """Each user's mean divergence from the others (of the sample, where there is one), (users, cutoffs); NaN without any."""
        shown, found = self._shown(world), np.full((world.n_users, len(self.cutoffs)), math.nan)
        for place, state in enumerate(self.observe(world)):
            assert isinstance(state, SampledShares)
            own, at = self._at(shown, place), state.places(world.users)
            sums = np.array(list(map(rounded, self._sums(own, state, at, self.first))))
            others = len(state.keys) - (at >= 0)
            np.divide(sums, others, out=found[:, place], where=(own.sizes > 0) & (others > 0))
        return found

    def _shown(self, world: World) -> Distributions:
        sets = world.need_aspects("Fragmentation").sets
        return list_shares(world, sets, self.share, self.cutoffs, rank_discount(self.discount, self.patience))

    def _at(self, shown: Distributions, place: int) -> Distributions:
        """The distributions of all users at one cutoff."""
        return shown.take(np.arange(place, shown.n_cells, len(self.cutoffs)))

    def _sums(self, own: Distributions, state: SampledShares, places: Offsets, first: Literal["other", "own"]) -> list[int]:
        """For each of some lists, the exact sum of the divergences from all that are compared but the one at its own place."""
        divergence, others, n = divergence_of(self), state.lists, len(state.keys)
        sums: list[int] = []
        for start in range(0, own.n_cells, max(1, _BLOCK // max(n, 1))):
            mine = np.arange(start, min(own.n_cells, start + max(1, _BLOCK // max(n, 1))))
            left, right = np.repeat(mine, n), np.tile(np.arange(n), len(mine))
            pairs = (own, others, left, right) if first == "own" else (others, own, right, left)
            apart = np.where(right == places[left], 0.0, divergence.of_pairs(*pairs))
            sums += exact_sums(apart.reshape(len(mine), n).T)[0]
        return sums


_ORDERS: tuple[Literal["other", "own"], ...] = ("other", "own")
