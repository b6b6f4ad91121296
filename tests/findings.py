"""What is found out about inputs."""

from typing import Any

import aspectrum as asp
from aspectrum.conventions import convention_named
from aspectrum.inspection import Finding, Inputs, inspect
from aspectrum.world.building import build_lists
from aspectrum.world.world import list_rows


def findings(lists: Any, convention: str | None = None, **inputs: Any) -> list[Finding]:
    truth = asp.Truth.read(reading=convention_named(convention).reading({name: inputs[name] for name in ("threshold", "order", "ties", "duplicates") if name in inputs}), **inputs)
    tables = truth.tables.copy()
    coded = build_lists(list_rows(lists, "lists"), tables, truth.reading)
    return inspect(Inputs(truth, tables, truth.inputs, {"lists": coded.input}))
