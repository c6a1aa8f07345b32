"""A numeric column of which sums by value were kept, where the outcome is a rate."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.kept.design import KeptDesign
from vtreat_py.kept.number_facts import NumberTable
from vtreat_py.kept.numbers import KeptNumbers
from vtreat_py.kept.rates import KeptResiduals
from vtreat_py.outcome.outcome import OutcomeValues
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.significance.poisson import poisson_fit
from vtreat_py.significance.rates import rate_correlation
from vtreat_py.significance.row_tests import sample_of


class RateTable(NumberTable):
    """The `NumberFacts` of such a column."""

    def __init__(
        self,
        kept: KeptNumbers,
        design: KeptDesign,
        residuals: KeptResiduals,
        outcome: OutcomeValues,
    ) -> None:
        super().__init__(kept, design)
        self._kept, self._residuals = kept, residuals
        self._null_deviance = outcome.null_deviance

    def _fit(
        self,
        number: int,  # noqa: ARG002 (there is one contrast)
        imputed: FloatArray | float,
        held_out: int | None = None,
    ) -> RegressionFit:
        """Fit the rate on the column, bad values imputed by fold, without the rows of one fold."""
        n_folds, missing, cells = self._design.n_folds, self._missing, self._table.cells
        good, bad = np.ones(len(cells.weight)), np.ones(n_folds)
        if held_out is not None:
            good, bad = self._fold != held_out, np.arange(n_folds) != held_out
        events = cells.weight * (cells.y + cells.centre_y)
        x = np.append(self._values, self._inner(np.broadcast_to(imputed, n_folds)))
        exposure = np.append(self._by_value(good * cells.weight), bad * missing.weight)
        count = np.append(self._by_value(good * events), bad * missing.total)
        some = exposure > 0
        points = x[None, some], exposure[None, some], count[None, some]
        return poisson_fit(*points, self._null_deviance)

    def correlation(self, number: int, imputed: float | None) -> float:  # noqa: ARG002
        """p-value of the correlation of the rate with the clean column, or its mark."""
        counts, lost = self._kept.counts, self._kept.missing_rows
        assert counts is not None
        values, n_rows = counts.points(counts.cells.weight)
        clean = np.zeros(len(values)) if imputed is None else self._inner(values)
        of_bad = np.ones(1) if imputed is None else self._inner(imputed)
        x = sample_of(np.append(clean, of_bad), np.append(n_rows, lost))
        product, spread = self._product_and_spread(imputed, float(of_bad[0]))
        residuals = self._residuals
        return rate_correlation(product, spread, x, residuals.sample, residuals.rate)

    def _product_and_spread(self, imputed: float | None, of_bad: float) -> tuple[float, float]:
        """Sums of products of the numbers, about their mean, with residuals, and of squares."""
        (sums,) = self.sums()
        whole = sums.merged()
        if imputed is not None:
            moments = whole.imputed(np.array([of_bad]))
            return float(moments.xy[0]), float(moments.xx[0])
        bad, all_rows = whole.bad, whole.outcome()
        share = float(bad.weight[0] / all_rows.weight[0])
        product = float(bad.weight[0] * (bad.mean[0] - all_rows.mean[0]))
        return product, float(bad.weight[0]) * (1.0 - share)
