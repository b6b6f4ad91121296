"""Ways of judging: which aspects of an item count for a user. Each turns a world into coverage, all that aspect metrics look at."""

from aspectrum.judging.coverage import Coverage, WantedAspects
from aspectrum.judging.covering import Unjudged, UnjudgedOrFull, Weighing, choose_judgment, cover
from aspectrum.judging.judging import Grading, JudgedBy, Judging
from aspectrum.judging.pools import OwnPools, PoolName, SharedPool, catalogue_totals, pool_of
from aspectrum.judging.ways import JUDGINGS

__all__ = [
    "JUDGINGS",
    "Coverage",
    "Grading",
    "JudgedBy",
    "Judging",
    "OwnPools",
    "PoolName",
    "SharedPool",
    "Unjudged",
    "UnjudgedOrFull",
    "WantedAspects",
    "Weighing",
    "catalogue_totals",
    "choose_judgment",
    "cover",
    "pool_of",
]
