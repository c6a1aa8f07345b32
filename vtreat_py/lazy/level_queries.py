"""Sums of the outcome by level and fold, by one GROUP BY for each categorical column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.frames.levels import Levels
from vtreat_py.lazy.aggregates import Asked, floats, grouped, one_where, value_where
from vtreat_py.lazy.columns import LazyLevels, PlainColumn
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.rows import DesignRows, Y
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums

# A row of an answer has the cells of a level side by side, so many of them; further ones are in
# further rows. So each level comes back once, or a few times, and not once for each fold.
_SIDE_BY_SIDE = 32
# Inner squares below this share of the raw squares have lost digits to cancellation.
_CANCELLED = 1e-4
_LEVEL, _CELL, _BAND, _FIRST = "level", "cell", "band", "first_row"


# Levels in the order of their smallest row id, or of their code points where no row id is named; a
# table for each contrast; rows of each level that count, and of the missing one.
LevelSums = tuple[Levels, list[LevelTable], IntArray]


def level_values(
    column: LazyLevels,
    levels: Levels,
    frame: nw.LazyFrame[Any],
    value: nw.Expr,
    times: PlainColumn | None = None,
) -> OutcomeSums:
    """Sum an expression by level, over the rows of a frame, each counting as one, or so often."""
    if times is not None:
        return _repeated_values(column, levels, frame, value, times.value)
    asked: dict[str, Asked] = {
        "rows": ("count", value),
        "total": ("sum", value),
        "inner": ("var", value),
    }
    table = grouped(frame, {_LEVEL: column.level}, asked)
    code = column.codes(levels, table[_LEVEL])
    rows, total, inner = np.zeros((3, len(levels) + 1))
    rows[code], total[code] = floats(table, "rows"), floats(table, "total")
    inner[code] = np.nan_to_num(floats(table, "inner")) * rows[code]
    return OutcomeSums(rows, total, inner)


def _repeated_values(
    column: LazyLevels,
    levels: Levels,
    frame: nw.LazyFrame[Any],
    value: nw.Expr,
    times: nw.Expr,
) -> OutcomeSums:
    """The same of rows that are there several times; the expression is 0 on the average."""
    of_rows = {"rows": times, "total": times * value, "squares": times * value * value}
    table = grouped(
        frame, {_LEVEL: column.level}, {name: ("sum", one) for name, one in of_rows.items()}
    )
    code = column.codes(levels, table[_LEVEL])
    found = np.zeros((3, len(levels) + 1))
    found[:, code] = [floats(table, name) for name in of_rows]
    rows, total, squares = found
    inner = squares - total * total / np.where(rows > 0, rows, 1.0)
    return OutcomeSums(rows, total, np.maximum(inner, 0.0))


def level_sums(rows: DesignRows, column: LazyLevels) -> LevelSums:
    """Sum the outcome by level and fold."""
    # Each row has an outcome; engines make the column once for all sums of it.
    wanted: dict[str, Asked] = {"rows": ("count", nw.lit(1) if rows.n_classes else nw.col(Y))}
    if rows.weight is not None:
        wanted["counted"] = "count", one_where(rows.counts)
        wanted["weight"] = "sum", rows.w
    return (_class_sums if rows.n_classes else _number_sums)(rows, column, wanted)


def _class_sums(rows: DesignRows, column: LazyLevels, wanted: dict[str, Asked]) -> LevelSums:
    """Rows by level, fold and class are all there is to know."""
    answer = _Answer.of(rows, column, rows.of([column]), wanted)

    def by_class(name: str) -> list[FloatArray]:
        """Sums of each class, as matrices of levels and folds."""
        cells = answer.matrix(name)
        return [cells[:, k :: rows.n_classes] for k in range(rows.n_classes)]

    sums = by_class("rows" if rows.weight is None else "weight")
    some = reduce(np.add, by_class("rows")) > 0
    weight = reduce(np.add, sums)[some]
    cells = [OutcomeSums(weight, sums[k][some], None, 0.0) for k in rows.contrasted]
    return answer.sums(some, cells)


def _number_sums(rows: DesignRows, column: LazyLevels, wanted: dict[str, Asked]) -> LevelSums:
    """Weight, sum and squares of a numeric outcome; zeros without outcome."""
    y = nw.col(Y)
    wanted["total"] = "sum", rows.weighted(y)
    if rows.weight is None:
        wanted["inner"] = "var", y
    else:
        wanted["raw"] = "sum", rows.w * y * y
    answer = _Answer.of(rows, column, rows.of([column]), wanted)
    count, total = answer.matrix("rows"), answer.matrix("total")
    if rows.weight is None:
        weight, inner = count, answer.matrix("inner") * count
    else:
        weight, raw = answer.matrix("weight"), answer.matrix("raw")
        inner = np.maximum(raw - total * total / np.where(weight > 0, weight, 1.0), 0.0)
        inner[count <= 1] = 0.0
        cancelled = (inner < _CANCELLED * raw)[count > 1].any()
        # Dask has no windows over joined frames: there, such digits stay lost.
        if cancelled and rows.source.engine != "dask":
            inner = _inner_squares(rows, column)
    some = count > 0
    centre = 0.0 if rows.outcome is None else rows.outcome.centre
    return answer.sums(some, [OutcomeSums(weight[some], total[some], inner[some], centre)])


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
    return _Answer.of(rows, column, apart, {"inner": ("sum", squares)}).matrix("inner")


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

    rows: DesignRows
    levels: Levels
    table: pa.Table
    code: IntArray
    band: IntArray | None
    _matrices: dict[str, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: DesignRows,
        column: LazyLevels,
        frame: nw.LazyFrame[Any],
        wanted: Mapping[str, Asked],
    ) -> _Answer:
        """Ask for sums of a frame of the rows."""
        width = min(rows.n_cells, _SIDE_BY_SIDE)
        place, keys = nw.col(_CELL), {_LEVEL: column.level}
        if rows.n_cells > width:
            place = nw.col(_CELL) % width
            keys[_BAND] = (nw.col(_CELL) - place) // width
        asked: dict[str, Asked] = {
            f"{name}{k}": (how, value_where(place == k, value))
            for k in range(width)
            for name, (how, value) in wanted.items()
        }
        if rows.row_id is not None:
            asked[_FIRST] = "min", rows.row_id.value
        table = grouped(frame.with_columns(rows.cell.alias(_CELL)), keys, asked)
        labels, code = _encoded(table[_LEVEL].combine_chunks(), repeated=_BAND in keys)
        number, levels = np.empty(len(labels) + 1, dtype=np.int32), column.known
        if levels is None:
            order = _order(table, labels, code)
            number[order] = np.arange(len(labels))
            levels = column.levels(labels.take(pa.array(order)))
        else:
            number[:-1] = column.codes(levels, pa.chunked_array([labels]))
        number[-1] = levels.missing
        band = np.asarray(table[_BAND].to_numpy()) if _BAND in keys else None
        return cls(rows, levels, table, number[code], band)

    def matrix(self, name: str) -> FloatArray:
        """Sums by level and cell."""
        if name not in self._matrices:
            self._matrices[name] = self._matrix(name)
        return self._matrices[name]

    def _matrix(self, name: str) -> FloatArray:
        """Put rows of the answer in place whole, as levels lie far from each other in memory."""
        n_cells = self.rows.n_cells
        found = np.zeros((len(self.levels) + 1, n_cells))
        for band, start in enumerate(range(0, n_cells, _SIDE_BY_SIDE)):
            here: slice | BoolArray = slice(None) if self.band is None else self.band == band
            code, cells = self.code[here], slice(start, min(start + _SIDE_BY_SIDE, n_cells))
            sums = [self._column(f"{name}{k}")[here] for k in range(cells.stop - start)]
            for piece in blocks(len(code)):
                found[code[piece], cells] = np.array([one[piece] for one in sums]).T
        return found

    def _column(self, name: str) -> NumberArray:
        """Sums of all rows of the answer; what no row has is 0."""
        values: NumberArray = self.table[name].to_numpy()
        if values.dtype.kind in "iu" or np.isfinite(values).all():
            return values
        return np.asarray(np.nan_to_num(values))

    def sums(self, some: BoolArray, cells: list[OutcomeSums]) -> LevelSums:
        """Sums of the (level, fold) cells that rows have, for each contrast."""
        n_levels, n_folds = some.shape
        level = np.repeat(np.arange(n_levels, dtype=np.int32), np.count_nonzero(some, axis=1))
        each = np.arange(n_folds, dtype=np.min_scalar_type(n_folds))
        fold = np.broadcast_to(each, some.shape)[some]
        tables = [LevelTable(n_levels, n_folds, level, fold, one) for one in cells]
        counted = self.matrix("rows" if self.rows.weight is None else "counted")
        return self.levels, tables, counted.sum(axis=1).astype(np.int64)


def _encoded(text: pa.Array, *, repeated: bool) -> tuple[pa.Array, IntArray]:
    """Labels of an answer, each once, and the place of each row's among them; the last: missing."""
    if repeated:
        encoded = text.dictionary_encode()
        return encoded.dictionary, np.asarray(encoded.indices.fill_null(len(encoded.dictionary)))
    known = np.asarray(text.is_valid())
    labels = text.drop_null()
    return labels, np.where(known, np.cumsum(known) - 1, len(labels))


def _order(table: pa.Table, labels: pa.Array, code: IntArray) -> IntArray:
    """Order of the levels: by first row id, and those that share one by code points."""
    if _FIRST not in table.column_names:
        return np.asarray(pc.array_sort_indices(labels))
    first = np.full(len(labels) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, code, table[_FIRST].to_numpy())
    order = np.argsort(first[:-1])
    if (np.diff(first[order]) > 0).all():
        return order
    both = pa.table({"first": first[:-1], "label": labels})
    return np.asarray(pc.sort_indices(both, [("first", "ascending"), ("label", "ascending")]))
