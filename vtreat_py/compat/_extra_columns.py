"""Columns added to the frame before it is treated: marks of missing levels, user transforms.

The plan treats them as any numeric column, and scores them. What a y-aware transform gives
training rows is learned on the other folds, so the plan's scores of it are out of fold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import FrameError, OptionTypeError
from vtreat_py.compat._codes import derived_name
from vtreat_py.compat._frames import has_gaps, missing_marks, part
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame

Claim = Callable[[str], str]
Pairs = Sequence[tuple[IntArray, IntArray]]


@dataclass(frozen=True)
class ExtraColumn:
    """A column that is added: its name in the frame, and what the score frame says of it."""

    name: str
    orig_variable: Hashable
    treatment: str
    y_aware: bool = False


@dataclass(frozen=True, eq=False)
class MissingMark:
    """Marks the rows in which a column of levels is missing."""

    column: ExtraColumn

    @property
    def columns(self) -> tuple[ExtraColumn, ...]:
        """The columns that are added."""
        return (self.column,)

    @property
    def inputs(self) -> tuple[Hashable, ...]:
        """The columns that are read."""
        return (self.column.orig_variable,)

    def values(self, source: InputFrame) -> list[FloatArray]:
        """Return the added columns of any frame."""
        return [missing_marks(source, self.column.orig_variable)]


@dataclass(frozen=True, eq=False)
class FittedTransform:
    """A user transform that was fitted on all rows.

    Attributes
    ----------
    made : tuple of str
        What the transform calls its columns.
    """

    transform: Any
    made: tuple[str, ...]
    columns: tuple[ExtraColumn, ...]
    inputs: tuple[Hashable, ...]

    def values(self, source: InputFrame) -> list[FloatArray]:
        """Return the added columns of any frame."""
        return _numbers(self.transform, part(source, self.inputs), source.n_rows, self.made)


Extra = MissingMark | FittedTransform


def mark_missing(
    source: InputFrame, level_columns: Iterable[Hashable], claim: Claim
) -> list[MissingMark]:
    """Make a mark for each column of levels that has missing values."""
    return [
        MissingMark(ExtraColumn(claim(derived_name(c, "isBAD")), c, "missing_indicator"))
        for c in level_columns
        if has_gaps(source, c)
    ]


def fit_transform_of_user(
    transform: Any,
    source: InputFrame,
    variables: Sequence[Hashable],
    y: Any,
    pairs: Pairs,
    claim: Claim,
) -> tuple[FittedTransform, list[FloatArray]]:
    """Fit a user transform on all rows; its columns for the training rows come out of fold.

    Raises
    ------
    FrameError, OptionTypeError
        If it does not return a frame of numbers, a row for each row, the same columns always.
    """
    y_aware = bool(getattr(transform, "y_aware_", True)) and y is not None
    y = y if y_aware else None
    fitted = deepcopy(transform)
    fitted.fit(part(source, variables), y)
    inputs = tuple(getattr(fitted, "incoming_vars_", ())) or tuple(variables)
    strange = [c for c in inputs if c not in variables]
    if strange:
        raise FrameError(
            f"{type(fitted).__name__}.incoming_vars_ names {strange}, which are not treated"
        )
    made = _frame(fitted, part(source, inputs), source.n_rows).columns
    treatment = str(getattr(fitted, "treatment_", type(fitted).__name__))
    origins = inputs if len(inputs) == len(made) else tuple(made)
    columns = tuple(
        ExtraColumn(claim(str(name)), origin, treatment, y_aware)
        for name, origin in zip(made, origins, strict=True)
    )
    learned = FittedTransform(fitted, tuple(map(str, made)), columns, inputs)
    if not y_aware:
        return learned, learned.values(source)
    values = [np.full(source.n_rows, np.nan) for _ in made]
    for train, app in pairs:
        held_out = deepcopy(transform)
        held_out.fit(part(source, variables, train), y[train])
        coded = _numbers(held_out, part(source, inputs, app), len(app), learned.made)
        for column, own in zip(values, coded, strict=True):
            column[app] = own
    return learned, values


def _frame(transform: Any, X: Any, n_rows: int) -> InputFrame:
    result = transform.transform(X)
    who = type(transform).__name__
    try:
        made = InputFrame.of(result)
    except OptionTypeError as reason:
        raise OptionTypeError(
            f"{who}.transform returned {type(result).__name__}; it must return a data frame"
        ) from reason
    if made.n_rows != n_rows:
        raise FrameError(f"{who}.transform returned {made.n_rows} rows for {n_rows} rows")
    return made


def _numbers(transform: Any, X: Any, n_rows: int, names: Sequence[str]) -> list[FloatArray]:
    made = _frame(transform, X, n_rows)
    who = type(transform).__name__
    if set(map(str, made.columns)) != set(names):
        raise FrameError(
            f"{who}.transform returned the columns {list(made.columns)}, but {list(names)} when "
            "fitted on all rows; it must always return the same ones"
        )
    columns = {str(c): made.read(c) for c in made.columns}
    for name, column in columns.items():
        if not isinstance(column, NumericColumn):
            raise FrameError(
                f"{who}.transform returned the column {name!r}, which holds no numbers"
            )
    return [np.asarray(columns[name].values, dtype=np.float64) for name in names]  # type: ignore[union-attr]
