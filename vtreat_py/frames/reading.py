"""From the columns of any eager data frame to typed columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import EXACT_INTEGERS, FloatArray
from vtreat_py.base.errors import UnsupportedColumnError
from vtreat_py.base.warn import warn
from vtreat_py.frames.columns import (
    CodedColumn,
    Column,
    EmptyColumn,
    NumericColumn,
    ObjectColumn,
    TextColumn,
    is_missing_only,
)
from vtreat_py.frames.dates import DATES_AMONG_OBJECTS, integers_of_dates, seconds, typed_dates
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.numbers_as_levels import numbers_as_levels, plain_number

_NUMERIC_OBJECTS = {"floating", "integer", "mixed-integer-float", "boolean", "decimal"}
_UNSUPPORTED_OBJECTS = {"complex", "period", "interval"}
Held = pd.Series | nw.Series[Any]  # a column of pandas as it is, others as narwhals has them
_NOT_LEVELS = (list, tuple, dict, set, frozenset, np.ndarray, complex, pd.Series, pd.DataFrame)


def read_column(
    name: Hashable,
    series: Held,
    as_levels: bool = False,
    missing_values: Sequence[str] = (),
) -> Column:
    """Read one column; one without a present value has no type, whatever it was stored as.

    With ``as_levels``, numbers are levels, each exactly, and Python objects are even where those
    at hand are all numbers. Texts among ``missing_values`` are missing.

    Raises
    ------
    UnsupportedColumnError
        If the column holds lists, structs, complex numbers or the like.
    """
    if missing_values and isinstance(series, pd.Series) and series.dtype == object:
        series = _without_texts(series, missing_values)
    column = _read(name, series, as_levels)
    if missing_values and isinstance(column, TextColumn | CodedColumn):
        column = column.without(missing_values)
    return EmptyColumn(name, len(column)) if is_missing_only(column) else column


def _without_texts(values: pd.Series[Any], texts: Sequence[str]) -> pd.Series[Any]:
    """Python objects without some texts; what is left says what the column holds."""
    lost = [isinstance(value, str) and value in texts for value in values]
    return values.mask(np.array(lost, dtype=bool), None)


def _read(name: Hashable, series: Held, as_levels: bool) -> Column:
    if as_levels and (column := numbers_as_levels(name, series)) is not None:
        return column
    if isinstance(series, pd.Series):
        if series.dtype == object:
            return read_objects(name, series.to_numpy(), as_levels)
        return _read_pandas(name, series)
    native = series.to_native()
    if isinstance(native, pa.ChunkedArray):
        return _read_arrow(name, native)
    if series.dtype == nw.Object:
        raise UnsupportedColumnError(name, f"values of type {series.dtype}")
    if series.dtype in (nw.Int128, nw.UInt128):
        series = series.cast(nw.Float64)
    return _read_arrow(name, series.alias("").to_arrow())  # Arrow takes no NUL in a name


def read_objects(name: Hashable, values: npt.NDArray[np.object_], as_levels: bool) -> Column:
    """Read Python's own values; as levels, if they are to be that whatever they are."""
    try:
        return _read_levels(name, values) if as_levels else _read_objects(name, values)
    except InvalidOperation as reason:
        raise UnsupportedColumnError(name, "decimals that are signals (sNaN)") from reason


