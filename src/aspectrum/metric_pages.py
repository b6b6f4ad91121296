"""Pages of the documentation, one per metric, made from its docstring, the conventions and the numbers of other tools.

``python -m aspectrum.metric_pages docs/metrics`` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from aspectrum.conventions import CONVENTIONS
from aspectrum.documentation import (
    DIRECTIONS,
    changes_of,
    command_options,
    docstring_parts,
    needed_inputs,
    parameters_of,
    shell_quoted,
)
from aspectrum.metric import FAMILIES, Metric, parse, registered
from aspectrum.metric_text import written
from aspectrum.peers import PEERS, Peer

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "Are the lists relevant?": {
        "NDCG": "graded relevance, top ranks count most",
        "DCG": "the same, not normalised",
        "Precision": "share of the list that is relevant",
        "Recall": "share of the relevant items that are in the list",
        "MAP": "precision at every relevant item",
        "HitRate": "whether the list has a relevant item at all",
        "Judged": "share of the list that was judged at all",
        "MRR": "how early the first relevant item is ranked",
        "RPrecision": "precision at the number of relevant items",
        "RBP": "expected gain of a user who continues to the next rank with a fixed probability",
    },
    "Do lists cover the different interests of a user, or the intents of a query?": {
        "AlphaNDCG": "repeated aspects gain less, normalised by the ideal list",
        "AlphaDCG": "the same, not normalised",
        "ERRIA": "how early a user who wants one aspect is satisfied",
        "NRBP": "the same for a patient user",
        "AspectRecall": "share of the aspects that are covered; subtopic recall, community recall",
        "Density": "what is covered per 1,000 tokens",
        "Redundancy": "share of the aspects shown that come again",
        "PrecisionIA": "precision, averaged over aspects",
        "MAPIA": "average precision, averaged over aspects",
        "NDCGIA": "nDCG, averaged over aspects",
        "MRRIA": "reciprocal rank, averaged over aspects",
        "DNDCG": "graded relevance to all intents together, normalised by an exact ideal",
        "DSharpNDCG": "the same combined with intent recall; the official NTCIR measure",
    },
    "How diverse are the items in a list?": {
        "IntraListDiversity": "mean pairwise distance",
        "EILD": "the same, weighted by rank and relevance",
        "VendiScore": "effective number of distinct items",
        "AspectEntropy": "how evenly a list is spread over aspects; rank-biased entropy",
        "BinomialDiversity": "coverage and non-redundancy of aspects, given the user's taste",
    },
    "Are recommendations novel?": {
        "EPC": "share of users who have not interacted with the items",
        "EFD": "rarity of the items among all interactions, in bits",
        "SelfInformation": "how few users interacted with the items, in bits",
        "EPD": "distance from the user's history",
        "UnseenShare": "share of items that are not in the user's history",
        "Unexpectedness": "share of items that a baseline does not recommend",
    },
    "Are recommendations serendipitous?": {
        "Serendipity": "relevant yet unexpected items",
    },
    "Popular items or the long tail?": {
        "AveragePopularity": "how many users interacted with the items",
        "LongTailShare": "share of items that are not among the most popular",
        "MeanPopularityRank": "popularity percentile of the items",
        "PopularityLift": "popularity relative to the users' histories",
    },
    "Do lists match the user's history, the catalogue, or other users' lists?": {
        "Calibration": "divergence of aspects from the user's history",
        "Representation": "divergence of aspects from the catalogue; alternative voices, activation",
        "Fragmentation": "divergence of aspects between users' lists",
    },
    "Do groups of items get a fair share of exposure?": {
        "AWRF": "attention that groups receive in a list, compared with a target; TREC Fair Ranking",
        "GroupExposure": "whether exposure is proportional to group size or merit: least over most exposed group",
        "ExpectedExposure": "distance from the exposure in which equally relevant items share equally",
        "RSP": "disparity between groups in how often their items are recommended; PopRSP for head and tail",
        "REO": "disparity between groups in how often their relevant items are recommended; PopREO for head and tail",
        "NDKL": "divergence of the groups in every prefix of a list from a target",
    },
    "How much of the catalogue is recommended, and how evenly?": {
        "CatalogueCoverage": "share of the catalogue that is recommended at all",
        "Gini": "0 for an even spread, 1 for a single item",
        "GiniComplement": "1 for an even spread, 0 for a single item",
        "ExposureEntropy": "entropy of the recommended items, in bits",
        "EffectiveItems": "effective number of recommended items (Hill number)",
    },
    "How personalized are the lists?": {
        "Personalization": "one minus the mean similarity of two users' lists",
    },
    "How do recommended contacts change a social network?": {
        "MeanPredictionDistance": "how far away recommended contacts are in the network",
        "ModularityComplement": "how far links cross communities",
        "WeakTies": "number of links between communities",
        "CommunityEdgeGiniComplement": "how evenly they are spread over pairs of communities",
        "ClusteringComplement": "how often two contacts of a person are not linked to each other",
        "Reciprocity": "share of links that are reciprocated",
    },
}
"""Metrics by the question that they answer, each with what it looks at."""


def pages() -> dict[str, str]:
    """The text of every page, by the name of its file."""
    ours = [metric for _, metric in sorted(registered().items()) if metric.__module__.startswith("aspectrum.")]
    return {"README.md": _index(ours), **{f"{file_name(metric)}.md": page(metric) for metric in ours}}


def file_name(metric: type[Metric]) -> str:
    """Name of a metric's file, page and test."""
    return metric.__module__.rpartition(".")[2]


