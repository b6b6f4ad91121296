"""What is known of an ideal list."""

from dataclasses import dataclass
from typing import Literal

EXACT = 2e-12
"""A proof holds to this share of the best list: 1e-12 from the search, less for ranks that it leaves out and for rounding."""


@dataclass(frozen=True, slots=True)
class Ideal:
    """What the best list gains, and what is known of it: no list gains more than ``upper``."""

    best: float
    upper: float
    proved_by: Literal["search", "HiGHS"] | None
    work: float

    @property
    def proved(self) -> bool:
        return self.proved_by is not None
