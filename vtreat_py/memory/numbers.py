"""A numeric column whose rows are in memory: what a design asks of it, and its cross-frame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.coders.clean import Imputer, imputed_value
from vtreat_py.coders.forms import Copy, FoldCurves, Form, filled, write_curves
from vtreat_py.coders.step_code import range_levels
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.design.facts import LevelFacts
from vtreat_py.design.scoring import rate_regression
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.digest import digest
from vtreat_py.memory.binned import ColumnBins
from vtreat_py.memory.coded_rows import CodedRows
from vtreat_py.memory.levels import facts_of_codes
from vtreat_py.memory.ranges import class_sums, number_sums
from vtreat_py.memory.rows import DesignRows
from vtreat_py.outcome.outcome import OutcomeRows
from vtreat_py.significance.logistic import Points, PointSums, logistic_fit
from vtreat_py.significance.logistic_bins import NumberBins
from vtreat_py.significance.newton import RegressionFit, fits_may_be_rough, maximum_likelihood
from vtreat_py.significance.poisson import poisson_fit
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.coordinates import FAR, Coordinates
from vtreat_py.statistics.number_profile import NumberProfile
from vtreat_py.statistics.numeric_sums import NumericSums, lost_sums
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.places import places_among
from vtreat_py.statistics.quantiles import weighted_quantiles
from vtreat_py.statistics.row_groups import RowGroups


class NumberRows:
    """The `NumberFacts` of a column in memory."""

    def __init__(self, column: NumericColumn, rows: DesignRows) -> None:
        self._column, self._rows, self._folds = column, rows, rows.folds
        self._weight = rows.outcome.weight
        self.name, self.kind = column.name, column.kind
        self.has_bad = column.bad is not None
        self.has_good = self._some_good()
        self.by_rows = CodedRows(column, rows)

    def _some_good(self) -> bool:
        bad = self._column.bad
        if self._weight is None or (bad is not None and bad.all()):
            return bad is None or not bad.all()
        return bool((self._good & (self._weight > 0)).any())

    @cached_property
    def _good(self) -> BoolArray:
        bad = self._column.bad
        return np.ones(len(self._column), dtype=bool) if bad is None else ~bad

    @cached_property
    def digest(self) -> str:
        """Digest of a few values."""
        return digest(self._column)

    @property
    def coordinates(self) -> Coordinates:
        """Coordinates near the good values."""
        return self._seen[0]

    @cached_property
    def _seen(self) -> tuple[Coordinates, NumberProfile, float]:
        """What takes a copy of the good values, made once: and how much they weigh."""
        values, weight = self._known_to(None)
        extent = float(values.min()), float(values.max())
        profile = NumberProfile.of_values(values, weight, extent=extent)
        weighing = float(len(values) if weight is None else weight.sum())
        # Rows of times may be in no sum, as these say, which are not to be asked.
        middle = np.median if self._rows.context.is_survival else np.mean
        return Coordinates.near(values, extent, middle), profile, weighing

    def _known_to(self, fold: int | None) -> tuple[NumberArray, FloatArray | None]:
        """Good values of the rows that count, with how often they do (None: once).

        Of all rows, or of a fold's training rows.
        """
        column, weight = self._column, self._rows.counted_in(fold)
        if weight is None:
            return (column.values if column.bad is None else column.values[self._good]), None
        some, weighted = self._good & (weight > 0), self._weight is not None
        weighted = weighted or self._folds.training is not None
        return column.values[some], weight[some] if weighted else None

    def extent(self, fold: int | None) -> tuple[float, float] | None:
        """Smallest and largest good value; None without one."""
        if fold is None:
            return (self._seen[1].low, self._seen[1].high) if self.has_good else None
        values, _ = self._known_to(fold)
        return (float(values.min()), float(values.max())) if len(values) else None

    def imputed(self, fold: int | None, imputer: Imputer) -> float | None:
        """What an imputer makes of the good values, if any."""
        values, weight = self._known_to(fold)
        if not len(values):
            return None
        return imputed_value(self.name, imputer, values.astype(np.float64), weight)

    def quantiles(self, fold: int | None, probabilities: Sequence[float]) -> FloatArray | None:
        """Quantiles of the good values, if any."""
        values, weight = self._known_to(fold)
        return weighted_quantiles(values, weight, probabilities) if len(values) else None

    def profile(self, bad_weight: float) -> NumberProfile:
        """How all good values are spread."""
        _, profile, weighing = self._seen
        count, bad = self._rows.counted_in(None), self._column.bad
        if self._rows.context.is_survival and count is not None and bad is not None:
            bad_weight = float(count[bad].sum())  # rows weigh what is expected of them
        return profile.beside_bad(bad_weight, weighing)

    def sums(self) -> list[NumericSums]:
        """Sums of each block of rows."""
        return self._block_sums

    @cached_property
    def _block_sums(self) -> list[NumericSums]:
        blocks = self._rows.blocks
        if not self._has_bins:
            return self._sums_by(blocks)
        binned, n_classes = self.binned(), self._rows.context.n_classes
        none = binned.sums[0].nothing(blocks.n_groups)
        lost = NumericSums(none, lost_sums(blocks, self._column.bad))
        bad = [lost.of_class(k, n_classes).bad for k in range(n_classes)] or [lost.bad]
        return [NumericSums(binned.by_block(k), of_bad) for k, of_bad in enumerate(bad)]

    @property
    def _has_bins(self) -> bool:
        """Whether there are sums by bin, to which those of rows in R's mode are not the same."""
        context, extent = self._rows.context, self.extent(None)
        asked = bool(context.shape_codes) and not context.options.follows_r
        return asked and extent is not None and extent[0] < extent[1]

    def training_sums(self) -> list[NumericSums] | None:
        """Sums of the training rows of each fold, where those are no others."""
        groups = self._rows.training_blocks
        return None if groups is None else self._sums_by(groups)

    def crossed_sums(self) -> list[NumericSums]:
        """Sums of the rows of the cross-frame, by fold."""
        sums, n_folds = self._block_sums, self._folds.n_folds
        if self._folds.repeats is not None:
            sums = self._sums_by(self._rows.crossed_blocks)
        return [one.take(slice(n_folds)) for one in sums]

    def _sums_by(self, groups: RowGroups) -> list[NumericSums]:
        """Sums of the column by groups of rows, for each contrast.

        Sums by group and class are enough for all classes.
        """
        column, n_classes = self._column, self._rows.context.n_classes
        sums = NumericSums.of_rows(groups, column.values, column.bad, self.coordinates)
        return [sums.of_class(k, n_classes) for k in range(n_classes)] or [sums]

    def link_fits(self, imputed: float) -> list[RegressionFit]:
        """Fit each class, or the rate, on the clean column, in inner coordinates."""
        value, extent = self._inner(imputed), self.extent(None)
        assert extent is not None
        ends = self._inner(np.array(extent + ((imputed,) if self.has_bad else ())))
        context = self._rows.context
        exact = context.contrasts[0].link_slopes and not context.is_rate
        rough = fits_may_be_rough(len(self._column), exact)
        at_bad = float(value[0]) if self.has_bad else None

        bins = self._fine_bins if rough else None

        def fit(contrast: OutcomeRows, sums: NumericSums) -> RegressionFit:
            moments = sums.merged().imputed(value)
            reach = np.abs(ends - moments.x[0]).max(keepdims=True)
            by_bins = None
            if bins is not None and context.is_rate:
                by_bins = bins.fit_rate(contrast.y, moments, at_bad, contrast.null_deviance)
            elif bins is not None:
                by_bins = bins.fit(contrast.y, moments, reach, at_bad)
            if by_bins is not None:
                return by_bins
            x = self._inner(filled(self._column.values, self._column.bad, imputed))
            points = _row_points(x, contrast.y, self._weight)
            if context.is_rate:
                return rate_regression(context, points)
            return maximum_likelihood(Points.of_moments(*points, moments, reach, rough))

        return [fit(c, s) for c, s in zip(self._rows.contrasts, self._block_sums, strict=True)]

    @cached_property
    def _fine_bins(self) -> NumberBins | None:
        low, high = self._inner(np.array(self.extent(None)))
        x, good = self._inner(self._column.values), self._block_sums[0].merged().good
        extent = float(low), float(high)
        return NumberBins.of(x, self._column.bad, self._weight, good, extent)

    def link_slopes(self, imputed: FloatArray) -> list[FloatArray]:
        """Slopes of those fits in each fold, in inner coordinates."""
        folds = range(self._folds.n_folds)
        numbers = range(len(self._rows.contrasts))
        return [np.array([self._link_slope(i, k, imputed[k]) for k in folds]) for i in numbers]

    def _link_slope(self, number: int, fold: int, imputed: float) -> float:
        x = self._inner(filled(self._column.values, self._column.bad, imputed))
        y, weight = self._rows.known_to(number, fold)
        if not weight.any():
            return 0.0  # the fold has no past
        fit = poisson_fit if self._rows.context.is_rate else logistic_fit
        return float(fit(*_row_points(x, y, weight)).slope[0])

    def sample(self, imputed: float) -> Sample:
        """The clean column over all rows, in inner coordinates."""
        values = self.coordinates.inner(self._column.values)
        clean = filled(values, self._column.bad, float(self._inner(imputed)[0]))
        return Sample.of_values(clean, self._weight)

    def correlation(self, number: int, imputed: float | None) -> float:
        """p-value of the correlation with the outcome, by rows."""
        rows, bad = self._rows.counted, self._column.bad
        if imputed is None:
            assert bad is not None
            return self._rows.tests[number].correlation(bad[rows].astype(np.float64))
        values = self.coordinates.inner(self._column.values[rows]).astype(np.float64, copy=False)
        if bad is not None:
            values = np.where(bad[rows], self._inner(imputed), values)
        return self._rows.tests[number].correlation(values)

    def _inner(self, values: NumberArray | float) -> FloatArray:
        """Inner coordinates; rows that do not count may lie too far off to be squared."""
        inner = self.coordinates.inner(np.atleast_1d(values))
        return inner if self._weight is None else np.clip(inner, -FAR, FAR)

    def crossed_fits(self, imputed: FloatArray) -> list[RegressionFit]:
        """Fit them on the clean column as the cross-frame has it."""
        folds, contrasts = self._folds, self._rows.contrasts
        x, rows, weight = np.empty(folds.n_coded), folds.cross_rows(), self._rows.crossed_weight
        self.write_coded(Copy(imputed), x)
        if folds.repeats is None:
            x = x[rows]
        weight = None if weight is None else weight[rows]
        points = [_row_points(self._inner(x), c.y[rows], weight) for c in contrasts]
        if self._rows.context.is_rate:
            return [rate_regression(self._rows.context, one) for one in points]
        return [logistic_fit(*one) for one in points]

    def range_sums(self, edges: FloatArray, *, scored: bool) -> list[OutcomeSums]:
        """Sums of the good values in each range, and of the bad ones."""
        rows, n_classes = self._rows, self._rows.context.n_classes
        outcome, weight = rows.outcome, self._weight
        # Squares of times to an event in bins are those that noise lets one expect.
        if self._has_bins and not scored and not rows.context.is_survival:
            return self._range_sums_of_bins(edges)
        if outcome.is_number:
            powers, centre = rows.powers, outcome.centre
            if scored:
                powers, centre = rows.powers_of_scores, 0.0
            return [OutcomeSums.of_raw(number_sums(self._column, edges, powers), centre)]
        hits = class_sums(self._column, edges, outcome.y, n_classes or 2, weight)
        every = range(n_classes) if n_classes else (1,)
        return [OutcomeSums(hits.sum(axis=1), hits[:, k].copy()) for k in every]

    def _range_sums_of_bins(self, edges: FloatArray) -> list[OutcomeSums]:
        """The same of bins, but for the rows of those that an edge is inside of."""
        range_of_bin, n = self._bins.range_of_bin(edges), len(edges) + 2
        whole = np.flatnonzero(range_of_bin >= 0)
        # Rows that do not count may be beyond the last bin.
        is_cut = np.append(range_of_bin < 0, False)
        is_some = np.empty(len(self._column), dtype=bool)
        for rows in blocks(len(is_some)):
            np.take(is_cut, self._bins.place[rows], out=is_some[rows], mode="clip")
        if self._column.bad is not None:
            is_some |= self._column.bad
        some = np.flatnonzero(is_some)
        code = np.where(self._good[some], np.searchsorted(edges, self._column.values[some]), n - 1)
        weight = None if self._weight is None else self._weight[some]
        of_bins = self.binned().outcomes(of_classes=not self._rows.outcome.is_number)
        found = []
        for contrast, bins in zip(self._rows.contrasts, of_bins, strict=True):
            of_rows = OutcomeSums.of_rows(code, n, contrast.y[some], weight, contrast.centre)
            found.append(bins.take(whole).grouped(range_of_bin[whole], n) + of_rows)
        return found

    def binned(self) -> BinnedNumbers:
        """Sums of the good values by bin."""
        return self._bins.sums

    @cached_property
    def _bins(self) -> ColumnBins:
        extent = self.extent(None)
        assert extent is not None
        return ColumnBins(self._column, self._rows, self.coordinates, extent)

    def ranges(self, edges: FloatArray) -> LevelFacts:
        """The column as one of levels: a level for each range."""
        values = filled(self._column.values, self._column.bad, 0)
        codes = places_among(edges, values).astype(np.int32)
        if self._column.bad is not None:
            codes[self._column.bad] = len(edges) + 1
        return facts_of_codes(self.name, codes, range_levels(edges), self._rows)[0]

    @property
    def coded_fold(self) -> IntArray:
        """Folds of the rows that are coded out of fold."""
        return self._folds.coding[1]

    def write_coded(self, form: Form, out: FloatArray) -> None:
        """Write the rows that are coded out of fold, by a form of their folds."""
        rows, fold = self._folds.coding
        bad = self._column.bad
        form.write(self._column.values[rows], None if bad is None else bad[rows], fold, out)

    def write_curves(self, curves: Sequence[FoldCurves], outs: Sequence[FloatArray]) -> None:
        """Write them by curves that end where bins do."""
        rows, fold = self._folds.coding
        values, bad = self._column.values[rows], self._column.bad
        bad = None if bad is None else bad[rows]
        write_curves(curves, self._bins.place[rows], values, bad, fold, outs)


def _row_points(x: FloatArray, y: NumberArray, weight: FloatArray | None) -> PointSums:
    """One point for each row, for a regression with a link."""
    hits = y.astype(np.float64) if weight is None else weight * y
    return x[None], None if weight is None else weight[None], hits[None]
