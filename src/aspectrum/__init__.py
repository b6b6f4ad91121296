"""Measures how diverse, novel and relevant ranked lists are."""

from aspectrum.api import evaluate, evaluate_systems
from aspectrum.conventions import CONVENTIONS, Convention
from aspectrum.errors import AspectrumError, InputError, MetricError, MissingInput
from aspectrum.ideal import Gains, gains
from aspectrum.metric import Metric, UserMetric, parse, registered
from aspectrum.metrics import (
    DCG,
    ERRIA,
    MAPIA,
    NDCG,
    NRBP,
    AlphaDCG,
    AlphaNDCG,
    AspectRecall,
    GiniComplement,
    IntraListDiversity,
    PrecisionIA,
)
from aspectrum.results import Results, SystemResults
from aspectrum.world import Aspects, Features, History, Rankings, Relevance, Subtopics, Weights, World

CommunityRecall = SubtopicRecall = AspectRecall
ILD = IntraListDiversity

__version__ = "0.1.0"

__all__ = [
    "CONVENTIONS",
    "DCG",
    "ERRIA",
    "ILD",
    "MAPIA",
    "NDCG",
    "NRBP",
    "AlphaDCG",
    "AlphaNDCG",
    "AspectRecall",
    "AspectrumError",
    "Aspects",
    "CommunityRecall",
    "Convention",
    "Features",
    "Gains",
    "GiniComplement",
    "History",
    "InputError",
    "IntraListDiversity",
    "Metric",
    "MetricError",
    "MissingInput",
    "PrecisionIA",
    "Rankings",
    "Relevance",
    "Results",
    "SubtopicRecall",
    "Subtopics",
    "SystemResults",
    "UserMetric",
    "Weights",
    "World",
    "evaluate",
    "evaluate_systems",
    "gains",
    "parse",
    "registered",
]
