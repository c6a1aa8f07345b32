"""Does a pair of columns say more of the outcome than the two alone? One test a pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.draws import UNDECIDED
from vtreat_py.significance.interaction_draws import (
    HitsOfCells,
    Residuals,
    RowsOfCells,
    p_value_of_draws,
)
from vtreat_py.significance.interaction_form import InteractionForm
from vtreat_py.significance.pearson import upper_tail
from vtreat_py.statistics.additive import additive_basis

# What is left of this share of the squares, after subtraction, is rounding.
_ROUNDING = 1e-13
# Cells farther from normal sums than this have their statistic drawn.
_NEARLY_NORMAL = 0.01


@dataclass(frozen=True, eq=False)
class NumberCells:
    """Sums of a number in each cell of a table.

    Attributes
    ----------
    size : ndarray of shape (a, b)
        Rows of each cell; as many as its mean is worth, where weights do not count them.
    total, inner : ndarray of shape (a, b)
        Sums of the outcome, and of its squares about the mean of the cell.
    beside : ndarray of shape (d, a, b) or None
        What else may be added; see `additive_basis`.
    """

    size: FloatArray
    total: FloatArray
    inner: FloatArray
    beside: FloatArray | None = None

    def interaction(self, residuals: Callable[[FloatArray], Residuals]) -> float:
        """p-value of the hypothesis that the means of the cells add up.

        Parameters
        ----------
        residuals : callable
            Gives the rows less additive means of their cells, of shape (a, b); asked for where
            they may decide something.

        Notes
        -----
        The statistic is a sum over pairs of rows, most of which share a cell, of the products of
        their residuals after the additive fit. It is held against its distribution where
        residuals are permuted among the rows and the additive fit is made anew (D. Freedman and
        D. Lane, "A nonstochastic interpretation of reported significance levels", Journal of
        Business and Economic Statistics 1 (1983)), as a share of what that fit leaves. For normal
        residuals that is known by four moments, for others it is drawn; see `RowsOfCells`. With
        as many rows in each cell it is the F test of the interaction.
        """
        some = self.size > 0
        size, root = self.size[some], np.sqrt(self.size[some])
        basis = additive_basis(self.size, self.beside)[some.ravel()]
        form = InteractionForm.of(size, size, basis)
        whole = self.total[some] / root
        x, inner = form.apart(whole), self.inner[some]
        squares = float((x * x).sum() + inner.sum())
        left = float(size.sum()) - form.n_additive
        seen = squares > _ROUNDING * float((whole * whole).sum() + inner.sum())
        if not (form.n_free and left > 0 and seen):
            return 1.0
        statistic = float(form.statistic(x, inner)) / squares
        p = _tail_of_share(statistic, form.traces, left)
        if p >= UNDECIDED:
            return p
        fitted = np.zeros(self.size.shape)
        fitted[some] = (whole - x) / root
        rows = residuals(fitted)
        if form.far_from_normal(*rows.skewness_and_kurtosis) > _NEARLY_NORMAL:
            drawn = RowsOfCells.of(form, self.total[some], rows)
            p = p_value_of_draws(drawn.draw, statistic)
        return max(p, form.least)


@dataclass(frozen=True, eq=False)
class ClassCells:
    """Rows of a class in each cell of a table.

    Attributes
    ----------
    size, hits : ndarray of shape (a, b)
        Rows of each cell, and those of the class.
    log_odds : ndarray of shape (a, b)
        Those of the logistic regression on both columns; see `additive_log_odds`.
    beside : ndarray of shape (d, a, b) or None
        What else is in that regression.
    """

    size: FloatArray
    hits: FloatArray
    log_odds: FloatArray
    beside: FloatArray | None = None

    def interaction(self) -> float:
        """p-value of the hypothesis that the log odds of the cells add up.

        Notes
        -----
        The statistic is that of numbers, of Pearson's residuals: rows vary as the logistic
        regression says, so that they cannot be permuted. Where cells have few hits it is drawn
        from that regression.
        """
        rate = special.expit(self.log_odds)
        variance = rate * (1.0 - rate)
        information = self.size * variance
        some = self.size > 0
        size, root = self.size[some], np.sqrt(information[some])
        basis = additive_basis(information, self.beside)[some.ravel()]
        form = InteractionForm.of(size, root * root, basis)
        cells = HitsOfCells(form, rate[some], root)
        if not form.n_free:
            return 1.0
        spread = math.sqrt(max(2.0 * form.traces[1], 0.0))
        if not spread > 0:
            return 1.0
        excess = self.hits[some] - size * rate[some]
        statistic = float(cells.statistic(excess, form.spread_before_fit))
        shape = 8.0 * form.traces[2] / spread**3, 48.0 * form.traces[3] / spread**4
        p = upper_tail(statistic / spread, *shape)
        if p < UNDECIDED and form.far_from_normal(*cells.skewness_and_kurtosis) > _NEARLY_NORMAL:
            p = p_value_of_draws(cells.draw, statistic)
        return p


def _tail_of_share(statistic: float, traces: FloatArray, left: float) -> float:
    """Tail of a form of mean 0 over the sum of squares of as many normal numbers.

    The ratio does not depend on that sum, so that its moments are ratios of moments.
    """
    chi = np.cumprod(left + 2.0 * np.arange(4))
    spread = math.sqrt(max(2.0 * traces[1] / chi[1], 0.0))
    if not spread > 0:
        return 1.0
    skewness = 8.0 * traces[2] / chi[2] / spread**3
    fourth = (48.0 * traces[3] + 12.0 * traces[1] ** 2) / chi[3]
    return upper_tail(statistic / spread, skewness, fourth / spread**4 - 3.0)
