"""The inputs of an evaluation of contacts: one set of users, links that are cleaned, and counts of all that is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.coding.ids import Ids, described
from aspectrum.coding.objects import aspect_rows, feature_rows, id_rows, ranking_rows
from aspectrum.coding.rows import IdColumn, Rows, of_one_system
from aspectrum.coding.table import IdTable, flags_of
from aspectrum.contacts.cleaning import KEEPABLE, Cleaning, link_examples
from aspectrum.contacts.communities import Communities
from aspectrum.contacts.graphs import Graph, Links, link_table
from aspectrum.contacts.texts import Of, TextIndex, Weighting, index_texts, text_rows
from aspectrum.conventions import Convention
from aspectrum.diagnostics.findings import different_users, examples_of, likely_reason, noticed, noticed_among, orders, short_baseline
from aspectrum.diagnostics.notices import CONTACTS, Level, Notice
from aspectrum.errors import InputError, joined
from aspectrum.io import Source, check_files, is_external, read_input
from aspectrum.plan import Plan
from aspectrum.world import Truth
from aspectrum.world.building import CodedLists

_OF_USERS = ("source", "target", "user", "item")


class Network:
    """A social network with recommendations, under one coding of everybody who links, is linked or recommended.

    Its users come first among everybody: those of the train graph, and of the test graph if strangers are kept. The arguments are
    those of :func:`aspectrum.contacts.evaluate`.
    """

    def __init__(
        self,
        systems: Mapping[str, Any],
        *,
        train: Any,
        test: Any = None,
        communities: Any = None,
        features: Any = None,
        texts: Any = None,
        baseline: Any = None,
        users: Any = None,
        directed: bool | None = None,
        keep: Iterable[str] | str = (),
    ) -> None:
        keep = (keep,) if isinstance(keep, str) else tuple(keep)
        _check_keep(keep, train, test)
        if features is not None and texts is not None:
            raise InputError("both features and texts are given, expected one of them: features are computed from texts")
        if not systems:
            raise InputError("there are no recommendations to measure")
        check_files([train, test, communities, features, texts, baseline, *systems.values()])
        known, self._directed = link_table(train, "train", directed)
        given = {"test": test, "communities": communities, "features": features, "texts": texts, "baseline": baseline, "users": users}
        others = {name: read_one(name, one, self._directed) for name, one in given.items() if one is not None}
        self._inputs = {"train": known, **others}
        self._systems = {name: read_recommendations(name, one) for name, one in systems.items()}
        self._from_files = any(map(is_external, systems.values()))  # whose order is worth a word
        everything = (*self._inputs.values(), *self._systems.values())
        self._table = IdTable("user", [(rows.source, rows.ids[role]) for rows in everything for role in rows.ids if role in _OF_USERS])
        cleaning = Cleaning(self._table, self._directed, keep)
        self._train = cleaning.train(known)
        if directed is None and self._directed and len(self._train) and self._train.have(self._train.targets, self._train.sources).all():
            cleaning.notices.append(Notice("all_reciprocal", len(self._train), source=known.source))
        self._test = None if test is None else cleaning.test(self._inputs["test"])
        self._n_users, self._notices = cleaning.n_users, cleaning.notices
        self._everybody = self._table.ids.values
        self._users = self._everybody[: self._n_users]
        self._look_at_inputs()

    def _look_at_inputs(self) -> None:
        """What there is to say of who is in which input."""
        for recommended in (*self._systems.values(), *(rows for name, rows in self._inputs.items() if name == "baseline")):
            self._look_at_lists(recommended)
        for name, role, what, then in (
            ("communities", "user", "community", "candidates_only"),
            ("features", "item", "feature", "candidates_only"),
            ("texts", "user", "text", "texts_ignored"),
        ):
            if name in self._inputs:
                self._look_at_owners(self._inputs[name], role, what, then)
        if "communities" in self._inputs:
            self._look_at_communities(self._inputs["communities"])
        if "users" in self._inputs:
            asked = self._table.named(self._inputs["users"].ids["user"])
            strange = asked[asked >= self._n_users]
            if len(strange):
                self._add("unknown", self._inputs["users"], strange, len(asked), "error", role="user", where=self._source("train"))

    def refuse_errors(self) -> None:
        """What makes numbers meaningless is an error."""
        errors = {one.source: InputError(one.rendered(CONTACTS)) for one in reversed(self._notices) if one.level == "error"}
        if errors:  # of each input the first, from which others follow
            raise joined(list(reversed(errors.values())))

    def notices_on_links(self) -> list[Notice]:
        """What there is to say of the graphs, and of who is in which input."""
        way = [Notice("directed" if self._directed else "undirected")] if self._from_files or not self._directed else []
        return [*way, *self._notices]

    def notices_on(self, plan: Plan, systems: Iterable[CodedLists]) -> list[Notice]:
        """What was noticed as the truth and the lists were made."""
        lists, truth, users = [one.input for one in systems], plan.truth, plan.tables.user
        further = different_users([one.ids["user"].within(users) for one in lists], users.ids) if plan.use.averages_lists else ()
        ordered = orders(lists) if self._from_files else []
        read = [*(noticed_among(given, lists) for given in lists), *map(noticed, truth.inputs.values())]
        short = short_baseline(truth, self._source("baseline"), plan.use) if "baseline" in self._inputs else ()
        found = (one for several in (*read, short) for one in several)
        return [*ordered, *further, *(one for one in found if one.kind != "seen_items")]  # of links in the train graph it has been said

    def sizes(self) -> list[Notice]:
        """How many rows each input has."""
        return [Notice("rows", len(rows), source=rows.source) for rows in (*self._systems.values(), *self._inputs.values())]

    def chosen_users(self) -> Rows:
        """Users that were named to be averaged."""
        rows, column = self._inputs["users"], self._inputs["users"].ids["user"]
        return replace(rows, ids={"user": IdColumn(self._table.codes(column), self._users, named=self._table.named(column))})

    def text_features(self, of: Of, weighting: Weighting) -> Rows:
        """Features of users from their texts."""
        texts = self._inputs["texts"]
        authors = IdColumn(self._table.codes(texts.ids["user"]), self._everybody)
        written = Rows(texts.source, {"user": authors, "text": texts.ids["text"]}, place=texts.place)
        graph = Graph(self._source("train"), Ids(self._users), self._train, self._directed)
        features = index_texts(written, of=of, graph=graph, weighting=weighting).rows()
        return replace(features, source=texts.source, notices=texts.notices)

    def truth(self, convention: Convention, *, features: Rows | None = None, weighted: bool = False, **options: Any) -> Truth:
        """The truth as a convention reads it: candidates are items, communities aspects, train links the history and the graph.

        `features` are taken if none were given; options say how lists are read.
        """
        members, train = np.arange(self._n_users, dtype=np.int32), self._source("train")
        truth: dict[str, Any] = {
            "history": self._link_rows(self._train, "train"),
            "graph": self._graph_rows(),
            "catalogue": Rows(train, {"item": IdColumn(members, self._everybody, named=members)}),
            "users": Rows(train, {"user": IdColumn(members, self._users)}),
        }
        threshold = 1.0
        if self._test is not None:
            truth["relevance"] = self._link_rows(self._test, "test", graded=weighted)
            if weighted and "weight" not in self._inputs["test"].numbers:
                raise InputError(f"{self._source('test')}: has no weights, which are to be grades; expected source, target, weight")
            threshold = float(self._test.weights.min()) if weighted else 1.0
        if "communities" in self._inputs:
            truth["aspects"] = self._owned(self._inputs["communities"], "user")
        if "features" in self._inputs:
            truth["features"] = self._owned(self._inputs["features"], "item")
        elif features is not None:
            truth["features"] = features
        if "baseline" in self._inputs:
            truth["baseline"] = self._lists(self._inputs["baseline"])
        return convention.truth(**truth, threshold=threshold, directed=self._directed, **options)

    def lists(self, system: str) -> Rows:
        """The lists of a system; a user whose list is empty has one, and each row remembers where it stood."""
        return self._lists(self._systems[system])

    def _lists(self, rows: Rows) -> Rows:
        users, items = (self._table.codes(rows.ids[role]) for role in ("user", "item"))
        numbers, place, named = rows.numbers, rows.place, np.sort(self._table.named(rows.ids["user"]))
        members = users < self._n_users
        if not members.all():
            kept = np.flatnonzero(members)
            users, items, numbers = users[kept], items[kept], {name: values[kept] for name, values in numbers.items()}
            place = None if rows.place is None else lambda row: rows.place(int(kept[row]))  # type: ignore[misc]
        owners = IdColumn(users, self._users, named=named[named < self._n_users])
        return replace(rows, ids={"user": owners, "item": IdColumn(items, self._everybody)}, numbers=numbers, place=place)

    def _source(self, name: str) -> str:
        return self._inputs[name].source

    def _link_rows(self, links: Links, name: str, graded: bool = False) -> Rows:
        ids = {"user": IdColumn(links.sources, self._users), "item": IdColumn(links.targets, self._everybody)}
        return Rows(self._source(name), ids, {"grade": links.weights} if graded else {})

    def _graph_rows(self) -> Rows:
        """The train links between users, who alone are in the network."""
        between = self._train.sources != self._train.targets
        ends = {"user": self._train.sources[between], "item": self._train.targets[between]}
        return Rows(self._source("train"), {role: IdColumn(codes, self._users) for role, codes in ends.items()})

    def _owned(self, given: Rows, role: str) -> Rows:
        """Communities or features of users as they stand, under everybody's codes."""
        owners = given.ids[role]
        items = IdColumn(self._table.codes(owners), self._everybody, named=np.unique(self._table.named(owners)))
        others = {"aspect" if other == "community" else other: column for other, column in given.ids.items() if other != role}
        return replace(given, ids={"item": items, **others})

    def _look_at_lists(self, recommended: Rows) -> None:
        owners, train = self._table.named(recommended.ids["user"]), self._source("train")
        if len(owners) == 0:
            self._notices.append(Notice("empty", source=recommended.source, detail={"input": "recommendations"}))
            return
        self._look_for("strangers_with_lists", recommended, owners, "lists_ignored", where=train)
        users, candidates = (self._table.codes(recommended.ids[role]) for role in ("user", "item"))
        mine = users < self._n_users
        users, candidates = users[mine], candidates[mine]
        recommendable = np.flatnonzero(flags_of(candidates, len(self._everybody)))
        self._look_for("unknown", recommended, recommendable, "not_in_gini", role="candidate", where=train)
        itself = users == candidates
        for kind, odd in (("self_recommended", itself), ("known_recommended", self._train.have(users, candidates) & ~itself)):
            if odd.any():
                examples = link_examples(self._table.ids, users[odd], candidates[odd])
                self._notices.append(Notice(kind, int(odd.sum()), len(users), examples, {"where": train}, source=recommended.source))

    def _look_at_owners(self, given: Rows, role: str, what: str, then: str) -> None:
        """Users whose communities, features or texts are missing, and others who have some."""
        train, owners = self._source("train"), given.ids[role]
        self._look_for("unknown", given, np.unique(self._table.named(owners)), then, role="user", where=train)
        codes = self._table.codes(owners)
        if what in given.ids:
            codes = codes[given.ids[what].codes >= 0]
        without = np.flatnonzero(~flags_of(codes, len(self._everybody))[: self._n_users])
        if len(without):
            level: Level | None = "error" if len(without) == self._n_users else None
            self._add("without", given, without, self._n_users, level, where=train, what="features" if what == "feature" else what)

    def _look_at_communities(self, given: Rows) -> None:
        """Several communities are fine, and also what a wrong file looks like."""
        users, communities = self._table.codes(given.ids["user"]), given.ids["community"].codes
        pairs = np.unique(np.stack([users, communities])[:, communities >= 0], axis=1)
        several = np.flatnonzero(np.bincount(pairs[0])[: self._n_users] > 1)
        if len(several):
            self._add("several_communities", given, several, self._n_users)

    def _look_for(self, kind: str, given: Rows, codes: npt.NDArray[Any], then: str, **detail: str) -> None:
        """Say who is not a user, and what follows; that nobody is, is an error."""
        strange = codes[codes >= self._n_users]
        if len(strange):
            nobody = len(strange) == len(codes)
            because = likely_reason(self._table.ids, strange.astype(np.int32), np.arange(self._n_users, dtype=np.int32))
            because = because if nobody else (Notice(then), *because)
            self._add(kind, given, strange, len(codes), "error" if nobody else "warning" if len(because) > 1 else None, because, **detail)

    def _add(
        self,
        kind: str,
        given: Rows,
        codes: npt.NDArray[Any],
        of: int,
        level: Level | None = None,
        because: tuple[Notice, ...] = (),
        **detail: str,
    ) -> None:
        found = Notice(kind, len(codes), of, examples_of(self._table.ids, codes), detail, because, given.source)
        self._notices.append(found if level is None else replace(found, level=level))


