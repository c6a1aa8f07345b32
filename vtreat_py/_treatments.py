"""Treatments as scikit-learn transformers, one for each type of outcome."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

from sklearn.utils import ClassifierTags

from vtreat_py._design import design_treatments
from vtreat_py._documented import documented
from vtreat_py._estimator import SupervisedTreatment, Treatment
from vtreat_py._pruning import SIG
from vtreat_py.coders.clean import Imputer


@documented
class BinomialOutcomeTreatment(SupervisedTreatment):
    """Treat a frame for an outcome of two classes, or one class against the others.

    {parameters}

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import BinomialOutcomeTreatment
    >>> X = pd.DataFrame({"x": ["a", "b"] * 10 + ["a", "c"] * 10})
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
        significance: str = "calibrated",
        force_split: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
        prune_sig: float | str | None = "recommended",
        prune_by: str = SIG,
        scale: bool = False,
        collar: bool = False,
        sparse_output: bool = False,
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
        self.prune_by = prune_by
        self.scale = scale
        self.collar = collar
        self.sparse_output = sparse_output

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=self.target is not None)
        return tags


@documented
class MultinomialOutcomeTreatment(SupervisedTreatment):
    """Treat a frame for an outcome of several classes.

    Impact codes are built for each class against all others, and named after it; all other codes
    are built once (see ``y_dependent_coders``). ``score_frame_`` has a row for each class that a
    variable is scored for (``outcome_target``); a variable is recommended if it is for one class.

    {parameters}

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import MultinomialOutcomeTreatment
    >>> X = pd.DataFrame({"x": ["a", "b", "c", "a", "b", "c"] * 10})
    >>> y = ["cold", "mild", "hot", "mild", "mild", "hot"] * 10
    >>> treatment = MultinomialOutcomeTreatment(random_state=0, prune_sig=None, coders=["catB"])
    >>> treatment.fit_transform(X, y).columns.tolist()
    ['cold_x_catB', 'hot_x_catB', 'mild_x_catB']
    >>> treatment.score_frame_[["variable", "outcome_target", "recommended"]]
          variable outcome_target  recommended
    0  cold_x_catB           cold         True
    1   hot_x_catB            hot         True
    2  mild_x_catB           mild         True
    """

    _outcome_type = "multinomial"

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
        y_dependent_coders: Sequence[str] | None = None,
        cat_scaling: bool = False,
        imputation: Imputer = "mean",
        imputation_map: Mapping[Hashable, Imputer] | None = None,
        significance: str = "calibrated",
        force_split: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
        prune_sig: float | str | None = "recommended",
        prune_by: str = SIG,
        scale: bool = False,
        collar: bool = False,
        sparse_output: bool = False,
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
        self.y_dependent_coders = y_dependent_coders
        self.cat_scaling = cat_scaling
        self.imputation = imputation
        self.imputation_map = imputation_map
        self.significance = significance
        self.force_split = force_split
        self.n_jobs = n_jobs
        self.progress = progress
        self.prune_sig = prune_sig
        self.prune_by = prune_by
        self.scale = scale
        self.collar = collar
        self.sparse_output = sparse_output


@documented
class NumericOutcomeTreatment(SupervisedTreatment):
    """Treat a frame for a numeric outcome.

    {parameters}

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import NumericOutcomeTreatment
    >>> X = pd.DataFrame({"x": ["a", "b", "c", "d"] * 10})
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
        significance: str = "calibrated",
        force_split: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
        prune_sig: float | str | None = "recommended",
        prune_by: str = SIG,
        scale: bool = False,
        collar: bool = False,
        sparse_output: bool = False,
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
        self.prune_by = prune_by
        self.scale = scale
        self.collar = collar
        self.sparse_output = sparse_output


@documented
class UnsupervisedTreatment(Treatment):
    """Treat a frame without an outcome: numbers, marks, indicators and prevalence.

    No code sees an outcome, so ``fit_transform`` is ``fit`` followed by ``transform``.

    {parameters}

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import UnsupervisedTreatment
    >>> X = pd.DataFrame({"z": [1.0, None, 3.0]})
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
        sparse_output: bool = False,
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
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn the plan.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : ignored
            There for scikit-learn's sake.
        sample_weight : array of shape (n,), or a column name of X
            Frequency weights.

        Returns
        -------
        self
        """
        source = self._read(X)
        plan = design_treatments(
            source, outcome_type="unsupervised", sample_weight=sample_weight, **self._options()
        )
        self._remember(source, plan, sample_weight)
        return self
