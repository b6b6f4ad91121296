"""Groups, popularity and baselines on the command line."""

from pathlib import Path

from tests.cli.conftest import Call


def test_files_on_the_command_line(here: Path, call: Call) -> None:
    (here / "popular.csv").write_text("item,count\n1,3\n2,1\n")
    (here / "lists.csv").write_text("user,item\n7,2\n7,1\n")
    (here / "groups.csv").write_text("item,group\n1,P\n2,Q\n")
    said = call(
        "check",
        "lists.csv",
        "--popularity",
        "popular.csv",
        "--popularity-users",
        "4",
        "--groups",
        "groups.csv",
        "--baseline-lists",
        "lists.csv",
        "-m",
        "EPC@2",
    )
    assert said.code == 0, said.err
    for expected in ("popular.csv", "groups.csv", "baseline"):
        assert expected in said.out
    said = call(
        "evaluate", "A=lists.csv", "B=lists.csv", "--baseline", "popular.csv", "--popularity", "popular.csv", "-m", "GiniComplement@2"
    )
    assert said.code != 0
    assert "--baseline-lists" in said.err
