"""Codes and scores that follow from noisy tables: no row is looked at here."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.names import munge
from vtreat_py.coders.cat_p import CatP
from vtreat_py.coders.clean import Clean
from vtreat_py.coders.codes import impact_code
from vtreat_py.coders.is_bad import IsBad
from vtreat_py.coders.lev import Lev
from vtreat_py.plan.options import DesignOptions
from vtreat_py.plan.treatments import LevelCodes, LevelTreatment, NumericTreatment
from vtreat_py.plan.variables import DerivedVariable, OutcomeScore
from vtreat_py.private.budget import variance
from vtreat_py.private.outcome import STEPS, as_units
from vtreat_py.private.tables import NoisyGroups, NoisyLevels, NoisyNumbers, noisy_variance

# Noise does not make the variance inside levels a smaller share of that of all rows.
_LEAST_WITHIN = 0.05
# Excess kurtosis of noise.
_HEAVY = 3.0


@dataclass(frozen=True)
class Overall:
    """All rows, by noisy sums.

    Attributes
    ----------
    rows, mean, variance : float
        Of the outcome.
    noise : float
        Variance of the mean that is of the noise.
    """

    rows: float
    mean: float
    variance: float
    noise: float

    @classmethod
    def of(cls, all_rows: NoisyGroups, squares: float) -> Overall:
        """Put together what is known; ``squares`` are those of numbers in steps, over STEPS."""
        rows, mean, grid = float(all_rows.rows[0]), float(all_rows.mean[0]), all_rows.outcome.grid
        noise = float(all_rows.noise_variance[0])
        if grid is None:
            return cls(rows, mean, max(mean * (1.0 - mean), 1.0 / (rows + 2.0)), noise)
        each, of_sum = variance(all_rows.grains, 1), variance(all_rows.grains, STEPS)
        total = (mean - grid.middle) / grid.half * STEPS * rows
        in_steps = noisy_variance(total, squares, rows, (of_sum, of_sum, each))
        return cls(rows, mean, min(in_steps / STEPS**2, 1.0) * grid.half**2, noise)


@dataclass(frozen=True, eq=False)
class LevelsCoder:
    """The codes of a column of levels.

    Attributes
    ----------
    table : NoisyLevels
    overall : Overall
    options : DesignOptions
    coders : tuple of str
    """

    name: Hashable
    table: NoisyLevels
    overall: Overall
    options: DesignOptions
    coders: tuple[str, ...]

    def treatment(self) -> LevelTreatment | None:
        """The treatment; None where no level is published, and nothing is to be told apart."""
        if not len(self.table.levels):
            return None
        tables = {}
        variables = [self._indicator(slot) for slot in self._tracked()]
        if CatP.name in self.coders:
            tables[CatP.name] = self._shares()
            variables.append(self._of_table(CatP.name, tables[CatP.name]))
        kind = self.table.groups.outcome.kind
        if kind != "unsupervised" and (impact := impact_code(kind).name) in self.coders:
            tables[impact] = self._effects(kind)
            variables.append(self._of_table(impact, tables[impact]))
        if not variables:
            return None
        slots = np.arange(len(self.table.levels) + 2, dtype=np.int32)
        part = LevelCodes(None, slots, tables, tuple(variables))
        return LevelTreatment(self.name, self.table.levels, (part,), "")

    @property
    def _known(self) -> BoolArray:
        """Whether rows of each group are more than noise."""
        return np.asarray(self.table.groups.count >= self.table.threshold)

    @property
    def _off(self) -> FloatArray:
        """Mean of each group less that of all rows; 0 where it is not known."""
        return np.where(self._known, self.table.groups.mean - self.overall.mean, 0.0)

    def _shares(self) -> FloatArray:
        """Share of the rows; half a row for levels that are not known."""
        novel = 0.5 / self.overall.rows
        share = np.minimum(self.table.groups.rows / self.overall.rows, 1.0)
        return np.append(np.where(self._known, share, novel), novel)

    def _tracked(self) -> list[int]:
        """Slots that have an indicator, in the order that theirs have."""
        if Lev.name not in self.coders:
            return []
        common = self._known & (self._shares()[:-1] >= self.options.min_fraction)
        slots = np.flatnonzero(common).tolist()
        missing = len(self.table.levels)
        return sorted(slots, key=lambda slot: -1 if slot == missing else slot)

    @property
    def _within(self) -> float:
        """Variance inside levels."""
        groups, noise = self.table.groups, self.table.groups.noise_variance + self.overall.noise
        between = float((groups.rows * (self._off**2 - noise) * self._known).sum())
        left = self.overall.variance - max(between, 0.0) / self.overall.rows
        return max(left, _LEAST_WITHIN * self.overall.variance)

    @property
    def _by_chance(self) -> FloatArray:
        """Variance of each group's mean: of its rows, and of the noise."""
        return self._within / self.table.groups.rows + self.table.groups.noise_variance

    def _believed(self) -> FloatArray:
        """How much of what each group is off is believed."""
        rows = self.table.groups.rows
        if not isinstance(self.options.smoothing, str):
            return rows / (rows + self.options.smoothing)
        weight, by_chance = rows * self._known, self._by_chance + self.overall.noise
        excess = (weight * (self._off**2 - by_chance)).sum() / max(weight.sum(), 1.0)
        between = max(float(excess), 0.0)
        return np.asarray(between / (between + by_chance))

    def _effects(self, kind: str) -> FloatArray:
        """The impact code: means less that of all rows, shrunk; of a class in log odds."""
        effect = np.append(self._believed() * self._off, 0.0)
        if kind == "numeric":
            return effect
        base, edge = self.overall.mean, 0.5 / (self.overall.rows + 1.0)
        rate = np.clip(np.append(base + effect[:-1], base), edge, 1.0 - edge)
        log_odds = np.log(rate / (1.0 - rate))
        return np.asarray(log_odds - log_odds[-1])

    def _indicator(self, slot: int) -> DerivedVariable:
        levels, groups = self.table.levels, self.table.groups
        level = levels[slot] if slot < len(levels) else None
        key = "NA" if level is None else f"x {level}"
        share = float(self._shares()[slot])
        slope = float(self._off[slot]) / max(1.0 - share, 1.0 / self.overall.rows)
        # All rows have those of the level.
        sampled = self._within * max(1.0 - share, 1.0 / self.overall.rows) / groups.rows[slot]
        noise = np.array([groups.noise_variance[slot], self.overall.noise])
        rsq = share * (1.0 - share) * slope**2 / self.overall.variance
        score = _of_one(rsq, float(self._off[slot]), float(sampled), noise)
        return self._variable(Lev.name, f"{Lev.name}_{key}", score, slope, share, level, slot)

    def _of_table(self, code: str, table: FloatArray) -> DerivedVariable:
        """A variable that has a number for each level, scored as the table says."""
        rows = self.table.groups.rows * self._known
        total = max(float(rows.sum()), 1.0)
        values, off = table[:-1], self._off
        mean = float((rows * values).sum() / total)
        apart = values - mean
        spread = float((rows * apart**2).sum() / total)
        product = float((rows * apart * off).sum() / total)
        slope = product / spread if spread > 0 else 0.0
        rsq = product * slope / self.overall.variance
        if code == CatP.name:
            share = (rows * apart / total) ** 2
            sampled = float((share * (self._by_chance - self.table.groups.noise_variance)).sum())
            score = _of_one(rsq, product, sampled, share * self.table.groups.noise_variance)
        else:
            score = self._of_levels(rsq)
        return self._variable(code, code, score, slope, mean)

    def _of_levels(self, rsq: float) -> OutcomeScore:
        """Whether the levels differ: their means about that of them all, as far as each is known.

        The mean of all rows has a noise of its own.
        """
        some = np.flatnonzero(self._known)
        if len(some) < 2:
            return _score(rsq, 0.0, 1, 0.0)
        chance, mean = self._by_chance[some], self.table.groups.mean[some]
        about = float((mean / chance).sum() / (1.0 / chance).sum())
        heavy = _HEAVY * float(((self.table.groups.noise_variance[some] / chance) ** 2).sum())
        statistic = float(((mean - about) ** 2 / chance).sum())
        return _score(rsq, statistic, len(some) - 1, heavy)

    def _variable(
        self,
        code: str,
        label: str,
        score: OutcomeScore,
        slope: float,
        mean: float,
        level: object = None,
        slot: int | None = None,
    ) -> DerivedVariable:
        (name,) = munge([f"{self.name}_{label}"])
        if self.table.groups.outcome.kind == "unsupervised":
            score, slope, mean = OutcomeScore(), 0.0, 0.0
        return DerivedVariable(
            name, self.name, code, level, slot, scores=(score,), slope=slope, mean=mean
        )


