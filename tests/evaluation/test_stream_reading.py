"""Files and frames of every kind give the same evaluation."""

from __future__ import annotations

import gzip
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError
from vtreat_py.evaluation import _stream_files, stream_reading
from vtreat_py.evaluation.stream_reading import evaluate_stream
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator
from vtreat_py.evaluation.streaming_multiclass import StreamingMulticlassEvaluator

ROWS = 500
COLUMNS = {"label": "bought", "score": "chance"}
WEIGHTED = COLUMNS | {"sample_weight": "weight"}


def example(n: int = ROWS) -> pd.DataFrame:
    random = np.random.default_rng(0)
    chance = random.random(n)
    return pd.DataFrame(
        {
            "name": [f"row {i}" for i in range(n)],
            "weight": random.integers(1, 4, n),
            "bought": (random.random(n) < chance).astype(int),
            "chance": chance,
        }
    )


FRAME = example()


def same(found: StreamingBinaryEvaluator, weighted: bool = True) -> None:
    weight = FRAME["weight"] if weighted else None
    expected = StreamingBinaryEvaluator().update(FRAME["bought"], FRAME["chance"], weight)
    pd.testing.assert_frame_equal(
        found.fixed(), expected.fixed(), check_dtype=False, check_exact=True
    )
    assert found.auc_bounds() == expected.auc_bounds()
    assert found.log_loss() == pytest.approx(expected.log_loss(), rel=1e-13)


def pieces(frame: Any) -> list[Any]:
    return [frame[start : start + 120] for start in range(0, ROWS, 120)]


def structured(frame: pd.DataFrame) -> np.ndarray:
    return frame.drop(columns="name").to_records(index=False)


CHUNKS = {
    "pandas": lambda: pieces(FRAME),
    "polars": lambda: pieces(pl.from_pandas(FRAME)),
    "lazy polars": lambda: pl.from_pandas(FRAME).lazy().collect_batches(chunk_size=99),
    "pyarrow": lambda: pieces(pa.Table.from_pandas(FRAME)),
    "pyarrow batches": lambda: pa.Table.from_pandas(FRAME).to_batches(max_chunksize=77),
    "pyarrow reader": lambda: pa.Table.from_pandas(FRAME).to_reader(max_chunksize=77),
    "pyarrow dataset": lambda: pyarrow.dataset.dataset(pa.Table.from_pandas(FRAME)).to_batches(),
    "structured arrays": lambda: pieces(structured(FRAME)),
    "dicts": lambda: ({name: part[name].to_numpy() for name in part} for part in pieces(FRAME)),
    "one pandas frame": lambda: FRAME,
    "one polars frame": lambda: pl.from_pandas(FRAME),
    "one table": lambda: pa.Table.from_pandas(FRAME),
    "one batch": lambda: pa.RecordBatch.from_pandas(FRAME),
    "one array": lambda: structured(FRAME),
    "one dict": lambda: FRAME.to_dict("list"),
    "generator": lambda: (part for part in pieces(FRAME)),
}


@pytest.mark.filterwarnings("ignore:.*collect_batches.*:UserWarning")
@pytest.mark.parametrize("kind", CHUNKS)
def test_chunks_of_every_kind(kind: str) -> None:
    if kind == "lazy polars" and not hasattr(pl.LazyFrame, "collect_batches"):
        pytest.skip("this polars has no collect_batches")
    same(evaluate_stream(CHUNKS[kind](), **WEIGHTED))


def test_arrays_of_two_dimensions_have_numbered_columns() -> None:
    array = FRAME[["bought", "chance", "weight"]].to_numpy()
    same(evaluate_stream(pieces(array), label=0, score=1, sample_weight=2))
    same(evaluate_stream(array, label=0, score=1), weighted=False)


def write_csv(path: Path, frame: pd.DataFrame = FRAME) -> None:
    frame.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz", "x.tsv.gz", "a.b.csv"])
@pytest.mark.parametrize("as_path", [str, Path])
def test_text_files(name: str, as_path: type, tmp_path: Path) -> None:
    write_csv(tmp_path / name)
    same(evaluate_stream(as_path(tmp_path / name), **WEIGHTED))


