"""What the y-aware transformers share: frames of numbers in, and frames of numbers out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self, overload

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from vtreat_py.base.arrays import FloatArray, NumberArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import warn_of_other_rows
from vtreat_py.estimators.base import FrameTransformer, check_columns, training_frame
from vtreat_py.estimators.parameters import parameters
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.kinds import Array, DictRows, FrameT, Listed
from vtreat_py.outcome.outcome import OutcomeRows
from vtreat_py.outcome.reading import read_outcome
from vtreat_py.outcome.weights import read_weight
from vtreat_py.plan.options import OutcomeType
from vtreat_py.yaware.matrix import read_numbers


@parameters
class YAwareTransformer(FrameTransformer, ABC):
    """A transformer of frames of numbers that learns a slope and a mean of each column."""

    outcome_type: OutcomeType | None = None
    target: Any = None
    link: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn slopes and means of the columns, and `YAwarePCA` components of the scaled ones.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
            Columns of finite numbers, such as a treated frame; other columns and missing values
            are for the treatments.
        y : array of shape (n,), or a column name of X, default=None
        sample_weight : array of shape (n,), or a column name of X, default=None
            Frequency weights: a row of weight 2 counts as two rows.
        groups : array of shape (n,), or a column name of X, default=None
            Rows of one group share a fold of ``fit_transform``.

        Returns
        -------
        self

        Raises
        ------
        FrameError, OptionTypeError
            If a column holds missing or infinite values, or no numbers.
        OutcomeError
            If the outcome or the weights cannot be used.
        InvalidOptionError
            If an option cannot be used, such as ``link`` with a number for an outcome.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"cm": [150.0, 160.0, 170.0, 180.0, 190.0]})
        >>> vt.YAwareScaler(cv=2, random_state=0).fit(X, [50, 61, 69, 80, 91]).scale_.round(2)
        array([1.01])
        """
        warn_of_other_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        self._learn(X, y, sample_weight, groups)
        return self

    @overload
    def fit_transform(
        self, X: Array, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> FloatArray: ...
    @overload
    def fit_transform(
        self, X: DictRows, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> pd.DataFrame: ...
    @overload
    def fit_transform(
        self, X: Listed, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Any: ...
    @overload
    def fit_transform(
        self, X: FrameT, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> FrameT: ...
    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Any:
        """Learn as ``fit`` does, and transform the training rows scaled out of fold.

        Parameters
        ----------
        X, y, sample_weight, groups
            As for ``fit``.

        Returns
        -------
        frame of the same kind as X (an array for an array), n rows
            Each row scaled by slopes and means of the other folds.

        Raises
        ------
        InvalidOptionError
            If ``cv`` leaves rows out of all application sets, or has rows in several.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"cm": [150.0, 160.0, 170.0, 180.0, 190.0]})
        >>> scaler = vt.YAwareScaler(cv=2, random_state=0)
        >>> scaler.fit_transform(X, [50, 61, 69, 80, 91])["cm"].round(1).tolist()
        [-19.0, -10.2, 0.0, 10.2, 19.0]
        >>> scaler.transform(X)["cm"].round(1).tolist()
        [-20.2, -10.1, 0.0, 10.1, 20.2]
        """
        warn_of_other_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        return self._framed(*self._fit_crossed(X, y, sample_weight, groups))

    @overload
    def transform(self, X: Array) -> FloatArray: ...
    @overload
    def transform(self, X: DictRows) -> pd.DataFrame: ...
    @overload
    def transform(self, X: Listed) -> Any: ...
    @overload
    def transform(self, X: FrameT) -> FrameT: ...
    def transform(self, X: Any) -> Any:
        """Scale a frame, of which `YAwarePCA` then takes the components.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array of shape (n, n_features_in_)
            With the columns seen in fit, in their order.

        Returns
        -------
        frame of the same kind (an array for an array), n rows
            The scaled columns; of `YAwarePCA` a column for each component, ``yawarepca0`` and so
            on.

        Raises
        ------
        SchemaError
            If the columns are not those seen in fit.
        FrameError, OptionTypeError
            If a column holds missing or infinite values, or no numbers.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"cm": [150, 160, 170, 180, 190], "age": [30, 60, 20, 50, 40]})
        >>> y = [50, 61, 69, 80, 91]
        >>> vt.YAwareScaler(cv=2, random_state=0).fit(X, y).transform(X.head(2)).round(1)
             cm  age
        0 -20.2 -1.4
        1 -10.1  2.8
        >>> vt.YAwarePCA(1, cv=2, random_state=0).fit(X, y).transform(X.head(2)).round(1)
           yawarepca0
        0       -20.2
        1       -10.1
        """
        check_is_fitted(self)
        return self._framed(*self._transformed(X))

    @abstractmethod
    def _learn(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
        """Learn, and return what is needed to transform the training rows."""

    @abstractmethod
    def _fit_crossed(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[InputFrame, FloatArray]:
        """Learn, and return the frame as read with the training rows transformed out of fold."""

    @abstractmethod
    def _of_numbers(self, numbers: FloatArray) -> FloatArray:
        """Transform a matrix with a row for each column seen in fit; it may be written to."""

    def _transformed(self, X: Any) -> tuple[InputFrame, FloatArray]:
        """Return a frame as read, and what its rows are transformed to: a row for each column."""
        source = self._fitted_columns.found_in(InputFrame.of(X))
        values = read_numbers(source, self._fitted_columns.columns)
        numbers = np.stack(values, dtype=np.float64, casting="unsafe")
        return source, self._of_numbers(numbers)

    def _names(self) -> list[Any]:
        """Names of what comes out."""
        return list(self._fitted_columns.columns)

    def _framed(self, source: InputFrame, values: FloatArray) -> Any:
        return self._for_output(source.like(self._names(), values, ()))

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[OutcomeRows, list[NumberArray]]:
        """Read and check outcome, weights and columns."""
        source = training_frame(self, X, y)
        weight = read_weight(source, sample_weight)
        outcome = read_outcome(source, y, self.outcome_type, self.target, weight)
        if outcome.is_rate:
            raise InvalidOptionError(
                f'outcome_type="{outcome.kind}": y-aware components are of outcomes of numbers and '
                "classes; RateOutcomeTreatment(scale=True) puts columns in units of log rates"
            )
        if check_flag("link", self.link) and outcome.kind == "numeric":
            raise InvalidOptionError(
                "link=True asks for slopes in log odds, which only classes have; this outcome is "
                f'{outcome.note}. For classes that are numbers give outcome_type="binomial" or '
                '"multinomial"'
            )
        self._remember_columns(source, y, sample_weight, groups)
        columns = self._fitted_columns.columns
        check_columns(source, columns)
        return outcome, read_numbers(source, columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
