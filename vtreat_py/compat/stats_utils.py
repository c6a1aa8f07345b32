"""Statistics of two columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.linear_model import LogisticRegression

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.on_use import public_names
from vtreat_py.compat._scores import varies
from vtreat_py.significance.linear import linear_score
from vtreat_py.significance.logistic import logistic_fit, logistic_score
from vtreat_py.statistics.moments import Moments

__all__ = [
    "est_deviance",
    "our_corr_score",
    "our_pseudo_R2",
    "sklearn_solve_logistic",
    "solve_logistic_regression",
    "xicor",
    "xicor_for_frame",
]
__dir__ = public_names(globals())


def our_corr_score(*, y_true: Any, y_pred: Any) -> tuple[float, float]:
    """Pearson correlation and its p-value.

    Parameters
    ----------
    y_true : array of shape (n,)
    y_pred : array of shape (n,)

    Returns
    -------
    r, p : float
        (1, 1) where ``y_true`` does not vary, (0, 1) where only ``y_pred`` does not.

    Examples
    --------
    >>> r, p = our_corr_score(y_true=[1, 2, 3, 4], y_pred=[1, 2, 3, 5])
    >>> round(r, 3), round(p, 3)
    (0.983, 0.017)
    """
    y, x = np.asarray(y_true, float), np.asarray(y_pred, float)
    if not varies(y):
        return 1.0, 1.0
    if not varies(x):
        return 0.0, 1.0
    y, x = y - y.mean(), x - x.mean()
    score = linear_score(Moments.of_rows(np.zeros(len(x), dtype=np.intp), 1, x, y))
    return float(np.copysign(np.sqrt(score.rsq[0]), score.slope[0])), float(score.sig[0])


def our_pseudo_R2(*, y_true: Any, y_pred: Any) -> tuple[float, float]:  # noqa: N802 (its name)
    """Share of the deviance of ``y_true`` that ``y_pred`` explains, and its p-value.

    By a logistic regression on the one variable. (1, 1) where ``y_true`` does not vary, (0, 1)
    where only ``y_pred`` does not.

    Parameters
    ----------
    y_true : array of shape (n,)
    y_pred : array of shape (n,)

    Returns
    -------
    rsq, p : float

    Examples
    --------
    >>> r2, p = our_pseudo_R2(y_true=[0, 0, 1, 0, 1, 1], y_pred=[1, 2, 3, 4, 5, 6])
    >>> round(r2, 3), round(p, 3)
    (0.404, 0.067)
    """
    y, x = np.asarray(y_true, float), np.asarray(y_pred, float)
    if not varies(y):
        return 1.0, 1.0
    if not varies(x):
        return 0.0, 1.0
    score = logistic_score(logistic_fit(x[None], None, (y > 0)[None].astype(float)))
    return float(score.rsq[0]), float(score.sig[0])


def est_deviance(*, y: Any, est: Any, epsilon: float = 1e-5) -> float:
    """Deviance of 0/1 outcomes under estimated probabilities, kept ``epsilon`` off 0 and 1.

    Parameters
    ----------
    y : array of shape (n,)
        0 and 1.
    est : array of shape (n,)
        Probabilities.
    epsilon : float, default=1e-5
        How far they are kept off 0 and 1.

    Returns
    -------
    float

    Examples
    --------
    >>> round(est_deviance(y=[0, 1], est=[0.2, 0.6]), 3)
    1.468
    """
    truth = np.asarray(y, float)
    p = np.clip(np.asarray(est, float), epsilon, 1.0 - epsilon)
    return float(-2.0 * (truth * np.log(p) + (1.0 - truth) * np.log1p(-p)).sum())


def sklearn_solve_logistic(*, y: Any, x: Any, regularization: float = 1e-6) -> FloatArray:
    """Fitted probabilities of a logistic regression on one variable, a little regularised.

    Parameters
    ----------
    y : array of shape (n,)
        Above 0 for the positive class.
    x : array of shape (n,)
    regularization : float, default=1e-6
        ``1 / C`` of `sklearn.linear_model.LogisticRegression`.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> sklearn_solve_logistic(y=[0, 1, 0, 1], x=[1, 2, 3, 4]).round(2).tolist()
    [0.2, 0.39, 0.61, 0.8]
    """
    truth, value = np.asarray(y, float) > 0, np.asarray(x, float)
    model = LogisticRegression(C=1.0 / regularization, tol=1e-8, max_iter=10_000)
    return np.asarray(model.fit(value[:, None], truth).predict_proba(value[:, None])[:, 1])


def solve_logistic_regression(*, y: Any, x: Any) -> FloatArray:
    """Fitted probabilities of a logistic regression on one variable.

    Where ``y`` or ``x`` does not vary, all are the mean of y.

    Parameters
    ----------
    y : array of shape (n,)
        0 and 1.
    x : array of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> solve_logistic_regression(y=[1, 0, 1, 0, 0], x=[1, 0, 1, 0, 1]).round(2).tolist()
    [0.67, 0.0, 0.67, 0.0, 0.67]
    """
    truth, value = np.asarray(y, float), np.asarray(x, float)
    if not (varies(truth) and varies(value)):
        return np.full(len(truth), truth.mean())
    return sklearn_solve_logistic(y=truth, x=value)


def xicor(xvec: Any, yvec: Any, *, n_reps: int = 5, random_state: int = 0) -> tuple[float, float]:
    """Chatterjee's correlation: how far y is a function of x.

    Parameters
    ----------
    xvec, yvec : array of shape (n,)
    n_reps : int, default=5
        Times that ties in x are broken at random.
    random_state : int, default=0
        Seed of it.

    Returns
    -------
    mean, standard error : float
        Over the repetitions; NaN where y does not vary.

    References
    ----------
    S. Chatterjee, "A New Coefficient of Correlation", JASA 116 (2021).

    Examples
    --------
    >>> xicor([1, 2, 3], [1, 3, 2])
    (-0.125, 0.0)
    """
    if n_reps < 1:
        raise InvalidOptionError(f"n_reps={n_reps!r} must be at least 1")
    x, y = np.asarray(xvec, float), np.asarray(yvec, float)
    random = np.random.default_rng(random_state)
    values = [_xi(x, y, random) for _ in range(n_reps)]
    error = float(np.std(values, ddof=1) / np.sqrt(n_reps)) if n_reps > 1 else 0.0
    return float(np.mean(values)), error


def xicor_for_frame(
    d: pd.DataFrame, y: Any, *, n_reps: int = 5, random_state: int = 0
) -> pd.DataFrame:
    """Chatterjee's correlation of each column of a frame with y.

    Parameters
    ----------
    d : DataFrame of n rows
        Columns of numbers.
    y : array of shape (n,)
    n_reps, random_state
        As for `xicor`.

    Returns
    -------
    DataFrame
        ``variable``, ``xicor``, ``xicor_se``; and, with y shuffled ``n_reps`` times,
        ``xicor_perm_mean`` and ``xicor_perm_stddev``.

    Examples
    --------
    >>> d = pd.DataFrame({"same": range(8), "other": [3, 1, 4, 1, 5, 9, 2, 6]})
    >>> xicor_for_frame(d, d["same"])[["variable", "xicor", "xicor_se"]].round(2)
      variable  xicor  xicor_se
    0     same   0.67      0.00
    1    other  -0.03      0.02
    """
    outcome = np.asarray(y, float)
    random = np.random.default_rng(random_state)
    rows = []
    for name in d.columns:
        x = d[name].to_numpy(dtype=np.float64)
        mean, error = xicor(x, outcome, n_reps=n_reps, random_state=random_state)
        by_chance = [_xi(x, random.permutation(outcome), random) for _ in range(n_reps)]
        spread = float(np.std(by_chance, ddof=1)) if n_reps > 1 else 0.0
        rows.append((name, mean, error, float(np.mean(by_chance)), spread))
    columns = ["variable", "xicor", "xicor_se", "xicor_perm_mean", "xicor_perm_stddev"]
    return pd.DataFrame(rows, columns=columns)


def _xi(x: FloatArray, y: FloatArray, random: np.random.Generator) -> float:
    """Order by x, ties at random, and sum the steps of y's ranks."""
    n = len(x)
    order = np.lexsort((random.random(n), x))
    at_most = stats.rankdata(y, method="max")[order]
    at_least = stats.rankdata(-y, method="max")
    scale = 2.0 * float((at_least * (n - at_least)).sum())
    if scale == 0:
        return float("nan")
    return 1.0 - n * float(np.abs(np.diff(at_most)).sum()) / scale
