"""How far recommended items are from the users' histories."""

from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets
from aspectrum.world import Distance, History, World

NearTo = Literal["mean", "nearest"]
"""The mean distance to the items of the history, or that to the nearest of them."""

Missing = Literal["skip", "zero", "far"]
"""What cannot be compared is left out, is at distance 0, or (each pair by itself) is at distance 1."""


def distances_to_history(world: World, needed_by: str, *, distance: Distance, to: NearTo, missing: Missing = "skip") -> Floats:
    """Distance of each place of each list to the user's history; NaN where nothing can be compared.

    With ``missing="zero"`` it is 0 there. With ``"far"`` every pair without a distance is at distance 1, so that only users without
    a history are left.
    """
    features, rankings = world.need_features(needed_by), world.rankings
    history = world.need_history(needed_by)
    others = features.places(_in_order_of_ids(world, history), distance)
    places = features.places(rankings.items, distance)
    distances = features.distances_to(distance, to == "nearest", rankings.offsets, places, history.offsets, others)
    if missing == "far":
        return _with_far_pairs(distances, to, rankings.lengths, history.offsets, others)
    return np.where(np.isnan(distances), 0.0, distances) if missing == "zero" else distances


def _in_order_of_ids(world: World, history: History) -> Codes:
    """The items of the history, each user's in an order that does not depend on that of any input's rows: sums then have the same bits."""
    heads = world.truth.items.heads[history.items]
    return history.items[kernels.sort_segments(history.offsets, np.arange(len(heads)), heads)]


def _with_far_pairs(distances: Floats, to: NearTo, lengths: Offsets, offsets: Offsets, others: Codes) -> Floats:
    known = np.diff(np.concatenate(([0], np.cumsum(others >= 0)))[offsets])
    pairs, compared = (np.repeat(numbers, lengths) for numbers in (np.diff(offsets), known))
    compared = np.where(np.isnan(distances), 0, compared)
    near = np.where(np.isnan(distances), 0.0, distances)
    if to == "nearest":
        far: Floats = np.where(compared == pairs, near, np.where(compared == 0, 1.0, np.minimum(near, 1.0)))
    else:
        far = (near * compared + (pairs - compared)) / np.maximum(pairs, 1)
    return np.where(pairs == 0, np.nan, far)
