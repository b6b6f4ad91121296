"""Examples in the documents run, and say what comes out."""

import doctest
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import aspectrum as asp
from aspectrum import metric

ROOT = Path(__file__).parent.parent
DOCUMENTS = ["README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_of_documents(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All Python of a document, then blocks of a console one after the other, in one folder: what is printed stands below."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aspectrum.metric._registry", dict(metric._registry))  # metrics that a document defines are its own
    with warnings.catch_warnings(action="error", category=asp.AspectrumWarning):
        failed, _ = doctest.testfile(str(ROOT / document), module_relative=False)
    assert failed == 0
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    checker = doctest.OutputChecker()
    for block in re.findall(r"```console\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL):
        for command, expected in re.findall(r"^\$ (.*(?:\n> .*)*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            script = command.replace("\n> ", "\n")
            ran = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
            printed = ran.stdout + ran.stderr
            assert checker.check_output(expected, printed, doctest.ELLIPSIS), f"$ {script}\n{printed}"


def test_readme_has_examples_of_every_main_job() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(doctest.DocTestParser().get_examples(text)) > 10
    for command in ("demo", "evaluate", "contacts", "ndeval", "check"):
        assert f"$ aspectrum {command}" in text
