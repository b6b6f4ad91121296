"""Which column has which role: by what was said, by the usual names, or by place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from aspectrum.diagnostics.notices import Option
from aspectrum.errors import InputError
from aspectrum.inputs import NUMBERS, InputSpec
from aspectrum.io.source import NO_USUAL_COLUMNS, UsualColumns
from aspectrum.wording import did_you_mean

if TYPE_CHECKING:
    from aspectrum.io.tables import Table

# Spellings are compared without case and without anything but letters and digits; the earlier is the more certain.
_USERS = "user userid uid users query queryid qid topic topicid targetuser source sourceuser customer customerid session sessionid"
_ITEMS = (
    "item itemid iid items movie movieid doc docid docno document documentid candidate product productid article "
    "articleid track trackid song songid book bookid isbn news newsid business businessid node nodeid"
)
_ASPECTS = "aspect aspects genre genres subtopic subtopics subtopicid tag tags community communities category categories intent nugget"
_SPELLINGS = {
    "user": _USERS,
    "item": _ITEMS,
    "aspect": _ASPECTS,
    "rank": "rank position pos place",
    "score": "score scores similarity prediction pred predicted predictedrating estimate est",
    "grade": "grade rating ratings relevance relevant rel judgment judgement stars label qrel",
    "strength": "strength confidence probability",
    "weight": "weight weights importance probability",
    "feature": "feature featureid features term word attribute tag",
    "group": "group groups groupid provider providerid supplier supplierid protected gender country region party publisher",
    "share": "share alignment fraction strength probability weight",
    "count": "count counts n times frequency freq plays playcount nplays listens listencount interactions ninteractions nratings",
    "value": "value weight count frequency tf tfidf score",
    "tokens": "tokens ntokens numtokens tokencount length len nwords words size",
    "source": f"source src from follower followerid sourceid fromid node1 id1 {_USERS}",
    "target": f"target dst dest to followee followeeid followed followedid friend friendid contact contactid targetid toid node2 id2 {_ITEMS}",
    "community": "community communities communityid cluster clusterid partition group module label class",
    "system": "system systemid systemname model modelid modelname algorithm recommender",
    "text": "text texts content contents body tweet message post document words",
}
# What else a word may mean in some inputs, where no column has a name from above.
_CONTACTS = "candidateid contact contactid followee followeeid followed friend friendid to"
_FALLBACK = {
    (input, role): words
    for inputs, roles, words in (
        ("aspects", "aspect", "topic topicid topics cluster class label group"),
        ("aspects features catalogue items groups popularity lengths", "item", "user userid uid id"),
        ("groups", "group", f"{_ASPECTS} cluster class label"),
        ("popularity", "count", "popularity users nusers value views downloads"),
        ("baseline", "user", "target follower followerid from"),
        ("baseline", "item", f"recommended recommendation target {_CONTACTS}"),
        ("baseline", "score", "rating weight"),
        ("users", "user", "id"),
        ("subtopics", "aspect", "iteration"),
        ("communities", "user", "node nodeid item itemid id vertex name"),
        ("communities", "community", _ASPECTS),
        ("texts", "user", "node nodeid item itemid id author authorid name"),
        ("rankings", "user", "target follower followerid from"),
        ("rankings", "item", f"recommended recommendation target {_CONTACTS}"),
        ("rankings", "score", "rating weight"),
        ("rankings", "system", "run runid runname"),
        ("relevance history", "user item", "target"),
        ("relevance history", "grade", "score weight click clicks clicked liked"),
    )
    for input in inputs.split()
    for role in roles.split()
}

# What a column of true and false may be called that says which items were relevant.
_FLAGS = (
    "isrelevant positive ispositive hit ishit purchased purchase ispurchased waspurchased bought isbought ordered isordered click clicks clicked "
    "isclick isclicked wasclicked like likes liked islike isliked watched iswatched viewed isviewed played isplayed listened consumed "
    "isconsumed interacted interaction converted conversion isconverted accepted isaccepted target istarget groundtruth"
)

# Frames of search tools have both: the text of a query and a document's place in an index are no ids beside these.
_STANDS_ASIDE_FOR: Mapping[str, Sequence[str]] = {"query": ("qid", "queryid"), "docid": ("docno",)}


_TYPED = re.compile(r"(?<=.):(token|token_seq|float|float_seq)\Z")


def plain(name: str) -> str:
    if len(name) > 100:  # no usual name, and perhaps no name at all
        return name
    return "".join(letter for letter in _TYPED.sub("", name).casefold() if letter.isalnum())


def is_typed(name: str, kind: str = "") -> bool:
    """Whether a column is named as RecBole's files do, with the kind of its values: ``genre:token_seq``."""
    typed = _TYPED.search(name)
    return typed is not None and kind in ("", typed[1])


