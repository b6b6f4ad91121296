"""Contact recommendation: ranked people instead of ranked items, in a social network."""

from aspectrum.contacts.cleaning import KEEPABLE
from aspectrum.contacts.communities import Communities, find_communities
from aspectrum.contacts.evaluation import default_metrics, evaluate, evaluate_systems
from aspectrum.contacts.graphs import Graph, read_graph
from aspectrum.contacts.texts import TextIndex, index_texts

__all__ = [
    "KEEPABLE",
    "Communities",
    "Graph",
    "TextIndex",
    "default_metrics",
    "evaluate",
    "evaluate_systems",
    "find_communities",
    "index_texts",
    "read_graph",
]
