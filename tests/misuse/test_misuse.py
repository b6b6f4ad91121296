"""The table of misuses, row by row. Its parts are the modules beside this one."""

import importlib
import pkgutil

import pytest

from tests import misuse
from tests.misuse.table import Misuse

PARTS = [name for _, name, _ in pkgutil.iter_modules(misuse.__path__) if name not in ("table", "test_misuse")]
TABLE: list[Misuse] = [row for name in PARTS for row in importlib.import_module(f"tests.misuse.{name}").MISUSES]


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_misuse(row: Misuse) -> None:
    row.check()


def test_no_misuse_stands_there_twice() -> None:
    assert len({row.does for row in TABLE}) == len(TABLE)
