"""From a YAML file to settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from aspectrum.config.metric_grammar import MetricReader
from aspectrum.config.settings import ComparisonSettings, ContactSettings, OutputSettings, Settings, SourceSettings, system_name
from aspectrum.config.tree import read_tree
from aspectrum.config.values import UNREADABLE, Mistakes, Value, unknown_key
from aspectrum.formats import EXTENSIONS
from aspectrum.inputs import ALL_TRUTH, BUNDLES
from aspectrum.nuggets import Choices
from aspectrum.wording import did_you_mean, listed


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """Settings from a YAML file. Paths in it are taken from the folder of the file.

    Raises:
        ConfigError: One line per mistake, in the order of the file.
    """
    file = os.fsdecode(path)
    mistakes = Mistakes(file)
    tree = read_tree(file, mistakes)
    if not isinstance(tree.value, dict):
        mistakes.stop(f"found {tree.found}, expected a mapping with {listed(Settings.model_fields)}", tree.place)
    entries = {key: inner for key, inner in tree.value.items() if inner.value is not None or key not in Settings.model_fields}
    if "systems" in entries:
        entries["systems"] = _named_systems(entries["systems"], mistakes)
    metrics = MetricReader(mistakes).read(entries["metrics"]) if "metrics" in entries else ()
    _check_ids(entries, mistakes)
    tree = replace(tree, value=entries)
    try:
        settings = Settings.model_validate({**tree.plain, "metrics": metrics}, context=os.path.dirname(file))
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        keys = {detail["loc"][:-1] for detail in details if detail["loc"][-1] == "[key]"}
        for detail in details:
            steps = detail["loc"]
            # What stands behind an unknown key is not worth a word.
            if steps[-1] == "[key]" or not any(steps[: n_steps + 1] in keys for n_steps in range(len(steps))):
                _translate(detail, tree, mistakes)
        mistakes.report()
    if mistakes:
        mistakes.report()
    return settings


def _named_systems(written: Value, mistakes: Mistakes) -> Value:
    """A list of systems, or a single one, as a mapping by the names of the files."""
    if not isinstance(written.value, list | str):
        return written
    named: dict[str, Value] = {}
    for place, source in enumerate(written.value if isinstance(written.value, list) else [written]):
        path = source.value.get("path", source) if isinstance(source.value, dict) else source
        name = system_name(path.value) if isinstance(path.value, str) and "\0" not in path.value else ""
        if name and name in named:
            mistakes.add(path, ("systems",), f"a second system is called {name!r}; give them names of their own: NAME: PATH")
            continue
        named[name or f"entry {place + 1}"] = source
    return replace(written, value=named)


def _check_ids(written: Mapping[str, Value], mistakes: Mistakes) -> None:
    for part in ("systems", "inputs"):
        sources = written[part].value if part in written else None
        for name, source in sources.items() if isinstance(sources, dict) else ():
            ids = source.value.get("ids") if isinstance(source.value, dict) else None
            if ids is not None and ids.value is not None and (part, name) != ("inputs", "features"):
                mistakes.add(ids, (part, name), "found ids, which goes with inputs.features only", key=True)


def _translate(error: ErrorDetails, tree: Value, mistakes: Mistakes) -> None:
    """A model's error in plain words, at its place in the file."""
    written, where, location, kind, context = tree, list[str](), error["loc"], error["type"], error.get("ctx", {})
    for step in location[:-1] if kind == "missing" else location:
        inner = written.value
        if isinstance(inner, dict) and step in inner:
            written = inner[step]
            where.append(str(step))
        elif isinstance(inner, list) and isinstance(step, int):
            written = inner[step]
    words = re.findall(r"'([^']*)'", context.get("expected", ""))
    if kind == "extra_forbidden" or location[-1] == "[key]":
        is_input = len(where) == 1 and where[0] in (*ALL_TRUTH, *BUNDLES)
        is_choice = len(where) == 3 and where[1] in BUNDLES and where[2] in Choices.__dataclass_fields__
        belongs = "inputs" if is_input else "options" if is_choice else None
        model = Settings if len(location) == 1 else _MODELS.get(location[0], SourceSettings)
        mistakes.add(written, where[:-1], unknown_key(where[-1], words or model.model_fields, belongs), key=True)
    elif written.value is UNREADABLE:
        return
    elif kind == "missing" and location[-1] == "path":
        mistakes.add(written, where, "has no path, expected path: FILE", key=True)
    elif kind == "missing":
        path = written.value.get("path") if isinstance(written.value, dict) else written
        if path is None or not isinstance(path.value, str):
            return  # the path has been reported
        extension = Path(path.value).suffix
        said = f"found a path with {f'the extension {extension}' if extension else 'no extension'}, expected {listed(EXTENSIONS)}"
        mistakes.add(path, where, f"{said}, or a mapping with path and format")
    elif kind == "literal_error":
        mistakes.add(written, where, f"found {written.found}, expected {listed(words)}{did_you_mean(written.value, words)}")
    elif kind == "string_type" and location[0] == "comparison":
        mistakes.add(written, where, f"found {written.found}, expected text")
    elif kind in _EXPECTED:
        mistakes.add(written, where, f"found {written.found}, expected {_EXPECTED[kind].format(**context)}")
    else:
        quotes = "; put it in quotes if it is text" if isinstance(written.value, bool | int | float) else ""
        mistakes.add(written, where, f"found {written.found}, expected {error['msg']}{quotes}")


_MODELS: Mapping[str | int, type[BaseModel]] = {"comparison": ComparisonSettings, "contacts": ContactSettings, "outputs": OutputSettings}
_EXPECTED: Mapping[str, str] = {
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a finite number",
    "finite_number": "a finite number",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "string_type": "a separator, in quotes",
    "string_too_short": "a separator, in quotes",
    "string_pattern_mismatch": r'a separator without backslashes ("\t" in double quotes is a tab)',
}
"""What a model's error asks for; of texts only `split` is one for a model."""
