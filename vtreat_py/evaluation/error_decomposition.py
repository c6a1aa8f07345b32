"""Error as bias and variance: is a model wrong always, or differently each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._inputs import check_length, difference, finite_numbers, one_dimensional
from vtreat_py.evaluation._paired_rows import (
    rows_of,
    standard_error_of_mean,
    units,
)
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation.rankings import is_ranking_metric, ranking_scorer
from vtreat_py.evaluation.repeated_prediction import Method, predictions_of, two_classes

Metric: TypeAlias = str | Callable[[Any, Any], Any]


@renamed(rng="random_state")
def bias_variance(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    metric: Metric = "mse",
    ideal: Any = None,
    L: int = 10,
    k: int = 2,
    method: Method = "predict",
    groups: Any = None,
    cv: Any = None,
    correct: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Divide a model's error into bias and variance.

    Each row is predicted L times, each time by a model trained on other rows. Bias is how wrong
    the mean of the L predictions is: what the model gets wrong whatever rows it learns from.
    Variance is how far single predictions are from their mean: what it owes to the rows it
    happened to learn from. Bias asks for a richer model or better columns; variance for more rows,
    more smoothing, or a mean of several models.

    Parameters
    ----------
    estimator : estimator, array or frame of shape (n, L), or dict
        A model; the predictions of one, as of `repeated_cross_val_predict`; or a dict from each
        model's name to either. Several models get the same training rows.
    X : frame or array of n rows, default=None
        Not used for predictions.
    y : array of shape (n,), default=None
        The outcome. None for a matrix that holds the metric itself.
    metric : "mse", name of a metric of rankings, or callable, default="mse"
        "mse": the predictions themselves are compared with y. A callable is given y and one
        repetition's predictions. It returns n numbers, one for each row; or one number, such as
        an AUC, and is then called for each of the ``groups``. A name that `ranking_metrics` takes,
        such as "ndcg@10", is of each query: ``groups`` are the queries, y is the relevance.
    ideal : float or array, default=None
        What the metric (or, with "mse", the prediction) should be, for all or for each row (or
        group): 0 for a loss, 1 for an AUC. None, for "mse": y.
    L, k, method
        As for `repeated_cross_val_predict`. With "predict_proba", "mse" compares probabilities
        with 1 for the second class and 0 for the first.
    groups : array of shape (n,), default=None
        Labels of rows that stay together in the splits, and whose errors go together.
    cv
        As for `repeated_cross_val_predict`.
    correct : bool, default=False
        Whether to estimate the bias and variance of infinitely many repetitions.
    random_state, n_jobs, progress
        As for `repeated_cross_val_predict`.

    Returns
    -------
    DataFrame
        A row for each model, and the columns

        * ``error``: mean of (P - ideal)^2, over rows (or groups) and repetitions, P being a
          prediction or metric, in squares of its unit;
        * ``bias``: mean of (Pbar - ideal)^2, Pbar being the mean of a row's P;
        * ``variance``: mean of (P - Pbar)^2, so that error = bias + variance;
        * ``standard_error``: of the error, estimated from how rows (or ``groups``) differ in it.

    Raises
    ------
    InvalidOptionError
        If indexes differ, predictions are missing or not numbers, each row has but one, or a
        callable metric has no ideal, or is not defined in a group.

    Notes
    -----
    Bias includes the noise of y, which no sample tells apart from it.

    Of L repetitions, the mean still wobbles: the variance is low by the factor 1 - 1/L, and the
    bias high by as much. ``correct=True`` moves V / (L - 1) from bias to variance; the bias may
    then come out below 0. The repetitions share training rows, so that even corrected variance is
    that of drawing training rows from these n rows, not from the world.

    References
    ----------
    G. I. Webb and P. Conilione, "Estimating bias and variance from data", technical report,
    Monash University, 2005.
    G. I. Webb, "MultiBoosting", Machine Learning 40, 2000, for repeated cross-validation.

    Examples
    --------
    A deep tree and a stump: the one varies, the other is biased.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from vtreat_py.evaluation import bias_variance
    >>> X, y = load_diabetes(return_X_y=True)
    >>> models = {
    ...     "deep": DecisionTreeRegressor(random_state=0),
    ...     "stump": DecisionTreeRegressor(max_depth=1, random_state=0),
    ... }
    >>> bias_variance(models, X, y, random_state=0).round(-2).astype(int)
           error  bias  variance  standard_error
    deep    6100  3500      2700             300
    stump   4600  3900       700             200

    A metric of one's own, here of three groups and two repetitions, that had better be 1:

    >>> bias_variance([[1, 0.5], [0.8, 0.6], [0, 1]], ideal=1).round(3)
                 error   bias  variance  standard_error
    predictions  0.242  0.134     0.108           0.129
    """
    name = type(estimator).__name__ if hasattr(estimator, "fit") else "predictions"
    models = dict(estimator) if isinstance(estimator, Mapping) else {name: estimator}
    if not models:
        raise InvalidOptionError("estimator is an empty dict; give at least one model")
    correct = check_flag("correct", correct)
    _check_metric(metric, ideal, y, groups)
    if any(isinstance(model, type) for model in models.values()):
        raise OptionTypeError("estimator is a class; give an estimator, such as LinearRegression()")
    to_fit = {name: model for name, model in models.items() if hasattr(model, "fit")}
    rows = {"X": X} if to_fit else {}
    if metric == "mse" or groups is None:  # else the ideal is that of each group
        rows["ideal"] = ideal
    given = {f"{name!r}": model for name, model in models.items() if name not in to_fit}
    check_same_rows(rows | {"y": y, "groups": groups} | given)
    if to_fit:
        if X is None or y is None:
            raise InvalidOptionError("X or y is missing, which the model is to be fitted on")
        models |= predictions_of(
            to_fit,
            X,
            y,
            L=L,
            k=k,
            method=method,
            groups=groups,
            cv=cv,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )
    parts = []
    for name, predictions in models.items():
        what = f"the predictions of {name!r}"
        matrix = _matrix(predictions, what)
        outcome = None if y is None else _outcome(y, len(matrix), metric, method)
        values, unit = _measured(metric, outcome, matrix, groups, what)
        target = _ideal(outcome if ideal is None else ideal, len(values))
        parts.append(_decomposed(values, target, unit, correct, what))
    return pd.DataFrame(parts, index=list(models))