def _of_one(rsq: float, difference: float, sampled: float, noise: FloatArray) -> OutcomeScore:
    """Score a difference by the variance that it has by chance: of rows, and of several noises."""
    chance = sampled + float(noise.sum())
    if not chance > 0:
        return _score(rsq, 0.0, 1, 0.0)
    return _score(rsq, difference**2 / chance, 1, _HEAVY * float((noise**2).sum()) / chance**2)


def _score(rsq: float, statistic: float, degrees: int, heavy: float) -> OutcomeScore:
    """Score by a sum of squares whose variance is by so much more than twice its degrees."""
    times = 1.0 + heavy / (2.0 * degrees)
    sig = float(chi2.sf(statistic / times, degrees / times))
    return OutcomeScore(None, float(np.clip(rsq, 0.0, 1.0)), sig)


def number_treatment(
    numbers: NoisyNumbers, overall: Overall, options: DesignOptions, coders: tuple[str, ...]
) -> NumericTreatment | None:
    """The treatment of a column of numbers: copied, cut off at the ends of its range if asked."""
    groups, grid = numbers.groups, numbers.grid
    good, bad = (float(n) for n in groups.rows)
    mean = float(as_units(numbers.x / good, grid))
    imputer = options.imputer(numbers.name)
    imputed = float(imputer) if isinstance(imputer, int | float) else mean
    variables = []
    if Clean.name in coders:
        score, slope = _of_numbers(numbers, overall)
        variables.append(_number_variable(numbers, Clean(), score, slope, mean))
    if IsBad.name in coders:
        share = bad / (good + bad)
        off, noise = float(groups.mean[1] - groups.mean[0]), groups.noise_variance
        slope = off * _believed(off, noise)
        rsq = share * (1.0 - share) * slope * off / overall.variance
        score = _of_one(rsq, off, overall.variance * (1.0 / good + 1.0 / bad), noise)
        variables.append(_number_variable(numbers, IsBad(), score, slope, share))
    if not variables:
        return None
    cuts = grid.low, grid.high
    return NumericTreatment(numbers.name, "number", imputed, *cuts, tuple(variables), "", None)


