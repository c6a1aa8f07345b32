"""Regressions of an outcome on a few components, and how sure their coefficients are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special
from sklearn.linear_model import LinearRegression, LogisticRegression

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray

# Next to no ridge: it changes no digit that matters, and gives separated classes a finite answer.
_WEAK = 1e6
_TOLERANCE = 1e-9
_MOST_STEPS = 1_000


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Outcome or log odds as a linear function of k components, for each of q classes.

    Attributes
    ----------
    coef : ndarray of shape (q, k)
        One row for a number or for two classes.
    intercept : ndarray of shape (q,)
    standard_error : ndarray of shape (k,) or None
        Of the coefficients, NaN of components that do not vary; None with several classes.
    rsq : float
        Share of the variance explained; for classes, of the deviance.
    """

    coef: FloatArray
    intercept: FloatArray
    standard_error: FloatArray | None
    rsq: float

    def among(self, used: BoolArray) -> LinearModel:
        """Return the model of more components, of which it has been fitted to those used.

        The others do not vary, and have the coefficient 0.
        """
        coef = np.zeros((len(self.coef), len(used)))
        coef[:, used] = self.coef
        if self.standard_error is None:
            return replace(self, coef=coef)
        error = np.full(len(used), np.nan)
        error[used] = self.standard_error
        return replace(self, coef=coef, standard_error=error)

    def predict(self, scores: FloatArray) -> FloatArray:
        """Outcome or log odds, of shape (n, q), given scores of shape (k, n)."""
        return np.asarray((self.coef @ scores).T + self.intercept)


def least_squares(scores: FloatArray, y: FloatArray, weight: FloatArray | None) -> LinearModel:
    """Regress a number on the rows of a matrix of shape (k, n).

    Notes
    -----
    Weights are frequencies: the residual variance has ``sum(w) - k - 1`` degrees of freedom.
    """
    w = np.ones(len(y)) if weight is None else weight
    mean = float(np.average(y, weights=w))
    total = float((w * (y - mean) ** 2).sum())
    if not len(scores):
        return LinearModel(np.zeros((1, 0)), np.array([mean]), np.zeros(0), 0.0)
    fitted: Any = LinearRegression().fit(scores.T, y, w)
    residual = float((w * (y - fitted.predict(scores.T)) ** 2).sum())
    degrees = w.sum() - len(scores) - 1.0
    variance = residual / degrees if degrees > 0 else np.nan
    error = np.sqrt(variance) * _unit_errors(scores, w)
    rsq = 1.0 - residual / total if total > 0 else 0.0
    return LinearModel(fitted.coef_[None], np.array([fitted.intercept_]), error, rsq)


def logistic(
    scores: FloatArray, y: IntArray, n_classes: int, weight: FloatArray | None
) -> LinearModel:
    """Regress classes, given by number, on the rows of a matrix of shape (k, n)."""
    w = np.ones(len(y)) if weight is None else weight
    share = np.bincount(y, w, n_classes) / w.sum()
    with np.errstate(divide="ignore"):
        log_share = np.log(share)
    null = float(-(special.xlogy(share, share)).sum())
    two = n_classes == 2
    if not len(scores):
        intercept = log_share[1:] - log_share[0] if two else log_share - log_share.mean()
        return LinearModel(np.zeros((len(intercept), 0)), intercept, np.zeros(0), 0.0)
    size = np.sqrt(np.average(scores**2, axis=1, weights=w))
    size = np.where(size > 0, size, 1.0)
    scaled = (scores / size[:, None]).T
    fitted: Any = LogisticRegression(
        C=_WEAK, solver="newton-cholesky", tol=_TOLERANCE, max_iter=_MOST_STEPS
    ).fit(scaled, y, w)
    linear = fitted.decision_function(scaled)
    if two:
        linear = np.column_stack([np.zeros(len(linear)), linear])
    log_p = special.log_softmax(linear, axis=1)  # finite, however sure the model is
    deviance = float(-(w * log_p[np.arange(len(y)), y]).sum() / w.sum())
    error = None
    if two:
        p = np.exp(log_p[:, 1])
        error = _unit_errors(scores, w * p * (1.0 - p))
    return LinearModel(fitted.coef_ / size, fitted.intercept_, error, 1.0 - deviance / null)


def _unit_errors(scores: FloatArray, weight: FloatArray) -> FloatArray:
    """Standard error of each coefficient, the intercept being free, of noise with variance 1.

    Components are each in their own unit: the pseudo-inverse drops what is far smaller than others.
    """
    apart = scores - ((scores * weight).sum(axis=1) / (weight.sum() or 1.0))[:, None]
    unit = np.abs(apart).max(axis=1)
    unit = np.where(unit > 0, unit, 1.0)
    apart /= unit[:, None]
    information = (apart * weight) @ apart.T
    size = np.sqrt(np.diag(information))
    size = np.where(size > 0, size, 1.0)
    inverse = np.linalg.pinv(information / (size * size[:, None]), hermitian=True)
    return np.asarray(np.sqrt(np.maximum(np.diag(inverse), 0.0)) / (size * unit))
