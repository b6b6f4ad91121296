"""Serendipity: relevant items that the user would not expect."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.blocks.history_distance import distances_to_history
from aspectrum.blocks.item_values import Average, Over, item_counts, needs_popularity, places_with, value_sums
from aspectrum.blocks.relevant_items import place_sums, relevant_places
from aspectrum.blocks.unexpected_items import has_baseline, sums_outside_baseline
from aspectrum.errors import MetricError
from aspectrum.metric import Fractions, UserMetric, check_goes_with
from aspectrum.wording import listed
from aspectrum.world import Truth, World

Way = Literal["baseline", "popularity", "history"]

_Sums = tuple[Floats, Floats, Mapping[str, Counts]]


@dataclass(frozen=True)
class Serendipity(UserMetric):
    r"""How much of the top k is relevant yet unexpected. Tools define unexpectedness differently; ``unexpected`` selects one.

    .. math:: \frac{1}{\min(k, \left|L_u\right|)} \sum_{j \le k} \text{unexpected}(d_j) \, \text{rel}(d_j)

    where rel(d) is 1 if d is relevant to the user, else 0, and L_u is the list.

    Args:
        k: Ranks that count; one number or several.
        unexpected: ``baseline``: 1 for an item that is not in the top k of a baseline's list for the same user, else 0 (Ge et al.).
            ``popularity``: how far the item is ranked above its popularity rank: max(0, r - j) / N at rank j, where r is the dense
            popularity rank (by number of interactions, 1 for the most popular; ties share a rank and the next rank follows without a gap)
            and N is the size of the catalogue. An unseen item gets (N + 1 - j) / N, which is also the maximum (RecTools). Values are small
            for large catalogues. ``history``: 1 minus the mean similarity to the items in the user's history (Microsoft Recommenders,
            Evidently). Default: the one definition that the inputs allow; if they allow several, it has to be given.
        relevance: ``binary``, or ``none``: every item counts as relevant.
        over: A short list is divided by its length (``list``) or by ``k``; an empty list then scores 0.
        average: Mean over ``users``, or over ``links``: every recommendation has the same weight.
        nothing_relevant: Score of a user with no relevant item: ``undefined``, or ``zero`` (RecTools, Microsoft Recommenders).
        distance: With unexpected=history, 1 - similarity: ``cosine`` is 1 - cos; ``jaccard`` is 1 - |A and B| / |A or B| of the nonzero
            features; ``hamming`` is the share of features that differ.
        missing: With unexpected=history, a relevant item that cannot be compared with the history because features are missing is left out
            (``skip``), and the mean similarity is over the pairs that can be compared; or every pair that cannot be compared has distance 1
            (``far``; Microsoft Recommenders).
        hits: With unexpected=history: ``mean``, as above, or ``sum`` (Evidently): 1 minus the sum, over the relevant items shown, of their
            mean similarity to the history, which may be far below 0; undefined if no relevant item is shown.

    Range:
        0 to 1; with unexpected=history, 0 to 2 under cosine, and with hits=sum at most 1 where no similarity is negative.

    Undefined:
        For an empty list, or one with no items left; for a user with no relevant item; with ``baseline``, for a user without a baseline
        list; with ``popularity``, if no user interacted with any item; with ``history``, for a user without a history.

    References:
        Ge, Delgado-Battenfeld and Jannach, RecSys 2010.

    Examples:
        >>> inputs = {"relevance": {"u": ["a", "b"]}, "baseline": {"u": ["b", "d", "e"]}}
        >>> world = World.of({"u": ["a", "b", "c"]}, **inputs)
        >>> Serendipity(k=(1, 2)).scores(world)
        array([[1. , 0.5]])
    """

    unexpected: Way | None = None
    relevance: Literal["binary", "none"] = "binary"
    over: Over = "list"
    average: Average = "users"
    nothing_relevant: Literal["undefined", "zero"] = "undefined"
    distance: Literal["cosine", "jaccard", "hamming"] = "cosine"
    missing: Literal["skip", "far"] = "skip"
    hits: Literal["mean", "sum"] = "mean"

    cites = ("ge2010beyond",)
    family = "serendipity"
    truth = "relevance"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("distance", "missing", "hits"):
            check_goes_with(self, name, "unexpected", "history", *(() if self.unexpected else (None,)))
        check_goes_with(self, "nothing_relevant", "relevance", "binary")
        check_goes_with(self, "over", "hits", "mean")
        check_goes_with(self, "average", "hits", "mean")
        check_goes_with(self, "hits", "relevance", "binary")
        check_goes_with(self, "nothing_relevant", "hits", "mean")

    @property
    def pooled(self) -> bool:
        return self.average == "links"

    @property
    def built_on(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on the parameters
        return ("popularity", "catalogue") if self.unexpected == "popularity" else ()

    @property
    def relative_to(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("catalogue", "aspects", "features", "items") if self.unexpected == "popularity" else ()

    def needs(self) -> tuple[frozenset[str], ...]:
        also = ("relevance",) if self.relevance == "binary" else ()
        ways = {
            "baseline": (frozenset({"baseline", *also}),),
            "popularity": needs_popularity(*also),
            "history": (frozenset({"history", "features", *also}),),
        }
        if self.unexpected is not None:
            return ways[self.unexpected]
        return (*ways["baseline"], *ways["popularity"])  # which are among those of a history with features

    def undecided(self, inputs: Collection[str]) -> Mapping[str, Sequence[str]]:
        ways = _possible(inputs)
        return {"unexpected": ways} if self.unexpected is None and len(ways) > 1 else {}

    def resolved(self, truth: Truth) -> Self:
        given = [name for name in ("baseline", "popularity", "history", "features") if getattr(truth, name) is not None]
        if undecided := self.undecided(given):
            choices = listed(f"unexpected={way}" for way in undecided["unexpected"])
            raise MetricError(f"Serendipity: the inputs allow several definitions, with different numbers; choose {choices}")
        ways = _possible(given)
        return replace(self, unexpected=ways[0]) if self.unexpected is None and ways else self

    def details(self, truth: Truth) -> Mapping[str, Any]:
        return {"threshold": truth.relevance.threshold} if self.relevance == "binary" and truth.relevance is not None else {}

    def fractions(self, world: World) -> Fractions:
        relevant = np.ones(len(world.rankings.items))
        if self.relevance == "binary":
            relevant = relevant_places(world.rankings, world.need_relevance("Serendipity")).astype(np.float64)
        ways = {"baseline": self._outside_baseline, "popularity": self._before_popularity, "history": self._unlike_history}
        found, n, noticed = ways[self.unexpected or "baseline"](world, relevant)
        if self.relevance == "binary":
            any_relevant = world.need_relevance("Serendipity").n_relevant[:, np.newaxis] > 0
            n = n if self.nothing_relevant == "zero" else np.where(any_relevant, n, 0.0)
        return Fractions(found, n, noticed)

    def _outside_baseline(self, world: World, relevant: Floats) -> _Sums:
        _, n = value_sums(world, relevant, self.cutoffs, self.over)
        found = sums_outside_baseline(world, relevant, self.cutoffs, "Serendipity")
        return found, n * has_baseline(world, "Serendipity"), {}

    def _before_popularity(self, world: World, relevant: Floats) -> _Sums:
        counts, catalogue = item_counts(world, "interactions"), world.truth.catalogue
        n_items = world.truth.n_items if catalogue is None else int(catalogue.sum())
        ranks = world.remember("dense popularity ranks", lambda: _dense_ranks(counts))[world.known_items]
        ahead = np.maximum(np.where(ranks > 0, np.minimum(ranks, n_items + 1), n_items + 1) - world.rankings.ranks, 0)
        found, n = value_sums(world, ahead * relevant, self.cutoffs, self.over)
        return found, n * (n_items if counts.any() else 0), {}  # whole numbers, divided once

    def _unlike_history(self, world: World, relevant: Floats) -> _Sums:
        distances = distances_to_history(world, "Serendipity", distance=self.distance, to="mean", missing=self.missing)
        incomparable: Flags = np.isnan(distances)
        featureless = world.need_features("Serendipity").places(world.rankings.items, self.distance) < 0
        noticed = places_with(world, featureless, self.cutoffs, "places_without_features")
        n_had = np.diff(world.need_history("Serendipity").offsets)
        far = np.where(incomparable, 1.0, distances)
        had = (n_had > 0)[:, np.newaxis]
        if self.hits == "sum":
            hits = place_sums(world.rankings, relevant, self.cutoffs)
            return 1.0 - place_sums(world.rankings, (1.0 - far) * relevant, self.cutoffs), np.where(had & (hits > 0), 1.0, 0.0), noticed
        skipped = incomparable & (relevant > 0) if self.missing == "skip" else None  # of the others it is known that they count 0
        found, n = value_sums(world, far * relevant, self.cutoffs, self.over, skipped=skipped)
        return found, n * had, noticed


def _possible(inputs: Collection[str]) -> list[Way]:
    """Definitions of unexpectedness that some inputs allow."""
    given = set(inputs)
    needed: dict[Way, bool] = {
        "baseline": "baseline" in given,
        "popularity": bool({"popularity", "history"} & given),
        "history": {"history", "features"} <= given,
    }
    return [way for way, is_there in needed.items() if is_there]


def _dense_ranks(counts: Counts) -> Counts:
    """Dense ranks by popularity, 1 for the most popular; 0 for items that no user interacted with."""
    distinct, places = np.unique(counts, return_inverse=True)
    ranks = np.where(distinct > 0, len(distinct) - np.arange(len(distinct)), 0)
    return ranks[places.reshape(counts.shape)]
