"""The four treatments."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from vtreat_py.compat._parameters import unsupervised_parameters
from vtreat_py.compat._transformer import Treatment
from vtreat_py.estimators.parameters import parameters

_COMMON = """
    cols_to_copy : list of column names, default=None
        Columns to put unchanged before the treated ones, in frames that have them.
    params : dict, default=None
        See `vtreat_parameters`.
    imputation_map : dict from column name to number or function, default=None
        What stands for bad numbers of a column, instead of ``missingness_imputation``.

    Attributes
    ----------
    score_frame_ : DataFrame
        A row for each derived variable: ``variable``, ``orig_variable``, ``treatment``,
        ``y_aware``, ``has_range``, ``PearsonR``, ``R2``, ``significance``, ``vcount``,
        ``default_threshold``, ``recommended``.
    plan_ : TreatmentPlan
        The plan behind it, in this package's own words.
    cross_plan_ : list of dict or None
        The folds, as row numbers under ``"train"`` and ``"app"``.
"""
_OUTCOME = """var_list : list of column names, default=None
        The columns to treat; None: all but the outcome and ``cols_to_copy``.
    outcome_name : column name, default=None
        The outcome; it is not treated. With it, ``fit(X)`` takes y from X, and frames that have
        the column come out with it, unchanged.

        A model must not be trained on it: give scikit-learn's pipelines X without that column."""


@parameters
class BinomialOutcomeTreatment(Treatment):
    __doc__ = f"""Treat a frame for an outcome of two classes, or one class against the others.

    Parameters
    ----------
    {_OUTCOME}
    outcome_target : object, default=None
        The positive class; None: the last of two in sorted order.{_COMMON}
    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py.compat as vtreat
    >>> d = pd.DataFrame({{"x": ["a", "b"] * 10 + ["c", None] * 10, "y": [0, 0, 1, 1, 1] * 8}})
    >>> treatment = vtreat.BinomialOutcomeTreatment(
    ...     outcome_name="y", outcome_target=1,
    ...     params=vtreat.vtreat_parameters(
    ...         {{"filter_to_recommended": False, "coders": {{"indicator_code"}}}}))
    >>> treatment.fit_transform(d).head(2)
       y  x_lev__NA_  x_lev_a  x_lev_b  x_lev_c
    0  0         0.0      1.0      0.0      0.0
    1  0         0.0      0.0      1.0      0.0
    """

    _outcome_type = "binomial"

    var_list: Iterable[Hashable] | None = None
    outcome_name: Hashable | None = None
    outcome_target: Any = None
    cols_to_copy: Iterable[Hashable] | None = None
    params: Mapping[str, Any] | None = None
    imputation_map: Mapping[Hashable, Any] | None = None


@parameters
class _OutcomeTreatment(Treatment):
    """What treatments take whose outcome has no target."""

    var_list: Iterable[Hashable] | None = None
    outcome_name: Hashable | None = None
    cols_to_copy: Iterable[Hashable] | None = None
    params: Mapping[str, Any] | None = None
    imputation_map: Mapping[Hashable, Any] | None = None


@parameters
class NumericOutcomeTreatment(_OutcomeTreatment):
    __doc__ = f"""Treat a frame for a numeric outcome.

    Parameters
    ----------
    {_OUTCOME}{_COMMON}
    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py.compat as vtreat
    >>> d = pd.DataFrame({{"x": ["a", "b", "c", "d"] * 10, "y": [1.0, 2.0, 3.0, 4.5] * 10}})
    >>> treatment = vtreat.NumericOutcomeTreatment(outcome_name="y")
    >>> treatment.fit(d).score_frame_[["variable", "treatment"]].head(2)
            variable       treatment
    0  x_impact_code     impact_code
    1        x_lev_a  indicator_code
    >>> treatment.transform(pd.DataFrame({{"x": ["d"]}}))[["x_impact_code"]].round(2)
       x_impact_code
    0           1.88
    """

    _outcome_type = "numeric"


@parameters
class MultinomialOutcomeTreatment(_OutcomeTreatment):
    __doc__ = f"""Treat a frame for an outcome of several classes.

    Parameters
    ----------
    {_OUTCOME}{_COMMON}
    Notes
    -----
    The score frame has a row for each variable and class, told apart by its column
    ``outcome_target``; a variable comes out when it is recommended for some class.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py.compat as vtreat
    >>> d = pd.DataFrame({{"x": ["a", "b", "c", "d"] * 30, "y": ["p", "q", "r", "r"] * 30}})
    >>> treatment = vtreat.MultinomialOutcomeTreatment(outcome_name="y")
    >>> codes = treatment.fit_transform(d).columns
    >>> codes[codes.str.contains("logit")].tolist()
    ['x_logit_code_p', 'x_logit_code_q', 'x_logit_code_r']
    """

    _outcome_type = "multinomial"


@parameters
class UnsupervisedTreatment(Treatment):
    """Treat a frame without an outcome: numbers, marks, indicators and prevalence.

    No code sees an outcome, so ``fit_transform`` is ``fit`` followed by ``transform``.

    Parameters
    ----------
    var_list : list of column names, default=None
        The columns to treat; None: all but ``cols_to_copy``.
    cols_to_copy : list of column names, default=None
        Columns to put unchanged before the treated ones, in frames that have them.
    params : dict, default=None
        See `unsupervised_parameters`.
    imputation_map : dict from column name to number or function, default=None
        What stands for bad numbers of a column, instead of ``missingness_imputation``.

    Attributes
    ----------
    score_frame_ : DataFrame
        A row for each derived variable: ``variable``, ``orig_variable``, ``treatment``,
        ``y_aware``, ``has_range``, ``PearsonR``, ``significance``, ``recommended``, ``vcount``.
    plan_ : TreatmentPlan
        The plan behind it, in this package's own words.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py.compat as vtreat
    >>> d = pd.DataFrame({"z": [1.0, None, 3.0], "x": ["a", "b", None]})
    >>> vtreat.UnsupervisedTreatment().fit_transform(d)
       z_is_bad  x_is_bad    z  x_lev__NA_  x_lev_a  x_lev_b
    0       0.0       0.0  1.0         0.0      1.0      0.0
    1       1.0       0.0  2.0         0.0      0.0      1.0
    2       0.0       1.0  3.0         1.0      0.0      0.0
    """

    _outcome_type = "unsupervised"
    _all_params = staticmethod(unsupervised_parameters)

    var_list: Iterable[Hashable] | None = None
    cols_to_copy: Iterable[Hashable] | None = None
    params: Mapping[str, Any] | None = None
    imputation_map: Mapping[Hashable, Any] | None = None
