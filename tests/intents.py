"""The query of the literature on D-measures: graded judgments of three intents with probabilities."""

from typing import Any

GRADES = {"a": {1: 1}, "b": {2: 1}, "c": {1: 2, 3: 1}, "e": {3: 3}}
"""Grades of items by intent."""

QUERY: dict[str, Any] = {"rankings": {"q1": ["a", "b", "c"]}, "subtopics": {"q1": GRADES}, "weights": {1: 0.5, 2: 0.3, 3: 0.2}}
"""Inputs of ``World.of``."""