def _decomposed(
    values: FloatArray, ideal: FloatArray, unit: IntArray, correct: bool, what: str
) -> dict[str, float]:
    """Error, bias and variance of a matrix around the ideal of each of its rows."""
    errors = np.square(difference(values, ideal[:, None], what)).mean(axis=1)
    mean = values.mean(axis=1)
    bias = float(np.square(mean - ideal).mean())
    variance = float(np.square(values - mean[:, None]).mean())
    moved = variance / (values.shape[1] - 1) if correct else 0.0
    return {
        "error": float(errors.mean()),
        "bias": bias - moved,
        "variance": variance + moved,
        "standard_error": standard_error_of_mean(errors, np.ones(len(errors)), unit),
    }


def _measured(
    metric: Metric, y: Any, predictions: Any, groups: Any, what: str
) -> tuple[FloatArray, IntArray]:
    """Return what is to be near its ideal for each row, or group, and the unit each is of."""
    unit = units(groups, len(predictions))
    if metric == "mse":
        return _finite(predictions, what), unit
    if not callable(metric):
        score = ranking_scorer(metric, y, groups)
        of_queries = np.column_stack([score(column, what) for column in predictions.T])
        undefined = int(np.isnan(of_queries[:, 0]).sum())
        if undefined:
            raise InvalidOptionError(
                f"metric {metric} is not defined in {undefined} of {len(of_queries)} queries, "
                "which have no relevant document; leave those out"
            )
        return of_queries, np.arange(len(of_queries))
    name = f"metric {getattr(metric, '__name__', 'of y and predictions')}"
    shape = np.shape(metric(y, predictions[:, 0]))
    if shape == y.shape:
        values = np.column_stack([metric(y, column) for column in predictions.T])
        return _finite(values, name), unit
    if shape:
        raise InvalidOptionError(
            f"{name} gives values of shape {shape} for {len(y)} rows; it must give one number a "
            "row, or one number"
        )
    if groups is None:
        raise InvalidOptionError(
            f"{name} gives one number for all rows, which tells nothing of bias; give groups of "
            "rows to measure it in, or a metric that gives one number a row"
        )
    of_groups = [[metric(y[of], column[of]) for column in predictions.T] for of in rows_of(unit)]
    return _finite(np.array(of_groups), name), np.arange(len(of_groups))


def _check_metric(metric: Any, ideal: Any, y: Any, groups: Any) -> None:
    if isinstance(metric, str) and metric == "mse":
        if y is None and ideal is None:
            raise InvalidOptionError(
                "y is missing; give it, or, for a matrix of metrics, their ideal"
            )
        return
    if not (callable(metric) or is_ranking_metric(metric)):
        raise InvalidOptionError(
            f'metric={shown(metric)}; it must be "mse", a metric of rankings such as "ndcg@10", or '
            "a function of y and predictions"
        )
    if y is None:
        raise InvalidOptionError(
            "y is missing, which the metric is given; for a matrix that holds the metric itself "
            "leave metric out"
        )
    if ideal is None:
        raise InvalidOptionError("ideal is missing: what the metric had better be, 0 for a loss")
    if groups is None and not callable(metric):
        raise InvalidOptionError(f"groups is missing: the queries that {metric!r} is of")


def _outcome(y: Any, n_rows: int, metric: Any, method: str) -> Any:
    """Read the outcome; beside probabilities as 0 and 1."""
    outcome = one_dimensional(y, "y")
    check_length(outcome, n_rows, "y")
    if metric != "mse":
        return outcome
    if method == "predict_proba":
        return (outcome == two_classes(outcome)[1]).astype(np.float64)
    return finite_numbers(outcome, "y")


def _ideal(ideal: Any, n_values: int) -> FloatArray:
    with refused_as("ideal cannot be read as an array"):
        is_one = np.ndim(ideal) == 0
    if is_one:
        return np.full(n_values, finite_numbers([ideal], "ideal")[0])
    values = finite_numbers(ideal, "ideal")
    check_length(values, n_values, "ideal")
    return values


def _matrix(predictions: Any, what: str) -> Any:
    """Read predictions as an array of at least two columns."""
    with refused_as(f"{what} cannot be read as an array"):
        matrix = np.asarray(predictions)
    if matrix.ndim != 2 or not len(matrix):
        raise InvalidOptionError(
            f"{what} have shape {matrix.shape}; a row for each row and a column for each "
            "repetition are wanted"
        )
    if matrix.shape[1] < 2:
        raise InvalidOptionError(
            f"{what} are one a row; variance shows in two or more: raise L, or give a cv that "
            "predicts each row several times, as RepeatedKFold does"
        )
    return matrix


def _finite(matrix: Any, what: str) -> FloatArray:
    return finite_numbers(matrix.ravel(), what).reshape(matrix.shape)
