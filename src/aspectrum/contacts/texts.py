"""Users as the texts that they, or their neighbours, wrote: an index of terms, for features where there are only texts."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from aspectrum.arrays import Codes
from aspectrum.coding.ids import NOTHING, Ids, quoted
from aspectrum.coding.objects import id_column
from aspectrum.coding.rows import IdColumn, Rows, SparseRows
from aspectrum.coding.table import IdTable
from aspectrum.contacts.graphs import Links, ends, link_table, n_named
from aspectrum.diagnostics.notices import Notice, Option
from aspectrum.errors import InputError, MissingInput, OutputError
from aspectrum.extras import needed
from aspectrum.io import Source, is_external, read_input
from aspectrum.io.files import read_bytes
from aspectrum.output_files import replacing
from aspectrum.wording import one_line

Of = Literal["own", "followees", "followers", "all"]
Weighting = Literal["tf-idf", "relison", "counts"]
"""Whose texts make a user, and how much a term of a user weighs: :func:`index_texts` says what each means."""

_WHOSE = {"own": "their own", "followees": "their followees", "followers": "their followers", "all": "themselves and their neighbours"}


@dataclass(frozen=True, eq=False)
class TextIndex:
    """What users' texts are made of: one row per user, one column per term.

    Args:
        users: The users, those without any term included.
        terms: The terms, sorted.
        matrix: How much a term weighs for a user: a csr array of scipy.
        of: Whose texts make a user.
        weighting: How terms were weighted.
        notices: What a user of the index should know of; not saved.
    """

    users: Ids
    terms: Sequence[str]
    matrix: Any
    of: Of
    weighting: Weighting
    notices: Sequence[Notice] = ()

    def rows(self) -> Rows:
        """As features, in which the users are the items."""
        matrix = SparseRows.from_matrix(self.matrix)
        users = IdColumn(np.arange(len(self.users), dtype=np.int32), self.users.values)
        return Rows("features", {"item": users}, matrix=matrix, notices=self.notices, is_index=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an npz file, whole or not at all: features for any evaluation, and an index again by :meth:`load`.

        It holds ``ids``, the arrays of scipy's ``save_npz`` (so that ``load_npz`` reads it), and ``terms``, a term per line.
        """
        name = os.fsdecode(path)
        if not name.lower().endswith(".npz"):
            raise OutputError(f"{name}: an index of texts is an npz file, expected a name that ends in .npz")
        arrays = {
            "ids": _id_array(name, list(self.users)),
            "data": self.matrix.data,
            "indices": self.matrix.indices,
            "indptr": self.matrix.indptr,
            "shape": np.array(self.matrix.shape, dtype=np.int64),
            "format": np.array("csr"),
            # An array of texts would give every term the room of the longest, and texts hold very long words.
            "terms": np.array("\n".join(self.terms)),
            "of": np.array(self.of),
            "weighting": np.array(self.weighting),
        }
        with replacing(path) as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TextIndex:
        """An index that was saved."""
        sparse = needed("scipy.sparse", "text", "an index of texts is held")
        source = Source(path, format="npz")
        rows = read_input("features", source)
        with np.load(io.BytesIO(read_bytes(source.path, rows.source)), allow_pickle=False) as file:
            arrays = {key: file[key] for key in ("terms", "of", "weighting") if key in file.files}
        for key in ("terms", "of", "weighting"):
            if key not in arrays or arrays[key].dtype.kind != "U" or arrays[key].ndim:
                what = f"{key} is not one text" if key in arrays else f"it has no {key}"
                raise InputError(f"{rows.source}: is no index of texts: {what}; expected a file that aspectrum index wrote")
        joined, of, weighting = (str(array) for array in arrays.values())
        terms = joined.split("\n") if joined else []
        found, ids = rows.matrix, rows.ids["item"]
        _check_kinds(rows.source, of, weighting)
        if not isinstance(found, SparseRows) or found.width != len(terms):
            width = found.width if isinstance(found, SparseRows) else found.shape[1]
            raise InputError(f"{rows.source}: the index of texts is not sound: there are {len(terms)} terms for {width} columns")
        if len(ids.ids) < len(ids.codes):
            raise InputError(f"{rows.source}: the index of texts is not sound: a user stands there twice")
        matrix = sparse.csr_array((found.values, found.columns, found.offsets), shape=(len(ids.codes), found.width))
        return cls(Ids(ids.ids), terms, matrix, of, weighting)  # type: ignore[arg-type]

    def summary(self) -> str:
        """What there is, in words.

        >>> print(index_texts({"ann": "blue sky", "bob": ["blue sea", "sea"], "cyd": ""}).summary())
        3 users, 3 terms; texts: own; weighting: tf-idf
        1 user has no term
        """
        n_empty = int((np.diff(self.matrix.indptr) == 0).sum())
        lines = [f"{_some(len(self.users), 'user')}, {_some(len(self.terms), 'term')}; texts: {self.of}; weighting: {self.weighting}"]
        if n_empty:
            lines.append(f"{_some(n_empty, 'user')} {'has' if n_empty == 1 else 'have'} no term")
        return "\n".join([*lines, *(one_line(f"{notice.level}: {notice}") for notice in self.notices)])


