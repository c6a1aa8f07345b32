"""Poisson regressions of numeric columns: the sums of each iteration from one query for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.lazy.aggregates import Asked, floats, totals, value_where
from vtreat_py.lazy.folds import FOLD
from vtreat_py.lazy.picked_rows import WEIGHT
from vtreat_py.lazy.regressions import Fits, Regression, scale_of
from vtreat_py.lazy.rows import Y
from vtreat_py.lazy.source import with_columns
from vtreat_py.significance.newton import MANY_POINTS, RegressionFit
from vtreat_py.significance.poisson import Profiles, maximum_of, poisson_fit


@dataclass(frozen=True, eq=False)
class PoissonFits(Fits):
    """Regressions of a rate."""

    def fitted(self, batch: Sequence[Regression]) -> RegressionFit:
        """Fit some regressions by the same queries."""
        outcome = self.rows.outcome
        assert outcome is not None
        return maximum_of(_EngineProfiles(self, batch), outcome.null_deviance)


class _EngineProfiles(Profiles):
    """Those of the rows of a lazy frame."""

    def __init__(self, fits: Fits, asked: Sequence[Regression]) -> None:
        super().__init__(*scale_of(asked))
        self._rows, self._picked, self._asked = fits.rows, fits.picked, asked

    def start(self) -> FloatArray:
        """Slopes of some of many rows, by arithmetic on the row id."""
        rows = self._rows
        if rows.row_id is None or rows.n_rows < MANY_POINTS:
            return super().start()
        table = self._picked.of(MANY_POINTS)
        assert table is not None
        y, weight, fold = floats(table, Y), floats(table, WEIGHT), table[FOLD].to_numpy()
        x = np.stack([r.clean_of(floats(table, r.column.alias), fold) for r in self._asked])
        total = np.tile(weight, (len(x), 1))
        for i, one in enumerate(self._asked):
            if one.left_out is not None:
                total[i, fold == one.left_out] = 0.0
        return poisson_fit(x, total, total * y).slope * np.where(
            np.isfinite(self.spread), self.spread, 0.0
        )

    def sums(self, slope: FloatArray) -> FloatArray:
        """Sum over the rows of the frame."""
        steps: list[dict[str, nw.Expr]] = [{}, {}]
        asked: dict[str, Asked] = {}
        shrink = 1.0 / self.spread
        for k, one in enumerate(self._asked):
            x = (one.clean - float(self.middle[k])) * float(shrink[k])
            if one.left_out is not None:
                x = value_where(nw.col(FOLD) != one.left_out, x)
            steps[0][f"x{k}"] = x
            x = nw.col(f"x{k}")
            steps[1][f"fitted{k}"] = self._rows.weighted((x * float(slope[k])).exp())
            fitted = nw.col(f"fitted{k}")
            for power, term in enumerate((fitted, fitted * x, fitted * x * x)):
                asked[f"power{power}_{k}"] = "sum", term
        frame = self._rows.counted([one.column for one in self._asked])
        for step in steps:
            frame = with_columns(frame, step)
        found = totals(frame, asked)
        every = range(len(self._asked))
        return np.nan_to_num([[found[f"power{p}_{k}"] for k in every] for p in range(3)])
