"""What transformers of frames share: the caller's kind of frame in and out, columns remembered."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin

from vtreat_py.base.errors import FrameError, InvalidOptionError
from vtreat_py.folds.named import names_fold_column
from vtreat_py.frames.beside import is_name
from vtreat_py.frames.fitted import FittedColumns
from vtreat_py.frames.frame import InputFrame


class FrameTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that takes pandas, polars and pyarrow frames, and arrays."""

    _fitted_columns: FittedColumns
    n_features_in_: int

    def _remember_columns(self, source: InputFrame, *given: Any, by_name: bool = False) -> None:
        """Keep the names of the columns; those ``given``, and a fold column, aside."""
        cv, exposure = getattr(self, "cv", None), getattr(self, "exposure", None)
        named = (*given, cv if names_fold_column(cv) else None, exposure)
        aside = tuple(g for g in named if g is not None and is_name(g, source))
        self._fitted_columns = FittedColumns(
            owner=type(self).__name__,
            columns=tuple(c for c in source.columns if c not in aside),
            aside=aside,
            from_array=source.is_array,
            by_name=by_name,
        )
        self.n_features_in_ = len(self._fitted_columns.columns)
        names = self._fitted_columns.names
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of a frame that an earlier fit saw

    def _for_output(self, treated: Any) -> Any:
        """Hand an Arrow table over as pandas where scikit-learn, which knows none, wraps it."""
        is_wrapped = isinstance(treated, pa.Table) and _asked_of(self) != "default"
        return treated.to_pandas() if is_wrapped else treated


def training_frame(owner: object, X: Any, y: Any) -> InputFrame:
    """Wrap a frame that ``owner`` is to learn from: it must have an outcome, columns and rows."""
    if y is None:
        raise ValueError(
            f"{type(owner).__name__} requires y to be passed, but the target y is None"
        )
    source = InputFrame.of(X)
    check_columns(source, source.columns)
    if source.n_rows < 2:
        found = "1 sample (row)" if source.n_rows else "no rows"
        raise FrameError(f"the frame has {found}; a design needs at least two")
    return source


def check_columns(source: InputFrame, columns: Sequence[Hashable]) -> None:
    """Refuse a frame that has no columns to work on."""
    if not columns:
        raise FrameError(
            f"Found a frame with 0 feature(s) (shape=({source.n_rows}, 0)) while a minimum of 1 is "
            "required."
        )


def check_container(transformer: Any, sparse_output: bool) -> None:
    """Refuse a sparse matrix where ``set_output`` asks for a data frame, as scikit-learn does."""
    container = _asked_of(transformer)
    if sparse_output and container != "default":
        raise InvalidOptionError(
            f"{container.capitalize()} output does not support sparse data: set "
            'sparse_output=False, or ask for set_output(transform="default")'
        )


def _asked_of(transformer: Any) -> str:
    """The container that scikit-learn is told to give out."""
    own = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    return str(own or get_config()["transform_output"])
