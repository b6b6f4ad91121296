"""Paths that lead nowhere, and files that are packed, damaged or cut short."""

import bz2
import gzip
import io
import lzma
import math
import os
import pickle
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import zstandard

import aspectrum as asp
from aspectrum.io import features, files, read_input
from aspectrum.io.files import as_text, read_bytes
from tests.io.reading import read, refused, short

CONTENT = b"user,item\nu,a\nu,b\n"
FRAME = pl.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "score": [2.0, 1.0]})
ROWS = {"user": ["u", "u"], "item": ["a", "b"]}


def pack(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zstd(data: bytes, **how: bool) -> bytes:
    return zstandard.ZstdCompressor(**how).compress(data)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recs.csv"


def test_no_such_file(path: Path) -> None:
    path.write_bytes(CONTENT)
    wrong = path.with_name("rec.csv")
    assert refused("rankings", wrong) == f"{wrong}: file not found; did you mean {str(path)!r}?"
    far = path.with_name("entirely-different.tsv")
    assert refused("rankings", far) == f"{far}: file not found"
    nowhere = path.parent / "gone" / "recs.csv"
    assert refused("rankings", nowhere) == f"{nowhere}: file not found"
    assert "is no" in refused("rankings", path / "inside") or "Not a directory" in refused("rankings", path / "inside")


def test_a_name_says_what_errors_call_it(path: Path) -> None:
    assert refused("rankings", asp.Source(path, name="the lists")) == "the lists: file not found"
    path.write_bytes(b"user,item\nu\n")
    assert refused("rankings", asp.Source(path, name="the lists")).startswith("the lists, line 2: ")


@pytest.mark.parametrize("odd", ["", "a\0b", "\ud800", "a\nb.csv", "x" * 5000], ids=short)
def test_odd_paths(odd: str) -> None:
    refused("rankings", odd)
    refused("features", odd + ".npz")


def test_directories_and_broken_links(tmp_path: Path) -> None:
    assert refused("rankings", tmp_path) == f"{tmp_path}: is a directory, expected a file"
    link, loop = tmp_path / "link.csv", tmp_path / "loop.csv"
    link.symlink_to("gone.csv")
    loop.symlink_to("loop.csv")
    assert refused("rankings", link) == f"{link}: is a link to gone.csv, which is not there"
    assert refused("rankings", loop).startswith(f"{loop}: cannot be read: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(path: Path) -> None:
    path.write_bytes(CONTENT)
    path.chmod(0)
    assert refused("rankings", path) == f"{path}: cannot be read: no permission"


def test_no_permission_as_the_system_says_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", closed)
    assert refused("rankings", path) == f"{path}: cannot be read: no permission"


def test_bytes_in_a_path(tmp_path: Path) -> None:
    class BytesPath:
        def __fspath__(self) -> bytes:
            return os.fsencode(tmp_path / "recs.csv")

    (tmp_path / "recs.csv").write_bytes(CONTENT)
    assert read("rankings", BytesPath()) == ROWS


def test_a_pipe_is_read_once_and_lines_are_named_all_the_same(path: Path) -> None:
    os.mkfifo(path)
    for content, found in ((CONTENT, None), (CONTENT + b"u,a\n", "line 4: ")):
        writer = threading.Thread(target=path.write_bytes, args=(content,))
        writer.start()
        if found is None:
            assert read("rankings", path) == ROWS
        else:
            with pytest.raises(asp.InputError, match=found):
                asp.evaluate(path, "GiniComplement@2")
        writer.join()


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_the_standard_input(name: str, tmp_path: Path) -> None:
    (tmp_path / "-").write_bytes(b"user,item\nwrong,wrong\n")  # a file of that name is another thing
    script = (
        "import sys; from aspectrum.io import read_input; rows = read_input('rankings', sys.argv[1]); "
        "print(rows.ids['item'].ids.to_list(), rows.at(1))"
    )
    ran = subprocess.run([sys.executable, "-c", script, name], input=pack(CONTENT), capture_output=True, cwd=tmp_path, check=True)
    assert ran.stdout.decode().strip() == f"['a', 'b'] {name}, line 3"


def test_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert refused("rankings", "-") == "-: cannot be read: there is no standard input"


SKIPPED = b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip"


@pytest.mark.parametrize(
    "packed",
    [
        pack(CONTENT),
        pack(CONTENT[:7]) + pack(CONTENT[7:]),
        pack(CONTENT) + b"\0" * 100,
        zstd(CONTENT),
        zstd(CONTENT, write_checksum=True),
        zstd(CONTENT, write_content_size=False),
        zstd(CONTENT[:7]) + zstd(b"") + zstd(CONTENT[7:]),
        SKIPPED + zstd(CONTENT) + SKIPPED,
    ],
    ids=["gzip", "parts", "padded", "zstd", "sum", "no size", "frames", "skipped"],
)
@pytest.mark.parametrize("name", ["recs.csv", "recs.csv.gz", "recs.csv.zst", "recs"])
def test_packed_files_are_known_by_their_content(packed: bytes, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(packed)
    assert read("rankings", tmp_path / name) == ROWS


def test_a_long_zstd_file_of_many_frames(tmp_path: Path) -> None:
    content = os.urandom(3 << 20)
    (tmp_path / "x").write_bytes(b"".join(zstd(content[start : start + 70_001]) for start in range(0, len(content), 70_001)))
    assert read_bytes(str(tmp_path / "x")) == content


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (pack(CONTENT)[:-1], "the gzip file is cut short"),
        (pack(CONTENT)[:15], "the gzip file is cut short"),
        (pack(CONTENT)[:2], "the gzip file is cut short"),
        (pack(CONTENT) + pack(CONTENT)[:-3], "the gzip file is cut short"),
        (pack(CONTENT) + b"more", "the gzip file is damaged"),
        (pack(CONTENT)[:-8] + b"\0" * 8, "the gzip file is damaged"),
        (zstd(CONTENT)[:-1], "the zstd file is cut short"),
        (zstd(CONTENT)[:4], "the zstd file is cut short"),
        (zstd(CONTENT) + zstd(CONTENT)[:-1], "the zstd file is cut short"),
        (zstd(CONTENT) + b"more", "the zstd file is damaged"),
        (zstd(CONTENT, write_checksum=True)[:-4] + b"\0" * 4, "the zstd file is damaged"),
        (CONTENT, "is not packed, although its name ends in .gz"),
        (b"", "is not packed, although its name ends in .gz"),
        (pack(b""), "the file is empty"),
        (zstd(b""), "the file is empty"),
    ],
    ids=range(15),
)
def test_packed_files_that_are_damaged(packed: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "recs.csv.gz"
    path.write_bytes(packed)
    assert refused("rankings", path).startswith(f"{path}: {message}")


@pytest.mark.parametrize(("name", "packed", "how"), [("x.csv.gz", pack, "gzip"), ("x.csv.zst", zstd, "zstd")])
def test_a_packed_file_that_would_fill_the_memory(
    name: str, packed: Callable[[bytes], bytes], how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(packed(b"u,a,1\n" * 2_000_000))
    monkeypatch.setattr(files, "free_memory", lambda: 2e6)
    message = refused("rankings", tmp_path / name)
    assert re.fullmatch(rf".*{name}: holds more than [\d.]+ GB, and 0\.0 GB of memory are free; if .* unpack it with {how} -d .*", message)
    assert (tmp_path / name).stat().st_size < 1e6


def test_other_files_that_would_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.csv").write_bytes(b"u,a,1\n" * 2)
    np.savez_compressed(tmp_path / "x.npz", ids=["a"], features=np.zeros((1, 1000)))
    read_input("features", tmp_path / "x.npz")
    monkeypatch.setattr(files, "free_memory", lambda: 3)
    assert "x.csv: holds more than 0.0 GB" in refused("rankings", tmp_path / "x.csv")
    monkeypatch.setattr(features, "free_memory", lambda: 3)
    monkeypatch.setattr(files, "free_memory", lambda: 10_000)
    assert "x.npz: holds more than 0.0 GB" in refused("features", tmp_path / "x.npz")


def test_free_memory_is_what_the_system_tells() -> None:
    assert 0 < files.free_memory() <= math.inf


@pytest.mark.parametrize("where", ["aspectrum.io.files.free_memory", "aspectrum.io.tables.as_text", "aspectrum.kernels.read_columns"])
def test_who_runs_out_of_memory_learns_by_which_file(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("std::bad_alloc")

    (tmp_path / "x.csv").write_bytes(CONTENT)
    monkeypatch.setattr(where, fail)
    assert refused("rankings", tmp_path / "x.csv") == f"{tmp_path / 'x.csv'}: not enough memory to read it"


def binary(format: str) -> bytes:
    file = io.BytesIO()
    if format == "parquet":
        FRAME.write_parquet(file)
    elif format == "stream":
        FRAME.write_ipc_stream(file)
    elif format in ("arrow", "arrow packed"):
        FRAME.write_ipc(file, compression="zstd" if "packed" in format else "uncompressed")
    else:
        np.savez(file, features=np.eye(2), ids=np.array(["a", "b"]))
    return file.getvalue()


@pytest.mark.parametrize("format", ["parquet", "arrow", "arrow packed", "stream", "npz"])
def test_binary_files_cut_anywhere_are_refused(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format.split(' ', maxsplit=1)[0].replace('stream', 'arrow')}"
    content = binary(format)
    for size in range(len(content)):
        path.write_bytes(content[:size])
        assert refused("features" if format == "npz" else "rankings", path).startswith(f"{path}: ")


@pytest.mark.parametrize("name", ["x", "x.dat"])
@pytest.mark.parametrize("format", ["parquet", "arrow", "arrow packed", "stream"])
def test_binary_files_are_known_by_their_content(format: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(binary(format))
    assert read("rankings", tmp_path / name) == ROWS | {"score": [2.0, 1.0]}
    (tmp_path / name).write_bytes(pack(binary(format)))
    assert read("rankings", tmp_path / name)["item"] == ["a", "b"]


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_text_under_a_binary_name(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    path.write_bytes(CONTENT)
    assert refused("rankings", path).startswith(f"{path}: cannot be read as a")


@pytest.mark.parametrize("format", ["parquet", "arrow", "npz"])
def test_binary_files_under_a_text_name(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(binary(format))
    expected = ": is an npz file, which only features can come as" if format == "npz" else ", line "
    assert refused("rankings", path).startswith(f"{path}{expected}")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "recs.pkl",
            pickle.dumps(FRAME.to_dicts()),
            "is a pickle, which could run code; save the table as CSV or Parquet; or pass what is in it",
        ),
        ("recs.xls", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(99), "is an Excel workbook; *; or pass pandas.read_excel(path)"),
        ("recs.csv.bz2", bz2.compress(CONTENT), "is compressed with bzip2; unpack it, or use gzip or zstd"),
        ("recs.csv.xz", lzma.compress(CONTENT), "is compressed with xz; unpack it"),
        ("recs.tar", bytes(257) + b"ustar\0" + bytes(249), "is an archive of files; unpack it"),
        ("recs.h5", b"\x89HDF\r\n\x1a\n" + bytes(99), "is an HDF5 file; "),
        ("recs.db", b"SQLite format 3\0" + bytes(99), "is a SQLite database; "),
        ("recs.csv", b"\n<!DOCTYPE html>\n<html>404</html>\n", "is a web page; was it downloaded as it should?"),
        ("recs.txt", b"%PDF-1.7\n", "is a PDF document; "),
    ],
    ids=short,
)
def test_files_that_are_not_read(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert fnmatch(refused("rankings", tmp_path / name), f"{tmp_path / name}: {message}*")


@pytest.mark.parametrize(("inside", "found"), [("xl/workbook.xml", "an Excel workbook"), ("recs.csv", "a zip archive")])
def test_archives(inside: str, found: str, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(inside, CONTENT)
    assert refused("aspects", path).startswith(f"{path}: is {found}; ")


def test_all_files_that_are_missing_are_named_at_once(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("first.csv", "second.csv", "third.csv")]
    with pytest.raises(asp.InputError) as error:
        asp.evaluate_systems({"A": paths[0], "B": paths[1]}, "NDCG", relevance=asp.Source(paths[2]))
    assert str(error.value).splitlines() == [f"{path}: file not found" for path in paths]


def test_the_line_of_a_byte_that_is_no_text() -> None:
    long = "é".encode() * (3 << 20)  # letters that stand across the parts in which text is looked through
    assert as_text("x", b"a" + long) == b"a" + long
    for at, line in ((b"a" + long + b"\n\xff", 2), (b"a\n" + long + b"\xe9", 2), (b"\xc3", 1), (b"a\n\nb\xed\xa0\x80", 3)):
        with pytest.raises(asp.InputError, match=rf"x, line {line}: byte 0x\w\w is not UTF-8"):
            as_text("x", at)
