"""What is evaluated, as integer codes and arrays."""

from aspectrum.world.aspects import Aspects, Subtopics, Weights
from aspectrum.world.features import Distance, Features
from aspectrum.world.graph import Network, SocialGraph
from aspectrum.world.lengths import Lengths
from aspectrum.world.popularity import Popularity
from aspectrum.world.rankings import Rankings
from aspectrum.world.relevance import History, Relevance
from aspectrum.world.truth import Truth
from aspectrum.world.world import World

__all__ = [
    "Aspects",
    "Distance",
    "Features",
    "History",
    "Lengths",
    "Network",
    "Popularity",
    "Rankings",
    "Relevance",
    "SocialGraph",
    "Subtopics",
    "Truth",
    "Weights",
    "World",
]
