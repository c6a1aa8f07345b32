"""The different values of a quantity with their weights, or a short table that stands for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.lazy.aggregates import floats
from vtreat_py.lazy.columns import PlainColumn
from vtreat_py.lazy.source import collect

# Up to so many different values come back as they are.
MOST_VALUES = 1 << 20
# Of more, those are put together whose sizes agree to an octave divided by this.
_BINS_PER_OCTAVE = 256
# Distances below this share of the spread are taken together.
_OCTAVES_BELOW = 30
_VALUE, _ROWS, _WEIGHT, _BIN = "value", "value_rows", "value_weight", "value_bin"


@dataclass(frozen=True, eq=False)
class ValueTable:
    """Values of a quantity over all rows.

    Attributes
    ----------
    values : pyarrow.ChunkedArray
        Different values, sorted, null last.
    rows : ndarray of shape (m,)
        Number of rows of each.
    weight : ndarray of shape (m,)
        Weight of each; the number of rows where there are no weights.
    """

    values: pa.ChunkedArray
    rows: IntArray
    weight: FloatArray

    @property
    def numbers(self) -> FloatArray:
        """The values as floats."""
        return np.asarray(self.values.to_numpy(), dtype=np.float64)


def table_of_values(
    frame: nw.LazyFrame[Any], value: nw.Expr, weight: PlainColumn | None
) -> ValueTable:
    """Table the different values of an expression, or condense those that are too many."""
    return distinct_values(frame, value, weight) or condensed_values(frame, value, weight)


def distinct_values(
    frame: nw.LazyFrame[Any], value: nw.Expr, weight: PlainColumn | None
) -> ValueTable | None:
    """Table the different values of an expression; None if there are more than 2**20."""
    asked, sums = {_VALUE: value}, [nw.len().alias(_ROWS)]
    if weight is not None:
        asked[_WEIGHT] = weight.value
        sums.append(nw.col(_WEIGHT).sum())
    keyed = frame.select(**asked).group_by(_VALUE).agg(*sums)
    table = collect(keyed.head(MOST_VALUES + 1))
    if table.num_rows > MOST_VALUES:
        return None
    table = table.sort_by(_VALUE)
    summed = floats(table, _ROWS if weight is None else _WEIGHT)
    return ValueTable(table[_VALUE], _rows(table), summed)


def condensed_values(
    frame: nw.LazyFrame[Any], value: nw.Expr, weight: PlainColumn | None
) -> ValueTable:
    """Table numbers of which there are too many to have each.

    Numbers whose distances from the mean agree to a 256th of an octave are replaced by their own
    mean: mean and rows are kept, and the variance to one part in a million. Callers take the centre
    off, so that squares keep their digits.
    """
    w = nw.lit(1.0) if weight is None else weight.value
    keyed = frame.select(value.alias(_VALUE), w.alias(_WEIGHT))
    number, share = nw.col(_VALUE), nw.col(_WEIGHT)
    summed = {"a": share.sum(), "b": (number * share).sum(), "c": (number * number * share).sum()}
    (whole,) = collect(keyed.select(**summed)).to_pylist()
    mean = whole["b"] / whole["a"]
    spread = math.sqrt(max(whole["c"] / whole["a"] - mean * mean, 0.0)) or 1.0
    apart = (number - mean) / spread
    octave = apart.abs().clip(2.0**-_OCTAVES_BELOW, None).log(2.0)
    place = (octave * _BINS_PER_OCTAVE).floor() + (_OCTAVES_BELOW * _BINS_PER_OCTAVE + 1)
    signed = nw.when(apart < 0).then(0.0 - place).otherwise(place)
    binned = keyed.with_columns(signed.alias(_BIN), (number * share).alias(_VALUE))
    sums = [nw.col(_VALUE).sum(), nw.len().alias(_ROWS), nw.col(_WEIGHT).sum()]
    table = collect(binned.group_by(_BIN).agg(*sums)).sort_by(_BIN)
    total = floats(table, _WEIGHT)
    some = total > 0
    means = floats(table, _VALUE)[some] / total[some]
    return ValueTable(pa.chunked_array([pa.array(means)]), _rows(table)[some], total[some])


def _rows(table: pa.Table) -> IntArray:
    return np.asarray(table[_ROWS].to_numpy(), dtype=np.int64)
