"""Measures how diverse, novel and relevant ranked lists are."""

from functools import partial as _partial
from importlib import import_module as _module
from typing import TYPE_CHECKING, Any

import aspectrum.forks  # noqa: F401  which has to see every fork

if TYPE_CHECKING:
    from aspectrum import contacts, integrations
    from aspectrum.api import evaluate, evaluate_systems
    from aspectrum.blocks.relevant_items import place_sums
    from aspectrum.blocks.system_metric import SystemMetric
    from aspectrum.comparison import Comparison, Difference, Gate, GateResult, compare
    from aspectrum.conventions import CONVENTIONS, Convention
    from aspectrum.errors import (
        ArgumentError,
        AspectrumError,
        AspectrumWarning,
        ConfigError,
        InputError,
        MetricError,
        MissingInput,
        MissingLibrary,
        OutputError,
        StrictError,
    )
    from aspectrum.ideal.gains import Gains, gains
    from aspectrum.ideal_lists import IdealList, IdealSummaries, IdealSummary, ideal_list, summarise_ideals
    from aspectrum.io import Source
    from aspectrum.metric import AspectMetric, Family, Fractions, Metric, UserMetric, parse, registered
    from aspectrum.metrics import (
        AWRF,
        DCG,
        DNDCG,
        EFD,
        EILD,
        EPC,
        EPD,
        ERRIA,
        MAP,
        MAPIA,
        MRR,
        MRRIA,
        NDCG,
        NDCGIA,
        NDKL,
        NRBP,
        RBP,
        REO,
        RSP,
        AlphaDCG,
        AlphaNDCG,
        AspectEntropy,
        AspectRecall,
        AveragePopularity,
        BinomialDiversity,
        Calibration,
        CatalogueCoverage,
        ClusteringComplement,
        CommunityEdgeGiniComplement,
        Density,
        DSharpNDCG,
        EffectiveItems,
        ExpectedExposure,
        ExposureEntropy,
        Fragmentation,
        Gini,
        GiniComplement,
        GroupExposure,
        HitRate,
        IntraListDiversity,
        Judged,
        LongTailShare,
        MeanPopularityRank,
        MeanPredictionDistance,
        ModularityComplement,
        Personalization,
        PopularityLift,
        Precision,
        PrecisionIA,
        Recall,
        Reciprocity,
        Redundancy,
        Representation,
        RPrecision,
        SelfInformation,
        Serendipity,
        Unexpectedness,
        UnseenShare,
        VendiScore,
        WeakTies,
    )
    from aspectrum.nuggets import Nuggets
    from aspectrum.paper_table import PaperTable
    from aspectrum.partial import Partial
    from aspectrum.plan import Plan
    from aspectrum.references import bibtex
    from aspectrum.results import Results, SystemResults
    from aspectrum.rounds import Qualities, Rounds, RoundsPartial, RoundsPlan, RoundsResults, evaluate_rounds
    from aspectrum.tokens import Tokens, lengths_of
    from aspectrum.user_scores import ScoresFile
    from aspectrum.world import Aspects, Features, History, Lengths, Rankings, Relevance, SocialGraph, Subtopics, Truth, Weights, World

    CommunityRecall = SubtopicRecall = AspectRecall
    NuggetCoverage = _partial(AspectRecall, of="listed")
    ILD = IntraListDiversity

__version__ = "0.1.0"

# Functions and modules; what they return; inputs; metrics and conventions; errors.
__all__ = [
    "compare",
    "contacts",
    "evaluate",
    "evaluate_rounds",
    "evaluate_systems",
    "gains",
    "ideal_list",
    "integrations",
    "lengths_of",
    "parse",
    "registered",
    "summarise_ideals",
]
__all__ += ["Comparison", "Difference", "Gate", "GateResult"]
__all__ += ["Gains", "IdealList", "IdealSummaries", "IdealSummary", "Partial", "Plan", "Results", "ScoresFile", "SystemResults"]
__all__ += ["PaperTable", "bibtex"]
__all__ += ["Qualities", "Rounds", "RoundsPartial", "RoundsPlan", "RoundsResults"]
__all__ += ["Aspects", "Features", "History", "Lengths", "Nuggets", "Rankings", "Relevance", "SocialGraph"]
__all__ += ["Source", "Subtopics", "Tokens", "Truth", "Weights", "World"]
__all__ += ["CONVENTIONS", "Convention"]
__all__ += ["AspectMetric", "Family", "Fractions", "Metric", "SystemMetric", "UserMetric", "place_sums"]  # to write metrics with
__all__ += ["DCG", "EPC", "ERRIA", "ILD", "MAP", "MAPIA", "NDCG", "NRBP", "AlphaDCG", "AlphaNDCG", "AspectRecall", "CommunityRecall"]
__all__ += ["AWRF", "NDKL", "REO", "RSP", "ExpectedExposure", "GroupExposure"]
__all__ += ["AspectEntropy", "BinomialDiversity", "Calibration", "Fragmentation", "Representation"]
__all__ += ["CatalogueCoverage", "EffectiveItems", "ExposureEntropy", "Gini", "Personalization"]
__all__ += ["DNDCG", "MRR", "MRRIA", "NDCGIA", "RBP", "DSharpNDCG", "HitRate", "RPrecision"]
__all__ += ["GiniComplement", "IntraListDiversity", "NuggetCoverage", "Precision", "PrecisionIA", "Recall", "SubtopicRecall", "UnseenShare"]
__all__ += ["EFD", "AveragePopularity", "LongTailShare", "MeanPopularityRank", "PopularityLift", "SelfInformation", "Serendipity"]
__all__ += ["Density", "Judged", "Redundancy", "Unexpectedness"]
__all__ += ["EILD", "EPD", "VendiScore"]
__all__ += [
    "ClusteringComplement",
    "CommunityEdgeGiniComplement",
    "MeanPredictionDistance",
    "ModularityComplement",
    "Reciprocity",
    "WeakTies",
]
__all__ += ["ArgumentError", "AspectrumError", "AspectrumWarning", "ConfigError", "InputError", "MetricError", "MissingInput"]
__all__ += ["MissingLibrary", "OutputError", "StrictError"]

# Names are loaded when they are first asked for, so that the command line can answer at once.
_HOMES = ["metrics", "errors", "world", "metric", "conventions", "results"]  # metrics first: once loaded, they are known by name
_HOMES += ["blocks.relevant_items", "blocks.system_metric"]
_HOMES += ["user_scores", "ideal", "io", "partial", "plan", "api", "ideal_lists", "comparison"]
_HOMES += ["paper_table", "references", "nuggets", "rounds", "tokens"]
_OTHER_NAMES = {"ILD": "IntraListDiversity"} | dict.fromkeys(("CommunityRecall", "NuggetCoverage", "SubtopicRecall"), "AspectRecall")


def __getattr__(name: str) -> Any:
    if name in ("contacts", "integrations"):
        return _module(f"aspectrum.{name}")
    # Only a class can be a metric: modules that Python asks for here on their way in must not load all metrics.
    if name not in __all__ and not (name[:1].isupper() and name in _module("aspectrum.metrics").__all__):
        raise AttributeError(f"module 'aspectrum' has no attribute {name!r}")
    own = _OTHER_NAMES.get(name, name)
    homes = (_module(f"aspectrum.{home}") for home in _HOMES)
    found = next(getattr(home, own) for home in homes if hasattr(home, own))
    if own != name and (preset := found.aliases.get(name)):  # a name that stands for parameters
        found = _partial(found, **preset)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_module("aspectrum.metrics").__all__})
