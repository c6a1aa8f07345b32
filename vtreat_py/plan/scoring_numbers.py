"""What is left of a numeric column in a plan for scoring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.forms import LARGEST
from vtreat_py.coders.is_bad import IsBad
from vtreat_py.plan.options import DesignOptions
from vtreat_py.plan.scoring_column import ScoringColumn
from vtreat_py.plan.scoring_levels import OWN
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.plan.variables import DerivedVariable

_FEW_NUMBERS = "few of its rows have a number"
_NOTHING_SEEN: dict[str, Any] = {"sample": "", "profile": None, "by_range": None}
_ONE_NUMBER = "it has one number in all but few rows"
_SHAPE = "{code}: it ends at the smallest and the largest number, and rests on few rows there"


@dataclass(frozen=True, eq=False)
class SafeNumbers:
    """A column of numbers, of which nothing is to tell of few rows.

    Attributes
    ----------
    treatment : NumericTreatment
    n_rows : float
        Rows of the design.
    min_rows : int
    options : DesignOptions
    """

    treatment: NumericTreatment
    n_rows: float
    min_rows: int
    options: DesignOptions

    def column(self) -> ScoringColumn:
        """What is left of the column."""
        old, (*ranges, bad) = self.treatment, self._rows.tolist()
        good = sum(ranges)
        if good < self.min_rows:
            return ScoringColumn(None, (_FEW_NUMBERS,))
        curves = {(one.code, one.target) for one in old.ranges}
        curves |= {(one.code, one.target) for one in old.curves}
        unsafe = [v for v in old.variables if (v.code, v.target) in curves]
        left = tuple(v for v in old.variables if v not in unsafe)
        reasons = tuple(dict.fromkeys(map(self._why, unsafe)))
        if not left:
            return ScoringColumn(None, reasons)
        if self._is_few(good - max(ranges) + bad):  # what is imputed tells of these
            return ScoringColumn(None, (_ONE_NUMBER,))
        of_few = {v.name for v in left if self._is_few(bad if v.code == IsBad.name else 0)}
        uncut = self.options.collar_prob * good < self.min_rows
        kept = replace(old, variables=left, ranges=(), curves=(), **_NOTHING_SEEN)
        if uncut:
            kept = replace(kept, lower=-LARGEST, upper=LARGEST)
        return ScoringColumn(kept, reasons, frozenset(of_few), uncut=uncut)

    @property
    def _rows(self) -> FloatArray:
        """Rows of each range of the profile, and of bad values."""
        if self.treatment.by_range is not None:
            return self.treatment.by_range.count
        profile = self.treatment.spread
        shares = profile.counts * ((1.0 - profile.bad_share) / profile.counts.sum())
        return np.rint(np.append(shares, profile.bad_share) * self.n_rows)

    def _is_few(self, rows: float) -> bool:
        return 0 < rows < self.min_rows

    def _why(self, variable: DerivedVariable) -> str:
        is_own = variable.code in self.options.custom_coders
        return (OWN if is_own else _SHAPE).format(code=variable.code)