def is_flag_name(name: str) -> bool:
    """Whether a column of true and false, by its name, says which items were relevant."""
    return plain(name) in _FLAGS.split()


def names_a_user(name: str) -> bool:
    """Whether a column, by its name, says whose a row is; ``users`` may be how many they are."""
    return plain(name) in ("user", "userid", "uid", "customer", "customerid", "session", "sessionid")


# What a column of numbers may be called that is something else; by the end of its name, it is no id if that is one of these.
_ASIDE = (
    "time timestamp ts date datetime year month week weekday day hour at epoch unix utc duration latency ms index idx price age session fold split "
    "batch step seed page count n k seq unnamed id zip zipcode lat lon device store"
)
_ASIDE_ENDS, _NO_IDS = ("time", "stamp", "date", "id"), "paid valid invalid grid bid hybrid"
_TELLING = "score scores rank rating ratings grade relevance rel pred prediction similarity probability weight"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def is_aside(name: str) -> bool:
    """Whether a column of numbers, by its name, is no grade, rank or score: a time, an index, a price, another id."""
    words = [word.lower() for word in _WORD.findall(_TYPED.sub("", name))]
    if any(word in _TELLING.split() for word in words):
        return False
    ends = bool(words) and words[-1].endswith(_ASIDE_ENDS) and words[-1] not in _NO_IDS.split()
    return not words or ends or any(word in _ASIDE.split() for word in words)


def is_spelling(input: str, roles: Sequence[str], name: str) -> bool:
    word = plain(name)
    return any(word in words for role in roles for words in _spellings(input, role))


@cache
def _spellings(input: str, role: str) -> tuple[Sequence[str], Sequence[str]]:
    """The usual names of a column, and those it may have where none is there."""
    return _SPELLINGS[role].split(), _FALLBACK.get((input, role), "").split()


def find_columns(
    source: str,
    spec: InputSpec,
    said: Mapping[str, str | int],
    names: Sequence[str] | None,
    width: int,
    usual: UsualColumns = NO_USUAL_COLUMNS,
    header: bool = False,
    table: Table | None = None,
    index: Sequence[str] = (),
) -> dict[str, int]:
    """The place of every column that is there, by role.

    Args:
        header: Whether the names stand in the first line of a file.
        table: What tells columns apart that may have the same role.
        index: Names of what a frame has beside its columns.
    """
    found = {role: _said(source, role, column, names, width) for role, column in said.items() if role in spec.roles}
    if names is None:
        if not found and spec.required:
            roles = spec.by_place.get(width)
            if roles is None and width == 1:
                raise InputError(
                    f"{source}: has 1 column, expected {spec.form}; are they separated by something other than a comma, semicolon, tab, | or blank?"
                )
            if roles is None:
                raise InputError(
                    f"{source}: has {width} column{'s' * (width != 1)} without names, expected {spec.form}; specify them with ",
                    Option(
                        "columns", {role: place for place, role in enumerate((*spec.required, *spec.expected[-1:])[:width], 1)}, spec.name
                    ),
                )
            return {role: place for place, role in enumerate(roles)}
    else:
        for role in spec.roles:
            if role not in found and (place := usual.place(role, names)) is not None:
                found[role] = _only(source, role, names, place)
        for role in spec.roles:
            if role not in found and (place := _recognised(source, spec, role, names, set(found.values()), table)) is not None:
                found[role] = place
        if table is not None and "grade" in spec.roles and spec.name in ("relevance", "history") and "grade" not in found:
            flags = [
                place for place, name in enumerate(names) if is_flag_name(name) and place not in found.values() and table.is_flag(place)
            ]
            found |= {"grade": flags[0]} if len(flags) == 1 else {}
        in_index = any(is_spelling(spec.name, spec.required, name) for name in index)
        if not found and width == len(spec.required) == 1 and not in_index:
            found[spec.required[0]] = 0
    missing = [role for role in spec.required if role not in found]
    if missing:
        raise _not_found(source, missing, names, width, header, index)
    roles_of: dict[int, str] = {}
    for role, place in found.items():
        if roles_of.setdefault(place, role) != role:
            column = repr(names[place]) if names is not None else str(place + 1)
            raise InputError(f"{source}: column {column} is given as both {roles_of[place]} and {role}")
    return found