def index_texts(
    texts: Any,
    *,
    of: Of = "own",
    graph: Any = None,
    directed: bool | None = None,
    weighting: Weighting = "tf-idf",
    stop_words: Literal["english"] | Iterable[str] | None = None,
    min_users: int = 1,
    lowercase: bool = True,
) -> TextIndex:
    """An index of users' texts: a user is a document, made of what they, or their neighbours, wrote.

    A term is a word of two or more letters or digits, as scikit-learn's ``CountVectorizer`` finds them. With tf = how often
    the term is in the texts of the user, df = users whose texts have it, n = users, also those without a text, a term weighs

    - ``tf-idf`` (scikit-learn's ``TfidfTransformer``): tf * (ln((1 + n) / (1 + df)) + 1), every user scaled to length 1;
    - ``relison``: (1 + log2 tf) * log2(1 + n / (df + 1)), not scaled;
    - ``counts``: tf.

    Args:
        texts: The path of a file (user, text), a frame, a :class:`Source`, ``{user: text}``, ``{user: [texts]}`` or rows
            (user, text). A user may have many texts, whose terms add up; the same text twice counts twice.
        of: Whose texts make a user: ``own``; ``followees``, whom they link to; ``followers``, who link to them; ``all``, they
            and all their neighbours, each once.
        graph: The social network, anything :func:`read_graph` takes; train links, if links are to be predicted. If given, its
            users are indexed, also those without a text, and nobody else.
        directed: Whether the graph is directed. Default: as the graph says.
        weighting: How much a term weighs.
        stop_words: Words that do not count: ``english``, or the words themselves.
        min_users: Terms of fewer users do not count.
        lowercase: Whether letters are made small first.

    References:
        Hannon, Bennett and Smyth, Recommending Twitter users to follow using content and collaborative filtering
        approaches, RecSys 2010.

    Examples:
        >>> index = index_texts({"ann": "Blue sky", "bob": "sea, blue sea"}, weighting="counts")
        >>> list(index.users), index.terms, index.matrix.toarray().tolist()
        (['ann', 'bob'], ['blue', 'sea', 'sky'], [[1.0, 0.0, 1.0], [1.0, 2.0, 0.0]])
        >>> index = index_texts({"ann": "Blue sky", "bob": "sea"}, of="followees", graph={"cyd": ["ann", "bob"]}, weighting="counts")
        >>> list(index.users), index.matrix.toarray().tolist()
        (['cyd', 'ann', 'bob'], [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    """
    _check_kinds("texts", of, weighting)
    if isinstance(min_users, bool) or not isinstance(min_users, int | np.integer) or min_users < 1:
        raise InputError(f"texts: min_users is {quoted(min_users)}, expected a whole number from 1")
    stop_words = _stop_words(stop_words)
    if of != "own" and graph is None:
        raise MissingInput(f"texts: the texts of {_WHOSE[of]} need ", Option("graph"))
    if graph is None and directed is not None:
        raise InputError("texts: directed needs a graph")
    needed("sklearn", "text", "texts are indexed")
    rows = text_rows(texts)
    users, authors, links, notices = _people(rows, graph, directed)
    counts, terms = _counts(rows, authors, len(users), stop_words, lowercase, "" if graph is None else " of users of the graph")
    if links is not None and of != "own":
        counts = _neighbours(links, len(users), of) @ counts
    counts.sort_indices()
    kept = np.flatnonzero(np.bincount(counts.indices, minlength=len(terms)) >= min_users)
    if not len(kept):
        why = f"none is in the texts of {min_users} users" if counts.nnz else f"nobody has any in the texts of {_WHOSE[of]}"
        raise InputError(f"{rows.source}: no term is left: {why}")
    matrix = _weighted(counts[:, kept], weighting)
    return TextIndex(users, [terms[place] for place in kept], matrix, of, weighting, notices)


