"""Exact quantiles of a numeric column, by counting the rows in ever smaller ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.lazy.aggregates import How, floats, grouped
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.number_queries import Extents
from vtreat_py.lazy.rows import DesignRows

# Ranges that a query counts the rows of.
_BINS = 1024
# A range with no more rows than this comes back value by value.
_FEW_ROWS = 1 << 14
# Shorter ranges are not cut further: their reciprocals would leave the range of floats.
_SHORTEST = 1e-300
_NUMBER = "plain_number"


def quantiles(
    rows: DesignRows, column: LazyNumber, extents: Extents, probabilities: Sequence[float]
) -> FloatArray:
    """Quantiles of the good values of each fold's training rows, and of all rows.

    Definition and result are those of `vtreat_py.statistics.quantiles.weighted_quantiles`, on
    every engine: rows are counted in ranges between the smallest and the largest value, and the
    range that a quantile falls into is looked at closer, until its values are few enough to be
    fetched.

    Returns
    -------
    ndarray of shape (folds + 1, len(probabilities))
        NaN where a fold has no good training value.
    """
    unit = extents.coordinates.unit  # differences of extreme values stay in range
    good = rows.counts & ~column.is_bad
    frame = rows.of([column]).filter(good)
    search = _Search(rows, frame.with_columns((column.value / unit).alias(_NUMBER)))
    low, high = np.nanmin(extents.low) / unit, np.nanmax(extents.high) / unit
    return search.quantiles(float(low), float(high), np.asarray(probabilities)) * unit


# A place among the sorted rows of a training set: number of the set, weight that lies before.
_Place = tuple[int, float]


@dataclass(frozen=True, eq=False)
class _Range:
    """Values from ``low`` to ``high``, and the weight of the values below them in each fold."""

    low: float
    high: float
    before: FloatArray


@dataclass(frozen=True, eq=False)
class _Counts:
    """Weight of the values of some ranges, or of some values, by fold, in increasing order."""

    low: FloatArray
    high: FloatArray
    rows: FloatArray
    weight: FloatArray

    @cached_property
    def upto(self) -> FloatArray:
        """Weight up to the end of each range in each training set, and in all rows."""
        upto = np.cumsum(self.weight, axis=0)
        whole = upto.sum(axis=1, keepdims=True)
        n_folds = upto.shape[1]
        others = 1.0 - np.eye(n_folds)  # adding up, as taking the own fold off would round
        return np.hstack([upto @ others, whole])

    def find(self, place: _Place, before: FloatArray) -> int:
        """Range that a place is in."""
        training, weight = place
        own = 0.0 if training == len(before) else before[training]
        reached = before.sum() - own + self.upto[:, training]
        return min(int(np.searchsorted(reached, weight, side="right")), len(reached) - 1)


@dataclass(frozen=True, eq=False)
class _Search:
    """The good rows of a column, and how values at places are found among them."""

    rows: DesignRows
    frame: Any

    def quantiles(self, low: float, high: float, probabilities: FloatArray) -> FloatArray:
        """Quantiles of each training set, and of all rows."""
        everything = _Range(low, high, np.zeros(self.rows.n_folds))
        counts = self._counted(everything, by_value=high - low <= _SHORTEST)
        totals = counts.upto[-1]
        places = np.maximum(totals - 1.0, 0.0)[:, None] * probabilities
        below = np.floor(places)
        known = np.flatnonzero(totals > 0).tolist()
        wanted = {(k, b + more) for k in known for b in below[k].tolist() for more in (0.0, 1.0)}
        found = self._values(sorted(wanted), everything, counts)
        result = np.full(places.shape, np.nan)
        for k in known:
            lower = np.array([found[k, b] for b in below[k].tolist()])
            upper = np.array([found[k, b + 1.0] for b in below[k].tolist()])
            result[k] = lower + (upper - lower) * (places[k] - below[k])
        return result

    def _values(
        self, places: Sequence[_Place], among: _Range, counts: _Counts
    ) -> dict[_Place, float]:
        """Values at some places of a range, whose parts have been counted."""
        inside: dict[int, list[_Place]] = {}
        for place in places:
            inside.setdefault(counts.find(place, among.before), []).append(place)
        found: dict[_Place, float] = {}
        for part, theirs in inside.items():
            low, high = float(counts.low[part]), float(counts.high[part])
            if low == high:
                found |= dict.fromkeys(theirs, low)
                continue
            before = among.before + counts.weight[:part].sum(axis=0)
            closer = _Range(low, high, before)
            few = bool(counts.rows[part] <= _FEW_ROWS or high - low <= _SHORTEST)
            found |= self._values(theirs, closer, self._counted(closer, by_value=few))
        return found

    def _counted(self, among: _Range, by_value: bool = False) -> _Counts:
        """Count the rows of a range, by its parts or value by value."""
        number = nw.col(_NUMBER)
        inside = self.frame.filter(number >= among.low, number <= among.high)
        key = number
        if not by_value:
            part = ((number - among.low) * (_BINS / (among.high - among.low))).floor()
            key = nw.when(part < _BINS).then(part).otherwise(nw.lit(float(_BINS - 1)))
        asked: dict[str, tuple[How, nw.Expr]] = {
            "rows": ("count", nw.lit(1)),
            "low": ("min", number),
            "high": ("max", number),
        }
        if self.rows.weight is not None:
            asked["weight"] = "sum", self.rows.w
        table = grouped(inside, {"part": key, FOLD: nw.col(FOLD)}, asked)
        return _placed(table, self.rows.n_folds)


def _placed(table: pa.Table, n_folds: int) -> _Counts:
    """Lay counts out as a matrix of parts and folds."""
    found, part = np.unique(floats(table, "part"), return_inverse=True)
    fold: IntArray = table[FOLD].to_numpy()
    n_rows, weight = np.zeros((2, len(found), n_folds))
    n_rows[part, fold] = floats(table, "rows")
    weight[part, fold] = floats(table, "weight" if "weight" in table.column_names else "rows")
    low, high = np.full(len(found), np.inf), np.full(len(found), -np.inf)
    np.minimum.at(low, part, floats(table, "low"))
    np.maximum.at(high, part, floats(table, "high"))
    return _Counts(low, high, n_rows.sum(axis=1), weight)
