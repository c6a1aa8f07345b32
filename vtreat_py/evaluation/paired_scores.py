"""A score of each row, or group of rows, from the predictions of one model or of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import xlogy

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.base.jobs import run_jobs
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._inputs import (
    check_jobs,
    check_length,
    difference,
    finite_numbers,
    one_dimensional,
)
from vtreat_py.evaluation._paired_rows import (
    as_frame,
    check_no_missing,
    rows_of,
    sorted_classes,
    units,
)
from vtreat_py.evaluation._refusals import refused_as, shown
from vtreat_py.evaluation.rankings import is_ranking_metric, ranking_scorer

Loss: TypeAlias = (
    Literal["squared", "absolute", "poisson", "log", "brier", "zero-one"]
    | Callable[[Any, Any], Any]
)
_EPS = float(np.finfo(np.float64).eps)
_CONCORDANCE = "concordance_index_censored"
# What names mean that are metrics of classes and, over all documents, of rankings.
_OF_CLASSES = ("precision", "recall")


@renamed(loss="metric")
def per_row_loss(
    y: Any, prediction: Any, *, metric: Loss = "squared", pos_label: Any = 1
) -> pd.Series[Any] | pd.DataFrame:
    """Find the loss of each row's prediction: lower is better.

    Parameters
    ----------
    y : array of shape (n,)
        The outcome.
    prediction : array of shape (n,), array or frame of shape (n, m), or dict
        Predictions of one model; or a column for each model (or repetition); or a dict from each
        model's name to either. Of the columns of a model in a dict, such as the repetitions of
        `repeated_cross_val_predict`, the losses are averaged.
    metric : {"squared", "absolute", "poisson", "log", "brier", "zero-one"} or callable, \
