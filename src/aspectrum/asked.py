"""What is asked for: metrics, their text forms, names of one's own for them, ``all@10``, and families as ``novelty@10``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from aspectrum import metrics as _metrics  # noqa: F401  so that their names can be parsed
from aspectrum.coding.ids import described, quoted
from aspectrum.conventions import Convention, convention_named
from aspectrum.diagnostics.notices import Either, Notice
from aspectrum.errors import MetricError, each
from aspectrum.inputs import TRUTH
from aspectrum.metric import FAMILIES, Metric, has_own_name, of_family, parse, registered
from aspectrum.metric_text import read_name
from aspectrum.tokens import Tokens
from aspectrum.user_scores import AT_LEAST, GREATEST, LEAST
from aspectrum.wording import did_you_mean

Metrics = str | Metric | Iterable[str | Metric] | Mapping[str, str | Metric]
"""Metrics or their text forms; in a mapping, by names of one's own."""

_SUCH = "a metric such as 'NDCG@10' or asp.NDCG(k=10)"


@dataclass(frozen=True)
class Asked:
    """A metric, and what its number at each cutoff is called: by its text form, or by a name of the user's own.

    Of several conventions, those that are ``absent`` do not compute it. It is ``of_several`` if a word for several metrics brought it.
    A text ``called`` it so, which may be another name of the metric.
    """

    metric: Metric
    names: tuple[str, ...]
    absent: tuple[str, ...] = ()
    of_several: bool = False
    called: str = ""

    @classmethod
    def of(cls, metric: Metric, name: str | None = None) -> Asked:
        if name is None:
            return cls(metric, tuple(metric.names))
        if len(metric.cutoffs) == 1:
            return cls(metric, (name,))
        return cls(metric, tuple(name if cutoff == -1 else f"{name}@{cutoff}" for cutoff in metric.cutoffs))

    def apart(self) -> list[Asked]:
        """The same as cutoffs in ranks and cutoffs in tokens, where there are both."""
        kinds = [[k for k in self.metric.cutoffs if isinstance(k, Tokens) == in_tokens] for in_tokens in (False, True)]
        if not all(kinds):
            return [self]
        names = dict(zip(self.metric.cutoffs, self.names, strict=True))
        return [replace(self, metric=self.metric.at(tuple(kind)), names=tuple(names[k] for k in kind)) for kind in kinds]

    def at_cutoffs(self) -> list[tuple[str, Metric]]:
        """The metric at each cutoff, by name."""
        return [(name, self.metric.at(cutoff)) for name, cutoff in zip(self.names, self.metric.cutoffs, strict=True)]


def computed_under(convention: Convention, asked: Iterable[Asked]) -> list[Asked]:
    """Those of some metrics that one of several conventions computes."""
    return [one for one in asked if convention.name not in one.absent]


def asked_for(
    metrics: Metrics | Sequence[Asked],
    inputs: Collection[str],
    conventions: Sequence[Convention],
    *,
    usual: Sequence[str] = (),
    called: Mapping[str, str] | None = None,
    meant: Mapping[str, Metric] | None = None,
    over_orders: bool = False,
) -> tuple[list[Asked], list[Notice]]:
    """The metrics, each cutoff of each once, and what is left out of ``all@10``: every metric that the inputs allow.

    A family in lower case, as in ``novelty@10``, is every metric of it that they allow. Where a metric has the same name, the word is that
    metric, and ``family:calibration@10`` is the family.

    Args:
        metrics: As a user gives them.
        inputs: What there is beside the lists.
        conventions: A metric can be computed under at least one of these; notices say which of them do not.
        usual: Names of the metrics that ``usual@10`` stands for, where there is such a word.
        called: What users call the inputs, if it is something else.
        meant: By the name of a metric of ours, what it means here, if it is something else; unless it is written with parameters.
        over_orders: Whether scores are averaged over the orders of equal scores, which not every metric can be.

    >>> [str(one.metric) for one in asked_for(["NDCG@5,10", "NDCG@10", "Recall@5"], (), ())[0]]
    ['NDCG@5,10', 'Recall@5']
    """
    given = _given(metrics)
    read = each(partial(_read, name, one, usual, meant or {}, conventions) for name, one in given)
    if not read:
        raise MetricError("no metric was asked for")
    named = {name for one in read if isinstance(one, Asked) for name in one.names}
    seen: dict[str, Metric] = {}
    chosen: list[Asked | None] = []
    notices: list[Notice] = []
    for one in read:
        if isinstance(one, Asked):
            chosen.append(_rest(one, seen))
            continue
        obstacles = _obstacles(one, inputs, conventions, called or {}, lacking_for_all, over_orders)
        if all(map(all, obstacles.values())):  # a doubtful number is better than none
            obstacles = _obstacles(one, inputs, conventions, called or {}, lacking, over_orders)
        left_out = _left_out(one.text, obstacles, conventions)
        if one.family and all(map(all, obstacles.values())):
            raise _none_of_family(one, obstacles, left_out, conventions)
        notices += left_out
        for metric in (metric for metric, whys in obstacles.items() if not all(whys)):
            others = [cutoff for cutoff in metric.cutoffs if str(metric.at(cutoff)) not in named]
            absent = tuple(way.name for way, why in zip(conventions, obstacles[metric], strict=True) if why)
            if others:
                some = metric.at(tuple(others))
                chosen.append(_rest(Asked(some, _names(some, meant or {}), absent, of_several=True), seen))
    found = [one for one in chosen if one is not None]
    if not found:
        there, under = " and ".join(inputs) or "the lists alone", " and ".join(way.name for way in conventions)
        if len(conventions) == 1 and conventions[0].covers is not None:
            under += f", which covers {', '.join(conventions[0].covers)}"
        where = Either("asp.registered() lists all metrics", "see aspectrum metrics")
        raise MetricError(f"no metric can be computed from {there} under convention {under}; ", where)
    if not any(isinstance(one, Asked) for _, one in given):  # of which this was said before
        wanted = [metric for one in read for metric in ([one.metric] if isinstance(one, Asked) else one.metrics)]
        notices += _not_covered(wanted, conventions)
        notices += _refused([one.metric for one in read if isinstance(one, Asked)], conventions)
    return found, notices


