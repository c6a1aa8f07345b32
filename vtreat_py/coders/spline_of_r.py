"""A cubic smoothing spline with the knots of R's ``smooth.spline``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import qr, svd
from scipy.optimize import brentq, minimize_scalar

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.shapes_of_r import is_too_small, near_ones
from vtreat_py.statistics.outcome_sums import sum_by

_CUBIC = 3
# A cubic spline needs so many different numbers, and has at most so many knots.
_FEWEST, _MOST_KNOTS = 4, 100
# Numbers are the same within so much of the interquartile range; at least of the range.
_SAME, _LEAST_SAME = 1e-6, 1e-9
# Smoothness is ``256^(3 s - 1)`` of the ratio of the traces, for an s between -1.5 and 1.5.
_BASE, _ENDS, _CLOSE = 256.0, (-1.5, 1.5), 1e-7
# The least error is so near to where errors alone say it is.
_AROUND = 1e-5
# Of numbers that the basis reaches but for so little, rounding hides how little. What a number's
# own outcome does not say is at least what rounding leaves of 1.
_NEARLY_REACHED, _ROUNDING = 1e-6, 1e-16


def spline_of_r(
    x: FloatArray, y: FloatArray, weight: FloatArray
) -> Callable[[FloatArray], FloatArray] | None:
    """Cubic smoothing spline, as smooth as predicts rows best that are left out.

    It is the f with the least ``sum(w * (y - f(x))^2) + smoothness * integral of f''^2`` among
    cubic splines with knots at min(u / 2, 100) of the u different numbers, the first and the last
    among them. Numbers within 1e-6 of the interquartile range are one, with the mean of their
    outcomes and the sum of their weights; smoothness is that with the least error of all numbers,
    each left out in its turn.

    Parameters
    ----------
    x, y, weight : ndarray of shape (n,)

    Returns
    -------
    function or None
        Takes numbers, and gives the values there; beyond the range, those at its ends. None of
        two rows or fewer, and of fewer than four different numbers.

    Notes
    -----
    Section 12.2, spline_variable, of what R vtreat does, and the documentation of R's
    ``smooth.spline``: the basis (half a knot counts as one), the penalty, the range of smoothness,
    and its search, which is Brent's: where several smoothnesses are better than those around them,
    it ends at one of these. R's stops early; this one does not. Errors of what is left out are
    those of Green and Silverman (1994), "Nonparametric Regression and Generalized Linear Models",
    section 3.2. R gives up where the interquartile range is 0; here numbers are one within 1e-9 of
    the range then.
    """
    if is_too_small(x):
        return None
    unit, centre = _on_unit_interval(x), np.average(y, weights=weight)
    order = np.argsort(x, kind="stable")
    at, w = unit(x[order]), weight[order] / weight.mean()
    quartiles = np.quantile(at, [0.25, 0.75])
    place = near_ones(at, max(_SAME * (quartiles[1] - quartiles[0]), _LEAST_SAME))
    first = np.flatnonzero(np.diff(place, prepend=-1))
    if len(first) < _FEWEST:
        return None
    total = sum_by(place, w, len(first))
    size = np.abs(y - centre).max() or 1.0
    mean = sum_by(place, w * (y[order] - centre), len(first)) / size / total
    fits = SplineFits(at[first], mean, total)
    spline = fits.at(fits.best())
    return lambda values: np.asarray(
        centre + size * spline(np.minimum(unit(values), at[first[-1]]))
    )


class SplineFits:
    """Fits of all smoothnesses.

    With X the basis at the numbers, times the roots of weights, and L such that the integral of
    f''^2 is ``|L c|^2`` for coefficients c, both are brought to the diagonal at once, by
    orthogonal transformations: ``X = Z C T`` and ``L = V S T``, with ``C^2 + S^2 = 1``. A fit is
    then a sum of columns of Z, each shrunk by the factor ``C^2 / (C^2 + smoothness * S^2)``.

    Parameters
    ----------
    x, y, weight : ndarray of shape (n,)
        Different numbers in order, from 0 to about 1.

    Attributes
    ----------
    ratio : float
        Of the traces of ``X' X`` and ``L' L``; smoothness is in units of it.
    """

    def __init__(self, x: FloatArray, y: FloatArray, weight: FloatArray) -> None:
        root = np.sqrt(weight)
        self.knots = _knots(x)
        basis = root[:, None] * BSpline.design_matrix(x, self.knots, _CUBIC).toarray()
        bends = _bends(self.knots)
        self.ratio = float((basis**2).sum() / (bends**2).sum())
        bends *= np.sqrt(self.ratio)
        q, r = qr(basis, mode="economic")
        p = len(r)
        both = qr(np.concatenate([r, bends]), mode="economic")[0]
        left, cosine, right = svd(both[:p])
        self._z, self._cosine = q @ left, cosine**2
        self._sine = ((both[p:] @ right.T) ** 2).sum(axis=0)
        self._y = root * y
        self._r, self._bends, self._q_y = r, bends, q.T @ self._y
        self._z_y = self._z.T @ self._y
        self._beyond, self._error_beyond = self._what_no_fit_reaches()

    def best(self) -> float:
        """Smoothness with the least error of numbers that are left out.

        Errors tell where it is to half of their digits, their slope then to nearly all.
        """
        found = minimize_scalar(
            lambda s: self.left_out(_smoothness(s)),
            bounds=_ENDS,
            method="bounded",
            options={"xatol": _CLOSE},
        ).x
        around = found - _AROUND, found + _AROUND
        if self._slope(around[0]) < 0.0 < self._slope(around[1]):
            found = brentq(self._slope, *around, xtol=1e-15)
        return _smoothness(found)

    def left_out(self, smoothness: float) -> float:
        """Sum of weighted squared errors of the numbers, each left out in its turn.

        It is the error of the fit to all, divided by what the number's own outcome does not say
        of its value there.
        """
        lost = self._lost(smoothness)
        error = self._error_beyond + self._z @ (lost * self._z_y)
        own = self._beyond + self._z**2 @ lost
        return float(((error / np.maximum(own, _ROUNDING)) ** 2).sum())

    def _slope(self, s: float) -> float:
        """Half of what that sum gains, for a small step in the logarithm of smoothness."""
        lost = self._lost(_smoothness(s))
        more = lost * (1.0 - lost)
        error = self._error_beyond + self._z @ (lost * self._z_y)
        own = np.maximum(self._beyond + self._z**2 @ lost, _ROUNDING)
        gained = self._z @ (more * self._z_y) / own - error / own * (self._z**2 @ more) / own
        return float((error / own * gained).sum())

    def _lost(self, smoothness: float) -> FloatArray:
        """Share of each column that a fit leaves out."""
        rough = smoothness * self._sine
        return np.asarray(rough / (self._cosine + rough))

    def at(self, smoothness: float) -> BSpline:
        """Spline of a smoothness."""
        system = np.concatenate([self._r, np.sqrt(smoothness) * self._bends])
        goal = np.append(self._q_y, np.zeros(len(self._bends)))
        return BSpline(self.knots, np.linalg.lstsq(system, goal)[0], _CUBIC)

    def _what_no_fit_reaches(self) -> tuple[FloatArray, FloatArray]:
        """Share of each number that is at right angles to all fits, and the error there."""
        z = self._z
        share, error = 1.0 - (z**2).sum(axis=1), self._y - z @ self._z_y
        near = np.flatnonzero(share < _NEARLY_REACHED)
        apart = np.zeros((len(z), len(near)))
        apart[near, np.arange(len(near))] = 1.0
        for _ in range(2):  # the second time removes what rounding left
            apart -= z @ (z.T @ apart)
        share[near], error[near] = (apart**2).sum(axis=0), self._y @ apart
        return share, error


def _on_unit_interval(x: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return the map of the range of some numbers to that from 0 to 1; beyond are the ends.

    Numbers are made of size 1 by a power of 2 first: it is exact, and no difference overflows.
    """
    low, high = x.min(), x.max()
    power = -int(np.frexp(np.maximum(np.abs(low), np.abs(high)))[1])
    start = np.ldexp(low, power)
    width = np.ldexp(high, power) - start or 1.0
    return lambda at: np.asarray((np.ldexp(np.clip(at, low, high), power) - start) / width)


def _knots(x: FloatArray) -> FloatArray:
    """Numbers in about equally spaced places, and the ends, three times more."""
    n = len(x)
    spaced = np.linspace(0, n - 1, min(-(-n // 2), _MOST_KNOTS))
    inner = x[spaced.astype(np.intp)]
    return np.concatenate([[x[0]] * _CUBIC, inner, [x[-1]] * _CUBIC])


def _bends(knots: FloatArray) -> FloatArray:
    """Factor of the penalty: the root of the integral of squares of second derivatives.

    They are straight between two knots, so that Gauss's two points there give their integral.
    """
    inner = knots[_CUBIC:-_CUBIC]
    half, middle = np.diff(inner) / 2, (inner[1:] + inner[:-1]) / 2
    at = np.concatenate([middle - half / np.sqrt(3), middle + half / np.sqrt(3)])
    p = len(knots) - _CUBIC - 1
    second = BSpline(knots, np.eye(p), _CUBIC)(at, nu=2)
    return np.asarray(np.sqrt(np.tile(half, 2))[:, None] * second)


def _smoothness(s: float) -> float:
    return float(_BASE ** (3.0 * s - 1.0))
