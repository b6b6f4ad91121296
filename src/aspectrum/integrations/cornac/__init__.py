"""Metrics of lists in Cornac's experiments, judged by the user's true history and graded test ratings.

``from aspectrum.integrations.cornac import Experiment, AlphaNDCG`` is all that changes in a program for Cornac.
"""

from aspectrum.extras import needed

needed("cornac", "cornac", "experiments are run", versions=("3.0", "4"))

from aspectrum.integrations.cornac.experiment import Experiment, evaluate  # noqa: E402
from aspectrum.integrations.cornac.metrics import (  # noqa: E402
    ERRIA,
    AlphaNDCG,
    AspectRecall,
    GiniComplement,
    IntraListDiversity,
    Metric,
    NDCGScore,
)
from aspectrum.integrations.cornac.search import GridSearch, RandomSearch  # noqa: E402

__all__ = [
    "ERRIA",
    "AlphaNDCG",
    "AspectRecall",
    "Experiment",
    "GiniComplement",
    "GridSearch",
    "IntraListDiversity",
    "Metric",
    "NDCGScore",
    "RandomSearch",
    "evaluate",
]
