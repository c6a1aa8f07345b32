"""spline: the outcome along a number, as a smooth curve."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import BSpline

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.roughness import likeliest
from vtreat_py.coders.shape_code import BinnedSets, Fitted, ShapeOfR
from vtreat_py.coders.spline_of_r import spline_of_r

_CUBIC = 3
# Pieces of the curve: so many, none shorter than this share of the range.
_PIECES, _SHORTEST = 32, 1e-3
# Numbers whose standard deviation is below this share of the range are the same.
_SAME = 1e-12
# Two points of each piece integrate cubic polynomials exactly.
_GAUSS = (0.5 - 1.0 / np.sqrt(12.0), 0.5 + 1.0 / np.sqrt(12.0))


class Spline(ShapeOfR):
    """Cubic smoothing spline; how smooth follows by restricted maximum likelihood.

    The curve minimises ``sum w (y - f(u))**2 + c * integral of f''**2`` among cubic splines with
    knots at quantiles (F. O'Sullivan, "A Statistical Perspective on Ill-Posed Inverse Problems",
    Statistical Science 1, 1986), ``c`` as `likeliest` has it. ``u`` is the number where most rows
    are, and goes with its logarithm far from them: see `_evened`.
    """

    name = "spline"

    def of_rows(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> Fitted | None:
        """Fit rows as R vtreat does."""
        return spline_of_r(x, y, weight)

    def fitted(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Fit each roughness, and keep the likeliest."""
        even, lines = _evened(sets), np.zeros_like(sets.mean)
        bent = even
        for one in (sets, even):
            mean, slope = _lines(replace(one, mean=bent.apart))
            bent = replace(even, mean=bent.apart - slope * (one.x - mean))
            lines += slope * (one.known_edges - mean)
        basis = _Basis.of(even)
        sums, right = basis.sums(bent)
        values = likeliest(bent, sums, right, basis.roughness, 2) @ basis.at_edges.T + lines
        return sets.level_beyond(values), sets.rows[:, None] / (right.shape[1] - _CUBIC)


def _evened(sets: BinnedSets) -> BinnedSets:
    """Draw in numbers that are far out, so that few of them do not bend the curve of all others.

    The inverse hyperbolic sine of the distance from the middle, by the distance of the quartiles of
    the edges, is nearly a line between these and nearly a logarithm far from them.
    """
    low, middle, high = np.quantile(sets.edges, (0.25, 0.5, 0.75))

    def drawn_in(values: FloatArray) -> FloatArray:
        return np.asarray(np.arcsinh((values - middle) / (high - low)))

    first, last = drawn_in(sets.edges[[0, -1]])
    edges, x = ((drawn_in(one) - first) / (last - first) for one in (sets.edges, sets.x))
    return replace(sets, edges=edges, x=x)


def _lines(sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
    """Mean and slope of least squares of each set, of shape (sets, 1).

    Lines are not rough, and so part of the curve whatever the weight of roughness: apart from the
    rest, they keep digits that systems of few bins would lose. Those of numbers that are not drawn
    in are taken first: straight lines remain that.
    """
    rows = np.where(sets.rows > 0, sets.rows, 1.0)[:, None]
    mean = (sets.weight * sets.x).sum(axis=1, keepdims=True) / rows
    along = sets.weight * (sets.x - mean)
    squares = (along * (sets.x - mean)).sum(axis=1, keepdims=True)
    product = (along * sets.apart).sum(axis=1, keepdims=True)
    vary = squares > _SAME**2 * rows
    return mean, np.where(vary, product, 0.0) / np.where(vary, squares, 1.0)


@dataclass(frozen=True, eq=False)
class _Basis:
    """B-splines: at the means of bins, at the edges, and how rough they are.

    Attributes
    ----------
    at_bins, at_edges : ndarray of shape (bins, J)
        See `BinnedSets.known_edges`.
    roughness : ndarray of shape (J, 4)
        Integrals of products of second derivatives: of each with itself and the next three.
    """

    at_bins: FloatArray
    at_edges: FloatArray
    roughness: FloatArray

    @classmethod
    def of(cls, sets: BinnedSets) -> _Basis:
        """Place knots at quantiles of all rows."""
        ends = _ends(sets)
        knots = np.concatenate([np.zeros(_CUBIC), ends, np.ones(_CUBIC)])
        each = BSpline(knots, np.eye(len(knots) - _CUBIC - 1), _CUBIC)
        length = np.diff(ends)
        points = np.concatenate([ends[:-1] + share * length for share in _GAUSS])
        roughness = np.tile(length / 2.0, 2) @ _products(each(points, 2))
        at_bins, at_edges = (each(np.clip(x, 0.0, 1.0)) for x in (sets.x, sets.known_edges))
        return cls(at_bins, at_edges, roughness.reshape(-1, _CUBIC + 1))

    def sums(self, sets: BinnedSets) -> tuple[FloatArray, FloatArray]:
        """Normal equations of shape (sets, J, 4), and their right sides."""
        products = sets.weight @ _products(self.at_bins)
        right = (sets.weight * sets.apart) @ self.at_bins
        return products.reshape(*right.shape, _CUBIC + 1), right


def _products(values: FloatArray) -> FloatArray:
    """Products of each function with itself and the next three, 0 beyond the last one."""
    n, size = values.shape
    products = np.zeros((n, size, _CUBIC + 1))
    for k in range(_CUBIC + 1):
        np.multiply(values[:, : size - k], values[:, k:], out=products[:, : size - k, k])
    return products.reshape(n, -1)


def _ends(sets: BinnedSets) -> FloatArray:
    """Ends of the pieces of the curve: quantiles of all rows that are not too near."""
    inner = sets.cuts(min(_PIECES, max(len(sets.edges) // 2, 1)))
    found = [0.0]
    for edge in sets.edges[inner].tolist():
        if found[-1] + _SHORTEST <= edge <= 1.0 - _SHORTEST:
            found.append(edge)
    return np.array([*found, 1.0])
