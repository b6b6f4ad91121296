"""The code of the pages on Spark, Dask and Ray runs, each block after the other."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.integrations.test_spark import no_spark

pytestmark = pytest.mark.xdist_group("spark")  # after the cluster, not beside it

ROOT = Path(__file__).parents[2]
SPARK = """
from pathlib import Path
from tests.integrations.spark_cluster import session

with session("local[2]"):
{code}
"""
OTHERS = """
if __name__ == "__main__":  # workers are processes that import this file
    {main}
"""


def blocks(page: str, kind: str = "python") -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)


def run(script: Path, code: str) -> None:
    script.write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{script.parent}"}
    ran = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=150, check=False, env=environment, cwd=script.parent
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_spark(tmp_path: Path) -> None:
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        no_spark("there is no PySpark, or no Java")
    run(tmp_path / "page.py", SPARK.format(code=textwrap.indent("\n".join(blocks("spark.md")), "    ")))


@pytest.mark.slow
def test_dask(tmp_path: Path) -> None:
    """On two processes: the adapter is a module that they import, the rest is the main program."""
    if importlib.util.find_spec("distributed") is None:
        no_spark("Dask is not installed")
    adapter, main = blocks("other-engines.md")
    (tmp_path / "adapter.py").write_text(adapter, encoding="utf-8")
    names = "from adapter import asp, evaluate, os, tempfile\n"
    run(tmp_path / "page.py", names + "\n\ndef main():\n" + textwrap.indent(main, "    ") + OTHERS.format(main="main()"))


@pytest.mark.slow
def test_ray(tmp_path: Path) -> None:
    (adapter,) = blocks("other-engines.md", "python ray")
    compile(adapter, "other-engines.md", "exec")
    pytest.importorskip("ray")
    first, _ = blocks("other-engines.md")
    work = """
import pandas
rows = pandas.DataFrame({"user": [1, 1, 2, 3], "item": [5, 6, 5, 7], "score": [2.0, 1.0, 1.0, 1.0]})
relevance = {1: [6], 2: [5], 3: [5]}
found = evaluate_in_ray(ray.data.from_pandas(rows), "NDCG@2", path=os.path.abspath("plan.arrow"), partitions=2, relevance=relevance)
assert found == asp.evaluate(rows, "NDCG@2", relevance=relevance, ties="ascending")
"""
    run(tmp_path / "page.py", first + adapter + work)
