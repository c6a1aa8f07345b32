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
from vtreat_py.compat._codes import Variable, derived_name
from vtreat_py.compat._frames import has_gaps, holds_levels, part
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame

Claim = Callable[[str], str]
Pairs = Sequence[tuple[IntArray, IntArray]]


@dataclass(frozen=True, eq=False)
class Extra:
    """Columns that are added, and what makes them.

    A user transform that was fitted on all rows; ``made`` is what it calls its columns. It needs
    ``inputs``, and is shown those of ``shown`` that a frame has. Or None: marks of the rows in
    which the one input, a column of levels, is missing.
    """

    columns: tuple[Variable, ...]
    inputs: tuple[Hashable, ...]
    transform: Any = None
    made: tuple[str, ...] = ()
    shown: tuple[Hashable, ...] = ()

    def values(self, source: InputFrame) -> dict[str, FloatArray]:
        """Return the added columns of any frame, by their names."""
        if self.transform is None:
            marks = source.series(self.inputs[0]).is_null().to_numpy()
            made = [np.asarray(marks, dtype=np.float64)]
        else:
            shown = part(source, [c for c in self.shown if c in source.columns])
            made = _numbers(self.transform, shown, source.n_rows, self.made)
        return {column.name: v for column, v in zip(self.columns, made, strict=True)}


def mark_missing(source: InputFrame, columns: Iterable[Hashable], claim: Claim) -> list[Extra]:
    """Make a mark for each column of levels that has missing values."""
    marked = [c for c in columns if has_gaps(source, c) and holds_levels(source, c)]
    names = [(c, claim(derived_name(c, "isBAD"))) for c in marked]
    return [Extra((Variable(n, n, c, "missing_indicator"),), (c,)) for c, n in names]


def fit_transform_of_user(
    transform: Any,
    source: InputFrame,
    variables: Sequence[Hashable],
    y: Any,
    pairs: Pairs,
    claim: Claim,
) -> tuple[Extra, dict[str, FloatArray]]:
    """Fit a user transform on all rows; its columns for the training rows come out of fold.

    It must return a frame of numbers, a row for each row, the same columns always.
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
    made = tuple(map(str, _frame(fitted, part(source, variables), source.n_rows).columns))
    treatment = str(getattr(fitted, "treatment_", type(fitted).__name__))
    origins = inputs if len(inputs) == len(made) else made
    named = [(claim(name), origin) for name, origin in zip(made, origins, strict=True)]
    columns = tuple(Variable(name, name, of, treatment, y_aware) for name, of in named)
    learned = Extra(columns, inputs, fitted, made, tuple(variables))
    if not y_aware:
        return learned, learned.values(source)
    values = {name: np.full(source.n_rows, np.nan) for name, _ in named}
    for train, app in pairs:
        held_out = deepcopy(transform)
        held_out.fit(part(source, variables, train), y[train])
        coded = _numbers(held_out, part(source, variables, app), len(app), made)
        for column, own in zip(values.values(), coded, strict=True):
            column[app] = own
    return learned, values


def _frame(transform: Any, X: Any, n_rows: int) -> InputFrame:
    result, who = transform.transform(X), type(transform).__name__
    try:
        made = InputFrame.of(result)
    except (OptionTypeError, FrameError) as reason:
        raise OptionTypeError(
            f"{who}.transform returned {type(result).__name__}; it must return a data frame, "
            "whose columns have names of their own"
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
    values = {}
    for name in made.columns:
        column = made.read(name)
        if not isinstance(column, NumericColumn):
            raise FrameError(
                f"{who}.transform returned the column {str(name)!r}, which holds no numbers"
            )
        values[str(name)] = np.asarray(column.values, dtype=np.float64)
    return [values[name] for name in names]
