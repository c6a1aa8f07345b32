"""The different values of a quantity with their weights, or a short table that stands for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray, IntArray
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


def distinct_values(
    frame: nw.LazyFrame[Any], value: nw.Expr, weight: nw.Expr | None
) -> ValueTable | None:
    """Table the different values of an expression; None if there are more than 2**20."""
    keyed = frame.select(value.alias(_VALUE), *_weights(weight))
    sums = [nw.len().alias(_ROWS), *_sums(weight)]
    table = collect(keyed.group_by(_VALUE).agg(*sums).head(MOST_VALUES + 1))
    if table.num_rows > MOST_VALUES:
        return None
    return _table(table.sort_by(_VALUE))


def condensed_values(
    frame: nw.LazyFrame[Any], value: nw.Expr, weight: nw.Expr | None
) -> ValueTable:
    """Table numbers of which there are too many to have each.

    Numbers whose distances from the mean agree to a 256th of an octave are replaced by their own
    mean: mean and rows are kept, and the variance to one part in a million. Callers take the centre
    off, so that squares keep their digits.
    """
    w = nw.lit(1.0) if weight is None else weight
    keyed = frame.select(value.alias(_VALUE), w.alias(_WEIGHT))
    number, share = nw.col(_VALUE), nw.col(_WEIGHT)
    whole = collect(
        keyed.select(a=share.sum(), b=(number * share).sum(), c=(number * number * share).sum())
    ).to_pylist()[0]
    mean = whole["b"] / whole["a"]
    spread = math.sqrt(max(whole["c"] / whole["a"] - mean * mean, 0.0)) or 1.0
    apart = (number - mean) / spread
    octave = apart.abs().clip(2.0**-_OCTAVES_BELOW, None).log(2.0)
    place = (octave * _BINS_PER_OCTAVE).floor() + (_OCTAVES_BELOW * _BINS_PER_OCTAVE + 1)
    signed = nw.when(apart < 0).then(0.0 - place).otherwise(place)
    binned = keyed.with_columns(signed.alias(_BIN), (number * share).alias(_VALUE))
    table = collect(
        binned.group_by(_BIN).agg(
            nw.col(_VALUE).sum(), nw.len().alias(_ROWS), nw.col(_WEIGHT).sum()
        )
    ).sort_by(_BIN)
    total = np.asarray(table[_WEIGHT].to_numpy(), dtype=np.float64)
    some = total > 0
    means = np.asarray(table[_VALUE].to_numpy())[some] / total[some]
    rows = np.asarray(table[_ROWS].to_numpy(), dtype=np.int64)[some]
    return ValueTable(pa.chunked_array([pa.array(means)]), rows, total[some])


def _weights(weight: nw.Expr | None) -> list[nw.Expr]:
    return [] if weight is None else [weight.alias(_WEIGHT)]


def _sums(weight: nw.Expr | None) -> list[nw.Expr]:
    return [] if weight is None else [nw.col(_WEIGHT).sum()]


def _table(table: pa.Table) -> ValueTable:
    rows = np.asarray(table[_ROWS].to_numpy(), dtype=np.int64)
    summed = table[_WEIGHT] if _WEIGHT in table.column_names else table[_ROWS]
    return ValueTable(table[_VALUE], rows, np.asarray(summed.to_numpy(), dtype=np.float64))
