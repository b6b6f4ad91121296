"""After a fork polars has lost its threads: an error says so, where reading would hang for ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

DOORS = {
    "text": "asp.evaluate('lists.csv', 'NDCG@2', relevance=HAD)",
    "Parquet": "asp.evaluate('lists.parquet', 'NDCG@2', relevance=HAD)",
    "JSON Lines": "asp.evaluate(HAD, 'NDCG@2', relevance='lists.jsonl')",
    "polars": "asp.evaluate(polars.DataFrame({'user': ['u'], 'item': ['a']}), 'NDCG@2', relevance=HAD)",
    "lists of a plan": "plan.observe('lists.csv')",
    "numbers beside text files": "numbers.observe({1: [2, 3]})",
    "a partial": "plan.observe(HAD).write('part.arrow')",
    "its reading": "plan.read('parts.arrow')",
    "scores of users": "asp.evaluate(HAD, 'NDCG@2', relevance=HAD).write_per_user('scores.parquet')",
    "scores of systems": "asp.evaluate_systems({'s': HAD}, 'NDCG@2', relevance=HAD).per_user",
    "a file of scores": "asp.ScoresFile('scores.parquet').__enter__()",
    "a graph": "asp.contacts.find_communities('lists.csv')",
    "communities": "asp.contacts.find_communities(HAD, method='components').write('communities.csv')",
}
SOUND = {
    "plain objects": "asp.evaluate(HAD, 'NDCG@2', relevance=HAD).per_user",
    "a world": "asp.evaluate(world, ['NDCG@2', 'AlphaNDCG@2', 'GiniComplement'])",
    "numbers in Markdown": "results.to_markdown()",
}
USED = """
import polars
polars.DataFrame(HAD).write_parquet("lists.parquet")
plan, numbers = (asp.Plan("NDCG@2", asp.Truth.read(relevance=file)) for file in ("lists.csv", "numbers.csv"))
plan.observe(HAD).write("parts.arrow")
world = asp.World.read("lists.csv", asp.Truth.read(relevance="lists.csv", aspects={"a": "x"}))
results = asp.evaluate("lists.csv", "NDCG@2", relevance="lists.csv")
"""
FORKED = """
import os, sys
import aspectrum as asp
HAD = {"u": ["a", "b"]}
exec(sys.argv[1])
for door in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        try:
            exec(door)
            os.write(1, b"sound\\n")
        except asp.AspectrumError as error:
            os.write(1, str(error).encode() + b"\\n")
        os._exit(0)
    os.waitpid(child, 0)
"""


def told(folder: Path, before: str, doors: list[str]) -> list[str]:
    """What each child says, one after the other; one that hangs is killed with all the others."""
    (folder / "lists.csv").write_text("user,item\nu,a\nu,b\n")
    (folder / "numbers.csv").write_text("user,item\n1,2\n1,3\n")
    (folder / "lists.jsonl").write_text('{"user": "u", "item": "a"}\n')
    command = [sys.executable, "-W", "ignore", "-c", FORKED, before, *doors]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            raise
    assert process.returncode == 0, err
    return out.splitlines()


def test_a_child_of_a_process_that_used_polars(tmp_path: Path) -> None:
    said = told(tmp_path, USED, [*DOORS.values(), *SOUND.values()])
    refused, sound = said[: len(DOORS)], said[len(DOORS) :]
    for door, message in zip(DOORS, refused, strict=True):
        assert "this process was forked from one that had used polars" in message, door
        assert "get_context('spawn')" in message
    assert sound == ["sound"] * len(SOUND)


@pytest.mark.parametrize("before", ["", "import polars"], ids=["not loaded", "only loaded"])
def test_a_child_of_a_process_that_did_not(before: str, tmp_path: Path) -> None:
    assert told(tmp_path, before, [DOORS["text"], DOORS["scores of users"]]) == ["sound"] * 2


def test_polars_used_by_others_counts(tmp_path: Path) -> None:
    (said,) = told(tmp_path, "import polars; polars.DataFrame(HAD).write_parquet('x.parquet')", [DOORS["text"]])
    assert "had used polars" in said


def test_other_ways_to_start_processes(tmp_path: Path) -> None:
    script = """
import multiprocessing, sys
import aspectrum as asp

def number(path):
    return asp.evaluate(path, "NDCG@2", relevance=path)["NDCG@2"]

if __name__ == "__main__":
    number(sys.argv[1])
    for way in ("spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            print(pool.map(number, sys.argv[1:]))
"""
    (tmp_path / "job.py").write_text(script)
    (tmp_path / "x.csv").write_text("user,item\nu,a\n")
    ran = subprocess.run([sys.executable, tmp_path / "job.py", tmp_path / "x.csv"], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "[1.0]\n[1.0]\n"
