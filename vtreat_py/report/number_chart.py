"""The outcome along a number: means by range, the line or curve that is scored, the histogram."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.markup import number, plain, share
from vtreat_py.coders import codes
from vtreat_py.coders.code import CLASSES
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.report.columns import PlanColumn
from vtreat_py.report.markup import data, of_class
from vtreat_py.report.spread import Histogram, quantile
from vtreat_py.report.svg import Axis, dot, drawing, flat, path, silent, strokes, upright, written
from vtreat_py.report.values import value_text

_HEIGHT, _BARS, _MARGIN = 130, 44, 8
_OF_90 = 1.645
_POINTS = 81
# So many lines can be told apart.
_LINES = 4
# Lines and intervals are drawn where the axis need not be so many times as long as means make it.
_STRETCH = 2.0


@dataclass(frozen=True)
class _Means:
    """The outcome in ranges of a column: places of their ends, and means with their errors."""

    starts: FloatArray
    ends: FloatArray
    mean: FloatArray
    error: FloatArray
    overall: float


@dataclass(frozen=True)
class _Line:
    """What a variable says of the outcome, alone: at places along the axis."""

    name: str
    places: FloatArray
    values: FloatArray


def number_charts(plan: Plan, column: PlanColumn) -> str:
    """Draw a numeric column; with several classes once for each."""
    treatment = column.treatment
    assert isinstance(treatment, NumericTreatment)
    histogram = Histogram.of(treatment.spread)
    below = _histogram(treatment, histogram)
    if plan.outcome_type == "unsupervised":
        return f'<figure class="chart">{below}</figure>'
    charts = []
    if not plan.classes:
        upper = _effects(plan, column, histogram, None)
        return f'<figure class="chart">{upper}{below}</figure>'
    for place, target in enumerate(plan.classes):
        upper = _effects(plan, column, histogram, target)
        title = f"<figcaption>{data(target, 24)}</figcaption>"
        charts.append(f'<figure class="chart"{of_class(place)}>{title}{upper}{below}</figure>')
    return "".join(charts)


def _histogram(treatment: NumericTreatment, histogram: Histogram) -> str:
    profile, kind = treatment.spread, treatment.kind
    middle = quantile(profile, 0.5)
    at = float(histogram.axis.place(middle))
    low, high = value_text(profile.low, kind), value_text(profile.high, kind)
    starts = low if profile.low >= histogram.axis.low else f"← {low}"
    ends = high if profile.high <= histogram.axis.high else f"{high} →"
    below = _BARS + 13
    marks = [
        *histogram.bars(_BARS),
        upright(at, 0, _BARS, "median"),
        written(0, below, starts, "start"),
        written(100, below, ends, "end"),
    ]
    if 30 < at < 70:
        marks.append(written(at, below, f"median {value_text(middle, kind)}"))
    title = f"Histogram: from {low} to {high}, half of the rows up to {value_text(middle, kind)}"
    return drawing(title, _BARS + 17, marks, "hist")


def _effects(plan: Plan, column: PlanColumn, histogram: Histogram, target: Any) -> str:
    treatment = column.treatment
    assert isinstance(treatment, NumericTreatment)
    means = _means(treatment, histogram, target)
    overall = 0.0 if means is None else means.overall
    is_share = plan.outcome_type in CLASSES
    lines = list(_lines(plan, treatment, histogram.axis, target, overall, means is not None))
    lines = lines[:_LINES]
    values = [line.values for line in lines]
    if means is None and not values:
        return ""
    axis = _axis(means, values)

    def text(value: float) -> str:
        if means is None:
            return f"{'+' if value > 0 else ''}{number(value)}"
        return share(value) if is_share else number(value)

    def height(value: float) -> float:
        return _MARGIN + (_HEIGHT - 2 * _MARGIN) * (1.0 - axis.place(value) / 100.0)

    marks = [flat(0, 100, height(overall), "base")]
    for place, line in enumerate(lines):
        heights = np.array([height(value) for value in line.values.tolist()])
        marks.append(path(line.places, 100.0 * heights / _HEIGHT, f"l{place}"))
    if means is not None:
        marks += _marks(means, height)
    marks += [
        written(0, 11, text(axis.high), "start"),
        written(0, _HEIGHT - 3, text(axis.low), "start"),
    ]
    title = "Outcome along the number: " + ", ".join(
        ["mean in each range with 90% intervals"] * (means is not None)
        + [f"the line of {plain(line.name)}" for line in lines]
    )
    return drawing(title, _HEIGHT, marks, "along") + _key(means, lines)


def _marks(means: _Means, height: Callable[[float], float]) -> list[str]:
    spans, dots = [], []
    each = (means.starts, means.ends, means.mean, np.nan_to_num(_OF_90 * means.error))
    for start, end, mean, reach in zip(*(array.tolist() for array in each), strict=True):
        at, middle = height(mean), (start + end) / 2.0
        spans.append((start, at, end, at))
        if reach:
            spans.append((middle, height(mean + reach), middle, height(mean - reach)))
        dots.append(dot(middle, at, "raw", 3.0))
    return [strokes(spans, _HEIGHT, "span"), *dots]


def _key(means: _Means | None, lines: list[_Line]) -> str:
    told = [
        f"<span>{silent(8, [flat(0, 100, 4, f'l{k}')])} <code>{data(line.name, 40)}</code></span>"
        for k, line in enumerate(lines)
    ]
    if means is not None:
        told.insert(0, '<span><i class="k raw"></i> mean of the range, 90%</span>')
    told.append('<span><i class="k base"></i> all rows</span>')
    return f'<p class="key">{" ".join(told)}</p>'


def _means(treatment: NumericTreatment, histogram: Histogram, target: Any) -> _Means | None:
    by_range = treatment.by_range
    if by_range is None:
        return None
    outcome = next(one for one in by_range.outcomes if one.target == target)
    overall = by_range.overall(outcome)
    kept = np.flatnonzero(by_range.count[:-1] > 0)
    error = outcome.mean_error(by_range.count, overall)
    return _Means(
        histogram.starts[kept], histogram.ends[kept], outcome.mean[kept], error[kept], overall
    )


def _lines(
    plan: Plan,
    treatment: NumericTreatment,
    axis: Axis,
    target: Any,
    overall: float,
    in_rates: bool,
) -> Iterator[_Line]:
    """What the variables say of the outcome alone, as they are scored."""
    places = np.linspace(0.0, 100.0, _POINTS)
    share_of = places / 100.0
    numbers = axis.low * (1.0 - share_of) + axis.high * share_of
    for variable in treatment.variables:
        if variable.slope == 0.0 or variable.target != target:  # classes share no slope
            continue
        values = np.empty(_POINTS)
        treatment.form(variable, False).write(numbers, None, None, values)
        if values.max() > values.min():
            with np.errstate(over="ignore", invalid="ignore"):
                said = _said(plan, variable, values, overall, in_rates)
            if np.isfinite(said).all():  # a text may hold slopes that no data have
                yield _Line(variable.name, places, said)


def _said(
    plan: Plan, variable: DerivedVariable, values: FloatArray, overall: float, in_rates: bool
) -> FloatArray:
    half = values / 2.0 - variable.mean / 2.0  # differences of the largest floats overflow
    effect = 2.0 * variable.slope * half
    if plan.slopes_have_link and in_rates:
        return codes.impact_code(plan.outcome_type).believed(effect, overall)
    return overall + effect


def _axis(means: _Means | None, lines: list[FloatArray]) -> Axis:
    if means is None:
        every = np.concatenate([*lines, [0.0]])
        return Axis(float(every.min()), float(every.max()))
    low, high = (float(v) for v in (means.mean.min(), means.mean.max()))
    low, high = min(low, means.overall), max(high, means.overall)
    reach = (_STRETCH - 1.0) * (high - low)
    error = _OF_90 * np.nan_to_num(means.error)
    every = np.concatenate([*lines, means.mean - error, means.mean + error])
    return Axis(max(low - reach, min(low, every.min())), min(high + reach, max(high, every.max())))