def test_text_files_of_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_stream_files, "_BYTES_A_BLOCK", 1_000)
    write_csv(tmp_path / "x.csv")
    same(evaluate_stream(tmp_path / "x.csv", **COLUMNS), weighted=False)


def test_pandas_reads_in_chunks(tmp_path: Path) -> None:
    write_csv(tmp_path / "x.csv")
    with pd.read_csv(tmp_path / "x.csv", chunksize=70) as chunks:
        same(evaluate_stream(chunks, **WEIGHTED))


@pytest.mark.parametrize("name", ["x.parquet", "x.pq"])
def test_parquet_files(name: str, tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / name, row_group_size=90)
    same(evaluate_stream(tmp_path / name, **WEIGHTED))


@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_missing_values_in_files(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"bought": ["yes", "no", None, "yes"], "chance": [0.5, None, 0.5, 0.25]})
    if name.endswith("csv"):
        write_csv(tmp_path / name, frame)
    else:
        frame.to_parquet(tmp_path / name)
    with pytest.raises(InvalidOptionError, match="score is missing in row 1"):
        evaluate_stream(tmp_path / name, **COLUMNS, pos_label="yes")
    found = evaluate_stream(tmp_path / name, **COLUMNS, pos_label="yes", missing="count")
    assert (found.n_rows, found.n_missing) == (2, 2)


@pytest.mark.parametrize("packed", [False, True])
def test_open_files_and_pipes(packed: bool, tmp_path: Path) -> None:
    text = FRAME.drop(columns="name").to_csv(index=False).encode()
    path = tmp_path / "x.txt"
    path.write_bytes(gzip.compress(text) if packed else text)
    with open(path, "rb") as file:
        same(evaluate_stream(file, **WEIGHTED))
    same(evaluate_stream(io.BytesIO(path.read_bytes()), **WEIGHTED))


