"""Small helpers that projects around the treatments use."""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.on_use import public_names
from vtreat_py.compat._codes import clean_string
from vtreat_py.compat._scores import varies
from vtreat_py.compat.partial_pooling_estimator import pooled_effect_estimate
from vtreat_py.compat.stats_utils import our_corr_score, our_pseudo_R2

__all__ = [
    "can_convert_v_to_numeric",
    "check_matching_numeric_frames",
    "clean_string",
    "get_unique_value_count",
    "grouped_by_x_statistics",
    "hash_data_frame",
    "is_bad",
    "numeric_has_range",
    "pooled_impact_estimate",
    "safe_to_numeric_array",
    "score_variables",
    "summarize_column",
    "unique_items_in_order",
]
__dir__ = public_names(globals())


def can_convert_v_to_numeric(x: Any) -> bool:
    """Whether a value, or a column, holds numbers (or booleans, or points in time).

    Parameters
    ----------
    x : array, list or series of n values

    Returns
    -------
    bool

    Examples
    --------
    >>> can_convert_v_to_numeric([1, None]), can_convert_v_to_numeric(["1", "2"])
    (True, False)
    """
    try:
        values = np.asarray(x)
        if values.dtype.kind in "US" or any(isinstance(v, str) for v in values.ravel().tolist()):
            return False
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def is_bad(x: Any) -> Any:
    """Mark missing, NaN and infinite values.

    Parameters
    ----------
    x : object, or array of shape (n,)

    Returns
    -------
    bool, or ndarray of bool of shape (n,)

    Examples
    --------
    >>> is_bad([1.0, float("nan"), float("inf"), None]).tolist()
    [False, True, True, True]
    """
    if np.ndim(x) == 0:
        return bool(_bad(np.array([x], dtype=object))[0])
    return _bad(np.asarray(x))


def _bad(values: Any) -> BoolArray:
    bad = np.asarray(pd.isna(values), dtype=bool)
    if values.dtype.kind == "f":
        return np.asarray(bad | np.isinf(values))
    if values.dtype.kind == "O":
        infinite = [isinstance(v, numbers.Real) and bool(np.isinf(float(v))) for v in values[~bad]]
        bad[~bad] = infinite
    return bad


def safe_to_numeric_array(x: Any) -> FloatArray:
    """Return a column as an array of floats.

    Parameters
    ----------
    x : array, list or series of n values

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> safe_to_numeric_array([1, True, None])
    array([ 1.,  1., nan])
    """
    return np.asarray(pd.Series(x), dtype=np.float64)


def numeric_has_range(x: Any) -> bool:
    """Whether the good values of a numeric column differ.

    Parameters
    ----------
    x : array, list or series of n values

    Returns
    -------
    bool

    Examples
    --------
    >>> numeric_has_range([1, None, 2]), numeric_has_range([1, None, 1])
    (True, False)
    """
    return varies(_good(x))


def summarize_column(x: Any, *, fn: Callable[[FloatArray], Any] = np.mean) -> float:
    """Return a function of the good values; 0 if there are none.

    Parameters
    ----------
    x : array, list or series of n values
    fn : callable, default=numpy.mean
        Is given an array of floats.

    Returns
    -------
    float

    Examples
    --------
    >>> summarize_column([1.0, None, 3.0])
    2.0
    """
    values = _good(x)
    return float(fn(values)) if len(values) else 0.0


def _good(x: Any) -> FloatArray:
    values = safe_to_numeric_array(x)
    return values[np.isfinite(values)]


def unique_items_in_order(x: Iterable[Any]) -> list[Any]:
    """Return the distinct values, in order of appearance.

    Parameters
    ----------
    x : iterable

    Returns
    -------
    list

    Examples
    --------
    >>> unique_items_in_order(["b", "a", "b"])
    ['b', 'a']
    """
    return list(dict.fromkeys(x))


def get_unique_value_count(x: Any) -> int:
    """Number of distinct values; all missing ones count as one.

    Parameters
    ----------
    x : array, list or series of n values

    Returns
    -------
    int

    Examples
    --------
    >>> get_unique_value_count(["a", None, float("nan"), "b"])
    3
    """
    values = pd.Series(list(x), dtype=object)
    return int(values.nunique()) + int(values.isna().any())