def page(metric: type[Metric]) -> str:
    """All there is to know of a metric, in Markdown."""
    parts, name = docstring_parts(metric), metric.__name__
    names = [f"`{alias}` ({_settings(preset)})" if preset else f"`{alias}`" for alias, preset in metric.aliases.items()]
    inputs = [" and ".join(several).replace("subtopics", "subtopics (or nuggets)") or "none" for several in needed_inputs(metric)]
    facts = {
        "Other names": ", ".join(names) or "none",
        "Family": metric.family,
        "Direction": DIRECTIONS[metric.higher_is_better],
        "Range": parts["Range"],
        "Undefined": parts["Undefined"],
        "Required inputs, besides the lists": "; or ".join(inputs),
        "References": parts["References"],
    }
    arguments = [(f"`{one['name']}`", _code(one["default"]), one["description"]) for one in parameters_of(metric)]
    commands = [f"aspectrum evaluate RECS -m {shell_quoted(f'{name}@10')}{options}" for options in command_options(metric)]
    blocks = [
        "<!-- Made by python -m aspectrum.metric_pages docs/metrics from the docstring: change it there. -->",
        f"# {name}",
        parts["summary"],
        f"```math\n{parts['formula']}\n```",
        *parts["text"],
        _table(("", ""), ((f"**{what}**", text) for what, text in facts.items() if text)),
        "## Parameters",
        _table(("parameter", "default", "meaning"), arguments),
        "## Example",
        f"```pycon\n{_imports(name, parts['Examples'])}{parts['Examples']}\n```",
        "```\n" + "\n".join(commands) + "\n```",
        *_other_tools(metric),
    ]
    return "\n\n".join(blocks) + "\n"


def _imports(name: str, example: str) -> str:
    """What an example needs beside its own imports."""
    names = [one for one in ("World", name) if f"import {one}" not in example and f"{one}" in example]
    return f">>> from aspectrum import {', '.join(names)}\n" if names else ""


def _other_tools(metric: type[Metric]) -> Iterable[str]:
    """Other tools' numbers, and what conventions change."""
    peers = [peer for peer in PEERS if type(parse(peer.metric)) is metric]
    if peers:
        yield "## Other tools"
        yield "Their numbers for the [toy world](README.md#the-toy-world), and the metric and convention that give the same number here."
        yield _table(("tool", "its name", "value", "lists", "metric", "convention", ""), map(_row, peers))
    changes = [(f"`{one.name}`", changes_of(one, metric)) for one in CONVENTIONS.values() if one.has(metric) and one.name != "published"]
    if changes:
        yield "## Conventions"
        yield _table(("convention", "what it does"), changes)


