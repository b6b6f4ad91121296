"""Ids of any kind to codes: rows of one input, whatever it came from, and one table of ids per role."""

from aspectrum.coding.ids import Ids

__all__ = ["Ids"]
