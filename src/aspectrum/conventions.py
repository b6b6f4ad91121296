"""Other tools' numbers, as data: what each does differently from the published definitions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from aspectrum.coding.reading import Reading
from aspectrum.errors import MetricError, UnusedParameter
from aspectrum.metric import Metric, registered
from aspectrum.metric_text import written
from aspectrum.tokens import ranks_of
from aspectrum.wording import slips_between
from aspectrum.world import Truth, World

UserChoice = Literal["lists", "judged", "both", "relevant", "all", "common"]
"""Who is averaged: users with a list; with truth; with both; with a relevant item; everybody the world knows; with a list of every
system."""


@dataclass(frozen=True)
class TieOrder:
    """How a tool breaks ties for one metric.

    Args:
        by: The order of items with equal scores, by id.
        cut: The largest cutoff that it reports, if there is one: ties are broken up to the largest cutoff asked for that is not above it.
    """

    by: Literal["ascending", "descending"]
    cut: int | None = None

    def applied(self, world: World, cutoffs: Sequence[int]) -> World:
        """The lists of a world, which have ties as they were given, in this order."""
        first = max((cutoff for cutoff in ranks_of(cutoffs) if 0 < cutoff <= (self.cut or 0)), default=0)
        return world.with_ties(self.by == "descending", first)

    def beyond(self, metric: Metric) -> Metric | None:
        """A metric at the cutoffs that the tool does not report; None if there are none."""
        cutoffs = [] if self.cut is None else [cutoff for cutoff in ranks_of(metric.cutoffs) if not 0 < cutoff <= self.cut]
        return metric.at(tuple(cutoffs)) if cutoffs else None


@dataclass(frozen=True)
class Convention:
    """A tool's way to compute: a convention replaces every parameter of a metric that is at its default.

    Args:
        name: What it is called.
        summary: What it reproduces, in a sentence.
        users: Who is averaged.
        users_of: Who is averaged for single metrics.
        undefined_is_0: Metrics whose undefined scores count as 0 instead of leaving the mean.
        history_above_threshold: Only history rows that reach the relevance threshold count.
        liked_from_threshold: Where a threshold is given, only history rows that reach it say which aspects a user likes.
        reads: How inputs with ids are read, as parameters of :class:`Reading`.
        parameters: What replaces the defaults of a metric's parameters.
        names: What the tool calls metrics, where that is not what we call them.
        namesakes: Those of these names that another metric of ours has, and the metric that is meant by each.
        covers: The metrics whose numbers it gives; None means all. Metrics that users define are computed as they are.
        only: Of these metrics, parameters that a user has to ask for, as the tool has nothing else.
        ties_of: Metrics for which it breaks ties in another way than for all others.
        of_relevant_items: Metrics for which only judgments of items that are relevant count, where relevance is given.
        judged_in: The input whose users count as judged, for all metrics, where it is given; by default that of each metric.
        both_lists: What a document in both lists of a nugget is, where nobody says it.
        last_search_only: Of several searches in a round, whether only the last counts.
        per_round: How much a cutoff grows with each round; by default it is as long as what was found.
    """

    name: str
    summary: str
    users: UserChoice = "lists"
    users_of: Mapping[str, UserChoice] = field(default_factory=dict)
    undefined_is_0: tuple[str, ...] = ()
    history_above_threshold: bool = False
    liked_from_threshold: bool = True
    reads: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    namesakes: Mapping[str, str] = field(default_factory=dict)
    covers: tuple[str, ...] | None = None
    only: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ties_of: Mapping[str, TieOrder] = field(default_factory=dict)
    of_relevant_items: tuple[str, ...] = ()
    judged_in: str | None = None
    both_lists: Literal["unsupported"] | None = None
    last_search_only: bool = False
    per_round: int | None = None

    def reading(self, options: Mapping[str, Any]) -> Reading:
        """How inputs are read: as this tool does, but for what a user asks for."""
        reading = Reading(**{**self.reads, **{name: value for name, value in options.items() if value is not None}})
        if self.history_above_threshold:
            return replace(reading, history_threshold=reading.threshold)
        given = options.get("threshold") is not None and self.liked_from_threshold
        return replace(reading, liked_from=reading.threshold) if given else reading

    def truth(self, **inputs: Any) -> Truth:
        """The truth as this tool reads it; the inputs and options are those of :meth:`Truth.read`."""
        return Truth.read(reading=self.reading_of(inputs), **inputs)

    def reading_of(self, inputs: Mapping[str, Any]) -> Reading:
        """How inputs are read, given all inputs and options of :meth:`truth`."""
        return self.reading({option.name: inputs[option.name] for option in fields(Reading) if option.name in inputs})

    def named(self, metric: Metric) -> str:
        """What the tool calls a metric; parameters that it may not have are added.

        A name that stands for parameters is given to a metric that has them. A metric of ours that is called as another one of the tool
        is written in full.

        >>> from aspectrum.metrics import EPC, AspectRecall, Unexpectedness
        >>> CONVENTIONS["relison"].named(AspectRecall(k=5))
        'Community recall@5'
        >>> CONVENTIONS["relison"].named(EPC(k=5, discount="none", relevance="none", average="links"))
        'LTN@5'
        >>> CONVENTIONS["relison"].named(EPC(k=5))
        'EPC@5'
        >>> CONVENTIONS["relison"].named(Unexpectedness(k=5))
        'Unexpectedness(over=list, average=users)@5'
        """
        own = type(metric).__name__
        if own in self.namesakes:
            return metric.in_full
        name, mine = self.names.get(own, own), self.choices(type(metric))
        defaults = {one.name: one.default for one in fields(metric) if one.name in mine}
        shorter = metric
        if all(getattr(metric, one) != default or default == mine[one] for one, default in defaults.items()):  # as the tool has it
            said = {one: default for one, default in defaults.items() if getattr(metric, one) == mine[one]}
            shorter = replace(metric, **said)  # type: ignore[arg-type]
        elif name in self.namesakes or metric.aliases.get(name):
            return str(metric)
        return str(shorter).replace(own, name, 1)

    def choices(self, metric: type[Metric]) -> dict[str, Any]:
        """The parameters that the tool computes a metric with."""
        return {**self.only.get(metric.__name__, {}), **self.parameters.get(metric.__name__, {})}

    def computes(self, metric: Metric) -> bool:
        """Whether a metric has the parameters that the tool computes it with."""
        return all(getattr(metric, name) == value for name, value in self.choices(type(metric)).items())

    def applied(self, metric: Metric) -> Metric:
        """The metric as this tool computes it; an error if it is not covered.

        A parameter of the convention that has no effect with what the user chose is left out. A choice of the user is never lost: one that
        would have no effect is an error.
        """
        own = type(metric).__name__
        if not self.has(metric):
            meant = [f"; what it calls {called} is {self._alias(name)}" for name, called in self.names.items() if called in metric.aliases]
            raise MetricError(f"convention {self.name} does not cover {own}{''.join(meant)}; it covers {', '.join(self.covers or ())}")
        if instead := self.instead(metric):
            needed = ", ".join(f"{name}={written(value)}" for name, value in self.only[own].items())
            raise MetricError(f"convention {self.name} covers {own} with {needed} only; ask for {instead}")
        defaults = {parameter.name: parameter.default for parameter in fields(metric)}
        mine = {name: value for name, value in self.parameters.get(own, {}).items() if getattr(metric, name) == defaults[name]}
        while True:
            try:
                return replace(metric, **mine)
            except MetricError as error:
                if not (isinstance(error, UnusedParameter) and error.parameter in mine):
                    raise MetricError(f"{metric} cannot be computed under convention {self.name}: {error}") from None
                del mine[error.parameter]

    def _alias(self, name: str) -> str:
        """Another name of a metric, which stands for just what the tool computes; its own name if there is none."""
        metric = registered()[name]
        mine = self.choices(metric)
        return next((alias for alias, preset in metric.aliases.items() if preset and preset == mine), name)

    def refusal(self, metric: Metric) -> str:
        """Why a metric cannot be computed under this convention; an empty text if it can."""
        try:
            self.applied(metric)
        except MetricError as error:
            return str(error)
        return ""

    def instead(self, metric: Metric) -> str:
        """What to ask for where a metric lacks parameters that it must have here; an empty text if it has them.

        >>> from aspectrum.metrics import RSP
        >>> CONVENTIONS["warprec"].instead(RSP(k=10)), CONVENTIONS["warprec"].instead(RSP(k=10, groups_by="popularity"))
        ('PopRSP@10', '')
        """
        own, needed = type(metric).__name__, self.only.get(type(metric).__name__, {})
        if all(getattr(metric, name) == value for name, value in needed.items()):
            return ""
        alias = next((name for name, preset in metric.aliases.items() if preset == needed), None)
        if alias is None:
            return str(replace(metric, **needed))
        defaults = {parameter.name: parameter.default for parameter in fields(metric) if parameter.name in needed}
        return str(replace(metric, **defaults)).replace(own, alias, 1)  # type: ignore[arg-type]

    def has(self, metric: Metric | type[Metric]) -> bool:
        """Whether the convention covers a metric; one that a user defines is anybody's."""
        cls = metric if isinstance(metric, type) else type(metric)
        return self.covers is None or cls.__name__ in self.covers or not cls.__module__.startswith("aspectrum.")

    def users_for(self, metric: Metric) -> UserChoice:
        return self.users_of.get(type(metric).__name__, self.users)


