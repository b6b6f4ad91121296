"""Examples of the documentation give no warning about their inputs. No test is timed: machines are noisy."""

from importlib.util import find_spec

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import settings

collect_ignore = [] if find_spec("pyspark") else ["src/aspectrum/integrations/spark"]  # whose modules import it

settings.register_profile("untimed", settings(), deadline=None)  # else as it was, also in continuous integration
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, DoctestItem):
            item.add_marker(pytest.mark.filterwarnings("error::aspectrum.AspectrumWarning"))
