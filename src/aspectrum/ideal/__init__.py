"""The best list there could be. An exact ideal will stand beside the greedy one."""

from aspectrum.ideal.gains import Gains, gains
from aspectrum.ideal.greedy import TIES, ideal_sums

__all__ = ["TIES", "Gains", "gains", "ideal_sums"]
