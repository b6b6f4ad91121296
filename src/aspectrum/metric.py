"""A metric is a value: parameters that can be compared, hashed, printed and read back."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from inspect import formatannotation
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from aspectrum import kernels
from aspectrum.arrays import Counts, Flags, Floats
from aspectrum.diagnostics.notices import Either, Option
from aspectrum.errors import InputError, MetricError, MissingInput, UnusedParameter
from aspectrum.judging import JUDGINGS, Coverage, JudgedBy, choose_judgment, cover
from aspectrum.metric_text import read_cutoffs, read_name, read_numbers_in_name, read_parameters, split_metrics, written
from aspectrum.states import Mean, Orders, State, exact_sums
from aspectrum.tokens import Cutoff, PartialDocument, Tokens, budgets_of, cutoff_order, ranks_of
from aspectrum.wording import did_you_mean, listed, slips_between

if TYPE_CHECKING:
    from aspectrum.world import Truth, World

Family = Literal[
    "relevance", "aspects", "distance", "novelty", "popularity", "serendipity", "coverage", "calibration", "fairness", "network"
]
"""What a metric is about."""

FAMILIES: Mapping[str, tuple[Family, ...]] = {
    **{family: (family,) for family in get_args(Family)},
    "accuracy": ("relevance",),
    "diversity": ("aspects", "distance"),
}
"""Words for all metrics of some families, in lower case."""

Aliases = Mapping[str, Mapping[str, Any]]
"""Other names of a metric, each with the parameters it stands for."""

_registry: dict[str, tuple[type[Metric], dict[str, Any]]] = {}


def of_family(word: str) -> list[str]:
    """The names of the metrics that a word of :data:`FAMILIES` stands for."""
    return [name for name, cls in registered().items() if cls.family in FAMILIES[word]]


def has_own_name(word: str) -> bool:
    """Whether a metric is called so, in any case; other names of metrics do not count."""
    return _plain(word) in map(_plain, registered())


def registered() -> dict[str, type[Metric]]:
    """Every metric by its own name."""
    return {cls.__name__: cls for name, (cls, preset) in _registry.items() if name == cls.__name__}


@dataclass(frozen=True)
class Metric:
    """Something measured of ranked lists, at one cutoff or several.

    Subclasses are frozen dataclasses of parameters. Their names, and the aliases they declare, can be parsed. A parameter is a ``bool``,
    ``int``, ``float``, ``str``, one of the words of a ``Literal``, a number per key (``Mapping[str, float]``), or a union of these and None.

    Args:
        k: Ranks that count: one number, or several; -1 is the whole list. ``Tokens(4000)``, written ``4000t``, is as many documents as
            fit into so many tokens.
    """

    k: Cutoff | tuple[Cutoff, ...] = -1

    aliases: ClassVar[Aliases] = {}
    """Other names, each with the parameters it stands for."""

    cutoff_in_name: ClassVar[bool] = False
    """Whether a number after its name is a cutoff, as in trec_eval's ``P_10``; after ``cut`` or ``at`` it always is."""

    decimals_in_name: ClassVar[str] = ""
    """The parameter whose decimals follow its name after a point, as in ranx' ``rbp.95``."""

    idle: ClassVar[frozenset[str]] = frozenset()
    """Parameters that have no effect with the others; known of every metric that exists, see :func:`check_goes_with`."""

    symbol: ClassVar[str] = ""
    r"""What papers call it, as LaTeX such as ``$\alpha$-nDCG``; by default the words of the class name."""

    cites: ClassVar[tuple[str, ...]] = ()
    """Keys of the papers that define it, in :mod:`aspectrum.references`."""

    family: ClassVar[Family]
    """What it is about."""

    higher_is_better: ClassVar[bool | None] = True
    """Which way is better; None if neither is."""

    has_ratios: ClassVar[bool] = True
    """Whether values are on a ratio scale, so that one may be half of another; comparisons report relative differences only then."""

    inputs: ClassVar[tuple[str, ...]] = ()
    """The inputs that it needs beside the lists."""

    truth: ClassVar[str | None] = None
    """The input that says which users are judged, where no ``judged_by`` says it."""

    over_orders: ClassVar[bool] = False
    """Whether ``fractions`` are averages over the orders of items with equal scores where the world asks for these."""

    built_on: ClassVar[tuple[str, ...]] = ()
    """Parts of the truth, and ``popularity``, that a score depends on beyond what is known of its user: states built on others do not add."""

    in_tokens: ClassVar[Mapping[str, tuple[Any, ...]] | None] = None
    """Whether a cutoff may be in tokens: values that parameters must have, where nothing is divided by a number of ranks; None if never."""

    relative_to: ClassVar[tuple[str, ...]] = ()
    """Inputs one of which says what a number is relative to; without any, it depends on whatever else is in the call."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "abstract" in cls.__dict__:
            return
        families = ", ".join(map(repr, get_args(Family)))
        if not hasattr(cls, "family"):
            raise MetricError(f"{cls.__name__} declares no family, expected one of {families}")
        if cls.family not in get_args(Family):
            raise MetricError(f"{cls.__name__}: family is {cls.family!r}, expected one of {families}")
        if "symbol" not in cls.__dict__:
            cls.symbol = _in_words(cls.__name__)
        names = {cls.__name__: {}, **cls.aliases}
        for name in names:
            known = _registry.get(name, (cls, {}))[0]
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise MetricError(f"there is a metric {name} already, {known.__module__}.{known.__qualname__}; give yours another name")
        _registry.update({name: (cls, dict(preset)) for name, preset in names.items()})

    def __post_init__(self) -> None:
        for name, value in self.parameters.items():
            object.__setattr__(self, name, _checked(type(self), name, value))
        object.__setattr__(self, "k", _checked_cutoffs(type(self), self.k))
        if self.budgets:
            _check_in_tokens(self)
        elif type(self).in_tokens is not None:  # no error, as the same metric without cutoffs is a name for it at all of them
            self.leave_idle(*{"partial"}.intersection(self.parameters))

    def leave_idle(self, *names: str) -> None:
        """Remember that parameters have no effect with the others."""
        self.__dict__["idle"] = self.idle.union(names)

    @property
    def cutoffs(self) -> tuple[Any, ...]:  # of Cutoff: whoever takes one for a number gets an error
        """Cutoffs: ranks, ascending, then tokens; -1 (the whole list) last."""
        return self.k if isinstance(self.k, tuple) else (self.k,)

    @property
    def budgets(self) -> list[Tokens]:
        """Cutoffs in tokens."""
        return budgets_of(self.cutoffs)

    @property
    def partial_document(self) -> PartialDocument:
        """What becomes of the first document that does not fit into a number of tokens."""
        chosen: PartialDocument = "drop" if type(self).in_tokens is None else self.parameters.get("partial", "drop")
        return chosen

    @property
    def looks_beyond(self) -> bool:
        """Whether a score may depend on what stands behind its cutoff: at so many tokens, or of a metric that is not ours, of which nobody knows."""
        beyond = bool(self.budgets) or self.parameters.get("pool") == "list" or self.parameters.get("unjudged") == "condense"
        return beyond or not type(self).__module__.startswith("aspectrum.metrics.")

    @property
    def depth(self) -> int:
        """How many places of a list it looks at; -1 if at all of them."""
        return -1 if self.looks_beyond else self.cutoffs[-1]

    def at(self, cutoff: Cutoff | tuple[Cutoff, ...]) -> Self:
        """The same metric at one cutoff, or at several."""
        return replace(self, k=cutoff)

    @property
    def names(self) -> list[str]:
        """The text form at each cutoff."""
        return [str(self.at(cutoff)) for cutoff in self.cutoffs]

    def needs(self) -> tuple[frozenset[str], ...]:
        """Sets of inputs, beside the lists, each of which is enough; the one that is preferred first."""
        return (frozenset(self.inputs),)

    def needs_at_cutoffs(self) -> tuple[frozenset[str], ...]:
        """The same with what its cutoffs need: those in tokens, the lengths of documents."""
        more = frozenset(("lengths",) if self.budgets else ())
        return tuple(names | more for names in self.needs())

    def relative_inputs(self) -> tuple[str, ...]:
        """``relative_to``, of a metric whose parameters make it so."""
        return self.relative_to

    def population(self, truth: Truth) -> Flags | None:
        """The items that a metric of all items is about; None if these are all items seen."""
        return truth.catalogue

    def why_one_order(self) -> str:
        """Why scores cannot be averaged over all orders of items with equal scores; an empty text if they can."""
        if not type(self).__dict__.get("over_orders"):  # a subclass says so itself
            return "it has no closed form"
        if self.budgets:
            return "which items fit into a number of tokens depends on their order"
        return next(
            (f"{name}={written(value)} has no closed form" for name, value in self.parameters.items() if (name, value) in _ONE_ORDER), ""
        )

    def check_orders(self, asked: Metric | None = None) -> None:
        """That scores can be averaged over all orders of items with equal scores, of a metric that was `asked` for so."""
        if why := self.why_one_order():
            ties = (Option("ties", "ascending"), " or ", Option("ties", "descending"))
            raise MetricError(f"{asked or self} cannot be averaged over the orders of equal scores: {why}; leave it out, or use ", *ties)

    def resolved(self, truth: Truth) -> Self:
        """The same metric with every choice made that depends on what is known; the plan asks once."""
        return self

    def undecided(self, inputs: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Parameters that a user has to choose where some inputs allow several values, with these."""
        return {}

    def details(self, truth: Truth) -> Mapping[str, Any]:
        """How the number is computed, beyond the metric's own parameters."""
        return {}

    def observe(self, world: World) -> list[State]:
        """What to remember of a world, one state per cutoff."""
        raise NotImplementedError

    def contributions(self, world: World, states: Sequence[State]) -> Floats | None:
        """For a metric of a whole system, what each user contributes to each state of all of them, (users, cutoffs); None if nobody knows.

        See :mod:`aspectrum.leave_one_out`.
        """
        return None

    @property
    def knows_contributions(self) -> bool:
        """Whether users contribute to it in a known way, where they have no scores."""
        return type(self).contributions is not Metric.contributions

    def value_of(self, state: Any) -> float:
        """The number that a state of all users makes; a :class:`Mean` knows it by itself."""
        raise NotImplementedError

    def parts_of(self, state: Any) -> Mapping[str, float]:
        """Numbers that it is made of, by name, for the details."""
        return {}

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name, without the cutoffs."""
        return {parameter.name: getattr(self, parameter.name) for parameter in fields(self) if parameter.name != "k"}

    def __str__(self) -> str:
        defaults = {parameter.name: parameter.default for parameter in fields(self)}
        return self._text({name: value for name, value in self.parameters.items() if value != defaults[name]})

    @property
    def in_full(self) -> str:
        """The text form with all parameters, also those at their defaults."""
        return self._text(self.parameters)

    def _text(self, parameters: Mapping[str, Any]) -> str:
        inside = ", ".join(f"{name}={written(value)}" for name, value in parameters.items())
        cutoffs = "" if self.cutoffs == (-1,) else "@" + ",".join(map(str, self.cutoffs))
        return type(self).__name__ + (f"({inside})" if inside else "") + cutoffs


@dataclass(frozen=True)
class Ends:
    """Numerators for the orders of items with equal scores that are worth least and most, (users, cutoffs); ``sure`` is false where these are only bounds."""

    least: Floats
    greatest: Floats
    sure: Flags

    def times(self, factor: Any) -> Ends:
        return replace(self, least=self.least * factor, greatest=self.greatest * factor)

    def at_most(self, limits: Floats, where: Flags | bool = True) -> Ends:
        """The same where no order is worth more than these limits: bounds go no further. What is known for sure stays as it is."""
        return replace(self, greatest=np.where(self.sure | ~np.asarray(where), self.greatest, np.minimum(self.greatest, limits)))


_ONE_ORDER: Collection[tuple[str, Any]] = (
    ("ideal", "sorted"),
    ("ideal", "list"),
    ("pool", "list"),
    ("gain", "probabilistic"),
    ("unjudged", "drop"),
    ("unjudged", "full"),
    ("aspectless", "category"),
    ("discount", "tokens"),
)
"""Parameters with which a score depends on the order of items with equal scores in a way that has no closed form."""

_SMALLEST = 1e-290
"""Numbers below are held with fewer digits."""


@dataclass(frozen=True)
class Fractions:
    """Each user's score as a fraction: numerators over denominators, (users, cutoffs).

    A denominator of 0 or NaN makes the score undefined; numbers so large or small that a score would be wrong are refused. ``noticed`` counts, per cutoff, what a user should know of.
    Where a denominator is not known for sure, it may be as large as ``upper_denominators``; ``proved`` says where it is. Where numerators are
    averages over orders of items with equal scores, ``ends`` are the least and the greatest.
    """

    numerators: Floats
    denominators: Floats
    noticed: Mapping[str, Counts] = field(default_factory=dict)
    upper_denominators: Floats | None = None
    proved: Flags | None = None
    ends: Ends | None = None

    @property
    def scores(self) -> Floats:
        return self.over(self.denominators)

    def capped(self) -> Fractions:
        """The same where no score exceeds 1."""
        return replace(self, numerators=np.minimum(self.numerators, self.denominators))

    def within_ends(self) -> Fractions:
        """The same where no average over orders is outside of what is known for sure of all orders: rounding may leave it there by some bits."""
        if self.ends is None:
            return self
        one, other, sure = self.ends.least, self.ends.greatest, self.ends.sure
        least, greatest = np.where(sure, np.minimum(one, other), one), np.where(sure, np.maximum(one, other), other)
        numerators = np.where(sure, np.clip(self.numerators, least, greatest), self.numerators)
        return replace(self, numerators=numerators, ends=Ends(least, greatest, sure))

    def over(self, denominators: Floats) -> Floats:
        wrong = np.isinf(self.numerators) | np.isinf(denominators) | ((denominators > 0) & (denominators < _SMALLEST))
        for user, cutoff in np.argwhere(wrong)[:1].tolist():
            found = f"{self.numerators[user, cutoff]:g} / {denominators[user, cutoff]:g}"
            raise InputError(
                f"a score would be {found}, which is not precise; multiply all weights, grades or strengths by the same factor"
            )
        scores = np.full(self.numerators.shape, math.nan)
        np.divide(self.numerators, denominators, out=scores, where=denominators != 0)
        return scores


def joined_fractions(parts: Sequence[Fractions], order: Counts) -> Fractions:
    """Fractions at several cutoffs beside one another, in this order of cutoffs. Where one is not known for sure, the others are."""
    numerators, denominators = (np.hstack([getattr(part, name) for part in parts])[:, order] for name in ("numerators", "denominators"))
    names = dict.fromkeys(name for part in parts for name in part.noticed)
    noticed = {
        name: np.concatenate([part.noticed.get(name, np.zeros(part.numerators.shape[1], np.int64)) for part in parts])[order]
        for name in names
    }
    if all(part.proved is None for part in parts):
        return Fractions(numerators, denominators, noticed)
    upper = [part.denominators if part.upper_denominators is None else part.upper_denominators for part in parts]
    proved = [np.ones(part.numerators.shape, np.bool_) if part.proved is None else part.proved for part in parts]
    return Fractions(numerators, denominators, noticed, np.hstack(upper)[:, order], np.hstack(proved)[:, order])


@dataclass(frozen=True)
class UserMetric(Metric):
    """A metric with a score for each user, averaged over users."""

    abstract: ClassVar[bool] = True

    @property
    def pooled(self) -> bool:
        """Whether the number is the sum of numerators over the sum of denominators, not the mean of scores."""
        return False

    @property
    def score_of_missing(self) -> float:
        """What a user without a list scores: 0 where more is better. Elsewhere 0 would praise it: it is undefined, and leaves the mean."""
        return 0.0 if self.higher_is_better else math.nan

    def fractions(self, world: World) -> Fractions:
        """The scores as fractions, of a metric whose choices are made. It is asked for ranks, and for whole lists, only."""
        raise NotImplementedError

    def fractions_at_all(self, world: World) -> Fractions:
        """The same at all cutoffs: one in tokens is the end of lists that are cut there."""
        if not self.budgets:
            return self._with_unjudged(world, self.fractions(world))
        ranks = ranks_of(self.cutoffs)
        whole, found = self.at(-1), dict[Any, Fractions]()
        for cutoff in self.budgets:
            within = world.within(cutoff, self.partial_document, str(self.at(cutoff)))
            found[cutoff] = whole._with_unjudged(within, whole.fractions(within))
        parts = [self.at(tuple(ranks)).fractions_at_all(world), *found.values()] if ranks else list(found.values())
        columns = [*ranks, *found]
        return joined_fractions(parts, np.array([columns.index(cutoff) for cutoff in self.cutoffs], np.int64))

    def _with_unjudged(self, world: World, fractions: Fractions) -> Fractions:
        """The same with what is counted of unjudged items, where that matters."""
        return fractions

    def scores(self, world: World) -> Floats:
        """The score of each user at each cutoff, (users, cutoffs); NaN where it has no meaning."""
        if world.averages_orders:
            self.check_orders()
        return self.resolved(world.truth).fractions_at_all(world).within_ends().scores

    def observe(self, world: World) -> list[State]:
        return self.resolved(world.truth).summarise(world).states

    def summarise(self, world: World, undefined: float = math.nan) -> Summary:
        """States and scores of some users; an undefined score counts as `undefined`.

        A missing list is undefined where the mean is one of sums.
        """
        expected, name = (world.n_users, len(self.cutoffs)), type(self).__name__
        if world.averages_orders:
            self.check_orders()
        all_missing = world.n_users > 0 and not world.listed.any() and not self.pooled
        fractions = Fractions(np.zeros(expected), np.ones(expected)) if all_missing else self.fractions_at_all(world)
        if not isinstance(fractions, Fractions):
            raise MetricError(f"{name}.fractions returned {type(fractions).__name__}, expected Fractions(numerators, denominators)")
        if fractions.numerators.shape != expected or fractions.denominators.shape != expected:
            shapes = f"{fractions.numerators.shape} over {fractions.denominators.shape}"
            raise MetricError(f"{name}.fractions returned shapes {shapes}, expected {expected}: a row per user, a column per cutoff")
        fractions = fractions.within_ends()
        missing = ~world.listed

        def settled(scores: Floats) -> Floats:
            if not math.isnan(undefined):
                scores = np.where(np.isnan(scores), undefined, scores)
            if not self.pooled:
                scores[missing] = self.score_of_missing
            return scores

        scores = settled(fractions.scores)
        least = None if fractions.upper_denominators is None else settled(fractions.over(fractions.upper_denominators))
        defined = ~np.isnan(scores)
        totals, n_undefined = exact_sums(scores)
        columns: dict[str, Any] = {"total": totals, "scored": defined.sum(axis=0).tolist(), "undefined": n_undefined}
        if self.pooled:
            parts = {"total": fractions.numerators, "weights": fractions.denominators}
            columns |= {name: exact_sums(np.where(defined, values, 0.0))[0] for name, values in parts.items()}
        if least is not None and fractions.proved is not None:
            least = np.where(fractions.proved, scores, least)
            unsure = defined & (least < scores)  # a score of 0 is sure, whatever the ideal
            widths = np.where(defined, scores - least, 0.0).max(axis=0, initial=0.0)
            columns |= {"least": exact_sums(least)[0], "open": unsure.sum(axis=0).tolist(), "widest": widths.tolist()}
        lowest, highest = None, None
        orders: Sequence[Orders | None] = [None] * len(self.cutoffs)
        if world.averages_orders:
            lowest, highest, orders = self._over_orders(world, fractions, scores, settled)
        built_on = world.truth.fingerprint_of(self.built_on)
        states: list[State] = []
        for place in range(len(self.cutoffs)):
            noticed = {name: int(counts[place]) for name, counts in fractions.noticed.items()}
            own = {name: values[place] for name, values in columns.items()}
            states.append(Mean(**own, missing=int(missing.sum()), noticed=noticed, built_on=built_on, orders=orders[place]))
        weights = np.where(defined, fractions.denominators, math.nan) if self.pooled else None
        return Summary(states, scores, least, weights, lowest, highest)

    def _over_orders(
        self, world: World, fractions: Fractions, scores: Floats, settled: Callable[[Floats], Floats]
    ) -> tuple[Floats, Floats, list[Orders]]:
        """The least and the greatest score of each user over orders of items with equal scores, and what to remember of them."""
        if world.tied is not None and fractions.ends is None:
            raise MetricError(
                f"{type(self).__name__}.fractions returned no ends, the least and greatest numerators over orders of equal scores"
            )
        reached, defined = fractions.numerators, ~np.isnan(scores)
        ends = fractions.ends or Ends(reached, reached, np.ones(reached.shape, np.bool_))  # without ties, all orders are one
        below = fractions.denominators if fractions.upper_denominators is None else fractions.upper_denominators
        # Scores are within ends that are sure; what is only a bound is computed in other ways, and rounded.
        least = np.minimum(settled(replace(fractions, numerators=ends.least).over(below)), scores)
        greatest = np.maximum(settled(replace(fractions, numerators=ends.greatest).scores), scores)
        sure = ends.sure if fractions.proved is None else ends.sure & (fractions.proved | (least == greatest))
        summed = [np.where(defined, values, 0.0) for values in (ends.least, ends.greatest)] if self.pooled else [least, greatest]
        (lowest, _), (highest, _) = map(exact_sums, summed)
        stops = world.rankings.stops(self.cutoffs)
        tied, cut = np.zeros_like(stops), np.zeros_like(stops)
        if world.tied is not None:
            tied, cut = kernels.count_tied(world.rankings.offsets, stops, world.tied)
        counts = np.stack([(defined & ~sure).sum(0), (tied > 0).sum(0), cut.sum(0), tied.sum(0), stops.sum(0)], axis=1).tolist()
        return least, greatest, [Orders(*ends, *of) for *ends, of in zip(lowest, highest, counts, strict=True)]


@dataclass(frozen=True, eq=False)
class Summary:
    """States of some users at each cutoff, their scores, what these are at least where that is not the same, what they weigh in a ratio of sums,
    and the least and greatest scores over orders of items with equal scores, where scores are averages of these.
    """

    states: list[State]
    scores: Floats | None = None
    least: Floats | None = None
    weights: Floats | None = None
    lowest: Floats | None = None
    highest: Floats | None = None


@dataclass(frozen=True)
class AspectMetric(UserMetric):
    """A metric of the aspects that lists show; its parameter ``judged_by`` says which count for whom."""

    abstract: ClassVar[bool] = True

    family: ClassVar[Family] = "aspects"

    preferred: ClassVar[tuple[JudgedBy, ...]] = ("relevance",)
    """Ways of judging to choose from where nobody says one, after subtopics; the first that the truth allows is taken."""

    @property
    def counts_listed(self) -> bool:
        """Whether aspects count that are listed for a user though no item has them: those of judgments by subtopics."""
        return self.parameters.get("of") == "listed"

    @property
    def _chosen(self) -> JudgedBy | None:
        """The way of judging that the parameters ask for or imply: only judgments by subtopics say what is listed for a user."""
        implied = self.counts_listed or self.parameters.get("unjudged") == "full"
        chosen: JudgedBy | None = "subtopics" if implied else self.parameters["judged_by"]
        return chosen

    def needs(self) -> tuple[frozenset[str], ...]:
        chosen = self._chosen
        ways = (chosen,) if chosen else ("subtopics", *self.preferred)
        return tuple(dict.fromkeys(frozenset((*JUDGINGS[way].inputs, *more)) for way in ways for more in self.needs_beside(way)))

    def needs_beside(self, judged_by: JudgedBy) -> Iterable[tuple[str, ...]]:
        """Inputs that a way of judging needs with these parameters: alternatives, each of which is enough."""
        judged = () if JUDGINGS[judged_by].only_judged_gain else ("relevance",)  # what users judged may be another input
        more: dict[Any, tuple[str, ...]] = {"unseen": ("history",), "judged": judged}
        return [more.get(self.parameters.get("pool"), ())]

    def coverage(self, world: World) -> Coverage:
        """The aspects that count at each place of the lists, of a metric whose choices are made."""
        return cover(world, self.parameters["judged_by"], unjudged=self.parameters["unjudged"])

    def _with_unjudged(self, world: World, fractions: Fractions) -> Fractions:
        """Nuggets are judged for few of the items that there are: how many places hold others says what a number is worth."""
        by_nuggets = self._chosen == "subtopics" and world.truth.subtopics is not None and world.truth.subtopics.unserved is not None
        if not by_nuggets or self.parameters.get("unjudged", "keep") != "keep" or world.averages_orders:  # whose orders differ in it
            return fractions
        coverage = cover(world, "subtopics")
        unjudged = np.append(0, np.cumsum(~coverage.judging.judged_places(coverage)))
        starts = world.rankings.offsets[:-1, np.newaxis]
        places = unjudged[starts + world.rankings.stops(self.cutoffs)] - unjudged[starts]
        counts = np.where(fractions.denominators > 0, places, 0).sum(axis=0)  # of queries that are scored
        return replace(fractions, noticed={**fractions.noticed, "places_unjudged": counts})

    def judging(self, truth: Truth) -> JudgedBy:
        """Which aspects count: as the parameters say; else subtopics if given, else what is preferred."""
        return self._chosen or choose_judgment(truth, self.preferred, type(self).__name__)

    def resolved(self, truth: Truth) -> Self:
        self.check_listed(truth)
        return replace(self, judged_by=self.judging(truth))  # type: ignore[call-arg]

    def check_listed(self, truth: Truth) -> None:
        """That it is known which aspects are listed, if that matters."""
        if self.counts_listed and truth.weights is None and truth.subtopics is not None and truth.subtopics.unserved is None:
            known = Either("subtopics=asp.Nuggets.read(...)", "--nuggets")
            found = f"{type(self).__name__}(of=listed) needs to know which aspects are listed, also those that no item has: pass "
            raise MissingInput(found, known, ", or ", Option("weights"))


_QUOTED = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)


def parse(text: str) -> Metric:
    """A metric from its text form, ``Name(parameter=value, ...)@k1,k2``.

    >>> str(parse("alpha_nDCG(alpha=0.9)@5,10"))
    'AlphaNDCG(alpha=0.9)@5,10'
    """
    if len(split_metrics(_QUOTED.sub("''", text))) > 1:
        several = ", ".join(map(repr, split_metrics(text)))
        raise MetricError(f"{text!r} names several metrics; give each of them by itself: {several}")
    name, inside, cutoffs = read_name(text)
    cls, preset, also = _named(name)
    if also is not None and cutoffs is not None:
        raise MetricError(f"{text!r} has two cutoffs, {also} and {cutoffs.strip()}; expected {cls.__name__}@{also}")
    cutoffs = also if cutoffs is None else cutoffs
    parameters = read_parameters(inside, text)
    for parameter in parameters:
        if parameter == "k" or parameter not in (known.name for known in fields(cls)):
            raise _no_parameter(cls, parameter, parameters, text)
    given = {**preset, **parameters}
    try:
        return cls(**given) if cutoffs is None else cls(k=read_cutoffs(cutoffs, text), **given)
    except MetricError as error:
        if preset:  # of which the error says what its user did not write
            said = ", ".join(f"{parameter}={written(value)}" for parameter, value in preset.items())
            error.args = (*error.args, f"; {name} stands for {cls.__name__}({said})")
        raise


_CUTOFFS = ("k", "cutoff", "cutoffs", "at", "top_k", "topk")
_THRESHOLDS = ("threshold", "rel", "relevance_threshold", "rating_threshold", "relevance_level", "min_rel")


def _no_parameter(cls: type[Metric], parameter: str, given: Mapping[str, Any], text: str) -> MetricError:
    """What to do about a parameter that a metric does not have."""
    start, value = f"{text!r}: {cls.__name__} has no parameter {parameter!r}", given[parameter]
    if parameter in _CUTOFFS:
        others = ", ".join(f"{name}={written(other)}" for name, other in given.items() if name != parameter)
        cutoff = value if isinstance(value, int) and not isinstance(value, bool) else 10
        return MetricError(f"{start}; the cutoff follows the metric: write {cls.__name__}{f'({others})' if others else ''}@{cutoff}")
    if parameter in _THRESHOLDS:
        names = [known.name for known in fields(cls)]
        if "rel" not in names and "gain" in names and cls.family == "relevance":
            instead = ["; with gain=binary, use ", Option("threshold", value)] if "binary" in get_args(_hints(cls)["gain"]) else []
            return MetricError(f"{start}: it takes grades as they are", *instead)
        if "rel" not in names:
            return MetricError(f"{start}; the threshold of metrics without their own is ", Option("threshold", value))
        others = ", ".join(f"{name}={written(other)}" for name, other in given.items() if name != parameter)
        at = text[text.rfind(")") + 1 :].strip()
        own = f"{cls.__name__}(rel={written(value)}{f', {others}' if others else ''}){at}"
        return MetricError(f"{start}; the level of one metric is its rel: write {own}, or for all metrics use ", Option("threshold", value))
    known = sorted({known.name for known in fields(cls)} - {"k"})
    return MetricError(f"{start}{did_you_mean(parameter, known) or '.'} It has {', '.join(known) or 'no parameters'}")


def _named(name: str) -> tuple[type[Metric], dict[str, Any], str | None]:
    """The metric that a name stands for, its parameters, and the cutoffs if the name has them, as ``ndcg_cut_10`` does."""
    names = {_plain(known): known for known in reversed(_registry)}  # of names that look alike, a metric's own first

    def known(word: str) -> tuple[type[Metric], dict[str, Any]] | None:
        own = word if word in _registry else names.get(_plain(word))
        return None if own is None else _registry[own]

    if found := known(name):
        return *found, None
    numbered = read_numbers_in_name(name)
    if numbered is not None and (found := known(numbered.name)):
        cls, preset = found
        if numbered.are_cutoffs or cls.cutoff_in_name:
            return cls, preset, numbered.numbers
        if numbered.are_decimals and cls.decimals_in_name:
            return cls, {**preset, cls.decimals_in_name: float(f"0.{numbered.numbers}")}, None
    hint = _meant(name, names)
    where = Either("asp.registered() lists all metrics", "aspectrum metrics lists all of them")
    raise MetricError(f"unknown metric {name!r}{hint}", *([] if hint else ["; ", where]))


def _meant(name: str, names: Mapping[str, str]) -> str:
    """A hint at the metric that a name may mean, among those by plain name; a wrong one would be worse than none."""
    word = _plain(name)
    if name.lower() in ("all", "usual", *FAMILIES):
        return f"; {name.lower()}@10, in lower case, is a word for several metrics, as in asp.evaluate or aspectrum evaluate -m"
    longer = [own for own in registered() if _plain(own).startswith(word) or _plain(own).endswith(word)] if len(word) > 3 else []
    family = next((family for family in FAMILIES if slips_between(word, family) is not None), None)
    if family is not None and not longer:
        return f"; did you mean '{family}@10', all metrics of that family?"
    with_cutoff = re.fullmatch(r"(.+?)(?:cut|at)?(\d+|(?<=at)k)", word)  # P5, ndcg_at_k
    if with_cutoff and with_cutoff[1] in names and not _registry[names[with_cutoff[1]]][0].decimals_in_name:
        cutoff = "10" if with_cutoff[2] == "k" else with_cutoff[2]
        return f"; did you mean '{names[with_cutoff[1]]}@{cutoff}'?"
    if len(word) < 4:  # almost any letter makes another metric of a short name
        return ""
    if longer:
        return f"; did you mean {listed(map(repr, longer))}?"
    slips = {own: n for plain, own in names.items() if (n := slips_between(word, plain)) is not None}
    nearest = [own for own, n in slips.items() if n == min(slips.values())]
    return f"; did you mean {nearest[0]!r}?" if len({_registry[own][0] for own in nearest}) == 1 else ""


def _plain(name: str) -> str:
    """Case, blanks, hyphens and underscores do not tell metrics apart."""
    return re.sub("[ _-]", "", name.casefold()).replace("α", "alpha")


def _in_words(name: str) -> str:
    """A class name as words: ``UnseenShare`` is ``Unseen share``, abbreviations stay."""
    first, *others = re.split(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", name.strip("_"))
    return " ".join([first, *(word if word.isupper() else word.lower() for word in others)])


def _checked_cutoffs(cls: type[Metric], k: Any) -> Cutoff | tuple[Cutoff, ...]:
    several = tuple(k) if isinstance(k, Iterable) and not isinstance(k, str) else (k,)
    several = tuple(Tokens(int(one[:-1])) if isinstance(one, str) and re.fullmatch(r"[0-9]{1,15}t", one) else one for one in several)
    for cutoff in several:
        if isinstance(cutoff, Tokens):
            continue
        if isinstance(cutoff, bool) or not isinstance(cutoff, int | np.integer) or cutoff == 0 or cutoff < -1 or cutoff >= 2**31:
            raise MetricError(f"{cls.__name__}: k is {cutoff!r}, expected a whole number from 1, or -1 for the whole list")
    if not several:
        raise MetricError(f"{cls.__name__}: k is empty, expected at least one cutoff")
    ordered = tuple(sorted({k if isinstance(k, Tokens) else int(k) for k in several}, key=cutoff_order))
    return ordered[0] if len(ordered) == 1 else ordered


def _check_in_tokens(metric: Metric) -> None:
    """That a cutoff in tokens has a meaning."""
    cls, budget, allowed = type(metric), metric.budgets[0], type(metric).in_tokens
    if allowed is None:
        raise MetricError(f"{cls.__name__}@{budget}: {cls.__name__} has no cutoffs in tokens: its definition needs a number of ranks")
    if metric.parameters.get("unjudged") == "condense":
        raise MetricError(
            f"{cls.__name__}@{budget}: unjudged=condense does not go with cutoffs in tokens: what is removed takes tokens, too"
        )
    for name, values in allowed.items():
        found = metric.parameters[name]
        if found not in values:
            expected = " or ".join("none" if value is None else written(value) for value in values)
            raise MetricError(f"{cls.__name__}@{budget}: {name}={written(found)} does not go with cutoffs in tokens, expected {expected}")


_hints: Any = cache(get_type_hints)


_PLAIN_TYPES = (bool, int, float, str, type(None))


def _takes_pairs(option: Any) -> bool:
    """Whether a parameter may be a number per key: a mapping, kept as pairs so that the metric stays a value."""
    if get_origin(option) is Mapping:
        return get_args(option)[1] is float
    pair = get_args(option)[0] if get_origin(option) is tuple and get_args(option)[1:] == (...,) else None
    return get_origin(pair) is tuple and get_args(pair)[1:] == (float,)


def _checked(cls: type[Metric], name: str, value: Any) -> Any:
    """The value as its annotation wants it, or an error that says what was expected."""
    hint = _hints(cls)[name]
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    takes_pairs = any(map(_takes_pairs, options))
    if not all(option in _PLAIN_TYPES or get_origin(option) is Literal or _takes_pairs(option) for option in options):
        expected = "bool, int, float, str, Literal, Mapping[str, float], or one of these or None"
        raise MetricError(
            f"{cls.__name__}: parameter {name} has type {formatannotation(hint)}, which is not supported; expected {expected}"
        )
    words = [word for option in options for word in (get_args(option) if get_origin(option) is Literal else ())]
    words += [None] * (type(None) in options)
    if value is None and None not in words and str not in options:
        value = "none"  # which the text form writes for both
    if value in words or (bool in options and isinstance(value, bool)):
        return value
    if str in options and isinstance(value, str):
        return str(value)
    if int in options and isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    if float in options and isinstance(value, int | float | np.number) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise MetricError(f"{cls.__name__}: {name} is {number}, expected a finite number")
        return number
    if takes_pairs and isinstance(value, Mapping | tuple):
        pairs = None
        with suppress(TypeError, ValueError):
            pairs = tuple((key, float(number)) for key, number in (value.items() if isinstance(value, Mapping) else value))
        if pairs is not None:
            return _each_once(cls, name, pairs)
    kinds = {
        "true or false": bool in options,
        "a number": float in options,
        "a whole number": int in options and float not in options,
        "text (in quotes if it looks like a number, true, false or none)": str in options,
        "{key: number, ...}": takes_pairs,
    }
    expected = " or ".join([*map(repr, words), *(kind for kind, fits in kinds.items() if fits)])
    raise MetricError(f"{cls.__name__}: {name} is {value!r}, expected {expected}")


def _each_once(cls: type[Metric], name: str, pairs: tuple[tuple[Any, float], ...]) -> tuple[tuple[Any, float], ...]:
    """Pairs of a parameter, no key of which comes twice."""
    keys = [key for key, _ in pairs]
    for key in (key for place, key in enumerate(keys) if key in keys[:place]):
        raise MetricError(f"{cls.__name__}: {name} has {key!r} twice, expected each once")
    return pairs


def check_unit(metric: Metric, **values: float) -> None:
    """Every value within [0, 1]."""
    for name, value in values.items():
        if not 0 <= value <= 1:
            raise MetricError(f"{type(metric).__name__}: {name} is {value:g}, expected 0 to 1")


def check_not_negative(metric: Metric, *names: str) -> None:
    """Every parameter that has a value from 0."""
    for name in names:
        value = getattr(metric, name)
        if value is not None and value < 0:
            raise MetricError(f"{type(metric).__name__}: {name} is {value:g}, expected 0 or more")


def check_goes_with(metric: Metric, name: str, partner: str, *values: Any) -> None:
    """A parameter that would be ignored unless another has a certain value must then be at its default."""
    default = next(parameter.default for parameter in fields(metric) if parameter.name == name)
    if getattr(metric, partner) in values:
        return
    metric.leave_idle(name)
    if getattr(metric, name) != default:
        said = f"{type(metric).__name__}: {name} goes with {partner}={' or '.join(map(written, values))} only"
        raise UnusedParameter.of(name, said)
