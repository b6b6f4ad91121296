"""Agents that search in rounds: traces, what was found by each round, and what each round added."""

from aspectrum.rounds.plan import RoundsPartial, RoundsPlan, evaluate_rounds
from aspectrum.rounds.qualities import Qualities
from aspectrum.rounds.results import RoundsResults
from aspectrum.rounds.traces import Rounds

__all__ = ["Qualities", "Rounds", "RoundsPartial", "RoundsPlan", "RoundsResults", "evaluate_rounds"]