def _row(peer: Peer) -> Sequence[str]:
    value = f"{peer.value:.6f}".rstrip("0").rstrip(".")
    convention = "" if peer.convention == "published" else f"`{peer.convention}`"
    return peer.tool, peer.name, value, peer.world, f"`{peer.metric}`", convention, peer.remark


def _index(ours: Sequence[type[Metric]]) -> str:
    links = {metric.__name__: f"[{metric.__name__}]({file_name(metric)}.md)" for metric in ours}
    blocks = [
        "<!-- Made by python -m aspectrum.metric_pages docs/metrics. -->",
        "# Metrics",
        f"{len(ours)} metrics, by the question they answer.",
    ]
    for question, answers in QUESTIONS.items():
        blocks += [f"## {question}", "\n".join(f"- {links[name]}: {what}" for name, what in answers.items())]
    families: dict[str, list[str]] = {}
    for metric in ours:
        families.setdefault(metric.family, []).append(links[metric.__name__])
    blocks += [
        "## By family",
        "`-m novelty@10` computes every metric of the family that the inputs allow; `-m accuracy@10` and `-m diversity@10` are shorthands. "
        "Where a metric has the name of its family, write `-m family:calibration@10`.",
        _table(("family", "metrics"), [*((family, ", ".join(names)) for family, names in sorted(families.items())), *_shorthands()]),
        *_toy_world(),
    ]
    return "\n\n".join(blocks) + "\n"


def _shorthands() -> Iterable[tuple[str, str]]:
    """Words for families that are not families themselves, with what they stand for."""
    for word, several in FAMILIES.items():
        if several != (word,):
            yield word, f"all of {' and '.join(several)}"


def _toy_world() -> Iterable[str]:
    from aspectrum import toy_world

    def lists(given: Mapping[str, Iterable[str]]) -> str:
        return "; ".join(f"{user}: {' '.join(items)}" for user, items in given.items())

    groups: dict[str, list[str]] = {}
    for item, group in toy_world.GROUPS.items():
        groups.setdefault(group, []).append(item)
    relevance = {user: [f"{item}={grade}" for item, grade in graded.items()] for user, graded in toy_world.RELEVANCE.items()}
    yield "## The toy world"
    yield (
        "Metric pages compare tools on this small data set (`aspectrum.toy_world`), at cutoff 3. `uneven` has lists of different lengths, "
        "`repeat` has items from the users' own histories, `first aspects` has one category per item."
    )
    yield _table(
        ("", ""),
        (
            ("history", lists(toy_world.HISTORY)),
            ("lists", f"{lists(toy_world.LISTS)} (u4 has none)"),
            ("relevance", lists(relevance)),
            ("aspects", "; ".join(f"{item}: {' '.join(has) or 'none'}" for item, has in toy_world.ASPECTS.items())),
            ("features", "; ".join(f"{item}: {tuple(vector)}" for item, vector in toy_world.FEATURES.items())),
            ("groups", lists(groups)),
            ("baseline", lists(toy_world.BASELINE)),
            ("uneven", lists(toy_world.UNEVEN)),
            ("repeat", lists(toy_world.REPEAT)),
        ),
    )


def _settings(preset: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={written(value)}" for name, value in preset.items())


def _code(value: object) -> str:
    return "`none`" if value is None else f"`{written(value)}`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |" for row in cells)


def write_pages(folder: str | Path) -> None:
    """Write all pages to a folder, and delete those of metrics that are gone."""
    target, found = Path(folder), pages()
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("*.md"):
        if old.name not in found:
            old.unlink()
    for name, text in found.items():
        (target / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(*sys.argv[1:])
