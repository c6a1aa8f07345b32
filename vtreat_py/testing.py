"""A probe to test encoders with: how far a row's own outcome moves the row's own codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.base.on_use import public_names

__all__ = ["OwnOutcomeInfluence", "own_outcome_influence"]
__dir__ = public_names(globals())

_DEFAULT_ROWS = 20


@dataclass(frozen=True, eq=False)
class OwnOutcomeInfluence:
    """How far rows' own codes moved when their own outcomes did.

    Attributes
    ----------
    moves : DataFrame
        A row for each row that was tried (its number is the index), a column for each column of
        the output: the absolute difference of the row's own value. NaN where the column came out
        for one of the two outcomes only, as columns may that are chosen by significance.

    See Also
    --------
    own_outcome_influence : Makes one.

    Examples
    --------
    The mean outcome of the row's own level, the row itself counted, moves by a tenth of the push:

    >>> import pandas as pd
    >>> from sklearn.preprocessing import TargetEncoder
    >>> from vtreat_py.testing import own_outcome_influence
    >>> class Naive(TargetEncoder):
    ...     def fit_transform(self, X, y):
    ...         return self.fit(X, y).transform(X)
    >>> X = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10})
    >>> y = [float(i % 4 + i % 3) for i in range(40)]
    >>> influence = own_outcome_influence(Naive(smooth=0.0, target_type="continuous"), X, y)
    >>> round(influence.largest, 6), influence.by_column.round(6).tolist()
    (10.0, [10.0])
    """

    moves: pd.DataFrame

    @property
    def largest(self) -> float:
        """The largest move of all; 0 if no output column could be compared."""
        return float(np.nanmax(self.moves.to_numpy(), initial=0.0))

    @property
    def by_column(self) -> pd.Series[Any]:
        """The largest move of each output column, the largest first."""
        return self.moves.max().sort_values(ascending=False, kind="stable")

    def __repr__(self) -> str:
        worst = self.by_column.head(5).map("{:.3g}".format).to_string()
        return (
            f"OwnOutcomeInfluence: {self.largest:.3g} at most, over {len(self.moves)} rows and "
            f"{self.moves.shape[1]} columns\n{worst}"
        )


def own_outcome_influence(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    rows: Iterable[int] | None = None,
    push: float = 100.0,
    **fit_params: Any,
) -> OwnOutcomeInfluence:
    """Measure how far a row's own code moves when its own outcome moves.

    The outcome of one row at a time is changed, ``fit_transform`` is run again, and the row's
    own output is compared with what it was. A model trained on codes that move so is trained on
    its own answers. Works for any transformer with ``fit_transform(X, y)``.

    Parameters
    ----------
    estimator : transformer
        Cloned for every fit. It must give the same output each time it sees the same data: set
        its ``random_state``.
    X : data frame or array of n rows
    y : array of shape (n,)
        Numbers, which are pushed, or classes (text, booleans, or numbers that are all 0 or 1),
        which change to the next class.
    rows : iterable of int, default=None
        Rows to try; None: 20 evenly spaced ones.
    push : float, default=100.0
        What is added to a number.
    **fit_params
        Passed to ``fit_transform``, for instance ``sample_weight`` or ``groups``.

    Returns
    -------
    OwnOutcomeInfluence

    Raises
    ------
    InvalidOptionError
        If two fits on the same data differ, or a row is not one of X's, or X and y carry different
        indexes.

    Notes
    -----
    With folds that do not depend on y (``KFold``, ``GroupKFold``, "ordered", index pairs) the
    treatments of this package have none, to rounding. A number for ``smoothing`` with classic
    significance asks for R vtreat's rule, by which rows whose fold cannot support a code, or a
    slope, take that of all rows: there, and only there, some is left.

    A number of folds is stratified on y (with ``groups``, on the y of each group), and so depends
    on it: a changed outcome moves rows, the own one above all, to other folds. Its code is then
    made by other rows. The move is as large as two such estimates differ, the same for a push of
    one standard deviation and of a hundred, and has no direction: it tells nothing of the outcome.

    No influence does not mean that nothing of y can be learned from codes *and* levels. Among the
    rows of a level, codes lie low where the outcomes of the own fold lie high, because the other
    folds have what is left of the sum. Leave-one-out codes, which have no influence either, give
    each outcome away to a model that knows the level. ``benchmarks/leak_study.txt`` has the
    numbers, for this package and for other encoders.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> from sklearn.model_selection import KFold
    >>> from vtreat_py.testing import own_outcome_influence
    >>> X = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10})
    >>> y = [float(i % 4 + i % 3) for i in range(40)]
    >>> treatment = vt.NumericOutcomeTreatment(cv=KFold(4), prune_sig=None)
    >>> bool(own_outcome_influence(treatment, X, y).largest < 1e-10)
    True
    """
    check_same_rows({"X": X, "y": y, **fit_params})
    values = _outcome(y)
    before = _coded(estimator, X, values, fit_params)
    if not before.equals(_coded(estimator, X, values, fit_params)):
        raise InvalidOptionError(
            f"{type(estimator).__name__} gives different output for the same data; set its "
            "random_state, so that what moves is moved by the outcome"
        )
    moves = {}
    for row in _chosen(rows, len(values)):
        after = _coded(estimator, X, _moved(values, int(row), push), fit_params)
        moves[int(row)] = (after.iloc[row] - before.iloc[row]).abs().reindex(before.columns)
    return OwnOutcomeInfluence(pd.DataFrame(moves).T)


def _chosen(rows: Iterable[int] | None, n_rows: int) -> IntArray:
    if rows is None:
        return np.unique(np.linspace(0, n_rows - 1, min(_DEFAULT_ROWS, n_rows)).astype(int))
    chosen = np.array(list(rows), dtype=int)
    outside = chosen[(chosen < 0) | (chosen >= n_rows)]
    if len(outside):
        raise InvalidOptionError(f"rows holds {outside[0]}, but rows are 0 to {n_rows - 1}")
    return chosen


def _outcome(y: Any) -> Any:
    """Read the outcome as an array: floats if it is pushed, else as it is."""
    values = np.asarray(y)
    if values.dtype.kind in "iuf" and not np.isin(values, (0, 1)).all():
        return values.astype(np.float64)
    return values


def _moved(values: Any, row: int, push: float) -> Any:
    moved = values.copy()
    if values.dtype.kind == "f" and not np.isin(values, (0, 1)).all():
        moved[row] += push
        return moved
    classes = sorted(set(values.tolist()), key=str)
    moved[row] = classes[(classes.index(values.tolist()[row]) + 1) % len(classes)]
    return moved


def _coded(estimator: Any, X: Any, y: Any, fit_params: dict[str, Any]) -> pd.DataFrame:
    """The output of ``fit_transform`` as numbers, under the names of its columns."""
    out: Any = clone(estimator).fit_transform(X, y, **fit_params)
    if sparse.issparse(out):
        out = out.toarray()
    if isinstance(out, np.ndarray):
        return pd.DataFrame(out.astype(np.float64))
    frame = nw.from_native(out, eager_only=True)
    columns: dict[str, FloatArray] = {
        name: frame.get_column(name).to_numpy().astype(np.float64) for name in frame.columns
    }
    return pd.DataFrame(columns, index=range(len(frame)))
