"""The tutorial of CONTRIBUTING.md works as it stands: one file and one test make a metric."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

# What a file in metrics/ does: here the folder has a second part, in which the new file is.
WITH_NEW_METRICS = """
import importlib.util, os, sys
spec = importlib.util.find_spec("aspectrum.metrics")
spec.submodule_search_locations.append(os.environ["NEW_METRICS"])
sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
"""


@pytest.fixture
def tutorial(tmp_path: Path) -> Path:
    """A folder with the files that the tutorial writes, and commands that know the new metric."""
    blocks = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, re.DOTALL))
    assert [path.rpartition("/")[0] for path in blocks] == ["src/aspectrum/metrics", "tests/metrics"]
    for path, code in blocks.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(code, encoding="utf-8")
    commands = {
        "aspectrum": "from aspectrum.cli import main\nmain()",
        "pytest": "import pytest\nsys.exit(pytest.main())",
        "try-example": "import doctest\nfrom aspectrum.metrics import repeat_share\nsys.exit(doctest.testmod(repeat_share) != (0, 2))",
        "try-names": "from aspectrum import RepeatShare, parse\nassert parse('repeat share@5') == RepeatShare(k=5)",
    }
    (tmp_path / "bin").mkdir()
    for name, code in commands.items():
        (tmp_path / "bin" / name).write_text(f"#!{sys.executable}\n{WITH_NEW_METRICS}{code}\n", encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run(folder: Path, script: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    more = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "NEW_METRICS": str(folder / "src" / "aspectrum" / "metrics"),
        "LC_ALL": "C.UTF-8",
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(["bash", "-c", script], cwd=cwd, env={**environment, **more}, capture_output=True, text=True, check=False)


def test_commands_print_what_the_page_says(tutorial: Path) -> None:
    checker = doctest.OutputChecker()
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        ran = run(tutorial, command, tutorial)
        assert checker.check_output(expected, ran.stdout + ran.stderr, doctest.ELLIPSIS), f"$ {command}\n{ran.stdout}{ran.stderr}"


def test_its_own_test_and_example_pass(tutorial: Path) -> None:
    ran = run(tutorial, f"try-example && pytest -q -p no:cacheprovider -c {ROOT / 'pyproject.toml'} {tutorial}/tests", ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout


def test_the_laws_find_it(tutorial: Path) -> None:
    chosen = "RepeatShare or (crowd and whoever and judged)"
    ran = run(tutorial, f"pytest -q -p no:cacheprovider tests/test_laws.py -k '{chosen}'", ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    listed = run(tutorial, "pytest -q --collect-only -p no:cacheprovider tests/test_laws.py -k RepeatShare", ROOT).stdout
    for law in ("is_a_value", "text_reads_back", "what_it_declares", "declares_itself", "direction_is_true"):
        assert re.search(rf"{law}\[RepeatShare\]", listed), law


def test_nothing_else_is_touched(tutorial: Path) -> None:
    """All the files there are: the metric, and its test."""
    written = {str(path.relative_to(tutorial)) for path in tutorial.rglob("*.py")}
    assert written == {"src/aspectrum/metrics/repeat_share.py", "tests/metrics/test_repeat_share.py"}
    ran = run(tutorial, "try-names", tutorial)
    assert ran.returncode == 0, ran.stderr
