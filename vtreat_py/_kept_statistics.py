"""Statistics of a design: sums that merge, shrink, and turn into a plan again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from vtreat_py._assembly import assemble
from vtreat_py._columns import Column
from vtreat_py._design_context import DesignContext
from vtreat_py._design_steps import CrossFrameExperiment, Design, Learned, Unused
from vtreat_py._errors import InvalidOptionError, OutcomeError, SchemaError, counted
from vtreat_py._frames import InputFrame
from vtreat_py._jobs import run_tasks
from vtreat_py._kept_columns import KeptColumn, added, kept_column, less
from vtreat_py._kept_design import KeptDesign, moved_sums
from vtreat_py._kept_learning import learn_kept, learn_kept_rows
from vtreat_py._kept_numbers import values_less
from vtreat_py._kept_rows import KeptRows
from vtreat_py._options import CALIBRATED, check_flag
from vtreat_py._outcome import Outcome, Weighting, read_known_outcome, read_weight
from vtreat_py._plan import TreatmentPlan, same
from vtreat_py._pruning import SIG, check_pruning
from vtreat_py._sparse import check_sparse_options
from vtreat_py._typing import FloatArray, NumberArray
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by
from vtreat_py.statistics.value_table import ValueTable


@dataclass(frozen=True, eq=False)
class DesignStatistics:
    """The sums a plan is made of."""

    design: KeptDesign
    n_rows: int
    rows: OutcomeSums
    outcome_values: ValueTable | None
    columns: tuple[KeptColumn, ...]

    @classmethod
    def of(cls, design: Design) -> DesignStatistics:
        """Sum up the rows of a checked design."""
        _check_can_keep(design.context)
        context, outcome = design.context, design.context.outcome
        kept = KeptDesign(
            outcome.kind,
            outcome.name,
            outcome.target,
            outcome.note,
            outcome.classes,
            design.variables,
            design.source.columns,
            context.options,
            context.folds.n_folds,
        )
        rows = KeptRows.of(context, kept)
        values = None
        if outcome.kind == "numeric":
            numbers = outcome.labels[rows.counted]
            none = np.zeros(len(rows.block), dtype=np.intp)
            values = ValueTable.of_rows(numbers, none, none, rows.weight)
        columns = design.each_column(partial(kept_column, rows=rows))
        sums = OutcomeSums.of_rows(rows.block, rows.n_blocks, rows.y, rows.weight, rows.centre)
        return cls(kept, design.source.n_rows, sums, values, tuple(columns))

    def of_rows(
        self,
        frame: Any,
        *,
        folds: Any = None,
        outcome: Any = None,
        sample_weight: Any = None,
        n_jobs: int | None = None,
    ) -> DesignStatistics:
        """Sum up other rows under the same design: to be added, or taken away."""
        return DesignStatistics.of(self._of_frame(frame, folds, outcome, sample_weight, n_jobs))

    def cross_frame(
        self,
        frame: Any,
        *,
        folds: Any,
        outcome: Any = None,
        sample_weight: Any = None,
        scale: bool = False,
        collar: bool = False,
        prune_sig: float | str | None = None,
        prune_by: str = SIG,
        sparse_output: bool = False,
        n_jobs: int | None = None,
    ) -> Any:
        """Code rows that are in the statistics by what all rows of other folds know."""
        check_pruning(prune_sig, prune_by)
        scale, collar = check_flag("scale", scale), check_flag("collar", collar)
        if check_flag("sparse_output", sparse_output):
            check_sparse_options(scale)
        if self.design.outcome_type == "unsupervised":
            raise InvalidOptionError(
                "an unsupervised design has no cross-frame: no code sees an outcome; use prepare"
            )
        design = self._of_frame(frame, folds, outcome, sample_weight, n_jobs, scale)
        _ = self - DesignStatistics.of(design)  # refuses rows that are not in the statistics
        made = self.experiment(design, scale, collar, prune_sig, prune_by, sparse_output)
        return made.cross_frame

    def experiment(
        self,
        design: Design,
        scale: bool,
        collar: bool,
        prune_sig: float | str | None,
        prune_by: str = SIG,
        sparse_output: bool = False,
    ) -> CrossFrameExperiment:
        """Code the rows of a design, all of which are in the statistics."""
        given = design.context
        context = self.design.context(
            self._outcome(), given.folds.fold, scaled=given.scaled_cross_frame
        )
        kept = {column.name: column for column in self.columns}

        def learn(column: Column) -> Learned | Unused:
            one = kept[column.name]
            return learn_kept_rows(one, column, self.design, context, given.outcome.weight)

        learned, plan = design.each_column(learn), self.plan(n_jobs=design.n_jobs)
        return design.cross_frame(plan, learned, scale, collar, prune_sig, prune_by, sparse_output)

    def _of_frame(
        self,
        frame: Any,
        folds: Any,
        outcome: Any,
        sample_weight: Any,
        n_jobs: int | None,
        scaled: bool = False,
    ) -> Design:
        """Read rows of a frame as rows of this design; their outcome need not vary."""
        source, kept = InputFrame.of(frame), self.design
        missing = [name for name in kept.variables if name not in set(source.columns)]
        if missing:
            raise SchemaError(
                f"the frame lacks {counted(len(missing), 'column')} that the statistics are of: "
                f"{', '.join(map(repr, missing))}"
            )
        outcome = kept.outcome_name if outcome is None else outcome
        if outcome is None and kept.outcome_type != "unsupervised":
            raise OutcomeError("outcome is missing: give it as an array, as in the design")
        weight = read_weight(source, sample_weight)
        y, classes = read_known_outcome(source, outcome, kept.outcome_type, kept.target, weight)
        kept = kept.of_classes(classes)
        context = kept.context(
            kept.outcome(y, weight, self.rows.centre), kept.read_folds(source, folds), scaled=scaled
        )
        return Design(source, kept.variables, context, n_jobs, False)

    def plan(self, *, n_jobs: int | None = None) -> TreatmentPlan:
        """Make the plan of all rows that are in the statistics."""
        outcome = self._outcome()
        self._check_folds()
        context = self.design.context(outcome, np.empty(0, dtype=np.int8))
        learn = partial(learn_kept, design=self.design, context=context)
        learned = run_tasks(learn, self.columns, n_jobs)
        plan = assemble(self.design.variables, learned, context, self.design.columns, self.n_rows)
        return replace(plan, statistics=self)

    def __add__(self, other: object) -> DesignStatistics:
        if not isinstance(other, DesignStatistics):
            return NotImplemented
        design = self.design.joined(other.design)
        one, two = self._under(design), other._under(design)
        values = None
        if one.outcome_values is not None and two.outcome_values is not None:
            values = one.outcome_values + two.outcome_values
        both = replace(
            one,
            n_rows=one.n_rows + two.n_rows,
            rows=one.rows + two.rows,
            outcome_values=values,
            columns=tuple(map(added, one.columns, two.columns)),
        )
        return both._recentred()

    def __sub__(self, other: object) -> DesignStatistics:
        if not isinstance(other, DesignStatistics):
            return NotImplemented
        design = self.design.joined(other.design)
        whole, part = self._under(design), other._under(design)
        take_away = partial(less, design=design)
        columns = tuple(map(take_away, whole.columns, part.columns))
        values = None
        if whole.outcome_values is not None and part.outcome_values is not None:
            values = values_less(
                whole.outcome_values, part.outcome_values, lambda value, _: f"outcome {value:g}"
            )
        left = replace(
            whole,
            n_rows=whole.n_rows - part.n_rows,
            rows=whole.rows - part.rows,
            outcome_values=values,
            columns=columns,
        )
        return left._of_classes_with_rows()._recentred()

    def _under(self, design: KeptDesign) -> DesignStatistics:
        """Return the same sums as part of a design of other classes."""
        if design.classes == self.design.classes:
            return replace(self, design=design)
        places, n_blocks = self.design.places(design), design.n_blocks
        columns = tuple(column.moved(places, n_blocks) for column in self.columns)
        rows = moved_sums(self.rows, places, n_blocks)
        return replace(self, design=design, rows=rows, columns=columns)

    def _of_classes_with_rows(self) -> DesignStatistics:
        """Leave out classes that no row is of any more."""
        classes = self.design.classes
        left = np.flatnonzero(self._class_weights() > 0)
        if not classes or len(left) == len(classes):
            return self
        return self._under(self.design.of_classes(tuple(classes[k] for k in left)))

    def _recentred(self) -> DesignStatistics:
        """Put the reference point of a numeric outcome where its mean is now."""
        if self.design.outcome_type != "numeric":
            return self
        whole = self.rows.merged()
        centre = whole.centre + float(whole.mean[0])
        columns = tuple(column.recentred(centre) for column in self.columns)
        return replace(self, rows=self.rows.recentred(centre), columns=columns)

    def _class_weights(self) -> FloatArray:
        _, own = self.design.folds_and_classes(np.arange(self.design.n_blocks))
        return sum_by(own, self.rows.weight, self.design.n_classes)

    def _outcome(self) -> Outcome:
        """The different values of the outcome, and the weight of each."""
        weight = self._class_weights()
        values: NumberArray = np.arange(self.design.n_classes)
        if self.outcome_values is not None:
            table = self.outcome_values
            values, weight = table.points(table.cells.weight)
        present = values[weight > 0]
        if not len(present):
            raise OutcomeError("the statistics have no rows; a plan needs at least two")
        if self.design.outcome_type != "unsupervised" and len(present) < 2:
            raise OutcomeError(
                f"the outcome is {self._named(present[0])} in every row of the statistics; it must "
                "vary"
            )
        return self.design.outcome(values, weight, self.rows.centre, weighting=Weighting())

    def _named(self, value: Any) -> str:
        design = self.design
        if design.classes:
            return repr(design.classes[value])
        if design.counts_classes:
            return f"{'' if value else 'not '}{design.target!r}"
        return f"{value:g}"

    def _check_folds(self) -> None:
        fold, _ = self.design.folds_and_classes(np.arange(self.design.n_blocks))
        weight = sum_by(fold, self.rows.weight, self.design.n_folds)
        if self.design.n_folds > 1 and (weight > 0).sum() < 2:
            raise InvalidOptionError(
                f"all rows of the statistics are in fold {int(weight.argmax())}; add rows of other "
                "folds, which its rows can be coded by"
            )

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        design = self.design
        return (
            f"DesignStatistics: outcome {design.note}\n"
            f"{counted(len(design.variables), 'column')}, {counted(self.n_rows, 'row')}, "
            f"{counted(design.n_folds, 'fold')}"
        )


def _check_can_keep(context: DesignContext) -> None:
    folds, weight = context.folds, context.outcome.weight
    if folds.training is not None or folds.in_order or not folds.applies_once:
        raise InvalidOptionError(
            "keep_statistics=True needs a cv whose folds have each row once and are trained on all "
            "rows that are not their own: a number of folds, or a splitter such as KFold. Folds "
            'in order of time ("ordered", TimeSeriesSplit), repeated ones, and index pairs that '
            "are not complementary have sums that do not merge"
        )
    if weight is None or context.options.significance != CALIBRATED or not context.supervised:
        return
    fractional = np.flatnonzero(weight != np.rint(weight))
    if len(fractional):
        raise InvalidOptionError(
            f"sample_weight has {weight[fractional[0]]:g} in row {fractional[0]}; statistics are "
            'kept of whole numbers, or with significance="classic" of any: the calibrated tests '
            "of other weights need the rows"
        )
