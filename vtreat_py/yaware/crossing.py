"""Components of the training rows, each by what the other folds know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.yaware.components import principal_components, threads_for


@dataclass(frozen=True, eq=False)
class CrossScaled:
    """Training rows, scaled by the slopes and means of the other folds.

    Attributes
    ----------
    values : ndarray of shape (p, n)
    fold : ndarray of int, shape (n,)
        Fold of each row.
    slopes : ndarray of shape (p, folds)
        What each fold's rows were scaled by.
    """

    values: FloatArray
    fold: IntArray
    slopes: FloatArray


def crossed_scores(
    xx: FloatArray, unit: FloatArray, leading: FloatArray, crossed: CrossScaled
) -> FloatArray:
    """Components of rows, from components that each fold finds with the slopes of the others.

    Parameters
    ----------
    xx : ndarray of shape (p, p)
        Centred cross-products of the columns, which know nothing of the outcome.
    unit : ndarray of shape (p,)
        Unit of the columns in ``xx``.
    leading : ndarray of shape (m, p)
        Components of all rows. Each is matched with the one of the fold that is most like it, in
        its sign, so that folds agree on what a component is.
    crossed : CrossScaled

    Returns
    -------
    ndarray of shape (m, n)

    Notes
    -----
    To turn a fold's components towards those of all rows would match them better, and tell of the
    outcomes that those have seen: a turn has m * (m - 1) / 2 angles to do so.
    """
    out = np.zeros((len(leading), len(crossed.fold)))
    for k, slopes in enumerate(crossed.slopes.T if len(leading) else ()):
        with threads_for(len(unit)):
            own = principal_components(xx, slopes * unit, len(leading))[1]
        alike = leading @ own.T
        _, match = optimize.linear_sum_assignment(-np.abs(alike))
        sign = np.where(alike[np.arange(len(leading)), match] < 0, -1.0, 1.0)
        rows = np.flatnonzero(crossed.fold == k)
        out[:, rows] = sign[:, None] * own[match] @ crossed.values[:, rows]
    return out
