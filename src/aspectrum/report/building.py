"""A comparison as a report: what the page shows, gathered from results, their lists and the truth."""

from __future__ import annotations

import math
import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from aspectrum.comparison.comparison import Comparison
from aspectrum.comparison.differences import FEWEST
from aspectrum.comparison.differences import Difference as Compared
from aspectrum.comparison.paired import paired
from aspectrum.comparison.segments import segment_means
from aspectrum.diagnostics.notices import Notice
from aspectrum.documentation import explained
from aspectrum.evidence import Evidence
from aspectrum.metric import Metric
from aspectrum.naming import latex_name, readable_name
from aspectrum.references import bibtex
from aspectrum.report.content import (
    AspectShare,
    Curves,
    Definition,
    Difference,
    Distribution,
    Distributions,
    Front,
    Interval,
    ListedItem,
    ListPair,
    Lorenz,
    Mark,
    Measure,
    Remark,
    Report,
    Score,
    Segment,
    Segmentation,
    ShownList,
    Standing,
    TradeOff,
)
from aspectrum.report.findings import findings_of
from aspectrum.tokens import Cutoff, Tokens, budgets_of, ranks_of

_BINS = 40
_LORENZ_POINTS = 100
_MOST_IN_FOCUS = 5
_SHOWN_ITEMS = 10
_FAMILIES = {"distance": "Diversity"}


@dataclass(frozen=True)
class Origin:
    """Where a report comes from: what its readers may want to repeat.

    Args:
        title: Of the page.
        date: As the page shows it; nothing by default, so that the same input makes the same bytes.
        command: What made it.
        inputs: Names of input files, and digests of their content.
        titles: What items are called, by id.
        digits: Decimals of the table.
        percent: Whether numbers are shown in percent.
    """

    title: str = ""
    date: str = ""
    command: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[Any, str] = field(default_factory=dict)
    digits: int = 3
    percent: bool = False


def report_of(comparison: Comparison, origin: Origin | None = None) -> Report:
    """Everything that the page of a comparison shows."""
    return _Building(comparison, origin or Origin()).report()


