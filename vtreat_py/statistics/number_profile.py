"""How the numbers of a column were spread at design: what later frames are held against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.statistics.quantiles import ends_of_shares

# The histogram looks at no more rows than this: a design must not wait for it.
MOST_ROWS = 1 << 14
_BINS = 10
_ALMOST_ALL = float(np.nextafter(1.0, 0.0))
# Multiples of the golden section of ``2**_BITS`` are spread evenly.
_BITS, _GOLDEN = 32, 2_654_435_769


@dataclass(frozen=True, eq=False)
class NumberProfile:
    """Range, bad values and a histogram of a numeric column.

    Attributes
    ----------
    low, high : float
        Smallest and largest good value of all rows.
    bad_share : float
        Share of the weight of all rows that has no good value.
    edges : ndarray of shape (m,)
        Where bins end, ascending. Bin i holds values above edge i - 1 and up to edge i; the first
        and the last are open.
    counts : ndarray of shape (m + 1,)
        Weight of each bin in the rows that the histogram looked at: all rows with a good value, or
        up to 16,384 of them, spread evenly.

    Notes
    -----
    Edges are the nine deciles, each the smallest value that at least so many tenths of the weight
    do not exceed. A value that is several deciles at once, such as a spike at 0, has a bin to
    itself, and no bin is empty: a column of 0 and 1 has two.

    Examples
    --------
    >>> import numpy as np
    >>> profile = NumberProfile.of_values(np.array([0.0] * 8 + [2.0, 5.0, 7.0, 9.0]))
    >>> profile.edges, profile.counts
    (array([0., 2., 5., 7.]), array([8., 1., 1., 1., 1.]))
    """

    low: float
    high: float
    bad_share: float
    edges: FloatArray
    counts: FloatArray

    def __post_init__(self) -> None:
        for array in (self.edges, self.counts):
            array.setflags(write=False)

    @classmethod
    def of_values(
        cls,
        values: NumberArray,
        weight: FloatArray | None = None,
        bad_weight: float = 0.0,
        extent: tuple[float, float] | None = None,
    ) -> NumberProfile:
        """Profile the good values of the rows that count, of which there must be one.

        Parameters
        ----------
        values : ndarray of shape (n,)
            Finite.
        weight : ndarray of shape (n,) or None
            Above 0; None: 1 each.
        bad_weight : float
            Weight of the rows without a good value.
        extent : tuple of float or None
            Smallest and largest value, if known.
        """
        rows = _spread_rows(len(values))
        part = values[rows], None if weight is None else weight[rows]
        extent = extent or (float(values.min()), float(values.max()))
        good_weight = float(len(values) if weight is None else weight.sum())
        return cls.of_part(*part, extent, 0.0).beside_bad(bad_weight, good_weight)

    @classmethod
    def of_points(
        cls, values: FloatArray, weight: FloatArray, bad_weight: float = 0.0
    ) -> NumberProfile:
        """Profile values that stand for ``weight`` rows each: all of them are looked at."""
        extent = float(values.min()), float(values.max())
        return cls.of_part(values, weight, extent, 0.0).beside_bad(bad_weight, float(weight.sum()))

    @classmethod
    def of_part(
        cls,
        values: NumberArray,
        weight: FloatArray | None,
        extent: tuple[float, float],
        bad_share: float,
    ) -> NumberProfile:
        """Profile a column of which range and bad values are known, by the rows looked at.

        Parameters
        ----------
        values, weight
            As for `of_values`: of the rows that the histogram looks at.
        extent : tuple of float
            Smallest and largest good value of all rows.
        bad_share : float
            Share of the weight of all rows that has no good value.
        """
        ordered = values.astype(np.float64)
        if weight is None:
            ordered.sort()
            upto = np.arange(1.0, len(ordered) + 1.0)
        else:
            order = np.argsort(ordered)
            ordered, upto = ordered[order], np.cumsum(weight[order])
        edges = _edges(ordered, upto)
        starts = np.append(0, np.searchsorted(ordered, edges, side="right"))
        if weight is None:
            counts = np.diff(starts, append=len(ordered)).astype(np.float64)
        else:  # beside great weights, differences of sums would lose the small
            counts = np.add.reduceat(weight[order], starts)
        return cls(*extent, min(float(bad_share), _ALMOST_ALL), edges, counts)

    def beside_bad(self, bad_weight: float, good_weight: float) -> NumberProfile:
        """Say how much the rows with no good value weigh beside those with one."""
        share = bad_weight / (bad_weight + good_weight)
        return replace(self, bad_share=min(share, _ALMOST_ALL))

    def bin_of(self, values: NumberArray) -> IntArray:
        """Bin of each of some good values."""
        return np.searchsorted(self.edges, values, side="left")


@lru_cache(maxsize=4)  # the columns of a frame ask for the same
def _spread_rows(n_rows: int) -> IntArray | slice:
    """Rows to look at: all, or one of every so many, at places that repeat no pattern.

    A step of one size would see one weekday only of rows that are seven a week.
    """
    step = -(-n_rows // MOST_ROWS)
    if step <= 1:
        return slice(None)
    start = np.arange(0, n_rows - step + 1, step)
    part = np.arange(len(start)) * _GOLDEN % (1 << _BITS)
    rows = start + (part * step >> _BITS)
    rows.setflags(write=False)
    return rows


def _edges(ordered: FloatArray, upto: FloatArray) -> FloatArray:
    """Deciles of sorted values, and what is next below those that are several at once."""
    edges, times = np.unique(ordered[ends_of_shares(upto, _BINS)], return_counts=True)
    below = np.searchsorted(ordered, edges[times > 1]) - 1
    edges = np.union1d(edges, ordered[below[below >= 0]])
    return np.asarray(edges[edges < ordered[-1]] + 0.0)  # no edge is -0.0
