"""The inputs of an evaluation of contacts: one set of users, links that are cleaned, and counts of all that is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Flags
from aspectrum.coding.ids import Ids
from aspectrum.coding.objects import aspect_rows, feature_rows, id_rows, ranking_rows
from aspectrum.coding.rows import IdColumn, Rows
from aspectrum.contacts.cleaning import KEEPABLE, Cleaning, link_examples
from aspectrum.contacts.coding import Coded, code_users
from aspectrum.contacts.communities import Communities
from aspectrum.contacts.graphs import Graph, Links, link_table
from aspectrum.contacts.texts import Of, TextIndex, Weighting, index_texts, text_rows
from aspectrum.conventions import Convention
from aspectrum.diagnostics.findings import examples_of, likely_reason, noticed, orders
from aspectrum.diagnostics.notices import CONTACTS, Level, Notice
from aspectrum.errors import InputError
from aspectrum.io import Source, is_external, read_input
from aspectrum.world import Truth
from aspectrum.world.building import CodedLists

_ROLES = {"community": "aspect"}


@dataclass(frozen=True, eq=False)
class Network:
    """A social network with recommendations, under one coding of its users.

    Args:
        ids: Everybody who is named anywhere.
        members: Which of them are users: those of the train graph, and of the test graph if strangers are kept.
        train: Links of the train graph.
        test: Links that were to be found, cleaned; None if there was no test graph.
        directed: Whether the graph is directed.
        systems: Recommendations of each system.
        inputs: The other inputs, by name.
        notices: What a user should know of all that.
        from_files: Whether the recommendations come from files or frames, whose order is worth a word.
    """

    ids: Ids
    members: Flags
    train: Links
    test: Links | None
    directed: bool
    systems: Mapping[str, Coded]
    inputs: Mapping[str, Coded]
    notices: list[Notice]
    from_files: bool

    @classmethod
    def read(
        cls,
        systems: Mapping[str, Any],
        *,
        train: Any,
        test: Any = None,
        communities: Any = None,
        features: Any = None,
        texts: Any = None,
        users: Any = None,
        directed: bool | None = None,
        keep: Iterable[str] | str = (),
    ) -> Network:
        """Read every input, and clean the links; the arguments are those of :func:`aspectrum.contacts.evaluate`."""
        keep = (keep,) if isinstance(keep, str) else tuple(keep)
        _check_keep(keep, train, test)
        if features is not None and texts is not None:
            raise InputError("both features and texts are given, expected one of them: features are computed from texts")
        if not systems:
            raise InputError("there are no recommendations to measure")
        known, directed = link_table(train, "train", directed)
        read: Mapping[str, tuple[Any, Callable[[Any], Rows]]] = {
            "test": (test, lambda given: link_table(given, "test", directed)[0]),
            "communities": (communities, _community_rows),
            "features": (features, _feature_rows),
            "texts": (texts, text_rows),
            "users": (users, lambda given: read_input("users", given) if is_external(given) else id_rows("users", "user", given)),
        }
        inputs = {"train": known, **{name: rows(given) for name, (given, rows) in read.items() if given is not None}}
        lists = {f"system {name}": _recommendations(name, given) for name, given in systems.items()}
        everybody, coded = code_users({**inputs, **lists})
        cleaning = Cleaning(everybody.ids, directed, keep)
        network = cls(
            everybody.ids,
            cleaning.members,
            cleaning.train(coded["train"]),
            None if test is None else cleaning.test(coded["test"]),
            directed,
            {name: coded[f"system {name}"] for name in systems},
            {name: coded[name] for name in inputs},
            cleaning.notices,
            any(map(is_external, systems.values())),
        )
        network._look_at_inputs()
        return network

    def _look_at_inputs(self) -> None:
        """What there is to say of who is in which input."""
        for recommended in self.systems.values():
            self._look_at_lists(recommended)
        for name, role, what, then in (
            ("communities", "user", "community", "candidates_only"),
            ("features", "item", "feature", "candidates_only"),
            ("texts", "user", "text", "texts_ignored"),
        ):
            if name in self.inputs:
                self._look_at_owners(self.inputs[name], role, what, then)
        if "communities" in self.inputs:
            self._look_at_communities(self.inputs["communities"])
        if "users" in self.inputs:
            asked = self.inputs["users"].joined["user"]
            strange = asked[~self.members[asked]]
            if len(strange):
                self._add("unknown", self.inputs["users"], strange, len(asked), "error", role="user", where=self._source("train"))

    def notices_on_links(self) -> list[Notice]:
        """What a reader of the numbers should know of the inputs. What makes them meaningless is an error."""
        for notice in self.notices:
            if notice.level == "error":
                raise InputError(notice.rendered(CONTACTS))
        way = [Notice("directed" if self.directed else "undirected")] if self.from_files or not self.directed else []
        return [*way, *(notice for notice in self.notices if notice.level == "warning")]

    def notices_on(self, truth: Truth, systems: Iterable[CodedLists]) -> list[Notice]:
        """What was noticed as the truth and the lists were made."""
        lists = [one.input for one in systems]
        ordered = orders(lists) if self.from_files else []
        return [*ordered, *(one for given in (*lists, *truth.inputs.values()) for one in noticed(given) if one.level != "fact")]

    def chosen_users(self) -> Rows:
        """Users that were named to be averaged."""
        users = self.inputs["users"]
        return replace(users.rows, ids={"user": self._users(users.codes("user"), users.joined["user"])})

    def text_features(self, of: Of, weighting: Weighting) -> Rows:
        """Features of users from their texts."""
        texts = self.inputs["texts"]
        written = Rows(
            texts.rows.source,
            {"user": self._column(texts.codes("user"), texts.joined["user"]), "text": texts.rows.ids["text"]},
            place=texts.rows.place,
        )
        users = np.flatnonzero(self.members)
        place = np.full(len(self.ids), -1, dtype=np.int32)
        place[users] = np.arange(len(users), dtype=np.int32)
        links = Links(place[self.train.sources], place[self.train.targets], self.train.weights)
        graph = Graph(self._source("train"), self.ids.take(users), links, self.directed)
        index = index_texts(written, of=of, graph=graph, weighting=weighting)
        return replace(index.rows(), source=texts.rows.source, notices=texts.rows.notices)

    def truth(self, convention: Convention, *, features: Rows | None = None, weighted: bool = False, **options: Any) -> Truth:
        """The truth as a convention reads it: candidates are items, communities aspects, train links the history.

        Args:
            features: Features to be taken if none were given.
            weighted: Whether the weights of test links are grades.
            options: How lists are read.
        """
        members = np.flatnonzero(self.members).astype(np.int32)
        truth: dict[str, Any] = {
            "history": self._link_rows(self.train, "train"),
            "catalogue": Rows(self._source("train"), {"item": self._column(members, members)}),
            "users": Rows(self._source("train"), {"user": self._users(members)}),
        }
        threshold = 1.0
        if self.test is not None:
            truth["relevance"] = self._link_rows(self.test, "test", graded=weighted)
            if weighted and "weight" not in self.inputs["test"].rows.numbers:
                raise InputError(f"{self._source('test')}: has no weights, which are to be grades; expected source, target, weight")
            threshold = float(self.test.weights.min()) if weighted else 1.0
        if "communities" in self.inputs:
            truth["aspects"] = self._owned(self.inputs["communities"], "user")
        if "features" in self.inputs:
            truth["features"] = self._owned(self.inputs["features"], "item")
        elif features is not None:
            truth["features"] = features
        return convention.truth(**truth, threshold=threshold, **options)

    def _source(self, name: str) -> str:
        return self.inputs[name].rows.source

    def _column(self, codes: npt.NDArray[Any], named: npt.NDArray[Any] | None = None) -> IdColumn:
        """A column of ids of everybody; `named` are those whom it names, if that matters."""
        return IdColumn(codes, self.ids.values, named=named)

    def _users(self, codes: npt.NDArray[Any], named: npt.NDArray[Any] | None = None) -> IdColumn:
        """A column of ids of users. They come first among everybody, as train and test links are read first."""
        return IdColumn(codes, self._user_ids, named=named)

    @cached_property
    def _user_ids(self) -> Any:
        n = int(self.members.sum())
        assert self.members[:n].all()
        return self.ids.values[:n]

    def _flags(self, codes: npt.NDArray[Any]) -> Flags:
        flags = np.zeros(len(self.ids), np.bool_)
        flags[codes] = True
        return flags

    def _link_rows(self, links: Links, name: str, graded: bool = False) -> Rows:
        ids = {"user": self._users(links.sources), "item": self._column(links.targets)}
        return Rows(self._source(name), ids, {"grade": links.weights} if graded else {})

    def lists(self, system: str) -> Rows:
        """The lists of a system; a user whose list is empty has one."""
        recommended = self.systems[system]
        users, owners = recommended.codes("user"), recommended.joined["user"]
        kept = np.flatnonzero(self.members[users])
        ids = {
            "user": self._users(users[kept], np.flatnonzero(self._flags(owners) & self.members)),
            "item": self._column(recommended.codes("item")[kept]),
        }
        return recommended.taken(kept, ids)

    def _owned(self, given: Coded, role: str) -> Rows:
        """Communities or features of users as they stand, under everybody's codes."""
        ids = {_ROLES.get(other, other): column for other, column in given.rows.ids.items() if other != role}
        named = np.flatnonzero(self._flags(given.joined[role])).astype(np.int32)
        return replace(given.rows, ids={"item": self._column(given.codes(role), named), **ids})

    def _look_at_lists(self, recommended: Coded) -> None:
        users, candidates = recommended.codes("user"), recommended.codes("item")
        owners = recommended.joined["user"]
        train, source = self._source("train"), recommended.rows.source
        if len(owners) == 0:
            self.notices.append(Notice("empty", source=source, detail={"input": "recommendations"}))
            return
        self._look_for("strangers_with_lists", recommended, owners, "lists_ignored", where=train)
        mine = self.members[users]
        users, candidates = users[mine], candidates[mine]
        recommendable = np.flatnonzero(self._flags(candidates))
        self._look_for("unknown", recommended, recommendable, "not_in_gini", role="candidate", where=train)
        for kind, odd in (
            ("self_recommended", users == candidates),
            ("known_recommended", self.train.have(users, candidates) & (users != candidates)),
        ):
            if odd.any():
                examples = link_examples(self.ids, users[odd], candidates[odd])
                self.notices.append(Notice(kind, int(odd.sum()), len(users), examples, {"where": train}, source=source))

    def _look_at_owners(self, given: Coded, role: str, what: str, then: str) -> None:
        """Users whose communities, features or texts are missing, and others who have some."""
        train = self._source("train")
        self._look_for("unknown", given, np.flatnonzero(self._flags(given.joined[role])), then, role="user", where=train)
        codes = given.codes(role)
        if what in given.rows.ids:
            codes = codes[given.rows.ids[what].codes >= 0]
        without, n_users = np.flatnonzero(self.members & ~self._flags(codes)), int(self.members.sum())
        if len(without):
            what = "features" if what == "feature" else what
            self._add("without", given, without, n_users, "error" if len(without) == n_users else "warning", where=train, what=what)

    def _look_at_communities(self, given: Coded) -> None:
        """Several communities are fine, and also what a wrong file looks like."""
        users, communities = given.codes("user"), given.rows.ids["community"].codes
        pairs = np.unique(np.stack([users, communities])[:, communities >= 0], axis=1)
        several = np.flatnonzero((np.bincount(pairs[0], minlength=len(self.ids)) > 1) & self.members)
        if len(several):
            self._add("several_communities", given, several, int(self.members.sum()), "warning")

    def _look_for(self, kind: str, given: Coded, codes: npt.NDArray[Any], then: str, **detail: str) -> None:
        """Say who is not a user, and what follows; that nobody is, is an error."""
        strange = codes[~self.members[codes]]
        if len(strange):
            nobody = len(strange) == len(codes)
            because = likely_reason(self.ids, strange.astype(np.int32), np.flatnonzero(self.members).astype(np.int32))
            because = because if nobody else (Notice(then), *because)
            self._add(kind, given, strange, len(codes), "error" if nobody else "warning", because, **detail)

    def _add(
        self, kind: str, given: Coded, codes: npt.NDArray[Any], of: int, level: Level, because: tuple[Notice, ...] = (), **detail: str
    ) -> None:
        examples = examples_of(self.ids, codes)
        self.notices.append(Notice(kind, len(codes), of, examples, detail, because, given.rows.source, level))


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
        labels = list(range(given.n_communities))
        users = IdColumn(np.arange(len(given.users), dtype=np.int32), given.users.values)
        return Rows("communities", {"user": users, "community": IdColumn(given.labels, labels)})
    if isinstance(given, Mapping):  # as a cell of a file, a community may be missing
        given = {user: [] if of is None else of for user, of in given.items()}
    rows = aspect_rows(given)
    return Rows("communities", {"user": rows.ids["item"], "community": rows.ids["aspect"]})


def _recommendations(name: str, given: Any) -> Rows:
    return read_input("rankings", _renamed(given, "candidate")) if is_external(given) else ranking_rows(name, given)


def _renamed(given: Any, role: str) -> Any:
    """What contacts call a role of theirs is the item of other lists."""
    if isinstance(given, Source) and role in given.columns:
        return replace(given, columns={"item" if other == role else other: column for other, column in given.columns.items()})
    return given


def _feature_rows(given: Any) -> Rows:
    if is_external(given):
        return read_input("features", _renamed(given, "user"))
    return given.rows() if isinstance(given, TextIndex) else feature_rows(given)
