"""A column as each kind of frame can hold it: every dtype of numpy, pandas, polars and Arrow."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

_INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_NULLABLE_INTS = ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"]
_DAYS = ["datetime64[s]", "datetime64[ms]", "datetime64[us]", "datetime64[ns]", "category"]
_SPANS = ["timedelta64[s]", "timedelta64[ms]", "timedelta64[us]", "timedelta64[ns]"]
_TEXT = ["object", "object", "str", "string", "string[python]", "category", "ordered"]
_ARROW_TEXT = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
]
_ARROW_INTS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float64()]
_STAMPS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")]
_ARROW: dict[str, list[pa.DataType]] = {
    "numbers": [pa.float64(), pa.float64(), pa.float32(), pa.float16()],
    "integers": _ARROW_INTS,
    "small": [*_ARROW_INTS, pa.decimal128(9, 2)],
    "flags": [pa.bool_()],
    "texts": _ARROW_TEXT,
    "words": _ARROW_TEXT,
    "many": _ARROW_TEXT,
    "bytes": [pa.binary(), pa.large_binary(), pa.binary_view()],
    "dates": [pa.date32(), pa.date64(), *_STAMPS],
    "moments": _STAMPS,
    "spans": [pa.duration(unit) for unit in ("s", "ms", "us", "ns")],
    "times": [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")],
    "decimals": [pa.decimal128(20, 4), pa.decimal256(50, 8)],
    "nothing": [pa.null(), pa.string(), pa.float64(), pa.int64()],
}
_PANDAS: dict[str, list[Any]] = {
    "numbers": ["float64", "float64", "float64", "float32", "float16", "Float64", "Float32",
                "object", "category", "Sparse[float]"],
    "integers": [*_INTS, *_NULLABLE_INTS, "float64", "object", "category"],
    "small": [*_INTS, *_NULLABLE_INTS, "float64", "object", "category", "ordered"],
    "flags": ["bool", "boolean", "object", "category", "float64"],
    "texts": _TEXT,
    "words": _TEXT,
    "many": _TEXT,
    "dates": ["object", *_DAYS],
    "moments": ["object", *_DAYS],
    "spans": ["object", *_SPANS, "category"],
    "nothing": ["object", "float64", "Float64", "string", "category", "datetime64[ns]", "Int8"],
    "mixed": ["object", "object", "category", "ordered"],
}  # fmt: skip
_POLARS: dict[str, list[Any]] = {
    "numbers": [pl.Float64, pl.Float64, pl.Float32],
    "integers": [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt32, pl.UInt64],
    "small": [pl.Int8, pl.Int64, pl.Int128, pl.UInt16, pl.Float64, pl.Decimal(10, 2)],
    "texts": [pl.String, pl.String, pl.Categorical],
    "words": [pl.String, pl.String, pl.Categorical, "enum"],
    "many": [pl.String, pl.Categorical, "enum"],
    "dates": [pl.Date, pl.Datetime("us")],
    "moments": [pl.Datetime("us"), pl.Datetime("ms"), pl.Datetime("ns"), pl.Datetime("us", "UTC")],
    "spans": [pl.Duration("us"), pl.Duration("ms"), pl.Duration("ns")],
    "nothing": [pl.Null, pl.String, pl.Float64, pl.Int8, pl.Categorical],
    "mixed": [pl.Object],
    "unlike": [pl.Object],
}
# A dtype that cannot hold the values gives way to what the container makes of them by itself.
_CANNOT = (
    ValueError, TypeError, OverflowError, pa.ArrowException, AttributeError, RecursionError,
    pl.exceptions.PolarsError,
)  # fmt: skip


def dtype_for(random: Random, container: str, family: str) -> Any:
    """Draw the dtype of a column; None leaves it to the container."""
    if container == "pandas":
        if family in _ARROW and random.random() < 0.15:
            return pd.ArrowDtype(random.choice(_ARROW[family]))
        return random.choice(_PANDAS.get(family, ["object"]))
    by_family: Any = _POLARS if container == "polars" else _ARROW
    return random.choice(by_family[family]) if family in by_family else None


def column(container: str, values: list[Any], dtype: Any, unused: list[Any]) -> Any:
    """Hold values, of which None is missing, in a column; ``unused`` are more of its categories."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if container == "pandas":
            return _pandas(values, dtype, unused)
        return _polars(values, dtype, unused) if container == "polars" else _arrow(values, dtype)


def _pandas(values: list[Any], dtype: Any, unused: list[Any]) -> pd.Series[Any]:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    plain: pd.Series[Any] = pd.Series(objects, dtype=object)
    if dtype == "object":
        return plain
    try:
        if isinstance(dtype, pd.ArrowDtype):
            return pd.Series(pd.array(_arrow(values, dtype.pyarrow_dtype), dtype=dtype))
        if dtype in ("category", "ordered"):
            known = pd.unique(pd.Series([*unused, *values], dtype=object).dropna())
            return pd.Series(pd.Categorical(plain, known, ordered=dtype == "ordered"))
        return plain.astype(dtype)
    except _CANNOT:
        return plain


def _polars(values: list[Any], dtype: Any, unused: list[Any]) -> pl.Series:
    if isinstance(dtype, str):
        known = dict.fromkeys([*unused, *values])
        dtype = pl.Enum([value for value in known if value is not None])
    for kind in (dtype, None, pl.String):
        try:
            return pl.Series(values, dtype=kind, strict=kind is not pl.String)
        except _CANNOT:
            continue
    return pl.Series(values, dtype=pl.Object)


def _arrow(values: list[Any], dtype: Any) -> pa.Array:
    for kind in (dtype, None):
        try:
            if kind is None and any(isinstance(value, np.generic) for value in values):
                break  # on which Arrow crashes at times
            return pa.array(values, kind)
        except _CANNOT:
            continue
    return pa.array([None if value is None else ascii(value) for value in values])