@pytest.mark.parametrize("name", ["x.CSV", "x.Tsv.GZ", "x.PARQUET"])
def test_ends_of_names_in_capitals(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("PARQUET"):
        FRAME.to_parquet(path)
    else:
        text = FRAME.to_csv(index=False, sep="\t" if "Tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(text) if name.endswith("GZ") else text)
    same(evaluate_stream(path, **WEIGHTED))


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet", "array"])
def test_scores_of_several_classes(kind: str, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    chance = random.dirichlet([1, 1, 1], 200)
    label = random.integers(0, 3, 200)
    frame = pd.DataFrame(chance, columns=["a", "b", "c"]).assign(y=label, w=1.5)
    score: dict[Any, Any] = {0: "a", 1: "b", 2: "c"}
    names: dict[str, Any] = {"label": "y", "sample_weight": "w"}
    source: Any = tmp_path / f"x.{kind}"
    if kind == "csv":
        frame.to_csv(source, index=False)
    elif kind == "parquet":
        frame.to_parquet(source)
    elif kind == "frame":
        source = [frame[:50], frame[50:]]
    else:
        source, names = frame.to_numpy(), {"label": 3, "sample_weight": 4}
        score = {0: 0, 1: 1, 2: 2}
    found = evaluate_stream(source, score=score, **names)
    expected = StreamingMulticlassEvaluator([0, 1, 2]).update(label, chance, np.full(200, 1.5))
    assert found.auc() == expected.auc()
    pd.testing.assert_frame_equal(found.confusion(), expected.confusion())


def test_several_classes_need_names(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("0 .5 .25 .25\n")
    with pytest.raises(
        InvalidOptionError, match="scores of several classes are read from columns w"
    ):
        evaluate_stream(tmp_path / "x.txt", label=0, score={0: 1, 1: 2, 2: 3})


def test_options_are_passed_on() -> None:
    found = evaluate_stream([FRAME], **COLUMNS, threshold=[0.25, 0.75], bins="float", bits=12)
    assert found.thresholds == [0.25, 0.75]
    assert "FloatBins(bits=12)" in repr(found)


@pytest.mark.parametrize(
    ("source", "columns", "error", "message"),
    [
        ([FRAME], {"label": "x", "score": "chance"}, FrameError, "column 'x' is missing; columns"),
        (pl.from_pandas(FRAME), {"label": "x", "score": "y"}, FrameError, "are 'name', 'weight',"),
        (pa.table({"a": [1]}), {"label": "a", "score": "b"}, FrameError, "'b' is missing"),
        ({"a": [1]}, {"label": "a", "score": "b"}, FrameError, "'b' is missing; columns are 'a'"),
        (structured(FRAME), {"label": "x", "score": "y"}, FrameError, "'x' is missing"),
        (np.ones((3, 2)), {"label": 0, "score": 2}, FrameError, "column 2 is missing; columns are"),
        ([np.ones(3)], {"label": 0, "score": 1}, FrameError, "array of shape (3,); it must be"),
        ([1, 2], COLUMNS, OptionTypeError, "a chunk is of type int; it must be a frame"),
        (7, COLUMNS, OptionTypeError, "source is of type int; give a path, or an iterable of"),
        (pl.LazyFrame({"a": [1]}), COLUMNS, OptionTypeError, "source is of type LazyFrame"),
        (".", COLUMNS, IsADirectoryError, "Is a directory"),
        ("no file.csv", COLUMNS, FileNotFoundError, "no file.csv"),
        ("no file.parquet", COLUMNS, FileNotFoundError, "no file.parquet"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(
    source: Any, columns: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        evaluate_stream(source, **columns)


def test_files_without_the_columns_are_refused(tmp_path: Path) -> None:
    write_csv(tmp_path / "x.csv")
    with pytest.raises(FrameError, match=r"x.csv cannot be read: .*'chances'"):
        evaluate_stream(tmp_path / "x.csv", label="bought", score="chances")
    FRAME.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(FrameError, match="column 'chances' is missing; columns are 'name'"):
        evaluate_stream(tmp_path / "x.parquet", label="bought", score="chances")
    (tmp_path / "bad.csv").write_text("bought,chance\n1,much\n")
    with pytest.raises(FrameError, match=r"bad.csv cannot be read: .*'much'"):
        evaluate_stream(tmp_path / "bad.csv", **COLUMNS)


class Bar:
    """Takes the place of the progress line."""

    def __init__(self) -> None:
        self.total: Any = None
        self.done: list[int] = []

    def __call__(self, total: int | None, show: bool, unit: str) -> Bar:
        self.total, self.show, self.unit = total, show, unit
        return self

    def __enter__(self) -> Any:
        return self.done.append

    def __exit__(self, *error: object) -> None:
        pass


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> Bar:
    bar = Bar()
    monkeypatch.setattr(stream_reading, "progress_line", bar)
    return bar


def test_progress_counts_chunks(bar: Bar) -> None:
    evaluate_stream(pieces(FRAME), **COLUMNS, progress=True)
    assert (bar.total, bar.show, bar.unit, bar.done) == (5, True, "chunk", [1] * 5)
    evaluate_stream(iter(pieces(FRAME)), **COLUMNS)
    assert (bar.total, bar.show) == (None, False)


def test_progress_counts_rows_of_parquet_files(bar: Bar, tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "x.parquet")
    evaluate_stream(tmp_path / "x.parquet", **COLUMNS, progress=True)
    assert (bar.total, bar.unit, sum(bar.done)) == (ROWS, "row", ROWS)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_progress_counts_megabytes_of_text_files(name: str, bar: Bar, tmp_path: Path) -> None:
    text = example(40_000).to_csv(index=False).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    evaluate_stream(path, **COLUMNS, progress=True)
    assert bar.total == -(-path.stat().st_size // 10**6)
    assert (bar.unit, sum(bar.done)) == ("megabyte", bar.total)


def test_a_plain_progress_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("tqdm", "tqdm.auto", "rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(__import__("sys").modules, package, None)
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    evaluate_stream(pieces(FRAME), **COLUMNS, progress=True)
    assert stream.getvalue().splitlines()[-1] == "vtreat_py: 5 of 5 chunks"
    evaluate_stream(iter(pieces(FRAME)), **COLUMNS, progress=True)
    unknown = stream.getvalue().splitlines()[-4:]
    assert unknown == [f"vtreat_py: {n} chunks" for n in (0, 1, 2, 4)]
