"""Reports of synthetic data: a realistic one, and one for each edge state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from aspectrum.report.content import (
    AspectShare,
    Curves,
    Definition,
    Difference,
    Distribution,
    Distributions,
    Finding,
    Front,
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

SYSTEMS = ("EASE", "Popularity", "ItemKNN", "ALS", "BPR-MF", "Mult-VAE", "SASRec", "EASE + MMR", "EASE + xQuAD", "SASRec + DPP")
FOCUS = ("SASRec", "EASE + xQuAD", "EASE + MMR", "SASRec + DPP")
ASPECTS = ("Drama", "Comedy", "Documentary", "Thriller", "Action", "Romance", "Horror", "Sci-fi", "Family", "Crime", "Musical", "Western")
SQUARE_ROOT = "<math display='block'><mi>f</mi><mo>=</mo><msqrt><mi>x</mi></msqrt></math>"

# name, family, whether higher is better, whether users have scores, mean of the baseline, spread between systems
METRICS: tuple[tuple[str, str, bool | None, bool, float, float], ...] = (
    ("NDCG", "relevance", True, True, 0.32, 0.03),
    ("Recall", "relevance", True, True, 0.29, 0.03),
    ("AP", "relevance", True, True, 0.20, 0.02),
    ("AlphaNDCG(alpha=0.5)", "diversity", True, True, 0.33, 0.03),
    ("AspectRecall", "diversity", True, True, 0.42, 0.05),
    ("ILD", "diversity", True, True, 0.59, 0.05),
    ("Miscalibration", "diversity", False, True, 0.26, 0.04),
    ("EPC", "novelty", True, True, 0.84, 0.04),
    ("Surprisal", "novelty", None, True, 0.51, 0.05),
    ("Serendipity", "novelty", True, True, 0.09, 0.01),
    ("Coverage", "catalogue", True, False, 0.31, 0.09),
    ("GiniComplement", "catalogue", True, False, 0.12, 0.03),
)
SHOWN = {"NDCG": "nDCG", "AlphaNDCG(alpha=0.5)": "α-nDCG", "GiniComplement": "1 − Gini", "AspectRecall": "S-recall"}
# what a system does to relevance and to everything else, in spreads of the metric
EFFECTS = {
    "Popularity": (-4.0, -3.0), "ItemKNN": (-1.1, 0.3), "ALS": (-1.3, -0.5), "BPR-MF": (-1.9, -0.8), "Mult-VAE": (-0.2, 0.2),
    "SASRec": (0.5, -0.4), "EASE + MMR": (-0.2, 1.3), "EASE + xQuAD": (-0.1, 1.0), "SASRec + DPP": (0.02, 0.9),
}  # fmt: skip
CUTOFFS = tuple(range(1, 21))
USERS = 24318


def measures(n_metrics: int = len(METRICS)) -> tuple[Measure, ...]:
    return tuple(
        Measure(
            key=f"{name}@10",
            name=SHOWN.get(name, name),
            family=family,
            higher_is_better=direction,
            scores_users=scores_users,
            latex=r"$\alpha$-nDCG" if name.startswith("Alpha") else "",
            definition=Definition(
                meaning=f"What {SHOWN.get(name, name)} means, in one line.",
                formula="" if name == "Recall" else SQUARE_ROOT,
                tex=r"f = \sqrt{x}",
                parameters={"Cutoff": "10", "Discount": "log₂(rank + 1)"},
                undefined="No relevant item: left out and counted.",
                reference="Järvelin and Kekäläinen 2002",
            ),
        )
        for name, family, direction, scores_users, _, _ in METRICS[:n_metrics]
    )


def _mark(difference: float, p: float) -> Mark:
    return "same" if p >= 0.05 else "higher" if difference > 0 else "lower"


def _scores(
    systems: tuple[str, ...], baseline: str | None, shown: tuple[Measure, ...], random: np.random.Generator
) -> dict[str, dict[str, Score]]:
    found: dict[str, dict[str, Score]] = {}
    for measure, (_, family, direction, _, mean, spread) in zip(shown, METRICS, strict=False):
        found[measure.key] = {}
        for system in systems:
            effects = EFFECTS.get(system, (float(random.normal()), float(random.normal())))
            effect = effects[family != "relevance"] * (-1 if direction is False else 1) + 0.15 * float(random.normal())
            value = mean if system == baseline else max(0.01, mean + spread * effect)
            half = 0.004 * mean
            undefined = 97 if family == "relevance" else 0
            found[measure.key][system] = Score(value, (value - half, value + half), USERS - undefined, undefined)
    return found


def _differences(
    scores: dict[str, dict[str, Score]], baseline: str | None, shown: tuple[Measure, ...], random: np.random.Generator
) -> dict[str, dict[str, Difference]]:
    if baseline is None:
        return {}
    found: dict[str, dict[str, Difference]] = {}
    for measure in shown:
        base = scores[measure.key][baseline].value
        found[measure.key] = {}
        for system, score in scores[measure.key].items():
            if system == baseline:
                continue
            difference = score.value - base
            half = 0.0025
            p = 0.4 if abs(difference) < half else 0.0002
            wins, ties = int(USERS * random.uniform(0.2, 0.6)), int(USERS * 0.1)
            found[measure.key][system] = Difference(
                difference=difference,
                interval=(difference - half, difference + half),
                relative=difference / base,
                relative_interval=((difference - half) / base, (difference + half) / base),
                p=p,
                p_adjusted=min(1.0, 2 * p),
                mark=_mark(difference, p),
                n=score.scored or 0,
                wins=wins if measure.scores_users else None,
                ties=ties if measure.scores_users else None,
                losses=USERS - wins - ties if measure.scores_users else None,
            )
    return found


def _standings(scores: dict[str, dict[str, Score]], shown: tuple[Measure, ...]) -> dict[str, Standing]:
    found: dict[str, Standing] = {}
    for at, measure in enumerate(shown):
        if measure.higher_is_better is None:
            continue
        order = sorted(scores[measure.key], key=lambda system: scores[measure.key][system].value, reverse=measure.higher_is_better)
        found[measure.key] = Standing(tie=tuple(order[:2])) if at % 3 == 2 else Standing(best=order[0], second=order[1])
    return found


def _front(scores: dict[str, dict[str, Score]], across: str, up: Measure) -> Front:
    def dominated(one: str) -> bool:
        x, y = scores[across][one].value, scores[up.key][one].value
        sign = -1 if up.higher_is_better is False else 1
        return any(
            scores[across][other].value >= x and sign * scores[up.key][other].value >= sign * y and other != one for other in scores[across]
        )

    front = sorted((one for one in scores[across] if not dominated(one)), key=lambda one: scores[across][one].value)
    return Front(up.key, tuple(front))


def _curves(scores: dict[str, dict[str, Score]], shown: tuple[Measure, ...]) -> tuple[Curves, ...]:
    found = []
    for measure in shown:
        growth = [1 + 0.3 * math.log(k / 10) / math.log(20) for k in CUTOFFS]
        starts = 1 if measure.name == "ILD" else 0  # undefined for a list of one item
        values = {
            system: tuple(math.nan if at < starts else score.value * growth[at] for at in range(len(CUTOFFS)))
            for system, score in scores[measure.key].items()
        }
        bands = {
            system: tuple(None if math.isnan(value) else (value - 0.003, value + 0.003) for value in line)
            for system, line in values.items()
        }
        found.append(Curves(measure.key, measure.name, measure.family, CUTOFFS, values, bands))
    return tuple(found)


def _distributions(
    scores: dict[str, dict[str, Score]], shown: tuple[Measure, ...], random: np.random.Generator
) -> tuple[Distributions, ...]:
    found = []
    for measure in [one for one in shown if one.scores_users][:4]:
        rows = {}
        for system, score in scores[measure.key].items():
            users = np.clip(random.normal(score.value, 0.2, 4000), 0, 1)
            counts, _ = np.histogram(users, bins=40, range=(0, 1))
            low, median, high = (float(q) for q in np.quantile(users, [0.25, 0.5, 0.75]))
            rows[system] = Distribution(tuple(int(n) for n in counts), (low, median, high), float(users.mean()), float((users == 0).mean()))
        found.append(Distributions(measure.key, 0.0, 1.0, rows))
    return tuple(found)


def _segmentations(
    scores: dict[str, dict[str, Score]], shown: tuple[Measure, ...], random: np.random.Generator
) -> tuple[Segmentation, ...]:
    found = []
    for measure in [one for one in shown if one.scores_users][:4]:
        for attribute, kinds in (
            ("Activity", ("Light", "Casual", "Regular", "Heavy")),
            ("Breadth of interests", ("Focused", "Moderate", "Broad")),
        ):
            segments = []
            for at, kind in enumerate(kinds):
                means = {
                    system: score.value * (0.9 + 0.07 * at) + float(random.normal(0, 0.003))
                    for system, score in scores[measure.key].items()
                }
                intervals = {system: (mean - 0.006, mean + 0.006) for system, mean in means.items()}
                segments.append(Segment(kind, USERS // len(kinds), means, intervals))
            found.append(
                Segmentation(attribute, measure.key, tuple(segments), verdict=f"The difference depends on {attribute.lower()} (p = 0.003).")
            )
    return tuple(found)


def _lorenz(systems: tuple[str, ...], random: np.random.Generator) -> Lorenz:
    powers = {system: float(random.uniform(4, 20)) for system in systems}
    points = [at / 50 for at in range(51)]
    return Lorenz(
        systems={system: tuple((x, x**power) for x in points) for system, power in powers.items()},
        gini={system: (power - 1) / (power + 1) for system, power in powers.items()},
        never_shown={system: int(600 * power) for system, power in powers.items()},
        items=18642,
    )


def _aspects(systems: tuple[str, ...], random: np.random.Generator, names: Iterable[str] = ASPECTS) -> tuple[AspectShare, ...]:
    names = tuple(names)
    raw = [1 / (at + 2) for at in range(len(names))]
    shares = [one / sum(raw) for one in raw]
    return tuple(
        AspectShare(name, share, share * float(random.uniform(0.5, 1.4)), {one: share * float(random.uniform(0.4, 1.6)) for one in systems})
        for name, share in zip(names, shares, strict=True)
    )


def _list(system: str, score: float, random: np.random.Generator) -> ShownList:
    seen: set[str] = set()
    items = []
    for at in range(8):
        aspects = []
        for aspect in random.choice(ASPECTS, size=2, replace=False):
            aspects.append((str(aspect), aspect not in seen))
            seen.add(str(aspect))
        items.append(ListedItem(f"Film number {at + 1}", tuple(aspects), bool(random.uniform() < 0.3)))
    return ShownList(system, score, tuple(items))


def _lists(systems: tuple[str, ...], baseline: str | None, key: str, random: np.random.Generator) -> tuple[ListPair, ...]:
    if baseline is None or len(systems) < 2:
        return ()
    other = systems[-1] if systems[-1] != baseline else systems[0]
    pairs: tuple[tuple[Literal["gain", "loss", "typical"], float, float], ...] = (
        ("gain", 0.21, 0.63),
        ("loss", 0.71, 0.34),
        ("typical", 0.33, 0.36),
    )
    return tuple(
        ListPair(kind, f"{at}", key, after - before, (_list(baseline, before, random), _list(other, after, random)), "regular viewer")
        for at, (kind, before, after) in enumerate(pairs)
    )


REMARKS = (
    Remark(False, "312 items (1.7 %) have no genre."),
    Remark(True, "97 users have no relevant item in the test set. nDCG, Recall and AP leave them out (n = 24,221)."),
    Remark(False, "ItemKNN returned fewer than 20 items for 1,204 users."),
)
FINDINGS = (
    Finding("Most accurate", "SASRec", "nDCG@10 0.337, +5.0 % on EASE (95 % CI +4.4 % to +5.7 %)."),
    Finding("Same accuracy, more diverse", "SASRec + DPP", "No loss of nDCG@10 beyond 1 %, while ILD@10 changes by +13.8 %."),
    Finding("Most diverse among relevant items", "EASE + xQuAD", "α-nDCG@10 0.353, better for 52 % of users, worse for 43 %."),
)


@cache
def sample(systems: tuple[str, ...] = SYSTEMS, n_metrics: int = len(METRICS), baseline: str | None = "EASE", seed: int = 7) -> Report:
    """A report of some systems on some metrics at 20 cutoffs; all sections have data."""
    random = np.random.default_rng(seed)
    shown = measures(n_metrics)
    scores = _scores(systems, baseline, shown, random)
    differences = _differences(scores, baseline, shown, random)
    verticals = [one for one in shown[1:] if one.higher_is_better is not None and one.family != "relevance"][:6]
    return Report(
        title="Ten recommenders on Nightjar Films",
        question="Does re-ranking for diversity pay for itself? Scores for 24,318 test users.",
        eyebrow="aspectrum comparison · 15 November 2026 · synthetic data",
        facts=(
            ("Users", "24,318"),
            ("Items", "18,642"),
            ("Systems", str(len(systems))),
            ("Metrics", str(n_metrics)),
            ("Cutoffs", "1 to 20"),
        ),
        systems=systems,
        baseline=baseline,
        focus=tuple(one for one in FOCUS if one in systems) or tuple(one for one in systems if one != baseline)[:5],
        measures=shown,
        scores=scores,
        differences=differences,
        standings=_standings(scores, shown) if len(systems) > 1 else {},
        findings=FINDINGS,
        tested_by=f"Paired t-test over users, Holm correction over {len(differences) * (len(systems) - 1)} comparisons, p < 0.05, seed 7.",
        trade_off=TradeOff(shown[0].key, tuple(_front(scores, shown[0].key, one) for one in verticals)) if verticals else None,
        curves=_curves(scores, shown),
        distributions=_distributions(scores, shown, random),
        segmentations=_segmentations(scores, shown, random),
        lorenz=_lorenz(systems, random),
        aspects=_aspects(systems, random),
        lists=_lists(systems, baseline, shown[min(3, len(shown) - 1)].key, random),
        command="aspectrum compare runs/*.tsv --baseline EASE --cutoffs 1:20 --report report.html",
        provenance=(("aspectrum", "0.1.0"), ("seed", "7"), ("runs/ease.tsv", "sha256 9f86d081884c7d65")),
        bibtex="@inproceedings{clarke2008,\n  title = {Novelty and diversity in information retrieval evaluation},\n}",
        remarks=REMARKS,
    )


def two_users() -> Report:
    """Too few users to test: no intervals, no marks."""
    report = sample()
    return replace(
        report,
        scores={key: {one: Score(score.value, None, 2) for one, score in row.items()} for key, row in report.scores.items()},
        differences={
            key: {
                one: Difference(each.difference, n=2, wins=1, ties=0, losses=1, note="too few users to test") for one, each in row.items()
            }
            for key, row in report.differences.items()
        },
        standings={},
        findings=(),
        tested_by="Too few users to test.",
        curves=tuple(replace(one, bands={}) for one in report.curves),
        segmentations=(),
    )


def one_system() -> Report:
    """No trade-off, no differences, no marks."""
    report = sample(("EASE",), baseline=None)
    return replace(report, trade_off=None, focus=("EASE",), findings=(Finding("Accuracy", "nDCG@10 0.320", "95 % CI 0.319 to 0.321."),))


def identical_systems() -> Report:
    """Three systems with the same lists."""
    report = sample(("EASE", "EASE copy", "EASE again"))
    base = {key: row["EASE"] for key, row in report.scores.items()}
    same = Difference(0.0, (0.0, 0.0), 0.0, (0.0, 0.0), None, None, "same", USERS, 0, USERS, 0, "identical for all users")
    return replace(
        report,
        scores={key: dict.fromkeys(report.systems, score) for key, score in base.items()},
        differences={key: {"EASE copy": same, "EASE again": same} for key in base},
        standings={key: Standing(tie=report.systems) for key in base},
        trade_off=TradeOff("NDCG@10", (Front("ILD@10", report.systems),)),
        curves=tuple(replace(one, values=dict.fromkeys(report.systems, one.values["EASE"])) for one in report.curves),
    )


def all_undefined() -> Report:
    """Every metric undefined for every user."""
    report = sample()
    score = Score(math.nan, None, 0, USERS, "no user has a relevant item")
    return replace(
        report,
        scores={key: dict.fromkeys(report.systems, score) for key in report.scores},
        differences={},
        standings={},
        findings=(),
        trade_off=TradeOff("NDCG@10", (Front("ILD@10", ()),)),
        curves=tuple(replace(one, values=dict.fromkeys(report.systems, (math.nan,) * len(CUTOFFS)), bands={}) for one in report.curves),
        distributions=(),
        segmentations=(),
        lists=(),
    )


def one_undefined() -> Report:
    """One metric undefined for one system, another for all."""
    report = sample()
    missing = Score(math.nan, None, 0, USERS, "lists are empty")
    scores = {key: dict(row) for key, row in report.scores.items()}
    scores["NDCG@10"]["EASE"] = missing
    scores["ILD@10"] = dict.fromkeys(report.systems, missing)
    return replace(report, scores=scores)


def one_metric() -> Report:
    """No scatter; one panel."""
    return sample(n_metrics=1)


def many_systems() -> Report:
    """Thirty systems, more than charts show."""
    return sample((*SYSTEMS, *(f"Variant {at} of a system" for at in range(20))))


def bare() -> Report:
    """The least there can be: two systems, one metric, scores."""
    key = "NDCG@10"
    return Report(
        title="Two systems",
        question="",
        eyebrow="aspectrum comparison",
        facts=(),
        systems=("a", "b"),
        baseline=None,
        focus=(),
        measures=(Measure(key, "nDCG@10", "relevance", True),),
        scores={key: {"a": Score(0.25), "b": Score(0.5)}},
    )


HOSTILE = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</template></script><script>alert(2)</script>",
    "📈 emoji 👩‍👩‍👧‍👦",
    "نظام التوصية \u202eevil",
    "x" * 10_000,
    "\x1b[31mred\x1b[0m\x07\x00",
    "\\input{/etc/passwd} & 50% $x_1$ #^~ {{ 7*7 }} {% raw %}",
    "--><!--",
    "x" * 9_990 + "y" * 10,
)


def hostile() -> Report:
    """Names that try to be markup, code or commands, wherever a name can be."""
    report = sample(HOSTILE, baseline=HOSTILE[0])
    evil = HOSTILE[0]
    return replace(
        report,
        title=evil,
        question=HOSTILE[2],
        eyebrow=HOSTILE[6],
        facts=((evil, HOSTILE[1]),),
        measures=tuple(replace(one, name=f"{evil} {at}", family=f"{one.family} {HOSTILE[2]}") for at, one in enumerate(report.measures)),
        findings=tuple(Finding(evil, name, HOSTILE[2]) for name in HOSTILE[:3]),
        aspects=_aspects(HOSTILE, np.random.default_rng(1), HOSTILE),
        lists=tuple(replace(pair, user=evil, about=HOSTILE[1]) for pair in report.lists),
        command=HOSTILE[2],
        provenance=((evil, HOSTILE[1]),),
        bibtex=HOSTILE[2],
        remarks=tuple(Remark(True, name) for name in HOSTILE),
        tested_by=HOSTILE[1],
    )


EDGES: dict[str, Callable[[], Report]] = {
    "two users": two_users,
    "one system": one_system,
    "identical systems": identical_systems,
    "all undefined": all_undefined,
    "one undefined": one_undefined,
    "one metric": one_metric,
    "many systems": many_systems,
    "bare": bare,
    "hostile": hostile,
}
