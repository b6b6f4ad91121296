"""One file for a whole evaluation, and a line and a column for every mistake in it."""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

import aspectrum as asp
from aspectrum.config import (
    EXAMPLE,
    ComparisonSettings,
    ContactSettings,
    OutputSettings,
    Settings,
    SourceSettings,
    json_schema,
    read_settings,
    system_name,
)
from aspectrum.errors import AspectrumError, ConfigError
from aspectrum.formats import EXTENSIONS, FORMATS
from aspectrum.inputs import ALL_TRUTH, BUNDLES, ROLES
from aspectrum.io import FORMATS as INPUT_FORMATS
from aspectrum.wording import one_line


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("config")


def read(folder: Path, text: str | bytes) -> Settings:
    file = folder / "eval.yaml"
    file.write_bytes(text if isinstance(text, bytes) else dedent(text).encode())
    return read_settings(file)


def mistakes(folder: Path, text: str | bytes) -> list[str]:
    """What is wrong, without the folder: `7:12: inputs.relevance: ...`."""
    with pytest.raises(ConfigError) as caught:
        read(folder, text)
    lines = str(caught.value).split("\n")
    start = f"{folder / 'eval.yaml'}:"
    assert all(line.startswith(start) for line in lines)
    return [line.removeprefix(start).strip() for line in lines]


def metrics(folder: Path, text: str) -> list[str]:
    return [str(metric) for metric in read(folder, "metrics:\n" + "".join(f"  {line}\n" for line in dedent(text).splitlines())).metrics]


def values_of(folder: Path, text: str) -> list[asp.Metric]:
    return [metric for metric in read(folder, text).metrics if isinstance(metric, asp.Metric)]


# --- Good files


def test_a_whole_file(folder: Path) -> None:
    found = read(
        folder,
        """\
        systems:
          ALS: recs_als.parquet
          Popular: {path: recs_pop.csv, columns: {user: uid, item: 2}, format: csv, header: no}
        inputs:
          aspects: {path: movies.csv, columns: {item: movieId, aspect: genres}, split: ", "}
          relevance: /data/test.csv
          history: ../train.csv
          subtopics: null
          features: {path: vectors.npy, ids: ids.txt}
          weights:
        columns: {user: uid}
        metrics:
          - AlphaNDCG(alpha=0.9)@5,10
          - ILD@10
        convention: relison
        threshold: 4
        users: judged
        order: score
        ties: descending
        duplicates: first
        threads: 2
        outputs:
          - results.md
          - {path: results.log, format: table}
        per_user: scores.parquet
        systems_as: rows
        """,
    )
    assert found == Settings(
        systems={
            "ALS": SourceSettings(path=folder / "recs_als.parquet"),
            "Popular": SourceSettings(path=folder / "recs_pop.csv", columns={"user": "uid", "item": 2}, format="csv", header=False),
        },
        inputs={
            "aspects": SourceSettings(path=folder / "movies.csv", columns={"item": "movieId", "aspect": "genres"}, split=", "),
            "relevance": SourceSettings(path=Path("/data/test.csv")),
            "history": SourceSettings(path=folder / "../train.csv"),
            "features": SourceSettings(path=folder / "vectors.npy", ids=folder / "ids.txt"),
        },
        columns={"user": "uid"},
        metrics=(asp.AlphaNDCG(k=(5, 10), alpha=0.9), asp.ILD(k=10)),
        convention=("relison",),
        threshold=4.0,
        users="judged",
        order="score",
        ties="descending",
        duplicates="first",
        threads=2,
        outputs=(
            OutputSettings(path=folder / "results.md", format="markdown"),
            OutputSettings(path=folder / "results.log", format="table"),
        ),
        per_user=folder / "scores.parquet",
        systems_as="rows",
    )


def test_what_is_not_written_is_none_or_empty(folder: Path) -> None:
    assert read(folder, "metrics: [ILD@10]") == Settings(metrics=(asp.ILD(k=10),))
    for field in Settings.model_fields:
        empty = read(folder, f"{field}:")
        assert empty == Settings()
        assert getattr(empty, field) in (None, (), {}, ContactSettings())


def test_settings_cannot_be_changed(folder: Path) -> None:
    found = read(folder, "threads: 2")
    with pytest.raises(ValueError, match="frozen"):
        found.threads = 3


def test_paths_are_those_of_the_folder_of_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{systems: [a/x.csv], users: u.txt, per_user: s.csv, outputs: r.md}"
    assert read(folder, text).systems["x"].path == folder / "a/x.csv"
    monkeypatch.chdir(folder)
    here = read_settings("eval.yaml")
    assert (here.systems["x"].path, here.users, here.per_user) == (Path("a/x.csv"), Path("u.txt"), Path("s.csv"))
    assert here.outputs[0].path == Path("r.md")
    monkeypatch.chdir("/")
    assert read_settings(str(folder / "eval.yaml").removeprefix("/")).per_user == Path(str(folder / "s.csv").removeprefix("/"))
    assert read(folder, "{systems: {pipe: '-'}}").systems["pipe"].path == Path("-")


def test_a_list_of_systems_takes_names_from_the_files(folder: Path) -> None:
    found = read(folder, "systems: [als.csv, runs/pop.v2.csv.gz, {path: x/neural.run, format: run}]")
    assert list(found.systems) == ["als", "pop.v2", "neural"]
    assert list(read(folder, "systems: als.csv").systems) == ["als"]
    assert system_name("a/b.parquet") == "b"


def test_auto_is_as_good_as_no_format(folder: Path) -> None:
    assert read(folder, "systems: {a: {path: x.csv, format: auto}}").systems["a"].format is None


@pytest.mark.parametrize("name", ["no", "off", "7", "1.50", "null", "~", "2024-01-01", "0x10", "<<a"])
def test_a_key_is_what_is_written(folder: Path, name: str) -> None:
    assert list(read(folder, f"systems:\n  {name}: x.csv\n").systems) == [name]


