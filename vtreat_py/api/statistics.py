"""Statistics of a design: sums that merge, shrink, and turn into a plan again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Unpack, overload

import numpy as np
import pandas as pd

from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.api.options import KeptFrameOptions
from vtreat_py.api.plan import TreatmentPlan, with_verbs
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import counted
from vtreat_py.base.jobs import check_jobs, run_tasks
from vtreat_py.base.labels import check_same_rows
from vtreat_py.design.assembly import Learned as LearnedAnywhere
from vtreat_py.design.assembly import assemble
from vtreat_py.design.checks import no_cross_frame
from vtreat_py.design.context import DesignContext
from vtreat_py.frames.columns import Column
from vtreat_py.frames.kinds import Array, DictRows, FrameT, Listed
from vtreat_py.kept.columns import kept_column
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.learning import learn_kept, learn_kept_rows
from vtreat_py.kept.rows import KeptRows, rows_of_frame
from vtreat_py.kept.sums import KeptSums
from vtreat_py.memory.design import Design, Learned, Unused
from vtreat_py.plan.choice import Choice, check_sparse_options
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig, check_pruning
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.pair_table import PairTable
from vtreat_py.statistics.value_table import ValueTable


@dataclass(frozen=True, eq=False)
class DesignStatistics(KeptSums):
    """The sums that a plan is made of: they add, subtract, and turn into a plan again.

    A design with ``keep_statistics=True`` leaves them as ``plan.statistics``, and its plan is
    ``plan.statistics.plan()``. So the plan of merged parts is the plan of all their rows:

    * ``monday + tuesday`` are the statistics of both days. Parts must be of one design: the same
      options, variables, outcome, target and number of folds. Classes of a multinomial outcome may
      be met in one part only, and a column may be missing throughout a part.
    * ``everything - part`` forgets rows: a day, a customer. What is taken away must be there,
      under the same folds: `of_rows` sums it up.
    * `cross_frame` codes rows that are in the statistics by all rows of other folds: those of
      later days, too.
    * `save` and `load` keep them in a file.

    They hold sums of the outcome by level and by value, and are as sensitive as the data.

    Attributes
    ----------
    n_rows : int
        Number of rows, those of weight 0 with them.
    design : KeptDesign
        Outcome, variables, options and number of folds.
    rows : OutcomeSums
        Sums by block of rows.
    outcome_values : ValueTable, PairTable or None
        The different values of a numeric outcome; of a rate, pairs of exposure and count.
    columns : tuple of KeptLevels or KeptNumbers
        Sums by level or value and block of rows, for each of the variables.

    See Also
    --------
    design_treatments, cross_frame_experiment : Keep statistics, with ``keep_statistics=True``.

    Notes
    -----
    Folds: each part is split by its own ``cv``, and fold k of the sum is the union of the parts'
    folds k. Each fold must be trained on all rows that are not its own, and rows that belong
    together (``groups``) must be in one fold in every part. ``cv`` may not be "ordered", nor repeat
    rows.

    Exactness: counts add up exactly. With a class as outcome, plans of merged parts are equal in
    every bit, except for what comes of the values of numeric columns of more than 65,536
    different ones; these, and all that comes of sums of a numeric outcome, agree to about 1e-12
    of their size. Levels are in the order in which the parts that were added first met them.

    A plan without ``keep_statistics`` may differ, beside the order of sums, in this:

    * ``catD`` has the p-value of the classic regression: the calibrated test of spread needs rows.
    * Shapes of rates have the p-value of a line, and composites of rates none: these take rows. Of
      more than 65,536 different pairs of exposure and count only so many digits are told apart.
      Rows that are taken away leave the rounding of their exposures, beside which exposures of a
      millionth lose digits.
    * Ranks of a numeric outcome of heavy tails are not known: impact codes have the p-value of
      means alone, and numbers that of a line and of the outcome's means in ranges.
    * ``calendar="auto"`` makes no parts of dates, because other rows may cover other cycles. Those
      that a list names are made; their p-values are not free of a trend along the dates.
    * p-values take rows of one group (``groups``) as independent, and there are none for rows in
      order of time (``significance="ordered"``).
    * Of numeric columns, or outcomes, of more than 65,536 different values only so many binary
      digits are told apart that there are no more than that, for quantiles, ranges and logistic
      regressions (means and variances are those of the values); rows that are taken away do not
      bring digits back.
    * An imputation function gets the different good values, and the weight of each.
    * Coders of one's own are those of tables: ``LevelCoder(..., of="table")``; shapes are those
      of bins, so that ``significance="classic"`` with a number for ``smoothing`` has ``"bins"``
      only.
    * Levels that only rows of weight 0 have are none.
    * `prepare` does not recognise the training frame.

    Weights are whole numbers, or with ``significance="classic"`` any. They count rows however
    large they are in all, where a design on rows takes weights of more than 10 million as ratios,
    for its p-values. Those of importance are scaled in each part to its own effective number of
    rows.

    Size: for each categorical column levels x folds, for each numeric one at most 65,536 x folds
    entries of 64 bytes; times the number of classes, where the outcome is a class.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> monday = pd.DataFrame({"x": ["a", "b", "c", None] * 5, "y": [1, 0, 1, 0, 0] * 4})
    >>> tuesday = pd.DataFrame({"x": ["a", "b", "d", "d"] * 5, "y": [0, 0, 1, 1, 1] * 4})
    >>> days = [vt.cross_frame_experiment(day, outcome="y", random_state=0, keep_statistics=True)
    ...         for day in (monday, tuesday)]
    >>> both = days[0].plan.statistics + days[1].plan.statistics
    >>> both
    DesignStatistics: outcome binomial, because the outcome has two classes; target 1, the last ...
    1 column, 40 rows, 5 folds
    >>> both.plan().n_rows
    40
    >>> both.cross_frame(tuesday, folds=days[1].folds).shape
    (20, 6)

    A customer asks to be forgotten: his rows, under the folds that they had.

    >>> rows = [0, 5]
    >>> part = both.of_rows(monday.iloc[rows], folds=days[0].fold_numbers[rows])
    >>> (both - part).plan().n_rows
    38
    """

    def plan(self, *, n_jobs: int | None = None) -> TreatmentPlan:
        """Make the plan of all rows that are in the statistics.

        Parameters
        ----------
        n_jobs : int, default=None
            Threads to work in, as for `design_treatments`.

        Returns
        -------
        TreatmentPlan
            With these statistics.

        Raises
        ------
        OutcomeError
            If the outcome is the same in all rows.
        InvalidOptionError
            If all rows are in one fold.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> day = pd.DataFrame({"shop": list("aabb") * 5, "sold": range(20)})
        >>> plan = vt.design_treatments(
        ...     day, outcome="sold", random_state=0, keep_statistics=True
        ... )
        >>> plan.statistics.plan() == plan
        True
        >>> two_days = plan.statistics + plan.statistics
        >>> two_days.n_rows, two_days.plan().level_effects("shop")["count"].tolist()[:2]
        (40, [20.0, 20.0])
        """
        check_jobs(n_jobs)
        context = self._context()
        learn = partial(learn_kept, design=self.design, context=context, residuals=self._residuals)
        return self._plan_of(run_tasks(learn, self._columns_per_row, n_jobs), context)

    def _plan_of(
        self, learned: Sequence[LearnedAnywhere | Unused], context: DesignContext
    ) -> TreatmentPlan:
        """Put the learned columns together."""
        design, n_rows = self.design, self.n_rows
        plan = assemble(design.variables, learned, context, design.columns, n_rows, design.made)
        return with_verbs(plan, self)

    def of_rows(
        self,
        frame: Any,
        *,
        folds: Any = None,
        outcome: Any = None,
        exposure: Any = None,
        sample_weight: Any = None,
        n_jobs: int | None = None,
    ) -> DesignStatistics:
        """Sum up rows under the same design, to add them or to take them away.

        Other than in a design, there may be few of them, and their outcome need not vary.

        Parameters
        ----------
        frame : pandas, polars or pyarrow data frame, or array, of n rows
            With all variables of the design.
        folds : column name, array of int of shape (n,), or list of index pairs, default=None
            The fold of each row: ``fold_numbers`` (or ``folds``) of the experiment that the rows
            were in. None only without outcome.
        outcome : array of shape (n,), column name, default=None
            None: the column that was the outcome of the design.
        exposure : array of shape (n,), column name, default=None
            What counts of a rate are per; None: the column that the design had.
        sample_weight : column name, array of shape (n,), default=None
            Weights, if the design had any.
        n_jobs : int, default=None
            Threads to work in, as for `design_treatments`.

        Returns
        -------
        DesignStatistics

        Raises
        ------
        VtreatError
            One of its kinds, if the frame lacks a column, or folds or outcome cannot be used.

        Examples
        --------
        A customer asks to be forgotten.

        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> sales = pd.DataFrame({"shop": list("aabb") * 5, "sold": range(20)})
        >>> made = vt.cross_frame_experiment(
        ...     sales, outcome="sold", random_state=0, keep_statistics=True
        ... )
        >>> own = made.plan.statistics.of_rows(sales[:1], folds=made.fold_numbers[:1])
        >>> left = made.plan.statistics - own
        >>> left.n_rows, left.plan().level_effects("shop")["count"].tolist()[:2]
        (19, [9.0, 10.0])
        """
        self._check_weight_given(sample_weight)
        given = {"outcome": outcome, "exposure": exposure, "sample_weight": sample_weight}
        check_same_rows({"frame": frame, **given})
        return kept_statistics(
            rows_of_frame(
                self.design,
                frame,
                folds=folds,
                n_jobs=n_jobs,
                **given,
                centre=self.rows.centre,
            )
        )

    @overload
    def cross_frame(
        self,
        frame: Array,
        *,
        folds: Any,
        sparse_output: Literal[False] = False,
        **options: Unpack[KeptFrameOptions],
    ) -> FloatArray: ...
    @overload
    def cross_frame(
        self,
        frame: DictRows,
        *,
        folds: Any,
        sparse_output: Literal[False] = False,
        **options: Unpack[KeptFrameOptions],
    ) -> pd.DataFrame: ...
    @overload
    def cross_frame(
        self,
        frame: Listed,
        *,
        folds: Any,
        sparse_output: Literal[False] = False,
        **options: Unpack[KeptFrameOptions],
    ) -> Any: ...
    @overload
    def cross_frame(
        self,
        frame: FrameT,
        *,
        folds: Any,
        sparse_output: Literal[False] = False,
        **options: Unpack[KeptFrameOptions],
    ) -> FrameT: ...
    @overload
    def cross_frame(
        self,
        frame: Any,
        *,
        folds: Any,
        sparse_output: bool,
        **options: Unpack[KeptFrameOptions],
    ) -> Any: ...
    def cross_frame(
        self,
        frame: Any,
        *,
        folds: Any,
        outcome: Any = None,
        exposure: Any = None,
        sample_weight: Any = None,
        scale: bool = False,
        collar: bool = False,
        prune_sig: PruneSig = None,
        prune_by: PruneBy = SIG,
        sparse_output: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        """Code rows that are in the statistics by what all rows of the other folds know.

        The frame to train a model on: the cross-frame of all rows at once has the same rows.

        Parameters
        ----------
        frame : pandas, polars or pyarrow data frame, or array, of n rows
            Rows that the statistics are of, such as those of one day.
        folds : column name, array of int of shape (n,), or list of index pairs
            The fold of each row: ``folds`` (or ``fold_numbers``) of the experiment that the rows
            were in. Under another fold, a row would be coded by its own outcome.
        outcome : array of shape (n,), column name, default=None
            None: the column that was the outcome of the design. Codes do not look at it; it is
            taken to see whether the rows are in the statistics, under these folds.
        exposure : array of shape (n,), column name, default=None
            As for `of_rows`.
        sample_weight : column name, array of shape (n,), default=None
            Weights, if the design had any.
        scale, collar, prune_sig, prune_by, sparse_output
            As for `cross_frame_experiment`.
        n_jobs : int, default=None
            Threads to work in, as for `design_treatments`.

        Returns
        -------
        frame of the same kind (an array for an array), n rows

        Raises
        ------
        InvalidOptionError
            If there are rows, under these folds, that are not in the statistics.
        VtreatError
            One of its other kinds, if the frame lacks a column, or folds or outcome cannot be used.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> sales = pd.DataFrame({"shop": list("aabb") * 5, "sold": range(20)})
        >>> made = vt.cross_frame_experiment(
        ...     sales, outcome="sold", random_state=0, keep_statistics=True
        ... )
        >>> again = made.plan.statistics.cross_frame(sales[:3], folds=made.fold_numbers[:3])
        >>> bool((again - made.cross_frame[:3]).abs().max(axis=None) < 1e-12)
        True
        """
        check_pruning(prune_sig, prune_by)
        options = {
            "scale": check_flag("scale", scale),
            "collar": check_flag("collar", collar),
            "sparse_output": check_flag("sparse_output", sparse_output),
        }
        if sparse_output:
            check_sparse_options(scale)
        if self.design.outcome_type == "unsupervised":
            raise no_cross_frame()
        self._check_weight_given(sample_weight)
        given = {"outcome": outcome, "exposure": exposure, "sample_weight": sample_weight}
        check_same_rows({"frame": frame, **given})
        design = rows_of_frame(
            self.design,
            frame,
            folds=folds,
            n_jobs=n_jobs,
            **given,
            centre=self.rows.centre,
            scaled=options["scale"],
        )
        _ = self - kept_statistics(design)  # refuses rows that are not in the statistics
        made = kept_experiment(self, design, prune_sig=prune_sig, prune_by=prune_by, **options)
        return made.cross_frame

    def __repr__(self) -> str:
        design = self.design
        return (
            f"DesignStatistics: outcome {design.note}\n"
            f"{counted(len(design.variables), 'column')}, {counted(self.n_rows, 'row')}, "
            f"{counted(design.n_folds, 'fold')}"
        )


def kept_statistics(design: Design) -> DesignStatistics:
    """Sum up the rows of a design in memory."""
    kept, outcome = KeptDesign.of(design), design.rows.outcome
    rows = KeptRows.of(design.rows, kept)
    values: ValueTable | PairTable | None = None
    if rows.rates is not None:
        values = rows.rates.pairs()
    elif outcome.kind == "numeric":
        none = np.zeros(len(rows.block), dtype=np.int8)
        values = ValueTable.of_rows(outcome.labels[rows.counted], none, none, rows.weight)
    columns = design.each_column(partial(kept_column, rows=rows))
    sums = OutcomeSums.of_rows(rows.block, rows.n_blocks, rows.y, rows.weight, rows.centre)
    return DesignStatistics(kept, design.source.n_rows, sums, values, tuple(columns))


def kept_experiment(
    statistics: DesignStatistics, design: Design, **options: Any
) -> CrossFrameExperiment[Any]:
    """Code the rows of a design in memory, all of which are in the statistics.

    ``options`` say what is to come out; see `Choice`.
    """
    given, kept = design.rows, statistics.design
    weight = given.outcome.weight
    context = statistics._context(scaled=given.context.scaled_cross_frame)
    columns = {column.name: column for column in statistics._columns_per_row}
    residuals = statistics._residuals

    def learn(column: Column) -> Learned | Unused:
        return learn_kept_rows(columns[column.name], column, kept, context, given, residuals)

    learned = design.each_column(learn)
    if weight is None or weight.all():
        plan = statistics._plan_of(learned, context)
    else:  # what was learned has levels that rows of weight 0 alone have
        plan = statistics.plan(n_jobs=design.n_jobs)
    made = design.cross_frame(plan, learned, Choice.of(plan, **options))
    return CrossFrameExperiment(plan, *made, given.folds)
