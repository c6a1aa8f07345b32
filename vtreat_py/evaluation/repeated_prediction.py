"""Predictions of each row by several models, each trained on other rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.base.jobs import run_groups
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.renamed import renamed
from vtreat_py.evaluation._inputs import (
    check_jobs,
    check_one_of,
    checked_weight,
    one_dimensional,
    random_numbers,
    whole_number,
)
from vtreat_py.evaluation._model_rows import check_model, indexable_rows
from vtreat_py.evaluation._paired_rows import sorted_classes, units
from vtreat_py.evaluation._query_fits import queries_for, query_parameter
from vtreat_py.evaluation._repetitions import Split, repeated_splits, shuffled_folds
from vtreat_py.evaluation._weighted_model import check_weight_reaches, fitted_clone

Method: TypeAlias = Literal["predict", "predict_proba"]


@renamed(rng="random_state")
def repeated_cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    L: int = 10,
    k: int = 2,
    method: Method = "predict",
    groups: Any = None,
    sample_weight: Any = None,
    cv: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Predict each row L times, each time by a model that was trained on other rows than it.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    X : frame or array of n rows
    y : array of shape (n,)
    L : int, default=10
        Number of repetitions, each a fresh division of the rows.
    k : int, default=2
        Number of folds of each: stratified for classifiers, whole groups with ``groups``. With 2
        folds the training rows of two repetitions are as different as they can be, and half as
        many as there are; with 10 they are nearly the same, and nearly all.
    method : {"predict", "predict_proba"}, default="predict"
        "predict_proba": the probability of the second of two classes.
    groups : array of shape (n,), default=None
        Rows of a group are never trained on together with predicting others of it. Rankers whose
        ``fit`` takes queries (``group=`` of LightGBM and XGBoost, ``group_id=`` of CatBoost, also
        as the last step of a pipeline) are given them, in the way that each takes them.
    sample_weight : array of shape (n,), default=None
        To fit with: passed on as `weighted_cross_validate` does (see its notes).
    cv : splitter, list of (train, test) rows, list of such plans, default=None
        In place of L and k. It says itself how often each row is predicted, except for a splitter
        that shuffles without a random state of its own, such as ``KFold(5, shuffle=True)``: that
        is run L times.
    random_state : int, Generator or RandomState, default=None
        Of the divisions: a seed, or a source of random numbers, which moves on. Estimators have
        their own.
    n_jobs : int, default=None
        Fits at a time, as in scikit-learn. The result does not depend on it.
    progress : bool, default=False
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.

    Returns
    -------
    DataFrame of shape (n, L)
        The index is that of X. Column l holds the l-th prediction of each row.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If indexes differ, ``cv`` predicts some rows more often than others, the estimator takes no
        weights, or there are not two classes for "predict_proba".

    References
    ----------
    G. I. Webb and P. Conilione, "Estimating bias and variance from data", technical report,
    Monash University, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from vtreat_py.evaluation import repeated_cross_val_predict
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> repeated_cross_val_predict(LinearRegression(), X, y, L=3, random_state=0).shape
    (442, 3)
    """
    return predictions_of(
        {"estimator": estimator},
        X,
        y,
        L=L,
        k=k,
        method=method,
        groups=groups,
        sample_weight=sample_weight,
        cv=cv,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )["estimator"]


def predictions_of(
    estimators: Mapping[Any, Any],
    X: Any,
    y: Any,
    *,
    L: int,
    k: int,
    method: Method,
    groups: Any,
    cv: Any,
    random_state: Any,
    n_jobs: int | None,
    progress: bool,
    sample_weight: Any = None,
) -> dict[Any, pd.DataFrame]:
    """Predict by several estimators, on the same splits, in one flat queue of fits."""
    check_one_of(get_args(Method), "method", method)
    L, k = whole_number(L, "L", 1), whole_number(k, "k", 2)
    check_same_rows({"X": X, "y": y, "groups": groups, "sample_weight": sample_weight})
    for name, model in estimators.items():
        check_model(model, f"{name}")
    check_jobs(n_jobs)
    X, y = indexable_rows(X, one_dimensional(y, "y"))
    n_rows = len(y)
    if groups is not None:
        groups = units(groups, n_rows)
    weight = None if sample_weight is None else checked_weight(sample_weight, n_rows)
    if weight is not None:
        for model in estimators.values():
            check_weight_reaches(model)
    classes = two_classes(y) if method == "predict_proba" else None
    if cv is None:
        check_folds(k, n_rows)
        stratify = all(is_classifier(model) for model in estimators.values())
        cv = shuffled_folds(k, stratify=stratify, grouped=groups is not None)
    splits = repeated_splits(cv, X, y, groups, L, random_numbers(random_state))
    queue = {name: [(model, split) for split in splits] for name, model in estimators.items()}
    predict = partial(_fit_and_predict, X, y, groups, weight, classes)
    predicted = run_groups(predict, queue, n_jobs, progress=check_flag("progress", progress))
    index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(n_rows)
    return {name: _table(splits, values, index) for name, values in predicted.items()}


def check_folds(k: int, n_rows: int) -> None:
    """Refuse more folds than rows."""
    if k > n_rows:
        raise InvalidOptionError(f"k={k} folds, but there are {n_rows} rows; give fewer folds")


def _table(splits: list[Split], predicted: list[Any], index: pd.Index) -> pd.DataFrame:
    """Put the predictions of each split in their place."""
    times = sum(len(values) for values in predicted) // len(index)
    table = np.empty((len(index), times), dtype=np.result_type(*predicted))
    for (_, test, repetition), values in zip(splits, predicted, strict=True):
        table[test, repetition] = values
    return pd.DataFrame(table, index=index).rename_axis(columns="repetition")


def _fit_and_predict(
    X: Any,
    y: Any,
    groups: IntArray | None,
    weight: FloatArray | None,
    classes: Any,
    fit: tuple[Any, Split],
) -> Any:
    """Predict the rows of a split; of two classes, the probability of the second."""
    estimator, (train, test, _) = fit
    asks, beside = query_parameter(estimator), None
    if asks is not None and groups is not None:
        train = train[np.argsort(groups[train], kind="stable")]
        beside = queries_for(asks, groups[train])
    of_rows = None if weight is None else weight[train]
    model = fitted_clone(estimator, _safe_indexing(X, train), y[train], of_rows, beside)
    new = _safe_indexing(X, test)
    if classes is None:
        return one_dimensional(model.predict(new), "the prediction")
    learned = list(model.classes_)
    if classes[1] not in learned:  # no row to train on was of this class
        return np.zeros(len(test))
    return model.predict_proba(new)[:, learned.index(classes[1])]


def two_classes(y: Any) -> Any:
    """Return the two classes of y in their order."""
    classes = sorted_classes(y)
    if len(classes) != 2:
        raise InvalidOptionError(
            f'method="predict_proba" is for two classes; y has {listed(classes.tolist())}'
        )
    return classes