def _check_kinds(source: str, of: str, weighting: str) -> None:
    for name, given, known in (("of", of, get_args(Of)), ("weighting", weighting, get_args(Weighting))):
        if given not in known:
            raise InputError(f"{source}: {name} is {quoted(given)}, expected one of {', '.join(known)}")


def _stop_words(given: Any) -> Any:
    if given is None or (isinstance(given, str) and given == "english"):
        return given
    words = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else None
    odd = [given] if words is None else [word for word in words if not isinstance(word, str)]
    if odd:
        raise InputError(f"texts: stop_words has {quoted(odd[0])}, expected 'english' or a list of words")
    return words


def _people(rows: Rows, graph: Any, directed: bool | None) -> tuple[Ids, Codes, Links | None, list[Notice]]:
    """Users to index, who are the first of all that were named; which of all each row of the texts is of; links; and notices."""
    texts = (rows.source, rows.ids["user"])
    notices = [notice for notice in rows.notices if notice.level != "fact"]
    if graph is None:
        table = IdTable("user", [texts])
        return table.ids, table.codes(texts[1]), None, notices
    # As they stand, not as read_graph settles them: 7 in one text file is what it is in the other.
    network, directed = link_table(graph, "graph", directed)
    table = IdTable("user", [*((network.source, network.ids[role]) for role in ("source", "target")), texts])
    links, n_users = Links.of(*ends(network, table), None, directed=directed, to_self=False), n_named(network, table)
    if len(table) > n_users:
        notices.append(Notice("unknown_authors", len(table) - n_users, detail={"where": network.source}))
    return table.ids.slice(0, n_users), table.codes(texts[1]), links, notices


def _counts(rows: Rows, authors: Codes, n_users: int, stop_words: Any, lowercase: bool, whose: str) -> tuple[Any, list[str]]:
    """How often each term is in the texts that a user wrote, by user; and the terms, sorted."""
    from scipy import sparse
    from sklearn.feature_extraction.text import CountVectorizer

    column = rows.ids["text"]
    written = (column.codes >= 0) & (authors < n_users)
    used, places = np.unique(column.codes[written], return_inverse=True)
    if stop_words is not None and stop_words != "english":
        # Read as the texts are, so that "Don't" stops what becomes of it there.
        analyze = CountVectorizer(lowercase=lowercase).build_analyzer()
        stop_words = sorted({term for word in stop_words for term in analyze(word)}) or None
    counter = CountVectorizer(lowercase=lowercase, stop_words=stop_words, dtype=np.int64)
    try:
        by_text = sparse.csr_array(counter.fit_transform(_texts(rows, used)))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        but = "" if stop_words is None else " but stop words"
        raise InputError(f"{rows.source}: there are no words in the texts{whose}{but}; expected words of two or more letters") from None
    texts = sparse.csr_array((np.ones(len(places), np.int64), (authors[written], places)), shape=(n_users, len(used)))
    return texts @ by_text, counter.get_feature_names_out().tolist()


