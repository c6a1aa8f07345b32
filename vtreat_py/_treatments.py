"""Treatments as scikit-learn transformers: thin shells around the plan."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from vtreat_py._design import design_treatments
from vtreat_py._design_steps import Design
from vtreat_py._errors import InvalidOptionError, SchemaError
from vtreat_py._frames import InputFrame
from vtreat_py._plan import TreatmentPlan
from vtreat_py._prepare import prepare
from vtreat_py.coders.clean import Imputer

_PARAMETERS = """
    prune_sig : float, "recommended" or None
        Which derived variables come out: those with a p-value of at most this, the recommended
        ones (default), or all.
    scale : bool
        y-aware scaling of the output.
    collar : bool
        Clip cleaned numbers to the range seen at design.
    variables, cv, random_state, ..., progress
        As for `design_treatments`.

    Attributes
    ----------
    plan_ : TreatmentPlan
        What was learned on all rows.
    score_frame_ : DataFrame
        The plan's score frame.
    feature_names_in_ : ndarray of str
        Columns of the frame, when all have text names.
    n_features_in_ : int
        Number of columns of the frame.
"""


class _Treatment(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the treatments share."""

    _outcome_type: str
    plan_: TreatmentPlan

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = self.get_params(deep=False)
        for name in ("prune_sig", "scale", "collar"):
            options.pop(name, None)
        return options

    def _select(self) -> dict[str, Any]:
        names = ("prune_sig", "scale", "collar")
        parameters = self.get_params(deep=False)
        return {name: parameters[name] for name in names if name in parameters}

    def _remember(self, X: Any, plan: TreatmentPlan) -> None:
        columns = InputFrame.of(X).columns
        self.plan_ = plan
        self.n_features_in_ = len(columns)
        if not isinstance(X, np.ndarray) and all(isinstance(c, str) for c in columns):
            self.feature_names_in_ = np.array(columns, dtype=object)

    @property
    def score_frame_(self) -> pd.DataFrame:
        """The plan's score frame."""
        check_is_fitted(self)
        return self.plan_.score_frame

    def transform(self, X: Any) -> Any:
        """Treat a frame by the fitted plan.

        For new rows. The rows the treatment was fitted on are treated by ``fit_transform``;
        here their codes would have seen their own outcomes, and a warning says so.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array of shape (n, n_features_in_)

        Returns
        -------
        frame of the same kind, n rows
        """
        check_is_fitted(self)
        columns = InputFrame.of(X).columns
        if isinstance(X, np.ndarray) and len(columns) != self.n_features_in_:
            raise SchemaError(
                f"X has {len(columns)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return prepare(self.plan_, X, **self._select())

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002
        """Names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : ignored
            Present for the convention of scikit-learn.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        chosen = self.plan_.select(self._select().get("prune_sig"))
        return np.array([v.name for v in chosen], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self._outcome_type != "unsupervised"
        return tags


class _SupervisedTreatment(_Treatment):
    """Treatments that see an outcome."""

    def _design(self, X: Any, y: Any, sample_weight: Any, groups: Any, scaled: bool) -> Design:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        return Design.checked(
            frame=X,
            outcome=y,
            outcome_type=self._outcome_type,
            sample_weight=sample_weight,
            groups=groups,
            scaled=scaled,
            **self._options(),
        )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the plan.

        To treat the training rows themselves, use ``fit_transform``.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : array of shape (n,), or a column name of X
        sample_weight : array of shape (n,), or a column name of X
            Frequency weights.
        groups : array of shape (n,), or a column name of X
            Rows of one group share a fold.

        Returns
        -------
        self
        """
        design = self._design(X, y, sample_weight, groups, scaled=False)
        self._remember(X, design.plan(design.learn()))
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Any:
        """Learn the plan, and treat the training rows out of fold: the cross-frame.

        Not the same as ``fit`` followed by ``transform``, which would code each row by its own
        outcome too.

        Parameters
        ----------
        X, y, sample_weight, groups
            As for ``fit``.

        Returns
        -------
        frame of the same kind as X, n rows

        Raises
        ------
        InvalidOptionError
            If ``cv`` leaves rows out of all application sets.
        """
        select = {"prune_sig": None, "collar": False, "scale": False} | self._select()
        design = self._design(X, y, sample_weight, groups, scaled=bool(select["scale"]))
        if not design.context.folds.applies_once:
            raise InvalidOptionError(
                "fit_transform must return every row once, but cv leaves some out of all "
                "application sets, or has some in several; use another cv, or "
                "cross_frame_experiment"
            )
        learned = design.learn()
        plan = design.plan(learned)
        self._remember(X, plan)
        return design.cross_frame(plan, learned, **select).cross_frame


class BinomialOutcomeTreatment(_SupervisedTreatment):
    __doc__ = f"""Treat a frame for an outcome of two classes, or one class against the others.

    Parameters
    ----------
    target : object
        The positive class; None: the last of two in sorted order.{_PARAMETERS}
    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import BinomialOutcomeTreatment
    >>> X = pd.DataFrame({{"x": ["a", "b"] * 10 + ["a", "c"] * 10}})
    >>> y = [0, 1, 0, 1, 1, 1, 0, 0, 0, 1] * 4
    >>> treatment = BinomialOutcomeTreatment(random_state=0, prune_sig=None, coders=["lev"])
    >>> treatment.fit_transform(X, y).head(2)
       x_lev_x_a  x_lev_x_b  x_lev_x_c
    0        1.0        0.0        0.0
    1        0.0        1.0        0.0
    """

    _outcome_type = "binomial"

    def __init__(
        self,
        *,
        target: Any = None,
        variables: Sequence[Hashable] | None = None,
        cv: Any = None,
        random_state: Any = None,
        min_fraction: float = 0.02,
        smoothing: float | str = "auto",
        rare_count: float = 0,
        rare_sig: float | None = None,
        collar_prob: float = 0.0,
        coders: Sequence[str] | None = None,
        cat_scaling: bool = False,
        imputation: Imputer = "mean",
        imputation_map: Mapping[Hashable, Imputer] | None = None,
        significance: str = "classic",
        force_split: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
        prune_sig: float | str | None = "recommended",
        scale: bool = False,
        collar: bool = False,
    ) -> None:
        self.target = target
        self.variables = variables
        self.cv = cv
        self.random_state = random_state
        self.min_fraction = min_fraction
        self.smoothing = smoothing
        self.rare_count = rare_count
        self.rare_sig = rare_sig
        self.collar_prob = collar_prob
        self.coders = coders
        self.cat_scaling = cat_scaling
        self.imputation = imputation
        self.imputation_map = imputation_map
        self.significance = significance
        self.force_split = force_split
        self.n_jobs = n_jobs
        self.progress = progress
        self.prune_sig = prune_sig
        self.scale = scale
        self.collar = collar


class NumericOutcomeTreatment(_SupervisedTreatment):
    __doc__ = f"""Treat a frame for a numeric outcome.

    Parameters
    ----------{_PARAMETERS}
    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import NumericOutcomeTreatment
    >>> X = pd.DataFrame({{"x": ["a", "b", "c", "d"] * 10}})
    >>> y = [1.0, 2.0, 3.0, 4.0, 1.5, 2.5, 3.5, 4.5] * 5
    >>> treatment = NumericOutcomeTreatment(random_state=0, coders=["catN"])
    >>> treatment.fit_transform(X, y).columns.tolist()
    ['x_catN']
    >>> treatment.transform(X.tail(1)).round(2)
        x_catN
    39    1.49
    """

    _outcome_type = "numeric"

    def __init__(
        self,
        *,
        variables: Sequence[Hashable] | None = None,
        cv: Any = None,
        random_state: Any = None,
        min_fraction: float = 0.02,
        smoothing: float | str = "auto",
        rare_count: float = 0,
        rare_sig: float | None = None,
        collar_prob: float = 0.0,
        coders: Sequence[str] | None = None,
        imputation: Imputer = "mean",
        imputation_map: Mapping[Hashable, Imputer] | None = None,
        significance: str = "classic",
        force_split: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
        prune_sig: float | str | None = "recommended",
        scale: bool = False,
        collar: bool = False,
    ) -> None:
        self.variables = variables
        self.cv = cv
        self.random_state = random_state
        self.min_fraction = min_fraction
        self.smoothing = smoothing
        self.rare_count = rare_count
        self.rare_sig = rare_sig
        self.collar_prob = collar_prob
        self.coders = coders
        self.imputation = imputation
        self.imputation_map = imputation_map
        self.significance = significance
        self.force_split = force_split
        self.n_jobs = n_jobs
        self.progress = progress
        self.prune_sig = prune_sig
        self.scale = scale
        self.collar = collar


class UnsupervisedTreatment(_Treatment):
    __doc__ = f"""Treat a frame without an outcome: numbers, marks, indicators and prevalence.

    No code sees an outcome, so ``fit_transform`` is ``fit`` followed by ``transform``.

    Parameters
    ----------{_PARAMETERS[_PARAMETERS.index("    collar : bool") - 1 :]}
    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import UnsupervisedTreatment
    >>> X = pd.DataFrame({{"z": [1.0, None, 3.0]}})
    >>> UnsupervisedTreatment().fit_transform(X)
         z  z_isBAD
    0  1.0      0.0
    1  2.0      1.0
    2  3.0      0.0
    """

    _outcome_type = "unsupervised"

    def __init__(
        self,
        *,
        variables: Sequence[Hashable] | None = None,
        min_fraction: float = 0.02,
        rare_count: float = 0,
        collar_prob: float = 0.0,
        coders: Sequence[str] | None = None,
        imputation: Imputer = "mean",
        imputation_map: Mapping[Hashable, Imputer] | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
        collar: bool = False,
    ) -> None:
        self.variables = variables
        self.min_fraction = min_fraction
        self.rare_count = rare_count
        self.collar_prob = collar_prob
        self.coders = coders
        self.imputation = imputation
        self.imputation_map = imputation_map
        self.n_jobs = n_jobs
        self.progress = progress
        self.collar = collar

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn the plan.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : ignored
        sample_weight : array of shape (n,), or a column name of X
            Frequency weights.

        Returns
        -------
        self
        """
        plan = design_treatments(
            X, outcome_type="unsupervised", sample_weight=sample_weight, **self._options()
        )
        self._remember(X, plan)
        return self
