"""catQ: a quantile of a numeric outcome in the level, in outcome units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.stats import norm

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.code import CodeOptions, ColumnLevels, LevelCode, LevelVariables
from vtreat_py.coders.likelihood import Likelihood
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.prior import Prior
from vtreat_py.coders.table_code import TableCode
from vtreat_py.statistics.level_order import LevelOrder
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.quantiles import weighted_quantiles

# Quantiles this far from the one that is coded say how dense the outcome is there.
_AROUND = 0.25
# Outcomes farther from the quartiles than so many times what these are apart count for means of
# levels as if they were just so far.
_FAR = 3.0


class CatQ(LevelCode):
    """The median, or another quantile, of a numeric outcome in the level.

    The code of a level of n rows, whose quantile is q, is

        n / (n + k) * (q - Q)

    where Q is the quantile of all rows, which levels never seen have, and k the variance of q, for
    a level of one row, over the variance between the true quantiles of levels. The first is ``p *
    (1 - p) / f^2``, with f the density of the outcome inside levels at its p-quantile (R. Koenker,
    *Quantile Regression*, 2005, section 3.2): what two quantiles around it, of all rows less the
    mean of their level, are apart, over what those of a normal distribution of variance 1 are; so
    that it needs no window that is small, and outcomes far away do not count. The second is that
    of restricted maximum likelihood (`Likelihood`), from the quantiles of levels. With a number for
    ``smoothing``, k is that number. Each training set estimates its own Q and k.

    Quantiles are those of type 7 (`weighted_quantiles`). Out of fold they are had from one sorting
    of the rows, by level and outcome (`LevelOrder.trained_quantiles`).

    Mean absolute error on new rows, over the least that any k leads to, in levels of 2 to 60 rows
    of normal, Laplace, t(2) and lognormal outcomes and of many zeros: 1.00 to 1.04; with the
    quantiles of levels as they are 1.00 to 1.17; with Q for all levels 1.00 to 1.93
    (benchmarks/quantile_study.txt).
    """

    name = "catQ"
    outcomes = ("numeric",)
    y_aware = True
    is_table = True
    by_default = False
    takes_rows = True
    most_apart = 3.0

    def made(self, column: ColumnLevels) -> LevelVariables | None:
        """Make the one variable, where all rows support it."""
        return _OfColumn(column).made(column)

    def ruled_out(self, column: ColumnLevels, n_made: int) -> int:
        """Count the variable, where it was not made although the levels are there."""
        return _OfColumn(column).ruled_out(column, n_made)


class _OfColumn(TableCode):
    """The code, with the rows of a column."""

    name = CatQ.name
    y_aware = True
    is_of_r = False

    def __init__(self, column: ColumnLevels) -> None:
        self._column = column

    def values(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels, as all rows have them or as the training sets of the folds do."""
        assert self._column.order is not None
        order, p = self._column.order(), options.quantile
        folds = None if levels is self._column.pooled else np.arange(levels.view.n_groups)
        quantiles = _with_quantiles(levels, order, folds, p)
        weight = np.full(levels.view.n_groups, options.shrinkage)
        if isinstance(options.shrinkage, str):
            weight = _prior_weight(quantiles, _variances(order, folds, p))
        prior, view = Prior.of_weight(weight), quantiles.view
        own = prior.effects(view.entries, view.group, view.whole.mean)
        pool = prior.effects(quantiles.pool, np.arange(view.n_groups), view.whole.mean)
        codes, novel = levels.assign(own, pool, np.zeros(view.n_groups))
        return codes * order.of.unit, novel * order.of.unit