class _Building:
    def __init__(self, comparison: Comparison, origin: Origin) -> None:
        self.comparison, self.origin = comparison, origin
        self.metrics: dict[str, Metric] = {
            name: next(iter(comparison.results.values())).columns[name].metric for name in comparison.metrics
        }
        self.evidence = {name: result.evidence for name, result in comparison.results.items() if isinstance(result.evidence, Evidence)}
        if len(self.evidence) < len(comparison.results):
            self.evidence = {}
        cutoffs = {metric.cutoffs[0] for metric in self.metrics.values()}
        self.cutoff = next(iter(cutoffs)) if len(cutoffs) == 1 else None
        self.depth = max(cutoffs, key=_preference)
        self.ranks = -1 if isinstance(self.depth, Tokens) else self.depth
        self.left_out: list[Notice] = []
        self.focus: tuple[str, ...] = ()

    def report(self) -> Report:
        comparison = self.comparison
        accuracy = self._first("relevance")
        diversity = [name for family in ("distance", "aspects", "novelty", "coverage") for name in self._preferred(family)]
        trade_off = self._trade_off(accuracy)
        self.focus = self._focus(trade_off)
        tested = {one.metric for one in comparison.differences if one.tested}
        parts: dict[str, Any] = {
            "curves": self._curves(),
            "distributions": self._distributions(),
            "segmentations": self._segmentations(),
            "lorenz": self._lorenz(),
            "aspects": self._aspects(),
            "lists": self._lists([name for name in (*diversity, *self.metrics) if comparison.metric_scores(name).kind == "mean"]),
        }
        return Report(
            title=self.origin.title or self._title(),
            question=self._question(),
            eyebrow=" · ".join(
                filter(
                    None,
                    (
                        "aspectrum comparison" if len(comparison.systems) > 1 else "aspectrum evaluation",
                        self.origin.date,
                        f"version {_version('aspectrum')}",
                    ),
                )
            ),
            facts=self._facts(),
            systems=comparison.systems,
            baseline=comparison.baseline if len(comparison.systems) > 1 else None,
            focus=self.focus,
            measures=tuple(self._measure(name) for name in self.metrics),
            scores={name: self._scores(name) for name in self.metrics},
            differences=self._differences(),
            standings={name: Standing(one.best, one.tie, one.second) for name, one in comparison.standings.items()},
            findings=findings_of(comparison, accuracy, diversity, self._relevant_diversity()),
            gates=tuple((one.decision, one.said) for one in comparison.gates),
            tested_by=comparison.tested_by if tested else "",
            trade_off=trade_off,
            **parts,
            command=self.origin.command,
            provenance=self._provenance(),
            bibtex=bibtex(self.metrics.values()),
            remarks=self._remarks(),
            digits=self.origin.digits,
            percent=self.origin.percent,
            level=comparison.procedure.level,
        )

    def _direction(self, name: str) -> bool | None:
        return self.comparison.column(name).higher_is_better

    def _of_family(self, family: str) -> list[str]:
        return [name for name, metric in self.metrics.items() if metric.family == family and self._direction(name) is not None]

    def _preferred(self, family: str) -> list[str]:
        """The metrics of a family, the best known first, those last in which only relevant items count; at 10 if they are there."""
        known = ("NDCG", "AlphaNDCG", "IntraListDiversity")

        def order(name: str) -> tuple[bool, bool, bool]:
            metric = self.metrics[name]
            by_relevance = self.how(name).get("relevance") in ("binary", "graded")
            return type(metric).__name__ not in known, by_relevance, metric.cutoffs[0] != self.depth

        return sorted(self._of_family(family), key=order)

    def _first(self, family: str) -> str | None:
        """The metric that stands for a family."""
        return next(iter(self._preferred(family)), None)

    def _relevant_diversity(self) -> str | None:
        """The metric of aspects that are judged by relevance, by users or in subtopics: others do not ask for relevance."""
        names = [name for name in self._of_family("aspects") if self.how(name).get("judged_by") in ("relevance", "subtopics")]
        ordered = sorted(
            names, key=lambda name: (self.metrics[name].cutoffs[0] != self.depth, type(self.metrics[name]).__name__ != "AlphaNDCG")
        )
        return next(iter(ordered), None)

    def how(self, name: str) -> Mapping[str, Any]:
        """How a number was computed."""
        return next(iter(self.comparison.results.values())).columns[name].how

    def _title(self) -> str:
        systems = self.comparison.systems
        return f"{len(systems)} systems compared" if len(systems) > 2 else " and ".join(systems)

    def _question(self) -> str:
        n = self.comparison.source.n_compared
        scored = f" Scores of {n:,} user{'s' if n > 1 else ''}." if n else ""
        if len(self.comparison.systems) == 1:
            return scored.strip()
        against = "" if self.comparison.baseline is None else f" Differences are against {self.comparison.baseline}."
        return f"What won, is it real, what does it cost, and for whom?{scored}{against}"

    def _facts(self) -> tuple[tuple[str, str], ...]:
        comparison = self.comparison
        evidence = next(iter(self.evidence.values()), None)
        facts = {
            "Users": f"{comparison.source.n_compared:,}" if comparison.source.n_compared else "",
            "Items": "" if evidence is None else f"{int(evidence.catalogue.sum()):,}",
            "Aspects": "" if evidence is None or not evidence.aspect_names() else f"{len(evidence.aspect_names()):,}",
            "Systems": f"{len(comparison.systems)}",
            "Metrics": f"{len(dict.fromkeys(metric.at(-1) for metric in self.metrics.values()))}",
            "Cutoffs": _said_cutoffs(
                {column.metric.cutoffs[0] for result in comparison.results.values() for column in result.columns.values()}
            ),
            "Baseline": comparison.baseline or "" if len(comparison.systems) > 1 else "",
        }
        return tuple((name, value) for name, value in facts.items() if value)

    def _measure(self, name: str) -> Measure:
        metric = self.metrics[name]
        return Measure(
            name,
            self.names[name],
            _FAMILIES.get(metric.family, metric.family.capitalize()),
            self._direction(name),
            self.comparison.metric_scores(name).kind != "whole",
            self._definition(name),
            latex_name(metric, name),
            self.how(name).get("judged_by") or "",
        )

    @cached_property
    def names(self) -> dict[str, str]:
        """What measures are called: without a cutoff that all share, and without the judging, which stands below, where that tells them apart."""
        short = {name: self._name(name, metric) for name, metric in self.metrics.items()}
        judged = {name: self.how(name).get("judged_by") for name in self.metrics}
        return {
            name: f"{text} by {judged[name]}" if judged[name] and list(short.values()).count(text) > 1 else text
            for name, text in short.items()
        }

    def _name(self, name: str, metric: Metric) -> str:
        if name != str(metric):
            return name  # of the user's own
        own = metric.at(-1) if self.cutoff is not None else metric
        if "judged_by" in metric.parameters:
            own = replace(own, judged_by=None)  # type: ignore[call-arg]
        return readable_name(own, str(own))

    def _definition(self, name: str) -> Definition:
        """What a metric is, with every choice that was made."""
        metric, how = self.metrics[name], self.how(name)
        known = explained(metric)
        chosen = {key: str(value) for key, value in how.items() if key not in ("metric", "definition") and value is not None}
        return replace(
            known,
            parameters={**{key: value for key, value in known.parameters.items() if key in how}, **chosen} if how else known.parameters,
        )

    def _scores(self, name: str) -> dict[str, Score]:
        found = {}
        for system, score in self.comparison.scores[name].items():
            counts = self.comparison.results[system].columns[name].state.counts
            reason = "no user has a defined score" if math.isnan(score.value) else ""
            found[system] = Score(score.value, score.interval, score.scored, counts.get("undefined", 0), reason)
        return found

    def _differences(self) -> dict[str, dict[str, Difference]]:
        comparison = self.comparison
        if comparison.baseline is None:
            return {}
        found: dict[str, dict[str, Difference]] = {name: {} for name in self.metrics}
        for one in comparison.differences:
            found[one.metric][one.system] = Difference(
                one.difference, one.interval, one.relative, one.relative_interval, one.p, one.p_adjusted, _MARKS[comparison.mark(one)], one.n, one.wins, one.ties,
                one.losses, _note(one),
            )  # fmt: skip
        return found

    def _trade_off(self, accuracy: str | None) -> TradeOff | None:
        comparison = self.comparison
        if accuracy is None or len(comparison.systems) < 2:
            return None
        others = [name for name, metric in self.metrics.items() if metric.family != "relevance" and self._direction(name) is not None]
        others += [name for name in self._of_family("relevance") if name != accuracy]
        others.sort(key=lambda name: self.metrics[name].cutoffs[0] != self.depth)
        fronts = []
        for name in others:
            found = comparison.pareto(accuracy, name)
            if found.front:
                fronts.append(Front(name, found.front, found.open))
        return TradeOff(accuracy, tuple(fronts)) if fronts else None

    def _focus(self, trade_off: TradeOff | None) -> tuple[str, ...]:
        """The baseline aside: members of the front first, then the best of each family, then the others."""
        comparison = self.comparison
        chosen: list[str] = []
        if trade_off is not None:
            chosen += trade_off.fronts[0].front
        for name in self.metrics:
            standing = comparison.standings[name]
            chosen += [standing.best] if standing.best is not None else []
        ordered = dict.fromkeys((*chosen, *comparison.systems))
        return tuple(name for name in ordered if name != comparison.baseline)[:_MOST_IN_FOCUS]

    def _curves(self) -> tuple[Curves, ...]:
        """Metrics at several cutoffs, over the users of the comparison."""
        found: dict[Metric, Curves] = {}
        results = list(self.comparison.results.values())
        for name, metric in self.metrics.items():
            columns = {
                column.metric.cutoffs[0]: other
                for other, column in results[0].columns.items()
                if column.metric.at(-1) == metric.at(-1)
                and _is_rank(column.metric.cutoffs[0])
                and all(other in one.columns for one in results)
            }
            if len(columns) < 2 or metric.at(-1) in found:
                continue
            cutoffs = tuple(sorted(columns))
            points = [self._points(columns[k]) for k in cutoffs]
            values = {system: tuple(point[place][0] for point in points) for place, system in enumerate(self.comparison.systems)}
            bands = {system: tuple(point[place][1] for point in points) for place, system in enumerate(self.comparison.systems)}
            own = readable_name(metric.at(-1), str(metric.at(-1))) if name == str(metric) else name.rpartition("@")[0] or name
            found[metric.at(-1)] = Curves(name, own, _FAMILIES.get(metric.family, metric.family.capitalize()), cutoffs, values, bands)
        return tuple(found.values())

    def _points(self, name: str) -> list[tuple[float, Interval | None]]:
        """The number of each system on a metric, and its interval."""
        metric, level = self.comparison.metric_scores(name), self.comparison.procedure.level
        found: list[tuple[float, Interval | None]] = []
        for place, value in enumerate(metric.values):
            users = np.flatnonzero(metric.defined[:, place]) if metric.scores is not None else ()
            scored = len(users) >= FEWEST
            found.append((value, paired(metric.contributions(np.asarray(users), [place])[:, 0]).interval(level) if scored else None))
        return found

    def _distributions(self) -> tuple[Distributions, ...]:
        found = []
        for name in self.metrics:
            metric = self.comparison.metric_scores(name)
            if metric.scores is None or metric.kind == "whole" or not metric.defined.any():
                continue
            low, high = float(metric.scores[metric.defined].min()), float(metric.scores[metric.defined].max())
            low = min(0.0, low)
            high = high if high > low else low + 1.0
            systems = {}
            for place, system in enumerate(self.comparison.systems):
                scores = metric.scores[metric.defined[:, place], place]
                if len(scores):
                    counts, _ = np.histogram(scores, bins=_BINS, range=(low, high))
                    quartiles = tuple(float(one) for one in np.quantile(scores, (0.25, 0.5, 0.75)))
                    mean, zeros = self.comparison.scores[name][system].value, float((scores == 0).mean())
                    systems[system] = Distribution(tuple(counts.tolist()), quartiles, mean, zeros)  # type: ignore[arg-type]
            found.append(Distributions(name, low, high, systems))
        return tuple(found)

    def _segmentations(self) -> tuple[Segmentation, ...]:
        comparison = self.comparison
        if not comparison.attributes:
            self.left_out.append(Notice("no_segments"))
        found = []
        for attribute in comparison.attributes:
            for name in self.metrics:
                metric = comparison.metric_scores(name)
                if metric.scores is None or metric.kind == "whole":
                    continue
                means = {
                    system: segment_means(metric, attribute, place, comparison.procedure.level)
                    for place, system in enumerate(comparison.systems)
                }
                users = {segment: int(flags.sum()) for segment, flags in attribute.places()}
                segments = tuple(
                    Segment(
                        segment,
                        users[segment],
                        {system: means[system][segment].mean for system in comparison.systems},
                        {system: means[system][segment].interval for system in comparison.systems},
                    )
                    for segment in users
                )
                tests = [one for one in comparison.segment_tests if one.metric == name and one.attribute == attribute.name]
                found.append(Segmentation(attribute.name, name, segments, _verdict(attribute.name, tests), attribute.note))
        return tuple(found)

    def _lorenz(self) -> Lorenz | None:
        if not self.evidence:
            self.left_out.append(Notice("no_lists"))
            return None
        curves, gini, never = {}, {}, {}
        items = 0
        for system, evidence in self.evidence.items():
            counts = np.sort(evidence.shown(self.ranks))
            items, total = len(counts), int(counts.sum())
            if not total or items < 2:
                return None
            shares = np.concatenate(([0.0], np.cumsum(counts) / total))
            places = np.unique(np.rint(np.linspace(0, items, _LORENZ_POINTS + 1)).astype(np.int64))
            curves[system] = tuple((float(place / items), float(shares[place])) for place in places)
            factors = 2 * np.arange(1, items + 1) - items - 1
            gini[system] = float((factors * (counts / total)).sum() / (items - 1))
            never[system] = int((counts == 0).sum())
        return Lorenz(curves, gini, never, items)

    def _aspects(self) -> tuple[AspectShare, ...]:
        evidence = next(iter(self.evidence.values()), None)
        if evidence is None:
            return ()
        names = evidence.aspect_names()
        if not names:
            self.left_out.append(Notice("no_aspects"))
            return ()
        catalogue, histories = evidence.catalogue_shares(), evidence.history_shares()
        shares = {system: one.aspect_shares(self.ranks) for system, one in self.evidence.items()}
        order = np.argsort(-catalogue, kind="stable")
        return tuple(
            AspectShare(
                names[place],
                float(catalogue[place]),
                None if histories is None else float(histories[place]),
                {system: float(values[place]) for system, values in shares.items()},
            )
            for place in order.tolist()
        )

    def _lists(self, names: Sequence[str]) -> tuple[ListPair, ...]:
        comparison = self.comparison
        if not self.evidence or not self.origin.titles:
            self.left_out += [Notice("no_titles")] if self.evidence else []
            return ()
        if comparison.baseline is None or len(comparison.systems) < 2 or not names:
            return ()
        name = names[0]
        one = comparison.difference(name, self.focus[0])
        metric = comparison.metric_scores(name)
        assert metric.scores is not None
        b, a = comparison.systems.index(one.system), comparison.systems.index(one.baseline)
        users = np.flatnonzero(metric.defined[:, a] & metric.defined[:, b])
        d = metric.scores[users, b] - metric.scores[users, a]
        if not len(d):
            return ()
        chosen: dict[str, int] = {}
        for kind, extreme in (("gain", one.largest_gain), ("loss", one.largest_loss)):
            if extreme is not None:
                chosen[kind] = next(place for place, user in enumerate(users) if comparison.source.users[int(user)] == extreme[0])
        chosen["typical"] = int(np.argsort(np.abs(d - np.median(d)), kind="stable")[0])
        pairs = []
        for kind, place in chosen.items():
            user = comparison.source.users[int(users[place])]
            shown = tuple(
                ShownList(system, float(metric.scores[users[place], side]), self._listed(self.evidence[system].list_of(user, _SHOWN_ITEMS)))
                for system, side in ((one.baseline, a), (one.system, b))
            )
            pairs.append(ListPair(kind, str(user), name, float(d[place]), shown))  # type: ignore[arg-type]
        return tuple(pairs)

    def _listed(self, shown: Iterable[Any]) -> tuple[ListedItem, ...]:
        seen: set[str] = set()
        found = []
        for one in shown:
            title = self.origin.titles.get(one.item, self.origin.titles.get(str(one.item), str(one.item)))
            found.append(ListedItem(str(title), tuple((aspect, aspect not in seen) for aspect in one.aspects), one.relevant))
            seen.update(one.aspects)
        return tuple(found)

    def _provenance(self) -> tuple[tuple[str, str], ...]:
        versions = {f"{name}": _version(name) for name in ("aspectrum", "numpy", "scipy", "polars")}
        said = {
            "Versions": ", ".join(f"{name} {number}" for name, number in versions.items() if number)
            + f", Python {platform.python_version()}"
        }
        if len(self.comparison.systems) > 1:
            said["Seed"] = str(self.comparison.procedure.seed)
        return (*said.items(), *((path, digest) for path, digest in self.origin.inputs.items()))

    def _remarks(self) -> tuple[Remark, ...]:
        comparison = self.comparison
        of_means = {one.with_kind(comparison.speaker): one.kind not in _OF_TESTS for one in comparison.notices if one.level == "warning"}
        warnings = {**of_means, **dict.fromkeys(comparison.input_remarks["Warnings"], True)}
        notes = dict.fromkeys(
            (*comparison.notes, *comparison.input_remarks["Notes"], *(one.rendered(comparison.speaker) for one in self.left_out))
        )
        return (*(Remark(may_change, text) for text, may_change in warnings.items()), *(Remark(False, text) for text in notes))


