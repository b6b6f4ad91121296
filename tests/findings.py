"""What is found out about inputs."""

from typing import Any

from aspectrum.conventions import convention_named
from aspectrum.inspection import Finding, Inputs, inspect
from aspectrum.world.building import build_lists
from aspectrum.world.world import list_rows


def findings(lists: Any, convention: str | None = None, **inputs: Any) -> list[Finding]:
    truth = convention_named(convention).truth(**inputs)
    tables = truth.tables.copy()
    coded = build_lists(list_rows(lists, "lists"), tables, truth.reading)
    return inspect(Inputs(truth, tables, truth.inputs, {"lists": coded.input}))
