"""Examples of the documentation give no warning about their inputs."""

import pytest
from _pytest.doctest import DoctestItem


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, DoctestItem):
            item.add_marker(pytest.mark.filterwarnings("error::aspectrum.AspectrumWarning"))
