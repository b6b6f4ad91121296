"""Recommended contacts against a social network: train links, test links, communities, features."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aspectrum.api import evaluate_one, labelled, side_by_side
from aspectrum.coding.reading import Duplicates, Order, Ties
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.contacts.cleaning import Keepable
from aspectrum.contacts.network import Network
from aspectrum.contacts.texts import Of, Weighting
from aspectrum.conventions import CONVENTIONS, Convention, conventions_named
from aspectrum.diagnostics.notices import CONTACTS, Notice, Option, parts
from aspectrum.documentation import needed_inputs
from aspectrum.errors import InputError, MetricError, MissingInput
from aspectrum.metric import Metric, parse
from aspectrum.metrics import IntraListDiversity
from aspectrum.plan import PLAN_OPTIONS, Plan, Progress, is_enough
from aspectrum.results import Results, SystemResults

DEFAULT_METRICS = ("Community recall", "ERRIA", "ILD", "Predicted Gini complement", "nDCG", "Precision", "Recall", "MAP")
"""What RELISON measures of recommended contacts, but for its novelty."""

_ITEM_INPUTS = {"train": "history", "test": "relevance", "communities": "aspects", "features": "features", "texts": "features"}


def as_items(given: Iterable[str]) -> list[str]:
    """What inputs of a social network are in an evaluation of any lists: candidates are items, communities aspects."""
    return list(dict.fromkeys(_ITEM_INPUTS[name] for name in given if name in _ITEM_INPUTS))


def default_metrics(given: Iterable[str], cutoffs: str = "10") -> list[Metric]:
    """The usual metrics that the inputs allow, at some cutoffs.

    >>> [str(metric) for metric in default_metrics(["train", "communities"])]
    ['AspectRecall@10', 'GiniComplement@10']
    """
    inputs = as_items(given)
    published = _for_contacts(CONVENTIONS["published"])
    return [metric for metric in (parse(f"{name}@{cutoffs}") for name in DEFAULT_METRICS) if is_enough(inputs, metric, published)]


def evaluate(
    recommendations: Any,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    train: Any,
    test: Any = None,
    communities: Any = None,
    features: Any = None,
    texts: Any = None,
    texts_of: Of = "own",
    weighting: Weighting | None = None,
    directed: bool | None = None,
    weighted: bool = False,
    keep: Iterable[Keepable] | Keepable = (),
    users: str | Iterable[Hashable] | None = None,
    convention: str | Convention | None = None,
    order: Order = "input",
    ties: Ties | None = None,
    duplicates: Duplicates = "error",
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    progress: Progress | None = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
) -> Results:
    """Measure the contacts that a system recommends to the users of a social network.

    The users are those of the train graph. Recommendations to anybody else are left out. A candidate who is not in the train
    graph keeps the rank, with the communities and features given, but could not have been found, and is left out of the Gini
    complement. The notes of the result count all that.

    Args:
        recommendations: Rows (user, candidate[, score]), best first as they stand: the path of a file, a frame, a
            :class:`aspectrum.Source`, ``{user: [candidates]}``, or rows.
        metrics: As for :func:`aspectrum.evaluate`. Default: RELISON's metrics that the inputs allow, at 10.
        train: The network that was known: anything that :func:`read_graph` takes.
        test: The links that were to be found, in the same forms. Left out: links with an end outside the train graph, links
            to oneself, links that the train graph has, and links whose reverse it has; unless `keep` says otherwise.
        communities: Rows (user, community), ``{user: community}``, ``{user: [communities]}`` or :class:`Communities`.
        features: Rows (user, feature[, value]), vectors, or a :class:`TextIndex`; as for :func:`aspectrum.evaluate`.
        texts: Rows (user, text), from which features are made by :func:`index_texts`.
        texts_of: Whose texts a user is known by: ``own``, ``followees``, ``followers`` or ``all``.
        weighting: How terms of texts are weighted. Default: as the convention does.
        directed: Whether the graph is directed. Default: as the graph says; an edge list is directed.
        weighted: Whether the weights of test links are grades (for nDCG); those of a link that is repeated add up. Every link
            counts as relevant all the same.
        keep: Test links not to leave out: any of ``strangers``, ``self``, ``known``, ``reciprocal``. With strangers, users of
            the test graph are users; with self, links to oneself also stay in the train graph; a link that is kept as known
            is not left out as reciprocal.
        users: Who is averaged, as for :func:`aspectrum.evaluate`. Default: as the convention says.
        convention: ``"published"`` (default) or ``"relison"``: that program's numbers.
        order: What orders a list. Default: its rows as they stand, which is what RELISON does.

    Raises:
        InputError: An input is wrong; or nobody who is recommended, gets recommendations, has communities or features is a user
            of the train graph; or no test link is left.

    Examples:
        >>> import aspectrum as asp
        >>> result = asp.contacts.evaluate(
        ...     {"u": ["a", "b", "c"]},
        ...     ["ERRIA@3", "Community recall@2,3"],
        ...     train={"u": ["d"], "a": ["b"], "b": ["c"]},
        ...     test={"u": ["a", "b", "c"]},
        ...     communities={"a": 0, "b": 0, "c": 1, "d": 2},
        ...     convention="relison",
        ...     users=["u"],
        ... )
        >>> round(result["ERRIA@3"], 6), round(result["Community recall@3"], 4)
        (0.354167, 0.6667)
    """
    options = dict(locals())
    if len(contact_conventions(convention)) > 1:
        raise InputError(f"convention is {convention!r}, which gives two results: use contacts.evaluate_systems")
    return evaluate_one(evaluate_systems, "recommendations", options)


def evaluate_systems(
    systems: Mapping[str, Any],
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    convention: str | Convention | None = None,
    texts_of: Of = "own",
    weighting: Weighting | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    weighted: bool = False,
    order: Order = "input",
    ties: Ties | None = None,
    duplicates: Duplicates = "error",
    **network: Any,
) -> SystemResults:
    """Measure the contacts that several systems recommend; everything else is read once.

    Args:
        systems: Recommendations of each system, by name.
        convention: As for :func:`evaluate`; ``"both"`` computes every system twice, by the published definitions and as RELISON
            does, side by side.
        progress: Called with the name of a system, its users done and its users in all.

    All other arguments are those of :func:`evaluate`.

    Examples:
        >>> import aspectrum as asp
        >>> train, communities = {"u": ["a", "b"], "v": ["a"]}, {"u": 0, "v": 0, "a": 1, "b": 1}
        >>> lists = {"near": {"u": ["v"], "v": ["b"]}, "far": {"v": ["u"]}}
        >>> print(asp.contacts.evaluate_systems(lists, "CommunityRecall@1", train=train, communities=communities, convention="both"))
        Metric          near (published)  near (relison)  far (published)  far (relison)
        --------------  ----------------  --------------  ---------------  -------------
        AspectRecall@1            0.5000          0.2500           0.5000         0.1250
    """
    conventions = contact_conventions(convention)
    chosen = {name: network.pop(name) for name in PLAN_OPTIONS if name in network}
    given = [name for name, value in network.items() if value is not None]
    if "texts" not in given and (texts_of != "own" or weighting is not None):
        raise InputError("texts_of and weighting need texts")
    if "test" not in given and weighted:
        raise InputError("weighted needs test links")
    if ties is not None and order == "input":
        raise InputError("ties need order='score' or 'rank': input order has no ties")
    asked = default_metrics(given) if metrics is None else metrics
    read = [parse(metric) if isinstance(metric, str) else metric for metric in ([asked] if isinstance(asked, str | Metric) else asked)]
    for one in conventions:
        _check_inputs(read, given, one)
    users = chosen.get("users")
    named = users is not None and not isinstance(users, str)
    read_network = Network(systems, users=users if named else None, **network)
    of_links = read_network.notices_on_links()  # what makes numbers meaningless is an error here
    if named:
        chosen["users"] = read_network.chosen_users()
    options = {"order": order, "users_in_one_block": order == "input", "ties": ties, "duplicates": duplicates}
    found = {}
    for one in conventions:
        features, of_features = _features(read_network, one, read, given, texts_of, weighting)
        truth = read_network.truth(one, features=features, weighted=weighted, **options)
        plan = Plan(read, truth, convention=one, **chosen)
        lists = {system: plan.lists(read_network.lists(system)) for system in systems}
        of_weights = [Notice("weighted")] if weighted else []
        notices = [*of_links, *of_weights, *of_features, *read_network.notices_on(truth, lists.values())]
        results = plan.evaluate(lists, labelled(progress, one, conventions))
        found[one.name] = SystemResults(results, tuple(dict.fromkeys(notices)), CONTACTS)
    return side_by_side(found)


def _features(
    network: Network, convention: Convention, metrics: Iterable[Metric], given: Iterable[str], texts_of: Of, weighting: Weighting | None
) -> tuple[Rows | None, list[Notice]]:
    """Features that were not given, and what to say of them."""
    as_relison = convention.name == "relison"
    if "texts" in given:
        weighed = weighting or ("relison" if as_relison else "tf-idf")
        return network.text_features(texts_of, weighed), [Notice("text_features", detail={"texts_of": texts_of, "weighting": weighed})]
    if "features" in given or not as_relison:
        return None, []
    none = Rows("features", {"item": IdColumn(np.empty(0, np.int32), [])}, matrix=np.empty((0, 1)))
    return none, [Notice("no_features")] if any(type(metric) is IntraListDiversity for metric in metrics) else []


def _check_inputs(metrics: Iterable[Metric], given: Iterable[str], convention: Convention) -> None:
    """What a metric lacks is said in the words of contacts."""
    there = as_items(given)
    enough = [*there, "features"] if convention.name == "relison" else there  # without any, RELISON has an ILD all the same
    for metric in metrics:
        if not isinstance(metric, Metric) or is_enough(enough, metric, convention):
            continue
        words: dict[str, Sequence[str | Option]] = {item: [Option(name)] for name, item in _ITEM_INPUTS.items()}
        words["features"] = [Option("features"), " or ", Option("texts")]
        enough_here = [names for names in needed_inputs(type(metric)) if is_enough(names, type(metric)(), convention)]
        ways = [names for names in enough_here if set(names) <= words.keys() and not set(names) <= set(there)]
        needs = [tuple(parts(" and ", (words[name] for name in names if name not in there))) for names in ways]
        if needs:
            raise MissingInput(f"{metric} needs more: pass ", *parts(", or ", dict.fromkeys(needs)))
        raise MissingInput(f"{metric} cannot be computed of contacts, from {' and '.join(given)}")


def contact_conventions(convention: str | Convention | None) -> list[Convention]:
    """One convention, or the two that ``both`` names, for contacts."""
    return [_for_contacts(one) for one in conventions_named("published,relison" if convention == "both" else convention)]


def _for_contacts(convention: Convention) -> Convention:
    """A convention, for candidates who need not be users of the train graph; communities are no features."""
    if convention.name in CONVENTIONS and convention.name not in ("published", "relison"):
        raise MetricError(f"convention is {convention.name!r}, expected 'published', 'relison' or 'both' for contacts")
    for_contacts = {"GiniComplement": {"outside": "drop"}, "IntraListDiversity": {"of": "features"}}
    parameters = {name: {**own, **convention.parameters.get(name, {})} for name, own in for_contacts.items()}
    return replace(convention, parameters={**convention.parameters, **parameters})
