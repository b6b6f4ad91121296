"""Which share of lists, histories and the catalogue each aspect has: distributions over aspects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Codes, Floats, Offsets
from aspectrum.discounts import NONE, Discount
from aspectrum.divergences import Distributions, Divergence, cell_sums, check_base, number_of
from aspectrum.errors import InputError, MetricError
from aspectrum.metric import Fractions, Metric, check_goes_with, check_unit
from aspectrum.world import History, Truth, World
from aspectrum.world.aspects import AspectSets

Share = Literal["item", "pair"]
"""Whether an item counts once, shared out among its aspects by their strengths, or once for each of them, by its strength."""

Counting = Literal["item", "pair", "count"]
"""How items count: as shares say, or (``count``) once for each aspect whatever its strength."""

Mixed = Literal["list", "both"]
"""What alpha smooths: the distribution of the list, or both."""


def check_divergence(metric: Metric) -> None:
    """Whether the parameters of a metric that compares distributions go together."""
    chosen, name = metric.parameters, type(metric).__name__
    check_unit(metric, patience=chosen["patience"])
    if chosen.get("history_discount") != "geometric":
        check_goes_with(metric, "patience", "discount", "geometric")
    check_goes_with(metric, "base", "divergence", "kl", "js", "js_distance")
    check_base(chosen["base"], name)
    if not 0 < chosen["alpha"] < 1:
        raise MetricError(f"{name}: alpha is {chosen['alpha']:g}, expected a number between 0 and 1")
    if chosen["mixed"] == "list":
        check_goes_with(metric, "alpha", "divergence", "kl")


def divergence_of(metric: Metric) -> Divergence:
    """The divergence that the parameters of a metric say."""
    chosen = metric.parameters
    return Divergence(chosen["divergence"], chosen["alpha"], chosen["mixed"] == "both", number_of(chosen["base"]))


def where_known(scores: Floats, metric: Metric) -> Fractions:
    """Scores of a metric's (user, cutoff) cells as fractions; undefined where they are NaN."""
    n_cutoffs = len(metric.cutoffs)
    matrix = scores.reshape(len(scores) // n_cutoffs, n_cutoffs)
    return Fractions(matrix, np.where(np.isnan(matrix), 0.0, 1.0))


def aspect_sums(
    world: World, sets: AspectSets, share: Counting, cutoffs: Sequence[int], discount: Discount = NONE
) -> tuple[Offsets, Codes, Floats]:
    """What the top of each list has of each aspect: offsets of (user, cutoff) cells, aspects that ascend, and sums."""
    rankings = world.rankings
    return _sums(rankings.offsets, world.known_items, rankings.stops(cutoffs), sets, share, discount, in_order=True)


def history_sums(history: History, sets: AspectSets, share: Counting) -> tuple[Offsets, Codes, Floats]:
    """The same of the histories, one cell per user. A history is a set: its order does not show."""
    ends = np.diff(history.offsets).astype(np.int32)[:, np.newaxis]
    return _sums(history.offsets, history.liked_items, ends, sets, share, NONE, in_order=False)


def list_shares(world: World, sets: AspectSets, share: Share, cutoffs: Sequence[int], discount: Discount = NONE) -> Distributions:
    """The distribution over aspects of the top of each list, one cell per (user, cutoff)."""
    return normalised(*aspect_sums(world, sets, share, cutoffs, discount))


def liked_from(truth: Truth) -> Mapping[str, Any]:
    """The threshold, where only items that reach it say what a user likes."""
    return {} if truth.history is None or truth.history.liked is None else {"threshold": truth.reading.threshold}


def history_shares(world: World, sets: AspectSets, share: Share, needed_by: str, discount: Discount = NONE) -> Distributions:
    """The distribution over aspects of each user's history, one cell per user; with a discount, of its rows in the order given."""
    history = world.need_history(needed_by)
    return normalised(
        *(history_sums(history, sets, share) if discount == NONE else _sequence_sums(history, sets, share, discount, needed_by))
    )


def _sequence_sums(history: History, sets: AspectSets, share: Share, discount: Discount, needed_by: str) -> tuple[Offsets, Codes, Floats]:
    """The same of the rows of histories, repeats included; one that is not liked keeps its rank."""
    rows = history.sequence
    if rows is None:
        raise InputError(f"{needed_by}: a discount of the history needs the order of its rows, expected History(sequence=...)")
    at = kernels.lookup(rows.offsets, rows.items, history.offsets, history.items)
    items = np.append(history.liked_items, np.int32(-1))[at]
    return _sums(rows.offsets, items, rows.stops((-1,)), sets, share, discount, in_order=True)


def catalogue_shares(world: World, sets: AspectSets, share: Share) -> Distributions:
    """The distribution over aspects of the catalogue, in one cell; a fact about the truth, computed once."""

    def make() -> Distributions:
        items = catalogue_rows(world.truth, sets)
        ends = np.array([[len(items)]], dtype=np.int32)
        return normalised(*_sums(np.array([0, len(items)]), items, ends, sets, share, NONE, in_order=False))

    return world.remember(("catalogue shares", id(sets), share), make)


def catalogue_rows(truth: Truth, sets: AspectSets) -> Codes:
    """The rows of sets that belong to items of the catalogue; without a catalogue, all."""
    inside = np.ones(sets.n_rows, dtype=np.bool_) if truth.catalogue is None else truth.catalogue[: sets.n_rows]
    return np.flatnonzero(inside).astype(np.int32)


def normalised(offsets: Offsets, codes: Codes, sums: Floats) -> Distributions:
    """Sums as shares of their cell's total."""
    return Distributions(offsets, codes, sums / np.repeat(cell_sums(offsets, sums), np.diff(offsets)))


def _sums(
    offsets: Offsets, rows: Codes, stops: Codes, sets: AspectSets, share: Counting, discount: Discount, *, in_order: bool
) -> tuple[Offsets, Codes, Floats]:
    shares = sets.shares if share == "item" else sets.strengths if share == "pair" else None
    discounts = discount.first(int(stops.max(initial=0)))
    return kernels.aspect_sums(offsets, rows, stops, discounts, sets.offsets, sets.codes, shares, sets.n_aspects, in_order)