_ASPECT_METRICS = ("AlphaNDCG", "AlphaDCG", "ERRIA", "NRBP", "AspectRecall", "PrecisionIA", "MAPIA")


_ALWAYS = (
    *_ASPECT_METRICS,
    *("NDCG", "DCG", "Precision", "Recall", "MAP", "IntraListDiversity", "GiniComplement", "EPC", "UnseenShare"),
)
"""What the older conventions compute, also where their tool has no such metric."""

_OF_NETWORKS = (
    *("MeanPredictionDistance", "ModularityComplement", "WeakTies"),
    *("CommunityEdgeGiniComplement", "ClusteringComplement", "Reciprocity"),
)

_FOUND: tuple[str, ...] = ("NDCG", "Precision", "Recall", "MAP", "HitRate", "MRR")
"""Relevant items found: what nearly every recommender library has."""

_RADIO_MIXTURE = {"alpha": 0.001, "mixed": "both", "discount": "reciprocal"}
_RADIO_CALIBRATION = {
    **_RADIO_MIXTURE,
    "history_discount": "reciprocal",
}  # it prints KL and JS: our default stays, so that both can be asked for
_RADIO = {"divergence": "js_distance", **_RADIO_MIXTURE}

_OF_FEATURES = {"of": "features"}  # no tool has an ILD of aspects where there are no features


