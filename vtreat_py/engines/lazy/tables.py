"""Small tables, brought to the engine of a lazy frame."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from vtreat_py.engines.lazy.columns import native_module
from vtreat_py.engines.lazy.source import LazySource


def brought(source: LazySource, table: pa.Table) -> nw.LazyFrame[Any]:
    """Bring a table to the engine of a frame, so that the two can be joined.

    It lives as long as queries that use it do: polars, Dask and Ibis hold the table, DuckDB's
    relations hold the Arrow table that they scan, Spark holds a local relation. Nothing is
    written, neither to the catalog nor to a file.
    """
    frame: nw.LazyFrame[Any] = nw.from_native(native_module(source).bring(source.native, table))
    return frame


def value_of(key: nw.Expr, values: dict[Any, Any], otherwise: Any) -> nw.Expr:
    """Look a key up among few values, each a literal of the query.

    Keys with equal values are looked up together; ``otherwise`` is an expression or a value.
    """
    result = otherwise if isinstance(otherwise, nw.Expr) else nw.lit(otherwise)
    keys_of: dict[Any, list[Any]] = {}
    for one, value in values.items():
        keys_of.setdefault(value, []).append(one)
    for value, keys in keys_of.items():
        hit = key == nw.lit(keys[0]) if len(keys) == 1 else key.is_in(keys)
        result = nw.when(hit).then(nw.lit(value)).otherwise(result)
    return result
