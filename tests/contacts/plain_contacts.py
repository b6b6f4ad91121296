"""Contact recommendation in plain Python: dictionaries, sets and loops. The tests compare the library with it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tests.plain import UNDEFINED, Id, complement_of_gini, cut, discounted, log2_discount, ratio

Link = tuple[Id, Id]
Rule = Literal["strangers", "self", "known", "reciprocal"]
PlainConvention = Literal["published", "relison"]

RULES: tuple[Rule, ...] = ("strangers", "self", "known", "reciprocal")
"""In the order in which they are applied: what one rule leaves out, the next does not see."""

STOP = 0.5


@dataclass(frozen=True, eq=False)
class PlainNetwork:
    """Social networks before and after, and what was recommended in between.

    ``communities`` None means that there is no such input, as do ``test`` and ``features``.
    """

    lists: Mapping[Id, Sequence[Id]]
    train: Sequence[Link]
    test: Sequence[Link] | None = None
    communities: Sequence[tuple[Id, Id]] | None = None
    features: Sequence[tuple[Id, Id, float]] | None = None
    directed: bool = True
    keep: Collection[Rule] = ()

    # Links

    def both_ways(self, links: Sequence[Link]) -> set[Link]:
        """Each link once; of an undirected network both ways."""
        return set(links) if self.directed else {way for source, target in links for way in ((source, target), (target, source))}

    @cached_property
    def users(self) -> set[Id]:
        """The users of the train graph; where strangers are kept, of the test graph too."""
        strangers = (self.test or ()) if "strangers" in self.keep else ()
        return {end for link in (*self.train, *strangers) for end in link}

    @cached_property
    def train_users(self) -> set[Id]:
        return {end for link in self.train for end in link}

    @cached_property
    def train_links(self) -> set[Link]:
        return {link for link in self.both_ways(self.train) if "self" in self.keep or link[0] != link[1]}

    @cached_property
    def test_links(self) -> set[Link]:
        """As given, before anything is left out."""
        return self.both_ways(self.test or ())

    def breaks(self, rule: Rule, link: Link) -> bool:
        source, target = link
        if rule == "strangers":
            return source not in self.train_users or target not in self.train_users
        if rule == "self":
            return source == target
        if rule == "known":
            return link in self.train_links
        # Only the reverse: a link that is known itself is a matter of the rule before.
        return (target, source) in self.train_links and link not in self.train_links

    @cached_property
    def by_rule(self) -> dict[Rule, set[Link]]:
        """The test links that each rule is about, whether it leaves them out or not."""
        left = set(self.test_links)
        found: dict[Rule, set[Link]] = {}
        for rule in RULES:
            found[rule] = {link for link in left if self.breaks(rule, link)}
            if rule not in self.keep:
                left -= found[rule]
        return found

    @cached_property
    def links_to_find(self) -> set[Link]:
        left = set(self.test_links)
        for rule in RULES:
            if rule not in self.keep:
                left -= self.by_rule[rule]
        return left

    @cached_property
    def known(self) -> dict[Id, set[Id]]:
        return targets_of(self.train_links)

    @cached_property
    def to_find(self) -> dict[Id, set[Id]]:
        return targets_of(self.links_to_find)

    @cached_property
    def ranked(self) -> dict[Id, Sequence[Id]]:
        """The lists of users; nobody else's count."""
        return {user: candidates for user, candidates in self.lists.items() if user in self.users}

    def top(self, user: Id, k: int) -> list[Id]:
        return cut(self.ranked.get(user, ()), k)

    # Communities and features

    @cached_property
    def all_communities(self) -> set[Id]:
        """Those of the file."""
        return {community for _, community in self.communities or ()}

    @cached_property
    def every_community_of(self) -> dict[Id, set[Id]]:
        return targets_of(self.communities or ())

    @cached_property
    def first_community_of(self) -> dict[Id, set[Id]]:
        first: dict[Id, set[Id]] = {}
        for user, community in self.communities or ():
            if user not in first:
                first[user] = {community}
        return first

    def communities_of(self, convention: PlainConvention) -> dict[Id, set[Id]]:
        return self.first_community_of if convention == "relison" else self.every_community_of

    @cached_property
    def features_as_given(self) -> dict[Id, dict[Id, float]]:
        """A row that stands there twice says nothing new. A vector of zeros has no direction: no features."""
        vectors: dict[Id, dict[Id, float]] = {}
        for user, feature, value in self.features or ():
            vectors.setdefault(user, {})[feature] = value
        return {user: vector for user, vector in vectors.items() if any(vector.values())}

    @cached_property
    def features_as_sets(self) -> dict[Id, dict[Id, float]]:
        sets: dict[Id, dict[Id, float]] = {}
        for user, feature, _ in self.features or ():
            sets.setdefault(user, {})[feature] = 1.0
        return sets

    def features_of(self, convention: PlainConvention) -> dict[Id, dict[Id, float]]:
        return self.features_as_sets if convention == "relison" else self.features_as_given


def targets_of(links: Collection[tuple[Id, Id]]) -> dict[Id, set[Id]]:
    found: dict[Id, set[Id]] = {}
    for source, target in links:
        found.setdefault(source, set()).add(target)
    return found


# Scores of a user


def community_recall(network: PlainNetwork, user: Id, k: int, convention: PlainConvention) -> float:
    communities = network.communities_of(convention)
    reached = {community for candidate in network.top(user, k) for community in communities.get(candidate, ())}
    return ratio(len(reached), len(network.all_communities))