def family_named(word: str) -> str | None:
    """The family that a word stands for, if it does: in lower case, and not the name of a metric; or any after ``family:``.

    >>> family_named("novelty"), family_named("family:novelty"), family_named("NDCG")
    ('novelty', 'novelty', None)
    """
    marked, _, family = word.rpartition(":")
    if marked.strip().lower() == "family":
        word = family.strip().lower()
        if word not in FAMILIES:
            raise MetricError(f"there is no family {word!r}{did_you_mean(word, FAMILIES) or '.'} There are {', '.join(FAMILIES)}")
        return word
    return word if word in FAMILIES and not has_own_name(word) else None


def is_set(text: str) -> bool:
    """Whether a text is a word for several metrics, at sound cutoffs."""
    return _read_set(text, has_usual=True) is not None


@dataclass(frozen=True)
class _Several:
    """The metrics that one word stands for; whether it is a family."""

    text: str
    metrics: tuple[Metric, ...]
    family: bool


def _read_set(text: str, has_usual: bool) -> tuple[str, str, bool] | None:
    """The word, the text of its cutoffs with their @, and whether it is a family; None if the text is something else."""
    written, at, cutoffs = (piece.strip() for piece in text.partition("@"))
    family = family_named(written)
    word = family or written.lower()
    if family is None and word != "all" and not (word == "usual" and has_usual):
        return None
    if at and not re.fullmatch(r"(-1|[1-9][0-9]*[tT]?)(,(-1|[1-9][0-9]*[tT]?))*", cutoffs.replace(" ", "")):
        raise MetricError(f"{text!r}: invalid cutoff {cutoffs!r}; expected such as {written}@10 or {written}@5,10")
    return word, at + cutoffs, family is not None


def _several(text: str, usual: Sequence[str]) -> _Several | None:
    """The metrics that a word stands for, if the text is one."""
    found = _read_set(text, has_usual=bool(usual))
    if found is None:
        return None
    word, at, family = found
    names = of_family(word) if family else registered() if word == "all" else usual
    found_in_tokens = [name for name in names if "t" not in at or registered()[name].in_tokens is not None]  # others have no such cutoffs
    if not found_in_tokens:
        raise MetricError(f"{text!r}: no metric of this family has cutoffs in tokens")
    return _Several(text.strip(), tuple(parse(f"{name}{at}") for name in found_in_tokens), family)


_NOT_COVERED = "not covered"


def _obstacles(
    asked: _Several,
    inputs: Collection[str],
    conventions: Sequence[Convention],
    called: Mapping[str, str],
    lacks: Callable[[Collection[str], Metric, Convention], tuple[str, ...] | None],
    over_orders: bool,
) -> dict[Metric, list[str]]:
    """Why a metric cannot be computed under each of the conventions; an empty text where it can."""

    def why_not(metric: Metric, convention: Convention) -> str:
        if not convention.has(metric):
            return _NOT_COVERED
        if refusal := convention.refusal(metric):
            instead = convention.instead(metric)
            return f"ask for {instead}" if instead else refusal
        if over_orders and convention.applied(metric).why_one_order():
            return "needs one order of ties"
        choices = convention.applied(metric).undecided(inputs)
        if choices:
            return f"say {' or '.join(f'{parameter}={value}' for parameter, values in choices.items() for value in values)}"
        lacked = lacks(inputs, metric, convention)
        return f"no {' and '.join(called.get(name, name) for name in lacked)}" if lacked else ""

    return {metric: [why_not(metric, convention) for convention in conventions] for metric in asked.metrics}


