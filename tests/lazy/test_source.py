"""Lazy frames and files are recognised, and nothing is imported or read for that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import DependencyError, FrameError, InvalidOptionError, OptionTypeError
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.lazy.source import LazySource, collect

duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")


@pytest.fixture
def frame() -> Any:
    return polars.DataFrame({"x": ["a", "b"], "z": [1.5, None]})


def test_frames_in_memory_are_not_lazy(frame: Any) -> None:
    assert is_lazy(frame.lazy())
    assert not any(map(is_lazy, [frame, frame.to_pandas(), frame.to_arrow(), np.eye(2), [[1]]]))


def test_recognising_imports_no_engine() -> None:
    code = (
        "import sys, pandas as pd\n"
        "from vtreat_py.frames.lazy_frames import is_lazy\n"
        "assert not is_lazy(pd.DataFrame()) and is_lazy('x.csv')\n"
        "found = {'polars', 'duckdb', 'pyspark', 'dask', 'ibis'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".CSV"])
def test_paths_are_opened_by_duckdb(suffix: str, frame: Any, tmp_path: Path) -> None:
    path = tmp_path / f"rows{suffix}"
    frame.write_parquet(path) if suffix == ".parquet" else frame.write_csv(path)
    for given in (path, str(path), str(tmp_path / f"*{suffix}")):
        source = LazySource.of(given)
        assert (source.engine, source.columns) == ("duckdb", ("x", "z"))
        assert collect(source.frame).to_pydict() == frame.to_dict(as_series=False)


def test_what_is_no_lazy_frame_is_refused(frame: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionTypeError, match="frame is of type DataFrame; lazy frames are those"):
        LazySource.of(pd.DataFrame())
    with pytest.raises(InvalidOptionError, match=r"'rows\.txt' is a path that ends neither like"):
        LazySource.of("rows.txt")
    with pytest.raises(FrameError, match=r"cannot be opened: .*No files found"):
        LazySource.of(tmp_path / "none.parquet")
    with pytest.raises(FrameError, match="several columns share a name: 'x'"):
        LazySource.of(duckdb.sql("SELECT 1 AS x, 2 AS x"))


def test_a_path_without_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(
        DependencyError, match=r"'rows\.csv'\) need duckdb, which is not installed:"
    ):
        LazySource.of("rows.csv")


def test_files_of_csv_are_read_before_their_columns_are_cast(tmp_path: Path) -> None:
    """DuckDB pushed casts into the file: the text of 1 was " 1", and true no number."""
    path = str(tmp_path / "spaces.csv")
    rows = [f"{i}, {i % 3},{str(i % 2 == 0).lower()}, {(i % 3) * 2 + i * 7 % 5}" for i in range(60)]
    Path(path).write_text("\n".join(["id,k,b,y", *rows]) + "\n")
    memory = pd.read_csv(path)
    design = {"outcome": "y", "row_id": "id", "categorical": ["k"], "random_state": 0}
    here = vt.cross_frame_experiment(memory, **design)
    for frame in (path, [path], duckdb.read_csv(path)):
        there = vt.cross_frame_experiment(frame, **design)
        crossed = there.cross_frame.order("id").df().drop(columns="id")
        np.testing.assert_allclose(crossed, here.cross_frame[list(crossed)], rtol=1e-12)
        treated = vt.prepare(here.plan, frame, row_id="id").order("id").df().drop(columns="id")
        with pytest.warns(vt.VtreatWarning, match="train"):
            np.testing.assert_array_equal(treated, vt.prepare(here.plan, memory)[list(treated)])


@pytest.mark.parametrize("option", ["row_id", "cv"])
@pytest.mark.filterwarnings("ignore:.*beyond 2")
def test_integers_beyond_64_bits_are_refused_as_in_memory(option: str) -> None:
    frame = pd.DataFrame({"id": np.arange(60, dtype=np.uint64) + 2**63, "x": np.arange(60) % 7})
    frame["y"] = np.arange(60) * 7 % 11
    small = frame.assign(id=(frame["id"] - 2**63) % 4 if option == "cv" else frame["id"] - 2**63)
    for lazy in (lambda f: f, lambda f: polars.from_pandas(f).lazy(), duckdb.from_df):
        with pytest.raises(InvalidOptionError, match="holds 9223372036854775808, which is beyond"):
            vt.design_treatments(lazy(frame), outcome="y", **{option: "id"})
        vt.design_treatments(lazy(small), outcome="y", **{option: "id"})
