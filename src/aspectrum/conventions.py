"""Other tools' numbers, as data: what each does differently from the published definitions."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from aspectrum.coding.reading import Reading
from aspectrum.errors import MetricError
from aspectrum.metric import Metric
from aspectrum.wording import did_you_mean
from aspectrum.world import Truth

UserChoice = Literal["lists", "judged", "both", "relevant", "all", "common"]
"""Who is averaged: users with a list; with truth; with both; with a relevant item; everybody the world knows; with a list of every
system."""


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

    def reading(self, options: Mapping[str, Any]) -> Reading:
        """How inputs are read: as this tool does, but for what a user asks for."""
        reading = Reading(**{**self.reads, **{name: value for name, value in options.items() if value is not None}})
        if self.history_above_threshold:
            return replace(reading, history_threshold=reading.threshold)
        given = options.get("threshold") is not None and self.liked_from_threshold
        return replace(reading, liked_from=reading.threshold) if given else reading

    def truth(self, **inputs: Any) -> Truth:
        """The truth as this tool reads it; the inputs and options are those of :meth:`Truth.read`."""
        options = {option.name: inputs[option.name] for option in fields(Reading) if option.name in inputs}
        return Truth.read(reading=self.reading(options), **inputs)

    def named(self, metric: Metric) -> str:
        """What the tool calls a metric; parameters that it may not have are added.

        >>> from aspectrum.metrics import AspectRecall
        >>> CONVENTIONS["relison"].named(AspectRecall(k=5))
        'Community recall@5'
        """
        own = type(metric).__name__
        return str(metric).replace(own, self.names.get(own, own), 1)

    def applied(self, metric: Metric) -> Metric:
        """The metric as this tool computes it."""
        mine = self.parameters.get(type(metric).__name__, {})
        defaults = {parameter.name: parameter.default for parameter in fields(metric)}
        try:
            return replace(metric, **{name: value for name, value in mine.items() if getattr(metric, name) == defaults[name]})
        except MetricError as error:
            raise MetricError(f"{metric} cannot be computed under convention {self.name}: {error}") from None

    def users_for(self, metric: Metric) -> UserChoice:
        return self.users_of.get(type(metric).__name__, self.users)


_ASPECT_METRICS = ("AlphaNDCG", "AlphaDCG", "ERRIA", "NRBP", "AspectRecall", "PrecisionIA", "MAPIA")


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
            liked_from_threshold=False,
            users="both",
            undefined_is_0=_ASPECT_METRICS,
            reads={"ties": "descending", "aspects_in_order": True},
            parameters=_judged_by_subtopics(AlphaDCG={"normalize": "perfect"}, ERRIA={"normalize": "perfect"}),
        ),
        Convention(
            "pyndeval",
            "pyndeval 0.0.8: as ndeval, but ties by ascending item id, and raw AlphaDCG and ERRIA at k = 1.",
            liked_from_threshold=False,
            users="both",
            undefined_is_0=_ASPECT_METRICS,
            reads={"ties": "ascending", "scores_before_ranks": True, "aspects_in_order": True},
            parameters=_judged_by_subtopics(AlphaDCG={"normalize": "pyndeval"}, ERRIA={"normalize": "pyndeval"}),
        ),
        Convention(
            "relison",
            "RELISON (contact recommendation): all users count, ILD over all ordered pairs and per link.",
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
            },
            names={
                "AspectRecall": "Community recall",
                "IntraListDiversity": "ILD",
                "GiniComplement": "Predicted Gini complement",
                "NDCG": "nDCG",
            },
        ),
        Convention(
            "informfully",
            "The Cornac-based Informfully project: alpha-nDCG and nDCG against the list's own sorted gains.",
            users="relevant",
            history_above_threshold=True,
            reads={"aspects_in_order": True},
            parameters={
                "AlphaNDCG": {"judged_by": "history", "ideal": "sorted", "unjudged": "drop"},
                "NDCG": {"ideal": "list"},
                "IntraListDiversity": {"featureless": "undefined", "single": "zero", **_OF_FEATURES},
            },
        ),
    )
}


def convention_named(name: str | Convention | None) -> Convention:
    """A convention by name; None is the published definitions."""
    if isinstance(name, Convention):
        return name
    if name is None or (isinstance(name, str) and name in CONVENTIONS):
        return CONVENTIONS[name or "published"]
    hint = did_you_mean(name, CONVENTIONS) or "."
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