def err_ia(network: PlainNetwork, user: Id, k: int, convention: PlainConvention) -> float:
    communities = network.communities_of(convention)
    to_find = network.to_find.get(user, set())
    if convention == "relison":
        # How many of the user's contacts, before and after, are in each community; the same for all if in none.
        counts = dict.fromkeys(network.all_communities, 0)
        for contact in network.known.get(user, set()) | to_find:
            for community in communities.get(contact, ()):
                counts[community] += 1
        if not any(counts.values()):
            counts = dict.fromkeys(counts, 1)
    else:
        counts = {community: 1 for contact in to_find for community in communities.get(contact, ())}
    terms = []
    for community, count in counts.items():
        going_on = 1.0
        for rank, candidate in enumerate(network.top(user, k), 1):
            if candidate in to_find and community in communities.get(candidate, ()):
                terms.append(count * STOP * going_on / rank)
                going_on *= 1.0 - STOP
    if not counts:
        return 0.0 if convention == "relison" else UNDEFINED
    return math.fsum(terms) / sum(counts.values())


def distance(a: Mapping[Id, float], b: Mapping[Id, float]) -> float:
    lengths = math.sqrt(math.fsum(x * x for x in a.values())) * math.sqrt(math.fsum(y * y for y in b.values()))
    return 1.0 - math.fsum(x * b[feature] for feature, x in a.items() if feature in b) / lengths


def sum_of_distances(network: PlainNetwork, candidates: Sequence[Id], convention: PlainConvention) -> float:
    """Over the unordered pairs. Without features: distance 0 to everybody."""
    features = network.features_of(convention)
    featured = [features[candidate] for candidate in candidates if candidate in features]
    return math.fsum(distance(one, other) for place, one in enumerate(featured) for other in featured[:place])


def intra_list_diversity(network: PlainNetwork, user: Id, k: int) -> float:
    features = network.features_of("published")
    featured = [candidate for candidate in network.top(user, k) if candidate in features]
    n = len(featured)
    return ratio(sum_of_distances(network, featured, "published"), n * (n - 1) / 2)


def ndcg(network: PlainNetwork, user: Id, k: int) -> float:
    to_find = network.to_find.get(user, set())
    found = [float(candidate in to_find) for candidate in network.top(user, k)]
    best = [1.0] * (len(to_find) if k == -1 else min(k, len(to_find)))
    return ratio(discounted(found, log2_discount), discounted(best, log2_discount))


def precision(network: PlainNetwork, user: Id, k: int) -> float:
    to_find = network.to_find.get(user, set())
    return sum(candidate in to_find for candidate in network.top(user, k)) / k if to_find else UNDEFINED


def recall(network: PlainNetwork, user: Id, k: int) -> float:
    to_find = network.to_find.get(user, set())
    return ratio(sum(candidate in to_find for candidate in network.top(user, k)), len(to_find))


def average_precision(network: PlainNetwork, user: Id, k: int) -> float:
    to_find = network.to_find.get(user, set())
    hits = 0
    precisions = []
    for rank, candidate in enumerate(network.top(user, k), 1):
        if candidate in to_find:
            hits += 1
            precisions.append(hits / rank)
    return ratio(math.fsum(precisions), len(to_find))


# Numbers of a system

PlainMetric = Literal["Community recall", "ERRIA", "ILD", "Predicted Gini complement", "nDCG", "Precision", "Recall", "MAP"]

OF_LINKS = {"nDCG": ndcg, "Precision": precision, "Recall": recall, "MAP": average_precision}
OF_COMMUNITIES = {"Community recall": community_recall, "ERRIA": err_ia}


def averaged_users(network: PlainNetwork, metric: PlainMetric, convention: PlainConvention) -> set[Id]:
    """Published: whoever has a list. RELISON: everybody, or with a link to find; whoever has no list scores 0."""
    if convention == "published":
        return set(network.ranked)
    return set(network.to_find) if metric in OF_LINKS else network.users


def scores(network: PlainNetwork, metric: PlainMetric, k: int, convention: PlainConvention) -> dict[Id, float]:
    """Of the users who are averaged; not for metrics of whole systems, among them RELISON's ILD."""
    users = averaged_users(network, metric, convention)
    if metric in OF_COMMUNITIES:
        return {user: OF_COMMUNITIES[metric](network, user, k, convention) for user in users}
    if metric in OF_LINKS:
        return {user: OF_LINKS[metric](network, user, k) for user in users}
    assert metric == "ILD" and convention == "published", metric
    return {user: intra_list_diversity(network, user, k) for user in users}


def value(network: PlainNetwork, metric: PlainMetric, k: int, convention: PlainConvention) -> float:
    if metric == "Predicted Gini complement":
        return gini_complement(network, k, empty=1.0 if convention == "relison" else UNDEFINED)
    if metric == "ILD" and convention == "relison":
        return diversity_per_link(network, k)
    return mean(list(scores(network, metric, k, convention).values()))


def mean(numbers: Sequence[float]) -> float:
    defined = [number for number in numbers if not math.isnan(number)]
    return ratio(math.fsum(defined), len(defined))


def diversity_per_link(network: PlainNetwork, k: int) -> float:
    """RELISON's ILD: of each recommended link, the mean distance to the list it stands in, itself included."""
    terms = []
    n_links = 0
    for user in network.ranked:
        candidates = network.top(user, k)
        if candidates:
            terms.append(2 * sum_of_distances(network, candidates, "relison") / len(candidates))
            n_links += len(candidates)
    return ratio(math.fsum(terms), n_links)


def gini_complement(network: PlainNetwork, k: int, *, empty: float) -> float:
    """Over the users; whoever is not one of them could not be recommended and is left out. Exact until the last division."""
    counts = dict.fromkeys(network.users, 0)
    for user in network.ranked:
        for candidate in network.top(user, k):
            if candidate in counts:
                counts[candidate] += 1
    return complement_of_gini(counts.values(), empty)
