"""Exact quantiles of a numeric column, by counting the rows in ever smaller ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.lazy.aggregates import Asked, floats, grouped
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
    frame = rows.of([column]).filter(rows.counts & ~column.is_bad)
    search = _Search(rows, frame.with_columns((column.value / unit).alias(_NUMBER)))
    low, high = extents.ends
    return search.quantiles(low / unit, high / unit, np.asarray(probabilities)) * unit


# A place among the sorted rows of a training set: number of the set, weight that lies before.
_Place = tuple[int, float]


@dataclass(frozen=True, eq=False)
class _Counts:
    """Rows and weight (by fold) of some ranges of values, or values, in increasing order."""

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
        """Range that a place is in; ``before`` is the weight of lower values in each fold."""
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
        counts = self._counted(low, high, by_value=high - low <= _SHORTEST)
        totals = counts.upto[-1]
        places = np.maximum(totals - 1.0, 0.0)[:, None] * probabilities
        below = np.floor(places)
        known = np.flatnonzero(totals > 0).tolist()
        wanted = {(k, b + more) for k in known for b in below[k].tolist() for more in (0.0, 1.0)}
        found = self._values(sorted(wanted), np.zeros(self.rows.n_folds), counts)
        result = np.full(places.shape, np.nan)
        for k in known:
            lower = np.array([found[k, b] for b in below[k].tolist()])
            upper = np.array([found[k, b + 1.0] for b in below[k].tolist()])
            result[k] = lower + (upper - lower) * (places[k] - below[k])
        return result

    def _values(
        self, places: Sequence[_Place], before: FloatArray, counts: _Counts
    ) -> dict[_Place, float]:
        """Values at some places of a range whose parts are counted; ``before`` is as in `find`."""
        inside: dict[int, list[_Place]] = {}
        for place in places:
            inside.setdefault(counts.find(place, before), []).append(place)
        found: dict[_Place, float] = {}
        for part, theirs in inside.items():
            low, high = float(counts.low[part]), float(counts.high[part])
            if low == high:
                found |= dict.fromkeys(theirs, low)
                continue
            few = bool(counts.rows[part] <= _FEW_ROWS or high - low <= _SHORTEST)
            closer = before + counts.weight[:part].sum(axis=0)
            found |= self._values(theirs, closer, self._counted(low, high, by_value=few))
        return found

    def _counted(self, low: float, high: float, by_value: bool) -> _Counts:
        """Count the rows of a range, by its parts or value by value."""
        number = nw.col(_NUMBER)
        inside = self.frame.filter(number >= low, number <= high)
        key = number
        if not by_value:
            part = ((number - low) * (_BINS / (high - low))).floor()
            key = nw.when(part < _BINS).then(part).otherwise(nw.lit(float(_BINS - 1)))
        asked: dict[str, Asked] = {
            "rows": ("count", nw.lit(1)),
            "low": ("min", number),
            "high": ("max", number),
        }
        if self.rows.weight is not None:
            asked["weight"] = "sum", self.rows.w
        table = grouped(inside, {"part": key, FOLD: nw.col(FOLD)}, asked)
        parts, place = np.unique(floats(table, "part"), return_inverse=True)
        cell = place, table[FOLD].to_numpy()
        n_rows, weight = np.zeros((2, len(parts), self.rows.n_folds))
        n_rows[cell] = floats(table, "rows")
        weight[cell] = floats(table, "weight" if "weight" in asked else "rows")
        lows, highs = np.full(len(parts), np.inf), np.full(len(parts), -np.inf)
        np.minimum.at(lows, place, floats(table, "low"))
        np.maximum.at(highs, place, floats(table, "high"))
        return _Counts(lows, highs, n_rows.sum(axis=1), weight)
