"""From a YAML file to a tree of values that know their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml
from yaml.composer import ComposerError

from aspectrum.config.values import UNREADABLE, Mistakes, Place, Value
from aspectrum.wording import shortened

_MAX_BYTES = 1 << 20
_MAX_DEPTH = 50
_MAX_VALUES = 100_000
_TAG = "tag:yaml.org,2002:"


def read_tree(file: str, mistakes: Mistakes) -> Value:
    """The one document of a file. What cannot be read at all is raised, what can be read around is only noted."""
    text = _read_text(file, mistakes)
    unprintable = _Loader.NON_PRINTABLE.search(text)
    if unprintable is not None:
        found = f"found the character U+{ord(unprintable.group()):04X}, which YAML does not allow"
        mistakes.stop(found, _place_after(text[: unprintable.start()]))
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark, message = _syntax_mistake(error)
        mistakes.stop(message, _place(mark or loader.get_mark()))
    except (ValueError, OverflowError):  # an escape such as "\UFFFFFFFF"
        mistakes.stop("not valid YAML: an escape in this text is no character", _place(loader.get_mark()))
    finally:
        loader.dispose()
    if node is None or (isinstance(node, yaml.ScalarNode) and node.tag == _TAG + "null"):
        mistakes.stop("it is empty, expected at least metrics")
    return _TreeReader(mistakes).read(node, (), None)


def _read_text(file: str, mistakes: Mistakes) -> str:
    try:
        with open(file, "rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        known: dict[type[Exception], str] = {
            FileNotFoundError: "no such file",
            IsADirectoryError: "it is a directory, expected a YAML file",
        }
        mistakes.stop(known.get(type(error)) or f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > _MAX_BYTES:
        mistakes.stop(f"it is larger than {_MAX_BYTES >> 20} MiB, expected a configuration in YAML")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place_after(data[: error.start].decode("utf-8"))
        mistakes.stop(f"found the byte 0x{data[error.start]:02x}, which is not UTF-8; expected text in UTF-8", place)


def _place_after(text: str) -> Place:
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def _place(mark: yaml.Mark) -> Place:
    return mark.line + 1, mark.column + 1


class _Loader(yaml.SafeLoader):
    """Composes nodes; never constructs objects. The library's C loader would overflow its stack on deep nesting."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as the library declares it
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ComposerError(None, None, f"values stand more than {_MAX_DEPTH} deep in one another", self.get_mark())
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


# The words of YAML 1.1, which RELISON reads, and numbers as everybody writes them: 1.1 takes 1e-3 for text, 010 for 8, 1:30 for
# 90 and 2024-01-01 for a date.
for _kind, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF", list("yYnNtTfFoO")),
    ("int", r"[-+]?[0-9][0-9_]*", list("-+0123456789")),
    ("float", r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", list("-+.")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), _first)

_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_SCALARS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "merge": str,
    "null": lambda _: None,
    "bool": lambda text: _WORDS[text.lower()],
    "int": lambda text: int(text.replace("_", "")),
    "float": lambda text: float(re.sub(r"\.(inf|nan)$", r"\1", text.lower().replace("_", ""))),
}


def _syntax_mistake(error: yaml.MarkedYAMLError) -> tuple[yaml.Mark | None, str]:
    """Where, and in plain words where the library's are known."""
    problem, context = str(error.problem or "cannot be read"), str(error.context or "")
    here, opened = error.problem_mark or error.context_mark, error.context_mark or error.problem_mark
    if "cannot start any token" in problem:
        if r"'\t'" in problem:
            return here, "found a tab, expected spaces: YAML does not take tabs before a value"
        return here, f"not valid YAML: {problem.replace('any token', 'a value')}; put the value in quotes"
    if "mapping values are not allowed" in problem:
        return here, "not valid YAML: a ':' stands where none can; check the indentation, and put text that holds ': ' in quotes"
    if "could not find expected ':'" in problem:
        return opened, "not valid YAML: a key needs a ':' after it; check the indentation"
    if "quoted scalar" in context and "end of stream" in problem:
        return opened, "not valid YAML: a quote is opened and not closed"
    if "expected <block end>" in problem:
        return here, "not valid YAML: this does not line up with what stands above it; check the indentation and the quotes"
    if "parsing a flow" in context and opened is not None:
        bracket = "[" if "sequence" in context else "{"
        return here, f"not valid YAML: expected ',' or the end of what '{bracket}' opens on line {opened.line + 1}"
    if "single document" in context:
        return here, "a second document starts here, expected one"
    return here, f"not valid YAML: {problem}{' ' + context if context else ''}"


