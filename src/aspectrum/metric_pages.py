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
from aspectrum.metric import Metric, parse, registered
from aspectrum.metric_text import written
from aspectrum.peers import PEERS, Peer

QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "Are the lists relevant?": {
        "NDCG": "graded relevance, the top counts most",
        "DCG": "the same, not normalised",
        "Precision": "share of the list that is relevant",
        "Recall": "share of what is relevant that the list has",
        "MAP": "precision at every relevant item",
        "HitRate": "whether there is a relevant item at all",
        "MRR": "how early the first relevant item comes",
        "RPrecision": "precision at the number of relevant items",
        "RBP": "what a user finds who goes on with some patience",
    },
    "Do lists show different sides of what a user or a query wants?": {
        "AlphaNDCG": "repeated aspects gain less, against the ideal list",
        "AlphaDCG": "the same, not normalised",
        "ERRIA": "how soon a user who wants any one aspect is satisfied",
        "NRBP": "the same for a patient user",
        "AspectRecall": "share of the aspects that are shown; subtopic recall, community recall",
        "PrecisionIA": "precision, averaged over aspects",
        "MAPIA": "average precision, averaged over aspects",
        "NDCGIA": "nDCG, averaged over aspects",
        "MRRIA": "reciprocal rank, averaged over aspects",
        "DNDCG": "graded relevance to all intents together, against an exact ideal",
        "DSharpNDCG": "the same, and how many intents are covered: the measure of NTCIR",
    },
    "How different are the items of a list from one another?": {
        "IntraListDiversity": "mean distance of pairs",
        "EILD": "the same, where the top and relevant items count most",
        "VendiScore": "effective number of different items",
        "AspectEntropy": "how evenly aspects are spread; rank-biased entropy",
        "BinomialDiversity": "aspects covered, and not repeated beyond the user's taste",
    },
    "Are the items new to users?": {
        "EPC": "share of users who do not know the items",
        "EFD": "the same in bits, by the share of all interactions",
        "SelfInformation": "how surprising it is that somebody had the items, in bits",
        "EPD": "distance from what the user had",
        "UnseenShare": "share of items that the user did not have before",
        "Unexpectedness": "share of items that a baseline does not recommend",
    },
    "Are items pleasant surprises?": {
        "Serendipity": "relevant, and yet not to be expected",
    },
    "Do lists show the popular, or the long tail?": {
        "AveragePopularity": "how many users had the items",
        "LongTailShare": "share of items that are not among the most popular",
        "MeanPopularityRank": "how high items stand in the order of popularity",
        "PopularityLift": "how much more popular items are than those of the histories",
    },
    "Do lists have the aspects of a user's history, of the catalogue, of other lists?": {
        "Calibration": "divergence from the user's history",
        "Representation": "divergence from the catalogue; alternative voices, activation",
        "Fragmentation": "divergence of users' lists from one another",
    },
    "Are groups of items shown as they deserve?": {
        "AWRF": "attention that groups get in a list, against a target; TREC Fair Ranking",
        "GroupExposure": "exposure of the group that gets least, over that of the group that gets most; by size or by relevance",
        "ExpectedExposure": "distance from the exposure that equally relevant items would share",
        "RSP": "how differently often items of groups are recommended; of head and tail: PopRSP",
        "REO": "how differently often relevant items of groups are found; of head and tail: PopREO",
        "NDKL": "groups at every top of a list, against a target",
    },
    "Is the whole catalogue shown, and how evenly?": {
        "CatalogueCoverage": "share of the catalogue that is shown to anybody",
        "Gini": "0 for an even spread, 1 for one item",
        "GiniComplement": "1 for an even spread, 0 for one item",
        "ExposureEntropy": "in bits",
        "EffectiveItems": "how many items would be as diverse if all were shown alike",
    },
    "Do users see different lists?": {
        "Personalization": "how little the lists of two users have in common",
    },
    "What do recommended contacts do to a social network?": {
        "MeanPredictionDistance": "how far away recommended people are",
        "ModularityComplement": "how little the network keeps to its communities",
        "WeakTies": "links between communities",
        "CommunityEdgeGiniComplement": "how evenly these are spread over pairs of communities",
        "ClusteringComplement": "how often two contacts of somebody are not linked",
        "Reciprocity": "links that go both ways",
    },
}
"""Metrics by the question that they answer, each with what it looks at."""


def pages() -> dict[str, str]:
    """The text of every page, by the name of its file."""
    ours = [metric for _, metric in sorted(registered().items()) if metric.__module__.startswith("aspectrum.")]
    return {"README.md": _index(ours), **{f"{file_name(metric)}.md": page(metric) for metric in ours}}


def file_name(metric: type[Metric]) -> str:
    """What a metric's file, page and test are called."""
    return metric.__module__.rpartition(".")[2]


def page(metric: type[Metric]) -> str:
    """All there is to know of a metric, in Markdown."""
    parts, name = docstring_parts(metric), metric.__name__
    names = [f"`{alias}` ({_settings(preset)})" if preset else f"`{alias}`" for alias, preset in metric.aliases.items()]
    inputs = [" and ".join(several) or "nothing else" for several in needed_inputs(metric)]
    facts = {
        "Other names": ", ".join(names) or "none",
        "Family": metric.family,
        "Direction": DIRECTIONS[metric.higher_is_better],
        "Range": parts["Range"],
        "Undefined": parts["Undefined"],
        "Needs, beside the lists": "; or ".join(inputs),
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
    """What other tools print, and what conventions change."""
    peers = [peer for peer in PEERS if type(parse(peer.metric)) is metric]
    if peers:
        yield "## Other tools"
        yield "What they print for the [toy world](README.md#the-toy-world), and what gives the same number here."
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
        "A family is a word for its metrics: `-m novelty@10` is every metric of novelty that the inputs allow.",
        _table(("family", "metrics"), ((family, ", ".join(names)) for family, names in sorted(families.items()))),
        *_toy_world(),
    ]
    return "\n\n".join(blocks) + "\n"


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
        "Pages compare tools on lists of three items, all cut at 3. It is `aspectrum.toy_world`. `uneven` are lists of different lengths, "
        "`repeat` lists with items that users had before; `first aspects` has one category per item."
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