_OF_TESTS = ("few_carry", "inconclusive")
"""Warnings that say how sure differences are, whatever the means."""


def _preference(cutoff: Cutoff) -> tuple[bool, bool, bool, int]:
    """10 before whole lists, these before the largest rank, and ranks before tokens."""
    if isinstance(cutoff, Tokens):
        return False, False, False, cutoff.n
    return cutoff == 10, cutoff == -1, True, cutoff


def _is_rank(cutoff: Cutoff) -> bool:
    return not isinstance(cutoff, Tokens) and cutoff > 0


def _said_cutoffs(cutoffs: Collection[Cutoff]) -> str:
    """Cutoffs in words: those that follow one another as a range."""
    tokens = [f"{budget.n:,} tokens" for budget in sorted(budgets_of(cutoffs))]
    ordered = sorted(k for k in ranks_of(cutoffs) if k > 0)
    if tokens:
        return ", ".join([*map(str, ordered), *tokens])
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered))


_MARKS: Mapping[str, Mark | None] = {"▲": "higher", "▼": "lower", "≈": "same", "": None}


def _note(one: Compared) -> str:
    """What to know of a difference; beside one that is not significant, how small a difference would have been found."""
    notes = list(one.notes)
    if one.significant is False and one.minimum_detectable is not None:
        share = f" ({100 * one.minimum_detectable / one.mean_a:.1f} %)" if one.mean_a > 0 else ""
        notes.append(
            f"not significant; with these {one.n:,} users a true difference of ±{one.minimum_detectable:.4f}{share} would be found 4 times in 5"
        )
    return "; ".join(notes)


def _verdict(attribute: str, tests: Sequence[Any]) -> str:
    """Whether the effects of systems differ between segments, in a sentence."""
    differing = [one for one in tests if one.p_adjusted <= one.alpha]
    if not tests:
        return ""
    if not differing:
        return f"By {attribute}: no evidence that the effect of any system differs between segments."
    return f"By {attribute}: the effect differs between segments for {', '.join(f'{one.system} (p {_p(one.p_adjusted)})' for one in differing)}."


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