@pytest.mark.parametrize(
    ("written", "value"), [("4", 4.0), ("1e-3", 0.001), ("1.5e3", 1500.0), (".5", 0.5), ("1_000", 1000.0), ("010", 10.0), ("-2.", -2.0)]
)
def test_numbers_are_read_as_everybody_writes_them(folder: Path, written: str, value: float) -> None:
    assert read(folder, f"threshold: {written}").threshold == value


@pytest.mark.parametrize("word", ["lists", "judged", "both", "relevant", "all"])
def test_users_are_a_word_or_a_file(folder: Path, word: str) -> None:
    assert read(folder, f"users: {word}").users == word
    assert read(folder, f"users: ./{word}").users == folder / word


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.txt", "table"), ("a.json", "json"), ("a.CSV", "csv"), ("a.md", "markdown"), ("a.markdown", "markdown"), ("a.tex", "latex")],
)
def test_the_format_of_an_output_goes_by_its_extension(folder: Path, name: str, format: str) -> None:
    assert [output.format for output in read(folder, f"outputs: {name}").outputs] == [format]


def test_byte_order_mark_and_windows_lines(folder: Path) -> None:
    assert read(folder, b"\xef\xbb\xbfthreads: 2\r\nthreshold: 1\r\n") == Settings(threads=2, threshold=1.0)
    assert mistakes(folder, b"\xef\xbb\xbfthreads: x\r\nthresold: 1\r\n")[0].startswith("1:10: threads")


def test_anchors_and_merged_mappings(folder: Path) -> None:
    found = read(
        folder,
        """\
        systems:
          a: &common {path: a.csv, header: false, columns: &cols {user: 1, item: 2}}
          b: {<<: *common, path: b.csv}
          c: {<<: [{path: c.csv}, *common]}
        columns: *cols
        """,
    )
    assert found.columns == {"user": 1, "item": 2}
    assert [source.path.name for source in found.systems.values()] == ["a.csv", "b.csv", "c.csv"]
    assert all(source.header is False and source.columns == {"user": 1, "item": 2} for source in found.systems.values())


# --- Metrics


def test_metrics_as_a_list(folder: Path) -> None:
    assert metrics(folder, "- Community recall@5\n- 'alpha_nDCG(alpha=0.25)@5,10'\n- NRBP") == [
        "AspectRecall@5",
        "AlphaNDCG(alpha=0.25)@5,10",
        "NRBP",
    ]
    assert read(folder, "metrics: ILD@10").metrics == (asp.ILD(k=10),)
    assert read(folder, "metrics: []").metrics == ()
    assert read(folder, "metrics: [all@10, ILD@5]").metrics == ("all@10", asp.ILD(k=5))  # the inputs say what all is
    assert read(folder, "metrics: [novelty@10, family:accuracy@5]").metrics == ("novelty@10", "family:accuracy@5")
    assert read(folder, "metrics: [ndcg_cut_10, P(rel=4)@5]").metrics == (asp.NDCG(k=10), asp.Precision(k=5, rel=4))


SNIPPETS = {
    "Community recall": "AspectRecall",
    "nDCG": "NDCG",
    "ILD": "IntraListDiversity",
    "Predicted Gini complement": "GiniComplement",
    "ERRIA": "ERRIA",
    "ERR-IA": "ERRIA",
}


@pytest.mark.parametrize(("name", "own"), SNIPPETS.items())
def test_snippets_of_the_manual_of_relison(folder: Path, name: str, own: str) -> None:
    text = f"{name}:\n  cutoff:\n    type: int\n    values: [1,5,10]\n"
    assert metrics(folder, text) == [f"{own}@1", f"{own}@5", f"{own}@10"]


def test_relisons_grammar(folder: Path) -> None:
    text = """\
    Community recall:
      cutoff:
        type: int
        values: [1, 5, 10]
        range: [{start: 1, end: 10, step: 4}]
    ERRIA: {cutoff: {type: long, values: "10"}}
    nDCG:
      cutoff:
        type: int
        range:
        - start: 2
          end: 8
          step: 3
        - {start: 1, end: 7, step: 5}
    """
    assert metrics(folder, text) == [
        *("AspectRecall@1", "AspectRecall@5", "AspectRecall@10", "AspectRecall@9"),
        "ERRIA@10",
        *("NDCG@2", "NDCG@5", "NDCG@8", "NDCG@1", "NDCG@6", "NDCG@7"),
    ]


def test_every_combination_in_the_order_written(folder: Path) -> None:
    text = """\
    AlphaNDCG:
      alpha: {type: double, values: [0.9, 0.25]}
      cutoff: {type: int, values: [10, 5, 10]}
      ideal: {type: string, values: [greedy, sorted]}
    ERRIA:
      cutoff: 5
      grades: {type: boolean, values: [true, "False"]}
    """
    assert metrics(folder, text) == [
        "AlphaNDCG(alpha=0.9)@10",
        "AlphaNDCG(alpha=0.9, ideal=sorted)@10",
        "AlphaNDCG(alpha=0.9)@5",
        "AlphaNDCG(alpha=0.9, ideal=sorted)@5",
        "AlphaNDCG(alpha=0.25)@10",
        "AlphaNDCG(alpha=0.25, ideal=sorted)@10",
        "AlphaNDCG(alpha=0.25)@5",
        "AlphaNDCG(alpha=0.25, ideal=sorted)@5",
        "ERRIA(grades=true)@5",
        "ERRIA@5",
    ]


