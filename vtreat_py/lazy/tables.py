"""Looking values up by level: in small tables brought to the engine, or in the query itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vtreat_py.base.arrays import IntArray
from vtreat_py.lazy.columns import literal, native_module
from vtreat_py.lazy.source import LazySource, selected, with_columns

# Up to so many levels whose value is not that of novel ones are written into the query.
_FEW_LEVELS = 20


def brought(source: LazySource, table: pa.Table) -> nw.LazyFrame[Any]:
    """Bring a table to the engine of a frame, so that the two can be joined.

    It lives as long as queries that use it do: polars, Dask and Ibis hold the table, DuckDB's
    relations hold the Arrow table that they scan, Spark holds a local relation. Nothing is
    written, neither to the catalog nor to a file; but before 2.0, DuckDB keeps a temporary view
    of a relation that was queried until its connection is closed.
    """
    frame: nw.LazyFrame[Any] = nw.from_native(native_module(source).bring(source.native, table))
    return frame


@dataclass(frozen=True, eq=False)
class Lookup:
    """A small table, and where rows find their place in it.

    Attributes
    ----------
    table : pyarrow.Table
        Its columns have names that those of the rows have not.
    on : dict from column of the rows to column of the table
        Those that must be equal; null is equal to nothing.
    """

    table: pa.Table
    on: dict[str, str]


def completed(
    source: LazySource,
    rows: nw.LazyFrame[Any],
    lookups: Sequence[Lookup],
    values: dict[str, nw.Expr],
    output: Iterable[tuple[str, str]],
) -> Any:
    """Join small tables to rows, what is found nowhere being null, and compute values from them.

    ``output`` are columns of that and their names in the result, a frame of the caller's kind.
    """
    module = native_module(source)
    if lookups and hasattr(module, "look_up"):  # each step costs the engine a look at all steps
        rows = nw.from_native(module.look_up(rows.to_native(), lookups))
    else:
        for lookup in lookups:
            ours, theirs = list(lookup.on), list(lookup.on.values())
            table = brought(source, lookup.table)
            rows = rows.join(table, left_on=ours, right_on=theirs, how="left")
    if values:
        rows = with_columns(rows, values)
    return selected(rows, {name: nw.col(alias) for alias, name in output}).to_native()


@dataclass(frozen=True, eq=False)
class LevelValues:
    """Values of a variable by level.

    Attributes
    ----------
    keys : pyarrow.Array
        The levels, as the engine has them: text, bytes or floats; none missing.
    values : ndarray of shape (n_levels,)
        Floats, or text.
    missing, novel : float or str
        Values of missing levels and of those not among the keys.
    """

    keys: pa.Array
    values: NDArray[Any]
    missing: float | str
    novel: float | str

    def apart(self) -> IntArray:
        """Places of levels whose value is, to the bit, not that of novel ones."""
        values, novel = self.values, np.array([self.novel], dtype=self.values.dtype)
        if values.dtype != object:
            values, novel = values.view(np.int64), novel.view(np.int64)
        return np.flatnonzero(values != novel)

    def few(self) -> bool:
        """Whether a query can spell the values out; some engines round floats, or stop at NUL."""
        apart = self.apart()
        if len(apart) > _FEW_LEVELS or not len(apart):
            return not len(apart)
        if pa.types.is_floating(self.keys.type):
            return False
        return not pc.any(pc.match_substring(self.keys.take(apart), "\0")).as_py()

    def spelt_out(self, level: nw.Expr, is_missing: nw.Expr) -> nw.Expr:
        """Look a level up by comparisons; levels of equal values together."""
        keys_of: dict[str, list[Any]] = {}
        value_of: dict[str, float | str] = {}
        for place in self.apart():
            value = self.values[place]
            name = value if isinstance(value, str) else float(value).hex()  # -0.0 is not 0.0
            value_of[name] = value
            keys_of.setdefault(name, []).append(self.keys[int(place)].as_py())
        result = literal(self.novel)
        for name, keys in keys_of.items():
            hit = level == nw.lit(keys[0]) if len(keys) == 1 else level.is_in(keys)
            result = nw.when(hit).then(literal(value_of[name])).otherwise(result)
        return self._or_missing(result, is_missing)

    def joined(self, found: nw.Expr, is_missing: nw.Expr) -> nw.Expr:
        """Complete what a join has found, which is null for levels it has not."""
        return self._or_missing(
            nw.when(found.is_null()).then(literal(self.novel)).otherwise(found), is_missing
        )

    def _or_missing(self, value: nw.Expr, is_missing: nw.Expr) -> nw.Expr:
        return nw.when(is_missing).then(literal(self.missing)).otherwise(value)
