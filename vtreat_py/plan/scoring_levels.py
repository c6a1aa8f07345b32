"""Levels of few rows, hidden: what is left of a categorical column in a plan for scoring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders import codes
from vtreat_py.frames.joint import JointColumn, LevelParts
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.options import DesignOptions
from vtreat_py.plan.scoring_column import ScoringColumn
from vtreat_py.plan.scoring_novel import NovelCodes
from vtreat_py.plan.treatments import LevelCodes, LevelTreatment, TextTreatment
from vtreat_py.plan.variables import DerivedVariable

ALL_FEW = "all that was made of it is of levels of few rows"
OWN = "{code}: what its function tells of single rows is not known"
_OTHER_TYPE = "levels that stay would be of another type than all of them"
_QUANTILE = "{code}: a quantile is the outcome of a row"
_TEXTS = "{code}: it tells of the texts of levels of few rows"


def _kind_of(levels: Levels) -> tuple[bool, bool]:
    """How levels are read: as text, or as numbers; as they are where they are of several types."""
    alone = Levels.of(levels.to_list())
    return alone.is_text, LevelTreatment(None, alone, (), "").holds_numbers


@dataclass(frozen=True, eq=False)
class HiddenLevels:
    """The levels of a column, of which those of few rows are to be novel.

    Attributes
    ----------
    treatment : LevelTreatment
    statistics : LevelStatistics
        The rows of each level.
    min_rows : int
    options : DesignOptions
    joint : JointColumn or None
        What the column is made of, if it is.
    """

    treatment: LevelTreatment
    statistics: LevelStatistics
    min_rows: int
    options: DesignOptions
    joint: JointColumn | None

    def column(self) -> ScoringColumn:
        """What is left of the column."""
        old, levels = self.treatment, self.treatment.levels.take(self._kept)
        if isinstance(old, TextTreatment):
            text = TextTreatment.of(old.column, levels, old.variable, "", old.mark)
            return ScoringColumn(text)
        parts = tuple(part for part in map(self._part, old.parts) if part.variables)
        unsafe = [self._unsafe(v, part) for part in old.parts for v in part.variables]
        reasons = tuple(dict.fromkeys(reason for reason in unsafe if reason))
        if not parts:
            return ScoringColumn(None, reasons or (ALL_FEW,))
        if _kind_of(levels) != _kind_of(old.levels):
            return ScoringColumn(None, (_OTHER_TYPE,))
        keys = tuple(key.take(some) for key, some in zip(old.keys, self._keys, strict=True))
        left = replace(old, levels=levels, parts=parts, sample="", keys=keys)
        few_pooled = self._is_few(self._count[-1])
        with_few = self._is_few(self._n_hidden) or any(map(self._has_few_apart, old.parts))
        renewed = [
            v.name
            for part in old.parts
            for v in part.variables
            if self._unsafe(v, part) is None and self._renewed(part, v.code) is not None
        ]
        return ScoringColumn(
            left,
            reasons,
            frozenset(v.name for v in left.variables if few_pooled and v.slot == levels.novel),
            frozenset(v.name for v in left.variables if with_few),
            frozenset(renewed),
        )

    @property
    def _count(self) -> FloatArray:
        return self.statistics.count

    def _is_few(self, rows: float) -> bool:
        return bool(0 < rows < self.min_rows)

    @cached_property
    def _kept(self) -> IntArray:
        """Codes of the levels that stay."""
        return np.flatnonzero(self._count[:-2] >= self.min_rows)

    @property
    def _n_hidden(self) -> float:
        """Rows of all levels that are hidden, and of missing values if those are."""
        hidden = self._count[:-2].sum() - self._count[self._kept].sum()
        return float(hidden + self._hides_missing * self._count[-2])

    def _has_few_apart(self, part: LevelCodes) -> bool:
        """Whether few rows are hidden beside those of the pool, which has an indicator."""
        is_hidden = np.append(self._count[:-2] < self.min_rows, self._hides_missing)
        is_pooled = part.slots[:-1] == self.treatment.levels.novel
        return self._is_few(float(self._count[:-1][is_hidden & ~is_pooled].sum()))

    @property
    def _hides_missing(self) -> bool:
        """Whether missing values are taken for a novel level."""
        return self._is_few(self._count[-2])

    @cached_property
    def _old_code(self) -> IntArray:
        """The old code that each new one has its values from."""
        levels = self.treatment.levels
        missing = levels.novel if self._hides_missing else levels.missing
        return np.append(self._kept, [missing, levels.novel])

    @cached_property
    def _new_code(self) -> IntArray:
        """The new code of each old one; -1 of those that are hidden."""
        found = np.full(len(self._count), -1, dtype=np.int32)
        found[self._kept] = np.arange(len(self._kept))
        found[-2:] = len(self._kept) + np.arange(2)
        if self._hides_missing:
            found[-2] = -1
        return found

    @cached_property
    def _keys(self) -> list[IntArray]:
        """Of a joint column, the parts of levels that stay: those of many rows."""
        if self.joint is None:
            return []
        parts = LevelParts.of(self.treatment.levels, self.joint)
        rows = [np.bincount(codes, self._count[:-2]) for codes in parts.of_level]
        return [np.flatnonzero(one >= self.min_rows) for one in rows]

    def _part(self, part: LevelCodes) -> LevelCodes:
        """The codes for one target, of the levels that stay."""
        safe = [v for v in part.variables if self._unsafe(v, part) is None]
        variables = [v for v in map(self._renumbered, safe) if v.slot != -1]
        names = {v.code for v in variables}
        slots = part.slots[self._old_code]
        return LevelCodes(
            part.target,
            np.where(slots < 0, -1, self._new_code[slots]).astype(np.int32),
            {code: self._table(part, code) for code in part.tables if code in names},
            tuple(variables),
            {code: one for code, one in part.texts.items() if code in names},
            {code: self._sums(one) for code, one in part.sums.items() if code in names},
        )

    def _renumbered(self, variable: DerivedVariable) -> DerivedVariable:
        if variable.slot is None:
            return variable
        return replace(variable, slot=int(self._new_code[variable.slot]))

    def _table(self, part: LevelCodes, code: str) -> FloatArray:
        """Values of the levels that stay, and of novel ones, which all others are."""
        table, renewed = part.tables[code][self._old_code], self._renewed(part, code)
        if renewed is not None:
            is_novel = self._old_code == self.treatment.levels.novel
            never_missing = self._count[self._old_code] == 0.0
            table = np.where(is_novel | (never_missing & (table == table[-1])), renewed, table)
        return table

    def _renewed(self, part: LevelCodes, code: str) -> float | None:
        """What levels never seen are to have in place of what they have."""
        seen = self._kept
        if self._count[-2] >= self.min_rows:
            seen = np.append(seen, self.treatment.levels.missing)
        novel = NovelCodes(self.statistics, self.min_rows, self.options, seen)
        return novel.renewed(part, code) if code in part.tables else None

    def _sums(self, sums: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """A number, and what the parts that stay add."""
        base, *effects = sums
        return base, *(of[some] for of, some in zip(effects, self._keys, strict=True))

    def _unsafe(self, variable: DerivedVariable, part: LevelCodes) -> str | None:
        """Why a variable cannot stay, if it cannot."""
        name = variable.code
        if name in self.options.custom_coders:
            return OWN.format(code=name)
        if codes.named(name).takes_rows:
            return _QUANTILE.format(code=name)
        return _TEXTS.format(code=name) if name in part.texts and self._n_hidden else None
