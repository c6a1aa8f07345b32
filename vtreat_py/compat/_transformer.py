"""What the four treatments share: a scikit-learn transformer around what was learned."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    SchemaError,
)
from vtreat_py.base.labels import relabelled, warn_of_other_rows
from vtreat_py.base.warn import warn
from vtreat_py.compat._codes import Variable
from vtreat_py.compat._frames import check_same_outcome, named_as, read_frame, read_vector
from vtreat_py.compat._learning import Request, learn
from vtreat_py.compat._parameters import tunable, vtreat_parameters
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.options import OutcomeType


class Treatment(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the treatments share."""

    _outcome_type: ClassVar[OutcomeType]
    _all_params = staticmethod(vtreat_parameters)
    params: Mapping[str, Any] | None

    def _learn(self, X: Any, y: Any, weight: Any) -> tuple[InputFrame, Any]:
        """Learn, and return the training frame and its variables out of fold."""
        params = self._all_params(self.params)
        source = read_frame(X)
        given = self.get_params(deep=False)
        warn_of_other_rows({"X": X, "y": y, "sample_weight": weight})
        outcome = relabelled(self._outcome(source, y, given.get("outcome_name")), X)
        values = None if outcome is None else read_vector(outcome, source.n_rows)
        if values is not None and y is not None:
            check_same_outcome(source, given["outcome_name"], values)
        request = Request(
            source=source,
            outcome_type=self._outcome_type,
            y=values,
            outcome=outcome,
            weight=relabelled(weight, X),
            **(given | {"params": params}),
        )
        self._learned, crossed = learn(request)
        self.plan_: TreatmentPlan = self._learned.plan
        self.score_frame_: pd.DataFrame = self._learned.score_frame
        self.cross_plan_ = self._learned.cross_plan
        recommended = self.score_frame_.loc[self.score_frame_["recommended"], "variable"]
        filtered = params.get("filter_to_recommended", False)
        self.result_restriction_: set[str] | None = set(recommended) if filtered else None
        self._copied = [str(c) for c in self._learned.copied_from(source.columns)]
        self.n_features_in_ = len(source.columns)
        if not source.is_array and all(isinstance(c, str) for c in source.columns):
            self.feature_names_in_ = np.array(source.columns, dtype=object)
        return source, crossed

    def _outcome(self, source: InputFrame, y: Any, name: Hashable | None) -> Any:
        if self._outcome_type == "unsupervised":
            return None
        if y is not None:
            return y
        if name is None:
            raise OutcomeError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; give "
                "fit(X, y), or name the outcome's column with outcome_name="
            )
        if name not in source.columns:
            raise FrameError(f"outcome_name={name!r} is not a column of X, and y is not given")
        return source.series(name).to_native()

    def _chosen(self) -> list[Variable]:
        """The variables that come out."""
        only = self.result_restriction_
        return [v for v in self._learned.variables if only is None or v.name in only]

    def _finished(self, source: InputFrame, treated: Any) -> Any:
        sparse = self._all_params(self.params)["sparse_indicators"]
        return self._learned.finish(source, treated, self._chosen(), sparse)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn how to treat a frame.

        To treat the training rows themselves, use ``fit_transform``.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : array of shape (n,), default=None
            None: the column ``outcome_name`` of X.
        sample_weight : array of shape (n,), default=None
            Frequency weights. User transforms do not see them.

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.fit(d).score_frame_["variable"].tolist()
        ['x_impact_code', 'x_lev_a', 'x_lev_b', 'x_lev_c', 'x_lev_d']
        """
        self._learn(X, y, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn, and treat the training rows, each by what the other folds know.

        Not the same as ``fit`` followed by ``transform``, which would code each row by its own
        outcome too.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``.

        Returns
        -------
        frame of the same kind, or array, n rows
            Columns to copy, the outcome if X has it, then the derived variables.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.fit_transform(d)[["y", "x_lev_a", "x_lev_b"]].head(2)
             y  x_lev_a  x_lev_b
        0  1.0      1.0      0.0
        1  2.0      0.0      1.0
        """
        source, crossed = self._learn(X, y, sample_weight)
        if crossed is None:
            crossed = self._learned.treat(source, self._chosen())
        elif len(crossed) < source.n_rows:
            raise InvalidOptionError(
                "fit_transform must return every row, but the cross_validation_plan leaves some "
                'out of all "app" parts; use a plan that covers them, or fit'
            )
        return self._finished(source, crossed)

    def transform(self, X: Any) -> Any:
        """Treat new rows.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array
            With the columns the treatment was fitted on; others are ignored.

        Returns
        -------
        frame of the same kind, or array
            Columns to copy that X has, the outcome if X has it, then the derived variables.

        Raises
        ------
        FrameError
            If X is the training frame and ``error_on_duplicate_frames`` is set; otherwise a
            warning says so.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.fit(d).transform(pd.DataFrame({"x": ["d", "e"]}))[["x_lev_a", "x_lev_d"]]
           x_lev_a  x_lev_d
        0      0.0      1.0
        1      0.0      0.0
        """
        check_is_fitted(self)
        source = named_as(read_frame(X), self._learned.read_in)
        if source.is_array and len(source.columns) != self.n_features_in_:
            raise SchemaError(
                f"X has {len(source.columns)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        self._check_training_frame(source)
        return self._finished(source, self._learned.treat(source, self._chosen()))

    def _check_training_frame(self, source: InputFrame) -> None:
        params = self._all_params(self.params)
        if not (params.get("check_for_duplicate_frames") and self._learned.was_designed_on(source)):
            return
        message = (
            "this looks like the frame the treatment was fitted on: its codes have seen these "
            "rows' own outcomes, and a model trained on them over-fits. Train on fit_transform, "
            "which codes each row from the other folds"
        )
        if params["error_on_duplicate_frames"]:
            raise FrameError(message)
        warn(message)

    def get_result_restriction(self) -> set[str] | None:
        """Names of the variables that ``transform`` is restricted to; None: all come out.

        After ``fit`` these are the recommended ones, if ``filter_to_recommended`` is set.

        Returns
        -------
        set of str or None

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> sorted(treatment.fit(d).get_result_restriction())
        ['x_impact_code', 'x_lev_a', 'x_lev_b', 'x_lev_d']
        """
        check_is_fitted(self)
        return None if self.result_restriction_ is None else set(self.result_restriction_)

    def set_result_restriction(self, new_vars: Iterable[str] | None) -> None:
        """Choose the variables that come out; None: all.

        Parameters
        ----------
        new_vars : iterable of str or None
            Names out of ``score_frame_["variable"]``.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.fit(d).set_result_restriction(["x_lev_a"])
        >>> treatment.transform(pd.DataFrame({"x": ["d"]})).columns.tolist()
        ['x_lev_a']
        """
        check_is_fitted(self)
        if new_vars is None:
            self.result_restriction_ = None
            return
        if isinstance(new_vars, str):
            raise OptionTypeError(f"new_vars={new_vars!r} must be a list of names")
        wanted = list(new_vars)
        known = [v.name for v in self._learned.variables]
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise InvalidOptionError(
                f"new_vars names {unknown}, which are not derived; score_frame_ lists what is"
            )
        self.result_restriction_ = set(wanted)

    def get_feature_names(self, input_features: Any = None) -> list[str]:  # noqa: ARG002
        """Names of the derived variables that come out, each once; no copied columns.

        Parameters
        ----------
        input_features : ignored, default=None
            There for scikit-learn's sake.

        Returns
        -------
        list of str

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.fit(d).get_feature_names()[:2]
        ['x_impact_code', 'x_lev_a']
        """
        check_is_fitted(self)
        return [v.name for v in self._chosen()]

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of all columns that come out: copied ones, the outcome, then derived variables.

        For frames that have those of the columns to copy and the outcome that the training frame
        had.

        Parameters
        ----------
        input_features : ignored, default=None
            There for scikit-learn's sake.

        Returns
        -------
        ndarray of str

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.fit(d).get_feature_names_out()[:2].tolist()
        ['y', 'x_impact_code']
        """
        return np.array([*self._copied, *self.get_feature_names(input_features)], dtype=object)

    def description_matrix(self) -> pd.DataFrame:
        """Lay out the derived variables as a table, a row for each value that is replaced.

        Returns
        -------
        DataFrame
            ``treatment_class``, ``treatment``, ``orig_var``, ``orig_was_numeric``,
            ``variable``, ``value`` (None: missing) and ``replacement``. Variables that user
            transforms make are not in it: they are code, not a table.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> table = treatment.fit(d).description_matrix()
        >>> table[["variable", "value", "replacement"]].round(2).head(4)
                variable value  replacement
        0  x_impact_code     a        -1.62
        1  x_impact_code     b        -0.62
        2  x_impact_code     c         0.38
        3  x_impact_code     d         1.88
        """
        check_is_fitted(self)
        return self._learned.described()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments and, with ``deep``, the tunable ``params``.

        Parameters
        ----------
        deep : bool, default=True
            Whether the tunable ``params`` are among them.

        Returns
        -------
        dict

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.get_params()["indicator_min_fraction"]
        0.02
        """
        given: dict[str, Any] = super().get_params(deep=False)
        return given | tunable(self.params, self._all_params()) if deep else given

    def set_params(self, **given: Any) -> Self:
        """Set the constructor's arguments and the tunable ``params``, by name.

        Parameters
        ----------
        **given
            Arguments of the constructor, and tunable ``params``.

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py.compat as vtreat
        >>> d = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10})
        >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
        >>> treatment.set_params(indicator_min_fraction=0.1).get_params()["indicator_min_fraction"]
        0.1
        """
        if "params" in given:
            self.params = given.pop("params")
        shown = tunable(self.params, self._all_params())
        changed = {name: given.pop(name) for name in list(given) if name in shown}
        if changed:
            self.params = {**(self.params or {}), **changed}
        super().set_params(**given)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self._outcome_type != "unsupervised"
        return tags