def _not_found(
    source: str, missing: Sequence[str], names: Sequence[str] | None, width: int, header: bool, index: Sequence[str]
) -> InputError:
    there = f"columns are {_listed(names)}" if names is not None else f"its {width} columns have no names"
    start = f"{source}: no {' and no '.join(missing)} column found; {there}"
    if index:
        called = f"the index {_listed(index)}" if all(index) else "the index, which has no name,"
        return InputError(f"{start}; {called} is not read: make columns of it with .reset_index()")
    as_data = ("; or use ", Option("header", False), " if the first line is data") if header else ()
    which = "it" if len(missing) == 1 else "them"
    return InputError(f"{start}; specify {which} with ", Option("columns", dict.fromkeys(missing, "NAME")), *as_data)


def _said(source: str, role: str, column: str | int, names: Sequence[str] | None, width: int) -> int:
    if names is not None and column in names:
        return _only(source, role, names, names.index(str(column)))
    if is_place(column):
        if not 1 <= int(column) <= width:
            raise InputError(f"{source}: {role} is given as column {column}, but there are {width} columns")
        return int(column) - 1
    if names is None:
        raise InputError(f"{source}: {role} is given as column {column!r}, but the columns have no names; give its number, from 1")
    hint = did_you_mean(column, names)
    raise InputError(f"{source}: {role} is given as column {column!r}, which does not exist; columns are {_listed(names)}{hint}")


def is_place(column: str | int) -> bool:
    """Whether a column is said by its place, from 1."""
    return isinstance(column, int) or (column.isascii() and column.isdigit())


def _only(source: str, role: str, names: Sequence[str], place: int) -> int:
    if names.count(names[place]) > 1:
        raise InputError(f"{source}: {role} is given as column {names[place]!r}, but two columns have that name; give its number, from 1")
    return place


def _listed(names: Sequence[str]) -> str:
    """The first names: a table of features may have thousands."""
    return ", ".join(map(repr, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _recognised(source: str, spec: InputSpec, role: str, names: Sequence[str], taken: set[int], table: Table | None) -> int | None:
    words = [plain(name) for name in names]
    aside = {word for word, others in _STANDS_ASIDE_FOR.items() if any(other in words for other in others)}
    # Of other names the very name of the role is the more certain; these mean the same.
    twins = () if role in NUMBERS else (role, f"{role}id", f"{role}s", f"{role[0]}id")
    for known in _spellings(spec.name, role):
        places = [place for place, word in enumerate(words) if word in known and word not in aside and place not in taken]
        if any(words[place] == role for place in places):
            places = sorted((place for place in places if words[place] in (role, *twins)), key=lambda place: words[place] != role)
        for other in places[1:]:
            if table is None or not table.are_equal(places[0], other):
                both = " and ".join(repr(names[place]) for place in (places[0], other))
                raise InputError(f"{source}: {both} may both be the {role}; specify one with ", Option("columns", {role: "NAME"}))
        if places:
            return places[0]
    return None


def usual_column(role: str, names: Sequence[str]) -> str | None:
    """The column that is called as users or items are; None if there is none."""
    spellings = [*_SPELLINGS[role].split(), "id"]
    found = sorted((name for name in names if plain(name) in spellings), key=lambda name: spellings.index(plain(name)))
    return found[0] if found else None