default="squared"
        A loss:

        * "squared", "absolute": of numbers;
        * "poisson": the deviance of counts from what was expected, above 0 (of rates times
          exposure, as rates alone weigh all exposures alike):
          ``2 * (y * log(y / p) - y + p)``; its mean is `sklearn.metrics.mean_poisson_deviance`;
        * "log", "brier": of the probability of ``pos_label``, y having two classes. As in
          `sklearn.metrics.log_loss`, the log loss takes probabilities of 0 and 1 for closest to
          them that it can, so that it is 36 at most;
        * "zero-one": of predicted classes, 0 if right and 1 if wrong;
        * a callable is given y and the predictions of one model (or repetition), arrays of shape
          (n,), and returns n numbers.
    pos_label : label, default=1
        The class whose probability is predicted.

    Returns
    -------
    Series of shape (n,) or DataFrame of shape (n, m)
        A DataFrame if there are several models or columns. The index is that of the inputs, the
        name (of the columns) is the loss.

    Raises
    ------
    InvalidOptionError
        If lengths or indexes differ, values are missing, or predictions are not what the loss
        takes.

    Examples
    --------
    >>> from vtreat_py.evaluation import per_row_loss
    >>> per_row_loss([1.0, 2.0, 4.0], [1.5, 2.0, 3.0]).tolist()
    [0.25, 0.0, 1.0]
    >>> per_row_loss(["no", "yes"], {"a": [0.2, 0.5], "b": [0.1, 0.8]}, metric="brier",
    ...              pos_label="yes").round(2)
    brier     a     b
    0      0.04  0.01
    1      0.25  0.04
    """
    index = _index(y, prediction)
    truth = one_dimensional(y, "y")
    name, of_rows = _loss(metric, truth, pos_label)

    def score(values: Any, what: str) -> FloatArray:
        check_length(values, len(truth), what)
        losses = finite_numbers(of_rows(values, what), f"the {name} loss of {what}")
        check_length(losses, len(truth), f"the {name} loss of {what}")
        return losses

    return _scored(prediction, score, index, name)


def per_group_metric(
    y: Any,
    prediction: Any,
    groups: Any,
    *,
    metric: str | Callable[[Any, Any], Any] | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.Series[Any] | pd.DataFrame:
    """Find a metric of each group's rows, such as the AUC of each hospital.

    Parameters
    ----------
    y, prediction
        As for `per_row_loss`.
    groups : array of shape (n,)
        Label of each row's group.
    metric : str or callable, default=None
        ``metric(y, prediction)`` of the rows of a group, one number, such as those of
        `sklearn.metrics`; or a name that `cv_spread` takes as ``scoring``, such as "roc_auc",
        "nll" or "neg_mean_squared_error"; or one that `ranking_metrics` takes, such as "ndcg@10",
        of queries (with its defaults; y is the relevance); or "concordance_index_censored", of
        times to an event: y is then the structured array of scikit-survival, which must be
        installed, and predictions are risks. "precision" and "recall" are those of
        classes, "precision@10" is of rankings. Predictions are what the metric compares with y: the
        chance (or another score) of the class that is last in sorted order for "roc_auc", classes
        for "accuracy".
    n_jobs : int or None, default=None
        Groups at a time, as in scikit-learn; metrics of rankings are of all queries at once, and
        do not need it. The result does not depend on it.
    progress : bool, default=False
        Show a progress line on standard error, a new one for each model: of tqdm or rich where
        installed, else a plain one.

    Returns
    -------
    Series of shape (n_groups,) or DataFrame of shape (n_groups, m)
        Groups, the index, are in the order in which they come first. A metric that is not defined
        in a group, such as the AUC of a single class, is NaN if the metric gives NaN; it is for
        the user to decide what becomes of such groups.

    Raises
    ------
    InvalidOptionError
        If lengths or indexes differ, there are no rows, a group's label is missing, or the metric
        has no such name, or is no number.

    Examples
    --------
    >>> from sklearn.metrics import accuracy_score
    >>> from vtreat_py.evaluation import per_group_metric
    >>> per_group_metric([1, 0, 1, 1], [1, 1, 1, 0], ["x", "x", "y", "x"], metric=accuracy_score)
    x    0.333333
    y    1.000000
    Name: accuracy_score, dtype: float64
    """
    _index(y, prediction, groups)
    check_jobs(n_jobs)
    progress = check_flag("progress", progress)
    truth = one_dimensional(y, "y")
    if not len(truth):
        raise InvalidOptionError("y is empty; give at least one row")
    rows = rows_of(units(groups, len(truth)))
    with refused_as("groups must hold labels"):
        labels = pd.Index(one_dimensional(groups, "groups")).unique()
    if is_ranking_metric(metric) and metric not in _OF_CLASSES:
        of_queries = ranking_scorer(metric, truth, groups)
        return _scored(prediction, of_queries, labels, metric)
    name, of_rows = _metric(metric, truth)

    def score(values: Any, what: str) -> FloatArray:
        check_length(values, len(truth), what)

        def of_group(r: IntArray) -> Any:
            return of_rows(truth[r], values[r])

        found = run_jobs(of_group, rows, n_jobs, progress=progress, unit="group")
        with refused_as(f"{name} of {what} must be one number for each group"):
            return np.array(found, dtype=np.float64).reshape(len(rows))

    return _scored(prediction, score, labels, name)


def _metric(metric: Any, y: Any) -> tuple[str, Callable[[Any, Any], Any]]:
    """Name a metric, and give the function of y and predictions."""
    if callable(metric):
        return getattr(metric, "__name__", "metric"), metric
    if not isinstance(metric, str):
        raise OptionTypeError(
            f"metric={shown(metric)}; it must be a function of y and predictions, or a name such "
            'as "roc_auc"'
        )
    if metric == _CONCORDANCE:
        return metric, _concordance(y)
    from vtreat_py.evaluation._classifier_scorers import named_scorer

    check_no_missing(y, "y")
    scorer = named_scorer(metric, sorted_classes(y)[-1], "metric")

    def of_rows(truth: Any, values: Any) -> Any:
        with refused_as(f"metric {metric!r} cannot be computed"):
            return scorer._sign * scorer._score_func(truth, values, **scorer._kwargs)

    return metric, of_rows


def _concordance(y: Any) -> Callable[[Any, Any], float]:
    """Share of pairs of rows, of which one had its event first, that are in order of their risk."""
    fields = y.dtype.names or ()
    flags = [name for name in fields if y.dtype[name].kind == "b"]
    if len(fields) != 2 or len(flags) != 1:
        raise OptionTypeError(
            f"y is no structured array of events (booleans) and times, as metric={_CONCORDANCE!r} "
            "of scikit-survival takes it; sksurv.util.Surv makes one"
        )
    (time,) = (name for name in fields if name not in flags)
    metrics = optional_module("sksurv.metrics", "concordances")

    def of_rows(truth: Any, values: Any) -> float:
        if not truth[flags[0]].any():
            return float("nan")
        with refused_as(f"metric {_CONCORDANCE!r} cannot be computed"):
            found = metrics.concordance_index_censored(truth[flags[0]], truth[time], values)
        return float(found[0])

    return of_rows


def _index(y: Any, prediction: Any, groups: Any = None) -> pd.Index:
    """Return the index that the inputs share."""
    inputs = {"y": y, "groups": groups}
    if isinstance(prediction, Mapping):
        inputs |= {f"prediction[{name!r}]": values for name, values in prediction.items()}
    else:
        inputs["prediction"] = prediction
    index = check_same_rows(inputs)
    return pd.RangeIndex(len(one_dimensional(y, "y"))) if index is None else index


def _scored(
    prediction: Any, score: Callable[[Any, str], FloatArray], index: pd.Index, name: str
) -> pd.Series[Any] | pd.DataFrame:
    """Score one model, each column, or each model of a dict."""
    if isinstance(prediction, Mapping):
        if not prediction:
            raise InvalidOptionError("prediction is an empty dict; give at least one model's")
        means = {
            model: np.mean(list(_scores(values, score, f"prediction[{model!r}]").values()), axis=0)
            for model, values in prediction.items()
        }
        return pd.DataFrame(means, index=index).rename_axis(columns=name)
    scores = _scores(prediction, score, "prediction")
    if _is_one_column(prediction):
        return pd.Series(scores[0], index=index, name=name)
    return pd.DataFrame(scores, index=index).rename_axis(columns=name)


def _is_one_column(prediction: Any) -> bool:
    with refused_as("prediction cannot be read as an array"):
        return bool(np.ndim(prediction) == 1)


def _scores(
    prediction: Any, score: Callable[[Any, str], FloatArray], what: str
) -> dict[Any, FloatArray]:
    """Scores of each column of predictions; a single one is called 0."""
    if _is_one_column(prediction):
        return {0: score(one_dimensional(prediction, what), what)}
    frame = as_frame(prediction, what)
    if not frame.shape[1]:
        raise InvalidOptionError(f"{what} has no columns")
    return {
        column: score(values.to_numpy(), f"{what}[{column!r}]") for column, values in frame.items()
    }


def _loss(loss: Any, y: Any, pos_label: Any) -> tuple[str, Callable[[Any, str], Any]]:
    """Name a loss, and give the function from predictions, and what they are called, to losses."""
    if callable(loss):
        return getattr(loss, "__name__", "callable"), lambda values, _: loss(y, values)
    if not isinstance(loss, str):
        raise OptionTypeError(f"metric={shown(loss)}; it must be a name or a function")
    if loss in ("squared", "absolute"):
        outcome = finite_numbers(y, "y")
        distance = _squared if loss == "squared" else _absolute
        return loss, lambda values, what: distance(finite_numbers(values, what), outcome, what)
    if loss == "poisson":
        counts = _counts(y)
        return loss, lambda values, what: _deviance(counts, _expected(values, what))
    if loss in ("log", "brier"):
        positive = _positive(y, pos_label)
        if loss == "brier":
            return loss, lambda values, what: np.square(positive - _chances(values, what))
        return loss, lambda values, what: _log(positive, _chances(values, what))
    if loss == "zero-one":
        return loss, lambda values, what: y != _labels(values, y, what)
    raise InvalidOptionError(
        f'metric={loss!r}; it must be "squared", "absolute", "poisson", "log", "brier", "zero-one",'
        " or a function of y and predictions"
    )


def _squared(values: FloatArray, outcome: FloatArray, what: str) -> FloatArray:
    return np.square(difference(values, outcome, what))


def _absolute(values: FloatArray, outcome: FloatArray, what: str) -> FloatArray:  # noqa: ARG001
    with np.errstate(over="ignore"):
        return np.abs(values - outcome)


def _counts(y: Any) -> FloatArray:
    counts = finite_numbers(y, "y")
    if (counts < 0).any():
        row = int(np.argmax(counts < 0))
        raise InvalidOptionError(f"y is {counts[row]:g} in row {row}; this loss takes counts")
    return counts


def _expected(values: Any, what: str) -> FloatArray:
    expected = finite_numbers(values, what)
    if (expected <= 0).any():
        row = int(np.argmax(expected <= 0))
        raise InvalidOptionError(
            f"{what} is {expected[row]:g} in row {row}; this loss takes what is expected, above 0"
        )
    return expected


def _deviance(counts: FloatArray, expected: FloatArray) -> FloatArray:
    return np.asarray(2.0 * (xlogy(counts, counts / expected) - counts + expected))


def _log(positive: BoolArray, chance: FloatArray) -> FloatArray:
    clipped = np.clip(chance, _EPS, 1.0 - _EPS)
    return -np.log(np.where(positive, clipped, 1.0 - clipped))


def _positive(y: Any, pos_label: Any) -> BoolArray:
    """Say which rows are of the class whose probability is predicted."""
    check_no_missing(y, "y")
    classes = pd.unique(y)
    with refused_as(f"pos_label={shown(pos_label)} must be one label of y"):
        positive = np.asarray(y == pos_label, dtype=bool)
    if len(classes) > 2:
        raise InvalidOptionError(
            f"y has {len(classes)} classes, {listed(classes.tolist())}; this loss is of two. Give "
            'a function of y and predictions, or predicted classes with metric="zero-one"'
        )
    if positive.shape != y.shape:
        raise OptionTypeError(f"pos_label={shown(pos_label)}; it must be one label of y")
    if not positive.any() and not np.isin(classes, (0, -1)).all():
        raise InvalidOptionError(
            f"pos_label={pos_label!r} is none of the classes of y, {listed(classes.tolist())}; it "
            "names the class whose probability is predicted"
        )
    return positive


def _chances(values: Any, what: str) -> FloatArray:
    chance = finite_numbers(values, what)
    outside = (chance < 0) | (chance > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise InvalidOptionError(
            f"{what} is {chance[row]:g} in row {row}; this loss takes probabilities, from 0 to 1"
        )
    return chance


def _labels(values: Any, y: Any, what: str) -> Any:
    """Read predicted classes; what looks like anything else is refused."""
    check_no_missing(y, "y")
    check_no_missing(values, what)
    with refused_as(f"{what} and y must hold labels"):
        return _labels_of(values, y, what)


def _labels_of(values: Any, y: Any, what: str) -> Any:
    unknown = values[~pd.Series(values).isin(list(pd.unique(y))).to_numpy()]
    fractions = values.dtype.kind == "f" and (unknown != np.floor(unknown)).any()
    if fractions or len(unknown) == len(values):
        raise InvalidOptionError(
            f"{what} holds {listed(pd.unique(unknown).tolist())}, but y "
            f"{listed(pd.unique(y).tolist())}; the zero-one loss takes predicted classes"
        )
    return values
