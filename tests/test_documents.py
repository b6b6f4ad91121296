"""Examples in the documents run, and say what comes out."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = ["README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_of_documents(document: str) -> None:
    failed, _ = doctest.testfile(str(ROOT / document), module_relative=False)
    assert failed == 0


def test_readme_has_examples_of_every_main_job() -> None:
    tests = doctest.DocTestParser().get_examples((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(tests) > 10