def _read_pandas(name: Hashable, series: pd.Series[Any]) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        values = series.to_numpy()
        return _read_objects(name, values) if dtype.kind == "O" else _read_numpy(name, values)
    if isinstance(dtype, pd.CategoricalDtype):
        return CodedColumn(name, series.cat.codes.to_numpy(), _categories(series.cat.categories))
    if isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype):
        raise UnsupportedColumnError(name, f"values of type {dtype}")
    if isinstance(dtype, pd.SparseDtype):
        return _read_numpy(name, np.asarray(series))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return _read_numpy(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    try:
        return _read_arrow(name, pa.array(series.array, from_pandas=True))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as reason:
        raise UnsupportedColumnError(name, f"values of type {dtype}") from reason


def _categories(labels: pd.Index[Any]) -> Levels:
    if isinstance(labels.dtype, pd.StringDtype):
        return Levels(_one_array(pa.array(labels.array, pa.large_string())))
    return Levels.of(list(labels))


def _read_numpy(name: Hashable, values: npt.NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind in "Mm":
        return NumericColumn.of(name, seconds(values), "datetime" if kind == "M" else "duration")
    if kind in "US":
        return _read_objects(name, values.astype(object))
    if kind not in "biuf":
        raise UnsupportedColumnError(name, f"values of type {values.dtype}")
    if kind in "iu" and len(values):
        largest = max(abs(int(values.max())), abs(int(values.min())))
        warn_if_rounded(name, largest)
        if largest * len(values) > EXACT_INTEGERS:
            # Sums are rounded, and numpy adds up integers in another order than floats.
            kind, values = "f", values.astype(np.float64)
    if kind == "f":
        return NumericColumn.of(name, values.astype(np.float64, copy=False))
    return NumericColumn(name, "number", values.view(np.uint8) if kind == "b" else values, None)


def warn_if_rounded(name: Hashable, largest: float) -> None:
    """Say so if a column of integers has some that floats do not hold exactly."""
    if largest > EXACT_INTEGERS:
        warn(
            f"column {name!r} holds the integer {largest}: integers beyond 2**53 are rounded "
            "to 64-bit floats. If they are identifiers, convert the column to text.",
        )


def _read_objects(name: Hashable, values: npt.NDArray[np.object_]) -> Column:
    inferred = pd.api.types.infer_dtype(values, skipna=True)
    if inferred == "empty":
        return EmptyColumn(name, len(values))
    if inferred == "string":
        try:
            return TextColumn(name, pa.array(values, pa.large_string(), from_pandas=True))
        except (UnicodeEncodeError, pa.ArrowInvalid):
            return ObjectColumn(name, values)
    if inferred in _UNSUPPORTED_OBJECTS:
        raise UnsupportedColumnError(name, f"{inferred} values")
    present = ~pd.isna(values)
    if inferred in _NUMERIC_OBJECTS:
        numbers = np.full(len(values), np.nan)
        numbers[present] = _as_floats(values[present])
        if inferred in {"integer", "mixed-integer-float"}:
            whole = (abs(int(v)) for v in values[present] if isinstance(v, Integral))
            warn_if_rounded(name, max(whole, default=0))
        return NumericColumn.of(name, numbers)
    if inferred in DATES_AMONG_OBJECTS:
        typed = typed_dates(name, values, inferred)
        if isinstance(typed, np.ndarray):
            return NumericColumn.of(name, typed, "duration")
        if isinstance(typed, pd.Series):
            return _read_pandas(name, typed)
        if typed is not None:
            return _read_arrow(name, typed)
    return _read_levels(name, values)


def _read_levels(name: Hashable, values: npt.NDArray[np.object_]) -> Column:
    """Read Python objects as levels: text, or values of several types."""
    if pd.api.types.infer_dtype(values, skipna=True) in ("empty", "string"):
        return _read_objects(name, values)
    for value in values[~pd.isna(values)]:
        if isinstance(value, _NOT_LEVELS) or not _has_hash(value):
            raise UnsupportedColumnError(
                name, f"values such as {value!r} of type {type(value).__name__}"
            )
    return ObjectColumn(name, _in_one_way(values))


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except (TypeError, ValueError):  # ValueError: of numbers that signal that they are none
        return False
    return True


def _in_one_way(values: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
    """Make dates of numpy's days, which are equal to those, but their hashes differ.

    Decimals are what they are in a column of decimals.
    """
    known = (np.datetime64, Decimal)
    changed = {i: _as_level(value) for i, value in enumerate(values) if type(value) in known}
    if changed:
        values = values.copy()
        values[list(changed)] = list(changed.values())
    return values


def _as_level(value: Any) -> Any:
    """A day of numpy, or a decimal, as a level."""
    if isinstance(value, Decimal):
        return plain_number(value)
    day = value.item()
    return day if isinstance(day, date) else value


def _as_floats(values: npt.NDArray[np.object_]) -> FloatArray:
    try:
        return values.astype(np.float64)
    except OverflowError:  # integers beyond the range of floats
        return np.array([_as_float(v) for v in values])


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _read_arrow(name: Hashable, values: pa.Array | pa.ChunkedArray) -> Column:
    if isinstance(values, pa.ExtensionArray) or isinstance(values.type, pa.ExtensionType):
        raise UnsupportedColumnError(name, f"values of type {values.type}")
    kind, t = values.type, pa.types
    if t.is_null(kind):
        return EmptyColumn(name, len(values))
    if t.is_dictionary(kind):
        return _read_dictionary(name, _one_array(values))
    if t.is_string_view(kind):
        values, kind = values.cast(pa.large_string()), pa.large_string()
    elif t.is_binary_view(kind):
        values, kind = values.cast(pa.large_binary()), pa.large_binary()
    if t.is_string(kind) or t.is_large_string(kind) or t.is_binary(kind) or t.is_large_binary(kind):
        return TextColumn(name, _one_array(values))
    if dates := integers_of_dates(values):
        integers, convert, meaning = dates
        return NumericColumn.of(name, _floats(integers, convert), meaning)
    if t.is_boolean(kind):
        values = values.cast(pa.uint8())
    elif t.is_decimal(kind):
        # Arrow's own cast is off by a bit at times; as text the number is read exactly.
        values = values.cast(pa.string()).cast(pa.float64())
    elif t.is_integer(kind) and not values.null_count:
        return _read_numpy(name, _one_array(values).to_numpy())
    elif t.is_integer(kind) and kind.bit_width == 64:
        span = pc.min_max(values).as_py()
        warn_if_rounded(name, max(abs(span["min"] or 0), abs(span["max"] or 0)))
    elif not (t.is_integer(kind) or t.is_floating(kind)):
        raise UnsupportedColumnError(name, f"values of type {kind}")
    return NumericColumn.of(name, _floats(values))


def _one_array(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(values, pa.Array):
        return values
    if pa.types.is_dictionary(values.type) and values.num_chunks > 1:
        # Chunks may have dictionaries of their own, with nulls in them.
        plain = [chunk.dictionary_decode() for chunk in values.chunks]
        return pa.chunked_array(plain, values.type.value_type).combine_chunks().dictionary_encode()
    joined = values.combine_chunks()
    return joined.chunk(0) if isinstance(joined, pa.ChunkedArray) else joined


def _floats(values: pa.Array | pa.ChunkedArray, convert: Any = None) -> FloatArray:
    """Arrow numbers as floats, NaN where null; integers are converted before they are floats."""
    array = _one_array(values)
    missing = np.asarray(array.is_null()) if array.null_count else None
    if missing is not None and not pa.types.is_float16(array.type):  # which Arrow cannot fill
        array = array.fill_null(0)
    numbers = array.to_numpy(zero_copy_only=False)
    if convert is not None:
        numbers = convert(numbers)
    numbers = numbers.astype(np.float64, copy=False)
    return numbers if missing is None else np.where(missing, np.nan, numbers)


def _read_dictionary(name: Hashable, values: pa.DictionaryArray) -> Column:
    labels = values.dictionary
    if pa.types.is_nested(labels.type):
        raise UnsupportedColumnError(name, f"values of type {values.type}")
    indices = values.indices
    codes = np.asarray(indices.fill_null(0) if indices.null_count else indices)
    listed = labels.to_pylist()
    distinct = Levels.of(list(dict.fromkeys(v for v in listed if v is not None)))
    if len(distinct) < len(listed):  # nulls or repeats among the labels
        codes = distinct.codes_of(listed)[codes]
    if indices.null_count:
        codes = np.where(np.asarray(indices.is_null()), distinct.missing, codes)
    return CodedColumn(name, codes, distinct)
