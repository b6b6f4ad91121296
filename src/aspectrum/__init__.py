"""Measures how diverse, novel and relevant ranked lists are."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aspectrum import contacts, integrations
    from aspectrum.api import evaluate, evaluate_systems
    from aspectrum.conventions import CONVENTIONS, Convention
    from aspectrum.errors import AspectrumError, ConfigError, InputError, MetricError, MissingInput, MissingLibrary, OutputError
    from aspectrum.ideal.gains import Gains, gains
    from aspectrum.ideal_lists import IdealList, IdealSummaries, IdealSummary, ideal_list, summarise_ideals
    from aspectrum.io import Source
    from aspectrum.metric import Metric, UserMetric, parse, registered
    from aspectrum.metrics import (
        DCG,
        EPC,
        ERRIA,
        MAP,
        MAPIA,
        NDCG,
        NRBP,
        AlphaDCG,
        AlphaNDCG,
        AspectRecall,
        GiniComplement,
        IntraListDiversity,
        Precision,
        PrecisionIA,
        Recall,
    )
    from aspectrum.partial import Partial
    from aspectrum.plan import Plan
    from aspectrum.results import Results, SystemResults
    from aspectrum.user_scores import ScoresFile
    from aspectrum.world import Aspects, Features, History, Rankings, Relevance, Subtopics, Truth, Weights, World

    CommunityRecall = SubtopicRecall = AspectRecall
    ILD = IntraListDiversity

__version__ = "0.1.0"

# Names are loaded when they are first asked for, so that the command line can answer at once.
_HOMES = (
    "metrics",
    "errors",
    "world",
    "metric",
    "conventions",
    "results",
    "user_scores",
    "ideal",
    "io",
    "partial",
    "plan",
    "api",
    "ideal_lists",
)
_MODULES = ("contacts", "integrations")
_OTHER_NAMES = {"CommunityRecall": "AspectRecall", "SubtopicRecall": "AspectRecall", "ILD": "IntraListDiversity"}

__all__ = [
    "CONVENTIONS",
    "DCG",
    "EPC",
    "ERRIA",
    "ILD",
    "MAP",
    "MAPIA",
    "NDCG",
    "NRBP",
    "AlphaDCG",
    "AlphaNDCG",
    "AspectRecall",
    "AspectrumError",
    "Aspects",
    "CommunityRecall",
    "ConfigError",
    "Convention",
    "Features",
    "Gains",
    "GiniComplement",
    "History",
    "IdealList",
    "IdealSummaries",
    "IdealSummary",
    "InputError",
    "IntraListDiversity",
    "Metric",
    "MetricError",
    "MissingInput",
    "MissingLibrary",
    "OutputError",
    "Partial",
    "Plan",
    "Precision",
    "PrecisionIA",
    "Rankings",
    "Recall",
    "Relevance",
    "Results",
    "ScoresFile",
    "Source",
    "SubtopicRecall",
    "Subtopics",
    "SystemResults",
    "Truth",
    "UserMetric",
    "Weights",
    "World",
    "contacts",
    "evaluate",
    "evaluate_systems",
    "gains",
    "ideal_list",
    "integrations",
    "parse",
    "registered",
    "summarise_ideals",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"aspectrum.{name}")
    # Only a class can be a metric: modules that Python asks for here on their way in must not load all metrics.
    if name not in __all__ and not (name[:1].isupper() and name in import_module("aspectrum.metrics").__all__):
        raise AttributeError(f"module 'aspectrum' has no attribute {name!r}")
    homes = (import_module(f"aspectrum.{home}") for home in _HOMES)  # metrics first: once loaded, they are known by name
    found = next(getattr(home, _OTHER_NAMES.get(name, name)) for home in homes if hasattr(home, _OTHER_NAMES.get(name, name)))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from importlib import import_module

    return sorted({*globals(), *__all__, *import_module("aspectrum.metrics").__all__})
