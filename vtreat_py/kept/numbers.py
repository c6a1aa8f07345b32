"""A numeric column in kept statistics: sums by value and block of rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import numpy as np

from vtreat_py.base.arrays import IntArray
from vtreat_py.frames.columns import Kind, NumericColumn
from vtreat_py.kept.design import KeptDesign, check_part, moved_sums
from vtreat_py.kept.rows import KeptRows
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.value_table import ValueTable


@dataclass(frozen=True, eq=False)
class KeptNumbers:
    """Sums of a numeric column.

    Attributes
    ----------
    kind : str
        What its numbers stand for.
    table : ValueTable
        Sums of the good values, by block; see `KeptDesign`.
    missing : OutcomeSums
        Sums of the rows with a bad value, by block.
    counts : ValueTable or None
        Of rates: numbers of rows by value, which weights are not.
    missing_rows : float
        Of rates: number of rows with a bad value.
    """

    name: Hashable
    kind: Kind
    table: ValueTable
    missing: OutcomeSums
    counts: ValueTable | None = None
    missing_rows: float = 0.0

    @classmethod
    def of(cls, column: NumericColumn, rows: KeptRows) -> KeptNumbers:
        """Sum up the rows of a column."""
        values = column.values[rows.counted]
        bad = np.zeros(len(values), bool) if column.bad is None else column.bad[rows.counted]
        kept, lost = np.flatnonzero(~bad), np.flatnonzero(bad)
        block, y, weight = rows.some(kept)
        table = ValueTable.of_rows(values[kept], block, y, weight, rows.centre)
        block, y, weight = rows.some(lost)
        missing = OutcomeSums.of_rows(block, rows.n_blocks, y, weight, rows.centre)
        if rows.rates is None:
            return cls(column.name, column.kind, table, missing)
        times, none = rows.rates.times, np.zeros(len(kept))
        counts = ValueTable.of_rows(values[kept], none.astype(np.int8), none, times[kept])
        return cls(column.name, column.kind, table, missing, counts, float(times[lost].sum()))

    @property
    def has_values(self) -> bool:
        """Whether there is a row with a good value."""
        return len(self.table.value) > 0

    def moved(self, places: IntArray, n_blocks: int) -> KeptNumbers:
        """Put the blocks in their places among others; see `KeptDesign.places`."""
        table = self.table.moved(places)
        return replace(self, table=table, missing=moved_sums(self.missing, places, n_blocks))

    def recentred(self, centre: float) -> KeptNumbers:
        """Return the same sums about another reference point of the outcome."""
        table = self.table.recentred(centre)
        return replace(self, table=table, missing=self.missing.recentred(centre))

    def scaled(self, factor: float) -> KeptNumbers:
        """Return the same sums in another unit of weight."""
        table = replace(self.table, cells=self.table.cells.scaled(factor))
        return replace(self, table=table, missing=self.missing.scaled(factor))

    def __add__(self, other: KeptNumbers) -> KeptNumbers:
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = self.counts + other.counts
        return replace(
            self,
            table=self.table + other.table,
            missing=self.missing + other.missing,
            counts=counts,
            missing_rows=self.missing_rows + other.missing_rows,
        )

    def less(self, other: KeptNumbers, design: KeptDesign) -> KeptNumbers:
        """Take away a part of the rows."""
        table = values_less(
            self.table,
            other.table,
            lambda value, block: (
                f"column {self.name!r}, value {value:g}, {design.block_name(block)}"
            ),
        )
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = self.counts - other.counts
        return replace(self, table=table, counts=counts)


def values_less(
    whole: ValueTable, part: ValueTable, rows: Callable[[float, int], str]
) -> ValueTable:
    """Take away a part of a table; ``rows`` says for messages which those of a cell are."""
    part = part.coarsened(whole.bits)
    have = np.append(whole.cells.weight, 0.0)[whole.find(part.value, part.block)]

    def of_cell(k: int) -> str:
        return rows(float(part.value[k]), int(part.block[k]))

    check_part(have, part.cells.weight, of_cell)
    return whole - part
