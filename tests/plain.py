"""The definitions in plain Python: dictionaries and loops, slow and obvious. The tests compare the library with them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

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
    groups: Mapping[Id, Mapping[Id, float]] | None = None
    popularity: Mapping[Id, int] | None = None
    baseline: Mapping[Id, Sequence[Id]] | None = None
    graph: Sequence[tuple[Id, Id]] | None = None
    lengths: Mapping[Id, int] | None = None

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
        for listed in (self.baseline or {}).values():
            seen.update(listed)
        seen.update(person for link in self.graph or () for person in link)
        return seen | {
            item for input in (self.features, self.catalogue, self.groups, self.popularity, self.lengths) for item in input or ()
        }

    @cached_property
    def known_items(self) -> set[Id]:
        """Every item that any input but the lists names."""
        return replace(self, rankings={}).seen_items

    @cached_property
    def users_of(self) -> Mapping[Id, int]:
        """How many users had each item; items that nobody had are not in it."""
        if self.popularity is not None:
            return Counter({item: count for item, count in self.popularity.items() if count})
        return Counter(item for items in self.history.values() for item in items)

    @cached_property
    def n_knowing(self) -> int:
        """How many users had any item."""
        return 10 if self.popularity is not None else sum(bool(items) for items in self.history.values())

    def in_order(self, aspects: Iterable[Id]) -> list[Id]:
        return sorted(aspects, key=self.place_of_aspect.__getitem__)


# Judging


def relevant_items(world: PlainWorld, user: Id, level: float | None = None) -> list[Id]:
    """From a level on; by default from the threshold."""
    least = world.threshold if level is None else level
    return [item for item, grade in world.relevance.get(user, {}).items() if grade >= least]


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
    """Grades are exponential, and the largest is the same for all intents; see ``err_ia_of_grades`` for others."""
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


def err_ia_of_grades(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    judged_by: Way,
    linear: bool,
    max_grade: float | None = None,
    ideal: bool = False,
    unjudged: Unjudged = "keep",
) -> float:
    """R is g / (g_max + 1) or (2^g - 1) / 2^g_max; without a ``max_grade``, that of each intent."""
    judged = pool_of(world, judged_by, user, "judged")
    largest: dict[Id, float] = {}
    for item in judged:
        for aspect in counted_aspects(world, judged_by, user, item):
            largest[aspect] = max(largest.get(aspect, 0.0), grade_of(world, judged_by, user, item, aspect))

    def satisfied(item: Id) -> dict[Id, float]:
        found = {}
        for aspect, strength in counted_aspects(world, judged_by, user, item).items():
            grade, most = grade_of(world, judged_by, user, item, aspect), largest[aspect] if max_grade is None else max_grade
            found[aspect] = strength * (grade / (most + 1) if linear else (2**grade - 1) / 2**most)
        return found

    wanted = wanted_aspects(world, judged_by, user)
    reached = discounted(gains([satisfied(item) for item in top(world, judged_by, user, k, unjudged)], wanted, 1.0), reciprocal)
    if not ideal:
        return ratio(reached, sum(wanted.values()))
    best = greedy_gains({item: satisfied(item) for item in judged}, wanted, 1.0, None, len(judged) if k == -1 else k)
    return ratio(reached, discounted(best, reciprocal))


def intent_gains(world: PlainWorld, way: Way, user: Id, item: Id, gain: Literal["linear", "exponential"]) -> dict[Id, float]:
    """g_c(d): the grade of an item for each aspect, times the strength of the judgment."""
    has = counted_aspects(world, way, user, item)
    return {aspect: graded_gain(grade_of(world, way, user, item, aspect), gain) * strength for aspect, strength in has.items()}


def intent_pool(world: PlainWorld, way: Way, user: Id, gain: Literal["linear", "exponential"]) -> list[dict[Id, float]]:
    return [intent_gains(world, way, user, item, gain) for item in pool_of(world, way, user, None)]


def d_ndcg(
    world: PlainWorld, user: Id, k: int, *, judged_by: Way, gain: Literal["linear", "exponential"], unjudged: Unjudged = "keep"
) -> float:
    wanted = wanted_aspects(world, judged_by, user)

    def global_gain(gains: Mapping[Id, float]) -> float:
        return math.fsum(wanted[aspect] * value for aspect, value in gains.items())

    shown = [global_gain(intent_gains(world, judged_by, user, item, gain)) for item in top(world, judged_by, user, k, unjudged)]
    best = sorted(map(global_gain, intent_pool(world, judged_by, user, gain)), reverse=True)
    return ratio(discounted(shown, log2_discount), discounted(best if k == -1 else best[:k], log2_discount))


def d_sharp_ndcg(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    judged_by: Way,
    gain: Literal["linear", "exponential"],
    gamma: float,
    unjudged: Unjudged = "keep",
) -> float:
    ndcg = d_ndcg(world, user, k, judged_by=judged_by, gain=gain, unjudged=unjudged)
    shown = [counted_aspects(world, judged_by, user, item) for item in top(world, judged_by, user, k, unjudged)]
    attainable = attainable_aspects(world, judged_by, user)
    recall = ratio(len({aspect for has in shown for aspect in has}), len(attainable))
    return UNDEFINED if math.isnan(ndcg) else gamma * recall + (1 - gamma) * ndcg


def total_of_intents(world: PlainWorld, way: Way, user: Id, unattainable: Literal["lost", "skip"]) -> float:
    """The sum of the P(c|u) that weights stand for; 0 if nothing can be had."""
    wanted = math.fsum(wanted_aspects(world, way, user).values())
    if wanted == 0 or world.weights is None or unattainable == "skip":
        return wanted
    of_each_user = any(isinstance(weight, Mapping) for weight in world.weights.values())
    own: Mapping[Id, object] = world.weights
    if of_each_user:
        given = world.weights.get(user, {})
        own = given if isinstance(given, Mapping) else {}
    return math.fsum(weight for weight in own.values() if isinstance(weight, float))


def mrr_ia(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    judged_by: Way,
    unattainable: Literal["lost", "skip"] = "lost",
    unjudged: Unjudged = "keep",
) -> float:
    shown = [counted_aspects(world, judged_by, user, item) for item in top(world, judged_by, user, k, unjudged)]
    terms = []
    for aspect, weight in wanted_aspects(world, judged_by, user).items():
        ranks = [rank for rank, has in enumerate(shown, 1) if aspect in has]
        terms.append(weight / min(ranks) if ranks else 0.0)
    return ratio(math.fsum(terms), total_of_intents(world, judged_by, user, unattainable))


def ndcg_ia(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    judged_by: Way,
    gain: Literal["linear", "exponential"],
    unattainable: Literal["lost", "skip"] = "lost",
    unjudged: Unjudged = "keep",
) -> float:
    shown = [intent_gains(world, judged_by, user, item, gain) for item in top(world, judged_by, user, k, unjudged)]
    pool = intent_pool(world, judged_by, user, gain)
    terms = []
    for aspect, weight in wanted_aspects(world, judged_by, user).items():
        best = sorted((gains.get(aspect, 0.0) for gains in pool), reverse=True)
        ideal = discounted(best if k == -1 else best[:k], log2_discount)
        if ideal > 0:
            terms.append(weight * discounted([gains.get(aspect, 0.0) for gains in shown], log2_discount) / ideal)
    return ratio(math.fsum(terms), total_of_intents(world, judged_by, user, unattainable))


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


def binary_ndcg(world: PlainWorld, user: Id, k: int, *, base: float, ideal: Literal["truth", "list", "perfect"]) -> float:
    """Items are relevant or not, from the threshold on."""
    relevant, items = relevant_items(world, user), world.rankings.get(user, [])
    if not relevant:
        return UNDEFINED
    found = [float(item in relevant) for item in cut(items, k)]
    depth = max(len(items), 1) if k == -1 else k
    n_best = {"truth": len(relevant) if k == -1 else min(k, len(relevant)), "list": int(sum(found)), "perfect": depth}[ideal]

    def discount(rank: int) -> float:
        return 1.0 / math.log(1 + rank, base)

    return discounted(found, discount) / discounted([1.0] * n_best, discount) if n_best else 0.0


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


def precision(world: PlainWorld, user: Id, k: int, rel: float | None = None) -> float:
    """Over the ranks asked for; without a cutoff over the list, at least 1."""
    relevant = relevant_items(world, user, rel)
    shown = cut(world.rankings.get(user, []), k)
    if not relevant:
        return UNDEFINED
    return sum(item in relevant for item in shown) / (max(len(shown), 1) if k == -1 else k)


def unseen_share(world: PlainWorld, user: Id, k: int) -> float:
    shown = cut(world.rankings.get(user, []), k)
    return ratio(sum(item not in world.history.get(user, []) for item in shown), len(shown))


def recall(world: PlainWorld, user: Id, k: int, rel: float | None = None) -> float:
    relevant = relevant_items(world, user, rel)
    return ratio(sum(item in relevant for item in cut(world.rankings.get(user, []), k)), len(relevant))


def average_precision(
    world: PlainWorld, user: Id, k: int, rel: float | None = None, denominator: Literal["relevant", "attainable", "k"] = "relevant"
) -> float:
    relevant, items = relevant_items(world, user, rel), world.rankings.get(user, [])
    shown, depth = cut(items, k), max(len(items), 1) if k == -1 else k
    precisions = [sum(earlier in relevant for earlier in shown[:rank]) / rank for rank, item in enumerate(shown, 1) if item in relevant]
    attainable = len(relevant) if k == -1 else min(k, len(relevant))
    divisors = {"relevant": len(relevant), "attainable": attainable, "k": depth if relevant else 0}
    return ratio(math.fsum(precisions), divisors[denominator])


def hit_rate(world: PlainWorld, user: Id, k: int, rel: float | None = None) -> float:
    relevant = relevant_items(world, user, rel)
    if not relevant:
        return UNDEFINED
    return 1.0 if any(item in relevant for item in cut(world.rankings.get(user, []), k)) else 0.0


def reciprocal_rank(world: PlainWorld, user: Id, k: int, rel: float | None = None) -> float:
    relevant = relevant_items(world, user, rel)
    if not relevant:
        return UNDEFINED
    for rank, item in enumerate(cut(world.rankings.get(user, []), k), 1):
        if item in relevant:
            return 1 / rank
    return 0.0


def r_precision(world: PlainWorld, user: Id, k: int, rel: float | None = None, top: Literal["relevant", "k"] = "relevant") -> float:
    relevant = relevant_items(world, user, rel)
    shown = cut(world.rankings.get(user, []), k)
    if top == "relevant":
        return ratio(sum(item in relevant for item in shown[: len(relevant)]), len(relevant))
    return ratio(sum(item in relevant for item in shown), len(relevant) if k == -1 else min(k, len(relevant)))


def rbp(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    p: float,
    rel: float | None = None,
    gain: Literal["binary", "linear"] = "binary",
    normalize: bool = False,
) -> float:
    truth = world.relevance.get(user, {})
    if gain == "linear":
        gains = {item: max(grade, 0.0) for item, grade in truth.items()}
    else:
        gains = {item: float(item in relevant_items(world, user, rel)) for item in truth}
    if not any(gains.values()):
        return UNDEFINED
    reached = math.fsum(gains.get(item, 0.0) * p**place for place, item in enumerate(cut(world.rankings.get(user, []), k)))
    best = sorted(gains.values(), reverse=True)
    best = best if k == -1 else best[:k]
    return reached / math.fsum(gain * p**place for place, gain in enumerate(best)) if normalize else (1 - p) * reached


# Metrics of features and of the whole system

Distance = Literal["cosine", "squared_euclidean", "euclidean", "jaccard", "hamming"]
PairDistance = Distance | Literal["differing"]


def distance_between(a: Sequence[float], b: Sequence[float], distance: PairDistance) -> float:
    if distance == "cosine":
        lengths = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(y * y for y in b))
        return 1.0 - math.fsum(x * y for x, y in zip(a, b, strict=True)) / lengths
    if distance == "differing":
        return float(sum(x != y for x, y in zip(a, b, strict=True)))
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
    distance: PairDistance,
    pairs: Literal["distinct", "all"] = "distinct",
    featureless: Literal["skip", "near", "undefined"] = "skip",
    single: Literal["undefined", "zero", "short"] = "undefined",
) -> float:
    return diversity_and_length(world, user, k, distance=distance, pairs=pairs, featureless=featureless, single=single)[0]


def diversity_and_length(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    distance: PairDistance,
    pairs: Literal["distinct", "all"],
    featureless: Literal["skip", "near", "undefined"],
    single: Literal["undefined", "zero", "short"],
) -> tuple[float, int]:
    """The score, and how many items it stands on."""
    features = world.features or {}
    items = cut(world.rankings.get(user, []), k)
    zero = [item for item in items if item in features and distance in ("cosine", "jaccard") and not any(features[item])]
    usable = [item for item in items if item in features and item not in zero]
    if len(items) == 1 and single == "short":
        return 0.0, len(usable)
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


def epc_terms(
    world: PlainWorld,
    user: Id,
    k: int,
    *,
    discount: EpcDiscount,
    relevance: EpcRelevance,
    over: Literal["list", "k"] = "list",
    patience: float = 0.85,
    novelty: Callable[[int], float] | None = None,
) -> tuple[float, float]:
    """Discounted novelty of the top of the list, and the sum of the discounts; `novelty` is that of an item that so many users had."""
    factors = {"log": log2_discount, "none": constant, "reciprocal": reciprocal, "geometric": lambda rank: patience ** (rank - 1)}
    largest = largest_grade(world, "relevance")
    relevant = relevant_items(world, user)

    def probability(item: Id) -> float:
        if relevance == "none":
            return 1.0
        if relevance == "binary":
            return float(item in relevant)
        return (2 ** max(world.relevance.get(user, {}).get(item, 0.0), 0.0) - 1) / 2 ** (largest if largest > 0 else 1.0)

    def novel(item: Id) -> float:
        users = world.users_of.get(item, 0)
        return 1.0 - users / max(world.n_knowing, 1) if novelty is None else novelty(users)

    shown = cut(world.rankings.get(user, []), k)
    gained = discounted([probability(item) * novel(item) for item in shown], factors[discount])
    return gained, discounted([1.0] * (k if over == "k" and k > 0 else max(len(shown), over == "k")), factors[discount])


def epc(world: PlainWorld, user: Id, k: int, *, relevance: EpcRelevance, over: Literal["list", "k"] = "list", **ways: Any) -> float:
    if (relevance != "none" and not relevant_items(world, user)) or (over == "k" and user not in world.rankings):
        return UNDEFINED
    return ratio(*epc_terms(world, user, k, relevance=relevance, over=over, **ways))


def list_mean(world: PlainWorld, user: Id, k: int, value: Callable[[Id], float | None], *, over: Literal["list", "k"] = "list") -> float:
    """The mean over the top of the list of a value per item, without items that have none; users without a list have no score."""
    if user not in world.rankings:
        return UNDEFINED
    shown = cut(world.rankings[user], k)
    values = [found for item in shown if (found := value(item)) is not None]
    return ratio(math.fsum(values), (k if k > 0 else max(len(shown), 1)) if over == "k" else len(values))


# Distributions over aspects

Share = Literal["item", "pair"]


def rank_weight(discount: str, patience: float, rank: int) -> float:
    """D(j)."""
    weights: dict[str, Callable[[], float]] = {
        "none": lambda: 1.0,
        "log": lambda: 1 / math.log2(1 + rank),
        "reciprocal": lambda: 1 / rank,
        "geometric": lambda: patience ** (rank - 1),
        "clipped": lambda: 1 / math.log2(max(rank, 2)),
    }
    return weights[discount]()


def aspect_sums(world: PlainWorld, weighted: Iterable[tuple[Id, float]], share: Share) -> dict[Id, float]:
    """What items with weights have of each aspect."""
    terms: dict[Id, list[float]] = {}
    for item, weight in weighted:
        has = world.aspects.get(item, {})
        whole = math.fsum(has.values()) if share == "item" else 1.0
        for aspect, strength in has.items():
            terms.setdefault(aspect, []).append(weight * strength / whole)
    return {aspect: total for aspect, several in terms.items() if (total := math.fsum(several)) > 0}


def normalised(sums: Mapping[Id, float]) -> dict[Id, float]:
    total = math.fsum(sums.values())
    return {aspect: value / total for aspect, value in sums.items()}


def sums_of_list(
    world: PlainWorld, user: Id, k: int, share: Share = "item", discount: str = "none", patience: float = 0.85
) -> dict[Id, float]:
    shown = cut(world.rankings.get(user, []), k)
    return aspect_sums(world, [(item, rank_weight(discount, patience, rank)) for rank, item in enumerate(shown, 1)], share)


def shares_of_history(world: PlainWorld, user: Id, share: Share = "item") -> dict[Id, float]:
    return normalised(aspect_sums(world, [(item, 1.0) for item in world.history.get(user, ())], share))


def shares_of_catalogue(world: PlainWorld, share: Share = "item") -> dict[Id, float]:
    items = world.aspects if world.catalogue is None else world.catalogue
    return normalised(aspect_sums(world, [(item, 1.0) for item in items], share))


def divergence(
    p: Mapping[Id, float], q: Mapping[Id, float], kind: str, alpha: float = 0.01, mixed: str = "list", base: float | str = 2.0
) -> float:
    """Of q from p; undefined if either is empty."""
    if not p or not q:
        return UNDEFINED
    pairs = [(p.get(aspect, 0.0), q.get(aspect, 0.0)) for aspect in {**p, **q}]
    if mixed == "both":
        pairs = [((1 - alpha) * one + alpha * other, (1 - alpha) * other + alpha * one) for one, other in pairs]
    elif kind == "kl":
        pairs = [(one, (1 - alpha) * other + alpha * one) for one, other in pairs]

    def relative(several: Iterable[tuple[float, float]]) -> float:
        return math.fsum(one * math.log(one / other) for one, other in several if one > 0) / math.log(math.e if base == "e" else base)  # type: ignore[arg-type]

    if kind == "kl":
        return relative(pairs)
    if kind == "hellinger":
        return math.sqrt(math.fsum((math.sqrt(one) - math.sqrt(other)) ** 2 for one, other in pairs) / 2)
    if kind == "tv":
        return math.fsum(abs(one - other) for one, other in pairs) / 2
    js = (relative((one, (one + other) / 2) for one, other in pairs) + relative((other, (one + other) / 2) for one, other in pairs)) / 2
    return js if kind == "js" else math.sqrt(max(js, 0.0))
