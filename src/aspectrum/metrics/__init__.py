"""One file per metric; the file, the class, its test and its page share a name."""

from aspectrum.metrics.alpha_dcg import AlphaDCG
from aspectrum.metrics.alpha_ndcg import AlphaNDCG
from aspectrum.metrics.aspect_recall import AspectRecall
from aspectrum.metrics.dcg import DCG
from aspectrum.metrics.err_ia import ERRIA
from aspectrum.metrics.gini_complement import GiniComplement
from aspectrum.metrics.intra_list_diversity import IntraListDiversity
from aspectrum.metrics.map import MAP
from aspectrum.metrics.map_ia import MAPIA
from aspectrum.metrics.ndcg import NDCG
from aspectrum.metrics.nrbp import NRBP
from aspectrum.metrics.precision import Precision
from aspectrum.metrics.precision_ia import PrecisionIA
from aspectrum.metrics.recall import Recall

__all__ = [
    "DCG",
    "ERRIA",
    "MAP",
    "MAPIA",
    "NDCG",
    "NRBP",
    "AlphaDCG",
    "AlphaNDCG",
    "AspectRecall",
    "GiniComplement",
    "IntraListDiversity",
    "Precision",
    "PrecisionIA",
    "Recall",
]
