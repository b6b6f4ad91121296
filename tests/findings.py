"""What is found out about inputs."""

from typing import Any

from aspectrum.conventions import convention_named
from aspectrum.diagnostics.findings import Inputs, find
from aspectrum.diagnostics.notices import Notice
from aspectrum.world.building import build_lists
from aspectrum.world.world import list_rows


def findings(lists: Any, convention: str | None = None, **inputs: Any) -> list[Notice]:
    truth = convention_named(convention).truth(**inputs)
    tables = truth.tables.copy()
    coded = build_lists(list_rows(lists, "lists"), tables, truth.reading)
    return find(Inputs(truth, tables, truth.inputs, {"lists": coded.input}))
