"""The rows of a frame, as kept statistics sum them up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.base.errors import FrameError, InvalidOptionError, OutcomeError, SchemaError, counted
from vtreat_py.base.jobs import check_jobs
from vtreat_py.base.warn import warn
from vtreat_py.folds.making import folds_of_pairs
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.frames.beside import read_along
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.made import sources_of
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.rates import RowsOfRates
from vtreat_py.memory.design import Design
from vtreat_py.memory.rows import DesignRows
from vtreat_py.outcome.outcome import OutcomeRows
from vtreat_py.outcome.reading import read_known_outcome, read_known_rate
from vtreat_py.outcome.weights import read_weight
from vtreat_py.plan.options import CALIBRATED, CLASSIC, ORDERED


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The rows of a frame that count, that is have weight.

    Attributes
    ----------
    counted : ndarray of int, or slice
        Their places in the frame.
    block : ndarray of int
        The block of each; see `KeptDesign`.
    n_blocks : int
    y : ndarray
        Outcome of each relative to ``centre``; 0 for classes, which blocks tell apart.
    weight : ndarray or None
        Of rates, times the exposure.
    rates : RowsOfRates or None
    """

    counted: IntArray | slice
    block: IntArray
    n_blocks: int
    y: NumberArray
    weight: FloatArray | None
    centre: float
    rates: RowsOfRates | None = None

    @classmethod
    def of(cls, rows: DesignRows, design: KeptDesign) -> KeptRows:
        """Look at the rows of a design in memory."""
        outcome = rows.outcome
        _check_can_keep(rows)
        counted: IntArray | slice = slice(None)
        if outcome.weight is not None:
            counted = np.flatnonzero(outcome.weight > 0)
        y = outcome.y[counted]
        block = design.blocks(rows.folds.fold[counted], y)
        if design.counts_classes:
            y = np.zeros(len(y), dtype=np.int8)
        weight = None if outcome.weight is None else outcome.weight[counted]
        rates = _rates(outcome, counted)
        if rates is not None:
            weight = rates.times * rates.exposure
        return cls(counted, block, design.n_blocks, y, weight, outcome.centre, rates)

    def some(self, which: IntArray) -> tuple[IntArray, NumberArray, FloatArray | None]:
        """Block, outcome and weight of some of the rows."""
        weight = None if self.weight is None else self.weight[which]
        return self.block[which], self.y[which], weight


def _rates(outcome: OutcomeRows, counted: IntArray | slice) -> RowsOfRates | None:
    per = outcome.exposure
    if per is None:
        return None
    exposure = per.given[counted]
    times = np.ones(len(exposure)) if per.weight is None else per.weight[counted]
    return RowsOfRates(per.events[counted], exposure, times)


def _check_can_keep(rows: DesignRows) -> None:
    context, folds, outcome = rows.context, rows.folds, rows.outcome
    weight = outcome.weight if outcome.exposure is None else outcome.exposure.weight
    if folds.training is not None or folds.in_order or not folds.applies_once:
        raise InvalidOptionError(
            "keep_statistics=True needs a cv whose folds have each row once and are trained on all "
            "rows that are not their own: a number of folds, or a splitter such as KFold. Folds "
            'in order of time ("ordered", TimeSeriesSplit), repeated ones, and index pairs that '
            "are not complementary have sums that do not merge"
        )
    if context.options.significance == CLASSIC or not context.supervised:
        return
    if context.in_order:
        raise InvalidOptionError(
            f'keep_statistics=True goes with significance="{CALIBRATED}" or "{CLASSIC}": '
            f'"{ORDERED}" shifts the outcome along the rows, and sums have no order'
        )
    if context.in_groups:
        warn(
            "groups= keep rows together in folds, but codes and p-values of kept statistics take "
            "rows of one group as independent of each other: p-values may be much too small, and "
            "levels of few groups be believed too much; those of a design without keep_statistics "
            "know of groups"
        )
    if weight is None:
        return
    fractional = np.flatnonzero(weight != np.rint(weight))
    if len(fractional):
        row = fractional[0]
        raise InvalidOptionError(
            f"sample_weight is {weight[row]:g} in row {row}; statistics are kept of weights that "
            'are whole numbers, or with significance="classic" of any: the calibrated tests of '
            "other weights need the rows"
        )


def rows_of_frame(
    design: KeptDesign,
    frame: Any,
    *,
    folds: Any,
    outcome: Any,
    sample_weight: Any,
    n_jobs: int | None,
    centre: float,
    exposure: Any = None,
    scaled: bool = False,
) -> Design:
    """Read the rows of a frame as rows of a design; their outcome need not vary.

    Raises
    ------
    VtreatError
        One of its kinds, if the frame does not fit the design.
    """
    check_jobs(n_jobs)
    frame = InputFrame.of(frame)
    source = frame.read_by(design.options.missing_values, design.options.categorical)
    source = source.making(design.made)
    if not source.n_rows:
        raise FrameError("the frame has no rows")
    needed = sources_of(design.variables, design.made)
    missing = [name for name in needed if name not in set(source.columns)]
    if missing:
        raise SchemaError(
            f"the frame lacks {counted(len(missing), 'column')} that the statistics are of: "
            f"{', '.join(map(repr, missing))}"
        )
    outcome = design.outcome_name if outcome is None else outcome
    if outcome is None and design.outcome_type != "unsupervised":
        raise OutcomeError("outcome is missing: give it as an array, as the design had it")
    weight = read_weight(frame, sample_weight)
    if design.is_rate:
        exposure = design.exposure_name if exposure is None else exposure
        of_rows = design.rate(*read_known_rate(frame, outcome, exposure), weight)
    else:
        kind, target = design.outcome_type, design.target
        y, classes = read_known_outcome(frame, outcome, kind, target, weight)
        design = design.of_classes(classes)
        of_rows = design.outcome(y, weight, centre)
    folds = FoldPlan(_read_folds(design, frame, folds), design.n_folds)
    rows = DesignRows(design.context(of_rows.values(), scaled=scaled), of_rows, folds)
    return Design(source, design.variables, rows, n_jobs, progress=False)


def _read_folds(design: KeptDesign, frame: InputFrame, folds: Any) -> IntArray:
    """Fold of each row, from a column, an array, or index pairs."""
    if design.outcome_type == "unsupervised":
        return np.zeros(frame.n_rows, dtype=np.int8)
    if folds is None:
        raise InvalidOptionError(
            "folds is missing: give the number of each row's fold, such as fold_numbers of the "
            "experiment that the rows were in"
        )
    if isinstance(folds, list) and folds and isinstance(folds[0], tuple | list):
        plan = folds_of_pairs(folds, frame.n_rows)
        if plan.n_folds != design.n_folds or plan.training is not None or not plan.applies_once:
            raise InvalidOptionError(
                f"folds has {plan.n_folds} index pairs; it must have {design.n_folds}, as the "
                "design had, with each row in one application set and all others training it"
            )
        return plan.fold
    column = read_along(frame, "folds", folds)
    if not isinstance(column, NumericColumn) or column.bad is not None:
        raise InvalidOptionError("folds must hold the number of a fold for each row")
    wrong = np.flatnonzero(~np.isin(column.values, np.arange(design.n_folds)))
    if len(wrong):
        raise InvalidOptionError(
            f"folds is {column.values[wrong[0]]:g} in row {wrong[0]}; the design has folds 0 to "
            f"{design.n_folds - 1}"
        )
    return column.values.astype(np.min_scalar_type(design.n_folds))