def _check_keep(keep: Iterable[str], train: Any, test: Any) -> None:
    """Whether links can be kept by these rules."""
    for rule in keep:
        if rule not in KEEPABLE:
            raise InputError(f"keep is {rule!r}, expected {', '.join(map(repr, KEEPABLE))}")
    if test is None and keep:
        raise InputError("keep needs test links")
    if "self" in keep and (isinstance(train, Graph) or isinstance(test, Graph)):
        raise InputError("keep='self' needs self-links, which a Graph has not; pass the links it was read from")


def _community_rows(given: Any) -> Rows:
    """Rows user, community; a user without one is among the ids."""
    if is_external(given):
        return read_input("communities", given)
    if isinstance(given, Communities):
        users = IdColumn(np.arange(len(given.users), dtype=np.int32), given.users.values)
        return Rows("communities", {"user": users, "community": IdColumn(given.labels, list(range(given.n_communities)))})
    if isinstance(given, Mapping):  # as a cell of a file, a community may be missing
        given = {user: [] if of is None else of for user, of in given.items()}
    elif isinstance(given, list | np.ndarray) and any(isinstance(one, str) or not isinstance(one, Iterable) for one in given):
        raise InputError(f"communities: expected {{user: community}} or rows (user, community), found {described(given)}")
    rows = aspect_rows(given)
    return replace(rows, source="communities", ids={"user": rows.ids["item"], "community": rows.ids["aspect"]}, numbers={})


def read_one(name: str, given: Any, directed: bool | None = None) -> Rows:
    """One of the inputs beside the recommendations."""
    if name in ("train", "test"):
        return link_table(given, name, directed)[0]
    if name == "baseline":
        return read_recommendations(name, given, name)
    if name == "users":
        return read_input("users", given) if is_external(given) else id_rows("users", "user", given)
    return {"communities": _community_rows, "features": _feature_rows, "texts": text_rows}[name](given)


def read_recommendations(name: str, given: Any, kind: str = "rankings") -> Rows:
    """The recommendations of a system, or of the baseline."""
    rows = read_input(kind, _renamed(given, "candidate")) if is_external(given) else ranking_rows(name, given)
    return of_one_system(rows, "give the recommendations of each system by themselves, or drop the column if it does not name systems")


def _renamed(given: Any, role: str) -> Any:
    """What contacts call a role of theirs is the item of other lists."""
    if isinstance(given, Source) and role in given.columns:
        return replace(given, columns={"item" if other == role else other: column for other, column in given.columns.items()})
    return given


def _feature_rows(given: Any) -> Rows:
    if is_external(given):
        return read_input("features", _renamed(given, "user"))
    return given.rows() if isinstance(given, TextIndex) else feature_rows(given)
