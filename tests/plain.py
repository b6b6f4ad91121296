"""The definitions in plain Python: dictionaries and loops, slow and obvious. The tests compare the library with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

Id = int | str
Way = Literal["subtopics", "history", "relevance", "membership"]
Pool = Literal["judged", "catalogue", "unseen", "list"]
Unjudged = Literal["keep", "condense", "drop"]
Gamma = float | Mapping[Id, float]

UNDEFINED = math.nan


@dataclass(frozen=True, eq=False)
class PlainWorld:
    """What is evaluated, as a person would write it down.

    ``weights`` is {aspect: weight} for everybody or {user: {aspect: weight}}; ``catalogue`` None means every item seen.
    """

    rankings: dict[Id, list[Id]]
    aspects: dict[Id, dict[Id, float]]
    relevance: dict[Id, dict[Id, float]]
    history: dict[Id, set[Id]]
    subtopics: dict[Id, dict[Id, dict[Id, tuple[float, float]]]]
    weights: Mapping[Id, float] | Mapping[Id, Mapping[Id, float]] | None = None
    catalogue: list[Id] | None = None
    threshold: float = 1.0
    features: Mapping[Id, Sequence[float]] | None = None

    @cached_property
    def known_aspects(self) -> list[Id]:
        """All aspects of items, in order of first appearance."""
        return list(dict.fromkeys(aspect for has in self.aspects.values() for aspect in has))

    @cached_property
    def place_of_aspect(self) -> dict[Id, int]:
        """Aspects of items first, then those that only subtopics name, each in order of first appearance."""
        order = dict.fromkeys(self.known_aspects)
        for judged in self.subtopics.values():
            for has in judged.values():
                order.update(dict.fromkeys(has))
        return {aspect: place for place, aspect in enumerate(order)}

    @cached_property
    def seen_items(self) -> set[Id]:
        """Every item that any input names."""
        seen: set[Id] = set(self.aspects)
        for lists in (self.rankings, self.relevance, self.history, self.subtopics):
            for items in lists.values():
                seen.update(items)
        return seen | set(self.features or ()) | set(self.catalogue or ())

    def in_order(self, aspects: Iterable[Id]) -> list[Id]:
        return sorted(aspects, key=self.place_of_aspect.__getitem__)


# Judging


def relevant_items(world: PlainWorld, user: Id) -> list[Id]:
    return [item for item, grade in world.relevance.get(user, {}).items() if grade >= world.threshold]


def aspects_of_history(world: PlainWorld, user: Id) -> set[Id]:
    """H(u)."""
    return {aspect for item in world.history.get(user, ()) for aspect in world.aspects.get(item, {})}


def counted_aspects(world: PlainWorld, way: Way, user: Id, item: Id) -> dict[Id, float]:
    """J(u, d), each aspect with its strength, in order of first appearance."""
    if way == "subtopics":
        rows = world.subtopics.get(user, {}).get(item, {})
        has = {aspect: strength for aspect, (grade, strength) in rows.items() if grade >= 1}
    elif way == "history":
        wanted = aspects_of_history(world, user)
        has = {aspect: strength for aspect, strength in world.aspects.get(item, {}).items() if aspect in wanted}
    elif way == "relevance":
        has = world.aspects.get(item, {}) if item in relevant_items(world, user) else {}
    else:
        has = world.aspects.get(item, {})
    return {aspect: has[aspect] for aspect in world.in_order(has)}


def attainable_aspects(world: PlainWorld, way: Way, user: Id) -> list[Id]:
    """The aspects that can be had."""
    if way == "subtopics":
        rows = world.subtopics.get(user, {})
        return world.in_order({aspect for has in rows.values() for aspect, (grade, _) in has.items() if grade >= 1})
    if way == "history":
        return world.in_order(aspects_of_history(world, user))
    if way == "relevance":
        return world.in_order({aspect for item in relevant_items(world, user) for aspect in world.aspects.get(item, {})})
    return world.known_aspects


def wanted_aspects(world: PlainWorld, way: Way, user: Id) -> dict[Id, float]:
    """The attainable aspects with their weights."""
    weights: dict[Id, float] = {}
    for aspect in attainable_aspects(world, way, user):
        if world.weights is None:
            weights[aspect] = 1.0
        else:
            own = world.weights.get(user)
            given = own.get(aspect, 0.0) if isinstance(own, Mapping) else world.weights.get(aspect, 0.0)
            weights[aspect] = 0.0 if isinstance(given, Mapping) else given
    return weights


def is_judged(world: PlainWorld, way: Way, user: Id, item: Id) -> bool:
    """Whether anybody said anything about the item, be it that nothing counts."""
    if way == "subtopics":
        return item in world.subtopics.get(user, {})
    if way == "relevance":
        return item in world.relevance.get(user, {})
    return item in world.aspects


def pool_of(world: PlainWorld, way: Way, user: Id, pool: Pool | None) -> list[Id]:
    """The items an ideal list may choose from."""
    catalogue = list(world.seen_items) if world.catalogue is None else list(world.catalogue)
    if pool is None:
        pool = "judged" if way in ("subtopics", "relevance") else "catalogue"
    if pool == "list":
        return list(world.rankings.get(user, []))
    if pool == "catalogue":
        return catalogue
    if pool == "unseen":
        return [item for item in catalogue if item not in world.history.get(user, ())]
    if way == "subtopics":
        return list(world.subtopics.get(user, {}))
    if way == "relevance":
        return relevant_items(world, user)
    return list(world.relevance.get(user, {}))


def top(world: PlainWorld, way: Way, user: Id, k: int, unjudged: Unjudged = "keep") -> list[Id]:
    """The places of the list that count."""
    items = world.rankings.get(user, [])
    if unjudged == "condense":
        return cut([item for item in items if is_judged(world, way, user, item)], k)
    if unjudged == "drop":
        return [item for item in cut(items, k) if is_judged(world, way, user, item)]
    return cut(items, k)


def cut(items: Sequence[Id], k: int) -> list[Id]:
    return list(items) if k == -1 else list(items[:k])


def ratio(numerator: float, denominator: float) -> float:
    return UNDEFINED if denominator == 0 else numerator / denominator


# Gains


def gain_of(has: Mapping[Id, float], left: Mapping[Id, float], alpha: float, gamma: Gamma | None) -> float:
    """What an item gains when ``left`` is what is left of each aspect, combined from the smallest contribution to the largest."""
    if gamma is None:
        total = 0.0
        for gain in sorted(left[aspect] * strength for aspect, strength in has.items()):
            total += gain
        return total
    probabilities = gamma if isinstance(gamma, Mapping) else dict.fromkeys(has, gamma)
    missed = 1.0
    for miss in sorted(1.0 - probabilities[aspect] * alpha * strength * left[aspect] for aspect, strength in has.items()):
        missed *= miss
    return 1.0 - missed


def show(has: Mapping[Id, float], left: dict[Id, float], alpha: float) -> None:
    """Take from every aspect what a user who has now seen it wants less of it."""
    for aspect, strength in has.items():
        left[aspect] *= 1.0 - alpha * strength


def gains(shown: Iterable[Mapping[Id, float]], wanted: Mapping[Id, float], alpha: float, gamma: Gamma | None = None) -> list[float]:
    """G[1], G[2], ... of a list, given as the counted aspects of its items."""
    left = dict(wanted)
    found = []
    for has in shown:
        found.append(gain_of(has, left, alpha, gamma))
        show(has, left, alpha)
    return found


def greedy_gains(
    candidates: Mapping[Id, Mapping[Id, float]], wanted: Mapping[Id, float], alpha: float, gamma: Gamma | None, length: int
) -> list[float]:
    """G[1], G[2], ... of the list that takes the largest gain at each rank, and of exactly equal ones the largest id."""
    left = dict(wanted)
    waiting = sorted(candidates, key=sortable, reverse=True)
    found: list[float] = []
    while waiting and len(found) < length:
        best = waiting[0]
        for item in waiting[1:]:
            if gain_of(candidates[item], left, alpha, gamma) > gain_of(candidates[best], left, alpha, gamma):
                best = item
        found.append(gain_of(candidates[best], left, alpha, gamma))
        show(candidates[best], left, alpha)
        waiting.remove(best)
    return found


def sortable(item: Id) -> tuple[int, bytes]:
    """Numbers by value, text by its bytes."""
    return (0, item.encode()) if isinstance(item, str) else (item, b"")


def log2_discount(rank: int) -> float:
    return 1.0 / math.log2(1 + rank)


def discounted(found: Sequence[float], discount: Callable[[int], float]) -> float:
    return math.fsum(gain * discount(rank) for rank, gain in enumerate(found, 1))


def list_gains(
    world: PlainWorld, way: Way, user: Id, k: int, *, alpha: float, gamma: Gamma | None = None, unjudged: Unjudged = "keep"
) -> list[float]:
    shown = [counted_aspects(world, way, user, item) for item in top(world, way, user, k, unjudged)]
    return gains(shown, wanted_aspects(world, way, user), alpha, gamma)


def ideal_gains(
    world: PlainWorld, way: Way, user: Id, k: int, *, alpha: float, gamma: Gamma | None = None, pool: Pool | None = None
) -> list[float]:
    """Without a cutoff the ideal is as long as the pool."""
    candidates = {item: counted_aspects(world, way, user, item) for item in pool_of(world, way, user, pool)}
    return greedy_gains(candidates, wanted_aspects(world, way, user), alpha, gamma, len(candidates) if k == -1 else k)


# Metrics of aspects


def alpha_ndcg(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    alpha: float,
    judged_by: Way,
    gamma: Gamma | None = None,
    ideal: Literal["greedy", "sorted"] = "greedy",
    pool: Pool | None = None,
    unjudged: Unjudged = "keep",
) -> float:
    """A gamma makes the gain probabilistic."""
    found = list_gains(world, judged_by, user, k, alpha=alpha, gamma=gamma, unjudged=unjudged)
    reached = discounted(found, log2_discount)
    if ideal == "greedy":
        best = ideal_gains(world, judged_by, user, k, alpha=alpha, gamma=gamma, pool=pool)
        return ratio(reached, discounted(best, log2_discount))
    if not found or sum(wanted_aspects(world, judged_by, user).values()) == 0:
        return UNDEFINED
    best_order = discounted(sorted(found, reverse=True), log2_discount)
    return reached / best_order if best_order > 0 else 0.0


def alpha_dcg(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    alpha: float,
    judged_by: Way,
    gamma: Gamma | None = None,
    discount: Literal["log2", "none"] = "log2",
    normalize: Literal["perfect", "pyndeval"] | None = None,
    unjudged: Unjudged = "keep",
) -> float:
    total = sum(wanted_aspects(world, judged_by, user).values())
    if total == 0:
        return UNDEFINED
    factor = log2_discount if discount == "log2" else constant
    reached = discounted(list_gains(world, judged_by, user, k, alpha=alpha, gamma=gamma, unjudged=unjudged), factor)
    if normalize is None or (normalize == "pyndeval" and k == 1):
        return reached
    return reached / (total * perfect(alpha, factor, k, len(top(world, judged_by, user, k, unjudged))))


def constant(rank: int) -> float:
    return 1.0


def reciprocal(rank: int) -> float:
    return 1.0 / rank


def perfect(alpha: float, discount: Callable[[int], float], k: int, length: int) -> float:
    """What one aspect gains in a list that shows it at every rank; without a cutoff as long as the list, at least 1."""
    return discounted([(1.0 - alpha) ** place for place in range(max(length, 1) if k == -1 else k)], discount)


def aspect_recall(world: PlainWorld, user: Id, k: int, *, judged_by: Way, unjudged: Unjudged = "keep") -> float:
    wanted = wanted_aspects(world, judged_by, user)
    strongest: dict[Id, float] = {}
    for item in top(world, judged_by, user, k, unjudged):
        for aspect, strength in counted_aspects(world, judged_by, user, item).items():
            strongest[aspect] = max(strength, strongest.get(aspect, 0.0))
    return ratio(math.fsum(wanted[aspect] * strength for aspect, strength in strongest.items()), sum(wanted.values()))


def precision_ia(world: PlainWorld, user: Id, k: int, *, judged_by: Way, unjudged: Unjudged = "keep") -> float:
    """Counted pairs, each with weight and strength, over the ranks asked for; without a cutoff over the list, at least 1."""
    wanted = wanted_aspects(world, judged_by, user)
    shown = top(world, judged_by, user, k, unjudged)
    pairs = 0.0
    for item in shown:
        for aspect, strength in counted_aspects(world, judged_by, user, item).items():
            pairs += wanted[aspect] * strength
    return ratio(pairs, (max(len(shown), 1) if k == -1 else k) * sum(wanted.values()))


def map_ia(world: PlainWorld, user: Id, k: int, *, judged_by: Way, unjudged: Unjudged = "keep") -> float:
    wanted = wanted_aspects(world, judged_by, user)
    shown = [counted_aspects(world, judged_by, user, item) for item in top(world, judged_by, user, k, unjudged)]
    pool = [counted_aspects(world, judged_by, user, item) for item in pool_of(world, judged_by, user, None)]
    total = 0.0
    for aspect, weight in wanted.items():
        seen, precisions = 0, 0.0
        for rank, has in enumerate(shown, 1):
            if aspect in has:
                seen += 1
                precisions += seen / rank
        in_pool = sum(aspect in has for has in pool)
        if seen:
            total += weight * precisions / in_pool
    return ratio(total, sum(wanted.values()))


def nrbp(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    alpha: float,
    beta: float,
    judged_by: Way,
    normalize: Literal["ideal"] | None = None,
    pool: Pool | None = None,
    unjudged: Unjudged = "keep",
) -> float:
    def patience(rank: int) -> float:
        return beta ** (rank - 1)

    reached = discounted(list_gains(world, judged_by, user, k, alpha=alpha, unjudged=unjudged), patience)
    if normalize == "ideal":
        return ratio(reached, discounted(ideal_gains(world, judged_by, user, k, alpha=alpha, pool=pool), patience))
    return ratio((1 - (1 - alpha) * beta) * reached, sum(wanted_aspects(world, judged_by, user).values()))


def err_ia(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    stop: float,
    judged_by: Way,
    intents: Literal["uniform", "given", "counts"],
    grades: bool = False,
    max_grade: float | None = None,
    normalize: Literal["perfect", "pyndeval", "ideal"] | None = None,
    pool: Pool | None = None,
    unjudged: Unjudged = "keep",
) -> float:
    if grades:
        max_grade = largest_grade(world, judged_by) if max_grade is None else max_grade
        stop = (2**max_grade - 1) / 2**max_grade
    wanted = intents_of(world, judged_by, user, intents)
    total = sum(wanted.values())
    items = top(world, judged_by, user, k, unjudged)
    if normalize is None:
        score = 0.0
        going_on = dict.fromkeys(wanted, 1.0)
        for rank, item in enumerate(items, 1):
            for aspect, strength in counted_aspects(world, judged_by, user, item).items():
                grade = grade_of(world, judged_by, user, item, aspect)
                satisfied = strength * (stop if max_grade is None else (2**grade - 1) / 2**max_grade)
                score += wanted[aspect] * satisfied * going_on[aspect] / rank
                going_on[aspect] *= 1.0 - satisfied
        return ratio(score, total)

    # Below, every R is a share of the largest R there can be, which then cancels out.
    def shares(item: Id) -> dict[Id, float]:
        has = counted_aspects(world, judged_by, user, item)
        if max_grade is None:
            return has
        powers = {aspect: 2 ** grade_of(world, judged_by, user, item, aspect) for aspect in has}
        return {aspect: (powers[aspect] - 1) / (2**max_grade - 1) * strength for aspect, strength in has.items()}

    reached = discounted(gains([shares(item) for item in items], wanted, stop), reciprocal)
    if normalize == "ideal":
        candidates = {item: shares(item) for item in pool_of(world, judged_by, user, pool)}
        best = greedy_gains(candidates, wanted, stop, None, len(candidates) if k == -1 else k)
        return ratio(reached, discounted(best, reciprocal))
    if normalize == "pyndeval" and k == 1:
        return reached if total > 0 else UNDEFINED
    return ratio(reached, total * perfect(stop, reciprocal, k, len(items)))


def intents_of(world: PlainWorld, way: Way, user: Id, intents: Literal["uniform", "given", "counts"]) -> dict[Id, float]:
    """p(c|u) times any number."""
    if intents == "given":
        return wanted_aspects(world, way, user)
    if intents == "uniform":
        return dict.fromkeys(attainable_aspects(world, way, user), 1.0)
    counts = dict.fromkeys(world.known_aspects, 0.0)
    for item in world.history.get(user, set()) | set(relevant_items(world, user)):
        for aspect in world.aspects.get(item, {}):
            counts[aspect] += 1.0
    return counts if any(counts.values()) else dict.fromkeys(counts, 1.0)


def grade_of(world: PlainWorld, way: Way, user: Id, item: Id, aspect: Id) -> float:
    if way == "subtopics":
        return world.subtopics[user][item][aspect][0]
    return world.relevance[user][item] if way == "relevance" else 1.0


def largest_grade(world: PlainWorld, way: Way) -> float:
    if way == "subtopics":
        given = [grade for judged in world.subtopics.values() for has in judged.values() for grade, _ in has.values()]
    else:
        given = [grade for graded in world.relevance.values() for grade in graded.values()]
    return max(given, default=1.0)


# Metrics of grades


def graded_gain(grade: float, gain: Literal["linear", "exponential"]) -> float:
    grade = max(grade, 0.0)
    return grade if gain == "linear" else 2**grade - 1


def dcg_terms(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    gain: Literal["linear", "exponential"],
    base: float,
    ideal: Literal["truth", "list"] = "truth",
) -> tuple[float, float]:
    """DCG and ideal DCG."""

    def discount(rank: int) -> float:
        return 1.0 / math.log(1 + rank, base)

    truth = world.relevance.get(user, {})
    found = [graded_gain(truth.get(item, 0.0), gain) for item in cut(world.rankings.get(user, []), k)]
    every = sorted((graded_gain(grade, gain) for grade in truth.values()), reverse=True)
    best = sorted(found, reverse=True) if ideal == "list" else every if k == -1 else every[:k]
    return discounted(found, discount), discounted(best, discount)


def has_positive_grade(world: PlainWorld, user: Id) -> bool:
    return any(grade > 0 for grade in world.relevance.get(user, {}).values())


def ndcg(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    gain: Literal["linear", "exponential"],
    base: float,
    ideal: Literal["truth", "list"],
) -> float:
    if not has_positive_grade(world, user):
        return UNDEFINED
    reached, best = dcg_terms(world, user, k, gain=gain, base=base, ideal=ideal)
    return reached / best if best > 0 else 0.0


def dcg(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    gain: Literal["linear", "exponential"],
    base: float,
    discount: Literal["log", "none"],
) -> float:
    if not has_positive_grade(world, user):
        return UNDEFINED
    if discount == "log":
        return dcg_terms(world, user, k, gain=gain, base=base)[0]
    truth = world.relevance.get(user, {})
    return math.fsum(graded_gain(truth.get(item, 0.0), gain) for item in cut(world.rankings.get(user, []), k))


def precision(world: PlainWorld, user: Id, k: int) -> float:
    """Over the ranks asked for; without a cutoff over the list, at least 1."""
    relevant = relevant_items(world, user)
    shown = cut(world.rankings.get(user, []), k)
    if not relevant:
        return UNDEFINED
    return sum(item in relevant for item in shown) / (max(len(shown), 1) if k == -1 else k)


def unseen_share(world: PlainWorld, user: Id, k: int) -> float:
    shown = cut(world.rankings.get(user, []), k)
    return ratio(sum(item not in world.history.get(user, []) for item in shown), len(shown))


def recall(world: PlainWorld, user: Id, k: int) -> float:
    relevant = relevant_items(world, user)
    return ratio(sum(item in relevant for item in cut(world.rankings.get(user, []), k)), len(relevant))


def average_precision(world: PlainWorld, user: Id, k: int) -> float:
    relevant = relevant_items(world, user)
    shown = cut(world.rankings.get(user, []), k)
    precisions = [sum(earlier in relevant for earlier in shown[:rank]) / rank for rank, item in enumerate(shown, 1) if item in relevant]
    return ratio(math.fsum(precisions), len(relevant))


# Metrics of features and of the whole system

Distance = Literal["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming"]


def distance_between(a: Sequence[float], b: Sequence[float], distance: Distance) -> float:
    if distance == "cosine":
        lengths = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(y * y for y in b))
        return 1.0 - math.fsum(x * y for x, y in zip(a, b, strict=True)) / lengths
    if distance == "hamming":
        return sum(x != y for x, y in zip(a, b, strict=True)) / len(a)
    if distance == "jaccard":
        mine, theirs = ({place for place, x in enumerate(vector) if x != 0} for vector in (a, b))
        return 1.0 - len(mine & theirs) / len(mine | theirs)
    squares = math.fsum((x - y) ** 2 for x, y in zip(a, b, strict=True))
    return squares if distance == "squared_euclidean" else math.sqrt(squares)


def intra_list_diversity(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    distance: Distance,
    pairs: Literal["distinct", "all"] = "distinct",
    featureless: Literal["skip", "near", "undefined"] = "skip",
    single: Literal["undefined", "zero"] = "undefined",
) -> float:
    return diversity_and_length(world, user, k, distance=distance, pairs=pairs, featureless=featureless, single=single)[0]


def diversity_and_length(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    distance: Distance,
    pairs: Literal["distinct", "all"],
    featureless: Literal["skip", "near", "undefined"],
    single: Literal["undefined", "zero"],
) -> tuple[float, int]:
    """The score, and how many items it stands on."""
    features = world.features or {}
    items = cut(world.rankings.get(user, []), k)
    zero = [item for item in items if item in features and distance in ("cosine", "jaccard") and not any(features[item])]
    usable = [item for item in items if item in features and item not in zero]
    if featureless == "undefined" and zero:
        return UNDEFINED, 0
    total = 0.0
    for place, item in enumerate(usable):
        for other in usable[:place]:
            total += distance_between(features[item], features[other], distance)
    n = len(items) if featureless == "near" else len(usable)
    if pairs == "all":
        return ratio(2 * total, n * n), n
    if n == 1 and single == "zero":
        return 0.0, n
    return ratio(total, n * (n - 1) / 2), n


def gini_complement(world: PlainWorld, k: int, *, empty: float = UNDEFINED) -> float:
    """Items outside the catalogue are left out. Exact until the last division."""
    catalogue = world.seen_items if world.catalogue is None else set(world.catalogue)
    counts = dict.fromkeys(catalogue, 0)
    for items in world.rankings.values():
        for item in cut(items, k):
            if item in counts:
                counts[item] += 1
    return complement_of_gini(counts.values(), empty)


def complement_of_gini(counts: Iterable[int], empty: float) -> float:
    """Of how often each item that could be recommended was."""
    ascending = sorted(counts)
    n, total = len(ascending), sum(ascending)
    if total == 0:
        return empty
    if n < 2:
        return UNDEFINED
    unevenness = sum(Fraction((2 * place - n - 1) * count, total) for place, count in enumerate(ascending, 1))
    return float(1 - unevenness / (n - 1))


# Novelty


EpcDiscount = Literal["log", "none", "reciprocal", "geometric"]
EpcRelevance = Literal["binary", "graded", "none"]


def epc_terms(world: PlainWorld, user: Id, k: int, *, discount: EpcDiscount, relevance: EpcRelevance) -> tuple[float, float]:
    """Discounted novelty of the top of the list, and the sum of the discounts."""
    factors = {"log": log2_discount, "none": constant, "reciprocal": reciprocal, "geometric": lambda rank: 0.85 ** (rank - 1)}
    knowing = [items for items in world.history.values() if items]
    largest = largest_grade(world, "relevance")
    relevant = relevant_items(world, user)

    def probability(item: Id) -> float:
        if relevance == "none":
            return 1.0
        if relevance == "binary":
            return float(item in relevant)
        return (2 ** max(world.relevance.get(user, {}).get(item, 0.0), 0.0) - 1) / 2 ** (largest if largest > 0 else 1.0)

    def novelty(item: Id) -> float:
        return 1.0 - sum(item in items for items in knowing) / max(len(knowing), 1)

    shown = cut(world.rankings.get(user, []), k)
    gained = discounted([probability(item) * novelty(item) for item in shown], factors[discount])
    return gained, discounted([1.0] * len(shown), factors[discount])


def epc(world: PlainWorld, user: Id, k: int, *, discount: EpcDiscount, relevance: EpcRelevance) -> float:
    if relevance != "none" and not relevant_items(world, user):
        return UNDEFINED
    return ratio(*epc_terms(world, user, k, discount=discount, relevance=relevance))