def _with_quantiles(
    levels: PooledLevels, order: LevelOrder, folds: IntArray | None, p: float
) -> PooledLevels:
    """The same levels, with their quantiles in place of their means."""
    view = levels.view
    if folds is None:
        own = order.quantiles(p)[view.level]
    else:
        own = order.trained_quantiles(view.level, view.group, p)
    absent = None if view.levels is None else _sums(view.levels.weight, order.quantiles(p))
    entries, pool = _sums(view.entries.weight, own), levels.pool
    if levels.rare_count > 0:
        pool = _sums(pool.weight, _of_pools(levels, order, folds, p))
    whole = _sums(view.whole.weight, _overall(order, folds, p))
    return replace(
        levels, view=replace(view, entries=entries, whole=whole, levels=absent), pool=pool
    )


def _overall(order: LevelOrder, folds: IntArray | None, p: float) -> FloatArray:
    """Quantile of all rows of each training set."""
    everyone = order.of.all_rows
    if folds is None:
        return everyone.quantiles(p)
    return everyone.trained_quantiles(np.zeros_like(folds), folds, p)


def _sums(weight: FloatArray, quantile: FloatArray) -> OutcomeSums:
    return OutcomeSums(weight, weight * quantile, np.zeros_like(weight))


def _of_pools(
    levels: PooledLevels, order: LevelOrder, folds: IntArray | None, p: float
) -> FloatArray:
    """Quantile of the pool of each training set."""
    found = np.zeros(levels.view.n_groups)
    for k, weight in enumerate(_weights(levels.view, order.n_levels)):
        rare = (weight > 0) & (weight <= levels.rare_count)
        found[k] = order.quantile_of(rare, None if folds is None else k, p)
    return found


def _weights(view: LevelView, n_levels: int) -> Iterator[FloatArray]:
    """Weight of all levels, in one training set after the other."""
    for k in range(view.n_groups):
        weight = np.zeros(n_levels) if view.levels is None else view.levels.weight.copy()
        own = np.flatnonzero(view.group == k)
        weight[view.level[own]] = view.entries.weight[own]
        yield weight


def _variances(order: LevelOrder, folds: IntArray | None, p: float) -> FloatArray:
    """Variance of the quantile of a level of one row, in each training set.

    A part of the rows tells it; which part does not rest on outcomes.
    """
    around = min(_AROUND, 0.5 * p, 0.5 * (1.0 - p))
    ends = [p - around, p + around]
    of_normal = p * (1.0 - p) / norm.pdf(norm.ppf(p)) ** 2 / np.diff(norm.ppf(ends))[0] ** 2
    code, y, weight, times = order.sample
    low, high = (_overall(order, folds, quartile) for quartile in (0.25, 0.75))
    far = _FAR * np.where(high > low, high - low, np.inf)
    found = np.zeros(len(low))
    for k in range(len(found)):
        w = weight * times(None if folds is None else k)
        near = np.clip(y, low[k] - far[k], high[k] + far[k])
        n = np.bincount(code, w)
        mean = np.bincount(code, w * near) / np.where(n > 0, n, 1.0)
        some = np.flatnonzero((w > 0) & (n[code] > 1.0))
        if len(some):
            own = n[code[some]]
            # Rows are nearer to a mean that they are in.
            off = (y[some] - mean[code[some]]) * np.sqrt(own / (own - 1.0))
            below, above = weighted_quantiles(off, w[some], ends)
            found[k] = of_normal * (above - below) ** 2
    return found


def _prior_weight(quantiles: PooledLevels, variance: FloatArray) -> FloatArray:
    """Weight of the prior, in rows, by the likelihood of the quantiles of levels."""
    view = quantiles.view
    whole = view.whole
    n_levels = quantiles.sum_over_kept(lambda sums: (sums.weight > 0).astype(np.float64))
    inside = variance * np.maximum(whole.weight - n_levels, 0.0)
    squares = quantiles.sum_over_kept(lambda sums: sums.total * sums.mean)
    between = np.maximum(squares - whole.total * whole.mean, 0.0)
    whole = OutcomeSums(whole.weight, whole.total, inside + between)
    ratio = Likelihood(quantiles.equal_levels, inside, whole).ratio
    differ = ratio > 0
    return np.where(differ, 1.0 / np.where(differ, ratio, 1.0), np.inf)
