"""Is the difference real? Paired comparisons of systems: tests, intervals, marks, segments and gates."""

from aspectrum.comparison.comparison import Comparison, compare
from aspectrum.comparison.differences import Difference
from aspectrum.comparison.gates import Gate, GateResult

__all__ = ["Comparison", "Difference", "Gate", "GateResult", "compare"]
