"""Corrections for many comparisons by p-values alone."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction: no false claim at all, with probability 1 - alpha.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, running = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=lambda place: p[place])):
        running = max(running, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = running
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up correction: an expected share of false claims among the claims.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    adjusted, running = [0.0] * len(p), 1.0
    for rank, place in reversed(list(enumerate(sorted(range(len(p)), key=lambda place: p[place]), start=1))):
        running = min(running, len(p) * p[place] / rank)
        adjusted[place] = running
    return adjusted
