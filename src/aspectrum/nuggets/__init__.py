"""Nuggets: what an answer to a query should say, and which documents say it, in the formats of their benchmarks."""

from aspectrum.nuggets.bank import Nuggets
from aspectrum.nuggets.choices import Choices
from aspectrum.nuggets.formats import FORMATS
from aspectrum.nuggets.judgments import read_table
from aspectrum.nuggets.source import NuggetSource

__all__ = ["FORMATS", "Choices", "NuggetSource", "Nuggets", "read_table"]
