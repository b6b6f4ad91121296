"""What importing costs, and that every metric is in its place."""

import subprocess
import sys
from pathlib import Path

import aspectrum as asp

SOURCE = Path(asp.__file__).parent


def test_import_loads_numpy_and_no_other_library() -> None:
    script = """
import sys
import numpy
before = set(sys.modules)
import aspectrum
loaded = {name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)
print(sorted(loaded))
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    foreign = {name for name in eval(shown.stdout) if not name.startswith(("numpy", "aspectrum", "_aspectrum", "__editable__"))}
    assert foreign == set()


def test_every_metric_is_exported_and_has_a_file_and_a_test() -> None:
    tests = Path(__file__).parent / "metrics"
    for name, metric in asp.registered().items():
        if not metric.__module__.startswith("aspectrum."):
            continue  # metrics that tests define
        assert getattr(asp, name) is metric
        file = metric.__module__.rpartition(".")[2]
        assert (SOURCE / "metrics" / f"{file}.py").exists()
        assert (tests / f"test_{file}.py").exists()


def test_every_metric_documents_its_formula_reference_and_example() -> None:
    for name, metric in asp.registered().items():
        if metric.__module__.startswith("aspectrum."):
            for part in (".. math::", "Args:", "Undefined:", "References:", "Examples:", ">>> "):
                assert part in (metric.__doc__ or ""), f"{name} has no {part}"


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert asp.__version__ == version("aspectrum")
