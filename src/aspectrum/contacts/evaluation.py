"""Recommended contacts against a social network: train links, test links, communities, features."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from aspectrum.api import evaluate_one, labelled, side_by_side
from aspectrum.arguments import with_hints
from aspectrum.asked import Asked, Metrics, asked_for, computed_under, is_enough
from aspectrum.coding.ids import described
from aspectrum.coding.reading import Duplicates, Order, Ties
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.contacts.cleaning import Keepable
from aspectrum.contacts.network import Network
from aspectrum.contacts.texts import Of, Weighting
from aspectrum.conventions import CONVENTIONS, Convention, conventions_named
from aspectrum.diagnostics.attention import Attention
from aspectrum.diagnostics.notices import CONTACTS, Notice, Option, parts
from aspectrum.documentation import needed_inputs
from aspectrum.errors import InputError, MetricError, MissingInput, each
from aspectrum.metric import Metric, registered
from aspectrum.metrics import EPD, IntraListDiversity
from aspectrum.plan import PLAN_OPTIONS, Plan, plan_under
from aspectrum.progress import Progress, SystemProgress, with_progress
from aspectrum.results import Results, SystemResults

DEFAULT_METRICS = (
    *("Community recall", "ERRIA", "ILD", "Predicted Gini complement"),
    *("nDCG", "Precision", "Recall", "MAP"),
    *("LTN", "Unexpectedness", "Mean prediction distance"),
)
"""What RELISON measures of recommended contacts, by its names."""

_ITEM_INPUTS: Mapping[str, tuple[str, ...]] = {
    "train": ("history", "graph", "catalogue"),  # the catalogue are the users of the train graph
    "test": ("relevance",),
    "communities": ("aspects",),
    "features": ("features",),
    "texts": ("features",),
    "baseline": ("baseline",),
}
_CALLED = {item: name for name in reversed(list(_ITEM_INPUTS)) for item in _ITEM_INPUTS[name] if item != "catalogue"}
"""What an input of an evaluation of any lists is called here."""


def as_items(given: Iterable[str]) -> list[str]:
    """What inputs of a social network are in an evaluation of any lists: candidates are items, communities aspects."""
    return list(dict.fromkeys(item for name in given for item in _ITEM_INPUTS.get(name, ())))


def asked_as_contacts(
    metrics: Metrics, given: Iterable[str], conventions: Sequence[Convention], *, over_orders: bool = False
) -> tuple[list[Asked], list[Notice]]:
    """Metrics that are asked for, and what is left out of ``usual@10`` and ``all@10``, in the words of contacts.

    >>> _, left_out = asked_as_contacts("usual@10", ["train", "test", "communities"], contact_conventions(None))
    >>> print(*left_out)
    usual@10 leaves out IntraListDiversity, EPD (no features)
    """
    relison = CONVENTIONS["relison"]
    meant = {name: relison.applied(registered()[own]()) for name, own in relison.namesakes.items()}
    usual = [str(meant.get(name, name)) for name in DEFAULT_METRICS]
    return asked_for(metrics, as_items(given), conventions, usual=usual, called=_CALLED, meant=meant, over_orders=over_orders)


def default_metrics(given: Iterable[str], cutoffs: str = "10") -> list[Metric]:
    """The usual metrics that the inputs allow, at some cutoffs.

    >>> [type(metric).__name__ for metric in default_metrics(["train", "communities"])]
    ['AspectRecall', 'GiniComplement', 'EPC', 'MeanPredictionDistance']
    """
    return [one.metric for one in asked_as_contacts(f"usual@{cutoffs}", given, [_for_contacts(CONVENTIONS["published"])])[0]]


_FORM = "contacts.{}({}, 'NDCG@10', train=..., test=...): recommendations and metrics by position, all else by name"


@with_hints(_FORM.format("evaluate", "recommendations"))
def evaluate(
    recommendations: Any,
    metrics: Metrics | None = None,
    *,
    train: Any,
    test: Any = None,
    communities: Any = None,
    features: Any = None,
    texts: Any = None,
    baseline: Any = None,
    texts_of: Of = "own",
    weighting: Weighting | None = None,
    directed: bool | None = None,
    weighted: bool = False,
    keep: Iterable[Keepable] | Keepable = (),
    users: str | Iterable[Hashable] | None = None,
    convention: str | Convention | None = None,
    order: Order | None = None,
    ties: Ties | None = None,
    duplicates: Duplicates = "error",
    threads: int | None = None,
    batch_size: int | None = None,
    per_user: bool = True,
    progress: Progress | bool | None = None,
    ideal_budget: float | None = None,
    ideal_seconds: float | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
) -> Results:
    """Measure the contacts that a system recommends to the users of a social network.

    The users are those of the train graph. Recommendations to anybody else are left out. A candidate who is not in the train
    graph keeps the rank, with the communities and features given, but could not have been found, and is no part of
    the catalogue. The notes of the result count all that.

    Args:
        recommendations: Rows (user, candidate[, rank][, score]): the path of a file, a frame, a :class:`aspectrum.Source`,
            ``{user: [candidates]}`` best first, ``{user: {candidate: score}}``, or rows.
        metrics: As for :func:`aspectrum.evaluate`; ``"usual@5,10"`` are RELISON's metrics that the inputs allow. Default: usual@10.
        train: The network that was known: anything that :func:`read_graph` takes.
        test: The links that were to be found, in the same forms. Left out: links with an end outside the train graph, links
            to oneself, links that the train graph has, and links whose reverse it has; unless `keep` says otherwise.
        communities: Rows (user, community), ``{user: community}``, ``{user: [communities]}`` or :class:`Communities`.
        features: Rows (user, feature[, value]), vectors, or a :class:`TextIndex`; as for :func:`aspectrum.evaluate`.
        texts: Rows (user, text), from which features are made by :func:`index_texts`.
        baseline: Recommendations of a reference system, as for :func:`aspectrum.evaluate`.
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
        order: What orders a list. Default: its ranks, else its scores, else its rows; under the convention relison its rows, as
            in that program.

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


