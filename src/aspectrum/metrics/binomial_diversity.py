"""Binomial diversity: coverage and non-redundancy of aspects, given the user's taste."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Counts, Flags, Floats, Offsets, choose_segments
from aspectrum.blocks.aspect_shares import aspect_sums, history_sums, liked_from, where_known
from aspectrum.divergences import cell_sums
from aspectrum.metric import Fractions, UserMetric, check_unit
from aspectrum.states import exact_sums, rounded
from aspectrum.world import Truth, World
from aspectrum.world.aspects import AspectSets


@dataclass(frozen=True)
class BinomialDiversity(UserMetric):
    r"""Coverage times non-redundancy of the aspects in the top k, relative to lists drawn at random from the user's taste.

    .. math:: \prod_{a \notin L} P(X_a = 0)^{1/|A|} \cdot \prod_{a \in L} P(X_a \ge n_a \mid X_a > 0)^{1/|A_L|}
              \quad \text{with} \quad X_a \sim B(|L|, p_a)

    where L is the top k, n_a is the number of its items that have aspect a, A is the set of all aspects and A_L that of the aspects in L.
    The probability p_a is alpha times the share of the user's history items that have aspect a, plus 1 - alpha times the same share over
    the histories of all users. If a threshold is given and the history has grades, only items that reach the threshold count in a history.
    Aspect strengths are not used.

    Args:
        k: Ranks that count; one number or several.
        alpha: Weight of the user's own history; the histories of all users have the rest. Informfully uses 0.9.
        part: The ``product``, or only the factor ``coverage`` or ``non_redundancy``.
        root: Root taken of non-redundancy: the number of aspects ``shown`` in the list, or of ``all`` aspects, as in Informfully.
        missing: A user without a history is ``undefined``, or has the taste of ``everybody``, as in RankSys.

    Range:
        0 to 1.

    Undefined:
        For an empty list; if alpha is above 0, for a user with no item that counts in the history (but see ``missing``); if alpha is below
        1 and no user has such an item.

    References:
        Vargas, Baltrunas, Karatzoglou and Castells, RecSys 2014.

    Examples:
        >>> aspects = {"a": ["x"], "b": ["x", "y"], "c": ["y"], "d": ["y", "z"], "e": ["z"], "f": ["x"]}
        >>> history = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
        >>> world = World.of({"u1": ["d", "e", "f"]}, aspects=aspects, history=history)
        >>> BinomialDiversity(k=3).scores(world)[0].round(6)
        array([0.486587])
    """

    alpha: float = 0.5
    part: Literal["product", "coverage", "non_redundancy"] = "product"
    root: Literal["shown", "all"] = "shown"
    missing: Literal["undefined", "everybody"] = "undefined"

    cites = ("vargas2014coverage",)

    family = "aspects"
    inputs = ("history", "aspects")
    truth = "history"
    built_on = ("history", "aspects")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, alpha=self.alpha)

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return liked_from(truth)

    def fractions(self, world: World) -> Fractions:
        draws = _draws(self, world, world.need_aspects("BinomialDiversity").sets)
        logs = np.zeros(len(draws.n))
        if self.part != "non_redundancy":
            logs = logs + draws.coverage()
        if self.part != "coverage":
            logs = logs + draws.non_redundancy(self.root)
        return where_known(np.where(draws.defined, kernels.powers(2.0, logs), np.nan), self)


@dataclass(frozen=True, eq=False)
class _Taste:
    """Probabilities of aspects for users, as fractions, so that 1 - p is as exact as p.

    Args:
        alpha: Weight of the user's own history, by user.
        own: Number of items in each user's history.
        rows: Number of items in all histories together.
        having: How many of these have each aspect.
    """

    alpha: Floats
    own: Counts
    rows: int
    having: Floats

    def has(self, users: Offsets, aspects: Codes, counts: Floats) -> Floats:
        """p, where a user's history has an aspect `counts` times."""
        alpha = self.alpha[users]
        p: Floats = alpha * (counts / np.maximum(self.own[users], 1)) + (1.0 - alpha) * (self.having[aspects] / max(self.rows, 1))
        return np.where(self.has_not(users, aspects, counts) > 0, np.minimum(p, 1.0), 1.0)

    def has_not(self, users: Offsets, aspects: Codes, counts: Floats) -> Floats:
        """1 - p."""
        alpha, own = self.alpha[users], self.own[users]
        q: Floats = alpha * ((own - counts) / np.maximum(own, 1)) + (1.0 - alpha) * self.shared(aspects)
        return q

    def shared(self, aspects: Codes) -> Floats:
        """The share of the rows of all users that do not have an aspect."""
        q: Floats = (self.rows - self.having[aspects]) / max(self.rows, 1)
        return q


