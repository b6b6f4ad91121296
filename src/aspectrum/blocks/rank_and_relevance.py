"""Metrics in which an item counts by its rank and by how probably it is relevant, after Vargas and Castells (2011)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from aspectrum.arrays import Floats
from aspectrum.blocks.relevant_items import relevant_places, truth_gains
from aspectrum.discounts import Discount, rank_discount
from aspectrum.metric import UserMetric, check_goes_with, check_unit
from aspectrum.world import Truth, World
from aspectrum.world.relevance import check_exponent

RankDiscount = Literal["log", "none", "reciprocal", "geometric"]
RelevanceOfItems = Literal["auto", "binary", "graded", "none"]


@dataclass(frozen=True)
class RankAndRelevanceMetric(UserMetric):
    """A metric in which an item counts by disc(j) p(rel|d_j); its parameter ``relevance`` says what the probability is.

    For binary relevance, ``rel`` is the grade from which an item is relevant.
    """

    abstract: ClassVar[bool] = True

    discount: RankDiscount = "log"
    patience: float = 0.85
    rel: float | None = None

    facts: ClassVar[tuple[str, ...]] = ()
    """As ``built_on``, beside the largest grade."""

    @property
    def built_on(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.facts, *(("relevance",) if self.parameters["relevance"] == "graded" else ()))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_goes_with(self, "rel", "relevance", "auto", "binary")
        check_unit(self, patience=self.patience)
        check_goes_with(self, "patience", "discount", "geometric")

    @property
    def rank_discount(self) -> Discount:
        return rank_discount(self.discount, self.patience)

    @property
    def by_relevance(self) -> bool:
        """Whether items count only as far as they are relevant."""
        return self.parameters["relevance"] in ("binary", "graded")

    @property
    def needs_relevance(self) -> tuple[str, ...]:
        """The input that says what is relevant, where it cannot do without."""
        return (
            ()
            if self.parameters["relevance"] == "none" or (self.parameters["relevance"] == "auto" and self.rel is None)
            else ("relevance",)
        )

    def needs(self) -> tuple[frozenset[str], ...]:
        return (frozenset((*self.inputs, *self.needs_relevance)),)

    def resolved(self, truth: Truth) -> Self:
        if self.parameters["relevance"] != "auto":
            return self
        without = truth.relevance is None and self.rel is None
        return replace(self, relevance="none" if without else "binary")  # type: ignore[call-arg]

    def details(self, truth: Truth) -> Mapping[str, Any]:
        if self.parameters["relevance"] != "binary" or truth.relevance is None:
            return {}
        return {"threshold": truth.relevance.at(self.rel).threshold}

    def place_relevance(self, world: World) -> Floats:
        """p(rel|d) of every place."""
        if self.parameters["relevance"] == "none":
            return np.ones(len(world.rankings.items))
        if self.parameters["relevance"] == "binary":
            return relevant_places(world.rankings, world.need_relevance(type(self).__name__, self.rel)).astype(np.float64)
        _, gains = truth_gains(world, "exponential")
        largest = world.truth.largest_grade("relevance")
        check_exponent(largest)  # also of users whose lists these are not
        shares: Floats = gains / 2.0**largest
        return shares

    def of_users_with_relevant_items(self, world: World, denominators: Floats) -> Floats:
        """The denominators, 0 for users to whom nothing is relevant where relevance counts."""
        if not self.by_relevance:
            return denominators
        relevance = world.need_relevance(type(self).__name__, self.rel)
        return np.where(relevance.n_relevant[:, np.newaxis] > 0, denominators, 0.0)
