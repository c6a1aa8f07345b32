"""Columns cut to few levels each, so that pairs of them have cells that hold rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.frames.columns import Column, EmptyColumn, LevelColumn, NumericColumn
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.common_levels import common_levels
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.outcome_sums import sum_by
from vtreat_py.statistics.quantiles import weighted_quantiles

# Numbers are cut into so many ranges.
_RANGES = 8
# Numbers that differ by less, relative to the largest, do so by rounding.
_ROUNDING, _TINY = 1e-12, 1e-300


@dataclass(frozen=True, eq=False)
class CutColumn:
    """A column of few levels.

    Attributes
    ----------
    codes : ndarray of int8, shape (n,)
    n_levels : int
        At most 32; some may have no row.
    weight : ndarray of shape (n,) or None
        Weights of the rows.
    read : callable
        Reads the column again.
    others : int or None
        The level that all uncommon ones are, which goes with the other column in ways of its own.
    """

    codes: IntArray
    n_levels: int
    weight: FloatArray | None
    read: Callable[[], Column]
    others: int | None = None

    @classmethod
    def of(cls, column: Column, weight: FloatArray | None, read: Callable[[], Column]) -> CutColumn:
        """Cut a column, given the weights of the rows."""
        if isinstance(column, EmptyColumn):
            return cls(np.zeros(len(column), dtype=np.int8), 1, weight, read)
        if isinstance(column, NumericColumn):
            return cls(*_ranges(column, weight), weight, read)
        codes, n_levels = _levels(column, weight)
        return cls(codes, n_levels, weight, read, others=n_levels - 2)

    @cached_property
    def inside(self) -> InsideRanges | None:
        """Where numbers lie in their ranges; None where those say all of them."""
        column = self.read()
        return InsideRanges.of(column, self) if isinstance(column, NumericColumn) else None


@dataclass(frozen=True, eq=False)
class InsideRanges:
    """Numbers less the means of their ranges.

    Attributes
    ----------
    near : Coordinates
    unit : float
        The largest number, in coordinates.
    means : ndarray of shape (levels,)
        Mean of each range, in that unit.
    """

    near: Coordinates
    unit: float
    means: FloatArray

    @classmethod
    def of(cls, column: NumericColumn, cut: CutColumn) -> InsideRanges | None:
        """Find the means, if there is anything beside them."""
        counted = np.ones(len(column)) if cut.weight is None else cut.weight
        if column.bad is not None:
            counted = np.where(column.bad, 0.0, counted)
        known = np.flatnonzero(counted)
        if not len(known):
            return None
        values, codes, counted = column.values[known], cut.codes[known], counted[known]
        near = Coordinates.near(values)
        inner = near.inner(values)
        unit = max(float(np.abs(inner).max()), _TINY)
        inner /= unit
        total = np.maximum(sum_by(codes, counted, cut.n_levels), _TINY)
        means = sum_by(codes, counted * inner, cut.n_levels) / total
        apart = float(np.abs(inner - means[codes]).max())
        return cls(near, unit, means) if apart > _ROUNDING else None

    def values(self, column: NumericColumn, cut: CutColumn, some: slice) -> FloatArray:
        """Values of some rows; 0 for bad ones."""
        inner = self.near.inner(column.values[some]) / self.unit - self.means[cut.codes[some]]
        if column.bad is not None:
            inner[column.bad[some]] = 0.0
        return inner


def _ranges(column: NumericColumn, weight: FloatArray | None) -> tuple[IntArray, int]:
    """Ranges between quantiles, or a level for each of few values; the last is for bad ones."""
    values, bad = column.values, column.bad
    counted = np.ones(len(values), dtype=bool) if weight is None else weight > 0
    if bad is not None:
        counted &= ~bad
    known = values if counted.all() else values[counted]
    codes = np.zeros(len(values), dtype=np.int8)
    if not len(known):
        return codes, 1
    different = np.sort(pd.unique(known))
    if len(different) > _RANGES:
        shares = [k / _RANGES for k in range(1, _RANGES)]
        of_known = None if weight is None else weight[counted]
        different = np.append(np.unique(weighted_quantiles(known, of_known, shares)), np.inf)
    edges = different[:-1]
    for rows in blocks(len(values)):
        for edge in edges:
            codes[rows] += values[rows] > edge
    if bad is not None:
        codes[bad] = len(edges) + 1
    return codes, len(edges) + 2


def _levels(column: LevelColumn, weight: FloatArray | None) -> tuple[IntArray, int]:
    """The commonest levels, then one for all others, and one for missing values."""
    codes, levels = column.encode()
    rows = sum_by(codes, weight, len(levels) + 1)[:-1]
    common = common_levels(rows, lambda some: levels.take(some).to_list())
    place = np.full(len(levels) + 1, len(common), dtype=np.int8)
    place[common] = np.arange(len(common))
    place[-1] = len(common) + 1
    return place[codes], len(common) + 2
