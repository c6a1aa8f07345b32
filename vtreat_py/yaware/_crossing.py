"""Components of the training rows, each by what the other folds know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.yaware._components import principal_components


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
        Components of all rows. Those of a fold are turned towards them, so that folds agree on
        axes and signs.
    crossed : CrossScaled

    Returns
    -------
    ndarray of shape (m, n)

    Notes
    -----
    P. H. Schoenemann, "A generalized solution of the orthogonal Procrustes problem",
    Psychometrika 31 (1966), for the turn.
    """
    out = np.zeros((len(leading), len(crossed.fold)))
    for k, slopes in enumerate(crossed.slopes.T if len(leading) else ()):
        own = principal_components(xx, slopes * unit, len(leading))[1]
        turn, _ = linalg.orthogonal_procrustes(own.T, leading.T)
        rows = np.flatnonzero(crossed.fold == k)
        out[:, rows] = turn.T @ own @ crossed.values[:, rows]
    return out
