"""Lists in a form, or an order, that they should not have."""

from tests.misuse.table import Misuse

MISUSES: list[Misuse] = []
