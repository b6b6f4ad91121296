"""The other commands: metrics, init, schema, completion, demo, help, version."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

import aspectrum as asp
from aspectrum import demo
from aspectrum.cli import cli
from tests.cli.conftest import Call, Start

COMMANDS = sorted(cli.commands)


def test_version(call: Call) -> None:
    assert call("--version").out == f"aspectrum {asp.__version__}\n"


def test_commands_are_listed_whole(call: Call) -> None:
    said = call("--help")
    assert said.code == 0
    assert COMMANDS == [
        "check",
        "communities",
        "compare",
        "completion",
        "contacts",
        "demo",
        "evaluate",
        "ideal",
        "index",
        "init",
        "merge",
        "metrics",
        "ndeval",
        "rounds",
        "schema",
    ]
    for name in COMMANDS:
        (line,) = (line for line in said.out.splitlines() if line.strip().startswith(f"{name} "))
        assert not line.endswith("..."), line


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_an_example_that_can_be_copied(call: Call, command: str) -> None:
    said = call(*filter(None, (command, "--help")))
    assert said.code == 0
    _, found, examples = said.out.partition("Example")
    assert found
    assert f"aspectrum {command or 'evaluate'}" in examples
    assert call(*filter(None, (command, "-h"))).out == said.out


def test_examples_of_help_are_read(call: Call, here: Path) -> None:
    """Every option in an example is one that the command has."""
    for name in COMMANDS:
        examples = cli.commands[name].epilog or ""
        known = {option for parameter in cli.commands[name].params for option in parameter.opts + parameter.secondary_opts}
        lines = [part for line in examples.replace("\\\n", " ").splitlines() for part in line.split("&&")]
        words = [word for line in lines if f"aspectrum {name}" in line for word in shlex.split(line)]
        assert {word for word in words if word.startswith("-")} <= known


def test_every_option_is_explained() -> None:
    for command in cli.commands.values():
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, (command.name, parameter.name)


def test_nothing_to_do_shows_help_as_wrong_use(call: Call) -> None:
    said = call()
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: aspectrum")


def test_metrics(call: Call) -> None:
    said = call("metrics")
    assert said.code == 0
    for name in asp.registered():
        assert name in said.out
    said = call("metrics", "Community recall")
    assert said.out.startswith("AspectRecall: ")
    assert "aspectrum evaluate RECS -m" in said.out
    data = json.loads(call("metrics", "--json").out)
    assert [entry["name"] for entry in data] == sorted(asp.registered())
    assert json.loads(call("metrics", "nNRBP", "--json").out)["name"] == "NRBP"


def test_metrics_of_a_family(call: Call) -> None:
    listed = call("metrics", "novelty").out
    assert "UnseenShare" in listed and "NDCG" not in listed
    assert {entry["family"] for entry in json.loads(call("metrics", "diversity", "--json").out)} == {"aspects", "distance"}
    assert call("metrics", "family:novelty").out == listed


def test_init_and_schema(call: Call, here: Path) -> None:
    said = call("init")
    assert (said.code, said.out) == (0, "")
    assert "evaluation.yaml: written" in said.err
    written = (here / "evaluation.yaml").read_text()
    schema = json.loads(call("schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(written), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"metrics": ["NDCG@3"], "threshhold": 1}, schema)
    said = call("evaluate", "--config", "evaluation.yaml")
    assert said.code == 1
    assert "file not found" in said.err, "the example reads, and names files that one has to have"


def test_init_does_not_overwrite(call: Call, here: Path) -> None:
    (here / "mine.yaml").write_text("old")
    assert call("init", "mine.yaml").code == 1
    assert (here / "mine.yaml").read_text() == "old"
    assert call("init", "mine.yaml", "--force").code == 0
    assert "systems:" in (here / "mine.yaml").read_text()
    (here / "dangling.yaml").symlink_to(here / "nowhere.yaml")
    assert call("init", "dangling.yaml").code == 1


def test_demo(call: Call, here: Path) -> None:
    said = call("demo", "report.md")
    assert said.code == 0
    assert "GiniComplement@10" in said.out
    assert (here / "report.md").read_text().startswith("# aspectrum demo")


def test_files_of_the_demo(call: Call, refused: Callable[..., str], here: Path) -> None:
    mine = here / "demo" / "history.csv"
    mine.parent.mkdir()
    mine.write_text("MINE")
    assert "demo: history.csv already exists (use --force)" in refused(1, "demo", "--files", "demo")
    assert [*mine.parent.iterdir()] == [mine]
    assert mine.read_text() == "MINE"
    said = call("demo", "--files", "demo", "--force")
    assert said.code == 0
    assert sorted(said.out.splitlines()) == sorted(f"demo/{path.name}" for path in mine.parent.iterdir())
    assert "genres.csv, history.csv" in refused(1, "demo", "--files", "demo")
    assert "--force goes with --files" in refused(2, "demo", "--force")
    found = json.loads(call("evaluate", "--config", "demo/evaluation.yaml", "--format", "json").out)["systems"]
    assert list(found) == list(demo.SYSTEMS)
    assert all(metric["value"] is not None for system in found.values() for metric in system["metrics"])
    assert call("check", "--config", "demo/evaluation.yaml").out.endswith("No errors, no warnings.\n")
    # As the help of init has it
    assert call("init", "mine.yaml", "--from", "demo").out.count("No errors, no warnings.") == 1
    assert call("evaluate", "--config", "mine.yaml", "--metric", "NDCG@10").code == 0


def completed(start: Start, words: str, word: int) -> list[str]:
    env = os.environ | {"_ASPECTRUM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(word)}
    out, err = start(env=env).communicate()
    assert err == b""
    return out.decode().split()


def test_completion(start: Start) -> None:
    assert completed(start, "aspectrum ev", 1) == ["plain,evaluate"]
    assert completed(start, "aspectrum metrics alpha", 2) == ["plain,AlphaDCG", "plain,AlphaNDCG"]
    assert completed(start, "aspectrum metrics al", 2) == ["plain,AlphaDCG", "plain,AlphaNDCG"]  # all is several
    assert completed(start, "aspectrum evaluate -m al", 3) == ["plain,AlphaDCG", "plain,AlphaNDCG", "plain,all"]
    assert completed(start, "aspectrum evaluate --convention inf", 3) == ["plain,informfully"]
    assert completed(start, "aspectrum evaluate --convention published,p", 3) == ["plain,published,pyndeval", "plain,published,pyg"]
    assert completed(start, "aspectrum evaluate --users ju", 3) == ["plain,judged"]
    assert completed(start, "aspectrum evaluate --relevance gr", 3) == ["file,gr"]
    assert "plain,--relevance" in completed(start, "aspectrum evaluate --re", 2)


def test_completion_in_bash(call: Call, here: Path) -> None:
    (here / "aspectrum").write_text(f"#!/bin/sh\nexec '{sys.executable}' -m aspectrum \"$@\"\n")
    (here / "aspectrum").chmod(0o755)
    (here / "script.sh").write_text(call("completion", "bash").out)
    typed = "source ./script.sh; COMP_WORDS=(aspectrum nd); COMP_CWORD=1; _aspectrum_completion aspectrum; echo ${COMPREPLY[@]}"
    env = os.environ | {"PATH": f"{here}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", typed], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("ndeval\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(call: Call, shell: str) -> None:
    assert f"_ASPECTRUM_COMPLETE={shell}_complete" in call("completion", shell).out


HEAVY = ("numpy", "polars", "pydantic", "yaml", "rich", "scipy", "pandas", "pyarrow")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], *([command, "--help"] for command in COMMANDS)], ids=" ".join)
def test_nothing_heavy_is_loaded_for_an_answer(arguments: list[str]) -> None:
    code = f"import sys; from aspectrum.cli import run; code = run({arguments}); print(code, [m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_module_and_script_are_the_same(start: Start) -> None:
    out, _ = start("--version").communicate()
    assert out.decode() == f"aspectrum {asp.__version__}\n"
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="aspectrum")
    assert script.value == "aspectrum.cli:main"


def test_output_that_the_terminal_cannot_show(start: Start) -> None:
    process = start(
        *("evaluate", "漢ö=als.csv", "--relevance", "grades.csv", "-m", "NDCG@2"), env=os.environ | {"PYTHONIOENCODING": "latin-1"}
    )
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert rb"\u6f22" + "ö".encode("latin-1") in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--qrels", "grades.csv"), "No such option '--qrels'. Use --relevance, --subtopics or --nuggets."),
        (("--tokens", "lengths.csv"), "No such option '--tokens'. Use --lengths."),
        (("--run", "als.csv"), "No such option '--run'. Files of lists come without an option."),
        (("--ties", "average"), "'expected'. Did you mean 'expected'?"),
        (("--ties", "random"), "'expected'. Did you mean 'expected'?"),
        (("--tie", "input"), "--ties"),  # in the words of click
    ],
)
def test_options_by_other_names(call: Call, arguments: tuple[str, ...], message: str) -> None:
    said = call("evaluate", "als.csv", *arguments)
    assert said.code == 2
    assert message in said.err


@pytest.mark.parametrize(("command", "takes_lists"), [("contacts", True), ("check", True), ("ideal", False), ("metrics", False)])
def test_only_commands_that_take_lists_say_so(call: Call, command: str, takes_lists: bool) -> None:
    said = call(command, "--lists", "als.csv")
    assert said.code == 2
    assert "No such option" in said.err and "--lists" in said.err
    assert ("Files of lists come without an option." in said.err) == takes_lists
