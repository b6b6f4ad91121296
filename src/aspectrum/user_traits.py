"""What tells users apart, from what is known of them: how active they are, how broad their interests, how mainstream their taste."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from aspectrum.arrays import Floats, choose_segments
from aspectrum.errors import InputError, MissingInput
from aspectrum.world import Truth
from aspectrum.world.relevance import UserItems

Trait = Literal["activity", "breadth", "mainstreaminess"]

TRAITS: dict[Trait, tuple[str, ...]] = {
    "activity": ("light", "casual", "regular", "heavy"),
    "breadth": ("focused", "moderate", "broad"),
    "mainstreaminess": ("niche", "mixed", "mainstream"),
}
"""Traits, and what their quantiles are called, from the lowest."""


def trait_values(truth: Truth, trait: Trait) -> tuple[Floats, str]:
    """A number for each user of the truth, NaN where it is not known, and what to know of it.

    ``activity`` counts the items of the history; ``breadth`` is the effective number of aspects in it, two to the power of their
    entropy; ``mainstreaminess`` is the mean share of users who have an item. Without a history, relevance takes its place.
    """
    if trait not in get_args(Trait):
        raise InputError(f"segments: unknown trait {trait!r}, expected {', '.join(map(repr, TRAITS))}, or users with their segments")
    known: UserItems | None = truth.history if truth.history is not None else truth.relevance
    if known is None:
        raise MissingInput(f"segments by {trait} need a history")
    note = "" if truth.history is not None else "from the test data, as there is no history: segments and scores share data"
    counts = np.diff(known.offsets)
    users = np.repeat(np.arange(known.n_users), counts)
    if trait == "activity":
        return counts.astype(np.float64), note
    if trait == "mainstreaminess":
        shares = np.bincount(known.items, minlength=truth.n_items) / max(1, int((counts > 0).sum()))
        return _means(users, shares[known.items], counts), note
    if truth.aspects is None:
        raise MissingInput("segments by breadth need aspects")
    offsets, index = choose_segments(truth.aspects.offsets, known.items)
    holders = np.repeat(users, np.diff(offsets))
    pairs, times = np.unique(holders * truth.aspects.n_aspects + truth.aspects.codes[index], return_counts=True)
    owners = pairs // max(1, truth.aspects.n_aspects)
    totals = np.bincount(owners, weights=times, minlength=known.n_users)
    shares = times / totals[owners]
    entropies = np.bincount(owners, weights=-shares * np.log2(shares), minlength=known.n_users)
    return np.where(totals > 0, 2.0**entropies, np.nan), note


def _means(users: Floats, values: Floats, counts: Floats) -> Floats:
    sums = np.bincount(users, weights=values, minlength=len(counts))
    means = np.full(len(counts), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def quantile_segments(values: Floats, names: tuple[str, ...]) -> dict[str, Floats]:
    """Users by quantile of a value, equal values together: the name of each segment with its range, and who is in it.

    >>> {name: found.tolist() for name, found in quantile_segments(np.array([1.0, 2, 3, 4]), ("low", "high")).items()}
    {'low (1 to 2)': [True, True, False, False], 'high (3 to 4)': [False, False, True, True]}
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return {}
    limits = np.quantile(known, np.arange(1, len(names)) / len(names), method="lower")
    places = np.searchsorted(limits, values, side="left")
    found = {}
    for place, name in enumerate(names):
        inside = (places == place) & ~np.isnan(values)
        if inside.any():
            low, high = values[inside].min(), values[inside].max()
            ends = [f"{end:,.0f}" if math.isfinite(end) and end == round(end) else f"{end:.3g}" for end in (low, high)]
            found[f"{name} ({' to '.join(dict.fromkeys(ends))})"] = inside
    return found
