"""A world small enough to work every metric out by hand, with lists of three items. The pages of metrics compare tools on it."""

from typing import Any

HISTORY = {"u1": ["a", "b", "c"], "u2": ["a", "b"], "u3": ["a", "d"], "u4": ["a", "e"]}
LISTS = {"u1": ["d", "e", "f"], "u2": ["c", "d", "g"], "u3": ["b", "e", "c"]}
RELEVANCE = {"u1": {"e": 1, "h": 2}, "u2": {"d": 2, "h": 1}, "u3": {"c": 1}}
ASPECTS = {"a": ["x"], "b": ["x", "y"], "c": ["y"], "d": ["y", "z"], "e": ["z"], "f": ["x"], "g": [], "h": ["z"]}
FEATURES = {"a": [1, 0], "b": [1, 1], "c": [0, 1], "d": [3, 4], "e": [4, 3], "f": [0, 2], "h": [1, 0]}
GROUPS = {"a": "P", "b": "P", "c": "P", "d": "P", "e": "Q", "f": "Q", "g": "Q", "h": "Q"}
BASELINE = {"u1": ["d", "g", "h"], "u2": ["c", "e", "h"], "u3": ["b", "c", "e"]}
CATALOGUE = list("abcdefgh")

FIRST_ASPECTS = {item: aspects[:1] for item, aspects in ASPECTS.items()}
"""One category per item, as some tools have."""

UNEVEN = {"u1": ["d", "e", "f", "h"], "u2": ["c"], "u3": ["b", "e"]}
"""Lists of different lengths."""

UNEVEN_RELEVANCE = {"u1": {"e": 1, "h": 2}, "u2": {"d": 2}, "u3": {"e": 1}}

REPEAT = {"u1": ["a", "d"], "u2": ["b", "a", "c"], "u3": ["e", "f", "g"]}
"""Lists with items that users had before."""

INPUTS: dict[str, Any] = {
    "history": HISTORY,
    "relevance": RELEVANCE,
    "aspects": ASPECTS,
    "features": FEATURES,
    "groups": GROUPS,
    "baseline": BASELINE,
    "catalogue": CATALOGUE,
}
"""What the lists are measured against, as keyword inputs of ``evaluate``."""

TRUTH: dict[str, Any] = {name: given for name, given in INPUTS.items() if name not in ("groups", "baseline")}
"""The same without groups and a baseline."""

INTENTS: tuple[dict[str, list[str]], dict[str, Any]] = (
    {"q1": ["a", "b", "c"]},
    {
        "subtopics": [("q1", 1, "a", 1), ("q1", 1, "c", 2), ("q1", 2, "b", 1), ("q1", 3, "c", 1), ("q1", 3, "e", 3)],
        "weights": {"q1": {1: 0.5, 2: 0.3, 3: 0.2}},
    },
)
"""A query with graded intents."""

VARIANTS: dict[str, tuple[dict[str, list[str]], dict[str, Any]]] = {
    "toy": (LISTS, INPUTS),
    "uneven": (UNEVEN, {**INPUTS, "relevance": UNEVEN_RELEVANCE}),
    "repeat": (REPEAT, INPUTS),
    "first aspects": (LISTS, {**INPUTS, "aspects": FIRST_ASPECTS}),
    "intents": INTENTS,
    "no relevance": (LISTS, {name: given for name, given in INPUTS.items() if name != "relevance"}),
}
"""Lists and inputs by name: what tells conventions apart."""
