"""Draws of what is tested of a pair of columns, where its cells are not sums of many rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.significance.draws import different_rows, generator, p_value_by_draws
from vtreat_py.significance.interaction_form import InteractionForm
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import sum_by

# So many rows, those farthest from the mean, are dealt one by one.
_MOST_DEALT = 128
# Draws times cells that are held at once.
_HELD = 1 << 18
# A tail goes on as it falls between these shares of the draws.
_TOLD = (0.02, 0.002)


@dataclass(frozen=True, eq=False)
class Residuals:
    """Rows less what two columns say of them by adding up.

    Attributes
    ----------
    values : ndarray of shape (n,)
    rows : ndarray of shape (n,) or None
        How many rows have each value, whole numbers; None: one.
    n_rows : float
        Number of rows; less than there are values, where those are shares of rows.
    """

    values: FloatArray
    rows: FloatArray | None
    n_rows: float

    @cached_property
    def scaled(self) -> FloatArray:
        """The values, with squares that sum to the number of rows."""
        squares = self._sum(self.values * self.values)
        return self.values * math.sqrt(self.n_rows / squares)

    @cached_property
    def mean(self) -> float:
        """Mean of the scaled values."""
        return self._sum(self.scaled) / self.n_rows

    @cached_property
    def skewness_and_kurtosis(self) -> tuple[float, float]:
        """Third moment, and fourth moment less that of a normal distribution."""
        square = self.scaled * self.scaled
        third, fourth = self._sum(square * self.scaled), self._sum(square * square)
        return third / self.n_rows, fourth / self.n_rows - 3.0

    def _sum(self, values: FloatArray) -> float:
        return float(values.sum() if self.rows is None else (self.rows * values).sum())

    @cached_property
    def farthest(self) -> FloatArray:
        """The rows that are farthest from 0, in an order that is theirs alone."""
        values, most = self.scaled, min(_MOST_DEALT, int(self.n_rows))
        near = len(values) - min(_MOST_DEALT, len(values))
        far = np.argpartition(np.abs(values), near)[near:]
        far = far[np.lexsort((values[far], -np.abs(values[far])))]
        times = 1 if self.rows is None else np.minimum(self.rows[far], most).astype(np.intp)
        return np.repeat(values[far], times)[:most]


@dataclass(frozen=True, eq=False)
class RowsOfCells:
    """Permutations of residuals among the rows, as the sums of cells see them.

    The rows that are farthest off are dealt to cells, as many as there are up to 128. The others'
    sums are taken for normal, given how many of them a cell has.

    Attributes
    ----------
    form : InteractionForm
    far : ndarray of shape (f,)
        Rows that are dealt.
    mean, spread : float
        Mean and standard deviation of the others.
    """

    form: InteractionForm
    far: FloatArray
    mean: float
    spread: float

    @classmethod
    def of(cls, form: InteractionForm, total: FloatArray, rows: Residuals) -> RowsOfCells:
        """Look at the rows; draws depend neither on orders nor on which way the outcome points.

        Cells go by their sizes and sums.
        """
        order = np.lexsort((np.abs(total), form.size))
        form = InteractionForm.of(form.size[order], form.size[order], form.basis[order])
        side = -1.0 if rows.skewness_and_kurtosis[0] < 0.0 else 1.0
        far, n_rows = side * rows.farthest, rows.n_rows
        others = n_rows - len(far)
        if others < 1:
            return cls(form, far, 0.0, 0.0)
        mean = (side * n_rows * rows.mean - float(far.sum())) / others
        squares = (n_rows - float((far * far).sum())) / others - mean * mean
        return cls(form, far, mean, math.sqrt(max(squares, 0.0)))

    def draw(self, n_draws: int) -> FloatArray:
        """The statistic as a share of all squares, for so many permutations."""
        n_cells, last_row = len(self.form.size), np.cumsum(self.form.size)
        n_rows = round(float(last_row[-1]))
        dealt = different_rows(n_rows, len(self.far), n_draws)
        if n_rows <= dealt.size:  # quicker than to look for each
            dealt = np.searchsorted(last_row, np.arange(n_rows), side="right")[dealt]
        else:
            dealt = np.searchsorted(last_row, dealt, side="right")
        dealt = np.minimum(dealt, n_cells - 1)
        random = generator(n_cells, n_draws)
        some = blocks(n_draws, max(_HELD // n_cells, 1))
        return np.concatenate([self._drawn(dealt[one], random) for one in some])

    def _drawn(self, dealt: IntArray, random: np.random.Generator) -> FloatArray:
        """The same, given the cells that rows are dealt to."""
        size = self.form.size
        shape = len(dealt), len(size)
        cell = dealt + len(size) * np.arange(len(dealt))[:, None]
        far = np.broadcast_to(self.far, dealt.shape).ravel()
        n_far, total, squares = (
            sum_by(cell.ravel(), values, shape[0] * shape[1]).reshape(shape)
            for values in (None, far, far * far)
        )
        left = np.maximum(size - n_far, 0.0)
        others = left * self.mean + self.spread * np.sqrt(left) * random.standard_normal(shape)
        spread = random.standard_gamma(np.maximum(left - 1.0, 0.0) / 2.0)
        squares += others * others / np.maximum(left, 1.0) + 2.0 * self.spread**2 * spread
        total += others
        inner = np.maximum(squares - total * total / size, 0.0)
        x = self.form.apart(total / np.sqrt(size))
        squares = (x * x).sum(axis=1) + inner.sum(axis=1)
        return np.asarray(self.form.statistic(x, inner) / squares)


@dataclass(frozen=True, eq=False)
class HitsOfCells:
    """Rows of a class in cells, as a logistic regression says.

    Attributes
    ----------
    form : InteractionForm
    rate : ndarray of shape (cells,)
    root : ndarray of shape (cells,)
        Standard deviation of the number of hits.
    """

    form: InteractionForm
    rate: FloatArray
    root: FloatArray

    @cached_property
    def skewness_and_kurtosis(self) -> tuple[FloatArray, FloatArray]:
        """Those of a row in each cell."""
        variance = self.rate * (1.0 - self.rate)
        return (1.0 - 2.0 * self.rate) / np.sqrt(variance), 1.0 / variance - 6.0

    def statistic(self, excess: FloatArray, spread: FloatArray | float = 1.0) -> FloatArray:
        """The form, of hits less those expected; cells are the last axis.

        ``spread``: standard deviation of rows in units of that of the regression.
        """
        x, size = excess / self.root, self.form.size
        skewness, _ = self.skewness_and_kurtosis
        inner = np.maximum(size + skewness * np.sqrt(size) * x - x * x, 0.0)
        return self.form.statistic(self.form.apart(x / spread), inner / np.square(spread))

    def draw(self, n_draws: int) -> FloatArray:
        """The statistic, for so many draws of the hits."""
        order = np.lexsort((self.rate, self.form.size))
        size = np.maximum(np.rint(self.form.size), 1.0)[order]
        rate = self.rate[order]
        random = generator(len(size), n_draws, 1)
        drawn = []
        for some in blocks(n_draws, max(_HELD // len(size), 1)):
            excess = np.empty((some.stop - some.start, len(size)))
            hits = random.binomial(size.astype(np.int64), rate, excess.shape)
            excess[:, order] = (hits - size * rate) * np.sqrt(self.form.size[order] / size)
            drawn.append(self.statistic(excess))
        return np.concatenate(drawn)


def p_value_of_draws(draw: Callable[[int], FloatArray], statistic: float) -> float:
    """Probability that a draw reaches a statistic; beyond them all, by an exponential tail.

    T. Knijnenburg, L. Wessels, M. Reinders and I. Shmulevich, "Fewer permutations, more accurate
    P-values", Bioinformatics 25 (2009).
    """
    made: list[FloatArray] = []

    def remembered(n_draws: int) -> FloatArray:
        made.append(draw(n_draws))
        return made[-1]

    def tail(value: float) -> float:
        near, far = np.quantile(np.concatenate(made), [1.0 - share for share in _TOLD])
        fall = math.log(_TOLD[0] / _TOLD[1]) / (far - near) if far > near else 0.0
        return math.exp(-fall * (value - far))

    return p_value_by_draws(remembered, statistic, tail)