class _TreeReader:
    """Nodes to values with places; aliases are filled in, within bounds."""

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._n_values = 0
        self._inside: list[yaml.Node] = []

    def read(self, node: yaml.Node, where: tuple[str, ...], key: Place | None) -> Value:
        place = _place(node.start_mark)
        self._n_values += 1
        if self._n_values > _MAX_VALUES:
            self._mistakes.stop(
                f"found more than {_MAX_VALUES} values, those of an alias counted wherever it stands; expected fewer", place
            )
        if any(node is outer for outer in self._inside):
            self._mistakes.add_at(place, where, "an alias stands inside the value it stands for")
            return Value(UNREADABLE, place, key=key)
        self._inside.append(node)
        text = str(node.value) if isinstance(node, yaml.ScalarNode) else ""
        written = Value(self._value(node, where), place, text, key)
        self._inside.pop()
        return written

    def _value(self, node: yaml.Node, where: tuple[str, ...]) -> Any:
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self._mapping(node, where)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            return [self.read(inner, where, None) for inner in node.value]
        kind = node.tag.removeprefix(_TAG)
        if not isinstance(node, yaml.ScalarNode) or kind not in _SCALARS:
            tag = shortened(str(node.tag).replace(_TAG, "!!"))
            return self._unreadable(node, where, f"found the tag {tag}, expected a plain value")
        if not self._is_text(node, where):
            return UNREADABLE
        try:
            return _SCALARS[kind](node.value)
        except (ValueError, KeyError):  # a tag that the text does not fit, or thousands of digits
            return self._unreadable(node, where, f"found {shortened(node.value)!r}, which cannot be read as {kind}")

    def _unreadable(self, node: yaml.Node, where: tuple[str, ...], found: str) -> Any:
        self._mistakes.add_at(_place(node.start_mark), where, found)
        return UNREADABLE

    def _is_text(self, node: yaml.ScalarNode, where: tuple[str, ...]) -> bool:
        try:
            str(node.value).encode()
        except UnicodeEncodeError:
            self._unreadable(node, where, f"found {shortened(node.value)!r}, which holds half a character")
            return False
        return True

    def _mapping(self, node: yaml.MappingNode, where: tuple[str, ...]) -> dict[str, Value]:
        entries: dict[str, Value] = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            place = _place(key_node.start_mark)
            if key_node.tag == _TAG + "merge":
                merged += value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
            elif not isinstance(key_node, yaml.ScalarNode):
                kind = "mapping" if isinstance(key_node, yaml.MappingNode) else "list"
                self._mistakes.add_at(place, where, f"found a {kind} as a key, expected a name")
            elif self._is_text(key_node, where):
                # A system may be called `no` or `7`: a key is what is written, whatever YAML reads.
                key = str(key_node.value)
                if key in entries:
                    first = entries[key].key
                    assert first is not None
                    self._mistakes.add_at(place, where, f"the key {shortened(key)!r} is given twice, first on line {first[0]}")
                    self.read(value_node, (*where, key), place)
                else:
                    entries[key] = self.read(value_node, (*where, key), place)
        for other in merged:
            inner = self.read(other, where, None)
            if isinstance(inner.value, dict):
                entries = {**inner.value, **entries}
            elif inner.value is not UNREADABLE:
                self._mistakes.add(inner, where, f"found {inner.found} after '<<', expected the alias of a mapping")
        return entries
