"""Cross-products of many numeric columns and the outcome: a monoid, like `Moments`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.moments import Moments


@dataclass(frozen=True, eq=False)
class CrossProducts:
    """Weighted means and centred cross-products of p columns and q outcomes.

    Attributes
    ----------
    weight : float
        Sum of the weights.
    x, y : ndarray of shape (p,) and (q,)
        Means.
    xx, xy : ndarray of shape (p, p) and (p, q)
        Sums of weighted products about the means.
    yy : ndarray of shape (q,)
        Sums of weighted squares of each outcome about its mean.

    Notes
    -----
    Two parts of the data merge by the pairwise update of Chan, Golub and LeVeque, "Algorithms for
    Computing the Sample Variance", The American Statistician 37 (1983).

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]]), np.array([[2.0, 4, 6, 8]])
    >>> parts = [CrossProducts.of_rows(x[:, k], y[:, k]) for k in (slice(0, 3), slice(3, 4))]
    >>> (parts[0] + parts[1]).xx
    array([[5., 1.],
           [1., 1.]])
    """

    weight: float
    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray

    @classmethod
    def of_rows(
        cls, x: FloatArray, y: FloatArray, weight: FloatArray | None = None
    ) -> CrossProducts:
        """Sum over n rows: x is of shape (p, n), y of shape (q, n), the weights of shape (n,)."""
        n = float(x.shape[1] if weight is None else weight.sum())
        w = np.ones(x.shape[1]) if weight is None else weight
        mean_x, mean_y = x @ w / (n or 1.0), y @ w / (n or 1.0)
        root = np.sqrt(w)
        dx, dy = (x - mean_x[:, None]) * root, (y - mean_y[:, None]) * root
        return cls(n, mean_x, mean_y, dx @ dx.T, dx @ dy.T, (dy * dy).sum(axis=1))

    def __add__(self, other: CrossProducts) -> CrossProducts:
        n = self.weight + other.weight
        part = other.weight / (n or 1.0)
        share = self.weight * part
        dx, dy = other.x - self.x, other.y - self.y
        return CrossProducts(
            n,
            self.x + dx * part,
            self.y + dy * part,
            self.xx + other.xx + share * np.outer(dx, dx),
            self.xy + other.xy + share * np.outer(dx, dy),
            self.yy + other.yy + share * dy * dy,
        )

    def moments(self, outcome: int) -> Moments:
        """Moments of each column with one of the outcomes."""
        p = len(self.x)
        every = np.ones(p)
        return Moments(
            self.weight * every,
            self.x.copy(),
            self.y[outcome] * every,
            self.xx.diagonal().copy(),
            self.xy[:, outcome].copy(),
            self.yy[outcome] * every,
        )