def _judged_by_subtopics(**more: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    judged = {name: {"judged_by": "subtopics", **more.get(name, {})} for name in _ASPECT_METRICS}
    return {**judged, "IntraListDiversity": _OF_FEATURES}


CONVENTIONS: Mapping[str, Convention] = {
    convention.name: convention
    for convention in (
        Convention("published", "The published definitions: our default."),
        Convention(
            "ndeval",
            "Clarke's C program, version 4.5 (TREC Web track). Scores instead of ranks: its -traditional order.",
            covers=_ALWAYS,
            liked_from_threshold=False,
            users="both",
            undefined_is_0=_ASPECT_METRICS,
            reads={"ties": "descending", "aspects_in_order": True},
            parameters=_judged_by_subtopics(AlphaDCG={"normalize": "perfect"}, ERRIA={"normalize": "perfect"}),
        ),
        Convention(
            "pyndeval",
            "pyndeval 0.0.8: as ndeval, but ties by ascending item id, and raw AlphaDCG and ERRIA at k = 1.",
            covers=_ALWAYS,
            liked_from_threshold=False,
            users="both",
            undefined_is_0=_ASPECT_METRICS,
            reads={"ties": "ascending", "scores_before_ranks": True, "aspects_in_order": True},
            parameters=_judged_by_subtopics(AlphaDCG={"normalize": "pyndeval"}, ERRIA={"normalize": "pyndeval"}),
        ),
        Convention(
            "relison",
            "RELISON (contact recommendation): all users count, ILD over all ordered pairs and per link.",
            covers=(*_ALWAYS, "EPD", *_OF_NETWORKS),
            liked_from_threshold=False,
            users="all",
            users_of=dict.fromkeys(("NDCG", "DCG", "Precision", "Recall", "MAP"), "relevant"),
            reads={
                "order": "input",
                "one_aspect_per_item": True,
                "features_are_sets": True,
                "users_in_one_block": True,
                "aspects_in_order": True,
            },
            parameters={
                "AspectRecall": {"judged_by": "membership"},
                "ERRIA": {"judged_by": "relevance", "intents": "counts"},
                "IntraListDiversity": {"pairs": "all", "average": "links", "featureless": "near", **_OF_FEATURES},
                "GiniComplement": {"outside": "drop", "empty": 1.0},
                "EPC": {"discount": "none", "relevance": "none", "average": "links"},
                "EPD": {"discount": "none", "relevance": "none", "average": "links", "missing": "zero"},
                "MeanPredictionDistance": {"empty": 0.0},
            },
            namesakes={"Unexpectedness": "EPD"},
            names={
                "AspectRecall": "Community recall",
                "IntraListDiversity": "ILD",
                "GiniComplement": "Predicted Gini complement",
                "NDCG": "nDCG",
                "EPC": "LTN",
                "EPD": "Unexpectedness",
                "MeanPredictionDistance": "Mean prediction distance",
                "ModularityComplement": "Modularity complement",
                "WeakTies": "Weak ties",
                "CommunityEdgeGiniComplement": "Inter-community edge Gini complement",
                "ClusteringComplement": "Clustering coefficient complement",
            },
        ),
        Convention(
            "informfully",
            "The Cornac-based Informfully project: alpha-nDCG and nDCG against the list's own sorted gains.",
            covers=(*_ALWAYS, "EILD", "BinomialDiversity", "Calibration", "Representation", "Fragmentation"),
            users="relevant",
            history_above_threshold=True,
            reads={"aspects_in_order": True},
            parameters={
                "AlphaNDCG": {"judged_by": "history", "ideal": "sorted", "unjudged": "drop"},
                "NDCG": {"ideal": "list"},
                "IntraListDiversity": {"featureless": "undefined", "single": "zero", **_OF_FEATURES},
                "EILD": {"relevance": "informfully", "relative": "further", "discount": "geometric", "patience": 0.9},
                "BinomialDiversity": {"alpha": 0.9, "root": "all"},
                "Calibration": _RADIO_CALIBRATION,
                "Representation": _RADIO,
                "Fragmentation": {**_RADIO, "first": "other"},
            },
        ),
        Convention(
            "rectools",
            "RecTools 0.19: numbers of items instead of shares, serendipity by popularity, nDCG of k relevant items for everybody.",
            covers=(
                "CatalogueCoverage",
                "AveragePopularity",
                "SelfInformation",
                "Serendipity",
                "IntraListDiversity",
                "RPrecision",
                *_FOUND,
            ),
            users_of=dict.fromkeys(("RPrecision", *_FOUND), "relevant"),
            parameters={
                "CatalogueCoverage": {"normalize": False, "outside": "keep"},
                "AveragePopularity": {"count": "interactions"},
                "Serendipity": {"unexpected": "popularity", "nothing_relevant": "zero"},
                "RPrecision": {"top": "k"},
                "NDCG": {"gain": "binary", "ideal": "perfect"},
                "IntraListDiversity": {"distance": "differing", "single": "short", **_OF_FEATURES},
            },
            names={
                "CatalogueCoverage": "CatalogCoverage",
                "SelfInformation": "MeanInvUserFreq",
                "AveragePopularity": "AvgRecPopularity",
                "RPrecision": "Precision(r_precision=True)",
            },
        ),
        Convention(
            "replay",
            "RePlay 0.22: lists are divided by k, coverage is that of the history, a user without a list has only novel items.",
            covers=("CatalogueCoverage", "SelfInformation", "UnseenShare", "Unexpectedness", "AspectRecall", *_FOUND),
            users_of={"UnseenShare": "judged", **dict.fromkeys(_FOUND, "relevant")},
            undefined_is_0=("Unexpectedness",),
            reads={"one_aspect_per_item": True},
            parameters={
                "CatalogueCoverage": {"of": "history"},
                "SelfInformation": {"over": "k", "normalize": True},
                "UnseenShare": {"without_list": "one"},
                "Unexpectedness": {"over": "k"},
                "AspectRecall": {"judged_by": "membership", "denominator": "k", "aspectless": "category"},
                "NDCG": {"gain": "binary"},
                "MAP": {"denominator": "attainable"},
            },
            names={
                "CatalogueCoverage": "Coverage",
                "SelfInformation": "Surprisal",
                "UnseenShare": "Novelty",
                "AspectRecall": "CategoricalDiversity",
            },
        ),
        Convention(
            "recbole",
            "RecBole 1.2: its padding token is an item of the catalogue, entropy is divided by the number of items shown.",
            covers=("CatalogueCoverage", "Gini", "ExposureEntropy", "AveragePopularity", "LongTailShare"),
            parameters={
                "CatalogueCoverage": {"extra_items": 1},
                "Gini": {"divisor": "n", "extra_items": 1},
                "ExposureEntropy": {"base": "e", "normalize": "items_shown"},
                "AveragePopularity": {"count": "interactions"},
                "LongTailShare": {"by": "seen_items"},
            },
            names={
                "CatalogueCoverage": "ItemCoverage",
                "Gini": "GiniIndex",
                "ExposureEntropy": "ShannonEntropy",
                "LongTailShare": "TailPercentage",
            },
        ),
        Convention(
            "lenskit",
            "LensKit 2025.8: Gini over n, smoothed entropy, RBP with a patience of 0.85, binary nDCG in which ranks 1 and 2 count alike.",
            covers=("CatalogueCoverage", "Gini", "AspectEntropy", "MeanPopularityRank", "RBP", "NDCG", "HitRate", "MRR"),
            undefined_is_0=("MeanPopularityRank", "RBP", "NDCG", "HitRate", "MRR"),
            parameters={
                "CatalogueCoverage": {"normalize": False, "outside": "keep"},
                "Gini": {"divisor": "n"},
                "AspectEntropy": {"smoothing": 1e-6},
                "RBP": {"p": 0.85},
                "NDCG": {"gain": "binary", "discount": "clipped"},
            },
            names={
                "CatalogueCoverage": "UniqueItemCount",
                "Gini": "ListGini",
                "AspectEntropy": "Entropy",
                "MeanPopularityRank": "MeanPopRank",
                "HitRate": "Hit",
                "MRR": "RecipRank",
            },
        ),
        Convention(
            "elliot",
            "Elliot: the Gini index is its complement, lists weigh alike in the entropy, unseen items are not in the tail.",
            covers=(
                *("CatalogueCoverage", "Gini", "GiniComplement", "ExposureEntropy", "EPC", "EFD", "LongTailShare"),
                *("RSP", "REO", "HitRate", "MRR"),
            ),
            parameters={
                "CatalogueCoverage": {"normalize": False, "outside": "keep"},
                "Gini": {"complement": True},
                "ExposureEntropy": {"weigh": "lists"},
                "EPC": {"relevance": "binary"},
                "EFD": {"relevance": "binary"},
                "LongTailShare": {"by": "interactions", "unseen_in_tail": False},
            },
            names={"CatalogueCoverage": "ItemCoverage", "ExposureEntropy": "SEntropy", "LongTailShare": "APLT", "HitRate": "HR"},
        ),
        Convention(
            "warprec",
            "WarpRec: unseen items count as had by one user, short lists are divided by k, entropy in nats.",
            covers=("CatalogueCoverage", "Gini", "ExposureEntropy", "EPC", "EFD", "AveragePopularity", "LongTailShare", "RSP", "REO"),
            users_of={"EPC": "all", "EFD": "all"},
            parameters={
                "CatalogueCoverage": {"normalize": False, "outside": "keep"},
                "ExposureEntropy": {"base": "e"},
                "EPC": {"relevance": "binary", "unseen": "one", "over": "k"},
                "EFD": {"relevance": "binary", "unseen": "one", "over": "k"},
                "AveragePopularity": {"unseen": "one", "over": "k"},
                "LongTailShare": {"by": "interactions", "reach": "more", "over": "k"},
                "RSP": {"candidates": "all", "unseen_in_tail": True, "reach": "more"},
                "REO": {"hits_only": False, "unseen_in_tail": True, "reach": "more"},
            },
            only={"RSP": {"groups_by": "popularity"}, "REO": {"groups_by": "popularity"}},
            names={
                "CatalogueCoverage": "ItemCoverage",
                "ExposureEntropy": "ShannonEntropy",
                "AveragePopularity": "ARP",
                "LongTailShare": "APLT",
                "RSP": "PopRSP",
                "REO": "PopREO",
            },
        ),
        Convention(
            "msrec",
            "Microsoft Recommenders: coverage of the history that may exceed 1, all recommendations count alike in novelty.",
            covers=("CatalogueCoverage", "ExposureEntropy", "SelfInformation", "Serendipity"),
            parameters={
                "CatalogueCoverage": {"of": "history", "outside": "keep"},
                "SelfInformation": {"probability": "interactions", "unseen": "zero", "average": "links"},
                "Serendipity": {"unexpected": "history", "missing": "far", "nothing_relevant": "zero"},
            },
            names={
                "CatalogueCoverage": "catalog_coverage",
                "ExposureEntropy": "distributional_coverage",
                "SelfInformation": "novelty",
                "Serendipity": "serendipity",
            },
        ),
        Convention(
            "evidently",
            "Evidently: Gini of the recommended items alone, unseen items are left out, every list is taken to have k items.",
            covers=("CatalogueCoverage", "Gini", "AveragePopularity", "SelfInformation", "Personalization", "Serendipity"),
            parameters={
                "CatalogueCoverage": {"of": "history"},
                "Gini": {"over": "recommended"},
                "AveragePopularity": {"unseen": "skip"},
                "SelfInformation": {"unseen": "skip"},
                "Personalization": {"over": "k"},
                "Serendipity": {"unexpected": "history", "hits": "sum", "missing": "far"},
            },
            names={"AveragePopularity": "ARP", "SelfInformation": "Novelty", "Gini": "Gini Index"},
        ),
        Convention(
            "recmetrics",
            "recmetrics: coverage in percent, novelty is divided by k.",
            covers=("CatalogueCoverage", "SelfInformation", "Personalization"),
            parameters={"CatalogueCoverage": {"percent": True}, "SelfInformation": {"over": "k"}},
            names={"CatalogueCoverage": "prediction_coverage", "SelfInformation": "novelty", "Personalization": "personalization"},
        ),
        Convention(
            "pyg",
            "PyTorch Geometric: the published definitions; diversity is that of one category per item.",
            covers=("CatalogueCoverage", "AveragePopularity", "Personalization", "IntraListDiversity", "HitRate", "MRR"),
            reads={"one_aspect_per_item": True},
            parameters={"IntraListDiversity": {"of": "aspects", "distance": "jaccard", "featureless": "category"}},
            names={
                "CatalogueCoverage": "LinkPredCoverage",
                "AveragePopularity": "LinkPredAveragePopularity",
                "Personalization": "LinkPredPersonalization",
                "IntraListDiversity": "LinkPredDiversity",
                "HitRate": "LinkPredHitRatio",
                "MRR": "LinkPredMRR",
            },
        ),
        Convention(
            "ranksys",
            "RankSys: the Gini index is its complement, items that cannot be compared have novelty 0, undefined is 0.",
            covers=(
                *("CatalogueCoverage", "Gini", "GiniComplement", "ExposureEntropy", "EPC", "EFD", "EPD", "EILD"),
                *("BinomialDiversity", "HitRate", "MRR"),
            ),
            undefined_is_0=("EPC", "EFD", "EPD", "EILD", "BinomialDiversity"),
            parameters={
                "CatalogueCoverage": {"normalize": False, "weigh": "lists", "over": "k", "outside": "keep"},
                "Gini": {"complement": True},
                "ExposureEntropy": {"weigh": "lists"},
                "EPC": {"relevance": "binary"},
                "EFD": {"relevance": "binary"},
                "EPD": {"missing": "zero"},
                "EILD": {"missing": "zero"},
                "BinomialDiversity": {"missing": "everybody"},
            },
            names={"CatalogueCoverage": "AggregateDiversityMetric", "ExposureEntropy": "EIUDC", "Gini": "GiniIndex"},
        ),
        Convention(
            "ntcireval",
            "NTCIREVAL: grades are divided by the largest of the intent and one, RBP with a persistence of 0.95.",
            covers=("DNDCG", "DSharpNDCG", "NDCGIA", "MRRIA", "ERRIA", "RBP"),
            parameters={
                **{name: {"judged_by": "subtopics"} for name in ("DNDCG", "DSharpNDCG", "NDCGIA", "MRRIA")},
                "ERRIA": {"judged_by": "subtopics", "grades": "linear"},
                "RBP": {"p": 0.95},
            },
            names={"DNDCG": "D-nDCG", "DSharpNDCG": "D#-nDCG", "NDCGIA": "IA-MSnDCG", "MRRIA": "IA-RR", "ERRIA": "IA-ERR"},
        ),
        Convention(
            "radio",
            "RADio: both distributions are mixed with 0.001 of the other, ranks count by 1/j, one category per item.",
            covers=("Calibration", "Representation", "Fragmentation"),
            reads={"one_aspect_per_item": True},
            parameters={
                "Calibration": _RADIO_CALIBRATION,
                "Representation": _RADIO,
                "Fragmentation": {**_RADIO, "first": "own"},
            },
        ),
        Convention(
            "freshstack",
            "FreshStack: coverage of all nuggets listed, undefined is 0, ties in an order that differs between metrics.",
            covers=("AlphaNDCG", "AspectRecall", "Recall", "Judged"),
            users="judged",
            judged_in="subtopics",
            both_lists="unsupported",
            undefined_is_0=("AlphaNDCG", "AspectRecall", "Recall", "Judged"),
            reads={"scores_before_ranks": True},
            parameters={
                "AlphaNDCG": {"judged_by": "subtopics"},
                "AspectRecall": {"of": "listed"},
                "Judged": {"judged_by": "subtopics"},
            },
            ties_of={"AlphaNDCG": TieOrder("ascending", cut=20), "Recall": TieOrder("descending")},
            names={"AspectRecall": "Coverage"},
        ),
        Convention(
            "brightpro",
            "BRIGHT-Pro: aspects weigh by importance, coverage of all aspects listed, an item has the last of its aspects only.",
            covers=("AlphaNDCG", "AspectRecall"),
            users="both",
            undefined_is_0=("AspectRecall",),  # queries without aspects; the ideal of alpha-nDCG is 0 for them
            of_relevant_items=("AlphaNDCG",),
            reads={"scores_before_ranks": True, "last_subtopic_only": True},
            parameters={"AlphaNDCG": {"judged_by": "subtopics"}, "AspectRecall": {"of": "listed"}},
            last_search_only=True,
            per_round=5,
            names={"AspectRecall": "Weighted Aspect Recall"},
        ),
        Convention(
            "trec_fair",
            "TREC Fair Ranking 2021 and 2022: ranks 1 and 2 count alike, logarithms are natural.",
            covers=("AWRF",),
            parameters={"AWRF": {"discount": "clipped", "base": "e"}},
        ),
    )
}


_OTHER_NAMES = dict.fromkeys(("ms_recommenders", "microsoft_recommenders", "recommenders", "microsoft"), "msrec")


def usual_name(name: str) -> str:
    """The name of a convention in the usual spelling, as it is if there is none: case and hyphens do not matter.

    >>> usual_name("RecBole"), usual_name("TREC-Fair"), usual_name("ms_recommenders"), usual_name("mine")
    ('recbole', 'trec_fair', 'msrec', 'mine')
    """
    plain = name.strip().casefold().replace("-", "_").replace(" ", "_")
    plain = _OTHER_NAMES.get(plain, plain)
    return plain if plain in CONVENTIONS else name


def convention_named(name: str | Convention | None) -> Convention:
    """A convention by name; None is the published definitions."""
    if isinstance(name, Convention):
        return name
    if name is None:
        return CONVENTIONS["published"]
    usual = usual_name(name) if isinstance(name, str) else ""
    if usual in CONVENTIONS:
        return CONVENTIONS[usual]
    slips = {known: n for known in CONVENTIONS if (n := slips_between(usual.casefold(), known)) is not None}
    hint = f"; did you mean {min(slips, key=slips.__getitem__)!r}?" if slips else "."
    raise MetricError(f"unknown convention {name!r}{hint} Known: {', '.join(CONVENTIONS)}")


def conventions_named(names: str | Convention | Iterable[str | Convention] | None) -> list[Convention]:
    """One convention or several, which may be one text: names with commas between them.

    >>> [convention.name for convention in conventions_named("published, informfully")]
    ['published', 'informfully']
    """
    several: Any = names.split(",") if isinstance(names, str) else names if isinstance(names, Iterable) else [names]
    found = [convention_named(name.strip() if isinstance(name, str) else name) for name in several]
    if not found:
        raise MetricError("no convention is named")
    name, times = Counter(convention.name for convention in found).most_common(1)[0]
    if times > 1:
        raise MetricError(f"convention {name} is named twice")
    return found
