"""The best list there could be. An exact ideal will stand beside the greedy one."""

from aspectrum.ideal.gains import Gains, gains
from aspectrum.ideal.greedy import ideal_sums

__all__ = ["Gains", "gains", "ideal_sums"]