def _neighbours(links: Links, n_users: int, of: Of) -> Any:
    """Whose texts make each user, by user: 1 where they do."""
    from scipy import sparse

    linked = sparse.csr_array((np.ones(len(links), dtype=np.int64), (links.sources, links.targets)), shape=(n_users, n_users))
    if of == "followees":
        return linked
    if of == "followers":
        return linked.T.tocsr()
    around = (linked + linked.T + sparse.eye_array(n_users, dtype=np.int64)).tocsr()
    around.data[:] = 1
    return around


def _weighted(counts: Any, weighting: Weighting) -> Any:
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = counts.astype(np.float64)
    if weighting == "tf-idf":
        # Older versions of scikit-learn multiply, and mean the product of matrices.
        weights = sparse.csr_array(TfidfTransformer().fit_transform(sparse.csr_matrix(weights)))
    elif weighting == "relison":
        rarity = np.log2(1 + counts.shape[0] / (np.bincount(counts.indices, minlength=counts.shape[1]) + 1))
        weights.data = (1 + np.log2(weights.data)) * rarity[counts.indices]
    weights.sort_indices()
    return weights


def _texts(rows: Rows, used: npt.NDArray[Any]) -> Iterator[str]:
    """Some of the distinct texts, one after the other."""
    column = rows.ids["text"]
    for code, text in zip(used.tolist(), Ids(column.ids).take(used).values, strict=True):
        if not isinstance(text, str | int) or isinstance(text, bool):  # texts of some frames are all numbers
            raise InputError(f"{rows.at(int(np.argmax(column.codes == code)))}: the text is {quoted(text)}, expected text")
        yield str(text)


def text_rows(given: Any) -> Rows:
    """Rows user, text; a user without any is among the ids."""
    if isinstance(given, Rows):
        return given
    if is_external(given):
        return read_input("texts", given)
    pairs = list(_pairs(given))
    for user, text in pairs:
        if text is not None and not isinstance(text, str):
            raise InputError(f"texts: user {quoted(user)} has {quoted(text)}, expected text")
    texts = id_column("texts", "text", (NOTHING if text is None else text for _, text in pairs))
    return Rows("texts", {"user": id_column("texts", "user", (user for user, _ in pairs)), "text": texts})


def _pairs(given: Any) -> Iterator[tuple[Any, Any]]:
    form = "{user: text}, {user: [texts]} or rows (user, text)"
    if isinstance(given, Mapping):
        for user, texts in given.items():
            several = isinstance(texts, Iterable) and not isinstance(texts, str | bytes | Mapping)
            yield from ((user, text) for text in (list(texts) or [None] if several else [texts]))
        return
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise InputError(f"texts: expected {form}, found {quoted(given)}")
    for place, row in enumerate(given):
        pair = tuple(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else ()
        if len(pair) != 2:
            raise InputError(f"texts: row {place} is {quoted(row)}, expected {form}")
        yield pair


def _id_array(name: str, ids: list[Any]) -> npt.NDArray[Any]:
    """Ids as an array that a file can hold without pickled objects, which could run code."""
    kinds = set(map(type, ids))
    if kinds == {str}:
        odd = next((id for id in ids if not id or id.endswith("\0") or re.search("[\ud800-\udfff]", id)), None)
        if odd is None:
            return np.array(ids, dtype=np.str_)
        raise OutputError(f"{name}: cannot be written: an npz file cannot hold the user {quoted(odd)}")
    for kind in (np.int64, np.uint64) if kinds <= {int} else ():
        with suppress(OverflowError):
            return np.array(ids, dtype=kind)
    odd = next((id for id in ids if not isinstance(id, str | int)), ids[0])
    raise OutputError(f"{name}: cannot be written: users must be whole numbers, or all text, found {quoted(odd)}")


def _some(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"