def test_a_shorter_grammar(folder: Path) -> None:
    text = """\
    AlphaNDCG: {cutoff: [5, 10], alpha: 0.9}
    ILD: {}
    NRBP: {}
    ERRIA: {k: [3, -1], judged_by: null, stop: {values: 0.25}}
    nERR_IA: {cutoff: 3}
    GiniComplement: {cutoff: {range: {start: 1, end: 2, step: 1}}}
    """
    assert metrics(folder, text) == [
        "AlphaNDCG(alpha=0.9)@5",
        "AlphaNDCG(alpha=0.9)@10",
        "IntraListDiversity",
        "NRBP",
        "ERRIA(stop=0.25)@3",
        "ERRIA(stop=0.25)",
        "ERRIA(normalize=ideal)@3",
        "GiniComplement@1",
        "GiniComplement@2",
    ]


def test_a_parameter_that_is_a_mapping(folder: Path) -> None:
    text = "AlphaDCG: {gain: probabilistic, gamma: [0.5, {Action: 0.25, 7: 1}], cutoff: 3}"
    assert metrics(folder, text) == [
        "AlphaDCG(gain=probabilistic, gamma=0.5)@3",
        "AlphaDCG(gain=probabilistic, gamma={Action: 0.25, 7: 1.0})@3",
    ]


@pytest.mark.parametrize(
    ("range_", "values"),
    [
        ("{start: 0.1, end: 0.3, step: 0.1}", [0.1, 0.2, 0.3]),
        ("{start: 0.1, end: 0.7, step: 0.2}", [0.1, 0.3, 0.5, 0.7]),
        ("{start: 0, end: 1, step: 0.4}", [0.0, 0.4, 0.8, 1.0]),
        ("{start: 0, end: 1, step: 0.3333333333333333}", [0.0, 0.3333333333333333, 0.6666666666666666, 1.0]),
        ("{start: 0.5, end: 0.5, step: 9}", [0.5]),
        ("{start: 0, end: 1.0e-12, step: 1}", [0.0, 1e-12]),
    ],
)
def test_ranges_of_doubles(folder: Path, range_: str, values: list[float]) -> None:
    found = values_of(folder, f"metrics: {{AlphaDCG: {{cutoff: 5, alpha: {{type: double, range: [{range_}]}}}}}}")
    assert [metric.parameters["alpha"] for metric in found] == values


@given(start=st.integers(1, 300), length=st.integers(0, 300), step=st.integers(1, 400), parts=st.sampled_from([1000, 10_000, 10**9]))
def test_ranges_go_from_start_to_end_by_steps(folder: Path, start: int, length: int, step: int, parts: int) -> None:
    end = start + length
    expected = sorted({*range(start, end + 1, step), end})
    whole = values_of(folder, f"metrics: {{ILD: {{cutoff: {{range: {{start: {start}, end: {end}, step: {step}}}}}}}}}")
    assert [metric.k for metric in whole] == expected
    written = {"start": start / parts, "end": end / parts, "step": step / parts}
    doubles = values_of(folder, json.dumps({"metrics": {"AlphaDCG": {"cutoff": 3, "alpha": {"type": "double", "range": [written]}}}}))
    assert [metric.parameters["alpha"] for metric in doubles] == [value / parts for value in expected]


# --- Mistakes, each with its place

