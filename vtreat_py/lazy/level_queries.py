"""Sums of the outcome by level and fold, by one GROUP BY for each categorical column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.aggregates import How, floats, grouped, one_where, value_where
from vtreat_py.lazy.columns import LazyLevels
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums

# A row of an answer has the cells of a level side by side, so many of them; further ones are in
# further rows. So each level comes back once, or a few times, and not once for each fold.
_SIDE_BY_SIDE = 32
# Inner squares below this share of the raw squares have lost digits to cancellation.
_CANCELLED = 1e-4
_LEVEL, _CELL, _BAND, _FIRST = "level", "cell", "band", "first_row"


@dataclass(frozen=True, eq=False)
class LevelSums:
    """The levels of a column, and the outcome in each of them, fold by fold.

    Attributes
    ----------
    levels : Levels
        In the order of their smallest row id, or of their code points where no row id is named.
    tables : list of LevelTable
        One; with several classes one for each.
    n_rows : ndarray of int, shape (n_levels + 1,)
        Rows of each level that count, and of the missing one.
    """

    levels: Levels
    tables: list[LevelTable]
    n_rows: IntArray


def level_values(
    column: LazyLevels, levels: Levels, frame: nw.LazyFrame[Any], value: nw.Expr
) -> OutcomeSums:
    """Sum an expression by level, over the rows of a frame, each counting as one."""
    asked: dict[str, tuple[How, nw.Expr]] = {
        "rows": ("count", value),
        "total": ("sum", value),
        "inner": ("var", value),
    }
    table = grouped(frame, {_LEVEL: column.level}, asked)
    code = levels.codes_of_text(table[_LEVEL].combine_chunks().cast(levels.labels.type))
    rows, total, inner = np.zeros((3, len(levels) + 1))
    rows[code], total[code] = floats(table, "rows"), floats(table, "total")
    inner[code] = np.nan_to_num(floats(table, "inner")) * rows[code]
    return OutcomeSums(rows, total, inner)


def level_sums(rows: DesignRows, column: LazyLevels) -> LevelSums:
    """Sum the outcome by level and fold."""
    if rows.n_classes:
        return _class_sums(rows, column)
    return _number_sums(rows, column)


def _class_sums(rows: DesignRows, column: LazyLevels) -> LevelSums:
    """Rows by level, fold and class are all there is to know."""
    n_classes, n_folds = rows.n_classes, rows.n_folds
    cell = nw.col(FOLD) * n_classes + nw.col(Y)
    answer = _Answer.of(rows, column, rows.of([column]), cell, n_folds * n_classes, _counts(rows))

    def by_class(name: str) -> list[FloatArray]:
        """Sums of each class, as matrices of levels and folds."""
        cells = answer.matrix(name, n_folds * n_classes)
        return [cells[:, k::n_classes] for k in range(n_classes)]

    sums = by_class("rows" if rows.weight is None else "weight")
    some = np.add.reduce(by_class("rows")) > 0
    weight, (level, fold) = np.add.reduce(sums)[some], _occupied(some)
    assert rows.outcome is not None
    counted = slice(1, 2) if rows.outcome.kind == "binomial" else slice(None)
    cells = [OutcomeSums(weight, hits[some], None, 0.0) for hits in sums[counted]]
    tables = [LevelTable(len(some), n_folds, level, fold, one) for one in cells]
    n_rows = np.add.reduce(by_class(_counting(rows))).sum(axis=1).astype(np.int64)
    return LevelSums(answer.levels, tables, n_rows)


def _counts(rows: DesignRows) -> dict[str, tuple[How, nw.Expr | None]]:
    """Rows of any weight and, with weights, those that count, and the weight."""
    wanted: dict[str, tuple[How, nw.Expr | None]] = {"rows": ("count", None)}
    if rows.weight is not None:
        wanted["counted"] = ("count", one_where(rows.counts))
        wanted["weight"] = ("sum", rows.w)
    return wanted


def _counting(rows: DesignRows) -> str:
    return "rows" if rows.weight is None else "counted"


def _number_sums(rows: DesignRows, column: LazyLevels) -> LevelSums:
    """Weight, sum and squares of a numeric outcome; zeros without outcome."""
    n_folds, y = rows.n_folds, nw.col(Y)
    wanted = _counts(rows) | {"total": ("sum", rows.weighted(y))}
    wanted |= {"inner": ("var", y)} if rows.weight is None else {"raw": ("sum", rows.w * y * y)}
    answer = _Answer.of(rows, column, rows.of([column]), nw.col(FOLD), n_folds, wanted)
    count = answer.matrix("rows", n_folds)
    weight = count if rows.weight is None else answer.matrix("weight", n_folds)
    total = answer.matrix("total", n_folds)
    if rows.weight is None:
        inner = answer.matrix("inner", n_folds) * count
    else:
        raw = answer.matrix("raw", n_folds)
        inner = np.maximum(raw - total * total / np.where(weight > 0, weight, 1.0), 0.0)
        inner[count <= 1] = 0.0
        cancelled = (inner < _CANCELLED * raw)[count > 1].any()
        # Dask has no windows over joined frames: there, such digits stay lost.
        if cancelled and rows.source.engine != "dask":
            inner = _inner_squares(rows, column)
    some = count > 0
    centre = 0.0 if rows.outcome is None else rows.outcome.centre
    cells = OutcomeSums(weight[some], total[some], inner[some], centre)
    table = LevelTable(len(some), n_folds, *_occupied(some), cells)
    n_rows = answer.matrix(_counting(rows), n_folds).sum(axis=1).astype(np.int64)
    return LevelSums(answer.levels, [table], n_rows)


def _inner_squares(rows: DesignRows, column: LazyLevels) -> FloatArray:
    """Weighted squares about the mean of each cell, by a second look at the rows."""
    y, w = nw.col(Y), rows.w
    frame = rows.of([column])
    keyed = frame.select(*frame.collect_schema(), cell_wy=w * y, cell_w=w, cell_level=column.level)
    whole = nw.col("cell_w").sum().over("cell_level", FOLD)
    total = nw.col("cell_wy").sum().over("cell_level", FOLD)
    apart = keyed.with_columns(cell_total=total, cell_weight=whole).with_columns(
        cell_apart=y - nw.col("cell_total") / nw.col("cell_weight")
    )
    squares = w * nw.col("cell_apart") * nw.col("cell_apart")
    wanted: dict[str, tuple[How, nw.Expr | None]] = {"inner": ("sum", squares)}
    answer = _Answer.of(rows, column, apart, nw.col(FOLD), rows.n_folds, wanted)
    return answer.matrix("inner", rows.n_folds)


@dataclass(frozen=True, eq=False)
class _Answer:
    """Sums by (level, cell), as the engine gave them.

    Attributes
    ----------
    code : ndarray of int, shape (rows of the table,)
        The level of each row of the table; the last is that of missing values.
    band : ndarray of int or None
        Which run of cells it has.
    """

    levels: Levels
    table: pa.Table
    code: IntArray
    band: IntArray | None

    @property
    def n_levels(self) -> int:
        """Number of levels, with that of missing values."""
        return len(self.levels) + 1

    @classmethod
    def of(
        cls,
        rows: DesignRows,
        column: LazyLevels,
        frame: nw.LazyFrame[Any],
        cell: nw.Expr,
        n_cells: int,
        wanted: dict[str, tuple[How, nw.Expr | None]],
    ) -> _Answer:
        """Ask for sums of a frame of the rows; an expression of None counts rows."""
        width = min(n_cells, _SIDE_BY_SIDE)
        keyed = frame.with_columns(cell.alias(_CELL))
        place, keys = nw.col(_CELL), {_LEVEL: column.level}
        if n_cells > width:
            place = nw.col(_CELL) % width
            keys[_BAND] = (nw.col(_CELL) - place) // width
        asked: dict[str, tuple[How, nw.Expr]] = {}
        for k in range(width):
            here = place == k
            for name, (how, value) in wanted.items():
                of_cell = one_where(here) if value is None else value_where(here, value)
                asked[f"{name}{k}"] = how, of_cell
        if rows.row_id is not None:
            asked[_FIRST] = "min", rows.row_id.value
        return cls._read(grouped(keyed, keys, asked), column.known)

    @classmethod
    def _read(cls, table: pa.Table, known: Levels | None) -> _Answer:
        encoded = table[_LEVEL].combine_chunks().dictionary_encode()
        labels, code = encoded.dictionary, encoded.indices.fill_null(len(encoded.dictionary))
        number = np.empty(len(labels) + 1, dtype=np.int32)
        if known is None:
            order = _order(table, labels, np.asarray(code))
            number[order] = np.arange(len(labels))
            levels = Levels.of_text(labels.take(pa.array(order)))
        else:
            number[:-1], levels = known.codes_of(labels.to_pylist()), known
        number[-1] = levels.missing
        band = np.asarray(table[_BAND].to_numpy()) if _BAND in table.column_names else None
        return cls(levels, table.drop_columns(_LEVEL), number[np.asarray(code)], band)

    def cells(self, name: str, cell: int) -> FloatArray:
        """Sums of one cell, by level."""
        band, place = divmod(cell, _SIDE_BY_SIDE)
        values, code = self.table[f"{name}{place}"].to_numpy(), self.code
        if self.band is not None:
            here = self.band == band
            values, code = values[here], code[here]
        found = np.zeros(self.n_levels)
        found[code] = values
        return np.nan_to_num(found, copy=False)

    def matrix(self, name: str, n_cells: int) -> FloatArray:
        """Sums by level and cell."""
        found = np.empty((self.n_levels, n_cells))
        for k in range(n_cells):
            found[:, k] = self.cells(name, k)
        return found


def _order(table: pa.Table, labels: pa.Array, code: IntArray) -> IntArray:
    """Order of the levels: by first row id, and those that share one by code points."""
    if _FIRST not in table.column_names:
        return np.asarray(pc.array_sort_indices(labels))
    first = np.full(len(labels) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, code, table[_FIRST].to_numpy())
    both = pa.table({"first": first[:-1], "label": labels})
    return np.asarray(pc.sort_indices(both, [("first", "ascending"), ("label", "ascending")]))


def _occupied(some: BoolArray) -> tuple[IntArray, IntArray]:
    """Level and fold of the occupied cells."""
    level, fold = np.nonzero(some)
    return level.astype(np.int32), fold.astype(np.min_scalar_type(some.shape[1]))
