"""What is evaluated, as integer codes and arrays."""

from aspectrum.world.aspects import Aspects, Subtopics, Weights
from aspectrum.world.features import Distance, Features
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance
from aspectrum.world.truth import Truth
from aspectrum.world.world import World

__all__ = [
    "Aspects",
    "Distance",
    "Features",
    "History",
    "Rankings",
    "Relevance",
    "Subtopics",
    "Truth",
    "Weights",
    "World",
]