MISTAKES = {
    # what stands at the top
    "- ILD@10": ["1:1: found a list, expected a mapping with systems,"],
    "ILD@10": ["1:1: found 'ILD@10', expected a mapping"],
    "metric: [ILD]": ["1:1: unknown key 'metric', expected systems,"],
    "\nrecommenders:\n  iMF:\n": ["2:1: unknown key 'recommenders', expected"],
    "Metrics:": ["1:1: unknown key 'Metrics', expected * did you mean 'metrics'?"],
    "threads: 2\nthreads: 3": ["2:1: the key 'threads' is given twice, first on line 1"],
    "systems: {no: a.csv, 'no': b.csv}": ["1:22: systems: the key 'no' is given twice, first on line 1"],
    "? [a, b]\n: c": ["1:3: found a list as a key, expected a name"],
    "{a: b}: c": ["1:1: found a mapping as a key, expected a name"],
    # sources
    "systems: 5": ["1:10: systems: found the number 5, expected a mapping of names and paths, or a list of paths"],
    "systems: {A: }": ["1:13: systems.A: found nothing, expected a path, or a mapping with a path"],
    "systems: {A: 5}": ["1:14: systems.A: found the number 5, expected a path, or a mapping with a path; put it in quotes"],
    "systems: {A: no}": ["1:14: systems.A: found no, which YAML reads as false, expected a path"],
    "systems: {A: ''}": ["1:14: systems.A: found empty text, expected a path"],
    'systems: {A: "a\\0b"}': ["1:14: systems.A: found 'a\\x00b', expected the name of a file"],
    "systems: {A: [a.csv]}": ["1:14: systems.A: found a list, expected a path"],
    "systems: [a/x.csv, b/x.csv]": ["1:20: systems: a second system is called 'x'; give them names"],
    "systems: [a.csv, 7]": ["1:18: systems.entry 2: found the number 7, expected a path"],
    "systems:\n  A: {format: csv}": ["2:3: systems.A: has no path, expected path: FILE"],
    "systems:\n  A: {path: }": ["2:3: systems.A: has no path, expected path: FILE"],
    "systems: {A: {path: [x]}}": ["1:21: systems.A.path: found a list, expected a path"],
    "systems: {A: {path: x, fromat: csv}}": ["1:24: systems.A: unknown key 'fromat', expected path, * did you mean 'format'?"],
    "systems: {A: {path: x, format: cvs}}": ["1:32: systems.A.format: found 'cvs', expected auto, csv, * did you mean 'csv'?"],
    "systems: {A: {path: x, format: 3}}": ["1:32: systems.A.format: found the number 3, expected auto, csv,"],
    "systems: {A: {path: x, header: maybe}}": ["1:32: systems.A.header: found 'maybe', expected true or false"],
    r"systems: {A: {path: x, split: \t}}": [r"1:31: systems.A.split: found '\\t', expected a separator without backslashes"],
    "systems: {A: {path: x, split: 1}}": ["1:31: systems.A.split: found the number 1, expected a separator, in quotes"],
    "inputs: {aspects: {path: x,\n split: ''}}": ["2:9: inputs.aspects.split: found empty text, expected a separator"],
    "inputs:\n  aspects:\n    split: |\n    path: x": ["3:12: inputs.aspects.split: found empty text, expected a separator, in quotes"],
    "systems: {A: {path: x, columns: [user]}}": ["1:33: systems.A.columns: found a list, expected a mapping"],
    "systems: {A: {path: x, columns: {usr: y}}}": ["1:34: systems.A.columns: unknown key 'usr', expected user, * did you mean 'user'?"],
    "systems: {A: {path: x, columns: {user: 0}}}": ["1:40: systems.A.columns.user: found the number 0, expected the name of a column"],
    "columns: {user: on}": ["1:17: columns.user: found on, which YAML reads as true, expected * put it in quotes if it is text"],
    "columns: {user: }": ["1:16: columns.user: found nothing, expected the name of a column"],
    "systems: {A: {path: x, ids: y}}": ["1:24: systems.A: found ids, which goes with inputs.features only"],
    "inputs: {aspects: {path: x, ids: y}}": ["1:29: inputs.aspects: found ids, which goes with inputs.features only"],
    "inputs: x.csv": ["1:9: inputs: found 'x.csv', expected a mapping"],
    "inputs: {genres: x.csv}": ["1:10: inputs: unknown key 'genres', expected aspects,"],
    "nuggets: x.jsonl": ["1:1: unknown key 'nuggets', expected systems, * or algorithms; it belongs under inputs"],
    "lengths: x.csv": ["1:1: unknown key 'lengths', expected systems, * or algorithms; it belongs under inputs"],
    "inputs: {nuggets: {path: x.jsonl, importance: vital}}": [
        "1:35: inputs.nuggets: unknown key 'importance', expected path, * or ids; it belongs under options"
    ],
    "inputs: {aspect: }": ["1:10: inputs: unknown key 'aspect', expected aspects, * did you mean 'aspects'?"],
    # the rest
    "convention: ndevla": ["1:13: convention: found 'ndevla', expected published, * did you mean 'ndeval'?"],
    "convention: published,ndevla": ["1:13: convention: found 'published,ndevla', expected published,"],
    "convention: []": ["1:13: convention: found * expected a convention, or a list of them"],
    "convention: 5": ["1:13: convention: found the number 5, expected published,"],
    "threshold: high": ["1:12: threshold: found 'high', expected a finite number"],
    "threshold: .nan": ["1:12: threshold: found the number .nan, expected a finite number"],
    "threshold: yes": ["1:12: threshold: found yes, which YAML reads as true, expected a finite number"],
    "threads: 0": ["1:10: threads: found the number 0, expected at least 1"],
    "threads: 1.5": ["1:10: threads: found the number 1.5, expected a whole number"],
    "users: judgd": ["1:8: users: found 'judgd', expected lists, * did you mean 'judged'?"],
    "users: [ann]": ["1:8: users: found a list, expected lists,"],
    "order: rnak": ["1:8: order: found 'rnak', expected auto, rank, score or input; did you mean 'rank'?"],
    "ties: off": ["1:7: ties: found off, which YAML reads as false, expected input, ascending, descending or expected"],
    "duplicates: last": ["1:13: duplicates: found 'last', expected error or first"],
    "systems_as: column": ["1:13: systems_as: found 'column', expected columns or rows; did you mean 'columns'?"],
    "outputs: results.doc": ["1:10: outputs: found a path with the extension .doc, expected .txt, .json, .csv, .md,"],
    "outputs:\n  - results\n  - {path: x}": [
        "2:5: outputs: found a path with no extension, expected",
        "3:12: outputs: found a path with no extension, expected",
    ],
    "outputs: [{path: x, format: html}]": ["1:29: outputs.format: found 'html', expected table, json,"],
    "outputs: [{format: csv}]": ["1:11: outputs: has no path, expected path: FILE"],
    "outputs: [{}]": ["1:11: outputs: has no path, expected path: FILE"],
    "outputs: [{path: 3}]": ["1:18: outputs.path: found the number 3, expected a path; put it in quotes if it is text"],
    "outputs: {path: a.md, fromat: csv}": ["1:23: outputs: unknown key 'fromat', expected path or format; did you mean 'format'?"],
    "per_user: [a]": ["1:11: per_user: found a list, expected a path"],
    # metrics as a list
    "metrics:\n  - ILDD@10": ["2:5: metrics: unknown metric 'ILDD'; did you mean 'ILD'?"],
    "metrics: [AlphaNDCG(alpha=2)@5]": ["1:11: metrics: AlphaNDCG: alpha is 2, expected 0 to 1"],
    "metrics: [AlphaNDCG(alfa=2)@5]": ["1:11: metrics: 'AlphaNDCG(alfa=2)@5': AlphaNDCG has no parameter 'alfa'; did you mean 'alpha'?"],
    "metrics: [AlphaNDCG@5,10]": ["1:23: metrics: found the number 10, expected a metric such as ILD@10. Between [ and ] a comma"],
    "metrics:\n  - ILD: {cutoff: 5}": ["2:5: metrics: found a mapping, expected a metric such as ILD@10. A name with parameters below"],
    "metrics: [ILD@5,\n ]\nmetric: 5": ["3:1: unknown key 'metric'"],
    "metrics: [all@ten]": ["1:11: metrics: 'all@ten': invalid cutoff 'ten'"],
    "metrics: 5": ["1:10: metrics: found the number 5, expected a metric such as ILD@10"],
    f"metrics: [AlphaNDCG(alpha={10**400})]": ["1:11: metrics: *alpha is inf, expected a finite number"],
    # metrics as a mapping
    "metrics:\n  ILDD: {cutoff: 5}": ["2:3: metrics: unknown metric 'ILDD'; did you mean 'ILD'?"],
    "metrics: [novelty@ten]": ["1:11: metrics: 'novelty@ten': invalid cutoff 'ten'"],
    "metrics: [family:noverty@5]": ["1:11: metrics: there is no family 'noverty'; did you mean 'novelty'? *"],
    "metrics:\n  P_5: {cutoff: 3}": ["2:3: metrics: found the key 'P_5', expected the name of a metric alone"],
    "metrics:\n  ILD@5: {}": ["2:3: metrics: found the key 'ILD@5', expected the name of a metric alone"],
    "metrics:\n  ERRIA:\n  ILD@5:": [
        "2:3: metrics.ERRIA: has no cutoff, expected cutoff: 10, or cutoff: -1 for the whole list",
        "3:3: metrics: found the key 'ILD@5', expected the name of a metric alone",
    ],
    "metrics:\n  ILD: 5": ["2:8: metrics.ILD: found the number 5, expected parameters such as {cutoff: 10}"],
    "metrics:\n  ILD: {cutof: 5}": [
        "2:9: metrics.ILD: IntraListDiversity has no parameter 'cutof', expected cutoff, * did you mean 'cutoff'?"
    ],
    "metrics:\n  ILD: {cutoff: 5, k: 6}": ["2:20: metrics.ILD: found both cutoff and k"],
    "metrics:\n  ILD: {cutoff: 0}": ["2:17: metrics.ILD.cutoff: IntraListDiversity: k is 0, expected a whole number from 1"],
    "metrics:\n  ILD: {k: [5, true]}": ["2:16: metrics.ILD.k: IntraListDiversity: k is True, expected a whole number"],
    "metrics:\n  ILD: {cutoff: [5, x]}": ["2:21: metrics.ILD.cutoff: IntraListDiversity: k is 'x', expected a whole number"],
    "metrics:\n  ILD: {cutoff: }": ["2:16: metrics.ILD.cutoff: IntraListDiversity: k is None, expected a whole number"],
    "metrics:\n  ILD: {cutoff: []}": ["2:17: metrics.ILD.cutoff: found an empty list, expected at least one value"],
    "metrics:\n  ILD: {cutoff: [[5]]}": ["2:18: metrics.ILD.cutoff: found a list, expected a value"],
    "metrics:\n  ILD: {cutoff: {}}": ["2:17: metrics.ILD.cutoff: found an empty mapping, expected values or range in it"],
    "metrics:\n  ILD: {cutoff: {value: 5}}": ["2:18: metrics.ILD.cutoff: unknown key 'value', expected type, * did you mean 'values'?"],
    "metrics:\n  AlphaDCG: {cutoff: 5, gamma: 0.5}": ["2:32: metrics.AlphaDCG.gamma: AlphaDCG: gamma goes with gain=probabilistic only"],
    "metrics:\n  AlphaDCG: {cutoff: 5, gamma: {a: 2}, gain: probabilistic}": ["2:32: metrics.AlphaDCG.gamma: AlphaDCG: gamma is 2.0"],
    f"metrics:\n  AlphaDCG: {{alpha: {10**400}}}": ["2:21: metrics.AlphaDCG.alpha: AlphaDCG: *alpha is inf, expected a finite number"],
    # RELISON's grammar, where RELISON itself is silent
    "metrics:\n  ILD:\n    cutoff:\n      type: int": ["3:5: metrics.ILD.cutoff: has neither values nor range, expected values:"],
    "metrics:\n  ILD: {cutoff: {type: float, values: 5}}": ["2:24: metrics.ILD.cutoff.type: found 'float', expected int, long, double,"],
    "metrics:\n  ILD: {cutoff: {type: Int, values: 5}}": ["2:24: metrics.ILD.cutoff.type: found 'Int', expected * did you mean 'int'?"],
    "metrics:\n  ILD: {cutoff: {type: , values: 5}}": ["2:23: metrics.ILD.cutoff.type: found nothing, expected int,"],
    "metrics:\n  ILD: {cutoff: {type: int, value: 5}}": [
        "2:9: metrics.ILD.cutoff: has neither values nor range",
        "2:29: metrics.ILD.cutoff: unknown key 'value', expected type, values or range; did you mean 'values'?",
    ],
    "metrics:\n  ILD: {cutoff: {type: int, values: [5, 1.5]}}": [
        "2:41: metrics.ILD.cutoff.values: found the number 1.5, expected a whole number, as type: int says"
    ],
    "metrics:\n  ILD: {cutoff: {type: int, values: yes}}": [
        "2:37: metrics.ILD.cutoff.values: found yes, which YAML reads as true, expected"
    ],
    "metrics:\n  ILD: {cutoff: {type: int, values: }}": ["2:36: metrics.ILD.cutoff.values: found nothing, expected a whole number"],
    "metrics:\n  ILD: {cutoff: {type: int, values: []}}": ["2:37: metrics.ILD.cutoff.values: found an empty list"],
    "metrics:\n  ERRIA: {k: 1, stop: {type: double, values: .inf}}": ["2:46: metrics.ERRIA.stop.values: found the number .inf, expected"],
    "metrics:\n  ERRIA: {k: 1, grades: {type: boolean, values: 1}}": [
        "2:49: metrics.ERRIA.grades.values: found the number 1, expected true"
    ],
    "metrics:\n  ERRIA: {k: 1, intents: {type: string, values: [x]}}": ["2:50: metrics.ERRIA.intents: ERRIA: intents is 'x', expected"],
    "metrics:\n  AlphaNDCG:\n    alpha: {type: double, values: 0.5}": ["2:3: metrics.AlphaNDCG: has no cutoff, expected cutoff:"],
    "metrics:\n  ILD: {cutoff: {type: int, range: 5}}": ["2:36: metrics.ILD.cutoff.range: found the number 5, expected {start: 1,"],
    "metrics:\n  ILD: {cutoff: {type: int, range: []}}": [
        "2:36: metrics.ILD.cutoff.range: found an empty list, expected at least one range"
    ],
    "metrics:\n  ILD: {cutoff: {type: int, range: [{start: 1, end: 2}]}}": ["2:37: metrics.ILD.cutoff.range: has no step, expected"],
    "metrics:\n  ILD: {cutoff: {type: int, range: [{start: 1, end: 2, setp: 1}]}}": [
        "2:37: metrics.ILD.cutoff.range: has no step, expected",
        "2:56: metrics.ILD.cutoff.range: unknown key 'setp', expected start, end or step; did you mean 'step'?",
    ],
    "metrics:\n  ILD: {cutoff: {type: int, range: [{start: 1, end: 2, step: 0}]}}": [
        "2:62: metrics.ILD.cutoff.range.step: found the number 0, expected more than 0"
    ],
    "metrics:\n  ILD: {cutoff: {type: int, range: [{start: 3, end: 2, step: 1}]}}": [
        "2:45: metrics.ILD.cutoff.range.start: found the number 3, which is beyond the end 2"
    ],
    "metrics:\n  ILD: {cutoff: {type: int, range: [{start: 1, end: x, step: 1.5}]}}": [
        "2:53: metrics.ILD.cutoff.range.end: found 'x', expected a whole number, as type: int says",
        "2:62: metrics.ILD.cutoff.range.step: found the number 1.5, expected a whole number, as type: int says",
    ],
    "metrics:\n  ILD: {cutoff: {type: int, range: [{start: 0, end: 2, step: 1}]}}": [
        "2:37: metrics.ILD.cutoff: IntraListDiversity: k is 0"
    ],
    "metrics:\n  ILD: {cutoff: {type: long, range: [{start: 1, end: 99999999999, step: 1}]}}": [
        "2:38: metrics.ILD.cutoff.range: the steps from start to end are too many, expected at most 10000"
    ],
    "metrics:\n  ERRIA: {k: 1, grades: {type: boolean, range: [{start: 0, end: 1, step: 1}]}}": [
        "2:41: metrics.ERRIA.grades: a range goes with numbers, and type: boolean says otherwise"
    ],
    "metrics:\n  AlphaDCG:\n    k: {range: {start: 1, end: 200, step: 1}}\n    alpha: {range: {start: 0, end: 1, step: 0.01}}": [
        "2:3: metrics.AlphaDCG: the values combine to 20200 metrics, expected at most 10000"
    ],
    # YAML itself
    "metrics: [ILD@5": ["1:16: not valid YAML: expected ',' or the end of what '[' opens on line 1"],
    "metrics:\n\t- ILD@5": ["2:1: found a tab, expected spaces"],
    "users: @all": ["1:8: not valid YAML: found character '@' that cannot start a value; put the value in quotes"],
    "metrics:\n  - AlphaDCG(gamma={a: 0.5})@5": ["2:5: metrics: found a mapping, expected * text that holds ': ' needs quotes"],
    "users: a: b": ["1:9: not valid YAML: a ':' stands where none can; check the indentation, and put text that holds ': ' in quotes"],
    "threads: 2\nmetrics\nusers: all": ["2:1: not valid YAML: a key needs a ':' after it"],
    "users: 'all": ["1:8: not valid YAML: a quote is opened and not closed"],
    "inputs:\n   a: x\n  b: y": ["3:3: not valid YAML: this does not line up"],
    "threads: 2\n---\nthreads: 3": ["2:1: a second document starts here, expected one"],
    "columns: *cols": ["1:10: not valid YAML: found undefined alias 'cols'"],
    'users: "\\UFFFFFFFF"': ["1:11: not valid YAML: an escape in this text is no character"],
    "users: !!python/object:os.system x": ["1:8: users: found the tag !!python/object:os.system, expected a plain value"],
    "users: !mine {a: b}": ["1:8: users: found the tag !mine, expected a plain value"],
    "threshold: !!int x": ["1:12: threshold: found 'x', which cannot be read as int"],
    f"threads: {'9' * 5000}": ["1:10: threads: found '999"],
    'systems: {"\\ud800": x}': ["1:11: systems: found '\\ud800', which holds half a character"],
    "users: a\nthreads: \x07": ["2:10: found the character U+0007, which YAML does not allow"],
    "columns: &c {user: *c}": ["1:10: columns.user: an alias stands inside the value it stands for"],
    "columns: {<<: 5}": ["1:15: columns: found the number 5 after '<<', expected the alias of a mapping"],
    "systems: " + "[" * 60 + "]" * 60: ["1:*: not valid YAML: values stand more than 50 deep in one another"],
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[:60])
def test_each_mistake_has_its_place(folder: Path, text: str) -> None:
    found, expected = mistakes(folder, text), MISTAKES[text]
    for line, start in zip(found, expected, strict=True):
        assert re.match(".*".join(map(re.escape, start.split("*"))), line), line


