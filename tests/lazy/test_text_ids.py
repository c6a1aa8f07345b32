"""Row ids of text and UUIDs on engines: the same folds, plans and kept sums as in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.folds.test_text_ids import FIXED, TEXTS, UUID_TEXTS, UUIDS, fold_of
from tests.lazy.frames import OUTCOMES, assert_same_bits, awkward_table
from tests.lazy.plans import assert_same_plan
from tests.lazy.test_folds import on_engine
from vtreat_py.base.errors import FrameError, InvalidOptionError
from vtreat_py.folds.row_ids import RowIdFolds, picked
from vtreat_py.folds.text_ids import numbers_of_texts
from vtreat_py.lazy import parts
from vtreat_py.lazy.columns import row_id_column, typed_frame
from vtreat_py.lazy.folds import lazy_folds
from vtreat_py.lazy.source import LazySource, collect

Lazy = Callable[[pa.Table], Any]
N = 300
IDS = [f"Ä-{i:05d}" for i in np.random.default_rng(2).permutation(N)]
TABLE = awkward_table(N).set_column(0, "id", pa.array(IDS))
NUMBERS = np.asarray(numbers_of_texts(pa.array(IDS, pa.large_string())))


def test_folds_are_those_of_the_reference(engine: str, lazy: Lazy) -> None:
    table = pa.table({"id": TEXTS, "row": np.arange(len(TEXTS))})
    found = on_engine(lazy(table), row_id="id", cv=3)
    assert found.tolist() == [fold_of(text, 3, 3) for text in TEXTS]


def test_numbers_are_those_of_memory(engine: str, lazy: Lazy) -> None:
    source = LazySource.of(lazy(TABLE))
    column = row_id_column(source, "id")
    frame = typed_frame(source, [column])
    assert sorted(collect(frame)[column.alias].to_pylist()) == sorted(NUMBERS)
    some = collect(frame.filter(picked(column.value, 7)))[column.alias].to_pylist()
    assert sorted(some) == sorted(NUMBERS[picked(NUMBERS, 7)])
    assert 20 < len(some) < 70


def uuids_of_duckdb(table: pa.Table) -> Any:
    relation = pytest.importorskip("duckdb").from_arrow(table)
    return relation.project("CAST(upper(id) AS UUID) AS id, row")


def objects_of_dask(table: pa.Table) -> Any:
    return of_dask(pd.DataFrame({"id": UUIDS, "row": table["row"].to_numpy()}))


def fixed_of_dask(table: pa.Table) -> Any:
    return of_dask(table.set_column(0, "id", FIXED).to_pandas(types_mapper=pd.ArrowDtype))


def arrow_of_dask(table: pa.Table) -> Any:
    ids = FIXED.cast(pa.uuid())
    return of_dask(table.set_column(0, "id", ids).to_pandas(types_mapper=pd.ArrowDtype))


def of_dask(frame: pd.DataFrame) -> Any:
    config = pytest.importorskip("dask").config
    frames = pytest.importorskip("dask.dataframe")
    with config.set({"dataframe.convert-string": False}):
        return frames.from_pandas(frame, npartitions=3)


def uuids_of_ibis(table: pa.Table) -> Any:
    return pytest.importorskip("ibis").memtable(table).cast({"id": "uuid"})


@pytest.mark.parametrize(
    ("engine", "make"),
    [
        ("duckdb", uuids_of_duckdb),
        ("dask", objects_of_dask),
        ("dask", fixed_of_dask),
        ("dask", arrow_of_dask),
        ("ibis", uuids_of_ibis),
    ],
)
def test_uuids_are_their_text(engine: str, make: Lazy) -> None:
    table = pa.table({"id": UUID_TEXTS, "row": np.arange(len(UUIDS))})
    found = on_engine(make(table), row_id="id", cv=3)
    assert found.tolist() == [fold_of(text, 3, 3) for text in UUID_TEXTS]


@pytest.mark.filterwarnings("ignore:duckdb does not tell", "ignore:spark does not tell")
@pytest.mark.filterwarnings("ignore:ibis does not tell")
def test_plans_are_those_of_memory(engine: str, lazy: Lazy) -> None:
    options: dict[str, Any] = {
        "outcome": "c", "variables": ["x", "many", "z", "size"], "row_id": "id", "random_state": 1,
        "coders": ["isBAD", "catB", "catP", "lev"],
    }  # fmt: skip
    expected = vt.cross_frame_experiment(TABLE.take(np.argsort(NUMBERS)), **options)
    found = vt.cross_frame_experiment(lazy(TABLE), **options)
    assert_same_plan(found.plan, expected.plan, exact=("catB", "catP", "lev", "isBAD"))
    assert_same_bits(found.cross_frame, expected.cross_frame)
    rows = vt.prepare(found.plan, lazy(TABLE), row_id="id")
    assert_same_bits(rows, vt.prepare(found.plan, TABLE.slice(0), row_id="id"))


@pytest.mark.filterwarnings("ignore:duckdb does not tell", "ignore:spark does not tell")
@pytest.mark.filterwarnings("ignore:ibis does not tell")
@pytest.mark.parametrize("most", [100, 1 << 20])
def test_statistics_are_kept(most: int, lazy: Lazy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_ROWS", most)
    options: dict[str, Any] = {
        "outcome": OUTCOMES["binomial"], "variables": ["x", "many", "z"], "row_id": "id",
        "random_state": 1, "keep_statistics": True,
    }  # fmt: skip
    part = RowIdFolds.seeded(-(-N // most), 0).of(NUMBERS)
    expected = vt.cross_frame_experiment(TABLE.take(np.lexsort((NUMBERS, part))), **options)
    found = vt.cross_frame_experiment(lazy(TABLE), **options)
    assert found.plan.statistics == expected.plan.statistics
    assert_same_bits(found.cross_frame, expected.cross_frame)


def test_folds_come_with_their_ids(lazy: Lazy) -> None:
    options: dict[str, Any] = {"outcome": "y", "variables": ["z"], "row_id": "id"}
    found = vt.cross_frame_experiment(lazy(TABLE), **options, random_state=1)
    expected = vt.cross_frame_experiment(TABLE, **options, random_state=1).fold_numbers
    frame = LazySource.of(found.fold_frame)
    folds = collect(frame.frame)
    assert dict(zip(folds["id"].to_pylist(), folds["fold"].to_pylist(), strict=True)) == dict(
        zip(IDS, expected.tolist(), strict=True)
    )


BAD: dict[str, tuple[pa.Array, type[Exception], str]] = {
    "fractions": (pa.array(np.arange(N) / 2), InvalidOptionError, "integers, text or UUIDs"),
    "flags": (pa.array([True, False] * (N // 2)), InvalidOptionError, "integers, text or UUIDs"),
    "dates": (pa.array([5] * N, pa.date32()), InvalidOptionError, "integers, text or UUIDs"),
    "bytes": (pa.array([b"id"] * N), InvalidOptionError, "integers, text or UUIDs"),
    "missing text": (pa.array([None, *IDS[1:]]), FrameError, "row_id='id' has 1 missing values"),
}


@pytest.mark.parametrize(("ids", "error", "told"), BAD.values(), ids=list(BAD))
def test_what_is_no_id(ids: pa.Array, error: type[Exception], told: str, lazy: Lazy) -> None:
    frame = lazy(TABLE.select(["y", "z"]).append_column("id", ids))
    with pytest.raises(error, match=told):
        vt.design_treatments(frame, outcome="y", row_id="id")


def test_types_that_narwhals_does_not_name() -> None:
    frame = pytest.importorskip("duckdb").sql("SELECT CAST('101' AS BIT) AS id, 1.5 AS y, 2 AS z")
    with pytest.raises(InvalidOptionError, match="row_id='id' is of type BIT; it must hold"):
        lazy_folds(LazySource.of(frame), row_id="id")


@pytest.mark.parametrize("engine", ["dask"])
def test_objects_of_dask_are_told_by_their_values(engine: str) -> None:
    frame = of_dask(pd.DataFrame({"id": [*UUIDS[1:], 1.5], "y": np.arange(len(UUIDS))}))
    with pytest.raises(InvalidOptionError, match=r"row_id='id' holds 1\.5 of type float; objects"):
        lazy_folds(LazySource.of(frame), row_id="id").n_rows  # noqa: B018


@pytest.mark.parametrize("engine", ["ibis"])
def test_ibis_has_text_on_duckdb_alone(engine: str) -> None:
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("ibis.backends.sqlite")
    connection = ibis.sqlite.connect()
    connection.con.execute("CREATE TABLE ids (id TEXT, y REAL)")
    table = connection.table("ids")
    with pytest.raises(InvalidOptionError, match="on sqlite by Ibis it must hold integers"):
        lazy_folds(LazySource.of(table), row_id="id")


def test_enums_are_text() -> None:
    texts = [text for text in dict.fromkeys(TEXTS) if "\0" not in text]  # DuckDB has no such enums
    connection = pytest.importorskip("duckdb").connect()
    table = connection.from_arrow(pa.table({"id": texts, "row": np.arange(len(texts))}))
    table.create("texts")
    connection.execute("CREATE TYPE ids AS ENUM (SELECT id FROM texts)")
    found = on_engine(table.project("CAST(id AS ids) AS id, row"), row_id="id", cv=3)
    assert found.tolist() == [fold_of(text, 3, 3) for text in texts]
