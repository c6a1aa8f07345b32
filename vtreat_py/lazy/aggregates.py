"""One aggregate query: expressions in, sums out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray
from vtreat_py.lazy.source import collect, selected

How = Literal["sum", "count", "min", "max", "var"]
# What is done with the values of an expression that are not null: "var" is the mean square about
# their mean.
Asked = tuple[How, nw.Expr]


def grouped(
    frame: nw.LazyFrame[Any], keys: Mapping[str, nw.Expr], wanted: Mapping[str, Asked]
) -> pa.Table:
    """Group by expressions, in any order of rows; null is a key of its own."""
    plain = selected(frame, {**keys, **{name: value for name, (_, value) in wanted.items()}})
    return collect(plain.group_by(*keys).agg(*_aggregates(wanted)))


def totals(frame: nw.LazyFrame[Any], wanted: Mapping[str, Asked]) -> dict[str, float]:
    """Aggregate all rows at once; what no row has is NaN."""
    plain = selected(frame, {name: value for name, (_, value) in wanted.items()})
    table = collect(plain.select(*_aggregates(wanted)))
    return {name: float(floats(table, name)[0]) for name in wanted}


def _aggregates(wanted: Mapping[str, Asked]) -> list[nw.Expr]:
    return [
        nw.col(name).var(ddof=0) if how == "var" else getattr(nw.col(name), how)()
        for name, (how, _) in wanted.items()
    ]


def floats(table: pa.Table, name: str) -> FloatArray:
    """A column of numbers as floats, NaN where it is null."""
    return np.asarray(table[name].to_numpy(), dtype=np.float64)


def one_where(condition: nw.Expr) -> nw.Expr:
    """1, or null: its count is the number of rows for which a condition holds."""
    return value_where(condition, nw.lit(1))


def value_where(condition: nw.Expr, value: nw.Expr) -> nw.Expr:
    """A value, or null where a condition does not hold."""
    return nw.when(condition).then(value)