def test_bytes_that_are_not_utf_8(folder: Path) -> None:
    assert mistakes(folder, b"threads: 2\nusers: \xc3\xa9\xe9.txt\n") == [
        "2:9: found the byte 0xe9, which is not UTF-8; expected text in UTF-8"
    ]
    assert mistakes(folder, "threads: 2".encode("utf-16"))[0].startswith("1:1: found the byte 0xff")


@pytest.mark.parametrize("text", ["", "  \n", "# nothing\n", "---\n", "null", "~"])
def test_an_empty_file(folder: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"eval\.yaml: it is empty, expected at least metrics$"):
        read(folder, text)


def test_files_that_cannot_be_read(folder: Path) -> None:
    for path, said in (
        (folder / "none.yaml", "no such file"),
        (folder, "it is a directory, expected a YAML file"),
        (folder / "none" / "x.yaml", "no such file"),
        ("a\0b", r"cannot be read: embedded null byte"),
    ):
        with pytest.raises(ConfigError, match=said) as caught:
            read_settings(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="larger than 1 MiB"):
        read(folder, b"#" * (2 << 20))


def test_aliases_do_not_explode(folder: Path) -> None:
    lists = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lists += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "found more than 100000 values" in "\n".join(mistakes(folder, "\n".join(lists)))
    merges = ["m0: &m0 {}"] + [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}" for n in range(1, 12)]
    assert "found more than 100000 values" in "\n".join(mistakes(folder, "\n".join(merges)))


