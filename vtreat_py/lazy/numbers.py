"""A numeric column of a lazy frame: what a design asks of it."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals.stable.v2 as nw
import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.coders.clean import Imputer
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.design.facts import LevelFacts
from vtreat_py.design.scoring import mark_moments
from vtreat_py.lazy.aggregates import Asked, totals
from vtreat_py.lazy.binned import binned_numbers
from vtreat_py.lazy.columns import LazyNumber
from vtreat_py.lazy.fine_bins import FineBins, fine_bins
from vtreat_py.lazy.levels import facts_of_ranges
from vtreat_py.lazy.number_queries import Extents
from vtreat_py.lazy.profile_query import profiled
from vtreat_py.lazy.quantile_queries import quantiles
from vtreat_py.lazy.ranges import LazyRanges
from vtreat_py.lazy.regressions import Fits, Regression, clean_copy
from vtreat_py.lazy.residuals import Residuals, sampled
from vtreat_py.lazy.score_queries import class_sums, outcome_sums, score_sums
from vtreat_py.lazy.values import table_of_values
from vtreat_py.significance.logistic_bins import BinGrid
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.significance.rates import rate_correlation
from vtreat_py.significance.row_tests import correlation_of
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.number_profile import NumberProfile
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.outcome_sums import OutcomeSums


class EngineNumbers:
    """The `NumberFacts` of a column of a lazy frame that has good values.

    Sums of all columns come from the same queries, before; quantiles, and values that a
    permutation test asks for, are queried when they are asked for.
    """

    digest = ""
    has_good = True
    by_rows = None

    def __init__(
        self,
        column: LazyNumber,
        extents: Extents,
        sums: list[NumericSums],
        residuals: Residuals,
        fits: Fits,
    ) -> None:
        self._column, self._extents, self._sums = column, extents, sums
        self._residuals, self._fits = residuals, fits
        self._rows = fits.rows
        self._binned: BinnedNumbers | None = None
        self._ranges: dict[tuple[float, ...], list[OutcomeSums]] = {}
        self._quantiles: dict[tuple[float, ...], FloatArray] = {}
        self.name, self.kind = column.name, column.kind
        self.has_bad, self.coordinates = extents.has_bad, extents.coordinates

    def extent(self, fold: int | None) -> tuple[float, float] | None:
        """Smallest and largest good value; None without one."""
        n_folds = self._rows.n_folds
        low, high = (one.reshape(n_folds, -1) for one in (self._extents.low, self._extents.high))
        if fold is not None:
            others = np.arange(len(low)) != fold
            low, high = low[others], high[others]
        if np.isnan(low).all():
            return None
        return float(np.nanmin(low)), float(np.nanmax(high))

    def profile(self, bad_weight: float) -> NumberProfile:
        """How all good values are spread."""
        extent = self.extent(None)
        assert extent is not None
        weight = float(self._sums[0].merged().good.weight[0])
        bad_share = bad_weight / (bad_weight + weight)
        return profiled(self._fits.picked, self._column, extent, bad_share)

    def sums(self) -> list[NumericSums]:
        """Sums of each fold, for each contrast."""
        return self._sums

    def training_sums(self) -> None:
        """Folds are trained on all other rows."""

    def imputed(self, fold: int | None, imputer: Imputer) -> float | None:
        """The median, of the imputers that an engine can compute beside the mean."""
        if imputer != "median":
            raise InvalidOptionError(
                f"the imputation of column {self.name!r} is a function, which cannot run in the "
                'engine of a lazy frame; give a number, "mean" or "median"'
            )
        found = self.quantiles(fold, [0.5])
        return None if found is None else float(found[0])

    def quantiles(self, fold: int | None, probabilities: Sequence[float]) -> FloatArray | None:
        """Quantiles of the good values, if any."""
        if self.extent(fold) is None:
            return None
        wanted = tuple(probabilities)
        if wanted not in self._quantiles:
            self._quantiles[wanted] = quantiles(self._rows, self._column, self._extents, wanted)
        return np.asarray(self._quantiles[wanted][-1 if fold is None else fold])

    def link_fits(self, imputed: float) -> list[RegressionFit]:
        """Fit each class, or the rate, on the clean column, in inner coordinates."""
        return self._fits.of(self.regressions(imputed))

    def fits_by_bins(self, imputed: float, edges: FloatArray) -> list[RegressionFit | None]:
        """The same from one look at very many rows, which tells the sums of ranges, too.

        None where bins are too wide.
        """
        good = self._sums[0].merged().good
        low, high = self._inner(np.array(self.extent(None)))
        grid = BinGrid.of(good, (float(low), float(high)))
        if grid is None:
            return [None] * len(self._sums)
        found = fine_bins(self._rows, self._column, edges, self.coordinates, grid)
        self._ranges[tuple(edges)] = found.ranges
        if found.bins is None:
            return [None] * len(self._sums)
        return [self._by_bins(one, found) for one in self.regressions(imputed)]

    def _by_bins(self, asked: Regression, found: FineBins) -> RegressionFit | None:
        assert found.bins is not None
        assert isinstance(asked.filled, float)
        outcome, y = self._rows.outcome, found.y_beyond
        at_bad = asked.filled if self.has_bad else None
        if self._residuals.context.is_rate:
            assert outcome is not None
            return found.bins.fit_rate(y, asked.moments, at_bad, outcome.null_deviance)
        reach = np.array([asked.reach])
        return found.bins.fit(y == asked.number, asked.moments, reach, at_bad)

    def regressions(self, imputed: float) -> list[Regression]:
        """What is fitted: each class, or the rate, on the clean column."""
        value = self._inner(imputed)
        return [
            self._regression(number, float(value[0]), sums.merged().imputed(value))
            for number, sums in zip(self._numbers, self._sums, strict=True)
        ]

    @property
    def _numbers(self) -> range:
        """Numbers of the classes that are fitted, or of the rate."""
        return self._rows.contrasted or range(1)

    def _inner(self, values: FloatArray | float) -> FloatArray:
        return self.coordinates.inner(np.atleast_1d(values))

    def _regression(
        self,
        number: int,
        filled: float | dict[int, float],
        moments: Moments,
        left_out: int | None = None,
    ) -> Regression:
        extent = self.extent(left_out)
        ends = [] if extent is None else self._inner(np.array(extent)).tolist()
        if self.has_bad:
            ends += list(filled.values()) if isinstance(filled, dict) else [filled]
        reach = float(np.abs(np.array(ends) - moments.x[0]).max())
        return Regression(self._column, self.coordinates, filled, moments, reach, number, left_out)

    def link_slopes(self, imputed: FloatArray) -> list[FloatArray]:
        """Logistic slopes of the clean column in each fold, in inner coordinates."""
        fits = self._fits.of(self.fold_regressions(imputed))
        slopes = np.array([fit.slope[0] for fit in fits])
        return list(slopes.reshape(len(self._sums), self._rows.n_folds))

    def fold_regressions(self, imputed: FloatArray) -> list[Regression]:
        """What is fitted: each class on the clean column, without one fold after the other."""
        values = self._inner(imputed)
        asked = []
        for number, sums in zip(self._numbers, self._sums, strict=True):
            training = sums.all_but_own().imputed(values)
            asked += [
                self._regression(number, float(value), training.take(np.array([k])), k)
                for k, value in enumerate(values)
            ]
        return asked

    def crossed_sums(self) -> list[NumericSums]:
        """Sums of the rows of the cross-frame, which are all rows."""
        return self._sums

    def crossed_fits(self, imputed: FloatArray) -> list[RegressionFit]:
        """Fit each class on the clean column as the cross-frame has it."""
        return self._fits.of(self.crossed_regressions(imputed))

    def crossed_regressions(self, imputed: FloatArray) -> list[Regression]:
        """What is fitted: each class on the clean column as the cross-frame has it."""
        values = self._inner(imputed[: self._rows.n_folds])
        by_fold = dict(enumerate(values.tolist()))
        return [
            self._regression(number, by_fold, sums.imputed(values).merged())
            for number, sums in zip(self._numbers, self._sums, strict=True)
        ]

    def range_sums(self, edges: FloatArray, *, scored: bool) -> list[OutcomeSums]:
        """Sums of the good values in each range, and of the bad ones, by one more query."""
        if not scored and tuple(edges) in self._ranges:
            return self._ranges[tuple(edges)]
        column = LazyRanges(**vars(self._column), edges=tuple(edges.tolist()))
        if self._rows.n_classes:
            return class_sums(self._rows, column, column.known)
        if scored:
            return [score_sums(self._rows, self._residuals.context, column, column.known)]
        return [outcome_sums(self._rows, column, column.known)]

    def binned(self) -> BinnedNumbers:
        """Sums of the good values by bin, by some more queries."""
        if self._binned is None:
            self._binned = binned_numbers(self._rows, self._column, self._extents)
        return self._binned

    def ranges(self, edges: FloatArray) -> LevelFacts:
        """The column as one of levels: a level for each range, found by one more query."""
        return facts_of_ranges(self._rows, self._residuals, self._column, edges)

    def sample(self, imputed: float) -> Sample:
        """The clean column over all rows, in inner coordinates: its different values."""
        rows = self._rows
        table = table_of_values(rows.counted([self._column]), self._clean(imputed), rows.weight)
        return Sample.of_values(table.numbers, table.weight)

    def _clean(self, imputed: float) -> nw.Expr:
        return clean_copy(self._column, self.coordinates, float(self._inner(imputed)[0]))

    def correlation(self, number: int, imputed: float | None) -> float:
        """p-value of the correlation with the outcome, by rows."""
        whole, rows, residuals = self._sums[number].merged(), self._rows, self._residuals
        if imputed is None:
            value = nw.when(self._column.is_bad).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
            moments = mark_moments(whole)
        else:
            value, moments = self._clean(imputed), whole.imputed(self._inner(imputed))
        if residuals.context.is_rate:
            return self._rate_correlation(number, value, moments)
        weighted = residuals.share * (value - float(moments.x[0]))
        x = sampled(rows.counted([self._column]), weighted)
        product = float(moments.xy[0]) / rows.largest_weight
        return correlation_of(product, x.spread, lambda: x, residuals.outcome(number))

    def _rate_correlation(self, number: int, value: nw.Expr, moments: Moments) -> float:
        """The same of a rate; see `vtreat_py.significance.rates.RateTests`."""
        rows, residuals = self._rows, self._residuals
        frame, apart = rows.counted([self._column]), value - float(moments.x[0])
        x = sampled(frame, apart, residuals.times)
        varies = residuals.varies * apart * apart
        product = residuals.share * residuals.apart(number) * apart
        times = residuals.times
        asked: dict[str, Asked] = {
            name: ("sum", one if times is None else one * times.value)
            for name, one in (("product", product), ("spread", varies))
        }
        found = totals(frame, asked)
        residual, rate = residuals.outcome(number), residuals.mean(number)
        return rate_correlation(found["product"], found["spread"], x, residual, rate)
