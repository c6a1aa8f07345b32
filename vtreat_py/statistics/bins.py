"""Bins of a number that hold about as much weight each: what shapes are fitted to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import sum_many
from vtreat_py.statistics.parts import HEAVY, MOST_BINS, PARTS, Parts

# Up to so many rows are counted value by value, more in equal parts of their range.
FEW_ROWS = 1 << 14
# Shares of the weight that bins hold where not each value has one, and so many shares that a value
# has a bin to itself for.
_SHARES, _SPIKE = 448.0, 4.0
# Shares that differ by less do so by rounding.
_ROUNDING = 1e-9
# Bins narrower than this share of the range are none: means in them are but rounding.
_NARROW = 1e-14


# Parts of the rows from one value to another: value by value, or equal parts of that range.
Count = Callable[[float, float, bool], Parts]


def bin_edges(
    count: Count, extent: tuple[float, float], n_rows: float, near: Coordinates
) -> FloatArray:
    """Where bins end: at the smallest value, and at the largest of each bin.

    Bin i holds values above edge i - 1 and up to edge i. Up to 1,024 different values have a bin
    each; of more, no bin but those of a single value holds much more than a 450th of the weight.
    The rule asks for counts only, so that engines find the same edges by grouping rows.

    Parameters
    ----------
    count : callable
        Counts the rows with a good value, in the unit of the coordinates: differences of extreme
        values stay in the range of floats.
    extent : tuple of float
        Smallest and largest good value.
    n_rows : float
        Rows with a good value.
    near : Coordinates
        Near the values.

    Returns
    -------
    ndarray of shape (bins,)
        Ascending, all different in inner coordinates, too, by more than rounding.
    """
    low, high = (end / near.unit for end in extent)
    edges = (_edges(count, low, high, n_rows) if low < high else np.array([high])) * near.unit
    edges[-1] = extent[1]  # beside huge numbers, small ones are 0 in their unit
    inner = near.inner(edges)
    kept = np.append(np.diff(inner) > _NARROW * (inner[-1] - inner[0]), True)
    return np.asarray(edges[kept] + 0.0)  # no edge is -0.0


def _edges(count: Count, low: float, high: float, n_rows: float) -> FloatArray:
    """Edges in the unit of the coordinates."""
    parts = count(low, high, _by_value(n_rows, low, high))
    total = float(parts.weight.sum())
    parts = _looked_at(parts, count, HEAVY * total)
    if len(parts.low) <= MOST_BINS and bool((parts.low == parts.high).all()):
        return parts.high.copy()
    number = np.ceil(np.cumsum(parts.weight) * ((1.0 - _ROUNDING) * _SHARES / total))
    is_spike = parts.weight > _SPIKE / _SHARES * total
    ends = np.append((np.diff(number) > 0) | is_spike[1:] | is_spike[:-1], True)
    return np.asarray(np.union1d([low], parts.high[ends]))


def _by_value(n_rows: float, low: float, high: float) -> bool:
    """Whether rows are few, or too near to each other to be cut further."""
    with np.errstate(over="ignore"):
        return n_rows <= FEW_ROWS or not np.isfinite(np.float64(PARTS) / (high - low))


def _looked_at(parts: Parts, count: Count, heavy: float) -> Parts:
    """Cut heavy parts of several values, and what comes out, until none is left."""
    for place in np.flatnonzero((parts.weight > heavy) & (parts.low < parts.high))[::-1]:
        low, high = float(parts.low[place]), float(parts.high[place])
        inner = count(low, high, _by_value(float(parts.rows[place]), low, high))
        parts = parts.replaced(int(place), _looked_at(inner, count, heavy))
    return parts


# Rows that are best summed at a time: more would leave the cache, fewer have a share in each call.
SUMMED_ROWS = 1 << 17
# Bin and group of some rows, their numbers in inner coordinates, outcomes and weights. Without
# outcomes these are 0, without weights 1.
BinnedRows = tuple[IntArray, IntArray, FloatArray, FloatArray | None, FloatArray | None]


def bin_moments(
    some_rows: Iterable[BinnedRows], shape: tuple[int, int], centre: float = 0.0
) -> Moments:
    """Sum rows by bin and group: cell ``bin * groups + group``.

    Parameters
    ----------
    some_rows : iterable of BinnedRows
        All rows, some after the other; outcomes are relative to ``centre``.
    shape : (bins, groups)
    """
    size = shape[0] * shape[1]
    total = np.zeros((6, size))
    for place, group, values, outcome, weight in some_rows:
        cell = np.multiply(place, shape[1], dtype=np.int32)
        cell += group
        wx = values if weight is None else weight * values
        summands = [weight, wx, wx * values]
        if outcome is not None:
            wy = outcome if weight is None else weight * outcome
            summands += [wy, wx * outcome, wy * outcome]
        for one, summand in zip(total, summands, strict=False):
            one += sum_many(cell, summand, size)
    n, x, xx, y, xy, yy = total
    return Moments.of_raw([n, x, y, xx, xy, yy], centre)