def test_all_mistakes_at_once_in_the_order_of_the_file(folder: Path) -> None:
    text = """\
    systems:
      ALS: {path: a.csv, colums: {user: 1}}
      Popular: 7
    inputs:
      aspects: {path: m.csv, split: ""}
      relevance: [test.csv]
    metrics:
      AlphaNDCG:
        cutoff: {type: int, values: [5, x]}
        alpha: {type: double, values: [0.5, 1.5]}
        ideal: {type: text, values: greedy}
      NDGC: {cutoff: 5}
      ILD: {cutoff: [0, 5]}
    threshhold: 4
    threads: -1
    outputs: [a.md, b.doc]
    """
    assert [re.split(r"[,;] |: found", line, maxsplit=1)[0] for line in mistakes(folder, text)] == [
        "2:22: systems.ALS: unknown key 'colums'",
        "3:12: systems.Popular",
        "5:33: inputs.aspects.split",
        "6:14: inputs.relevance",
        "9:37: metrics.AlphaNDCG.cutoff.values",
        "10:41: metrics.AlphaNDCG.alpha: AlphaNDCG: alpha is 1.5",
        "11:19: metrics.AlphaNDCG.ideal.type",
        "12:3: metrics: unknown metric 'NDGC'",
        "13:18: metrics.ILD.cutoff: IntraListDiversity: k is 0",
        "14:1: unknown key 'threshhold'",
        "15:10: threads",
        "16:17: outputs",
    ]


