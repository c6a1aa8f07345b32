"""Regressions on y-aware principal components, from the frame to the prediction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import FrameError, InvalidOptionError
from vtreat_py.base.labels import relabelled, warn_of_other_rows
from vtreat_py.estimators.base import training_frame
from vtreat_py.estimators.parameters import parameters
from vtreat_py.frames.beside import is_name
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.reading import read_outcome
from vtreat_py.outcome.weights import read_weight
from vtreat_py.plan.options import OutcomeType
from vtreat_py.yaware.linear_models import LinearModel, least_squares, logistic
from vtreat_py.yaware.pca import YAwarePCA
from vtreat_py.yaware.selection import PERMUTATION, ByPermutation
from vtreat_py.yaware.summary import PCRSummary


@dataclass(eq=False, repr=False)
class _Regression(BaseEstimator, ABC):  # type: ignore[misc]
    """Treatment, components and a linear model, as one estimator."""

    n_components: float | ByPermutation = PERMUTATION
    _: KW_ONLY
    treatment: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit treatment, components and regression.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : array of shape (n,)
            Numbers, or classes for the classifier.
        sample_weight : array of shape (n,), default=None
            Frequency weights.
        groups : array of shape (n,), default=None
            Given to the treatment: rows of one group share a fold.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a classifier is given one class only.
        """
        warn_of_other_rows({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
        source = training_frame(self, X, y)
        sample_weight, groups = relabelled(sample_weight, X), relabelled(groups, X)
        given = self._given(source, sample_weight=sample_weight, groups=groups)
        weight = read_weight(source, sample_weight)
        y = column_or_1d(y, warn=True)
        outcome_type, coded = self._coded(y, weight)
        options = self.get_params(deep=False)
        del options["treatment"]
        pca = YAwarePCA(outcome_type=outcome_type, **options)
        first: Any = pca
        treated = X
        if self.treatment is not None:  # which treats the training rows out of fold
            first = self.treatment_ = clone(self.treatment)
            treated = first.fit_transform(X, y, **given)
            if not InputFrame.of(treated).columns:
                raise FrameError(
                    f"{type(first).__name__} leaves no variable to regress on. "
                    "prune_sig=None keeps all"
                )
        self.pca_ = pca.fit(treated, coded, given.get("sample_weight"))
        self.n_features_in_ = first.n_features_in_
        if hasattr(first, "feature_names_in_"):
            self.feature_names_in_ = first.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of a frame that an earlier fit saw
        used = pca.singular_values_ > 0
        scores = pca._transformed(treated)[1][used]
        if weight is not None:
            scores[:, weight == 0] = 0.0  # they may be beyond floats
        self.model_ = self._model(source, scores, coded, weight).among(used)
        return self

    @abstractmethod
    def _coded(self, y: Any, weight: FloatArray | None) -> tuple[OutcomeType, Any]:
        """Type of the outcome that components are found for, and the outcome by number."""

    @abstractmethod
    def _model(
        self, source: InputFrame, scores: FloatArray, y: Any, weight: FloatArray | None
    ) -> LinearModel:
        """Regress the outcome by number on the components of the training rows."""

    def _given(self, source: InputFrame, **named: Any) -> dict[str, Any]:
        """Weights and groups, if there are any: values, which the treatment must take.

        Names of columns are refused, because the treatment would take those for columns to treat.
        """
        given = {name: values for name, values in named.items() if values is not None}
        for name, values in given.items():
            if is_name(values, source):
                raise InvalidOptionError(
                    f"{name}={values!r} names a column; give the values, X[{values!r}], and leave "
                    "the column out of X"
                )
            if self.treatment is not None and not has_fit_parameter(self.treatment, name):
                raise InvalidOptionError(
                    f"the treatment, {type(self.treatment).__name__}, takes no {name}; give one "
                    f"that does, or leave out {name}"
                )
        return given

    def _linear(self, X: Any) -> FloatArray:
        """Outcome or log odds of the rows of a frame, of shape (n, q)."""
        check_is_fitted(self)
        treated = X if self.treatment is None else self.treatment_.transform(X)
        return self.model_.predict(self.pca_._transformed(treated)[1])

    def _coef(self) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(self.model_.coef @ self.pca_.components_ * self.pca_.scale_)

    def _intercept(self) -> FloatArray:
        moved = self._coef() @ self.pca_.mean_
        return np.asarray(self.model_.intercept - moved)

    @property
    def variables_(self) -> list[str]:
        """Names of the derived variables that ``coef_`` is for."""
        check_is_fitted(self)
        return [str(name) for name in self.pca_._fitted_columns.columns]

    def summary(self) -> PCRSummary:
        """Describe the components, what they are made of, and what they are worth.

        Returns
        -------
        PCRSummary
            With tables of the components and of the variables; prints itself.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> random = np.random.default_rng(0)
        >>> X = pd.DataFrame(random.normal(size=(200, 3)), columns=["a", "b", "c"])
        >>> y = X["a"] + X["b"] + random.normal(size=200)
        >>> summary = vt.YAwarePCR(2, random_state=0).fit(X, y).summary()
        >>> summary.variables["coef"].round(2).to_dict()
        {'a': 0.91, 'b': 0.9, 'c': -0.0}
        """
        check_is_fitted(self)
        labels = [str(c) for c in getattr(self, "classes_", ())]
        return PCRSummary.of(self.pca_, self.model_, self.variables_, self._coef(), labels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.treatment is not None:
            tags.input_tags = get_tags(self.treatment).input_tags
        return tags


@parameters
class YAwarePCR(RegressorMixin, _Regression):  # type: ignore[misc]
    """Principal components regression on y-aware components, for a numeric outcome.

    A treatment (optional), `YAwarePCA` and a linear regression on the components, as one
    estimator. A treatment codes the training rows out of fold, as in a pipeline.

    Parameters
    ----------
    n_components : {"permutation", "significance"}, int or float, default="permutation"
        As for `YAwarePCA`. Where no component is kept, the mean outcome is predicted.
    treatment : transformer, default=None
        Turns the frame into numbers first, for instance ``NumericOutcomeTreatment()``; it is
        cloned, and its ``fit_transform`` is used. None: the frame holds finite numbers only.
    n_permutations, random_state
        As for `YAwarePCA`.

    Attributes
    ----------
    coef_ : ndarray of shape (p,)
        Coefficients of the derived variables, in their own units: the components' coefficients
        carried back through components and scaling.
    intercept_ : float
    variables_ : list of str
        Names of the derived variables.
    pca_ : YAwarePCA
    treatment_ : transformer
        Fitted; there only with a treatment.
    model_ : LinearModel
        Coefficients of the components.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    YAwarePCRClassifier : For classes.

    Notes
    -----
    The training rows are scaled by the slopes of all rows: a regression on a few components gains
    nothing from slopes out of fold (`YAwarePCA` has both), and weights count as repeated rows, to
    rounding. ``benchmarks/yaware.txt`` has the comparison.

    N. Zumel, "Principal Components Regression, Pt. 2: Y-Aware Methods" (2016).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> random = np.random.default_rng(0)
    >>> X = pd.DataFrame({"town": random.choice(["a", "b", "c"], 300),
    ...                   "size": random.normal(size=300)})
    >>> y = X["size"] + 2.0 * (X["town"] == "a") + random.normal(size=300)
    >>> treatment = vt.NumericOutcomeTreatment(coders=["clean", "catN"], random_state=0)
    >>> model = vt.YAwarePCR(2, treatment=treatment, random_state=0).fit(X, y)
    >>> pd.Series(model.coef_, model.variables_).round(1)
    town_catN    1.2
    size         1.1
    dtype: float64
    >>> model.predict(X.head(2)).round(1)
    array([-0.1, -1. ])
    """

    n_permutations: int | None = None
    random_state: Any = None

    def _coded(self, y: Any, weight: FloatArray | None) -> tuple[OutcomeType, Any]:  # noqa: ARG002
        return "numeric", y

    def _model(
        self, source: InputFrame, scores: FloatArray, y: Any, weight: FloatArray | None
    ) -> LinearModel:
        outcome = read_outcome(source, y, "numeric", None, weight)
        return least_squares(scores, np.asarray(outcome.y + outcome.centre, np.float64), weight)

    def predict(self, X: Any) -> FloatArray:
        """Predict the outcome of each row, of shape (n,).

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
            With the columns seen in fit.

        Returns
        -------
        ndarray of shape (n,)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        SchemaError
            If columns are missing, or of another type than in fit.

        Examples
        --------
        >>> import vtreat_py as vt
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> model = vt.YAwarePCR(3, random_state=0).fit(X, y)
        >>> model.predict(X.head(3)).shape
        (3,)
        """
        return self._linear(X)[:, 0]

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of the derived variables, of shape (p,)."""
        return np.asarray(self._coef()[0])

    @property
    def intercept_(self) -> float:
        """Intercept that goes with ``coef_``."""
        return float(self._intercept()[0])


@parameters
class YAwarePCRClassifier(ClassifierMixin, _Regression):  # type: ignore[misc]
    """Logistic regression on y-aware components, for an outcome of two or more classes.

    A treatment (optional), `YAwarePCA` and a logistic regression on the components, as one
    estimator. A treatment codes the training rows out of fold, as in a pipeline.

    Parameters
    ----------
    n_components : {"permutation", "significance"}, int or float, default="permutation"
        As for `YAwarePCA`. Where no component is kept, the share of each class is predicted.
    treatment : transformer, default=None
        Turns the frame into numbers first, for instance ``BinomialOutcomeTreatment()``; it is
        cloned, and its ``fit_transform`` is used. None: the frame holds finite numbers only.
    link : bool, default=False
        Scale by slopes of logistic regressions, in place of linear ones.
    n_permutations, random_state
        As for `YAwarePCA`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, p), or (n_classes, p) with more than two
        Coefficients of the derived variables, in log odds: the components' coefficients carried
        back through components and scaling.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    variables_, pca_, treatment_, model_, n_features_in_, feature_names_in_
        As of `YAwarePCR`.

    See Also
    --------
    YAwarePCR : For numbers.

    Notes
    -----
    The logistic regression has a ridge penalty too weak to change digits that matter; it gives
    separated classes a finite answer.

    Examples
    --------
    >>> import vtreat_py as vt
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = vt.YAwarePCRClassifier(3, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.94)
    True
    >>> model.coef_.shape
    (1, 30)
    """

    link: bool = False
    n_permutations: int | None = None
    random_state: Any = None

    def _coded(self, y: Any, weight: FloatArray | None) -> tuple[OutcomeType, Any]:
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        self.classes_ = np.unique(y if weight is None else y[weight > 0])
        if len(self.classes_) < 2:
            only = self.classes_.tolist()[0]
            raise ValueError(
                f"the outcome has one class in the rows that count, {only!r}; a classifier needs "
                "two or more"
            )
        # Classes that only rows of weight 0 have are none, and those rows count nowhere.
        coded = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        return "binomial" if len(self.classes_) == 2 else "multinomial", coded

    def _model(
        self,
        source: InputFrame,  # noqa: ARG002
        scores: FloatArray,
        y: Any,
        weight: FloatArray | None,
    ) -> LinearModel:
        return logistic(scores, y, len(self.classes_), weight)

    def decision_function(self, X: Any) -> FloatArray:
        """Log odds of the second class; with several classes, of each.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
            With the columns seen in fit.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)

        Raises
        ------
        NotFittedError
            Before ``fit``.
        SchemaError
            If columns are missing, or of another type than in fit.

        Examples
        --------
        >>> import vtreat_py as vt
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = vt.YAwarePCRClassifier(3, random_state=0).fit(X, y)
        >>> model.decision_function(X.head(3)).round(1)
        array([-14.4,  -9.2, -11.8])
        """
        linear = self._linear(X)
        return linear[:, 0] if len(self.classes_) == 2 else linear

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
            With the columns seen in fit.

        Returns
        -------
        ndarray of shape (n, n_classes)
            In the order of ``classes_``.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        SchemaError
            If columns are missing, or of another type than in fit.

        Examples
        --------
        >>> import vtreat_py as vt
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = vt.YAwarePCRClassifier(3, random_state=0).fit(X, y)
        >>> model.predict_proba(X.tail(2)).round(3)
        array([[1., 0.],
               [0., 1.]])
        """
        linear = self._linear(X)
        if len(self.classes_) == 2:
            return np.hstack([special.expit(-linear), special.expit(linear)])
        return np.asarray(special.softmax(linear, axis=1))

    def predict(self, X: Any) -> Any:
        """Predict the likeliest class of each row.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
            With the columns seen in fit.

        Returns
        -------
        ndarray of shape (n,)
            Of classes, as they are in y.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        SchemaError
            If columns are missing, or of another type than in fit.

        Examples
        --------
        >>> import vtreat_py as vt
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> model = vt.YAwarePCRClassifier(3, random_state=0).fit(X, y)
        >>> model.predict(X.tail(3))
        array([0, 0, 1])
        """
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[likeliest]

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of the derived variables, of shape (1, p) or (n_classes, p)."""
        return self._coef()

    @property
    def intercept_(self) -> FloatArray:
        """Intercepts that go with ``coef_``."""
        return self._intercept()
