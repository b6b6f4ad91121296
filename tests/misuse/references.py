"""Groups, popularity, baselines and graphs that are not what they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import aspectrum as asp
from aspectrum.world.popularity import Popularity
from tests.misuse.table import Misuse

USERS = [f"u{i}" for i in range(12)]
ITEMS = [f"i{i:02}" for i in range(20)]
LISTS = {user: ITEMS[i : i + 5][::-1] for i, user in enumerate(USERS)}
OTHERS = {user: ITEMS[i + 2 : i + 7][::-1] for i, user in enumerate(USERS)}
HISTORY = {user: ITEMS[(i + 7) % 15 : (i + 7) % 15 + 5] for i, user in enumerate(USERS)}
COUNTS = {item: 1 + i % 7 for i, item in enumerate(ITEMS)}
GROUPS = {item: "PQ"[i % 2] for i, item in enumerate(ITEMS)}
INTERACTIONS = pl.DataFrame({"user": USERS, "item": ITEMS[:12], "count": range(1, 13)})

PEOPLE = list(range(1, 13))
CONTACTS = {person: [1 + (person + step) % 12 for step in (1, 4)] for person in PEOPLE}
RECOMMENDED = {person: [1 + (person + step) % 12 for step in (2, 5, 7)] for person in PEOPLE}
CODES = asp.Rankings(np.array([0, 1]), np.array([0], dtype=np.int32))


def evaluate(metrics: Any, lists: Any = LISTS, **inputs: Any) -> asp.Results:
    return asp.evaluate(lists, metrics, **inputs)


POPULARITY = [
    Misuse(
        "an item twice in popularity, with the same count",
        "error",
        "item 'a' has two counts, 4 and 4; expected one per item; what single users had goes to history=",
        lambda: evaluate("ARP@1", {"u": ["a"]}, popularity=[("a", 4), ("b", 1), ("a", 4)]),
    ),
    Misuse(
        "an item twice in popularity, of which the first counts",
        "right",
        "",
        lambda: evaluate("ARP@1", {"u": ["a"]}, popularity=[("a", 4), ("b", 1), ("a", 4), ("a", 5)], duplicates="first"),
        meant=4.0,
    ),
    Misuse(
        "interactions as popularity",
        "warning",
        "column 'user' names users, and counts are for all of them together; pass what single users had as history=",
        lambda: evaluate("ARP@5", dict.fromkeys(USERS, ITEMS[:5]), popularity=INTERACTIONS),
        meant=lambda: evaluate("ARP@5", dict.fromkeys(USERS, ITEMS[:5]), history=INTERACTIONS, ignore="seen_items"),
        kind="counts_by_user",
    ),
    Misuse(
        "a number of users without popularity",
        "error",
        "popularity_users= goes with popularity=, which is not given",
        lambda: evaluate("EPC@5", history=HISTORY, popularity_users=40),
    ),
    Misuse(
        "a number of users beside codes",
        "error",
        "popularity_users goes with ids",
        lambda: asp.evaluate(CODES, "ARP@1", popularity=Popularity(np.array([3]), None), popularity_users=40),
    ),
    Misuse(
        "popularity beside a history with other counts",
        "note",
        "counts are taken from here, and the number of users (12) from the history; popularity_users= sets it",
        lambda: evaluate("SelfInformation@5", history=HISTORY, popularity=COUNTS, ignore="seen_items"),
        meant=lambda: evaluate("SelfInformation@5", popularity=COUNTS, popularity_users=12),
        kind="popularity_beside_history",
    ),
    Misuse(
        "popularity of zeros",
        "warning",
        "all 20 counts are 0: nobody had any item",
        lambda: evaluate("ARP@5", popularity=dict.fromkeys(ITEMS, 0)),
        meant=lambda: evaluate("ARP@5", popularity=COUNTS),
        kind="no_popularity",
    ),
]

BASELINES = [
    Misuse(
        "a baseline with lists that are shorter than the cutoff",
        "warning",
        "baseline: 12 of 12 lists are shorter than the cutoff of 5",
        lambda: evaluate("Unexpectedness@5", OTHERS, baseline={user: items[:2] for user, items in LISTS.items()}),
        meant=lambda: evaluate("Unexpectedness@5", OTHERS, baseline=LISTS),
        kind="short_lists",
    ),
    Misuse(
        "a short baseline beside metrics that do not read it",
        "right",
        "",
        lambda: evaluate("ARP@5", popularity=COUNTS, baseline={user: items[:2] for user, items in LISTS.items()}),
        meant=lambda: evaluate("ARP@5", popularity=COUNTS),
    ),
    Misuse(
        "the lists themselves as their baseline",
        "warning",
        "12 of 12 lists are the baseline's; is one input given twice?",
        lambda: evaluate("Unexpectedness@5", baseline=LISTS),
        meant=lambda: evaluate("Unexpectedness@5", baseline=OTHERS),
        kind="same_as_baseline",
    ),
    Misuse(
        "the baseline among the systems",
        "right",
        "",
        lambda: asp.evaluate_systems({"A": LISTS, "B": OTHERS}, "Unexpectedness@5", baseline=LISTS),
        meant=0.0,
    ),
]

CONTACT_BASELINES = [
    Misuse(
        "a short baseline of contacts",
        "warning",
        "baseline: 12 of 12 lists are shorter than the cutoff of 3",
        lambda: asp.contacts.evaluate(
            RECOMMENDED,
            asp.Unexpectedness(k=3),
            train=CONTACTS,
            baseline={person: own[1:2] for person, own in RECOMMENDED.items()},
        ),
        meant=1 / 3,
        kind="short_lists",
    ),
    Misuse(
        "the baseline of contacts among the systems",
        "right",
        "",
        lambda: asp.contacts.evaluate_systems(
            {"A": RECOMMENDED, "B": {person: own[::-1] for person, own in RECOMMENDED.items()}},
            asp.Unexpectedness(k=3),
            train=CONTACTS,
            baseline=RECOMMENDED,
        ),
        meant=0.0,
    ),
]

FAIRNESS = [
    Misuse(
        "one group for all items",
        "warning",
        "groups: 'P' is the only group, and fairness metrics compare groups",
        lambda: evaluate("AWRF@5", groups=dict.fromkeys(ITEMS, "P")),
        meant=lambda: evaluate("AWRF@5", groups=GROUPS),
        kind="one_group",
    ),
    Misuse(
        "a catalogue with the items of one group",
        "warning",
        "groups: 'P' is the only group with an item of the catalogue, and fairness metrics compare groups",
        lambda: evaluate("AWRF@5", dict.fromkeys(USERS, ITEMS[:9:2]), groups=GROUPS, catalogue=ITEMS[::2]),
        meant=lambda: evaluate("AWRF@5", dict.fromkeys(USERS, ITEMS[:9:2]), groups=GROUPS, catalogue=ITEMS),
        kind="one_group",
    ),
    Misuse(
        "a group twice in a target, as text",
        "error",
        "'P' is given twice in '{P: .7, P: .2, Q: .1}'",
        lambda: evaluate("AWRF(target={P: .7, P: .2, Q: .1})@5", groups=GROUPS),
    ),
    Misuse(
        "a group twice in a target, in pairs",
        "error",
        "AWRF: target has 'P' twice, expected each once",
        lambda: asp.AWRF(target=(("P", 0.7), ("P", 0.2), ("Q", 0.1))),
    ),
    Misuse(
        "a group of a target that is text beside groups that are numbers",
        "error",
        "target has a share for '0', and no item is in such a group: it is text, and groups are numbers",
        lambda: evaluate("AWRF(target={'0': .7, '1': .3})@5", groups={item: i % 2 for i, item in enumerate(ITEMS)}),
    ),
    Misuse(
        "a group of a target that is a number beside groups that are text",
        "error",
        "target has a share for 0, and no item is in such a group: it is a number, and groups are text",
        lambda: evaluate("AWRF(target={0: .7, 1: .3})@5", groups={item: str(i % 2) for i, item in enumerate(ITEMS)}),
    ),
]

GRAPHS = [
    Misuse(
        "a graph of other people",
        "error",
        "12 of 12 items are not in graph",
        lambda: evaluate("MPD@3", RECOMMENDED, graph={100 + one: [100 + other for other in others] for one, others in CONTACTS.items()}),
    ),
    Misuse(
        "a history as the graph",
        "warning",
        "nobody in the 60 links both links to somebody and is linked to; a graph has links between people: are these users and items?",
        lambda: evaluate("Reciprocity@5", graph=HISTORY),
        meant=lambda: evaluate("Reciprocity@3", RECOMMENDED, graph=CONTACTS),
        kind="links_to_items",
    ),
    Misuse(
        "a link that weighs nothing",
        "error",
        "graph: the weight of the link from 1 to 2 is 0, expected above 0",
        lambda: evaluate("MPD@3", RECOMMENDED, graph=[(1, 2, 0.0), (2, 3, 1.0)]),
    ),
]

MISSING = [
    Misuse(
        "novelty without a history, which popularity can stand for",
        "error",
        "EPC needs history: pass history=, (user, item) rows, or popularity= with popularity_users=",
        lambda: evaluate("EPC@5"),
    ),
    Misuse(
        "fairness without groups, which aspects can stand for",
        "error",
        "AWRF needs groups: pass groups=, (item, group) pairs, or aspects=",
        lambda: evaluate("AWRF@5"),
    ),
]

MISUSES = [*POPULARITY, *BASELINES, *CONTACT_BASELINES, *FAIRNESS, *GRAPHS, *MISSING]