@dataclass(frozen=True, eq=False)
class _Draws:
    """Cells of (user, cutoff): the user, the number of items shown, whether the score is defined, and the counts of aspects."""

    taste: _Taste
    users: Offsets
    n: Counts
    defined: Flags
    history: tuple[Offsets, Codes, Floats]
    shown: tuple[Offsets, Codes, Floats]

    def coverage(self) -> Floats:
        """The logarithm of the product over the aspects that are not shown, of each cell."""
        taste, n_aspects = self.taste, len(self.taste.having)
        offsets, codes, counts = self.history
        users = np.repeat(self.users, np.diff(offsets))
        not_shown = kernels.lookup(offsets, codes, *self.shown[:2]) < 0
        own = _logarithms(taste.has_not(users, codes, counts))
        # Aspects not in the user's history have the probability of all users': their sum is known, less those that are shown.
        new = kernels.lookup(*self.shown[:2], *self.history[:2]) < 0
        rest = np.empty(len(self.n))
        for alpha in np.unique(taste.alpha):
            logs = _logarithms(alpha + (1.0 - alpha) * taste.shared(np.arange(n_aspects, dtype=np.int32)))
            certain, logs = np.isinf(logs), np.where(np.isinf(logs), 0.0, logs)
            several = ((offsets, codes, np.ones(len(codes), np.bool_)), (*self.shown[:2], new))
            left = rounded(exact_sums(logs[:, np.newaxis])[0][0]) - sum(
                cell_sums(ends, np.where(counted, logs[aspects], 0.0)) for ends, aspects, counted in several
            )
            missed = certain.sum() - sum(
                cell_sums(ends, (counted & certain[aspects]).astype(np.float64)) for ends, aspects, counted in several
            )
            here = taste.alpha[self.users] == alpha
            rest[here] = np.where(missed > 0, -np.inf, np.minimum(left, 0.0))[here]
        together = rest + cell_sums(offsets, np.where(not_shown, own, 0.0))
        return np.where(together < 0, np.maximum(self.n, 1) / max(n_aspects, 1) * together, 0.0)

    def non_redundancy(self, root: Literal["shown", "all"]) -> Floats:
        """The logarithm of the product over the aspects that are shown, of each cell."""
        offsets, codes, counts = self.shown
        sizes = np.diff(offsets)
        at = kernels.lookup(offsets, codes, *self.history[:2])
        before = np.where(at >= 0, np.append(self.history[2], 0.0)[at], 0.0)
        p = self.taste.has(np.repeat(self.users, sizes), codes, before)
        tails = kernels.binomial_tails(p, np.repeat(self.n, sizes), counts.astype(np.int64))
        among = sizes if root == "shown" else np.full(len(sizes), len(self.taste.having))
        logs = cell_sums(offsets, _logarithms(tails)) / np.maximum(among, 1)
        return np.where(sizes > 0, logs, -np.inf)


def _logarithms(values: Floats) -> Floats:
    return kernels.logarithms(np.ascontiguousarray(values), 2.0)


def _draws(metric: BinomialDiversity, world: World, sets: AspectSets) -> _Draws:
    history, n_cutoffs = world.need_history("BinomialDiversity"), len(metric.cutoffs)
    own = history.n_liked
    rows, having = world.remember(("rows with aspects", id(sets)), lambda: _rows_with_aspects(world.truth, sets))
    alpha = np.where((own > 0) | (metric.missing == "undefined"), metric.alpha, 0.0)
    users = np.repeat(np.arange(world.n_users), n_cutoffs)
    n = world.rankings.stops(metric.cutoffs).reshape(-1).astype(np.int64)
    known = ((own > 0) | (alpha == 0)) & ((rows > 0) | (alpha == 1))
    offsets, codes, counts = history_sums(history, sets, "count")
    ends, entries = choose_segments(offsets, users)
    shown = aspect_sums(world, sets, "count", metric.cutoffs)
    return _Draws(_Taste(alpha, own, rows, having), users, n, known[users] & (n > 0), (ends, codes[entries], counts[entries]), shown)


def _rows_with_aspects(truth: Truth, sets: AspectSets) -> tuple[int, Floats]:
    """How many rows the histories of all users have, and how many of them each aspect has."""
    often = truth.times_liked
    entries = np.repeat(often[: sets.n_rows], np.diff(sets.offsets))
    return int(often.sum()), np.bincount(sets.codes, weights=entries, minlength=sets.n_aspects)
