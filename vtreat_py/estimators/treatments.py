"""Treatments as scikit-learn transformers, one for each type of outcome."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

from sklearn.utils import ClassifierTags

from vtreat_py.api.design import design_treatments
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import warn_of_other_rows
from vtreat_py.estimators.base import check_columns
from vtreat_py.estimators.documented import documented
from vtreat_py.estimators.parameters import ColumnParameters, OutcomeParameters, parameters
from vtreat_py.estimators.treatment import SupervisedTreatment, Treatment
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.rates import counts_and_exposures
from vtreat_py.outcome.reading import MOST_CLASSES
from vtreat_py.outcome.survival import times_and_events


@documented
@parameters
class BinomialOutcomeTreatment(OutcomeParameters, SupervisedTreatment):
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

    target: Any = None
    cat_scaling: bool = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=self.target is not None)
        return tags


@documented
@parameters
class MultinomialOutcomeTreatment(OutcomeParameters, SupervisedTreatment):
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

    y_dependent_coders: Sequence[str] | None = None
    max_classes: int = MOST_CLASSES
    cat_scaling: bool = False


@documented
@parameters
class NumericOutcomeTreatment(OutcomeParameters, SupervisedTreatment):
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

    quantile: float = 0.5


@documented
@parameters
class RateOutcomeTreatment(OutcomeParameters, SupervisedTreatment):
    """Treat a frame for counts of events, each per exposure.

    The outcome of ``fit`` is an array of counts, with ``exposure`` the name of the column of X that
    they are per, or an array of shape (n, 2), a structured array of two fields or a frame of two
    columns: counts, then exposures.

    {parameters}

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import RateOutcomeTreatment
    >>> X = pd.DataFrame({"car": ["a", "b", "c", "d"] * 10, "years": [1.0, 0.5] * 20})
    >>> claims = [0, 1, 1, 3, 1, 0, 0, 2, 0, 1, 0, 2, 1, 1, 0, 1, 0, 0, 1, 3] * 2
    >>> treatment = RateOutcomeTreatment(exposure="years", random_state=0, coders=["catR"])
    >>> treatment.fit_transform(X, claims).columns.tolist()
    ['car_catR']
    >>> treatment.transform(X.tail(1)).round(2)
        car_catR
    39      1.28
    """

    _outcome_type = "rate"

    exposure: Hashable | None = None

    def _split(self, y: Any) -> dict[str, Any]:
        count, exposure = counts_and_exposures(y)
        if exposure is None:
            return {"outcome": count}
        if self.exposure is not None:
            raise InvalidOptionError(
                f"y has exposures beside counts, and exposure={self.exposure!r} names a column of "
                "X; leave one of the two out"
            )
        return {"outcome": count, "exposure": exposure}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


@documented
@parameters
class SurvivalOutcomeTreatment(OutcomeParameters, SupervisedTreatment):
    """Treat a frame for times to an event, some of which are censored.

    The outcome of ``fit`` is a structured array of two fields (as scikit-survival has it), a frame
    of two columns, an array of shape (n, 2), a tuple of two arrays or the names of two columns of
    X: times, then whether the event was seen (booleans, wherever they stand, or 0 and 1). One array
    is of times that all ended in the event.

    {parameters}

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py import SurvivalOutcomeTreatment
    >>> X = pd.DataFrame({"ward": ["a", "b", "c", "d"] * 10})
    >>> y = pd.DataFrame({
    ...     "days": [3, 40, 8, 25, 5, 60, 11, 14, 2, 31, 9, 22, 7, 45, 16, 12, 4, 50, 13, 27] * 2,
    ...     "died": [True, False, True, True, True, True, False, True, True, True] * 4,
    ... })
    >>> treatment = SurvivalOutcomeTreatment(random_state=0, coders=["catR"])
    >>> treatment.fit_transform(X, y).columns.tolist()
    ['ward_catR']
    >>> treatment.transform(X.head(2)).round(2)
       ward_catR
    0       1.76
    1      -0.81
    """

    _outcome_type = "survival"

    def _labelled(self, y: Any) -> dict[str, Any]:
        if not isinstance(y, tuple | list):
            return {"y": y}
        return dict(zip(("times of y", "events of y"), times_and_events(y), strict=True))

    def _outcomes(self, y: Any) -> tuple[Any, ...]:
        return times_and_events(y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


@documented
@parameters
class UnsupervisedTreatment(ColumnParameters, Treatment):
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn the plan.

        Parameters
        ----------
        X : pandas, polars or pyarrow data frame, or array, of n rows
        y : ignored, default=None
            There for scikit-learn's sake.
        sample_weight : array of shape (n,), or a column name of X, default=None
            Frequency weights.

        Returns
        -------
        self

        Raises
        ------
        VtreatError
            One of its kinds, naming the column or option, what was found and what to do.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> X = pd.DataFrame({"size": [1.0, None, 3.0]})
        >>> vt.UnsupervisedTreatment().fit(X).plan_.feature_names
        ['size', 'size_isBAD']
        """
        warn_of_other_rows({"X": X, "sample_weight": sample_weight})
        options, source = self._options(), InputFrame.of(X)
        check_columns(source, source.columns)
        plan = design_treatments(
            source, outcome_type="unsupervised", sample_weight=sample_weight, **options
        )
        self._remember(source, plan, sample_weight)
        return self
