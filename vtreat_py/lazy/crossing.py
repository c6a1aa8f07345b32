"""The cross-frame of a lazy frame: values looked up by level and fold, in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.coders.forms import Copy, FoldCurves, FoldForm
from vtreat_py.lazy.arithmetic import clipped, coded, scaled
from vtreat_py.lazy.columns import LazyLevels, LazyNumber, exactly, kept_column, typed_frame
from vtreat_py.lazy.folds import FOLD, LazyFolds
from vtreat_py.lazy.ranges import place_of
from vtreat_py.lazy.tables import LevelValues, Lookup, completed

# Numbers of so many folds are written into the query, where few rows are given them.
_FEW_FOLDS = 20


@dataclass(frozen=True, eq=False)
class LevelCells:
    """The variables of a column of levels, each a value for every (level, fold) that has rows.

    Attributes
    ----------
    column : LazyLevels
    levels : pyarrow.Array of large_string or large_binary, shape (n_levels,)
    level : ndarray of int, shape (cells,)
        Place of each cell's level among the levels; ``n_levels`` stands for missing.
    fold : ndarray of int, shape (cells,)
    values : dict from name of a variable to ndarray of shape (cells,)
        Scaled, where that is wanted.
    """

    column: LazyLevels
    levels: pa.Array
    level: IntArray
    fold: IntArray
    values: dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class NumberFolds:
    """One variable of a column of numbers, as each fold's training rows have it.

    Attributes
    ----------
    column : LazyNumber
    name : str
        Name of the variable.
    form : Copy, Steps or FoldCurves
        How a number becomes that of the variable, by fold.
    scaling : (slope, mean), each of shape (n_folds,), or None
        y-aware scaling, where that is wanted.
    """

    column: LazyNumber
    name: str
    form: FoldForm
    scaling: tuple[FloatArray, FloatArray] | None = None


def cross_lazy(
    folds: LazyFolds,
    parts: Sequence[LevelCells | NumberFolds],
    names: Sequence[str],
    feature_names: Sequence[str],
    row_id: str | None = None,
) -> Any:
    """Build the query for a cross-frame, a lazy frame of the caller's kind; no data is read.

    Its rows are in no certain order. A row whose (level, fold) has no cell gets null: there is
    none, unless the data changed since the design.

    Parameters
    ----------
    folds : LazyFolds
        The folds, and the frame they are of.
    parts : sequence of LevelCells and NumberFolds
        Where the values of the variables come from.
    names : sequence of str
        The variables, in the order of the cross-frame.
    feature_names : sequence of str
        All variables of the plan.
    row_id : column name or None
        A column of the frame to put in front, as it is.

    Raises
    ------
    FrameError, InvalidOptionError
        As `LazySource.output_names`.
    """
    source = folds.source
    first = [] if row_id is None else [row_id]
    output = [*first, *source.output_names(feature_names, names, first)]
    kept = [kept_column(source, name) for name in first]
    columns = [part.column for part in parts]
    rows = folds.attached(typed_frame(source, [*columns, folds.column, *kept]))
    draft = _Draft(folds.n_folds)
    for part in parts:
        if isinstance(part, LevelCells):
            draft.add_levels(part)
        else:
            draft.add_number(part)
    if draft.places:
        rows = rows.with_columns(**draft.places)
    values = {f"v{i}": draft.values[name] for i, name in enumerate(names)}
    aliases = [*(c.alias for c in kept), *values]
    return completed(source, rows, draft.lookups(), values, zip(aliases, output, strict=True))


@dataclass(eq=False)
class _Draft:
    """What is to be computed, and the tables that must be joined for it.

    Attributes
    ----------
    values : dict from name of a variable to its expression
    by_fold : dict from alias to ndarray of shape (n_folds,)
        Columns of the one table that is joined by fold.
    by_cell : list of Lookup
        Tables that are joined by level and fold.
    by_piece : dict from alias of a column to dict from alias to ndarray of shape (cells,)
        Columns of the tables that are joined by piece of curves and fold.
    places : dict from alias to expression
        Columns that such tables are joined by.
    """

    n_folds: int
    values: dict[str, nw.Expr] = field(default_factory=dict)
    by_fold: dict[str, FloatArray] = field(default_factory=dict)
    by_cell: list[Lookup] = field(default_factory=list)
    by_piece: dict[str, dict[str, NumberArray]] = field(default_factory=dict)
    places: dict[str, nw.Expr] = field(default_factory=dict)

    def add_number(self, part: NumberFolds) -> None:
        """Plan a variable of a column of numbers."""
        if isinstance(part.form, FoldCurves):
            value = self._along(part.column, part.form)
        elif isinstance(part.form, Copy) and part.form.cuts is None:
            value = coded(part.column, part.form, self._of_few_rows)
        else:
            value = coded(part.column, part.form, self._of_fold)
        if part.scaling is not None:
            value = scaled(value, *map(self._of_fold, part.scaling))
        self.values[part.name] = value

    def _along(self, column: LazyNumber, form: FoldCurves) -> nw.Expr:
        """Plan a curve: values and slopes of its pieces are joined by piece and fold."""
        knots, number = form.knots, column.value
        if column.alias not in self.by_piece:
            self.places[f"{column.alias}_piece"] = place_of(number, [*knots.tolist(), np.inf])
            n_pieces = len(knots) + 1
            unit = np.ones(n_pieces) if form.unit is None else form.unit
            self.by_piece[column.alias] = {
                f"{column.alias}_of": np.repeat(np.arange(n_pieces), self.n_folds),
                f"{column.alias}_in": np.tile(np.arange(self.n_folds), n_pieces),
                f"{column.alias}_start": np.repeat(form.start / unit, self.n_folds),
            }
            if form.unit is not None:
                self.by_piece[column.alias][f"{column.alias}_unit"] = np.repeat(unit, self.n_folds)
        joined = self.by_piece[column.alias]
        value, slope = (f"{column.alias}_{what}{len(joined)}" for what in ("value", "slope"))
        joined[value] = form.value[: self.n_folds].T.ravel()
        joined[slope] = form.slope[: self.n_folds].T.ravel()
        inside = clipped(number, float(knots[0]), float(knots[-1]))
        if form.unit is not None:
            inside = inside / nw.col(f"{column.alias}_unit")
        rise = (inside - nw.col(f"{column.alias}_start")) * nw.col(slope)
        code = nw.when(nw.col(slope) == 0.0).then(nw.col(value)).otherwise(rise + nw.col(value))
        return nw.when(number.is_finite()).then(code).otherwise(self._of_few_rows(form.bad))

    def add_levels(self, part: LevelCells) -> None:
        """Plan the variables of a column of levels."""
        table = f"t{len(self.by_cell)}"
        known = part.level < len(part.levels)
        joined: dict[str, FloatArray] = {}
        for name, values in part.values.items():
            everywhere = _by_level(part, values)
            if everywhere is not None:
                self.values[name] = everywhere
                continue
            missing = np.zeros(self.n_folds)
            missing[part.fold[~known]] = values[~known]
            place = f"{table}_{len(joined)}"
            joined[place] = values[known]
            found = nw.when(part.column.is_missing).then(self._of_few_rows(missing))
            self.values[name] = found.otherwise(nw.col(place))
        if joined:
            level, fold = part.levels.take(part.level[known]), part.fold[known].astype(np.int64)
            cells = pa.table({f"{table}_level": level, f"{table}_fold": fold, **joined})
            on = {part.column.alias: f"{table}_level", FOLD: f"{table}_fold"}
            self.by_cell.append(Lookup(cells, on))

    def lookups(self) -> list[Lookup]:
        """All tables to join."""
        by_piece = [
            Lookup(pa.table(joined), {f"{alias}_piece": f"{alias}_of", FOLD: f"{alias}_in"})
            for alias, joined in self.by_piece.items()
        ]
        if not self.by_fold:
            return [*by_piece, *self.by_cell]
        table = pa.table({"fold_number": np.arange(self.n_folds), **self.by_fold})
        return [Lookup(table, {FOLD: "fold_number"}), *by_piece, *self.by_cell]

    def _of_fold(self, values: float | FloatArray) -> nw.Expr:
        """A number that may depend on the fold; a literal where it does not."""
        values = np.atleast_1d(values)[: self.n_folds].copy()
        if len(np.unique(values.view(np.int64))) == 1:
            return exactly(float(values[0]))
        alias = f"f{len(self.by_fold)}"
        self.by_fold[alias] = values
        return nw.col(alias)

    def _of_few_rows(self, values: float | FloatArray) -> nw.Expr:
        """The same, by comparisons: a join would copy all columns of all rows for some of them."""
        values = np.atleast_1d(values)[: self.n_folds]
        if self.n_folds > _FEW_FOLDS or (values == values[0]).all():
            return self._of_fold(values)
        first, *others = values.tolist()
        result = exactly(first)
        for fold, number in enumerate(others, 1):
            result = nw.when(nw.col(FOLD) == fold).then(exactly(number)).otherwise(result)
        return result


def _by_level(part: LevelCells, values: FloatArray) -> nw.Expr | None:
    """A variable that does not depend on the fold, and is 0 at most levels, such as an indicator.

    None for all others.
    """
    table = np.zeros(len(part.levels) + 1)
    table[part.level] = values
    if not np.array_equal(table[part.level].view(np.int64), values.view(np.int64)):
        return None
    by_level = LevelValues(part.levels, table[:-1], float(table[-1]), 0.0)
    if not by_level.few():
        return None
    return by_level.spelt_out(part.column.level, part.column.is_missing)
