"""Vectors of items in every form they may come in."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import aspectrum as asp
from aspectrum.coding.rows import SparseRows
from aspectrum.io import read_input
from tests.io.reading import columns_of, read, refused

IDS = ["a", "b", "c"]
MATRIX = np.array([[1.0, 0.5, 0.0], [0.0, 2.0, -1.0], [3.0, 0.0, 0.25]])
LISTS = {"u": ["a", "b", "c"], "v": ["c", "a"]}


def savez(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def sparse_arrays(matrix: Any) -> dict[str, Any]:
    csr = scipy.sparse.csr_array(matrix)
    return {"data": csr.data, "indices": csr.indices, "indptr": csr.indptr, "shape": np.array(csr.shape), "format": b"csr"}


def sparse_with_ids_file(folder: Path) -> asp.Source:
    scipy.sparse.save_npz(folder / "x.npz", scipy.sparse.csr_array(MATRIX))
    (folder / "ids.txt").write_text("\n".join(IDS))
    return asp.Source(folder / "x.npz", ids=folder / "ids.txt")


def dense_with_ids_file(folder: Path, text: str = "item\na\nb\nc\n", name: str = "ids.csv") -> asp.Source:
    np.save(folder / "x.npy", MATRIX)
    (folder / name).write_text(text)
    return asp.Source(folder / "x.npy", ids=folder / name)


def written(path: Path, frame: pl.DataFrame) -> Path:
    getattr(frame, {".parquet": "write_parquet", ".arrow": "write_ipc", ".csv": "write_csv", ".jsonl": "write_ndjson"}[path.suffix])(path)
    return path


WIDE = pl.DataFrame({"item": IDS, "x": MATRIX[:, 0], "y": MATRIX[:, 1], "z": MATRIX[:, 2]})
COUNTED = WIDE.rename({"x": "0", "y": "1", "z": "2"})
NESTED = pl.DataFrame({"item": IDS, "embedding": MATRIX.tolist()})
LONG = pl.DataFrame(
    [(item, f"f{column}", float(MATRIX[row, column])) for row, item in enumerate(IDS) for column in range(3)],
    schema=["item", "feature", "value"],
    orient="row",
)
FORMS: dict[str, Callable[[Path], Any]] = {
    "npz": lambda folder: savez(folder / "x.npz", features=MATRIX, ids=np.array(IDS)),
    "npz with bytes": lambda folder: savez(folder / "x.npz", vectors=MATRIX, items=np.array(IDS, dtype="S5")),
    "npz with one name": lambda folder: savez(folder / "x.npz", whatever=MATRIX, item_ids=np.array(IDS)),
    "npz big endian": lambda folder: savez(folder / "x.npz", matrix=MATRIX.astype(">f8"), ids=np.array(IDS)),
    "npz column-major": lambda folder: savez(folder / "x.npz", matrix=np.asfortranarray(MATRIX), ids=np.array(IDS)),
    "npz sparse": lambda folder: savez(folder / "x.npz", **sparse_arrays(MATRIX), ids=np.array(IDS)),
    "npz sparse, file of ids": sparse_with_ids_file,
    "npy, file of ids": dense_with_ids_file,
    "npy, plain file of ids": lambda folder: dense_with_ids_file(folder, "a\n\nb\r\nc", "ids.txt"),
    "npy, list of ids": lambda folder: asp.Source(dense_with_ids_file(folder).data, ids=IDS),
    "npy, frame of ids": lambda folder: asp.Source(dense_with_ids_file(folder).data, ids=pd.Series(IDS)),
    "csv wide": lambda folder: written(folder / "x.csv", WIDE),
    "csv wide counted": lambda folder: written(folder / "x.csv", COUNTED),
    "parquet wide": lambda folder: written(folder / "x.parquet", WIDE),
    "parquet wide counted": lambda folder: written(folder / "x.parquet", COUNTED),
    "arrow wide": lambda folder: written(folder / "x.arrow", WIDE.select("z", "y", "item", "x")),
    "jsonl wide": lambda folder: written(folder / "x.jsonl", WIDE),
    "polars wide": lambda _: WIDE,
    "pandas wide": lambda _: WIDE.to_pandas(),
    "parquet lists": lambda folder: written(folder / "x.parquet", NESTED),
    "parquet lists called features": lambda folder: written(folder / "x.parquet", NESTED.rename({"embedding": "features"})),
    "parquet lists and more": lambda folder: written(folder / "x.parquet", NESTED.with_columns(title=pl.lit("t"), year=pl.lit(1))),
    "parquet arrays": lambda folder: written(folder / "x.parquet", NESTED.cast({"embedding": pl.Array(pl.Float64, 3)})),
    "jsonl lists": lambda folder: written(folder / "x.jsonl", NESTED),
    "pandas lists": lambda _: pd.DataFrame({"item": IDS, "vector": MATRIX.tolist()}),
    "pandas arrays": lambda _: pd.DataFrame({"item": IDS, "vector": list(MATRIX)}),
    "polars lists, said": lambda _: asp.Source(NESTED.with_columns(other=pl.col("embedding")), columns={"feature": "embedding"}),
    "csv rows": lambda folder: written(folder / "x.csv", LONG),
    "parquet rows": lambda folder: written(folder / "x.parquet", LONG),
    "polars rows": lambda _: LONG,
    "polars rows, other names": lambda _: LONG.rename({"item": "movieId", "feature": "term", "value": "tfidf"}),
    "polars rows, said": lambda _: asp.Source(
        LONG.rename({"item": "a", "feature": "b", "value": "c"}), columns={"item": "a", "feature": "b", "value": "c"}
    ),
}


@pytest.mark.parametrize("distance", ["cosine", "euclidean"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_numbers_of_plain_vectors(form: str, distance: str, tmp_path: Path) -> None:
    metric = f"ILD(distance={distance})@2,3"
    plain = asp.evaluate(LISTS, metric, features=dict(zip(IDS, MATRIX, strict=True)))
    found = asp.evaluate(LISTS, metric, features=FORMS[form](tmp_path))
    for name in plain:
        assert found[name] == pytest.approx(plain[name], rel=1e-12)


@pytest.mark.parametrize("form", [form for form in FORMS if "sparse" not in form and "rows" not in form])
def test_dense_vectors_come_as_they_are(form: str, tmp_path: Path) -> None:
    rows = read_input("features", FORMS[form](tmp_path))
    order = [2, 1, 0] if form == "arrow wide" else [0, 1, 2]
    assert columns_of(rows) == {"item": IDS}
    assert np.array_equal(np.asarray(rows.matrix, dtype=np.float64), MATRIX[:, order])


def test_without_ids_row_i_is_item_i(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", MATRIX)
    assert columns_of(read_input("features", tmp_path / "x.npy")) == {"item": [0, 1, 2]}


def test_float32_stays_float32(tmp_path: Path) -> None:
    narrow = MATRIX.astype(np.float32)
    for given in (savez(tmp_path / "x.npz", features=narrow), NESTED.cast({"embedding": pl.List(pl.Float32)})):
        assert read_input("features", given).matrix.dtype == np.float32


@pytest.mark.parametrize(
    "ids", [np.array([2**64 - 1, 1, 5], dtype=np.uint64), np.array([-1, 2, 2**62]), np.array([1, 2, 3], dtype=np.int8)]
)
def test_numbers_as_ids(ids: npt.NDArray[Any], tmp_path: Path) -> None:
    assert read("features", savez(tmp_path / "x.npz", features=MATRIX, ids=ids)) == {"item": ids.tolist()}


def test_sparse_matrices_are_read_as_scipy_does(tmp_path: Path) -> None:
    # Unsorted, repeated and zero entries.
    data, indices, indptr = np.array([1.0, 2.0, 3.0, 0.0, 5.0, -5.0]), np.array([2, 0, 2, 1, 1, 1]), np.array([0, 3, 4, 6])
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(3, 4))
    found = read_input("features", savez(tmp_path / "x.npz", data=data, indices=indices, indptr=indptr, shape=[3, 4])).matrix
    expected = SparseRows.from_matrix(matrix)
    for name in ("offsets", "columns", "values", "width"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))


def unsound(**changes: Any) -> dict[str, Any]:
    return sparse_arrays(MATRIX) | changes


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "holds nothing; expected a matrix named features"),
        ({"a": MATRIX, "b": MATRIX}, "holds 'a', 'b'; expected a matrix named features"),
        ({"features": MATRIX, "vectors": MATRIX}, "features and vectors may both be the vectors"),
        ({"features": MATRIX[0]}, "features has shape (3,) and type float64, expected one row of numbers per item"),
        ({"features": np.array([["a"]])}, "features has shape (1, 1) and type <U1, expected one row of numbers"),
        ({"features": MATRIX.astype(complex)}, "type complex128, expected one row of numbers"),
        ({"features": MATRIX, "ids": np.array(["a", "b"])}, "2 ids for 3 vectors"),
        ({"features": MATRIX, "ids": MATRIX}, "ids has shape (3, 3) and type float64, expected one id"),
        ({"features": MATRIX, "ids": np.array([1.0, 2.0, 3.0])}, "ids has shape (3,) and type float64, expected one id"),
        ({"features": MATRIX, "ids": np.array([b"\xff", b"a", b"b"])}, "ids holds an id that is not UTF-8 text"),
        ({"features": MATRIX, "ids": np.array(["\ud800", "a", "b"])}, "ids holds an id that is not UTF-8 text"),
        ({"features": MATRIX, "ids": np.array(["a", "", "b"])}, "row 2: the item is missing"),
        ({"features": MATRIX, "ids": np.array(["a", None, "b"], dtype=object)}, "it holds Python objects"),
        ({"features": np.where(MATRIX == 2, np.nan, MATRIX), "ids": np.array(IDS)}, "row 2: the vector holds nan, expected finite numbers"),
        ({"features": np.where(MATRIX == 3, np.inf, MATRIX).astype(np.float32)}, "row 3: the vector holds inf, expected finite numbers"),
        (unsound(format=b"csc"), "the sparse matrix is stored as b'csc', expected csr"),
        (unsound(format=np.array([b"csr", b"csr"])), "the sparse matrix is stored as"),
        (unsound(data=np.array([1.0, 2.0, np.nan, 1.0, 1.0, 1.0])), "row 2: the vector holds nan"),
        (unsound(data=np.ones(5)), "not sound"),
        (unsound(data=np.ones((6, 1))), "not sound"),
        (unsound(data=np.array(list("abcdef"))), "not sound"),
        (unsound(indices=np.array([0, 1, 1, 2, 0, 3])), "not sound"),
        (unsound(indices=np.array([0, 1, 1, 2, 0, -1])), "not sound"),
        (unsound(indices=np.array([0.0, 1, 1, 2, 0, 1])), "not sound"),
        (unsound(indptr=np.array([0, 4, 2, 6], dtype=np.uint32)), "not sound"),
        (unsound(indptr=np.array([0, 2, 4])), "not sound"),
        (unsound(indptr=np.array([], dtype=np.int64), shape=np.array([-1, 3])), "not sound"),
        (unsound(indptr=np.array([0, 2, 4, 2**63 + 6], dtype=np.uint64)), "not sound"),
        (unsound(shape=np.array([3, 2**40])), "not sound"),
        (unsound(shape=np.array([3])), "not sound"),
        (unsound(shape=np.array(3)), "not sound"),
    ],
)
def test_arrays_that_are_no_features(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = savez(tmp_path / "x.npz", **arrays)
    found = refused("features", path)
    assert found.startswith(str(path)) and message in found


def test_values_whose_sum_is_too_large_are_finite(tmp_path: Path) -> None:
    large = np.full((2, 2), 1.7e308)
    assert np.array_equal(read_input("features", savez(tmp_path / "x.npz", features=large)).matrix, large)


def test_files_that_are_no_arrays(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    for content, message in (
        (b"", "the file is empty"),
        (b"item,x\na,1\n", "is not an npz file"),
        (b"PK\3\4rest", "cannot be read as npz"),
    ):
        path.write_bytes(content)
        assert message in refused("features", path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "readme.txt is not an array" in refused("features", path)
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}, None], dtype=object), allow_pickle=True)
    (tmp_path / "x.npy").write_bytes(pickled.getvalue())
    assert "it holds Python objects" in refused("features", tmp_path / "x.npy")
    huge = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 99999), }".ljust(117) + b"\n"
    (tmp_path / "x.npy").write_bytes(huge)
    assert "cannot be read as npy" in refused("features", tmp_path / "x.npy")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pl.DataFrame({"item": ["a", "b"], "v": [[1.0], [1.0, 2.0]]}),
            "row 2: has a vector of 2 numbers, expected 1 numbers as in the first vector",
        ),
        (pl.DataFrame({"item": ["a", "b"], "v": [None, [1.0, 2.0]]}), "row 1: has no vector, expected 2 numbers"),
        (pl.DataFrame({"item": ["a", "b"], "v": [[1.0], [None]]}), "row 2: the vector holds nothing, expected finite numbers"),
        (pl.DataFrame({"item": ["a", "b"], "v": [[1.0], [float("nan")]]}), "row 2: the vector holds nan, expected finite numbers"),
        (
            pl.DataFrame({"item": ["a", "b"], "v": [[], []]}, schema_overrides={"v": pl.List(pl.Float64)}),
            "row 1: has a vector of 0 numbers",
        ),
        (pl.DataFrame({"item": ["a", None], "v": [[1.0], [1.0]]}), "row 2: the item is missing"),
        (pl.DataFrame({"item": ["a"], "v": [[1.0]], "w": [[2.0]]}), "'v' and 'w' both hold vectors; specify one with asp.Source"),
        (pl.DataFrame({"v": [[1.0]]}), "no item column found"),
        (pl.DataFrame({"item": ["a"]}), "has no column but 'item'; expected a vector"),
        (pl.DataFrame({"item": ["a", "b"], "x": [1.0, None]}), "row 2: column 'x' is empty, expected a finite number"),
        (pl.DataFrame({"item": ["a", "b"], "x": [1.0, float("inf")]}), "row 2: column 'x' holds inf, expected a finite number"),
        (
            pl.DataFrame({"item": ["a", "b"], "x": [1.0, 2.0], "title": ["t", "u"]}),
            "row 1: column 'title' holds 't', expected a finite number",
        ),
        (pl.DataFrame({"item": ["a"], "word": [1.0], "play": [2.0]}), "column 'word' may name the feature of a row"),
        (pl.DataFrame({"item": ["a", "a"], "feature": ["x", None]}), "row 2: the feature is missing"),
        (pl.DataFrame({"item": ["a"], "feature": ["x"], "value": [None]}), "row 1: the value is missing, expected a finite number"),
    ],
)
def test_frames_that_are_no_features(frame: pl.DataFrame, message: str) -> None:
    assert message in refused("features", frame)


def test_wide_text_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("item,x,y\n\na,1,2\nb,3,four\n")
    assert f"{path}, line 4: column 'y' holds 'four', expected a finite number" in refused("features", path)
    path.write_text("item,x,y\n\na,1,2\n,3,4\n")
    assert f"{path}, line 4: the item is missing" in refused("features", path)
    path.write_text("item,x,y\na,1,2\na,3,4\n")
    with pytest.raises(asp.InputError, match=rf"{path}, line 3: item 'a' has two vectors"):
        asp.evaluate({"u": ["a"]}, "ILD@1", features=path)


def test_nameless_columns_are_rows_not_vectors(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,17,0.5\nb,18,1\n")
    assert read("features", path) == {"item": ["a", "b"], "feature": ["17", "18"], "value": [0.5, 1.0]}
    path.write_text("a,0.1,0.5\nb,3,1\n")
    assert "the second column, without a name, holds numbers such as '0.1'" in refused("features", path)
    path.write_text("a,1,2,3\n")
    assert "has 4 columns without names, expected item, feature[, value]" in refused("features", path)


def test_tags_are_features() -> None:
    tags = pl.DataFrame({"userId": [1, 2], "movieId": ["a", "b"], "tag": ["funny|old", "old"], "timestamp": [99, 98]})
    assert read("features", asp.Source(tags, split="|")) == {"item": ["a", "a", "b"], "feature": ["funny", "old", "old"]}
    lists = pl.DataFrame({"item": ["a", "b"], "features": [["funny", "old"], ["old"]]})
    assert read("features", lists) == {"item": ["a", "a", "b"], "feature": ["funny", "old", "old"]}


def test_ids_and_columns_that_do_not_belong(tmp_path: Path) -> None:
    assert "ids are for npy and npz files" in refused("features", asp.Source(WIDE, ids=IDS))
    assert "ids are for features" in refused("rankings", asp.Source(WIDE, ids=IDS))
    assert "'rank' is not a column of features" in refused("features", asp.Source(WIDE, columns={"rank": "x"}))
    source = dense_with_ids_file(tmp_path, "a\nb\n", "ids.txt")
    assert "2 ids for 3 vectors" in refused("features", source)
    assert "file not found" in refused("features", asp.Source(source.data, ids=tmp_path / "gone.txt"))


def test_columns_that_may_both_name_features() -> None:
    frame = pl.DataFrame({"item": ["a", "b"], "genre": ["x", "y"], "category": ["p", "q"]})
    with pytest.raises(asp.InputError, match=r"'genre' and 'category' may both name features; specify one with asp.Source"):
        read_input("features", frame)
    rows = read_input("features", asp.Source(frame, columns={"feature": "category"}))
    assert list(rows.ids["feature"].ids) == ["p", "q"]


def test_numbers_beside_others_are_dimensions_whatever_they_are_called() -> None:
    rows = read_input("features", pl.DataFrame({"item": ["a", "b"], "genre": [1, 2], "year": [3, 4]}))
    assert rows.matrix.tolist() == [[1, 3], [2, 4]]
    vectors = read_input("features", pl.DataFrame({"item": ["a", "b"], "genre": ["x", "y"], "vector": [[0.5, 1.0], [1.0, 2.0]]}))
    assert vectors.matrix.tolist() == [[0.5, 1.0], [1.0, 2.0]]
    flags = read_input("features", pl.DataFrame({"item": ["a", "b"], "genres": [[1, 0], [1, 1]]}))
    assert flags.matrix.tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("name", ["wide.csv", "wide.jsonl", "wide.parquet"])
@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64, pl.Boolean])
def test_columns_of_0_and_1(tmp_path: Path, name: str, kind: Any) -> None:
    numbers = pl.DataFrame({"x": [1, 0, 0], "none": [0, 0, 0], "y": [1, 1, 0]}).cast(kind)
    frame = pl.DataFrame({"item": ["a", "b", "c"], "title": ["A", "B", "C"]}).hstack(numbers)
    path = tmp_path / name
    writers: dict[str, Any] = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}
    writers[path.suffix](path)
    rows = read_input("aspects", path)
    items, aspects = (pl.Series(rows.ids[role].ids)[rows.ids[role].codes.tolist()].to_list() for role in ("item", "aspect"))
    named = list(zip(items, aspects, strict=True))
    assert named == [("a", "x"), ("a", "y"), ("b", "y")]
    assert list(rows.ids["item"].ids) == ["a", "b", "c"]
    assert list(rows.ids["aspect"].ids) == ["x", "none", "y"]
    assert rows.place is not None
    assert rows.place(2) == ("row 2" if name == "wide.parquet" else f"line {3 - (name == 'wide.jsonl')}")
    assert read_input("features", path).matrix.tolist() == [[1, 0, 1], [0, 0, 1], [0, 0, 0]]


def test_one_column_of_0_and_1_is_no_genre() -> None:
    with pytest.raises(asp.InputError, match="no aspect column found"):
        read_input("aspects", pl.DataFrame({"item": ["a", "b"], "is_new": [0, 1]}))