def test_a_mistake_does_not_bring_others_along(folder: Path) -> None:
    text = "metrics: {AlphaDCG: {cutoff: 5, gamma: 0.5, gain: {type: word, values: probabilistic}}}"
    assert [line.partition(" found")[0] for line in mistakes(folder, text)] == ["1:58: metrics.AlphaDCG.gain.type:"]


def test_an_error_is_one_of_ours() -> None:
    assert issubclass(ConfigError, AspectrumError)


# --- Whatever stands in a file


@given(st.one_of(st.text(max_size=200), st.text("[]{}:,-&*<>!|?'\"%@# \n\tabmetrics0159.", max_size=60), st.binary(max_size=60)))
@example("? ? ?")
@example("metrics: {ILD: {k: {range: {start: 1, end: 2, step: .nan}}}}")
def test_any_text_gives_settings_or_one_clear_error(folder: Path, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    check(folder, data)


GRAMMAR = """\
metrics:
  AlphaNDCG: &a
    cutoff: {type: int, values: [5, 10], range: [{start: 1, end: 9, step: 4}]}
    alpha: {type: double, values: 0.5}
  nERR_IA: {<<: *a, alpha: [0.5]}
  Community recall:
"""


@given(
    text=st.sampled_from([EXAMPLE, GRAMMAR]),
    edits=st.lists(
        st.tuples(
            st.floats(0, 1), st.integers(0, 8), st.sampled_from(["", *"[]{}:,-&*!|?'\"# \n\t~01.", "no", "<<: *a", "\n  ", ".nan", "\\"])
        ),
        max_size=4,
    ),
)
def test_any_edit_of_a_good_file_gives_settings_or_one_clear_error(folder: Path, text: str, edits: list[tuple[float, int, str]]) -> None:
    for share, cut, put in edits:
        place = int(share * len(text))
        text = text[:place] + put + text[place + cut :]
    check(folder, text.encode())


def check(folder: Path, data: bytes) -> Settings | None:
    (folder / "eval.yaml").write_bytes(data)
    try:
        return read_settings(folder / "eval.yaml")
    except ConfigError as error:
        file = re.escape(str(folder / "eval.yaml"))
        for line in str(error).split("\n"):
            assert re.match(rf"{file}(:[1-9][0-9]*:[1-9][0-9]*)?: .", line), line
            assert one_line(line) == line
        return None


WORDS = [
    *Settings.model_fields,
    *SourceSettings.model_fields,
    *ALL_TRUTH,
    *ROLES,
    *("ILD", "AlphaNDCG", "nDCG", "ERRIA", "AlphaDCG", "gamma", "gain", "alpha", "cutoff", "k", "type", "values", "range"),
    *("start", "end", "step", "int", "double", "string", "probabilistic", "a.csv", "b.md", "auto", "first", "x", "judged", "ILD@5"),
]
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 12), st.floats(), st.sampled_from(WORDS), st.text(max_size=3))
NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)),
    max_leaves=12,
)
SOURCES = st.one_of(
    st.just("a.csv"), NESTED, st.fixed_dictionaries({"path": st.just("b.csv")}, optional={"header": st.booleans(), "split": st.just("|")})
)
NUMBERS = st.one_of(st.integers(-1, 9), st.floats(-1, 9), st.sampled_from(["5", "x"]))
PARAMETERS = st.one_of(
    NUMBERS,
    st.lists(NUMBERS, max_size=3),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["int", "long", "double", "boolean", "string", "float"]),
            "values": st.one_of(NUMBERS, st.lists(NUMBERS, max_size=3)),
            "range": st.lists(st.fixed_dictionaries({"start": NUMBERS, "end": NUMBERS, "step": NUMBERS}), max_size=2),
        },
    ),
    NESTED,
)
FILES = st.one_of(
    st.dictionaries(st.sampled_from(WORDS), NESTED, max_size=5),
    st.fixed_dictionaries(
        {},
        optional={
            "systems": st.one_of(st.dictionaries(st.text(max_size=3), SOURCES, max_size=2), st.lists(SOURCES, max_size=2)),
            "inputs": st.dictionaries(st.sampled_from(list(ALL_TRUTH)), SOURCES, max_size=3),
            "metrics": st.one_of(
                st.lists(st.sampled_from(["ILD@5", "NDCG@10", "ILD", "x", 5]), max_size=3),
                st.dictionaries(
                    st.sampled_from(["ILD", "AlphaDCG", "nDCG", "ild", "x"]),
                    st.one_of(
                        st.none(), st.dictionaries(st.sampled_from(["cutoff", "k", "alpha", "gamma", "gain"]), PARAMETERS, max_size=3)
                    ),
                    max_size=3,
                ),
            ),
            "outputs": st.one_of(SCALARS, st.lists(SOURCES, max_size=2)),
            "threshold": SCALARS,
            "users": SCALARS,
            "convention": st.one_of(
                words := st.sampled_from([*asp.CONVENTIONS, "x"]), st.lists(words, max_size=3), st.lists(words, max_size=3).map(", ".join)
            ),
        },
    ),
)


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@settings(max_examples=300)
@given(FILES)
def test_any_values_give_settings_or_one_clear_error(folder: Path, validator: jsonschema.Draft202012Validator, values: Any) -> None:
    found = check(folder, yaml.safe_dump(values, allow_unicode=True).encode("utf-8", "surrogatepass"))
    if found is not None:  # the schema refuses nothing that we take
        validator.validate(values)


