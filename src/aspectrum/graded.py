"""Graded relevance as gains."""

from typing import Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Flags, Floats
from aspectrum.world import World
from aspectrum.world.relevance import exponential


def truth_gains(world: World, gain: Literal["linear", "exponential"]) -> tuple[Floats, Floats]:
    """Gains of the judged items of each user, and of the places of each list (0 where an item has no grade)."""
    relevance = world.need_relevance("a graded metric")
    truth = relevance.gains if gain == "linear" else exponential(relevance.gains)
    at = kernels.lookup(world.rankings.offsets, world.rankings.items, relevance.offsets, relevance.items)
    return truth, np.where(at >= 0, np.append(truth, 0.0)[at], 0.0)


def positive_grades(world: World) -> Flags:
    """Users with a positive grade."""
    relevance = world.need_relevance("a graded metric")
    before = np.concatenate(([0], np.cumsum(relevance.gains > 0)))
    return np.diff(before[relevance.offsets]) > 0