def hash_data_frame(d: pd.DataFrame) -> str:
    """Hash of columns, index and values of a pandas frame.

    Parameters
    ----------
    d : DataFrame

    Returns
    -------
    str

    Examples
    --------
    >>> d = pd.DataFrame({"x": [1, 2]})
    >>> hash_data_frame(d) == hash_data_frame(d.copy())
    True
    """
    parts = [repr(list(d.columns)).encode(), pd.util.hash_pandas_object(d).to_numpy().tobytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def check_matching_numeric_frames(
    *, res: pd.DataFrame, expect: pd.DataFrame, tol: float = 1e-4
) -> None:
    """Assert that two frames have the same columns and, but for ``tol``, the same numbers.

    Parameters
    ----------
    res, expect : DataFrame
    tol : float, default=1e-4
        How far numbers may differ.

    Raises
    ------
    AssertionError
        If they do not match.

    Examples
    --------
    >>> d = pd.DataFrame({"x": [1.0, 2.0]})
    >>> check_matching_numeric_frames(res=d, expect=d + 1e-6)
    """
    assert list(res.columns) == list(expect.columns), (list(res.columns), list(expect.columns))
    assert len(res) == len(expect), (len(res), len(expect))
    for column in expect.columns:
        apart = np.abs(safe_to_numeric_array(res[column]) - safe_to_numeric_array(expect[column]))
        assert not len(apart) or float(apart.max()) <= tol, (column, apart.max())


def grouped_by_x_statistics(x: Any, y: Any) -> pd.DataFrame:
    """Group means of y, with the variances that shrinkage weighs.

    Parameters
    ----------
    x : array of shape (n,)
        Groups.
    y : array of shape (n,)
        Numbers.

    Returns
    -------
    DataFrame
        For each distinct x, in sorted order: ``y`` and ``_group_mean`` (mean of y in the
        group), ``_var`` (variance of y inside groups), ``_ni`` (rows), ``_vb`` (variance of the
        group means), ``_gm`` (mean of y).

    Examples
    --------
    >>> grouped_by_x_statistics(["a", "b", "a"], [1.0, 4.0, 3.0])
       x    y  _group_mean  _var  _ni  _vb       _gm
    0  a  2.0          2.0   2.0    2  2.0  2.666667
    1  b  4.0          4.0   2.0    1  2.0  2.666667
    """
    frame = pd.DataFrame({"x": np.asarray(x), "y": safe_to_numeric_array(y)})
    groups = frame.groupby("x", sort=True)["y"]
    means = groups.mean()
    inside = float(((frame["y"] - groups.transform("mean")) ** 2).sum())
    free = max(len(frame) - len(means), 1)
    return pd.DataFrame(
        {
            "x": means.index.to_numpy(),
            "y": means.to_numpy(),
            "_group_mean": means.to_numpy(),
            "_var": inside / free,
            "_ni": groups.size().to_numpy(),
            "_vb": float(means.var()) if len(means) > 1 else 0.0,
            "_gm": float(frame["y"].mean()),
        }
    )


def pooled_impact_estimate(x: Any, y: Any) -> pd.DataFrame:
    """Shrunken group means of y; see `partial_pooling_estimator.pooled_effect_estimate`.

    Parameters
    ----------
    x : array of shape (n,)
        Groups.
    y : array of shape (n,)
        Numbers.

    Returns
    -------
    DataFrame
        For each distinct x, in sorted order: ``x``, ``mean``, ``var``, ``size``, ``estimate``,
        ``grand_mean``, ``impact``.

    Examples
    --------
    >>> x, y = ["a"] * 9 + ["b"] * 3, [1, 2, 3] * 3 + [11, 12, 13]
    >>> pooled_impact_estimate(x, y)[["x", "mean", "estimate"]].round(2)
       x  mean  estimate
    0  a   2.0      2.00
    1  b  12.0     11.96
    """
    observations = pd.DataFrame({"x": np.asarray(x), "observation": safe_to_numeric_array(y)})
    estimate = pooled_effect_estimate(observations.rename(columns={"x": "location_id"}))
    return estimate.rename(columns={"location_id": "x"})


def score_variables(
    cross_frame: pd.DataFrame,
    *,
    variables: Iterable[str] | None,
    outcome: Any,
    is_classification: bool = False,
) -> pd.DataFrame | None:
    """Score columns of numbers as one-variable models of an outcome.

    Parameters
    ----------
    cross_frame : DataFrame
    variables : iterable of column names
        None: all columns.
    outcome : array
        Numbers; 0 and 1 in a classification.
    is_classification : bool, default=False
        ``R2`` and ``significance`` are those of a logistic regression.

    Returns
    -------
    DataFrame or None
        ``variable``, ``has_range``, ``PearsonR``, ``R2``, ``significance``; None without
        variables.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": [1, 1, 1, 1]})
    >>> score_variables(frame, variables=None, outcome=[1, 2, 3, 4]).round(3)
      variable  has_range  PearsonR     R2  significance
    0        a       True     0.983  0.966         0.017
    1        b      False       NaN    NaN         1.000
    """
    names = list(cross_frame.columns if variables is None else variables)
    if not names:
        return None
    y = safe_to_numeric_array(outcome)
    rows = []
    for name in names:
        x = safe_to_numeric_array(cross_frame[name])
        if not (numeric_has_range(x) and numeric_has_range(y)):
            rows.append((name, False, np.nan, np.nan, 1.0))
            continue
        r, sig = our_corr_score(y_true=y, y_pred=x)
        r2 = r * r
        if is_classification:
            r2, sig = our_pseudo_R2(y_true=y, y_pred=x)
        rows.append((name, True, r, r2, sig))
    columns = ["variable", "has_range", "PearsonR", "R2", "significance"]
    return pd.DataFrame(rows, columns=columns)