@with_hints(_FORM.format("evaluate_systems", "{'A': recommendations}"), like=evaluate)
@with_progress
def evaluate_systems(
    systems: Mapping[str, Any],
    metrics: Metrics | None = None,
    *,
    progress: SystemProgress | bool | None = None,
    strict: bool = False,
    ignore: str | Iterable[str] = (),
    **options: Any,
) -> SystemResults:
    """Measure the contacts that several systems recommend; everything else is read once.

    Args:
        systems: Recommendations of each system, by name.
        convention: As for :func:`evaluate`; ``"both"`` computes every system twice, by the published definitions and as RELISON
            does, side by side.
        progress: True shows a progress bar; a function is called with the name of a system, its users done and its users in all.

    All other arguments are those of :func:`evaluate`.

    Examples:
        >>> import aspectrum as asp
        >>> train, communities = {"u": ["a", "b"], "v": ["a"]}, {"u": 0, "v": 0, "a": 1, "b": 1}
        >>> lists = {"near": {"u": ["v"], "v": ["b"]}, "far": {"u": ["v"], "v": ["u"]}}
        >>> both = asp.contacts.evaluate_systems(lists, "CommunityRecall@1", train=train, communities=communities, convention="both")
        >>> print(both.to_text(how=False))
        Metric                          near (published)  near (relison)  far (published)  far (relison)
        ------------------------------  ----------------  --------------  ---------------  -------------
        AspectRecall@1 (by membership)            0.5000          0.2500           0.5000         0.2500
    """
    if not isinstance(systems, Mapping):
        raise InputError(
            f"systems is {described(systems)}, expected {{name: recommendations}}; contacts.evaluate takes those of one system"
        )
    asked, attention = Request.of(metrics, **options), Attention(strict, ignore, CONTACTS)
    network = asked.network(systems)
    network.refuse_errors()
    found = {}
    for one in asked.conventions:
        plan, notices = asked.plan(network, one)
        if plan is None:
            found[one.name] = SystemResults({system: Results({}) for system in systems})
            continue
        lists = {system: plan.lists(network.lists(system)) for system in systems}
        notices += network.notices_on(plan, lists.values())
        said = attention.draw(dict.fromkeys(notice for notice in notices if notice.level != "fact"))
        results = plan.evaluate(lists, labelled(progress, one, asked.conventions))
        found[one.name] = SystemResults(results, said, CONTACTS)
    return side_by_side(found)


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of contacts, checked: all but the recommendations. The arguments are those of :func:`evaluate`."""

    asked: list[Asked]
    left_out: list[Notice]
    conventions: list[Convention]
    inputs: Mapping[str, Any]  # of the network, and how it is read
    reading: Mapping[str, Any]
    chosen: Mapping[str, Any]  # options of the plan
    texts_of: Of = "own"
    weighting: Weighting | None = None
    weighted: bool = False

    @classmethod
    def of(
        cls,
        metrics: Any,
        *,
        convention: str | Convention | None = None,
        texts_of: Of = "own",
        weighting: Weighting | None = None,
        weighted: bool = False,
        order: Order | None = None,
        ties: Ties | None = None,
        duplicates: Duplicates = "error",
        **inputs: Any,
    ) -> Request:
        conventions = contact_conventions(convention)
        chosen = {name: inputs.pop(name) for name in PLAN_OPTIONS if name in inputs}
        given = [name for name, value in inputs.items() if value is not None]
        if "texts" not in given and (texts_of != "own" or weighting is not None):
            raise InputError("texts_of and weighting need texts")
        if "test" not in given and weighted:
            raise InputError("weighted needs test links")
        reading = {"order": order, "users_in_one_block": True, "ties": ties, "duplicates": duplicates}
        if ties is not None and any(one.reading(reading).order == "input" for one in conventions):
            raise InputError(Option("ties"), " needs ", Option("order", "score"), " or rank: input order has no ties")
        asked, left_out = asked_as_contacts("usual@10" if metrics is None else metrics, given, conventions, over_orders=ties == "expected")
        for one in conventions:
            _check_inputs([mine.metric for mine in computed_under(one, asked)], given, one)
        return cls(asked, left_out, conventions, inputs, reading, chosen, texts_of, weighting, weighted)

    def network(self, systems: Mapping[str, Any]) -> Network:
        """The network and the recommendations, read."""
        return Network(systems, users=self._named_users, **self.inputs)

    def plan(self, network: Network, convention: Convention) -> tuple[Plan | None, list[Notice]]:
        """The plan of a convention, if it has one of the metrics, and what a reader of the numbers should know of the network."""
        features, of_features = self._features(network, convention)
        truth = network.truth(convention, features=features, weighted=self.weighted, **self.reading)
        users = {} if self._named_users is None else {"users": network.chosen_users()}
        of_weights = [Notice("weighted")] if self.weighted else []
        plan = plan_under(convention, self.asked, truth, **{**self.chosen, **users})
        return plan, [*self.left_out, *network.notices_on_links(), *of_weights, *of_features]

    @property
    def _named_users(self) -> Any:
        users = self.chosen.get("users")
        return None if isinstance(users, str) else users

    def _features(self, network: Network, convention: Convention) -> tuple[Rows | None, list[Notice]]:
        """Features that were not given, and what to say of them."""
        as_relison = convention.name == "relison"
        if self.inputs.get("texts") is not None:
            weighed = self.weighting or ("relison" if as_relison else "tf-idf")
            notice = Notice("text_features", detail={"texts_of": self.texts_of, "weighting": weighed})
            return network.text_features(self.texts_of, weighed), [notice]
        if self.inputs.get("features") is not None or not as_relison:
            return None, []
        none = Rows("features", {"item": IdColumn(np.empty(0, np.int32), [])}, matrix=np.empty((0, 1)))
        compared = any(
            isinstance(metric, IntraListDiversity | EPD) for metric in (one.metric for one in computed_under(convention, self.asked))
        )
        return none, [Notice("no_features")] if compared else []


def _check_inputs(metrics: Iterable[Metric], given: Iterable[str], convention: Convention) -> None:
    """What a metric lacks is said in the words of contacts."""
    there = as_items(given)
    enough = [*there, "features"] if convention.name == "relison" else there  # without any, RELISON has an ILD all the same

    def check(metric: Metric) -> None:
        convention.applied(metric)  # an error if there is no such metric
        if is_enough(enough, metric, convention):
            return
        words: dict[str, Sequence[str | Option]] = {item: [Option(name)] for item, name in _CALLED.items()}
        words["features"] = [Option("features"), " or ", Option("texts")]
        enough_here = [names for names in needed_inputs(type(metric)) if is_enough(names, type(metric)(), convention)]
        ways = [names for names in enough_here if set(names) <= words.keys() and not set(names) <= set(there)]
        needs = [tuple(parts(" and ", dict.fromkeys(tuple(words[name]) for name in names if name not in there))) for names in ways]
        if needs:
            raise MissingInput(f"{metric} needs more: pass ", *parts(", or ", dict.fromkeys(needs)))
        raise MissingInput(f"{metric} cannot be computed of contacts, from {' and '.join(given)}")

    each(partial(check, metric) for metric in metrics)


def contact_conventions(convention: str | Convention | None) -> list[Convention]:
    """Conventions for contacts; ``both`` are the published definitions and RELISON's."""
    both = isinstance(convention, str) and convention.casefold() == "both"
    return [_for_contacts(one) for one in conventions_named("published,relison" if both else convention)]


def _for_contacts(convention: Convention) -> Convention:
    """A convention, for candidates who need not be users of the train graph; communities are no features."""
    if convention.name in CONVENTIONS and convention.name not in ("published", "relison"):
        raise MetricError(f"convention is {convention.name!r}, expected 'published', 'relison' or 'both' for contacts")
    of_all = {name: {"outside": "drop"} for name in ("CatalogueCoverage", "ExposureEntropy", "Gini", "GiniComplement")}
    for_contacts = {**of_all, "IntraListDiversity": {"of": "features"}}
    parameters = {name: {**own, **convention.parameters.get(name, {})} for name, own in for_contacts.items()}
    return replace(convention, parameters={**convention.parameters, **parameters})


__test__ = {"evaluate": evaluate, "evaluate_systems": evaluate_systems}  # doctest passes over what is decorated
