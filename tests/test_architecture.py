"""What importing costs, how long functions may be, and that every metric is in its place."""

import ast
import subprocess
import sys
from collections.abc import Iterator
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


def test_every_module_can_be_imported_first() -> None:
    """Nobody has to know in which order. A user's own metric starts with ``from aspectrum.metric import ...``."""
    script = """
import importlib, sys
for name in sys.argv[1:]:
    for loaded in [module for module in sys.modules if module.partition(".")[0] == "aspectrum" and not module.endswith("_kernels")]:
        del sys.modules[loaded]
    importlib.import_module(name)
"""
    first = [f"aspectrum.{path.stem}" for path in sorted(SOURCE.iterdir()) if path.suffix in ("", ".py") and not path.name.startswith("__")]
    assert len(first) > 30
    ran = subprocess.run([sys.executable, "-c", script, *first], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


LONGEST = 60


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Functions of a file, and how many lines each has below its docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}", body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]


def test_functions_are_short() -> None:
    lengths = dict(found for path in sorted(SOURCE.rglob("*.py")) for found in functions(path))
    assert len(lengths) > 500
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_every_file_of_metrics_is_one_metric_with_a_test() -> None:
    tests = Path(__file__).parent / "metrics"
    known = {metric.__module__: name for name, metric in asp.registered().items()}
    files = {path.stem for path in (SOURCE / "metrics").glob("*.py")} - {"__init__"}
    assert {f"aspectrum.metrics.{file}" for file in files} == {module for module in known if module.startswith("aspectrum.")}
    assert files == {path.stem.removeprefix("test_") for path in tests.glob("test_*.py")}


def test_every_metric_is_exported_and_has_a_file_and_a_test() -> None:
    tests = Path(__file__).parent / "metrics"
    for name, metric in asp.registered().items():
        if not metric.__module__.startswith("aspectrum."):
            continue  # metrics that tests define
        assert getattr(asp, name) is metric
        assert name in asp.__all__
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
