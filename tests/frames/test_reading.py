"""Every kind of column is read exactly."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.conftest import TEXT_DTYPE
from vtreat_py import VtreatWarning
from vtreat_py.base.errors import FrameError
from vtreat_py.frames.columns import CodedColumn, Column, EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame

NAN, INF = float("nan"), float("inf")
DAY = 86400.0
BERLIN_NOON = dt.datetime(2020, 6, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))
UTC_NOON = dt.datetime(2020, 6, 1, 12)
UTC_TEN = dt.datetime(2020, 6, 1, 10, tzinfo=dt.UTC).timestamp()


def pandas(values: Any, dtype: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"x": pd.Series(values, dtype=dtype)})


def polars(values: Any, dtype: Any = None) -> pl.DataFrame:
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype)})


def arrow(values: Any, kind: Any = None) -> pa.Table:
    return pa.table({"x": pa.array(values, kind)})


def read(frame: Any) -> Column:
    return InputFrame.of(frame).read("x")


def values_of(column: Any) -> list[Any]:
    """Decode a column of levels; missing is None."""
    codes, levels = column.encode()
    assert codes.min() >= 0
    assert codes.max() <= levels.missing
    return [None if code == levels.missing else levels[int(code)] for code in codes]


NUMBERS: dict[str, tuple[Any, list[float]]] = {
    "pandas int64": (pandas([1, 2, -3]), [1, 2, -3]),
    "pandas int8": (pandas([1, 2], "int8"), [1, 2]),
    "pandas uint64": (pandas([1, 2], "uint64"), [1, 2]),
    "pandas float64": (pandas([1.5, NAN, INF, -INF]), [1.5, NAN, INF, -INF]),
    "pandas float32": (pandas([0.1, NAN], "float32"), [float(np.float32(0.1)), NAN]),
    "pandas float16": (pandas([0.5, NAN], "float16"), [0.5, NAN]),
    "pandas long double": (pandas([0.5, NAN], "longdouble"), [0.5, NAN]),
    "pandas bool": (pandas([True, False]), [1, 0]),
    "pandas Int64": (pandas([1, None, 3], "Int64"), [1, NAN, 3]),
    "pandas UInt8": (pandas([1, None, 255], "UInt8"), [1, NAN, 255]),
    "pandas Float64": (pandas([1.5, None, INF], "Float64"), [1.5, NAN, INF]),
    "pandas boolean": (pandas([True, None, False], "boolean"), [1, NAN, 0]),
    "pandas Arrow double": (pandas([1.5, None], pd.ArrowDtype(pa.float64())), [1.5, NAN]),
    "pandas Arrow int": (pandas([1, None], pd.ArrowDtype(pa.int16())), [1, NAN]),
    "pandas Arrow bool": (pandas([True, None], pd.ArrowDtype(pa.bool_())), [1, NAN]),
    "pandas sparse floats": (pandas(pd.arrays.SparseArray([0.0, 2.5, NAN])), [0, 2.5, NAN]),
    "pandas sparse ints": (pandas(pd.arrays.SparseArray([0, 2, 0])), [0, 2, 0]),
    "objects int": (pandas([1, None, 3], object), [1, NAN, 3]),
    "objects int and NaN": (pandas([1, NAN], object), [1, NAN]),
    "objects int and NA": (pandas([1, pd.NA], object), [1, NAN]),
    "objects int and float": (pandas([1, 2.5, None], object), [1, 2.5, NAN]),
    "objects bool": (pandas([True, None, False], object), [1, NAN, 0]),
    "objects Decimal": (
        pandas([Decimal("1.5"), None, Decimal("NaN"), Decimal("Infinity")], object),
        [1.5, NAN, NAN, INF],
    ),
    "polars ints": (polars([1, None, -3]), [1, NAN, -3]),
    "polars UInt8": (polars([1, 255], pl.UInt8), [1, 255]),
    "polars floats": (polars([1.5, None, NAN, INF]), [1.5, NAN, NAN, INF]),
    "polars Float32": (polars([0.1, None], pl.Float32), [float(np.float32(0.1)), NAN]),
    "polars Boolean": (polars([True, None, False]), [1, NAN, 0]),
    "polars Decimal": (polars([Decimal("1.5"), None]), [1.5, NAN]),
    "pyarrow ints": (arrow([1, None, -3]), [1, NAN, -3]),
    "pyarrow uint64": (arrow([1, None], pa.uint64()), [1, NAN]),
    "pyarrow floats": (arrow([1.5, None, NAN, -INF]), [1.5, NAN, NAN, -INF]),
    "pyarrow halffloat": (arrow([np.float16(0.5), None], pa.float16()), [0.5, NAN]),
    "pyarrow bool": (arrow([True, None, False]), [1, NAN, 0]),
    "pyarrow decimal128": (arrow([Decimal("1.5"), None], pa.decimal128(5, 2)), [1.5, NAN]),
    "pyarrow decimal256": (arrow([Decimal("1.5"), None], pa.decimal256(50, 2)), [1.5, NAN]),
    "pyarrow chunks": (
        pa.table({"x": pa.chunked_array([[1, None], [], [3]], pa.int32())}),
        [1, NAN, 3],
    ),
}


@pytest.mark.parametrize(("frame", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_read_as_floats_with_bad_values_marked(
    frame: Any, expected: list[float]
) -> None:
    column = read(frame)
    assert isinstance(column, NumericColumn)
    assert column.kind == "number"
    np.testing.assert_array_equal(column.values, np.array(expected, dtype=float))
    bad = ~np.isfinite(np.array(expected, dtype=float))
    if bad.any():
        np.testing.assert_array_equal(column.bad, bad)
    else:
        assert column.bad is None


MOMENTS = ["1970-01-02", None, "2020-01-01T00:00:00.25"]
SECONDS = [DAY, NAN, 1577836800.25]
TIMES: dict[str, tuple[Any, str, list[float]]] = {
    "pandas datetime ns": (pandas(MOMENTS, "datetime64[ns]"), "datetime", SECONDS),
    "pandas datetime ms": (pandas(MOMENTS, "datetime64[ms]"), "datetime", SECONDS),
    "pandas datetime no NaT": (pandas(MOMENTS[:1], "datetime64[s]"), "datetime", [DAY]),
    "pandas datetime with zone": (
        pandas([BERLIN_NOON, None], "datetime64[us, Europe/Berlin]"),
        "datetime",
        [UTC_TEN, NAN],
    ),
    "pandas timedelta": (
        pandas(["1s", None, "36h"], "timedelta64[ns]"),
        "duration",
        [1, NAN, 1.5 * DAY],
    ),
    "pandas negative timedelta": (pandas(["-1.25s"], "timedelta64[ns]"), "duration", [-1.25]),
    "pandas Arrow timestamp": (
        pandas(pd.to_datetime(MOMENTS, format="ISO8601"), pd.ArrowDtype(pa.timestamp("ns"))),
        "datetime",
        SECONDS,
    ),
    "objects datetime": (
        pandas([dt.datetime(1970, 1, 2), None], object),
        "datetime",
        [DAY, NAN],
    ),
    "objects datetime before nanoseconds reach": (
        pandas([dt.datetime(1, 1, 1)], object),
        "datetime",
        [-62135596800],
    ),
    "objects datetime with zone": (pandas([BERLIN_NOON, None], object), "datetime", [UTC_TEN, NAN]),
    "objects date": (pandas([dt.date(1970, 1, 2), None], object), "date", [1, NAN]),
    "objects date and NaT": (
        pandas([dt.date(1970, 1, 2), pd.NaT], object),
        "date",
        [1, NAN],
    ),
    "objects time": (pandas([dt.time(1, 0, 0, 500000), None], object), "time", [3600.5, NAN]),
    "objects timedelta": (pandas([dt.timedelta(hours=1), None], object), "duration", [3600, NAN]),
    "polars Date": (polars([dt.date(1969, 12, 31), None]), "date", [-1, NAN]),
    "polars Datetime": (polars([dt.datetime(1970, 1, 2), None]), "datetime", [DAY, NAN]),
    "polars Datetime with zone": (
        polars([BERLIN_NOON, None], pl.Datetime("ms", "Europe/Berlin")),
        "datetime",
        [UTC_TEN, NAN],
    ),
    "polars Duration": (polars([dt.timedelta(seconds=-1.25), None]), "duration", [-1.25, NAN]),
    "polars Time": (polars([dt.time(1), None]), "time", [3600, NAN]),
    "pyarrow timestamp": (
        arrow([dt.datetime(1969, 12, 31, 23, 59, 59, 500000), None], pa.timestamp("us")),
        "datetime",
        [-0.5, NAN],
    ),
    "pyarrow date32": (arrow([dt.date(1970, 1, 2), None]), "date", [1, NAN]),
    "pyarrow date64": (arrow([dt.date(1970, 1, 2)], pa.date64()), "date", [1]),
    "pyarrow time32": (arrow([dt.time(1), None], pa.time32("s")), "time", [3600, NAN]),
    "pyarrow duration": (arrow([1500, None], pa.duration("ms")), "duration", [1.5, NAN]),
}


@pytest.mark.parametrize(("frame", "kind_read", "expected"), TIMES.values(), ids=TIMES)
def test_dates_and_times_are_read_as_days_or_seconds(
    frame: Any, kind_read: str, expected: list[float]
) -> None:
    column = read(frame)
    assert isinstance(column, NumericColumn)
    assert column.kind == kind_read
    np.testing.assert_array_equal(column.values, np.array(expected, dtype=float))
    if np.isnan(expected).any():
        np.testing.assert_array_equal(column.bad, np.isnan(expected))
    else:
        assert column.bad is None


def test_nanoseconds_of_recent_datetimes_are_kept_as_far_as_a_float_can() -> None:
    moment = np.datetime64("2020-01-01T00:00:00.123456789", "ns")
    for frame in (pandas([moment]), arrow([moment])):
        assert read(frame).values[0] == pytest.approx(1577836800.123456789, rel=0, abs=2.4e-7)


TEXTS: dict[str, Any] = {
    "objects": pandas(["b", None, "a", "b", ""], object),
    "objects with NaN": pandas(["b", NAN, "a", "b", ""], object),
    "objects with NA": pandas(["b", pd.NA, "a", "b", ""], object),
    "pandas str": pandas(["b", None, "a", "b", ""], TEXT_DTYPE),
    "pandas string of objects": pandas(["b", None, "a", "b", ""], "string[python]"),
    "pandas string of Arrow": pandas(["b", None, "a", "b", ""], "string[pyarrow]"),
    "pandas Arrow string": pandas(["b", None, "a", "b", ""], pd.ArrowDtype(pa.string())),
    "polars String": polars(["b", None, "a", "b", ""]),
    "pyarrow string": arrow(["b", None, "a", "b", ""]),
    "pyarrow large_string": arrow(["b", None, "a", "b", ""], pa.large_string()),
    "pyarrow string_view": arrow(["b", None, "a", "b", ""], pa.string_view()),
    "pyarrow chunks": pa.table({"x": pa.chunked_array([["b", None], [], ["a", "b", ""]])}),
}


@pytest.mark.parametrize("frame", TEXTS.values(), ids=TEXTS)
def test_text_is_coded_in_order_of_appearance_with_missing_last(frame: Any) -> None:
    codes, levels = read(frame).encode()
    assert codes.tolist() == [0, 3, 1, 0, 2]
    assert levels.to_list() == ["b", "a", ""]


BYTES: dict[str, Any] = {
    "objects": pandas([b"b", None, b"a"], object),
    "polars Binary": polars([b"b", None, b"a"]),
    "pyarrow binary": arrow([b"b", None, b"a"]),
    "pyarrow large_binary": arrow([b"b", None, b"a"], pa.large_binary()),
    "pyarrow binary_view": arrow([b"b", None, b"a"], pa.binary_view()),
}


@pytest.mark.parametrize("frame", BYTES.values(), ids=BYTES)
def test_bytes_are_levels(frame: Any) -> None:
    assert values_of(read(frame)) == [b"b", None, b"a"]


def dictionary(indices: list[Any], labels: list[Any]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(labels))


CATEGORIES: dict[str, tuple[Any, list[Any]]] = {
    "pandas category": (pandas(pd.Categorical(["b", None, "a"])), ["b", None, "a"]),
    "pandas ordered category": (
        pandas(pd.Categorical(["b", None, "a"], ["b", "a"], ordered=True)),
        ["b", None, "a"],
    ),
    "pandas unused category": (
        pandas(pd.Categorical(["b", None, "a"], ["z", "a", "y", "b"])),
        ["b", None, "a"],
    ),
    "pandas category of ints": (pandas(pd.Categorical([2, None, 1])), [2, None, 1]),
    "pandas category of bools": (pandas(pd.Categorical([True, None])), [True, None]),
    "pandas category of all missing": (pandas(pd.Categorical([None, None])), [None, None]),
    "pandas Arrow dictionary": (
        pandas(["b", None, "a"], pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
        ["b", None, "a"],
    ),
    "polars Categorical": (polars(["b", None, "a"], pl.Categorical), ["b", None, "a"]),
    "polars Enum": (polars(["b", None, "a"], pl.Enum(["z", "a", "b"])), ["b", None, "a"]),
    "pyarrow dictionary": (pa.table({"x": dictionary([1, None, 0], ["a", "b"])}), ["b", None, "a"]),
    "pyarrow dictionary with a null label": (
        pa.table({"x": dictionary([0, 1, 2, None], ["b", None, "a"])}),
        ["b", None, "a", None],
    ),
    "pyarrow dictionary with repeated labels": (
        pa.table({"x": dictionary([0, 1, 2], ["b", "a", "b"])}),
        ["b", "a", "b"],
    ),
    "pyarrow dictionary of ints": (pa.table({"x": dictionary([0, None], [5, 7])}), [5, None]),
    "pyarrow chunks of one dictionary": (
        pa.table(
            {"x": pa.chunked_array([dictionary([0], ["a", "b"]), dictionary([1], ["a", "b"])])}
        ),
        ["a", "b"],
    ),
    "pyarrow chunks of different dictionaries": (
        pa.table(
            {"x": pa.chunked_array([dictionary([0, 1], ["a", "b"]), dictionary([0, None], ["b"])])}
        ),
        ["a", "b", "b", None],
    ),
    "pyarrow chunks of different dictionaries with null labels": (
        pa.table(
            {"x": pa.chunked_array([dictionary([0, 1], ["a", None]), dictionary([0], ["b"])])}
        ),
        ["a", None, "b"],
    ),
}


@pytest.mark.parametrize(("frame", "expected"), CATEGORIES.values(), ids=CATEGORIES)
def test_categories_keep_their_values_whatever_their_codes(frame: Any, expected: list[Any]) -> None:
    column = read(frame)
    values = [None] * len(expected) if isinstance(column, EmptyColumn) else values_of(column)
    assert values == expected
    assert [type(v) for v in values] == [type(v) for v in expected]


@pytest.mark.parametrize("n_categories", [126, 127, 128, 129, 300])
def test_codes_of_categories_are_right_at_the_limits_of_small_integers(n_categories: int) -> None:
    labels = [f"l{i}" for i in range(n_categories)]
    values = [*labels, None]
    assert values_of(read(pandas(pd.Categorical(values, labels)))) == values


def test_codes_of_a_category_are_taken_as_they_come() -> None:
    series = pd.Series(pd.Categorical(["b", "a"], ["a", "b"]))
    column = read(pandas(series))
    assert isinstance(column, CodedColumn)
    assert column.codes.tolist() == [1, 0]
    assert column.levels.to_list() == ["a", "b"]


@pytest.mark.parametrize("n_levels", [3, 200, 40_000])
def test_categories_are_encoded_like_the_same_values_as_text(n_levels: int) -> None:
    random = np.random.default_rng(0)
    labels = [f"l{i}" for i in random.permutation(n_levels)]
    values = [labels[i] for i in random.integers(n_levels - 1, size=140_000)]
    values[1], values[139_000] = None, labels[-1]
    expected, in_order = read(arrow(values)).encode()
    ordered = pd.Categorical(values, ["unused", *labels])
    for frame in (pandas(ordered), polars(values, pl.Enum(["unused", *labels]))):
        codes, levels = read(frame).encode()
        np.testing.assert_array_equal(codes, expected)
        assert levels == in_order


MIXTURES: dict[str, list[Any]] = {
    "numbers and text": [1, 2.5, "1", None],
    "text and flags": ["a", True, None],
    "text and dates": ["a", dt.date(2020, 1, 1), None],
    "text and bytes": ["a", b"a", None],
    "text that is no UTF-8": ["\ud800", "a", None],
}


@pytest.mark.parametrize("values", MIXTURES.values(), ids=MIXTURES)
def test_mixtures_of_values_are_levels(values: list[Any]) -> None:
    assert values_of(read(pandas(values, object))) == values


def test_a_time_of_day_is_not_lost_among_dates() -> None:
    noon = dt.datetime(1970, 1, 2, 12)
    column = read(pandas([dt.date(1970, 1, 2), noon], object))
    if isinstance(column, NumericColumn):
        assert column.values[1] > column.values[0]
    else:
        assert values_of(column) == [dt.date(1970, 1, 2), noon]


EMPTY: dict[str, Any] = {
    "objects None": pandas([None, None], object),
    "objects NaN": pandas([NAN, None], object),
    "pandas str": pandas([None, None], TEXT_DTYPE),
    "pandas Int64": pandas([None, None], "Int64"),
    "pandas Arrow null": pandas([None, None], pd.ArrowDtype(pa.null())),
    "polars Null": polars([None, None]),
    "polars String": polars([None, None], pl.String),
    "polars Int64": polars([None, None], pl.Int64),
    "pyarrow null": arrow([None, None]),
    "pyarrow string": arrow([None, None], pa.string()),
}


@pytest.mark.parametrize("frame", EMPTY.values(), ids=EMPTY)
def test_columns_of_missing_values_only_have_no_type(frame: Any) -> None:
    column = read(frame)
    assert isinstance(column, EmptyColumn)
    assert len(column) == 2


@pytest.mark.parametrize(
    "frame",
    [
        pandas([2**53 + 1]),
        pandas([-(2**53) - 1]),
        pandas([2**63], "uint64"),
        pandas([2**53 + 1, None], "Int64"),
        pandas([2**70, 1], object),
        polars([2**53 + 1, None]),
        arrow([2**53 + 1, None]),
    ],
    ids=["int64", "negative", "uint64", "Int64", "objects", "polars", "pyarrow"],
)
def test_integers_that_a_float_cannot_hold_give_a_warning(frame: Any) -> None:
    with pytest.warns(VtreatWarning, match=r"'x'.*beyond 2\*\*53.*convert the column to text"):
        assert isinstance(read(frame), NumericColumn)


def test_the_largest_exact_integers_give_no_warning() -> None:
    assert read(pandas([2**53, -(2**53)])).values.tolist() == [2.0**53, -(2.0**53)]


def test_an_integer_beyond_the_range_of_floats_is_infinite_and_so_bad() -> None:
    with pytest.warns(VtreatWarning, match=r"'x'.*beyond 2\*\*53"):
        column = read(pandas([10**400, 1], object))
    assert isinstance(column, NumericColumn)
    assert column.bad is not None
    assert column.bad.tolist() == [True, False]


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="an older polars has no such integers")
def test_polars_integers_of_128_bits_are_numbers_or_refused_by_name() -> None:
    try:
        column = read(polars([1, None], pl.Int128))
    except FrameError as error:
        assert "column 'x'" in str(error)  # noqa: PT017
    else:
        np.testing.assert_array_equal(column.values, [1, NAN])


UNSUPPORTED: dict[str, Any] = {
    "objects list": pandas([[1], [2]], object),
    "objects text and list": pandas(["a", [1]], object),
    "objects text and dict": pandas(["a", {}], object),
    "objects tuple": pandas([(1,), "a"], object),
    "objects array": pandas([np.ones(2), "a"], object),
    "objects set": pandas([{1}, "a"], object),
    "objects complex": pandas([1j, 2.0], object),
    "objects text and complex": pandas([1j, "a"], object),
    "objects Period": pandas([pd.Period("2020", "Y"), None], object),
    "objects datetimes with and without zone": pandas(
        [BERLIN_NOON, dt.datetime(2020, 1, 1)], object
    ),
    "pandas complex": pandas([1j, 2j]),
    "pandas Period": pandas(pd.period_range("2020", periods=2, freq="D")),
    "pandas Interval": pandas(pd.interval_range(0, 2)),
    "pandas Arrow list": pandas([[1], None], pd.ArrowDtype(pa.list_(pa.int64()))),
    "polars List": polars([[1], None]),
    "polars Array": polars([[1, 2]], pl.Array(pl.Int64, 2)),
    "polars Struct": polars([{"a": 1}]),
    "polars Object": polars([object()], pl.Object),
    "pyarrow list": arrow([[1], None]),
    "pyarrow struct": arrow([{"a": 1}]),
    "pyarrow map": arrow([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "pyarrow dictionary of lists": pa.table(
        {"x": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([[1], [2]]))}
    ),
    "pyarrow interval": arrow([(1, 2, 3)], pa.month_day_nano_interval()),
}


@pytest.mark.parametrize("frame", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_columns_that_cannot_be_treated_give_an_error_that_names_them(frame: Any) -> None:
    with pytest.raises(FrameError, match=r"column 'x' holds .*convert the column or leave it out"):
        read(frame)


ANY_VALUES: dict[str, list[Any]] = {
    "numbers": [1.5, None, 3.0, -1.0, None, 2.0],
    "whole numbers": [1, None, 3, -1, None, 2],
    "flags": [True, None, False, True, None, True],
    "text": ["a", None, "b", "c", None, "a"],
    "datetimes": [UTC_NOON, None, UTC_NOON, UTC_NOON + dt.timedelta(1), None, UTC_NOON],
}


def as_values(column: Column) -> list[Any]:
    """Values of a column of any kind, bad numbers being None."""
    if not isinstance(column, NumericColumn):
        return values_of(column)
    return [v if np.isfinite(v) else None for v in column.values.tolist()]


@pytest.mark.parametrize("values", ANY_VALUES.values(), ids=ANY_VALUES)
def test_a_slice_of_a_frame_is_read_from_where_it_starts(values: list[Any]) -> None:
    whole = as_values(read(arrow(values)))
    assert as_values(read(arrow(values).slice(1, 4))) == whole[1:5]
    assert as_values(read(polars(values).slice(1, 4))) == whole[1:5]
    assert as_values(read(polars(values)[1:5])) == whole[1:5]
    assert as_values(read(pandas(values).iloc[1:5])) == whole[1:5]
    assert as_values(read(pandas(values).iloc[::-2])) == whole[::-2]


@pytest.mark.parametrize("values", ANY_VALUES.values(), ids=ANY_VALUES)
def test_a_frame_in_pieces_is_read_as_one(values: list[Any]) -> None:
    whole = as_values(read(arrow(values)))
    pieces = [arrow(values).slice(0, 2), arrow(values).slice(2, 0), arrow(values).slice(2)]
    assert as_values(read(pa.concat_tables(pieces))) == whole
    parts = [polars(values)[:2], polars(values)[2:]]
    assert as_values(read(pl.concat(parts, rechunk=False))) == whole
    if values is ANY_VALUES["text"]:
        coded = [part.with_columns(pl.col("x").cast(pl.Categorical)) for part in parts]
        assert as_values(read(pl.concat(coded, rechunk=False))) == whole


def test_values_of_the_caller_are_read_without_a_copy() -> None:
    values = np.array([1.0, 2.0, 3.0])
    frame = pd.DataFrame({"x": values}, copy=False)
    assert np.shares_memory(read(frame).values, values)


def test_zero_rows_are_read_in_every_kind() -> None:
    for frame in (
        pandas([], "float64"),
        pandas([], object),
        pandas([], "Int64"),
        pandas([], "datetime64[ns]"),
        polars([], pl.String),
        arrow([], pa.string()),
        pa.table({"x": pa.chunked_array([], pa.dictionary(pa.int8(), pa.string()))}),
    ):
        assert len(read(frame)) == 0