def _of_numbers(numbers: NoisyNumbers, overall: Overall) -> tuple[OutcomeScore, float]:
    """How the outcome goes with numbers: a line, by noisy moments."""
    groups, grid, moments = numbers.groups, numbers.grid, numbers.moments
    good, outcome = float(groups.rows[0]), groups.outcome.grid
    unit = 1.0 if outcome is None else outcome.half / STEPS
    spread, product = moments.spread, moments.product
    slope = _believed(product, moments.product_noise) * product / spread
    # Bad values have the mean, which goes with nothing.
    rsq = product * slope * unit**2 / overall.variance * good / float(groups.rows.sum())
    sampled = overall.variance / unit**2 * spread / good
    score = _of_one(rsq, product, sampled, moments.product_noise)
    return score, slope * unit / (grid.half / STEPS)


def _believed(found: float, noise: FloatArray) -> float:
    """How much of a number is believed, beside what its noise would make it."""
    return max(1.0 - float(noise.sum()) / found**2, 0.0) if found else 0.0


def _number_variable(
    numbers: NoisyNumbers, code: Clean | IsBad, score: OutcomeScore, slope: float, mean: float
) -> DerivedVariable:
    (name,) = munge([code.named_after(numbers.name)])
    if numbers.groups.outcome.kind == "unsupervised":
        score, slope = OutcomeScore(), 0.0
    return DerivedVariable(name, numbers.name, code.name, scores=(score,), slope=slope, mean=mean)
