"""What a report shows, as plain data: nothing is computed downstream of it.

Systems and metrics are named by their keys everywhere; a key is the name that results have. Text is plain text: whoever writes
HTML, SVG or LaTeX escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Interval = tuple[float, float]
Mark = Literal["higher", "lower", "same"]
"""Against the baseline, by a test: significantly higher, significantly lower, or no difference shown."""


@dataclass(frozen=True)
class Definition:
    """How a metric was computed, for readers."""

    meaning: str
    formula: str = ""  # MathML, safe to embed; nothing else in this module is markup, but for Measure.latex
    parameters: Mapping[str, str] = field(default_factory=dict)
    undefined: str = ""
    reference: str = ""
    tex: str = ""  # the formula's source, as plain text: to copy, and to show where there is no MathML


@dataclass(frozen=True)
class Measure:
    """A column of the table: one metric at one cutoff."""

    key: str  # AlphaNDCG(alpha=0.5)@10
    name: str  # α-nDCG@10, or without the cutoff where all have the same
    family: str
    higher_is_better: bool | None
    scores_users: bool = True  # False for a metric of a whole system
    definition: Definition | None = None
    latex: str = ""  # the name as LaTeX source, safe to embed; by default the name, escaped
    judged_by: str = ""  # what aspects are judged by


@dataclass(frozen=True)
class Score:
    """A number in the table; NaN is undefined, for the reason given."""

    value: float
    interval: Interval | None = None
    scored: int | None = None
    undefined: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Difference:
    """A system against the baseline, on one metric. Without a test, p and mark are None."""

    difference: float
    interval: Interval | None = None
    relative: float | None = None
    relative_interval: Interval | None = None
    p: float | None = None
    p_adjusted: float | None = None
    mark: Mark | None = None
    n: int = 0
    wins: int | None = None  # users for whom the system is better, whichever direction that is
    ties: int | None = None
    losses: int | None = None
    note: str = ""  # "identical for all users", "too few users to test", how small a difference would have been found ...


@dataclass(frozen=True)
class Standing:
    """Who is marked in a column: the best alone, or everybody who ties with the leader; and who is second."""

    best: str | None = None
    tie: tuple[str, ...] = ()
    second: str | None = None


@dataclass(frozen=True)
class Finding:
    """A sentence to take away: a small heading, the name or fact in large letters, and the evidence."""

    heading: str
    fact: str
    evidence: str


@dataclass(frozen=True)
class Front:
    """Systems by two metrics: undominated ones in the order of the staircase, and those whose dominance no test shows."""

    vertical: str
    front: tuple[str, ...]
    open: tuple[str, ...] = ()


@dataclass(frozen=True)
class TradeOff:
    """One metric across, one of several up; points and intervals are the scores of the table."""

    horizontal: str
    fronts: tuple[Front, ...]


@dataclass(frozen=True)
class Curves:
    """A metric by cutoff, or after each round: values and bands of each system, NaN or None where undefined."""

    key: str  # of the measure in the table
    name: str  # α-nDCG
    family: str
    cutoffs: tuple[int, ...]
    values: Mapping[str, tuple[float, ...]]
    bands: Mapping[str, tuple[Interval | None, ...]] = field(default_factory=dict)
    along: str = "cutoff"  # or round


@dataclass(frozen=True)
class Distribution:
    """Scores of the users of one system on one metric: 40 equal bins, and quartiles; the share of users who score 0."""

    counts: tuple[int, ...]
    quartiles: tuple[float, float, float]
    mean: float
    zero_share: float


@dataclass(frozen=True)
class Distributions:
    """A metric's distributions over users, over the same range for all systems."""

    key: str
    low: float
    high: float
    systems: Mapping[str, Distribution]


@dataclass(frozen=True)
class Segment:
    """Users of one kind: how many, and each system's mean with its interval (None below ten users)."""

    name: str
    users: int
    means: Mapping[str, float]
    intervals: Mapping[str, Interval | None]


@dataclass(frozen=True)
class Segmentation:
    """A metric broken down by one user attribute, and whether the difference to the baseline depends on it."""

    attribute: str
    key: str
    segments: tuple[Segment, ...]
    verdict: str = ""
    note: str = ""


@dataclass(frozen=True)
class Lorenz:
    """Share of all recommendations (up) that go to the least shown share of items (across), at some points."""

    systems: Mapping[str, tuple[tuple[float, float], ...]]
    gini: Mapping[str, float]
    never_shown: Mapping[str, int]
    items: int


@dataclass(frozen=True)
class AspectShare:
    """One aspect: its share of the catalogue, of histories (None without them) and of each system's recommendations."""

    aspect: str
    catalogue: float
    histories: float | None
    systems: Mapping[str, float]


@dataclass(frozen=True)
class ListedItem:
    """A place in a list: title, aspects with whether they appear for the first time, and whether the item is relevant."""

    title: str
    aspects: tuple[tuple[str, bool], ...] = ()
    relevant: bool = False


@dataclass(frozen=True)
class ShownList:
    """The top of one user's list by one system, with its score."""

    system: str
    score: float
    items: tuple[ListedItem, ...]


@dataclass(frozen=True)
class ListPair:
    """A user's lists by the baseline and by a system: the largest gain, the largest loss, or a typical user."""

    kind: Literal["gain", "loss", "typical"]
    user: str
    key: str
    difference: float
    lists: tuple[ShownList, ...]
    about: str = ""


@dataclass(frozen=True)
class Remark:
    """What a reader of the numbers should know: whether it may change a number, and the sentence."""

    may_change_numbers: bool
    text: str


@dataclass(frozen=True)
class Report:
    """Everything on the page, in its order."""

    title: str
    question: str
    eyebrow: str  # "aspectrum comparison · 13 November 2026"
    facts: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]
    baseline: str | None
    focus: tuple[str, ...]  # in colour at first, at most five besides the baseline
    measures: tuple[Measure, ...]
    scores: Mapping[str, Mapping[str, Score]]  # by measure, by system
    differences: Mapping[str, Mapping[str, Difference]] = field(default_factory=dict)  # without the baseline
    standings: Mapping[str, Standing] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    gates: tuple[tuple[str, str], ...] = ()  # decisions and their evidence
    tested_by: str = ""  # the sentence below the table: test, correction, family, seed
    trade_off: TradeOff | None = None
    curves: tuple[Curves, ...] = ()
    distributions: tuple[Distributions, ...] = ()
    segmentations: tuple[Segmentation, ...] = ()
    lorenz: Lorenz | None = None
    aspects: tuple[AspectShare, ...] = ()
    lists: tuple[ListPair, ...] = ()
    command: str = ""
    provenance: tuple[tuple[str, str], ...] = ()  # versions, seed, input hashes
    bibtex: str = ""
    remarks: tuple[Remark, ...] = ()
    digits: int = 3
    percent: bool = False
    level: float = 0.95  # of all intervals

    @property
    def intervals(self) -> str:
        """The level of intervals, as text."""
        return f"{100 * self.level:g} %"

    def measure(self, key: str) -> Measure:
        return next(one for one in self.measures if one.key == key)

    def better(self, key: str, difference: float) -> bool | None:
        """Whether a difference is for the better; None for no difference, or a metric without a direction."""
        direction = self.measure(key).higher_is_better
        return None if direction is None or difference == 0 or math.isnan(difference) else (difference > 0) == direction
