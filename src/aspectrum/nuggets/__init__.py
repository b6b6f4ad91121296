"""Nuggets: what an answer to a query should say, and which documents say it, in the formats of their benchmarks."""

from aspectrum.nuggets.bank import Nuggets
from aspectrum.nuggets.formats import FORMATS

__all__ = ["FORMATS", "Nuggets"]
