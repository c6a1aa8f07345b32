"""Variable importance: a design, of which only the scores of whole columns are kept."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from vtreat_py.api.design import design_treatments
from vtreat_py.base.by_name import options_by_name
from vtreat_py.coders import codes
from vtreat_py.coders.clean import Imputer
from vtreat_py.coders.custom import CustomCoder
from vtreat_py.coders.prior import Smoothing
from vtreat_py.coders.shape_code import ShapeCode
from vtreat_py.design.checks import Calendar
from vtreat_py.outcome.rates import counts_events, type_asked
from vtreat_py.outcome.reading import MOST_CLASSES
from vtreat_py.outcome.weights import WeightKind
from vtreat_py.plan.options import CLASSIC, OutcomeType, Significance


@options_by_name("variable_importance(frame, outcome='y')")
def variable_importance(
    frame: Any,
    *,
    outcome: Any,
    outcome_type: OutcomeType | None = None,
    target: Any = None,
    exposure: Any = None,
    variables: Sequence[Hashable] | None = None,
    categorical: Sequence[Hashable] = (),
    missing_values: Sequence[str] = (),
    sample_weight: Any = None,
    weight_kind: WeightKind = "frequency",
    groups: Any = None,
    cv: Any = None,
    random_state: Any = None,
    row_id: Hashable | None = None,
    calendar: Calendar = "auto",
    composites: Sequence[tuple[Hashable, ...]] = (),
    hierarchies: Mapping[Hashable, Hashable] | None = None,
    min_fraction: float = 0.02,
    smoothing: Smoothing = "auto",
    rare_count: float = 0,
    rare_sig: float | None = None,
    quantile: float = 0.5,
    coders: Sequence[str] | None = None,
    custom_coders: Mapping[str, CustomCoder] | None = None,
    y_dependent_coders: Sequence[str] | None = None,
    max_classes: int = MOST_CLASSES,
    imputation: Imputer = "mean",
    imputation_map: Mapping[Hashable, Imputer] | None = None,
    significance: Significance = "calibrated",
    force_split: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Rank the columns of a frame by how much each says of the outcome, alone.

    A column says what the best of its codes says: a number may do it by its value or by being
    missing, text by its levels. Where there is a plan already, ``plan.variable_importance()``
    gives the same table without another look at the rows.

    Parameters
    ----------
    frame
        As for `design_treatments`.
    outcome : column name or array of shape (n,)
        What is to be predicted.
    outcome_type, target, exposure, variables, categorical, missing_values
        As for `design_treatments`.
    sample_weight, weight_kind
        As for `design_treatments`.
    groups, cv, random_state, row_id, calendar, composites, hierarchies, min_fraction
        As there.
    smoothing, rare_count, rare_sig, quantile
        As there.
    coders
        As there: the codes that are tried; None: all that apply, shapes of numbers among them (with
        ``significance="classic"`` without those).
    custom_coders, y_dependent_coders, max_classes, imputation, imputation_map, significance
        As there.
    force_split
        As there. True takes ``rsq`` of all codes from rows that they have not seen, not only that
        of the codes that need it.
    n_jobs, progress
        As there.

    Returns
    -------
    pandas.DataFrame
        A row for each column to treat, also those that nothing can be made of; the largest ``rsq``
        first. Its columns:

        variable
            The input column, or a part of one of dates (see ``calendar``).
        rsq
            The largest share of variance (of deviance, for classes) that one of its codes explains
            alone; out of fold for codes that look at the outcome. 0 without a code.
        sig
            ``min(1, smallest sig of its codes x count)``: Bonferroni's bound on the probability
            that a column which says nothing does so well. 1 without a code. It knows nothing of
            the number of columns: compare it with a level over that number.
        count
            Number of tests of the column: its derived variables (with several classes: one for
            each class that they are scored for) and codes that were tried and dropped, because the
            outcome differs between levels no more than chance makes it. The two indicators of a
            column of two levels are one; so are a number and its shapes, whose ``sig`` is of the
            same question. 0 for columns that nothing can be made of, such as
            constant ones.

    Raises
    ------
    VtreatError
        One of its kinds, naming the column or option, what was found and what to do.

    See Also
    --------
    vtreat_py.plots.importance : Draws the table.
    TreatmentPlan.score_frame : The scores of each code.

    Notes
    -----
    The rule is that of R vtreat's ``value_variables`` and ``variable_values``. Different are: all
    columns are there (R loses those whose codes have ``sig`` 1 or do not vary); the p-values count
    all tests that were made (R those that came out well enough to be kept); and each code is tested
    as ``significance`` says, unless that is "classic".

    What a column says together with others is not looked at: two columns that say the same are both
    important, and one that matters only beside another is not.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> rng = np.random.default_rng(0)
    >>> town = rng.choice(["Ayr", "Bath", "Cork", "Deal"], 200)
    >>> frame = pd.DataFrame({"noise": rng.normal(size=200), "town": town})
    >>> price = 2.0 * (town == "Bath") + rng.normal(size=200)
    >>> vt.variable_importance(frame, outcome=price, random_state=0).round(3)
      variable    rsq  sig  count
    0     town  0.448  0.0      7
    1    noise  0.008  1.0      2
    """
    if coders is None:
        coders = _with_shapes(significance, custom_coders)
        if coders is not None and counts_events(outcome_type, exposure):
            coders = codes.with_impact(coders, type_asked(outcome_type, exposure))
    plan = design_treatments(
        frame,
        outcome=outcome,
        outcome_type=outcome_type,
        target=target,
        exposure=exposure,
        variables=variables,
        categorical=categorical,
        missing_values=missing_values,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        groups=groups,
        cv=cv,
        random_state=random_state,
        row_id=row_id,
        calendar=calendar,
        composites=composites,
        hierarchies=hierarchies,
        min_fraction=min_fraction,
        smoothing=smoothing,
        rare_count=rare_count,
        rare_sig=rare_sig,
        quantile=quantile,
        coders=coders,
        custom_coders=custom_coders,
        y_dependent_coders=y_dependent_coders,
        max_classes=max_classes,
        imputation=imputation,
        imputation_map=imputation_map,
        significance=significance,
        force_split=force_split,
        n_jobs=n_jobs,
        progress=progress,
    )
    return plan.variable_importance()


def _with_shapes(significance: str, own: Any) -> tuple[str, ...] | None:
    """The codes that are tried; R's shapes take rows, so that one has to name them."""
    if significance == CLASSIC:
        return None
    ours = codes.names(c for c in codes.CODES if c.by_default or isinstance(c, ShapeCode))
    return (*ours, *(own if isinstance(own, Mapping) else ()))
