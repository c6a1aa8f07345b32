"""y-aware scaling: each column in the units of the outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from vtreat_py.api.design import design_with
from vtreat_py.base.arrays import FloatArray, ObjectArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.coders.forms import scale_in_place
from vtreat_py.estimators.parameters import parameters
from vtreat_py.frames.frame import InputFrame
from vtreat_py.memory.crossing import LearnedNumberRows
from vtreat_py.memory.design import Design
from vtreat_py.yaware.transformer import YAwareTransformer


@parameters
class YAwareScaler(YAwareTransformer):
    """Scale each column of numbers to units of the outcome: ``slope * (x - mean)``.

    A unit step in a scaled column goes with a unit step of the outcome, so that distances mean
    effects on it, and columns that tell nothing of it shrink to next to nothing.

    Parameters
    ----------
    outcome_type : "numeric", "binomial", "multinomial", default=None
        As for `design_treatments`; None: from ``target`` and the outcome.
    target : object, default=None
        The positive class of an outcome of two classes; None: the last in sorted order.
    link : bool, default=False
        For classes: slopes of logistic regressions, in link units (log odds), in place of those
        of linear ones, in units of probability.
    cv : int, splitter, "ordered" or list of index pairs, default=None
        The folds of ``fit_transform``, as for `design_treatments`; None: 5.
    random_state : int or RandomState, default=None
        Seed of the default folds.
    n_jobs : int, default=None
        Threads.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features_in_,)
        Slope of each column: that of the regression of the outcome on this column alone. 0 for a
        constant. With several classes the length of the vector of slopes, one a class.
    mean_ : ndarray of shape (n_features_in_,)
        Weighted mean of each column.
    outcome_type_ : str
        Type of the outcome.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        There only when all columns have text names.

    See Also
    --------
    prepare : ``scale=True`` does the same to treated frames, to the bit.
    YAwarePCA : Principal components of the scaled columns.

    Notes
    -----
    ``fit_transform`` scales each row by the slopes and means of the *other* folds. That matters
    where many columns are noise: a slope that has seen the row's own outcome leans to it, and many
    such columns add up to a copy of the outcome. ``fit(X, y).transform(X)`` is the reference's way,
    fine where there are far more rows than columns.

    The scaling is that of N. Zumel, "Principal Components Regression, Pt. 2: Y-Aware Methods"
    (2016).

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import YAwareScaler
    >>> X = pd.DataFrame({"metres": [1, 2, 3, 4, 5, 6], "noise": [5, 4, 4, 4, 4, 5]})
    >>> scaler = YAwareScaler().fit(X, [10.0, 21.0, 29.0, 41.0, 49.0, 60.0])
    >>> scaler.transform(X).round(1) + 0.0
       metres  noise
    0   -24.7    0.0
    1   -14.8    0.0
    2    -4.9    0.0
    3     4.9    0.0
    4    14.8    0.0
    5    24.7    0.0
    """

    cv: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    def _fit_crossed(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[InputFrame, FloatArray]:
        design, learned = self._learn(X, y, sample_weight, groups)
        return design.source, scaled_out_of_fold(design, learned)[0]

    def _learn(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Design, list[Any]]:
        source = InputFrame.of(X)
        outcome, values = self._read_training(source, y, sample_weight, groups)
        design = design_with(
            source,
            outcome=y,
            outcome_type=self.outcome_type,
            target=self.target,
            variables=self._fitted_columns.columns,
            sample_weight=sample_weight,
            groups=groups,
            cv=self.cv,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            coders=["clean"],
            cat_scaling=self.link,
            significance="classic",
            scaled=True,
        )
        learned: list[Any] = design.learn()
        scaled = [
            one.treatment.variables[0] if isinstance(one, LearnedNumberRows) else None
            for one in learned
        ]
        self.outcome_type_ = outcome.kind
        self.scale_ = np.array([0.0 if v is None else v.slope for v in scaled])
        counted = 0 if outcome.weight is None else int(np.flatnonzero(outcome.weight)[0])
        means = [x[counted] if v is None else v.mean for v, x in zip(scaled, values, strict=True)]
        self.mean_ = np.array(means, dtype=np.float64)
        return design, learned

    def _of_numbers(self, numbers: FloatArray) -> FloatArray:
        for row, slope, mean in zip(numbers, self.scale_, self.mean_, strict=True):
            scale_in_place(row, slope, mean)
        return numbers

    def get_feature_names_out(self, input_features: Any = None) -> ObjectArray:
        """Names of the columns that ``transform`` returns: those of the input.

        Parameters
        ----------
        input_features : array of str, default=None
            Names of the input; they must be those seen in fit.

        Returns
        -------
        ndarray of str

        Examples
        --------
        >>> import vtreat_py as vt
        >>> X = [[150.0], [160.0], [170.0], [180.0], [190.0]]
        >>> vt.YAwareScaler(cv=2).fit(X, [50, 61, 69, 80, 91]).get_feature_names_out()
        array(['x0'], dtype=object)
        """
        check_is_fitted(self)
        given = self._names() if input_features is None else input_features
        return np.array(self._fitted_columns.checked_names(given), dtype=object)


def scaled_out_of_fold(design: Design, learned: list[Any]) -> tuple[FloatArray, FloatArray]:
    """Scale the training rows by slopes and means of the other folds.

    Returns
    -------
    values : ndarray of shape (p, n)
    slopes : ndarray of shape (p, folds)
        What each fold's rows were scaled by.
    """
    folds = design.rows.folds
    if not folds.applies_once:
        raise InvalidOptionError(
            "fit_transform must return every row once, but cv leaves some out of all "
            "application sets, or has some in several; use another cv"
        )
    values = np.zeros((len(learned), design.source.n_rows))
    slopes = np.zeros((len(learned), folds.n_folds))
    for k, one in enumerate(learned):
        if isinstance(one, LearnedNumberRows):
            one.write_cross({0: values[k]}, scale=True, collar=False)
            slopes[k] = one.fold_slopes(0)
    return values, slopes