def _none_of_family(
    asked: _Several, obstacles: Mapping[Metric, Sequence[str]], left_out: Sequence[Notice], conventions: Sequence[Convention]
) -> MetricError:
    """What a family lacks: inputs, or a convention that covers any of it."""
    if asked.metrics and all(why == _NOT_COVERED for whys in obstacles.values() for why in whys):
        if len(conventions) > 1:
            return MetricError(
                f"{asked.text}: none of the conventions {', '.join(way.name for way in conventions)} covers a metric of this family"
            )
        (convention,) = conventions
        covered = ", ".join(convention.covers or ())
        return MetricError(f"{asked.text}: convention {convention.name} covers no metric of this family; it covers {covered}")
    said = [because for notice in left_out for because in notice.detail["left_out"]]
    under = "" if all(way.covers is None for way in conventions) else f" under convention {' or '.join(way.name for way in conventions)}"
    return MetricError(
        f"{asked.text}: no metric of this family can be computed from the inputs{under}: {', '.join(said) or 'there is none yet'}"
    )


def _given(metrics: Any) -> list[tuple[str | None, Any]]:
    """What was asked for, with its name if it has one."""
    if isinstance(metrics, str | Metric):
        return [(None, metrics)]
    if isinstance(metrics, Mapping):
        return list(metrics.items())
    if _class_of(metrics) is not None:
        return [(None, metrics)]
    if isinstance(metrics, bytes) or not isinstance(metrics, Iterable) or hasattr(metrics, "columns"):
        raise MetricError(f"metrics is {described(metrics)}, expected {_SUCH}, or several; lists come first, metrics second")
    return [(None, one) for one in metrics]


def _class_of(given: Any) -> str | None:
    """The name of a class of metrics, or of what is made of one, as ``asp.NuggetCoverage``; None for anything else."""
    metric = given.func if isinstance(given, partial) else given
    if not isinstance(metric, type) or not issubclass(metric, Metric):
        return None
    own = given.keywords if isinstance(given, partial) else {}
    return next((name for name, options in metric.aliases.items() if own and options == own), metric.__name__)


def _read(name: Any, given: Any, usual: Sequence[str], meant: Mapping[str, Metric], conventions: Sequence[Convention]) -> Asked | _Several:
    if isinstance(given, Asked):
        return given
    if name is not None and not isinstance(name, str):
        raise MetricError(f"metrics[{quoted(name)}]: a name is text, expected {{'my name': 'NDCG@10'}}; lists come first, metrics second")
    several = _several(given, usual) if isinstance(given, str) else None
    if several is not None:
        if name is not None:
            raise MetricError(f"metrics[{name!r}]: {given!r} is several metrics, which cannot have one name")
        return several
    if isinstance(given, str | Metric):
        metric = parse(given) if isinstance(given, str) else given
        if isinstance(given, str) and type(metric).__name__ in meant and "(" not in given:
            metric = replace(meant[type(metric).__name__], k=metric.k)
    elif (class_name := _class_of(given)) is not None:
        raise MetricError(f"{class_name} is a class, not a metric; give an object, as asp.{class_name}(k=10)")
    elif name is not None:
        found = f"metrics[{name!r}] is {described(given)}"
        raise MetricError(f"{found}, expected {_SUCH}: a mapping has names and metrics; lists come first, metrics second")
    else:
        raise MetricError(f"{described(given)} is not a metric; expected {_SUCH}")
    if name is not None:
        _check_name(name, metric)
    asked = Asked(metric, _names(metric, meant)) if name is None else Asked.of(metric, name)
    asked = replace(asked, called=read_name(given)[0]) if isinstance(given, str) else asked
    refusals = {convention.name: why for convention in conventions if (why := convention.refusal(metric))}
    if len(refusals) < len(conventions):
        return replace(asked, absent=tuple(refusals))
    if len(conventions) > 1:
        if any(convention.has(metric) for convention in conventions):
            raise MetricError("; ".join(refusals.values()))
        raise MetricError(f"none of the conventions {', '.join(refusals)} covers {type(metric).__name__}")
    return asked  # what the convention has instead is said by its plan


def _names(metric: Metric, meant: Mapping[str, Metric]) -> tuple[str, ...]:
    """What a metric is called at each cutoff: in full where its name alone means another metric."""
    in_full = type(metric).__name__ in meant
    return tuple(metric.at(cutoff).in_full for cutoff in metric.cutoffs) if in_full else tuple(metric.names)


