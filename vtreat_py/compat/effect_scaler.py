"""y-aware scaling of numeric columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vtreat_py.base.arrays import FloatArray, unmasked
from vtreat_py.base.errors import FrameError, SchemaError
from vtreat_py.base.on_use import public_names
from vtreat_py.significance.linear import linear_slope
from vtreat_py.statistics.moments import Moments

__all__ = ["EffectScaler"]
__dir__ = public_names(globals())


class EffectScaler(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Centre numeric columns and put each into units of the outcome.

    A column becomes ``slope * (x - mean)``, with the slope of the outcome's regression on that
    column alone: one unit of a scaled column goes with one unit of the outcome.

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py.compat.effect_scaler import EffectScaler
    >>> EffectScaler().fit_transform(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), [10.0, 20.0, 30.0])
          x
    0 -10.0
    1   0.0
    2  10.0
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn mean and slope of each column.

        Parameters
        ----------
        X : pandas data frame or array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), default=None
            Frequency weights.

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> from vtreat_py.compat.effect_scaler import EffectScaler
        >>> X, y = pd.DataFrame({"x": [1.0, 2.0, 3.0]}), [10.0, 20.0, 30.0]
        >>> EffectScaler().fit(X, y).slopes_
        array([10.])
        """
        frame, values = _numbers(X)
        outcome = unmasked(y).astype(np.float64)
        if outcome.shape != (len(values),):
            raise FrameError(f"y has shape {outcome.shape}, but X has {len(values)} rows")
        if not np.isfinite(outcome).all():
            raise FrameError("y has missing or infinite values; remove those rows first")
        weight = np.ones(len(values))
        if sample_weight is not None:
            weight = unmasked(sample_weight).astype(np.float64)
            if not np.isfinite(weight).all():
                raise FrameError("sample_weight has missing or infinite values; remove those rows")
        group = np.zeros(len(values), dtype=np.intp)
        self.columns_ = list(frame.columns)
        self.means_ = np.average(values, axis=0, weights=weight)
        centred = outcome - np.average(outcome, weights=weight)
        columns = zip(values.T, self.means_, strict=True)
        moments = [Moments.of_rows(group, 1, x - mean, centred, weight) for x, mean in columns]
        self.slopes_ = np.array([linear_slope(one)[0] for one in moments])
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Scale the columns the scaler was fitted on.

        Parameters
        ----------
        X : pandas data frame or array of shape (n, p)

        Returns
        -------
        DataFrame of floats

        Examples
        --------
        >>> import pandas as pd
        >>> from vtreat_py.compat.effect_scaler import EffectScaler
        >>> X, y = pd.DataFrame({"x": [1.0, 2.0, 3.0]}), [10.0, 20.0, 30.0]
        >>> EffectScaler().fit(X, y).transform(pd.DataFrame({"x": [4.0]}))
              x
        0  20.0
        """
        check_is_fitted(self)
        frame, values = _numbers(X)
        if list(frame.columns) != self.columns_:
            raise SchemaError(
                f"X has the columns {list(frame.columns)}, but was fitted on {self.columns_}"
            )
        scaled = self.slopes_ * (values - self.means_)
        return pd.DataFrame(scaled, index=frame.index, columns=frame.columns)


def _numbers(X: Any) -> tuple[pd.DataFrame, FloatArray]:
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    values = frame.to_numpy(dtype=np.float64)
    bad = frame.columns[~np.isfinite(values).all(axis=0)].tolist()
    if bad:
        raise FrameError(f"columns {bad} have missing or infinite values; treat the frame first")
    return frame, values
