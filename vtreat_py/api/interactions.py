"""Interactions: what pairs of columns say of the outcome beyond the two columns alone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.api.design import design_with
from vtreat_py.base.arrays import objects
from vtreat_py.base.by_name import options_by_name
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.memory.interactions import InteractionSearch, PairScore
from vtreat_py.outcome.reading import MOST_CLASSES
from vtreat_py.outcome.weights import WeightKind
from vtreat_py.plan.options import OutcomeType
from vtreat_py.plan.pruning import FDR, SIG, benjamini_hochberg


@options_by_name("find_interactions(frame, outcome='y')")
def find_interactions(
    frame: Any,
    *,
    outcome: Any,
    outcome_type: OutcomeType | None = None,
    target: Any = None,
    variables: Sequence[Hashable] | None = None,
    categorical: Sequence[Hashable] = (),
    missing_values: Sequence[str] = (),
    sample_weight: Any = None,
    weight_kind: WeightKind = "frequency",
    cv: Any = None,
    random_state: Any = None,
    max_classes: int = MOST_CLASSES,
    n_jobs: int | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Rank the pairs of columns by how surely each says more than its two columns do alone.

    For every pair of columns: does the outcome depend on the two together in another way than
    what each of them says, added up?

    Parameters
    ----------
    frame
        As for `design_treatments`; it is in memory.
    outcome : column name or array of shape (n,)
        What is to be predicted.
    outcome_type, target, variables, categorical, missing_values, sample_weight, weight_kind
        As for `design_treatments`.
    cv, random_state
        As there: the folds that ``rsq`` is out of.
    max_classes, n_jobs, progress
        As there.

    Returns
    -------
    pandas.DataFrame
        A row for each pair; the smallest ``sig`` first, of equal ones the largest ``rsq``. Its
        columns:

        first, second
            The two input columns, in the order of the frame.
        rsq
            What the effects of the pair's cells, learned of the other folds and shrunk, explain
            in addition to the two columns: the share of the outcome's variance (of deviance, for
            classes) by which they come closer to it than an additive fit. 0 where that is less.
        sig
            p-value of the hypothesis that the two columns' effects add up: on the outcome for
            numbers, on its log odds for classes. Of several classes ``min(1, smallest x classes)``
            of one against the others; ``rsq`` is the largest. 1 where the columns leave nothing
            to test, as where one is constant, or says what the other does.
        sig_fdr
            ``sig`` in view of the number of pairs, by Benjamini and Hochberg; see
            ``plan.score_frame``.

    Raises
    ------
    VtreatError
        One of its kinds, naming the column or option, what was found and what to do.

    See Also
    --------
    variable_importance : What columns say alone.

    Notes
    -----
    Columns are cut to few levels: numbers and dates to eight ranges of as many rows (those of up
    to eight different values to these), others to their 30 commonest levels of at least 20 rows
    (of equally common ones, those first by name); rows of others are left out of the pairs of the
    column, because many levels as one do not add up where they go with different levels of
    another. Missing values are a level of their own. What a pair does inside ranges, or by rare
    levels, is not seen. For the weekday or the month of a date, give columns of those.

    The test is of the sums of residuals by cell, after an additive fit to the table of the pair;
    see `vtreat_py.significance.interaction.NumberCells.interaction`. Where all cells have as many
    rows it is the F test of the interaction in a two-way analysis of variance. Outcomes with
    outliers, and few hits of a class, have its distribution drawn.

    Where two columns go together, the second tells where in its range a number is. That is no
    interaction: the outcome may rise or fall inside each range by a slope of its own, which is in
    the additive fit. What is left of curves may be found among millions of rows; its ``rsq`` is
    next to nothing.

    Rows are taken as independent of each other: where several are of one person or shop, p-values
    are too small. Weights that are no whole numbers, or are of importance, count by their ratios
    in each cell; together with outcomes that have outliers they may give p-values that are too
    small, for many pairs at once where one row has much of the weight.
    ``benchmarks/interactions_study.txt`` has the rates of false alarms.

    References
    ----------
    D. Freedman and D. Lane, "A nonstochastic interpretation of reported significance levels",
    Journal of Business and Economic Statistics 1 (1983), 292-298.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({
    ...     "day": rng.choice(["weekday", "weekend"], 400),
    ...     "shop": rng.choice(["centre", "park", "station"], 400),
    ...     "noise": rng.normal(size=400),
    ... })
    >>> at_rest = (frame["day"] == "weekend") == (frame["shop"] == "park")
    >>> vt.find_interactions(frame, outcome=at_rest + rng.normal(size=400), random_state=0).round(3)
      first second   rsq   sig  sig_fdr
    0   day   shop  0.27  0.00     0.00
    1   day  noise  0.00  0.22     0.33
    2  shop  noise  0.00  0.60     0.60
    """
    design = design_with(
        frame,
        outcome=outcome,
        outcome_type=outcome_type,
        target=target,
        variables=variables,
        categorical=categorical,
        missing_values=missing_values,
        sample_weight=sample_weight,
        weight_kind=weight_kind,
        cv=cv,
        random_state=random_state,
        calendar=None,
        max_classes=max_classes,
        n_jobs=n_jobs,
        progress=progress,
    )
    names = design.variables
    if design.context.is_rate:
        raise InvalidOptionError(
            f'outcome_type="{design.context.outcome.kind}": interactions are looked for in '
            "outcomes of numbers and classes; composites= of a design test pairs that you name"
        )
    if not design.context.supervised:
        raise InvalidOptionError(
            'outcome_type="unsupervised": interactions are what pairs say of an outcome; name it '
            "with outcome="
        )
    if len(names) < 2:
        raise InvalidOptionError(
            f"the frame has one column to pair, {names[0]!r}; interactions are of two or more"
        )
    return _table(names, InteractionSearch.of(design).scores())


def _table(names: tuple[Hashable, ...], scores: list[PairScore]) -> pd.DataFrame:
    """A row for each pair, the surest first."""
    first, second, rsq, sig = (np.array(one) for one in zip(*scores, strict=True))
    of_names = objects(names)
    order = np.lexsort((-rsq, sig))
    columns = {"first": of_names[first], "second": of_names[second], "rsq": rsq, SIG: sig}
    table = pd.DataFrame({name: values[order] for name, values in columns.items()})
    table[["first", "second"]] = table[["first", "second"]].astype(object)
    table[FDR] = benjamini_hochberg(sig)[order]
    return table
