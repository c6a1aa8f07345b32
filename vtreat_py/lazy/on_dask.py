"""Plain columns of a Dask DataFrame: its partitions are read as frames in memory are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.dataframe as dd
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from vtreat_py.folds.text_ids import numbers_of_texts
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.columns import CodedColumn, EmptyColumn, NumericColumn
from vtreat_py.frames.id_texts import id_texts
from vtreat_py.frames.reading import read_column
from vtreat_py.lazy.columns import EMPTY, LazyPart, PlainColumn

# What columns hold whose type narwhals does not know, by `type_name`.
KINDS = {"null[pyarrow]": EMPTY}
UUIDS = (
    "object",  # that they are, each partition says
    "extension<arrow.uuid>[pyarrow]",
    "fixed_size_binary[16][pyarrow]",
)

_TYPES: dict[str, Any] = {
    "text": pd.StringDtype("pyarrow"),  # what Dask turns all text into
    "bytes": pd.ArrowDtype(pa.large_binary()),
    "integer": pd.Int64Dtype(),  # Arrow's has no remainders
}


def type_name(native: Any, name: str) -> str:
    """Name a type for messages."""
    return str(native.dtypes[name])


def project(native: Any, wanted: Sequence[PlainColumn]) -> Any:
    """Select plain columns."""
    chosen = native[list(dict.fromkeys(c.read_from for c in wanted))]
    return chosen.map_partitions(_read, list(wanted), meta=_read(chosen._meta, list(wanted)))


def _read(part: pd.DataFrame, wanted: list[PlainColumn]) -> pd.DataFrame:
    return pd.DataFrame({c.alias: _plain(part[c.read_from], c) for c in wanted}, index=part.index)


def _plain(values: pd.Series[Any], column: PlainColumn) -> pd.Series[Any]:
    if column.kind == "as it is":
        return values
    if isinstance(column, LazyPart):
        return _text_of_part(values, column.part)
    if column.kind in _TYPES:
        return values.astype(_TYPES[column.kind])
    if column.kind == "text id":
        texts = id_texts(column.name, nw.from_native(values, series_only=True))
        numbers = _TYPES["integer"].__from_arrow__(numbers_of_texts(texts))
        return pd.Series(numbers, index=values.index)
    read = read_column(column.name, values)
    if isinstance(read, EmptyColumn):
        numbers = np.full(len(read), np.nan)
    else:
        assert isinstance(read, NumericColumn)
        numbers = read.values.astype(np.float64)
    return pd.Series(numbers, index=values.index)


def _text_of_part(values: pd.Series[Any], part: CalendarPart) -> pd.Series[Any]:
    made = part.of(read_column(part.column, values))
    if isinstance(made, EmptyColumn):
        return values.astype(_TYPES["text"])
    assert isinstance(made, CodedColumn)
    codes = np.where(made.codes < 0, made.levels.missing, made.codes)
    labels = np.array([*made.levels.to_list(), None], dtype=object)
    return pd.Series(labels[codes], index=values.index).astype(_TYPES["text"])


def bring(_native: Any, table: pa.Table) -> Any:
    """Make a small table a frame of one partition."""
    types = {field.name: _joined_type(field.type) for field in table.schema}
    frame = table.to_pandas().astype({name: t for name, t in types.items() if t is not None})
    return dd.from_pandas(frame, npartitions=1)  # type: ignore[no-untyped-call]


def _joined_type(type_: pa.DataType) -> Any:
    """The type that `project` gives such a column, so that the two can be joined."""
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return _TYPES["text"]
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
        return _TYPES["bytes"]
    return _TYPES["integer"] if pa.types.is_integer(type_) else None
