"""Learning a categorical column: from its level table to its treatment and its cross-frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtreat_py._column_treatment import LevelCodes, LevelTreatment
from vtreat_py._columns import LevelColumn
from vtreat_py._design_context import (
    CODES_WOULD_BE_CONSTANT,
    NO_CODE_APPLIES,
    DesignContext,
    digest,
)
from vtreat_py._fold_levels import (
    TrainingSets,
    training_tables,
)
from vtreat_py._level_learner import DerivedLevels, LevelLearner
from vtreat_py._levels import Levels
from vtreat_py._options import LEVEL_CODERS
from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import whole_view
from vtreat_py.statistics.tally import CellIndex, tally_classes


@dataclass(frozen=True, eq=False)
class LearnedLevels:
    """A treated categorical column, and what is needed to write its cross-frame.

    Attributes
    ----------
    index : CellIndex
        The (level, fold) cell of each row.
    fold : ndarray of shape (cells,)
        Fold of each cell.
    values : dict from variable to ndarray of shape (cells,)
        Out-of-fold value of each cell.
    slopes, means : dict from variable to ndarray of shape (folds,)
        y-aware scaling of each fold, when asked for.
    """

    treatment: LevelTreatment
    index: CellIndex
    fold: IntArray
    values: tuple[FloatArray, ...]
    slopes: tuple[FloatArray, ...]
    means: tuple[FloatArray, ...]

    def write_cross(
        self,
        place: int,
        scale: bool,
        collar: bool,  # noqa: ARG002 (levels have no range to clip)
        out: FloatArray,
    ) -> None:
        """Write the cross-frame column of the variable at ``place`` to ``out``."""
        values = self.values[place]
        if scale:
            slope, mean = np.append(self.slopes[place], 0.0), np.append(self.means[place], 0.0)
            fold = np.minimum(self.fold, len(slope) - 1)
            values = slope[fold] * (values - mean[fold])
        self.index.spread(values, out)


def learn_levels(column: LevelColumn, context: DesignContext) -> LearnedLevels | str:
    """Learn a categorical column; a string says why nothing can be derived from it."""
    if not set(context.coders) & set(LEVEL_CODERS):
        return NO_CODE_APPLIES
    codes, levels = column.encode()
    n_levels = len(levels) + 1
    tables, index = tally_classes(codes, n_levels, context.rows)
    if int((tables[0].by_level().weight > 0).sum()) < 2:
        return "it has one level only"
    trained = training_tables(context, codes, n_levels)
    coded = tables
    if context.folds.repeats is not None:
        rows = context.coded_rows
        coded, index = tally_classes(codes[context.folds.repeats[0]], n_levels, rows)
    parts = _learn_parts(column, levels, context, tables, coded, trained)
    derived = [d for part in parts for d in part.derived]
    if not derived:
        return CODES_WOULD_BE_CONSTANT
    treatment = LevelTreatment(
        column.name, levels, tuple(p.codes for p in parts if p.derived), digest(column)
    )
    return LearnedLevels(
        treatment,
        index,
        coded[0].fold,
        tuple(d.cells for d in derived),
        tuple(d.slopes for d in derived),
        tuple(d.means for d in derived),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The codes of a column that are built for one target, and what they are built from."""

    codes: LevelCodes
    derived: list[DerivedLevels]

    @classmethod
    def of(cls, target: Any, slots: IntArray, derived: list[DerivedLevels]) -> _Part:
        tables = {d.variable.code: d.table for d in derived if d.table is not None}
        return cls(LevelCodes(target, slots, tables, tuple(d.variable for d in derived)), derived)


def _learn_parts(
    column: LevelColumn,
    levels: Levels,
    context: DesignContext,
    tables: list[LevelTable],
    coded: list[LevelTable],
    trained: list[LevelTable],
) -> list[_Part]:
    """Learn the codes that are shared, and with several classes those of each class."""
    scored: list[list[DerivedLevels]] = []
    of_classes: list[_Part] = []
    slots: IntArray = np.empty(0, dtype=np.int32)
    for k, (contrast, table) in enumerate(zip(context.contrasts, tables, strict=True)):
        whole = whole_view(table)
        training = None
        if context.supervised:
            training = TrainingSets(context.folds, coded[k], trained[k] if trained else None)
        shared = LevelLearner(contrast, column, levels, whole, training)
        if not k:
            slots = shared.slots()
        scored.append([d if not k else d.scores_only() for d in shared.derived()])
        if context.n_classes:
            own = LevelLearner(context.for_class(contrast), column, levels, whole, training)
            target, prefix = contrast.outcome.target, context.class_prefixes[k]
            derived = [_of_class(d, target, prefix) for d in own.derived()]
            of_classes.append(_Part.of(target, own.slots(), derived))
    merged = [DerivedLevels.of_contrasts(same) for same in zip(*scored, strict=True)]
    return [_Part.of(None, slots, merged), *of_classes]


def _of_class(derived: DerivedLevels, target: Any, prefix: str) -> DerivedLevels:
    variable = derived.variable
    return replace(
        derived, variable=replace(variable, target=target, name=f"{prefix}_{variable.name}")
    )
