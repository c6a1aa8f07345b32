"""Columns of lazy frames are typed and read as those of frames in memory are."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.frames import assert_same_bits
from tests.versions import older
from vtreat_py.base.errors import FrameError, InvalidOptionError, UnsupportedColumnError
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.lazy.columns import (
    LazyEmpty,
    LazyLevels,
    LazyNumber,
    exactly,
    kept_column,
    lazy_columns,
    typed_frame,
)
from vtreat_py.lazy.source import LazySource, collect

Lazy = Callable[[pa.Table], Any]

MOMENTS = [
    dt.datetime(2020, 2, 29, 1, 2, 3, 456789),
    None,
    dt.datetime(1969, 12, 31, 23, 59, 59, 500001),
    dt.datetime(1880, 1, 1, 12, 0, 0, 1),
]
NUMBERS = {
    "i8": pa.array([1, None, -3, 127], pa.int8()),
    "i64": pa.array([2**53 - 1, None, -5, 0], pa.int64()),
    "f32": pa.array([0.1, None, -0.0, float("inf")], pa.float32()),
    "f64": pa.array([1e308, float("nan"), -0.0, 5e-324], pa.float64()),
    "inf": pa.array([float("-inf"), 1.5, None, 2.0]),
    "flag": pa.array([True, None, False, True]),
    "dec": pa.array([Decimal("0.1"), None, Decimal("-12345678.9"), Decimal("3")]),
    "day": pa.array([dt.date(2020, 2, 29), None, dt.date(1969, 12, 31), dt.date(1600, 1, 1)]),
    "naive": pa.array(MOMENTS, pa.timestamp("us")),
    "zoned": pa.array(MOMENTS, pa.timestamp("us", "Europe/Rome")),
}
# Spark has no times of day before 4.1, Dask and DuckDB hold them as others do.
CLOCK = {
    "clock": pa.array([dt.time(1, 2, 3, 4), None, dt.time(0), dt.time(23, 59, 59, 999999)]),
}
SPANS = {
    "span": pa.array(
        [dt.timedelta(days=3, microseconds=7), None, -dt.timedelta(seconds=1.5), dt.timedelta(0)],
        pa.duration("us"),
    ),
}
TEXTS = ["", "NaN", "NULL", None, "a", "A", "a ", "é", "e\u0301", "😀", "nul\0in", 'it\'s "q"']


def in_memory(table: pa.Table, name: str) -> np.ndarray:
    column = InputFrame.of(table).read(name)
    assert isinstance(column, NumericColumn)
    return np.where(
        np.zeros(len(column), bool) if column.bad is None else column.bad,
        np.nan,
        column.values.astype(np.float64),
    )


def bits(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), np.nan, values).view(np.int64)


@pytest.mark.parametrize("name", [*NUMBERS, *CLOCK, *SPANS])
def test_numbers_are_those_of_frames_in_memory(name: str, engine: str, lazy: Lazy) -> None:
    if engine == "spark" and name in CLOCK:
        pytest.skip("Spark makes no times of day from Arrow")
    if engine == "ibis" and name in SPANS:
        pytest.skip("Ibis' DuckDB takes no durations from Arrow")
    table = pa.table({"row": [3, 0, 2, 1], name: (NUMBERS | CLOCK | SPANS)[name]})
    source = LazySource.of(lazy(table))
    (column,) = lazy_columns(source, [name])
    assert isinstance(column, LazyNumber)
    assert column.kind == InputFrame.of(table).read(name).kind
    row = kept_column(source, "row")
    found = collect(
        typed_frame(source, [column, row]).select(
            row=row.value, number=column.value, good=column.good, bad=column.is_bad
        )
    ).sort_by("row")
    expected = in_memory(table.sort_by("row"), name)
    good = found["good"].to_numpy().astype(float)
    np.testing.assert_array_equal(bits(good), bits(expected))
    np.testing.assert_array_equal(found["bad"].to_numpy(), np.isnan(expected))


@pytest.mark.parametrize(
    "type_", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
)
def test_levels_are_exact_code_points(type_: pa.DataType, engine: str, lazy: Lazy) -> None:
    if engine == "spark" and pa.types.is_dictionary(type_):
        pytest.skip("Spark has no categories")
    table = pa.table({"row": range(len(TEXTS)), "x": pa.array(TEXTS).cast(type_)})
    source = LazySource.of(lazy(table))
    (column,) = lazy_columns(source, ["x"])
    assert isinstance(column, LazyLevels)
    row = kept_column(source, "row")
    frame = typed_frame(source, [column, row])
    found = collect(frame.select(row.value, level=column.level, missing=column.is_missing))
    found = found.sort_by(row.alias)
    assert found["level"].to_pylist() == TEXTS
    assert found["missing"].to_pylist() == [text is None for text in TEXTS]
    counts = collect(frame.group_by(column.alias).agg(n=nw.len()))
    assert sorted(counts["n"].to_pylist()) == [1] * len(TEXTS)


def test_clocks_without_a_zone_read_the_same_in_every_session(spark: Any) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.sql("""
            SELECT TIMESTAMP_NTZ'1969-12-31 23:59:59.500001' AS naive,
                   TIMESTAMP'1970-01-01 00:00:00.5 UTC' AS zoned,
                   INTERVAL '1 02:03:04.5' DAY TO SECOND AS span,
                   INTERVAL '-0.25' SECOND AS short, NULL AS nothing
        """)
        source = LazySource.of(frame)
        columns = lazy_columns(source, source.columns)
        assert [c.kind for c in columns[:-1]] == ["datetime", "datetime", "duration", "duration"]
        assert isinstance(columns[-1], LazyEmpty)
        found = collect(typed_frame(source, columns)).to_pydict()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert list(found.values()) == [[-1 + 500001 / 1e6], [0.5], [93784.5], [-0.25]]


def test_text_is_compared_by_code_points_whatever_the_collation(spark: Any) -> None:
    rows = "SELECT x COLLATE UNICODE_CI AS x FROM VALUES ('a'), ('A') AS t(x)"
    assert distinct_levels(spark.sql(rows)) == ["A", "a"]
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'NOCASE'")
    assert distinct_levels(connection.sql("SELECT unnest(['a', 'A']) AS x")) == ["A", "a"]


def distinct_levels(frame: Any) -> list[str]:
    source = LazySource.of(frame)
    (column,) = lazy_columns(source, ["x"])
    counts = typed_frame(source, [column]).group_by(column.alias).agg(n=nw.len())
    return sorted(collect(counts)[column.alias].to_pylist())


def test_large_integers_and_times_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    source = LazySource.of(
        duckdb.sql("""
            SELECT 170141183460469231731687303715884105727::HUGEINT AS huge,
                   TIMESTAMP_NS '1969-12-31 23:59:59.123456789' AS ns,
                   'infinity'::DATE AS day, '-infinity'::TIMESTAMP AS moment,
                   'b'::ENUM('a', 'b') AS enum
        """)
    )
    columns = lazy_columns(source, source.columns)
    found = collect(typed_frame(source, columns)).to_pydict()
    assert list(found.values()) == [[2.0**127], [-1 + 123456789 / 1e9], [None], [None], ["b"]]


@pytest.mark.parametrize("values", [[[1]], [{"a": 1}]])
def test_what_is_not_supported_is_named(values: list[Any], engine: str, lazy: Lazy) -> None:
    table = pa.table({"bad": values, "worse": values, "fine": [1]})
    source = LazySource.of(lazy(table))
    with pytest.raises(UnsupportedColumnError, match="column 'bad' holds values of type"):
        lazy_columns(source, ["bad", "fine"])
    with pytest.raises(FrameError, match="2 columns hold what is not supported: 'bad' holds"):
        lazy_columns(source, source.columns)


def test_names_may_be_anything(engine: str, lazy: Lazy) -> None:
    names = ["a.b", "`back`", 'it\'s "q"; DROP TABLE t; --', "new\nline", "fold", "c0", "é"]
    table = pa.table({name: [float(i)] for i, name in enumerate(names)})
    source = LazySource.of(lazy(table))
    columns = lazy_columns(source, names)
    found = collect(typed_frame(source, columns).select(*(c.value for c in columns)))
    assert [column.to_pylist() for column in found.columns] == [[float(i)] for i in range(7)]


def test_a_column_of_nulls_is_empty() -> None:
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    (column,) = lazy_columns(LazySource.of(polars.LazyFrame({"x": [None]})), ["x"])
    assert column == LazyEmpty("x")
    (column,) = lazy_columns(LazySource.of(duckdb.sql("SELECT NULL AS x")), ["x"])
    if older("duckdb", "2.0"):  # to which NULL is an integer
        assert isinstance(column, LazyNumber)
    else:
        assert column == LazyEmpty("x")


def test_numbers_of_a_query_arrive_as_they_are(engine: str, lazy: Lazy) -> None:
    numbers = [0.1, 1 / 3, -0.0, 0.0, 1.0, 1e308, 5e-324, 123456.789, 2.0**53, 1e16, 9.999e-5, -7.1]
    source = LazySource.of(lazy(pa.table({"x": [1.0]})))
    (column,) = lazy_columns(source, ["x"])
    given = {f"n{i}": exactly(number) for i, number in enumerate(numbers)}
    row = collect(typed_frame(source, [column]).with_columns(**given).select(*given))
    found = np.array([row[name][0].as_py() for name in given])
    np.testing.assert_array_equal(found.view(np.int64), np.array(numbers).view(np.int64))


ZONES = [None, "Europe/Berlin", "UTC+05:30"]


@pytest.mark.parametrize("zone", ZONES)
def test_parts_of_dates_are_those_of_a_frame_in_memory(
    lazy: Callable[[pa.Table], Any], engine: str, zone: str | None
) -> None:
    n = 600
    moment = pd.date_range("1968-12-25 23:17:08", periods=n, freq="41h31min10s", tz="UTC")
    moment = moment.as_unit("us").tz_convert(zone)
    frame = pd.DataFrame({"id": np.arange(n), "fold": np.arange(n) % 4, "moment": moment})
    if zone is None:
        frame["moment"] = moment.tz_localize(None)
    frame["y"] = np.random.default_rng(1).normal(size=n) + (moment.day_of_week == 5)
    frame["w"] = np.arange(n) % 3 + 0.0
    frame.loc[[3, 50], "moment"] = pd.NaT
    given: dict[str, Any] = {"outcome": "y", "cv": "fold", "row_id": "id", "variables": ["moment"]}
    given |= {"calendar": "auto", "min_fraction": 0.05}
    made = vt.cross_frame_experiment(frame, sample_weight="w", **given)
    assert len(made.plan.made) == 6
    there = frame
    if zone == "UTC+05:30":  # which some engines have not: the plan goes by it all the same
        there = frame.assign(moment=frame["moment"].dt.tz_convert("UTC"))
    table = pa.Table.from_pandas(there, preserve_index=False)
    if engine == "ibis" and zone == "Europe/Berlin":
        with pytest.raises(InvalidOptionError, match="goes by the clock of Europe/Berlin"):
            vt.prepare(made.plan, lazy(table), row_id="id")
        with pytest.warns(vt.VtreatWarning, match="by whose clock ibis tells no month"):
            assert not vt.design_treatments(lazy(table), **given).made
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "this looks like the frame", vt.VtreatWarning)
        treated = vt.prepare(made.plan, frame, extra_columns=["id"])
    assert_same_bits(vt.prepare(made.plan, lazy(table), extra_columns=["id"]), treated)
    if engine in ("duckdb", "spark") or zone == "UTC+05:30":  # the zone is that of the session
        return
    assert made.plan.made[4].part == "weekday"
    given |= {"calendar": ["weekday"], "sample_weight": "w"}
    plan = vt.design_treatments(lazy(table), **given)
    assert plan.made == made.plan.made[4:5]
    ours = vt.design_treatments(frame, **given).score_frame
    theirs = plan.score_frame
    assert list(ours["variable"]) == list(theirs["variable"])
    np.testing.assert_allclose(theirs["sig"], ours["sig"], rtol=1e-6)


def test_times_of_day_in_nanoseconds_are_times() -> None:
    duckdb = pytest.importorskip("duckdb")
    clock = [dt.time(i % 24, i % 60, 1, 1000 * i) for i in range(60)]
    table = pa.table({"row": range(60), "x": pa.array(clock, pa.time64("ns")), "y": [0, 1, 1] * 20})
    connection = duckdb.connect()  # to be held while the relation is used
    relation = connection.from_arrow(table)
    given: dict[str, Any] = {"outcome": "y", "row_id": "row", "cv": 2, "random_state": 0}
    plan, other = (vt.design_treatments(frame, **given) for frame in (relation, table))
    assert plan.treatments[0].kind == other.treatments[0].kind == "time"
    np.testing.assert_allclose(plan.score_frame["sig"], other.score_frame["sig"], rtol=1e-9)
    found = vt.prepare(plan, relation, row_id="row").order("row").df()["x"]
    np.testing.assert_array_equal(found, vt.prepare(plan, table)["x"].to_numpy())


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_the_clock_of_a_session_is_named(zone: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    when = pd.date_range("2021-01-01", periods=60, freq="31h", tz="Europe/Rome")
    table = pa.table({"row": range(60), "x": pa.array(when), "y": [0, 1, 1] * 20})
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{zone}'")
    given: dict[str, Any] = {"outcome": "y", "row_id": "row", "cv": 2, "calendar": ["hour"]}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        plan = vt.design_treatments(connection.from_arrow(table), **given)
    assert {one.zone for one in plan.made} == {zone}
    named = [str(one.message) for one in told if "clock of this session" in str(one.message)]
    assert len(named) == (zone != "UTC")
    assert all("'x'" in text and zone in text for text in named)
