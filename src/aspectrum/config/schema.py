"""The shape of a configuration as JSON schema, for editors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from aspectrum.config.metric_grammar import TYPES
from aspectrum.config.settings import Settings
from aspectrum.documentation import metrics_as_data, options_of
from aspectrum.inputs import ALL_TRUTH, BUNDLES, ROLES, TRUTH
from aspectrum.metric import registered

_Schema = dict[str, Any]

_PATH: _Schema = {"type": "string", "minLength": 1}
_SOURCE: _Schema = {"anyOf": [_PATH, {"$ref": "#/$defs/SourceSettings"}]}
_OUTPUT: _Schema = {"anyOf": [_PATH, {"$ref": "#/$defs/OutputSettings"}]}
_COLUMN: _Schema = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}]}
_NULL: _Schema = {"type": "null"}


def json_schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of a configuration. It refuses nothing that :func:`read_settings` takes."""
    schema = _untitled(Settings.model_json_schema())
    definitions = schema["$defs"]
    definitions["OutputSettings"]["required"] = ["path"]  # the extension may say the format
    definitions["Columns"] = _object({role: _described(meaning, _COLUMN) for role, meaning in ROLES.items()})
    of_source = definitions["SourceSettings"]["properties"]
    of_source["columns"] = _described(of_source["columns"]["description"], {"$ref": "#/$defs/Columns"})
    # The models take what has been read; these may be written in more ways than one, or have more to tell.
    shapes: dict[str, _Schema] = {
        "systems": {"anyOf": [_PATH, {"type": "array", "items": _SOURCE}, {"type": "object", "additionalProperties": _SOURCE}]},
        "inputs": _object(
            {
                name: _or_null(_described(spec.help if name in (*TRUTH, *BUNDLES) else f"For contacts, {spec.comment}.", _SOURCE))
                for name, spec in {**ALL_TRUTH, **BUNDLES}.items()
            }
        ),
        "columns": {"$ref": "#/$defs/Columns"},
        "metrics": _metrics(definitions),
        "outputs": {"anyOf": [*_OUTPUT["anyOf"], {"type": "array", "items": _OUTPUT}]},
    }
    for name, shape in shapes.items():
        schema["properties"][name] = _described(schema["properties"][name]["description"], shape)
    for part, name in ((schema, "convention"), (definitions["ContactSettings"], "keep")):
        several = part["properties"][name]
        ways = [several["items"], {"type": "array", "items": several["items"]}]
        if name == "convention":  # or as on the command line
            one = f"({'|'.join(several['items']['enum'])})"
            ways.append({"type": "string", "pattern": rf"^\s*{one}(\s*,\s*{one})*\s*$"})
        part["properties"][name] = _described(several["description"], {"anyOf": ways})
    for part in (schema, *(definitions[name] for name in ("SourceSettings", "OutputSettings", "ContactSettings", "ComparisonSettings"))):
        required = part.get("required", ())
        part["properties"] = {name: inner if name in required else _or_null(inner) for name, inner in part["properties"].items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "aspectrum configuration",
        **schema,
        "description": "One evaluation of ranked lists.",
    }


def _untitled(schema: Any) -> Any:
    """Without the titles that repeat the names, and the defaults that descriptions tell."""
    if isinstance(schema, dict):
        kept = {name: inner for name, inner in schema.items() if name not in ("title", "default")}
        # A property may be called title.
        return {
            name: {key: _untitled(one) for key, one in inner.items()} if name == "properties" else _untitled(inner)
            for name, inner in kept.items()
        }
    return [_untitled(inner) for inner in schema] if isinstance(schema, list) else schema


def _or_null(schema: _Schema) -> _Schema:
    """A key with nothing behind it is as good as absent."""
    if _NULL in schema.get("anyOf", ()):
        return schema
    return _described(schema["description"], {"anyOf": [{name: inner for name, inner in schema.items() if name != "description"}, _NULL]})


def _described(meaning: str, schema: _Schema) -> _Schema:
    return {"description": meaning, **schema}


def _object(properties: _Schema, **more: Any) -> _Schema:
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


def _metrics(definitions: dict[str, _Schema]) -> _Schema:
    """Text forms, or names with parameters. Names are read with some leniency, so no other name is refused."""
    bounds = {"start": "The first value.", "end": "The last value, even if the steps miss it.", "step": "More than 0."}
    steps = _object({name: {"description": meaning} for name, meaning in bounds.items()}, required=list(bounds))
    definitions["Range"] = _described("From start to end by steps, both included.", steps)
    ways = {
        "type": {"description": "What the values are.", "enum": list(TYPES)},
        "values": {"description": "One value, or a list of them.", "not": _NULL},
        "range": {"anyOf": [{"$ref": "#/$defs/Range"}, {"type": "array", "items": {"$ref": "#/$defs/Range"}, "minItems": 1}]},
    }
    values = _object(ways, anyOf=[{"required": ["values"]}, {"required": ["range"]}])
    definitions["Values"] = _described("Values of a parameter, as RELISON writes them.", values)
    named: dict[str, _Schema] = {}
    for metric in metrics_as_data():
        definitions[metric["name"]] = _described(metric["summary"], _object(dict(_parameters(metric))))
        for name in (metric["name"], *metric["aliases"]):
            named[name] = {"$ref": f"#/$defs/{metric['name']}"}
    text = {"type": "string", "examples": ["AlphaNDCG(alpha=0.5)@5,10", *(f"{name}@10" for name in named)]}
    mapping = {"type": "object", "properties": named, "additionalProperties": {"type": "object"}}
    return {"anyOf": [text, {"type": "array", "items": text}, mapping]}


def _parameters(metric: Mapping[str, Any]) -> Iterator[tuple[str, _Schema]]:
    """A schema for every parameter: a value, several values, or RELISON's way to write them."""
    hints = get_type_hints(registered()[metric["name"]])
    for parameter in metric["parameters"]:
        own = parameter["name"]
        value: _Schema = _CUTOFF if own == "k" else {"anyOf": [_option(option) for option in options_of(hints[own])]}
        for name in ("cutoff", "k") if own == "k" else (own,):
            ways = [value, {"type": "array", "items": value, "minItems": 1}, {"$ref": "#/$defs/Values"}]
            yield name, {"description": parameter["description"], "anyOf": ways}


def _option(hint: Any) -> _Schema:
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    return {"type": _JSON_TYPES[hint]} if hint in _JSON_TYPES else {}


_CUTOFF: _Schema = {"anyOf": [{"type": "integer", "minimum": -1, "not": {"const": 0}}, {"type": "string", "pattern": "^[1-9][0-9]*t$"}]}
_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