def _check_name(name: str, metric: Metric) -> None:
    """A name of one's own is not that of another metric, or of another column."""
    if name in ("user", "system") or name.endswith((AT_LEAST, LEAST, GREATEST)):
        raise MetricError(f"metrics[{name!r}]: scores of users have a column of that name; choose another name")
    try:
        other = parse(name)
    except MetricError:
        if name.strip():
            return
        raise MetricError(f"metrics[{name!r}]: the name is empty") from None
    if type(other) is not type(metric) or (("@" in name or other.cutoffs != (-1,)) and other != metric):
        raise MetricError(f"metrics[{name!r}] is {metric}, but {name!r} is the name of another metric; choose another name")


def _rest(one: Asked, seen: dict[str, Metric]) -> Asked | None:
    """A metric without the cutoffs that were seen; None if nothing is left."""
    left: dict[str, Metric] = {}
    for name, metric in one.at_cutoffs():
        if name not in seen:
            seen[name] = left[name] = metric
        elif seen[name] != metric:
            raise MetricError(f"two metrics are called {name!r}: {seen[name]} and {metric}; give them different names")
    if not left:
        return None
    return replace(one, metric=one.metric.at(tuple(metric.cutoffs[0] for metric in left.values())), names=tuple(left))


def _left_out(text: str, obstacles: Mapping[Metric, Sequence[str]], conventions: Sequence[Convention]) -> list[Notice]:
    """What is left out of several metrics that some convention covers, and why: under every convention, or under one of them."""
    left_out: dict[str | None, dict[str, list[str]]] = {only: {} for only in (None, *(way.name for way in conventions))}
    for metric, whys in obstacles.items():
        reasons = {way.name: why for way, why in zip(conventions, whys, strict=True) if why not in ("", _NOT_COVERED)}
        for only, why in ({None: next(iter(reasons.values()))} if all(whys) and reasons else reasons).items():
            left_out[only].setdefault(why, []).append(type(metric).__name__)
    said = {only: [f"{', '.join(names)} ({why})" for why, names in because.items()] for only, because in left_out.items()}
    return [Notice("left_out", detail={"asked": text, "left_out": such}, only=only) for only, such in said.items() if such]


def _not_covered(metrics: Sequence[Metric], conventions: Sequence[Convention]) -> list[Notice]:
    """Which of the metrics each convention does not cover, or, where that is much shorter, does."""
    notices = []
    for convention in conventions:
        names = dict.fromkeys(type(metric).__name__ for metric in metrics if not convention.has(metric))
        others = dict.fromkeys(type(metric).__name__ for metric in metrics if convention.has(metric))
        kind, said = ("covers_only", others) if len(names) > max(5, len(others)) and others else ("not_covered", names)
        if names:
            notices.append(Notice(kind, detail={"convention": convention.name, "metrics": list(said)}))
    return notices


def _refused(metrics: Sequence[Metric], conventions: Sequence[Convention]) -> list[Notice]:
    """Why a convention that covers a metric does not compute it with these parameters."""
    covered = [(convention, metric) for convention in conventions for metric in metrics if convention.has(metric)]
    return [Notice("refused", detail={"why": why}) for convention, metric in covered if (why := convention.refusal(metric))]


def lacking(inputs: Iterable[str], metric: Metric, convention: str | Convention | None = None) -> tuple[str, ...] | None:
    """The inputs that a metric, and who is averaged, lack beside the lists and some inputs; None if the convention does not allow it.

    >>> from aspectrum.metrics import AlphaNDCG
    >>> lacking(["aspects"], AlphaNDCG()), lacking(["subtopics"], AlphaNDCG())
    (('history',), ())
    """
    given, chosen = set(inputs), convention_named(convention)
    try:
        applied = chosen.applied(metric)
    except MetricError:
        return None
    judgments = {"relevance", "history", "subtopics"}
    whom = {"relevant": {"relevance"}, "judged": judgments, "both": judgments}.get(chosen.users_for(metric), set())
    lacked = min(
        (names - given for names in applied.needs_at_cutoffs()),
        key=lambda names: ("subtopics" in names, len(names), names != {"popularity_users"}),
    )
    if whom and not whom & (given | lacked):
        lacked |= {next(name for name in TRUTH if name in whom)}
    return tuple(name for name in (*TRUTH, "popularity_users") if name in lacked)


def lacking_for_all(inputs: Collection[str], metric: Metric, convention: Convention) -> tuple[str, ...] | None:
    """The same, for a metric that nobody asked for by name: it should not be relative to what happens to be in the call."""
    lacked = lacking(inputs, metric, convention)
    relative_to = metric.relative_inputs()
    return ("catalogue",) if lacked == () and relative_to and not set(relative_to) & set(inputs) else lacked


def is_enough(inputs: Iterable[str], metric: Metric, convention: str | Convention | None = None) -> bool:
    """Whether some inputs, beside the lists, are enough for a metric, and for who is averaged."""
    return lacking(inputs, metric, convention) == ()
