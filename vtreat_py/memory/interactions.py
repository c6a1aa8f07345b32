"""Every pair of columns of a design in memory: what its cells say beyond the two columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.jobs import run_tasks
from vtreat_py.base.progress import progress_line
from vtreat_py.design.checks import no_names
from vtreat_py.frames.columns import Column, NumericColumn
from vtreat_py.memory.cut_columns import CutColumn
from vtreat_py.memory.design import Design
from vtreat_py.memory.pair_rows import GroupedRows, PairRows
from vtreat_py.significance.interaction import ClassCells, NumberCells
from vtreat_py.statistics.additive import additive_log_odds
from vtreat_py.statistics.interaction_gain import gain_of_classes, gain_of_numbers
from vtreat_py.statistics.pair_cells import PairCells

# Place of the first and the second column, rsq and sig.
PairScore = tuple[int, int, float, float]
CellsOf = Callable[[GroupedRows], PairCells]


@dataclass(frozen=True, eq=False)
class InteractionSearch:
    """The columns of a design, cut, and its rows.

    Attributes
    ----------
    columns : list of CutColumn
    rows : PairRows
    n_jobs : int or None
    progress : bool
    """

    columns: list[CutColumn]
    rows: PairRows
    n_jobs: int | None
    progress: bool

    @classmethod
    def of(cls, design: Design) -> InteractionSearch:
        """Cut the columns."""
        weight, categorical = design.rows.outcome.weight, design.source.categorical

        def cut(column: Column) -> CutColumn:
            if isinstance(column, NumericColumn) and column.name in categorical:
                raise no_names(column.name, column.kind)
            return CutColumn.of(column, weight, partial(design.source.read, column.name))

        columns = replace(design, progress=False).each_column(cut)
        return cls(columns, PairRows(design.rows), design.n_jobs, design.progress)

    def scores(self) -> list[PairScore]:
        """Look at all pairs."""
        n = len(self.columns)
        with progress_line(n * (n - 1) // 2, self.progress, "pair") as advance:

            def of_first(first: int) -> list[PairScore]:
                pairs = _PairsOfFirst(self.columns[first], self.rows)
                found = []
                for second in range(first + 1, n):
                    found.append((first, second, *pairs.score(self.columns[second])))
                    advance()
                return found

            every = run_tasks(of_first, range(n - 1), self.n_jobs)
        return [one for scores in every for one in scores]


class _PairsOfFirst:
    """The pairs that one column is the first of."""

    def __init__(self, first: CutColumn, rows: PairRows) -> None:
        self._first, self._rows = first, rows
        self._code: dict[GroupedRows, IntArray] = {}

    def score(self, second: CutColumn) -> tuple[float, float]:
        """Return rsq and sig; of several classes of the best, in view of their number."""
        rows = self._rows
        sums = {rows.blocks: self._sums(second, rows.blocks)}

        def cells(number: int, grouped: GroupedRows) -> PairCells:
            if grouped not in sums:
                sums[grouped] = self._sums(second, grouped)
            return _cells(sums[grouped], number, rows)

        whole, beside = self._common(second, cells(0, rows.blocks)).merged(), None
        if not whole.weight.any():
            return 0.0, 1.0
        if whole.are_related:
            beside = rows.beside(self._first, second, whole.weight)
        if not rows.of_class:
            return self._number(second, partial(cells, 0), beside)
        classes = range(rows.n_classes) if rows.n_classes > 2 else (1,)
        found = [self._class(second, partial(cells, k), beside) for k in classes]
        return max(r for r, _ in found), min(1.0, len(found) * min(p for _, p in found))

    def _common(self, second: CutColumn, cells: PairCells) -> PairCells:
        """Rows of common levels: many as one do not add up where they go with different others."""
        return cells.without(self._first.others, second.others)

    def _sums(self, second: CutColumn, grouped: GroupedRows) -> FloatArray:
        if grouped not in self._code:
            self._code[grouped] = self._rows.by_first(self._first, grouped)
        return self._rows.sums(self._code[grouped], self._first, second, grouped)

    def _coded(self, of: CellsOf) -> PairCells:
        """Rows that folds code, of all levels."""
        return self._rows.coded_by(of(self._rows.blocks), of)

    def _number(
        self, second: CutColumn, of: CellsOf, beside: FloatArray | None
    ) -> tuple[float, float]:
        blocks, everyone = self._common(second, of(self._rows.blocks)), self._coded(of)
        whole, coded = blocks.merged(), self._common(second, everyone)
        trained = self._rows.trained_by(blocks, lambda some: self._common(second, of(some)))
        total = trained.total * trained.worth
        gain = gain_of_numbers(
            trained.size, total, trained.inner, coded.weight, coded.total, beside
        )
        weight, total_of_all = everyone.weight.sum(), everyone.total.sum()
        squares = float(everyone.squares.sum() - total_of_all**2 / weight)
        tested = NumberCells(whole.size, whole.total * whole.worth, whole.inner, beside)
        residuals = partial(self._rows.residuals, self._first, second, whole)
        return _share(gain, squares), tested.interaction(residuals)

    def _class(
        self, second: CutColumn, of: CellsOf, beside: FloatArray | None
    ) -> tuple[float, float]:
        blocks, everyone = self._common(second, of(self._rows.blocks)), self._coded(of)
        whole, coded = blocks.merged(), self._common(second, everyone)
        trained = self._rows.trained_by(blocks, lambda some: self._common(second, of(some)))
        hits = whole.total * whole.worth
        log_odds = additive_log_odds(whole.size, hits, None, beside)
        gain = gain_of_classes(
            trained.size, trained.total * trained.worth, log_odds, coded.weight, coded.total, beside
        )
        counts = np.array([everyone.total.sum(), (everyone.weight - everyone.total).sum()])
        deviance = 2.0 * float(-special.xlogy(counts, counts / counts.sum()).sum())
        tested = ClassCells(whole.size, hits, log_odds, beside)
        return _share(gain, deviance), tested.interaction()


def _cells(sums: FloatArray, number: int, rows: PairRows) -> PairCells:
    """Cells of a number, or of one class."""
    weight = sums[0].sum(axis=0)
    of_squares = None if rows.counts_rows else sums[-1].sum(axis=0)
    total, squares = (sums[0][number],) * 2 if rows.of_class else (sums[1][0], sums[2][0])
    return PairCells(weight, total, squares, of_squares)


def _share(gain: float, whole: float) -> float:
    return min(max(gain / whole, 0.0), 1.0) if whole > 0 else 0.0
