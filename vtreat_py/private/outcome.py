"""The outcome as whole numbers, of which a row has so much at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, NumberArray
from vtreat_py.base.errors import OutcomeError
from vtreat_py.design.request import DesignRequest
from vtreat_py.frames.beside import read_along
from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.differential_privacy import Range
from vtreat_py.private.noise import Whole
from vtreat_py.private.reading import read_quietly

# Numbers are rounded to so many steps from the middle of their range to its ends.
STEPS = 1 << 16


@dataclass(frozen=True)
class Grid:
    """Whole numbers from -STEPS to STEPS that stand for the numbers of a range."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """What 0 stands for."""
        return self.low / 2.0 + self.high / 2.0

    @property
    def half(self) -> float:
        """What STEPS steps stand for."""
        return self.high / 2.0 - self.low / 2.0

    def steps(self, values: NumberArray) -> Whole:
        """Cut numbers off at the ends, and round them."""
        inside = np.clip(values.astype(np.float64), self.low, self.high)
        steps = np.rint((inside - self.middle) / self.half * STEPS)
        # The middle of a range of few floats is rounded to one of its ends.
        return np.clip(steps, -STEPS, STEPS).astype(np.int64)


@dataclass(frozen=True, eq=False)
class PrivateOutcome:
    """The outcome of the rows that have one; others are as if they were not there.

    Attributes
    ----------
    kind : str
    known : ndarray of bool, shape (n,)
        Rows that count.
    y : ndarray of int, shape (n,)
        Steps of a number; 0 and 1 of a class; 0 without outcome.
    grid : Grid or None
        What steps stand for; None of a class, and without outcome.
    """

    kind: str
    known: BoolArray
    y: Whole
    grid: Grid | None

    @classmethod
    def read(cls, source: InputFrame, request: DesignRequest, span: Range | None) -> PrivateOutcome:
        """Read the outcome; errors tell of types, and of nothing that rows hold."""
        n = source.n_rows
        if request.outcome_type == "unsupervised":
            return cls("unsupervised", np.ones(n, dtype=bool), np.zeros(n, dtype=np.int64), None)
        column = _read(source, request.outcome)
        if request.outcome_type == "binomial":
            return cls("binomial", *_is_target(column, request.target), None)
        assert span is not None
        grid = Grid(*span)
        if isinstance(column, EmptyColumn):
            return cls("numeric", np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int64), grid)
        if not isinstance(column, NumericColumn) or column.kind != "number":
            raise OutcomeError("the outcome must hold numbers, as outcome_type='numeric' says")
        known = np.ones(n, dtype=bool) if column.bad is None else ~column.bad
        return cls("numeric", known, grid.steps(np.where(known, column.values, 0.0)), grid)


def _read(source: InputFrame, outcome: Any) -> Column:
    return read_quietly(
        lambda: read_along(source, "outcome", outcome),
        "outcome= must be the name of a column, or a one-dimensional array of as many values as "
        "the frame has rows, of a type that outcomes have",
    )


def _is_target(column: Column, target: Any) -> tuple[BoolArray, Whole]:
    """Which rows have a class, and which of those the target."""
    if isinstance(column, EmptyColumn):
        return np.zeros(len(column), dtype=bool), np.zeros(len(column), dtype=np.int64)
    if isinstance(column, NumericColumn):
        bad = np.zeros(len(column), dtype=bool) if column.bad is None else column.bad
        is_target = np.asarray(column.values == target) & ~bad
        return ~bad, np.broadcast_to(is_target, bad.shape).astype(np.int64)
    codes, levels = column.encode()
    known = codes < len(levels)
    return known, (known & (codes == levels.codes_of([target])[0])).astype(np.int64)


def sums(cell: Whole, y: Whole, n_cells: int) -> Whole:
    """Sum whole numbers by cell, exactly."""
    found = np.zeros(n_cells, dtype=np.int64)
    np.add.at(found, cell, y)
    return found


def as_units(steps: FloatArray | float, grid: Grid) -> Any:
    """Means in steps as numbers, cut off at the ends of the range."""
    return np.clip(grid.middle + np.asarray(steps) / STEPS * grid.half, grid.low, grid.high)
