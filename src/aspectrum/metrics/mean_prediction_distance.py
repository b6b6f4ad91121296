"""Mean prediction distance: how far away recommended contacts are in the network."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Floats
from aspectrum.blocks.relevant_items import place_sums
from aspectrum.blocks.system_metric import SystemMetric
from aspectrum.metric import Aliases
from aspectrum.states import State, Totals
from aspectrum.world import SocialGraph, World


@dataclass(frozen=True)
class MeanPredictionDistance(SystemMetric):
    r"""How far recommended contacts are from the user, in links beyond two: 0 for friends of friends.

    .. math:: \frac{n}{\sum_{(u, v) \in R} 1 / \delta(u, v)} - 2

    where R are the n recommended links, and delta(u, v) is the length of the shortest path from u to v in the train graph. An
    unreachable contact adds nothing to the sum but counts in n. It is a harmonic mean: a few close contacts outweigh many distant ones.
    More distant contacts are more novel, so higher is better. A system-level metric, with no per-user scores.

    Breadth-first searches of 256 users run at once, and end when all recommended contacts are found. They cost O(people + links) per step
    if a distant or unreachable contact is recommended, and far less otherwise.

    Args:
        k: Ranks that count; one number or several.
        empty: Value if nothing is recommended; undefined by default. RELISON has 0.

    Range:
        -1 (all recommended contacts are linked already) to infinity (none can be reached).

    Undefined:
        If nothing is recommended. Users recommended to themselves, and recommendations to users outside the network, do not count.

    References:
        Sanz-Cruzado, Pepa and Castells, MSM 2018. As in RELISON.

    Examples:
        >>> links = {1: [2, 4], 2: [3, 4], 3: [4], 4: [1], 5: [1]}
        >>> world = World.of({1: [3, 5], 2: [1, 5], 3: [1, 2]}, graph=links)
        >>> round(MeanPredictionDistance(k=2).observe(world)[0].value, 6)
        1.272727
    """

    empty: float | None = None

    cites = ("sanzcruzado2018structural",)
    aliases: ClassVar[Aliases] = {"MPD": {}}
    family = "network"
    has_ratios = False
    inputs = ("graph",)
    built_on = ("graph",)

    def terms(self, world: World) -> Floats:
        graph: SocialGraph = world.truth.need("graph", "MeanPredictionDistance")
        rankings, nodes = world.rankings, graph.nodes_of(world.codes)
        lengths = kernels.path_lengths(graph.offsets, graph.targets, *graph.reverse, nodes, rankings.offsets, world.known_items)
        counted, reached = lengths != 0, lengths > 0  # 0 is the user
        columns = [
            counted.astype(np.float64),
            reached.astype(np.float64),
            np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=reached),
        ]
        sums = np.stack([place_sums(rankings, column, self.cutoffs) for column in columns], axis=2)
        sums[nodes < 0] = math.nan
        return sums

    def value_from(self, sums: Floats) -> Floats:
        """From the recommended links, those of them that a path leads to, and the sum of 1 over its length."""
        n, reached, closeness = sums[..., 0], sums[..., 1], sums[..., 2]
        values = np.full(n.shape, math.nan if self.empty is None else self.empty)
        values[n > 0] = math.inf
        some = (n > 0) & (reached > 0)
        values[some] = n[some] / closeness[some] - 2
        return values

    def parts_of(self, state: Totals) -> Mapping[str, float]:
        n, reached, _ = state.rounded
        return {"recommended_links": float(n), "unreachable": float(n - reached)}

    def contributions(self, world: World, states: Sequence[State]) -> Floats | None:
        if not all(math.isfinite(state.value) for state in states):
            return None
        terms = np.nan_to_num(self.resolved(world.truth).terms(world))
        reached = np.stack([state.rounded[1] for state in states if isinstance(state, Totals)])
        # Without a user who alone reaches anybody the rest is infinitely far, and nothing varies by a number.
        return None if (terms[:, :, 1] == reached).any() else super().contributions(world, states)
