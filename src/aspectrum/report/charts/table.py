"""What the data table below a figure holds."""

from __future__ import annotations

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Column headings, and rows of plain text with full names; whoever writes HTML escapes it."""
