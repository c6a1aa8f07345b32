"""spline: the outcome along a number, as a smooth curve."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import BSpline
from scipy.sparse import csr_array

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
        values = (basis.at_edges @ likeliest(bent, sums, right, basis.roughness, 2)).T + lines
        return sets.level_beyond(np.asarray(values)), sets.rows[:, None] / (len(right) - _CUBIC)


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
    at_bins, at_edges : csr_array of shape (bins, J)
        Four entries a row: all other functions are 0 there. See `BinnedSets.known_edges`.
    roughness : list of ndarray
        Diagonals of the matrix of integrals of products of second derivatives.
    """

    at_bins: csr_array
    at_edges: csr_array
    roughness: list[FloatArray]

    @classmethod
    def of(cls, sets: BinnedSets) -> _Basis:
        """Place knots at quantiles of all rows."""
        ends = _ends(sets)
        knots = np.concatenate([np.zeros(_CUBIC), ends, np.ones(_CUBIC)])

        def at(x: FloatArray) -> csr_array:
            return csr_array(BSpline.design_matrix(np.clip(x, 0.0, 1.0), knots, _CUBIC))

        length = np.diff(ends)
        points = np.concatenate([ends[:-1] + share * length for share in _GAUSS])
        size = len(knots) - _CUBIC - 1
        second = BSpline(knots, np.eye(size), _CUBIC).derivative(2)(points)
        weight = np.tile(length / 2.0, 2)[:, None]
        roughness = [
            (second[:, : size - k] * second[:, k:] * weight).sum(axis=0) for k in range(_CUBIC + 1)
        ]
        return cls(at(sets.x), at(sets.known_edges), roughness)

    def sums(self, sets: BinnedSets) -> tuple[list[FloatArray], FloatArray]:
        """Diagonals of the normal equations, and their right side: shapes (J, sets)."""
        products = _products(self.at_bins).T @ sets.weight.T
        bands = np.split(products, _CUBIC + 1)
        bands = [band[: len(band) - k] for k, band in enumerate(bands)]
        return bands, np.asarray(self.at_bins.T @ (sets.weight * sets.apart).T)


def _products(basis: csr_array) -> csr_array:
    """Products of each function with itself and those that follow, one place on, two, three."""
    n, size = basis.shape
    each = _CUBIC + 1
    values, index = basis.data.reshape(n, each), basis.indices.reshape(n, each)
    products = np.hstack([values[:, : each - k] * values[:, k:] for k in range(each)])
    column = np.hstack([index[:, : each - k] + k * size for k in range(each)])
    starts = np.arange(n + 1) * products.shape[1]
    return csr_array((products.ravel(), column.ravel(), starts), shape=(n, each * size))


def _ends(sets: BinnedSets) -> FloatArray:
    """Ends of the pieces of the curve: quantiles of all rows that are not too near."""
    inner = sets.cuts(min(_PIECES, max(len(sets.edges) // 2, 1)))
    found = [0.0]
    for edge in sets.edges[inner].tolist():
        if found[-1] + _SHORTEST <= edge <= 1.0 - _SHORTEST:
            found.append(edge)
    return np.array([*found, 1.0])
