"""Reports to draw: an ordinary one, and odd ones."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aspectrum.report.content import (
    AspectShare,
    Curves,
    Difference,
    Distribution,
    Distributions,
    Front,
    Lorenz,
    Mark,
    Measure,
    Report,
    Score,
    Segment,
    Segmentation,
    TradeOff,
)

NAMES = ("EASE", "Popularity", "ItemKNN", "ALS", "BPR-MF", "Mult-VAE", "SASRec", "EASE + MMR", "EASE + xQuAD", "SASRec + DPP")
FOCUS = ("SASRec", "EASE + xQuAD", "EASE + MMR", "SASRec + DPP")
NDCG, ILD, EPD = "NDCG@10", "ILD@10", "EPD@10"
_SCORES = {
    NDCG: (0.3212, 0.1729, 0.2889, 0.2809, 0.2641, 0.3153, 0.3373, 0.3154, 0.3184, 0.3223),
    ILD: (0.5856, 0.5208, 0.5619, 0.6129, 0.6191, 0.6004, 0.5655, 0.6806, 0.6478, 0.6666),
    EPD: (0.41, 0.62, 0.47, 0.43, 0.44, 0.42, 0.40, 0.33, 0.35, 0.31),
}
USERS = 24_318


def pareto(points: dict[str, tuple[float, float]]) -> tuple[str, ...]:
    """Undominated systems by comparing all pairs; larger is better."""
    return tuple(
        name
        for name, (x, y) in sorted(points.items(), key=lambda pair: pair[1])
        if not any(a >= x and b >= y and (a, b) != (x, y) for a, b in points.values())
    )


def report(
    names: Sequence[str] = NAMES,
    *,
    scores: Mapping[str, Sequence[float]] | None = None,
    baseline: str | None = "",
    focus: Sequence[str] | None = None,
    intervals: bool = True,
    users: int = USERS,
    cutoffs: Sequence[int] = tuple(range(1, 21)),
    n_metrics: int = 12,
    n_aspects: int = 14,
    seed: int = 1,
) -> Report:
    """A report with every chart, made up but the same each time."""
    rng = random.Random(seed)
    given = scores or {
        key: [values[i % len(values)] + 0.0007 * (i // len(values)) for i in range(len(names))] for key, values in _SCORES.items()
    }
    base = (names[0] if names else None) if baseline == "" else baseline
    measures = (
        Measure(NDCG, "nDCG@10", "Relevance", True),
        Measure(ILD, "ILD@10", "Diversity", True),
        Measure(EPD, "Redundancy@10", "Diversity", False),
    )
    half = {NDCG: 0.0027, ILD: 0.0012, EPD: 0.002}
    table = {
        key: {
            name: Score(value, (value - half[key], value + half[key]) if intervals and math.isfinite(value) else None, users)
            for name, value in zip(names, values, strict=True)
        }
        for key, values in given.items()
    }
    points = {name: (table[NDCG][name].value, table[ILD][name].value) for name in names}
    lower = {name: (table[NDCG][name].value, -table[EPD][name].value) for name in names}
    defined = {name: point for name, point in points.items() if all(map(math.isfinite, point))}
    defined_lower = {name: point for name, point in lower.items() if all(map(math.isfinite, point))}
    return Report(
        title="Ten recommenders",
        question="",
        eyebrow="",
        facts=(),
        systems=tuple(names),
        baseline=base,
        focus=tuple(FOCUS if focus is None else focus),
        measures=measures,
        scores=table,
        differences=differences(table, names, base, users, intervals=intervals),
        trade_off=TradeOff(
            NDCG, (Front(ILD, pareto(defined), tuple(n for n in names if n == "EASE + xQuAD")), Front(EPD, pareto(defined_lower)))
        ),
        curves=tuple(curves(f"metric {i}" if i else "nDCG", names, cutoffs, rng) for i in range(n_metrics)),
        distributions=(distributions(NDCG, names, table[NDCG], rng, users),),
        segmentations=tuple(segmentation(attribute, names, table[NDCG], kinds, rng) for attribute, kinds in ATTRIBUTES.items()),
        lorenz=lorenz(names),
        aspects=aspects(names, n_aspects, rng),
    )


ATTRIBUTES = {"Activity": ("Light", "Casual", "Regular", "Heavy"), "Breadth of interests": ("Focused", "Moderate", "Broad", "Hermits")}


def differences(
    table: dict[str, dict[str, Score]], names: Sequence[str], baseline: str | None, users: int, *, intervals: bool
) -> dict[str, dict[str, Difference]]:
    if baseline is None:
        return {}
    found: dict[str, dict[str, Difference]] = {}
    for key, column in table.items():
        found[key] = {}
        for name in names:
            if name == baseline:
                continue
            delta = column[name].value - column[baseline].value
            if not math.isfinite(delta):
                found[key][name] = Difference(math.nan)
                continue
            better = 0.5 + max(-0.4, min(0.4, 3 * delta)) * (-1 if key == EPD else 1)
            mark: Mark = "same" if abs(delta) < 0.0035 else "higher" if delta > 0 else "lower"
            found[key][name] = Difference(
                delta,
                (delta - 0.003, delta + 0.003) if intervals else None,
                delta / column[baseline].value if column[baseline].value else None,
                p=0.2 if mark == "same" else 0.00001,
                p_adjusted=(0.4 if mark == "same" else 0.0002) if intervals else None,
                mark=mark if intervals else None,
                n=users,
                wins=int(users * better * 0.97),
                ties=users - int(users * better * 0.97) - int(users * (1 - better) * 0.97),
                losses=int(users * (1 - better) * 0.97),
                note="identical for all users" if delta == 0 else "",
            )
    return found


def curves(name: str, names: Sequence[str], cutoffs: Sequence[int], rng: random.Random) -> Curves:
    kind = rng.random()
    values: dict[str, tuple[float, ...]] = {}
    for system in names:
        level, power = rng.uniform(0.2, 0.35), rng.uniform(0.05, 0.25) * (1 if kind > 0.2 else -1)
        values[system] = tuple(
            math.nan if at == 0 and kind > 0.7 and len(cutoffs) > 1 else level * max(k, 1) ** power for at, k in enumerate(cutoffs)
        )
    bands = {
        system: tuple(None if math.isnan(value) else (value * 0.985, value * 1.015) for value in one) for system, one in values.items()
    }
    return Curves(NDCG if name == "nDCG" else name, name, "Relevance", tuple(cutoffs), values, bands)


def distributions(key: str, names: Sequence[str], column: dict[str, Score], rng: random.Random, users: int) -> Distributions:
    found = {}
    for name in names:
        mean = column[name].value
        if not math.isfinite(mean):
            found[name] = Distribution((0,) * 40, (math.nan,) * 3, math.nan, math.nan)
            continue
        values = sorted(min(max(rng.gauss(mean, 0.2), 0.0), 1.0) for _ in range(min(users, 400)))
        counts = [0] * 40
        for value in values:
            counts[min(39, int(value * 40))] += 1
        n = len(values)
        quartiles = (values[n // 4], values[n // 2], values[(3 * n) // 4])
        found[name] = Distribution(tuple(counts), quartiles, mean, values.count(0.0) / n)
    return Distributions(key, 0.0, 1.0, found)


def segmentation(attribute: str, names: Sequence[str], column: dict[str, Score], kinds: Sequence[str], rng: random.Random) -> Segmentation:
    segments = []
    for at, kind in enumerate(kinds):
        users = 7 if kind == "Hermits" else 6080 - at
        means = {name: column[name].value + 0.02 * at + rng.uniform(-0.004, 0.004) for name in names}
        segments.append(
            Segment(kind, users, means, {name: None if users < 10 else (mean - 0.005, mean + 0.005) for name, mean in means.items()})
        )
    return Segmentation(attribute, NDCG, tuple(segments), verdict="")


def lorenz(names: Sequence[str]) -> Lorenz:
    curves = {}
    for at, name in enumerate(names):
        start = 0.5 + 0.45 * ((at * 7) % 10) / 10
        curves[name] = tuple((x / 120, 0.0 if x / 120 <= start else ((x / 120 - start) / (1 - start)) ** (2 + at % 3)) for x in range(121))
    gini = {name: 1 - 2 * sum((b + d) / 2 * (c - a) for (a, b), (c, d) in itertools.pairwise(one)) for name, one in curves.items()}
    return Lorenz(curves, gini, {name: sum(1 for _, y in one if y == 0) * 80 for name, one in curves.items()}, 9600)


def aspects(names: Sequence[str], n: int, rng: random.Random) -> tuple[AspectShare, ...]:
    known = (
        "Drama",
        "Comedy",
        "Documentary",
        "Thriller",
        "Action",
        "Romance",
        "Horror",
        "Animation",
        "Sci-fi",
        "Family",
        "World cinema",
        "Crime",
        "Musical",
        "Western",
    )
    found = []
    for at in range(n):
        catalogue = 0.2 * 0.82**at
        shown = {name: max(0.0, catalogue * rng.uniform(0.5, 1.4)) for name in names}
        found.append(AspectShare(known[at] if at < len(known) else f"Aspect {at}", catalogue, catalogue * rng.uniform(0.6, 1.3), shown))
    return tuple(found)


HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]></svg><script>",
    "&lt;b&gt; &amp; ' \"",
    "مرحبا بالعالم EASE",
    "\u202eevil\u202c \x1b[31mred\x1b[0m\x07\x00",
    "👩‍👩‍👧‍👦🏳️‍🌈🤖🤖🤖🤖🤖🤖🤖🤖🤖🤖🤖🤖",
    "x" * 10_000,
    "x" * 10_001,
    "推薦系統推薦系統推薦系統推薦系統",
    "line\nbreak\tand\ud800surrogate\ufffe",
)


def same(of: Report) -> Report:
    """All systems with the scores of the first."""
    first = of.systems[0]
    table = {key: dict.fromkeys(of.systems, column[first]) for key, column in of.scores.items()}
    return replace(of, scores=table, differences=differences(table, of.systems, of.baseline, USERS, intervals=True))
