"""A categorical column in kept statistics: its levels, and sums by level and block of rows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import IntArray
from vtreat_py.design.facts import LevelFacts
from vtreat_py.frames.columns import EmptyColumn, LevelColumn
from vtreat_py.frames.levels import Levels
from vtreat_py.kept.design import KeptDesign, check_part, moved_sums
from vtreat_py.kept.rates import KeptRateLevels, KeptResiduals
from vtreat_py.kept.rows import KeptRows
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by
from vtreat_py.statistics.tally import Rows, tally


@dataclass(frozen=True, eq=False)
class KeptLevels:
    """Sums of a categorical column; one of missing values only has no levels.

    Attributes
    ----------
    levels : Levels
        In order of appearance, the rows that were added first coming first.
    table : LevelTable
        Sums by level and block; see `KeptDesign`.
    missing : OutcomeSums
        Sums of the rows without a level, by block.
    pairs : Moments or None
        Of rates: exposures and counts of the rows of each level, and last of those without one.
    """

    name: Hashable
    levels: Levels
    table: LevelTable
    missing: OutcomeSums
    pairs: Moments | None = None

    kind = "levels"

    @classmethod
    def of(cls, column: LevelColumn | EmptyColumn, rows: KeptRows) -> KeptLevels:
        """Sum up the rows of a column."""
        codes, levels = _counted_levels(column, rows)
        n_levels = len(levels)
        summed = Rows(rows.y, rows.weight, rows.block, rows.n_blocks, rows.centre)
        table, _ = tally(codes, n_levels + 1, summed)
        n_known = int(np.searchsorted(table.level, n_levels))
        known, lost = slice(n_known), slice(n_known, None)
        nothing = OutcomeSums.nothing(rows.n_blocks, table.cells)
        missing = nothing.replaced(table.fold[lost], table.cells.take(lost))
        level, block, cells = table.level[known], table.fold[known], table.cells.take(known)
        table = LevelTable(n_levels, rows.n_blocks, level, block, cells)
        pairs = None if rows.rates is None else rows.rates.moments(codes, n_levels + 1)
        return cls(column.name, levels, table, missing, pairs)

    def of_no_rows(self, levels: Levels) -> KeptLevels:
        """Sums of no rows, which are known to be of these levels."""
        table = replace(self.table.only(-1), n_levels=len(levels))
        missing = OutcomeSums.nothing(len(self.missing.weight), self.missing)
        pairs = None if self.pairs is None else self.pairs.nothing(len(levels) + 1)
        return replace(self, levels=levels, table=table, missing=missing, pairs=pairs)

    @property
    def has_values(self) -> bool:
        """Whether there is a row with a level."""
        return len(self.levels) > 0

    def moved(self, places: IntArray, n_blocks: int) -> KeptLevels:
        """Put the blocks in their places among others; see `KeptDesign.places`."""
        level, block, cells = self.table.level, places[self.table.fold], self.table.cells
        table = LevelTable.of_cells(len(self.levels), n_blocks, level, block, cells)
        return replace(self, table=table, missing=moved_sums(self.missing, places, n_blocks))

    def recentred(self, centre: float) -> KeptLevels:
        """Return the same sums about another reference point of the outcome."""
        table = replace(self.table, cells=self.table.cells.recentred(centre))
        return replace(self, table=table, missing=self.missing.recentred(centre))

    def scaled(self, factor: float) -> KeptLevels:
        """Return the same sums in another unit of weight."""
        table = replace(self.table, cells=self.table.cells.scaled(factor))
        return replace(self, table=table, missing=self.missing.scaled(factor))

    def __add__(self, other: KeptLevels) -> KeptLevels:
        codes = self.levels.codes_of_levels(other.levels)
        new = np.flatnonzero(codes == self.levels.novel)
        codes[new] = len(self.levels) + np.arange(len(new))
        levels = self.levels.joined(other.levels.take(new)) if len(new) else self.levels
        ours = replace(self.table, n_levels=len(levels))
        theirs = _recoded(other.table, codes, len(levels))
        missing = self.missing + other.missing
        pairs = None
        if self.pairs is not None and other.pairs is not None:
            n = len(levels) + 1
            pairs = _moved(self.pairs, np.arange(len(self.levels)), n) + _moved(
                other.pairs, codes, n
            )
        return replace(self, levels=levels, table=ours + theirs, missing=missing, pairs=pairs)

    def less(self, other: KeptLevels, design: KeptDesign) -> KeptLevels:
        """Take away a part of the rows."""
        codes, n_levels = self.levels.codes_of_levels(other.levels), len(self.levels)
        theirs = other.table
        place = self.table.find(codes[theirs.level], theirs.fold)
        place[codes[theirs.level] >= n_levels] = -1
        have = np.append(self.table.cells.weight, 0.0)[place]
        check_part(
            have,
            theirs.cells.weight,
            lambda k: (
                f"column {self.name!r}, level {other.levels[int(theirs.level[k])]!r}, "
                f"{design.block_name(int(theirs.fold[k]))}"
            ),
        )
        table = self.table - _recoded(theirs, codes, n_levels)
        left = np.flatnonzero(table.by_level().weight > 0)
        pairs = None
        if self.pairs is not None and other.pairs is not None:
            pairs = self.pairs - _moved(other.pairs, codes, n_levels + 1)
            pairs = pairs.take(np.append(left, n_levels))
        codes = np.zeros(n_levels, dtype=np.intp)
        codes[left] = np.arange(len(left))
        levels = self.levels if len(left) == n_levels else self.levels.take(left)
        return replace(self, levels=levels, table=_recoded(table, codes, len(left)), pairs=pairs)

    def facts(
        self,
        design: KeptDesign,
        also: IntArray | None = None,
        residuals: KeptResiduals | None = None,
    ) -> LevelFacts:
        """Tell a design what it asks of the column.

        ``also`` are cells, ``level * n_folds + fold``, that the tables are to have even where no
        row counts; ``residuals`` are those of a rate.
        """
        n_folds, n_levels = design.n_folds, len(self.levels) + 1
        some = np.flatnonzero(self.missing.weight > 0)
        cells = OutcomeSums.joined([self.table.cells, self.missing.take(some)])
        of_level = np.append(self.table.level, np.full(len(some), n_levels - 1))
        of_fold, own = np.divmod(np.append(self.table.fold, some), design.n_classes)
        key = of_level.astype(np.int64) * n_folds + of_fold
        keys = np.unique(key) if also is None else np.union1d(key, also)
        place = np.searchsorted(keys, key)
        sums = [cells.grouped(place, len(keys))]
        if design.counts_classes:
            hits = [sum_by(place, cells.weight * (own == k), len(keys)) for k in design.contrasted]
            sums = [OutcomeSums(sums[0].weight, total) for total in hits]
        of_level, of_fold = np.divmod(keys, n_folds)
        tables = [LevelTable(n_levels, n_folds, of_level, of_fold, one) for one in sums]
        rows = None
        if residuals is not None and self.pairs is not None:
            rows = KeptRateLevels(self.name, self.pairs, residuals)
        return LevelFacts(self.name, self.levels, tables, tables, [], rows, "")


def level_codes(column: LevelColumn | EmptyColumn) -> tuple[IntArray, Levels]:
    """Code of each row and the levels; a column without any has the missing one alone."""
    if isinstance(column, EmptyColumn):
        return np.zeros(len(column), dtype=np.int8), Levels.of([])
    return column.encode()


def _counted_levels(column: LevelColumn | EmptyColumn, rows: KeptRows) -> tuple[IntArray, Levels]:
    """Codes of the rows that count, and the levels they have, in order of appearance."""
    codes, levels = level_codes(column)
    if isinstance(rows.counted, slice):
        return codes, levels
    codes = codes[rows.counted]
    seen = pd.unique(codes)
    seen = seen[seen < len(levels)].astype(np.intp)
    code = np.full(len(levels) + 1, len(seen))
    code[seen] = np.arange(len(seen))
    return code[codes], levels.take(seen)


def _moved(pairs: Moments, codes: IntArray, n_groups: int) -> Moments:
    """Put levels in other places; missing values stay the last."""
    places = np.append(codes, n_groups - 1)
    return pairs.nothing(n_groups).replaced(places, pairs)


def _recoded(table: LevelTable, codes: IntArray, n_levels: int) -> LevelTable:
    """The same sums, when levels have other codes."""
    level = codes[table.level]
    return LevelTable.of_cells(n_levels, table.n_folds, level, table.fold, table.cells)
