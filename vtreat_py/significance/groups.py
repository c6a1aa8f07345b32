"""Tests where rows of one group depend on each other, and groups do not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.significance.own_effects import CellSums, sig_of_levels, sig_of_line
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.row_tests import correlation_by_rows, levels_by_rows, sample_of
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import sum_by

# Where less than this share of what a column can say is said inside groups, groups are the rows.
_MUCH_INSIDE = 0.2


@dataclass(frozen=True, eq=False)
class GroupTests:
    """Tests that stand rows of a group which are alike.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcome of the rows that count.
    group : ndarray of int, shape (n,)
        Group of each, from 0 on, none of them empty.
    weight : ndarray of shape (n,) or None
        Weights; None: 1 each.
    counts_rows : bool
        Whether weights are numbers of rows. If not, only their ratios count.

    Notes
    -----
    The outcome is taken for a mean, an effect of the group, and what is left of the row; the
    variances of the two are those of the analysis of variance. Where a column varies inside
    groups, outcome and column are made so that the rows are uncorrelated again, by taking a share
    of the group's mean away (the GLS transform of random effects: W. A. Fuller and
    G. E. Battese, "Transformations for estimation of linear models with nested-error structure",
    Journal of the American Statistical Association 68 (1973)), and rows are permuted. Where it
    hardly does, groups are (A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols and
    S. M. Smith, "Multi-level block permutation", NeuroImage 123 (2015)): their means, or the level
    that most of their rows have, against the means of the outcome.

    Where a column varies inside groups, each of these may react to it in its own way, too: see
    `vtreat_py.significance.own_effects`.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> group = np.repeat(np.arange(40), 10)
    >>> y = random.normal(size=40)[group] + random.normal(size=400)
    >>> level = (np.arange(40) % 8)[group]  # of no effect, but the same in all rows of a group
    >>> round(GroupTests(y, group).level_effects(level, 8), 2)
    0.56
    """

    y: NumberArray
    group: IntArray
    weight: FloatArray | None = None
    counts_rows: bool = True

    @cached_property
    def _w(self) -> FloatArray:
        if self.weight is None:
            return np.ones(len(self.y))
        return self.weight if self.counts_rows else self.weight / self.weight.mean()

    @cached_property
    def _rows(self) -> FloatArray:
        """Rows, or their weight, in each group."""
        return sum_by(self.group, self._w, int(self.group.max()) + 1)

    def _means(self, values: NumberArray) -> FloatArray:
        return sum_by(self.group, self._w * values, len(self._rows)) / self._rows

    @cached_property
    def _ratio(self) -> float:
        """Variance of the groups' effects over that of rows inside groups."""
        rows, means = self._rows, self._means(self.y)
        n, n_groups = float(rows.sum()), len(rows)
        if n <= n_groups or n_groups < 2:
            return 0.0
        inside = float((self._w * (self.y - means[self.group]) ** 2).sum()) / (n - n_groups)
        between = float((rows * (means - np.average(means, weights=rows)) ** 2).sum())
        effective = (n - float((rows * rows).sum()) / n) / (n_groups - 1)
        if not effective > 0:  # one group has all but nothing of the weight
            return 0.0
        effects = max(between / (n_groups - 1) - inside, 0.0) / effective
        return effects / inside if inside > 0 else np.inf if effects > 0 else 0.0

    @cached_property
    def _worth(self) -> FloatArray:
        """Rows that the mean of each group is worth."""
        if np.isinf(self._ratio):
            return np.ones(len(self._rows))
        return self._rows / (1.0 + self._rows * self._ratio)

    def _apart(self, values: NumberArray) -> tuple[FloatArray, FloatArray]:
        """Rows, and means of groups, less the mean by what groups are worth."""
        means = self._means(values)
        centre = float(np.average(means, weights=self._worth))
        return np.asarray(values - centre, dtype=np.float64), means - centre

    def _freed(self, apart: FloatArray, means: FloatArray) -> FloatArray:
        """Take as much of the groups' means away as leaves rows of the outcome uncorrelated."""
        share = 1.0 - np.sqrt(self._worth / self._rows)
        return np.asarray(apart - (share * means)[self.group])

    def _of_one_weight(self, freed: FloatArray) -> FloatArray:
        """Rows whose products sum to weighted ones, where weights do not count them."""
        return freed if self.counts_rows else np.asarray(np.sqrt(self._w) * freed)

    @property
    def _counts(self) -> FloatArray | None:
        return self.weight if self.counts_rows else None

    @cached_property
    def _outcome(self) -> tuple[FloatArray, Sample]:
        freed = self._of_one_weight(self._freed(*self._apart(self.y)))
        return freed, sample_of(freed, self._counts)

    @cached_property
    def _means_of_groups(self) -> tuple[FloatArray, Sample]:
        """Of the outcome, by the root of what they are worth: all have one variance."""
        values = np.sqrt(self._worth) * self._apart(self.y)[1]
        return values, sample_of(values)

    def correlation(self, x: FloatArray) -> float:
        """p-value of the hypothesis that the outcome does not go up or down with numbers."""
        apart, means = self._apart(x)
        inside = float((self._w * (apart - means[self.group]) ** 2).sum())
        if self._is_much(inside, float((self._worth * means * means).sum())):
            freed = self._of_one_weight(self._freed(apart, means))
            sig = correlation_by_rows(freed, *self._outcome, self._counts)
            return self._with_own_lines(sig, freed)
        return correlation_by_rows(np.sqrt(self._worth) * means, *self._means_of_groups)

    def _with_own_lines(self, sig: float, freed: FloatArray) -> float:
        """The p-value of a line where groups may have lines of their own."""
        outcome, of_outcome = self._outcome
        weighted = freed if self._counts is None else self._counts * freed
        n_groups = len(self._rows)
        product, square = (sum_by(self.group, weighted * by, n_groups) for by in (outcome, freed))
        return sig_of_line(sig, product, square, of_outcome.spread**2)

    def _is_much(self, inside: float, between: float) -> bool:
        return inside > 0 and inside >= _MUCH_INSIDE * (inside + between)

    def level_effects(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome does not depend on the level."""
        cells = _Cells.of(self.group, level, self._w)
        share = cells.rows / self._rows[cells.group]
        inside = float((cells.rows * (1.0 - share)).sum())
        worth = self._worth[cells.group] * share
        of_level = sum_by(cells.level, worth, n_levels)
        between = float((worth * share).sum() - (of_level**2).sum() / self._worth.sum())
        if self._is_much(inside, between):
            residual, powers = self._residual
            sig = levels_by_rows(level, n_levels, residual, powers, self._counts)
            return sig_of_levels(sig, cells.sums(residual, self._counts), self._residual_variance)
        major = cells.major(len(self._rows), n_levels)
        effects, powers = self._effects
        return levels_by_rows(major, n_levels + len(self._rows), effects, powers, None)

    @cached_property
    def _residual(self) -> tuple[FloatArray, OutcomePowers]:
        freed = self._freed(*self._apart(self.y))
        residual = freed if self.counts_rows else self._w * freed
        return residual, OutcomePowers.of_sample(sample_of(residual, self._counts))

    @cached_property
    def _residual_variance(self) -> float:
        residual, _ = self._residual
        return float(np.average(residual * residual, weights=self._counts))

    @cached_property
    def _effects(self) -> tuple[FloatArray, OutcomePowers]:
        effects = self._worth * self._apart(self.y)[1]
        return effects, OutcomePowers.of_sample(sample_of(effects))


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows by group and level."""

    group: IntArray
    level: IntArray
    rows: FloatArray
    of_row: IntArray

    @classmethod
    def of(cls, group: IntArray, level: IntArray, weight: FloatArray) -> _Cells:
        n_levels = int(level.max()) + 1
        code, pair = pd.factorize(group.astype(np.int64) * n_levels + level)
        return cls(*np.divmod(pair, n_levels), sum_by(code, weight, len(pair)), code)

    def sums(self, values: FloatArray, counts: FloatArray | None) -> CellSums:
        """Sum values of rows, which count once each (None) or so many times."""
        weighted = values if counts is None else counts * values
        rows, total = (sum_by(self.of_row, one, len(self.rows)) for one in (counts, weighted))
        return CellSums(self.group, self.level, rows, total)

    def major(self, n_groups: int, n_levels: int) -> IntArray:
        """The level that most rows of each group have; one of its own where several do."""
        most = np.zeros(n_groups)
        np.maximum.at(most, self.group, self.rows)
        is_most = self.rows == most[self.group]
        level = n_levels + np.arange(n_groups)
        only = np.bincount(self.group[is_most], minlength=n_groups) == 1
        chosen = is_most & only[self.group]
        level[self.group[chosen]] = self.level[chosen]
        return level
