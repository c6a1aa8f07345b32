"""The variables of a numeric column that are a shape, learned from sums by bin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.coders.asking import vary
from vtreat_py.coders.curve import Curve
from vtreat_py.coders.forms import FoldCurves
from vtreat_py.coders.shape_code import (
    ALL_ONE,
    FEWEST_VALUES,
    NO_SHAPE,
    BinnedSets,
    ShapeCode,
    believed,
    log_odds,
    log_ratio,
)
from vtreat_py.design.binned import BinnedNumbers
from vtreat_py.design.context import DesignContext
from vtreat_py.design.curves import (
    Copied,
    CurvePart,
    curve_variable,
    significance_of_column,
)
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.design.scoring import by_regression, regression, slopes
from vtreat_py.design.shapes import with_any_shape
from vtreat_py.plan.treatments import CurveCodes
from vtreat_py.significance.logistic import PointSums
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Numbers that are so near to the end of a bin, as a share of the range, are that end.
_ROUNDING = 1e-14
# Parts are narrow whose spread is below this share of that of all rows.
_NARROW = 0.01
# A regression on a link takes the rows of each bin as so many parts at most, of neighbouring folds.
_PARTS = 5


def shape_parts(filled: FilledNumbers, copied: Copied) -> Iterator[CurvePart | str]:
    """Learn the shapes of a column; a string says why there is none."""
    if not filled.varies:
        return
    sigs = cache(lambda: _significances(filled, copied))
    for context in filled.context.class_contexts or (filled.context,):
        if not context.shape_codes:
            continue
        learner = _Learner(filled, context, filled.facts.binned(), sigs)
        if learner.binned.n_bins < FEWEST_VALUES:
            are_many = len(filled.profile.edges) >= FEWEST_VALUES - 1
            yield ALL_ONE if are_many else NO_SHAPE
            continue
        for code in context.shape_codes:
            made = learner.part(code)
            if made is not None:
                yield made


def _significances(filled: FilledNumbers, copied: Copied) -> list[float]:
    """p-values of whether the outcome changes with the column, for each contrast."""
    contrasts = filled.context.contrasts
    if contrasts[0].combined is None:
        return [significance_of_column(filled, one, copied) for one in contrasts]
    return with_any_shape(filled, filled.facts.binned(), *copied())


@dataclass(frozen=True, eq=False)
class _Learner:
    """Learns the shapes of a column, for one contrast."""

    filled: FilledNumbers
    context: DesignContext
    binned: BinnedNumbers
    sigs: Callable[[], list[float]]

    @property
    def _number(self) -> int:
        return self.context.class_number or 0

    @cached_property
    def _sets(self) -> BinnedSets:
        """What the folds' training rows know, and last what all rows do."""
        binned, number, folds = self.binned, self._number, self.context.folds
        whole = binned.wholes[number]
        weight, mean, squares = binned.training(number, folds)
        unit = self.context.outcome.weighting.unit
        edges = binned.inner_edges
        low, span = edges[0], edges[-1] - edges[0]
        counted = self._from_edges(binned.rows)
        inside = edges + counted.x
        inside = np.clip(inside, np.append(edges[0], np.nextafter(edges[:-1], np.inf)), edges)
        return BinnedSets(
            (edges - low) / span,
            (inside - low) / span,
            unit * _and_last(weight, whole.weight),
            _and_last(mean, whole.y),
            unit * np.append(squares, whole.yy.sum()),
            None if binned.counted is None else counted.weight,
        )

    def part(self, code: ShapeCode) -> CurvePart | None:
        """Make the variable; None where it is constant."""
        form = self._form(code)
        if not vary(form.values[-1]):
            return None
        whole = self._over_all(form)
        variable = replace(
            curve_variable(self.filled, self.context, code, self._score(form)),
            extra_model_degrees=float(self.binned.n_bins),
            slope=self._slope(whole),
            mean=float(whole.merged().x[0]),
        )
        curve = Curve(form.knots, form.values[-1]).thinned()
        codes = CurveCodes(code.name, variable.target, curve, float(form.bad[-1]))
        return CurvePart(codes, variable, form, lambda: self._scales(form))

    def _form(self, code: ShapeCode) -> FoldCurves:
        """The curves of the folds, and that of all rows."""
        sets, (apart, rows) = self._sets, code.fitted(self._sets)
        apart = np.where(sets.is_rounding(apart)[:, None], 0.0, apart)
        overall = sets.overall[:, None]
        if self.context.outcome.kind == "numeric":
            overall = overall + self.context.outcome.centre
            values = overall + apart
        elif self.context.is_rate:
            values = log_ratio(overall + apart, overall, rows)
            overall = np.zeros_like(overall)
        else:
            values = log_odds(believed(overall + apart, overall, rows)) - log_odds(overall)
            overall = np.zeros_like(overall)
        some = sets.rows > 0
        values = np.where(some[:, None], values, 0.0)
        return FoldCurves(self.binned.edges, values, np.where(some, overall[:, 0], 0.0))

    def _score(self, form: FoldCurves) -> Score:
        """Score the variable on the cross-frame."""
        context, n_folds = self.context, self.context.folds.n_folds
        coded = self._coded(self._crossed, form.values[:n_folds])
        bad = self.filled.facts.crossed_sums()[self._number].bad
        if not context.has_link:
            coded = coded.merged()
        elif n_folds > _PARTS:
            coded = coded.grouped(self._few_folds, _PARTS * self.binned.n_bins)
        parts = _with_bad(coded, form.bad[:n_folds], bad)
        if context.has_link:
            found = by_regression(context, None, regression(context, self._points(parts)))
        else:
            found = by_regression(context, parts.merged(), None)
        if context.calibrated is None:
            return found
        return replace(found, sig=np.array([self.sigs()[self._number]]))

    def _over_all(self, form: FoldCurves) -> Moments:
        """The curve of all rows, in each bin and in the bad rows."""
        coded = self._coded(self._whole, form.values[-1:])
        return _with_bad(coded, form.bad[-1:], self.filled.wholes[self._number].bad)

    def _slope(self, parts: Moments) -> float:
        points = self._points(parts) if self.context.link_slopes else None
        return float(slopes(self.context, parts.merged(), points)[0])

    def _points(self, parts: Moments) -> PointSums:
        return _exposed_points(parts) if self.context.is_rate else _points(parts)

    def _scales(self, form: FoldCurves) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""
        folds = self.context.folds
        slope, mean = np.zeros((2, folds.n_folds + 1))
        trainings = self.binned.training_moments(self._number, folds)
        bad = self.filled.trainings[self._number].bad
        for k, cells in enumerate(trainings):
            own = np.array([k])
            coded = self._coded(self._from_edges(cells), form.values[own])
            parts = _with_bad(coded, form.bad[own], bad.take(own))
            if parts.weight.any():
                slope[k], mean[k] = self._slope(parts), parts.merged().x[0]
        return slope, mean

    @cached_property
    def _crossed(self) -> Moments:
        """The rows of the cross-frame, by bin and fold."""
        n_folds = self.context.folds.n_folds
        return self._from_edges(self.binned.crossed(self._number, n_folds))

    @cached_property
    def _few_folds(self) -> IntArray:
        """Part of each cell of `_crossed`: folds of a bin have nearly the same code."""
        n_folds = self.context.folds.n_folds
        part = np.arange(n_folds) * _PARTS // n_folds
        return np.add.outer(_PARTS * np.arange(self.binned.n_bins), part).ravel()

    @cached_property
    def _whole(self) -> Moments:
        """All rows, by bin."""
        return self._from_edges(self.binned.wholes[self._number])

    @cached_property
    def _widths(self) -> FloatArray:
        """Lengths of all bins but the first, which is one value: shape (bins - 1, 1)."""
        return np.diff(self.binned.inner_edges)[:, None]

    def _from_edges(self, cells: Moments) -> Moments:
        """Cells ``bin * groups + group`` with their means about the ends of their bins.

        Those of a bin of one value are its end, but for rounding, and the bin may be narrow.
        """
        edges = self.binned.inner_edges
        rounding = _ROUNDING * (edges[-1] - edges[0])
        apart = cells.x - np.repeat(edges, len(cells.x) // len(edges))
        known = (cells.weight > 0) & (np.abs(apart) > rounding)
        vary = cells.xx > cells.weight * rounding**2
        return replace(
            cells,
            x=np.where(known, apart, 0.0),
            xx=np.where(vary, cells.xx, 0.0),
            xy=np.where(vary, cells.xy, 0.0),
        )

    def _coded(self, cells: Moments, values: FloatArray) -> Moments:
        """Moments of curves in cells of `_from_edges`, a curve for each group.

        A curve is a line in each bin, so that they follow from those of the numbers.
        """
        ends, slopes = values.T.copy(), np.zeros(values.shape[::-1])
        np.divide(ends[1:] - ends[:-1], self._widths, out=slopes[1:])
        slope = slopes.ravel()
        return replace(
            cells,
            x=np.where(cells.weight > 0, ends.ravel() + slope * cells.x, 0.0),
            xx=slope * (slope * cells.xx),  # the square of a slope may be too large
            xy=slope * cells.xy,
            centre_x=0.0,
        )


def _and_last(of_folds: FloatArray, of_all: FloatArray) -> FloatArray:
    """Put all rows after the folds; what is known of a set lies side by side in memory."""
    return np.ascontiguousarray(np.vstack([of_folds, of_all]))


def _with_bad(coded: Moments, values: FloatArray, bad: OutcomeSums) -> Moments:
    """Add the bad rows of each group, which have a value each."""
    return Moments.joined([coded, Moments.of_points(values, bad)])


def _exposed_points(parts: Moments) -> PointSums:
    """Stand for rows in a Poisson regression: two points a part, with its mean and spread.

    Events count by their number and by their sum of x, which are as they are.
    """
    some = parts.take(np.flatnonzero(parts.weight > 0))
    spread = np.sqrt(some.xx / some.weight)
    half = some.weight * (some.y + some.centre_y) / 2.0
    tilt = np.where(spread > 0.0, some.xy / np.where(spread > 0.0, 2.0 * spread, 1.0), 0.0)
    x = np.concatenate([some.x - spread, some.x + spread])
    events = np.concatenate([half - tilt, half + tilt])
    return x[None], np.tile(some.weight / 2.0, (1, 2)), events[None]


def _points(parts: Moments) -> PointSums:
    """Stand for rows in a logistic regression: by a point a part for hits, one for the others.

    Parts that are not narrow have two each, whose mean and spread are those of the rows.
    """
    some = parts.take(np.flatnonzero(parts.weight > 0))
    share = np.clip(some.y + some.centre_y, 0.0, 1.0)
    hits = some.weight * share
    inner = hits * (1.0 - share)
    gap = np.where(inner > 0, some.xy / np.where(inner > 0, inner, 1.0), 0.0)
    spread = np.sqrt(np.maximum(some.xx - inner * gap * gap, 0.0) / some.weight)
    is_wide = spread > _NARROW * _deviation(some.merged())
    points = []
    of_classes = (some.x + (1.0 - share) * gap, hits), (some.x - share * gap, some.weight - hits)
    for (x, weight), is_hit in zip(of_classes, (1.0, 0.0), strict=True):
        once, twice = (np.flatnonzero(one & (weight > 0)) for one in (~is_wide, is_wide))
        for own, side, times in ((once, 0.0, 1.0), (twice, -1.0, 0.5), (twice, 1.0, 0.5)):
            of_own = times * weight[own]
            points.append((x[own] + side * spread[own], of_own, of_own * is_hit))
    x, total, target = map(np.concatenate, zip(*points, strict=True))
    return x[None], total[None], target[None]


def _deviation(whole: Moments) -> float:
    """Standard deviation of all rows; 0 of none."""
    return float(np.sqrt(whole.xx[0] / (whole.weight[0] or 1.0)))
