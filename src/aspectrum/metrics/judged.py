"""Judged: how much of what a list shows was judged at all."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Flags
from aspectrum.blocks.relevant_items import sums_over_orders
from aspectrum.metric import Aliases, Ends, Fractions, UserMetric
from aspectrum.world import Truth, World


@dataclass(frozen=True)
class Judged(UserMetric):
    r"""Share of the top k that is judged for the user, as relevant or not; with ``complement``, the share that is not judged.

    .. math:: \frac{|\{j \le k : d_j \text{ judged for } u\}|}{\min(k, \left|L_u\right|)}, \quad \text{or of those not judged}

    With ``complement`` the items above are those not judged; ``over="k"`` divides by k. What nobody judged counts as not relevant everywhere else.

    Judged are the items of the subtopics, else those of the relevance, whatever their grade. Judgments that name relevant items only, as most
    nuggets do, cannot tell an item that was judged and found wanting from one that nobody looked at.

    Args:
        k: Ranks that count; one number or several.
        judged_by: The input that holds the judgments: ``subtopics`` or ``relevance``. Default: subtopics if given.
        by: Items judged for the ``user``, or for ``anybody``.
        over: A list is divided by its length up to k (``list``), or by ``k``.
        complement: The share that is not judged: holes. With by=anybody and over=k it is Hole@k in FreshStack, which falls where k goes beyond
            the end of a list.

    Range:
        0 to 1.

    Undefined:
        For an empty list; with ``over="k"`` and a cutoff, never.

    References:
        Judged in ir_measures (MacAvaney, Macdonald and Ounis, ECIR 2022). Sakai, SIGIR 2007, on unjudged items.

    Examples:
        >>> world = World.of({"q": ["a", "b", "c", "d"]}, subtopics={"q": {"a": [1], "c": []}})
        >>> Judged(k=(2, 4)).scores(world)
        array([[0.5, 0.5]])
    """

    judged_by: Literal["subtopics", "relevance"] | None = None
    by: Literal["user", "anybody"] = "user"
    over: Literal["list", "k"] = "list"
    complement: bool = False

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]]] = {"over": ("list",)}
    cites = ("macavaney2022streamlining", "sakai2007alternatives")
    aliases: ClassVar[Aliases] = {"Hole": {"by": "anybody", "over": "k", "complement": True}}
    family = "relevance"
    higher_is_better = None  # it is a property of the judgments
    over_orders = True

    def needs(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset((name,)) for name in ("subtopics", "relevance") if self.judged_by in (None, name))

    @property
    def built_on(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on the parameters
        return ("subtopics", "relevance") if self.by == "anybody" else ()

    def resolved(self, truth: Truth) -> Self:
        given: Any = next((name for name in ("subtopics", "relevance") if getattr(truth, name) is not None), None)
        return replace(self, judged_by=self.judged_by or given)

    def fractions(self, world: World) -> Fractions:
        rankings = world.rankings
        judged, ends = sums_over_orders(world, self._judged_places(world).astype(np.float64), self.cutoffs)
        shown = rankings.stops(self.cutoffs).astype(np.float64)
        places = shown if self.over == "list" else rankings.depths(self.cutoffs).astype(np.float64)
        if not self.complement:
            return Fractions(judged, places, ends=ends)
        return Fractions(shown - judged, places, ends=None if ends is None else Ends(shown - ends.greatest, shown - ends.least, ends.sure))

    def _judged_places(self, world: World) -> Flags:
        """Places of the lists whose item is judged."""
        assert self.judged_by is not None
        if self.by == "anybody":
            return np.append(world.truth.items_judged_by(self.judged_by), False)[world.known_items]
        if self.judged_by == "relevance":
            return world.judgments >= 0
        judged, rankings = world.need_subtopics("Judged"), world.rankings
        return kernels.lookup(rankings.offsets, rankings.items, judged.offsets, judged.items) >= 0
