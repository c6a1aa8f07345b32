"""Rows coded out of fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.forms import FoldCurves, scale_in_place
from vtreat_py.design.context import NO_CODE_APPLIES
from vtreat_py.design.levels import LearnedLevels, UnusedLevels, learn_level_facts
from vtreat_py.design.numbers import LearnedNumbers, learn_number_facts
from vtreat_py.design.some_rows import MOST_ROWS, hints_of_rows
from vtreat_py.frames.columns import LevelColumn, NumericColumn
from vtreat_py.frames.digest import spaced_rows
from vtreat_py.frames.joint import JointColumn
from vtreat_py.memory.levels import level_facts
from vtreat_py.memory.numbers import NumberRows
from vtreat_py.memory.rows import DesignRows
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.training_marks import Marks, marks_of_values
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
from vtreat_py.plan.variables import DroppedCode
from vtreat_py.statistics.tally import CellIndex


@dataclass(frozen=True, eq=False)
class LearnedLevelRows:
    """A treated categorical column whose rows are in memory.

    Attributes
    ----------
    index : CellIndex
        The (level, fold) cell of each row.
    marks : ndarray
        Marks of a few rows, by which they are known again.
    """

    learned: LearnedLevels
    index: CellIndex
    marks: Marks | None = None

    @property
    def treatment(self) -> LevelTreatment:
        """How the column is treated."""
        return self.learned.treatment

    @property
    def statistics(self) -> LevelStatistics:
        """The weight of each level, and where impact codes were asked for the outcome in it."""
        return self.learned.statistics

    @property
    def hints(self) -> tuple[str, ...]:
        """What a user may want to know of the column."""
        return self.learned.hints

    @property
    def dropped(self) -> tuple[DroppedCode, ...]:
        """Codes that were dropped for what the outcome said."""
        return self.learned.dropped

    @property
    def declined(self) -> tuple[str, ...]:
        """Codes of one's own that there are none of, and why."""
        return self.learned.declined

    def write_cross(
        self,
        wanted: Mapping[int, FloatArray],
        scale: bool,
        collar: bool,  # noqa: ARG002 (levels have no range to clip)
    ) -> None:
        """Write the cross-frame columns of variables by their places."""
        for place, out in wanted.items():
            self.index.spread(self.learned.cell_values(place, scale), out)


def learn_levels(
    column: LevelColumn, rows: DesignRows, joint: JointColumn | None = None
) -> LearnedLevelRows | UnusedLevels | str:
    """Learn a categorical column; a string says why it is not worth a look."""
    if not rows.context.uses_levels:
        return NO_CODE_APPLIES
    facts, index, codes = level_facts(column, rows)
    learned = learn_level_facts(facts.made_of(joint), rows.context)
    if not isinstance(learned, LearnedLevels):
        return learned
    return LearnedLevelRows(learned, index, marks_of_values(codes[spaced_rows(len(codes))]))


@dataclass(frozen=True, eq=False)
class LearnedNumberRows:
    """A treated numeric column whose rows are in memory."""

    learned: LearnedNumbers
    rows: NumberRows
    marks: Marks | None = None
    statistics = None
    dropped = ()

    @property
    def treatment(self) -> NumericTreatment:
        """How the column is treated."""
        return self.learned.treatment

    @property
    def hints(self) -> tuple[str, ...]:
        """What a user may want to know of the column."""
        return self.learned.hints

    @property
    def declined(self) -> tuple[str, ...]:
        """Codes of one's own that there are none of, and why."""
        return self.learned.declined

    def fold_slopes(self, place: int) -> FloatArray:
        """y-aware slope of the variable at ``place`` in each fold."""
        slopes, _ = self.learned.parts[place].fold_scales()
        return slopes[:-1]

    def write_cross(self, wanted: Mapping[int, FloatArray], scale: bool, collar: bool) -> None:
        """Write the cross-frame columns of variables by their places."""
        curves: list[tuple[FoldCurves, FloatArray]] = []
        for place, out in wanted.items():
            form = self.learned.parts[place].fold_form(collar)
            if isinstance(form, FoldCurves):
                curves.append((form, out))
            else:
                self.rows.write_coded(form, out)
        if curves:
            self.rows.write_curves(*zip(*curves, strict=True))
        if scale:
            fold = self.rows.coded_fold
            for place, out in wanted.items():
                slope, mean = self.learned.parts[place].fold_scales()
                scale_in_place(out, slope[fold], mean[fold])


def learn_numbers(column: NumericColumn, rows: DesignRows) -> LearnedNumberRows | str:
    """Learn a numeric column; a string says why nothing can be derived from it."""
    if not rows.context.codes_of_numbers:
        return NO_CODE_APPLIES
    own = NumberRows(column, rows)
    learned = learn_number_facts(own, rows.context)
    if not isinstance(learned, LearnedNumbers):
        return learned
    hints = learned.hints or _hints(column, rows)
    marks = marks_of_values(column.values[spaced_rows(len(column))])
    return LearnedNumberRows(replace(learned, hints=hints), own, marks)


def _hints(column: NumericColumn, rows: DesignRows) -> tuple[str, ...]:
    """Say what rows that are evenly spaced tell."""
    if not rows.context.supervised:
        return ()
    some = slice(None, None, -(-len(column) // MOST_ROWS))
    weight, contrasts = rows.outcome.weight, rows.contrasts if column.kind == "number" else []
    return hints_of_rows(
        column.values[some],
        [one[some] for one in rows.outcome.told_by],
        [one.y[some] for one in contrasts],
        None if weight is None else weight[some],
    )