# --- The schema and the example


def test_the_example_reads_and_is_valid(folder: Path, validator: jsonschema.Draft202012Validator) -> None:
    assert EXAMPLE.startswith("# yaml-language-server: $schema=aspectrum.schema.json\n")
    found = read(folder, EXAMPLE)
    assert len(found.metrics) == 6
    validator.validate(yaml.safe_load(EXAMPLE))


def test_the_example_has_every_key_and_its_comments_hold(folder: Path, validator: jsonschema.Draft202012Validator) -> None:
    written = yaml.safe_load(EXAMPLE)
    assert list(written) == list(Settings.model_fields)
    assert set(written["inputs"]) == {*ALL_TRUTH, *BUNDLES}
    assert list(written["comparison"]) == list(ComparisonSettings.model_fields)
    sources = [source for part in (written["systems"], written["inputs"]) for source in part.values() if isinstance(source, dict)]
    assert set().union(*sources) == set(SourceSettings.model_fields)
    for word in (*ROLES, *asp.CONVENTIONS, *FORMATS, *EXTENSIONS, *INPUT_FORMATS):
        assert word in EXAMPLE
    for name, spec in {**ALL_TRUTH, **BUNDLES}.items():
        assert re.search(f"^  {name}:.*# {re.escape(spec.comment)}$", EXAMPLE, re.MULTILINE)
    mapping = "\n".join(line.removeprefix("# ") for line in EXAMPLE.splitlines() if re.match("# (metrics:|  )", line))
    assert len(read(folder, mapping).metrics) == 4 + 7
    validator.validate(yaml.safe_load(mapping))
    assert max(map(len, EXAMPLE.splitlines())) <= 130


WRONG = [
    # what the schema can know to be wrong
    "metric: [ILD@5]",
    "systems: 5",
    "systems: {A: 5}",
    "systems: {A: {format: csv}}",
    "systems: {A: {path: x, format: cvs}}",
    "systems: {A: {path: x, colums: {}}}",
    "systems: {A: {path: x, columns: {usr: y}}}",
    "systems: {A: {path: x, columns: {user: 0}}}",
    "systems: {A: {path: x, split: ''}}",
    "inputs: {genres: x.csv}",
    "convention: ndevla",
    "threshold: high",
    "threads: 0",
    "users: judgd",
    "order: rnak",
    "outputs: [{path: x, format: html}]",
    "metrics: [5]",
    "metrics: {ILD: 5}",
    "metrics: {ILD: {cutof: 5}}",
    "metrics: {ILD: {cutoff: 0}}",
    "metrics: {ILD: {cutoff: {type: int}}}",
    "metrics: {ILD: {cutoff: {type: float, values: 5}}}",
    "metrics: {ILD: {cutoff: {type: int, range: [{start: 1, end: 2}]}}}",
    "metrics: {AlphaNDCG: {ideal: best}}",
    "metrics: {Community recall: {judged_by: nobody}}",
]


@pytest.mark.parametrize("text", WRONG)
def test_the_schema_refuses_mistakes(folder: Path, validator: jsonschema.Draft202012Validator, text: str) -> None:
    assert not validator.is_valid(yaml.safe_load(text))
    mistakes(folder, text)


def test_the_schema_tells_an_editor_what_there_is(validator: jsonschema.Draft202012Validator) -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]) == set(Settings.model_fields)
    assert all("description" in part for part in schema["properties"].values())
    named = schema["properties"]["metrics"]["anyOf"][0]["anyOf"][2]["properties"]
    for name, metric in asp.registered().items():
        assert {name, *metric.aliases} <= set(named)
    assert json.loads(json.dumps(schema)) == schema


def test_configuration_is_loaded_only_when_used() -> None:
    import subprocess
    import sys

    script = "import sys, aspectrum; print([name for name in ('yaml', 'pydantic', 'aspectrum.config') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_mistakes_in_a_comparison(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text("systems: {a: x.csv}\ncomparison: {segmnts: 3, level: 95, flips: 5, baseline: 7}\n")
    with pytest.raises(ConfigError) as caught:
        read_settings(path)
    said = str(caught.value)
    assert "comparison: unknown key 'segmnts'" in said and "did you mean 'segments'?" in said
    assert "comparison.level: found the number 95, expected less than 1" in said
    assert "comparison.flips: found the number 5, expected at least 99" in said
    assert "comparison.baseline: found the number 7, expected text" in said
