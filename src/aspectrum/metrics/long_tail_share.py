"""Share of the list that is in the long tail of popularity."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import ClassVar, Literal, Self

import numpy as np

from aspectrum.arrays import Counts, Flags
from aspectrum.blocks.item_values import Average, Counted, Over, item_counts, needs_popularity, unseen_places, value_sums
from aspectrum.blocks.long_tail import Reach, head_by_interactions, head_by_items
from aspectrum.errors import MetricError
from aspectrum.metric import Aliases, Fractions, UserMetric, check_goes_with, check_unit
from aspectrum.world import Truth, World

_HEADS = {"items": 0.2, "interactions": 0.8, "seen_items": None}


@dataclass(frozen=True)
class LongTailShare(UserMetric):
    r"""Share of the top k that is in the long tail, that is, not among the most popular items (the head).

    .. math:: \frac{|\{j \le k : d_j \in \text{tail}\}|}{\min(k, \left|L_u\right|)}

    where L_u is the list, and the tail is the catalogue without the head. Ties in popularity are broken by item id, the smaller id first
    (numbers by value, text bytewise). An item outside a given catalogue is neither head nor tail. Without a catalogue, the head is chosen
    from all items in the other inputs, and an item found only in the lists is tail, unless ``unseen_in_tail`` is false; RSP and REO leave
    such an item out. With by=seen_items, the catalogue is not used and unseen items are never tail.

    Args:
        k: Ranks that count; one number or several.
        by: How head and tail are split. ``items``: the head is a share of the items in the catalogue, rounded, at least one.
            ``interactions``: the head is the most popular items that together have a share of all interactions, including the item that
            reaches it (Elliot, WarpRec). ``seen_items``: the tail is a share of the items that any user interacted with, the least popular
            first, rounded down, at least one; of tied items, those with smaller ids go to the tail (RecBole, hopwise).
        head: Share of the items, or of the interactions, in the head. Default: 0.2 of the items, 0.8 of the interactions.
        tail: With by=seen_items, the share of items in the tail; above 1, the largest number of interactions of an item in the tail.
            Default: 0.1.
        unseen_in_tail: Whether unseen items, which no user interacted with, are in the tail. In Elliot they are in neither part.
        reach: With by=interactions, whether the head has ``at_least`` its share of the interactions, or ``more`` than it (WarpRec).
        count: Number of tail items instead of their share (ACLT).
        over: A short list is divided by its length (``list``) or by ``k`` (WarpRec); an empty list then scores 0.
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight.

    Range:
        0 to 1; with ``count``, 0 to k.

    Undefined:
        For an empty list; if no user interacted with any item.

    References:
        Abdollahpouri, Burke and Mobasher, FLAIRS 2019.

    Examples:
        >>> history = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
        >>> world = World.of({"u3": ["b", "e", "c"]}, history=history, catalogue=list("abcdefgh"))
        >>> LongTailShare(k=3).scores(world)[0].round(4)
        array([0.6667])
    """

    by: Literal["items", "interactions", "seen_items"] = "items"
    head: float | None = None
    tail: float | None = None
    unseen_in_tail: bool = True
    reach: Reach = "at_least"
    count: bool = False
    over: Over = "list"
    average: Average = "users"

    cites = ("abdollahpouri2019managing",)
    family = "popularity"
    built_on = ("popularity", "catalogue")
    aliases: ClassVar[Aliases] = {
        "APLT": {},
        "ACLT": {"count": True},
        "TailPercentage": {"by": "seen_items"},
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_goes_with(self, "head", "by", "items", "interactions")
        check_goes_with(self, "tail", "by", "seen_items")
        check_goes_with(self, "unseen_in_tail", "by", "items", "interactions")
        check_goes_with(self, "reach", "by", "interactions")
        check_goes_with(self, "over", "count", False)
        check_goes_with(self, "average", "count", False)
        check_unit(self, head=self.head or 0.0)
        if self.tail is not None and self.tail <= 0:
            raise MetricError(f"LongTailShare: tail is {self.tail:g}, expected a share above 0, or a number of interactions above 1")

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    @property
    def relative_to(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on the parameters
        return ("catalogue", "aspects", "features", "items") if self.by == "items" else ()

    def needs(self) -> tuple[frozenset[str], ...]:
        return needs_popularity()

    def resolved(self, truth: Truth) -> Self:
        if self.by == "seen_items":
            return replace(self, tail=0.1 if self.tail is None else self.tail)
        return replace(self, head=_HEADS[self.by] if self.head is None else self.head)

    def fractions(self, world: World) -> Fractions:
        _, noticed = unseen_places(world, item_counts(world, self._counted), self.cutoffs)
        facts = (self.by, self.head, self.tail, self.unseen_in_tail, self.reach)
        tail = world.remember(("long tail", *facts), lambda: self._tail(world))
        found, n = value_sums(world, tail[world.known_items].astype(np.float64), self.cutoffs, self.over)
        if self.count:
            n = np.where(n > 0, 1.0, 0.0)
        return Fractions(found, n if world.truth.item_popularity.n_interactions else np.zeros_like(n), noticed)

    @property
    def _counted(self) -> Counted:
        return "users" if self.by == "items" else "interactions"

    def _tail(self, world: World) -> Flags:
        """Items of the tail, by code in the truth; the last flag is that of items that only lists name."""
        counts = item_counts(world, self._counted)
        possible = np.append(np.ones(world.truth.n_items, np.bool_) if world.truth.catalogue is None else world.truth.catalogue, False)
        heads = np.append(world.truth.items.heads, world.truth.n_items)
        if self.by == "seen_items":
            return self._least_seen(counts, heads)
        tail: Flags = possible.copy()
        tail[-1] = world.truth.catalogue is None
        tail[self._head(world.truth)] = False
        return tail if self.unseen_in_tail else tail & (counts > 0)

    def _head(self, truth: Truth) -> Counts:
        assert self.head is not None
        return head_by_items(truth, self.head) if self.by == "items" else head_by_interactions(truth, self.head, self.reach)

    def _least_seen(self, counts: Counts, heads: Counts) -> Flags:
        """A share of the items any user interacted with, or those with at most so many interactions."""
        tail = np.zeros(len(counts), dtype=np.bool_)
        seen = np.flatnonzero(counts)
        share = Fraction(repr(self.tail))
        if share > 1:
            tail[seen] = counts[seen] <= floor(share)
        else:
            ordered = seen[np.lexsort((heads[seen], counts[seen]))]
            tail[ordered[: max(1, floor(share * len(seen)))]] = True
        return tail
