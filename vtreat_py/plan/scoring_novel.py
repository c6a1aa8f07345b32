"""What levels never seen have in a plan for scoring, where it would tell of few rows."""

from __future__ import annotations

from dataclasses import dataclass

from vtreat_py.base.arrays import IntArray
from vtreat_py.coders import codes
from vtreat_py.coders.cat_d import CatD
from vtreat_py.coders.prior import AUTO
from vtreat_py.coders.table_code import ImpactCode
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.options import DesignOptions
from vtreat_py.plan.treatments import LevelCodes
from vtreat_py.statistics.outcome_sums import ROUNDING


@dataclass(frozen=True, eq=False)
class NovelCodes:
    """The codes of levels never seen, and what they rest on.

    They are those of the pool of rare levels, where there is one. Where there is none, impact codes
    are by default those of levels of one row, as far as these are unlike the others, and deviation
    codes those of the level that varies most. All of that may be few rows, which the code would
    tell of. An impact code is then 0, as all rows are together, and a deviation code that of the
    kept level that varies most.

    Attributes
    ----------
    statistics : LevelStatistics
    min_rows : int
    options : DesignOptions
    seen : ndarray of int
        Codes of the levels that stay, and of missing values where they do.
    """

    statistics: LevelStatistics
    min_rows: int
    options: DesignOptions
    seen: IntArray

    def renewed(self, part: LevelCodes, code: str) -> float | None:
        """What levels never seen are to have; None: what they have."""
        kind = codes.named(code, self.options.own_codes)
        table = part.tables[code]
        novel = len(table) - 1
        if not kind.y_aware or part.slots[novel] != novel or code in part.sums:
            return None
        if isinstance(kind, CatD):
            most = float(table[self.seen].max(initial=0.0))
            return None if table[novel] in table[self.seen] else most
        if not isinstance(kind, ImpactCode):
            return None
        pooled = float(self.statistics.count[-1])
        few = self._is_few(pooled if pooled > 0 else self._single_rows(part))
        return 0.0 if few else None

    def _is_few(self, rows: float) -> bool:
        return 0 < rows < self.min_rows

    def _single_rows(self, part: LevelCodes) -> float:
        """Rows of the levels of one row, where levels never seen are coded as these.

        So are those of one group, where its rows are no more than one is.
        """
        if self.options.shrinkage != AUTO:
            return 0.0
        count = self.statistics.count[:-1]
        outcome = next((o for o in self.statistics.outcomes if o.target == part.target), None)
        if outcome is None or outcome.worth is None:
            return float((count == 1.0).sum())
        worth = outcome.worth[:-1]
        return float(count[(worth > 0) & (worth <= 1.0 + ROUNDING)].sum())
