"""A picture of the outcome along a number."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.figures import COLOURS, VERMILION, axes_or_new, with_title
from vtreat_py.coders import codes
from vtreat_py.coders.forms import Copy
from vtreat_py.coders.shape_code import ShapeCode
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.plots.drawing import (
    FAINT,
    INTERVAL,
    as_count,
    check_supervised,
    in_quotes,
    mark_overall,
    outcome_name,
    outcome_words,
    shortened,
)

_POINTS = 400
# Lines that colour alone need not tell apart.
_DASHES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)), (0, (10, 3)), (0, (1, 1)))
# The strip of the histogram, as a share of the height; and what is drawn of a column, as its
# middle 80% and so many times as much on either side.
_STRIP, _BEYOND = 0.13, 1.0
_UNITS = {"date": "D", "datetime": "s"}


def number_effect(
    plan: TreatmentPlan, column: Hashable, ax: Any = None, *, target: Any = None
) -> Any:
    """Draw the outcome along a number, and what the codes of the column make of it.

    Parameters
    ----------
    plan : TreatmentPlan
        With an outcome.
    column : column name
        As for `TreatmentPlan.number_effects`.
    ax : matplotlib Axes, default=None
    target : object, default=None
        With several classes: the one to draw.

    Returns
    -------
    matplotlib Axes
        Black steps are the mean outcome (for a class, its rate) in ranges that hold about a tenth
        of the rows each, with the interval of 1.645 standard errors on both sides; the diamond at
        the right is that of missing values. Lines are what the outcome is by each code of the
        column: of a shape what it learned, of the clean copy, and of coders of one's own, the line
        that ``scale=True`` takes, through the mean of all rows. With several classes the clean copy
        has no line, as there is one slope for all of them. The grey strip below is the histogram.
        Where single values lie far off, the picture ends before them, and says so.

    Raises
    ------
    OptionTypeError, InvalidOptionError
        If it is no plan, the column has no such effects, or there is no such class.

    See Also
    --------
    TreatmentPlan.number_effects : The table that is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"kg": range(60), "price": range(60)})
    >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
    >>> ax = vt.plots.number_effect(plan, "kg")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['all rows', 'kg', 'seen (90% interval)']
    """
    check_supervised(plan, "effects of numbers")
    table = plan.number_effects(column, target)
    treatment = next(t for t in plan.treatments if t.column == column)
    assert isinstance(treatment, NumericTreatment)
    assert treatment.by_range is not None
    outcome = next(o for o in treatment.by_range.outcomes if o.target == target)
    overall = treatment.by_range.overall(outcome)
    ranges = table[table["kind"] == "range"]
    low, high = _view(ranges)
    ax = axes_or_new(ax, figsize=(6.8, 4.2))
    _steps(ax, ranges, treatment, (low, high))
    mark_overall(ax, overall, along_x=False)
    _lines(ax, plan, treatment, target, overall, np.linspace(low, high, _POINTS))
    _missing(ax, table[table["kind"] == "bad"])
    margin = 0.02 * (high - low or 1.0)
    ax.set_xlim(*_moments([low - margin, high + margin], treatment.kind))
    if outcome.within is None:
        bottom, top = ax.get_ylim()
        ax.set_ylim(max(bottom, -0.02), min(top, 1.02))
    _strip(ax, ranges, treatment, (low, high))
    ax.set(xlabel=_x_label(column, ranges, (low, high)), ylabel=outcome_words(plan, target))
    return with_title(ax, f"{outcome_name(plan, target)} along {in_quotes(column)}")


def _view(ranges: pd.DataFrame) -> tuple[float, float]:
    """What part of the column to draw: a few values far off would leave the others no room."""
    low, high = float(ranges["low"].iloc[0]), float(ranges["high"].iloc[-1])
    edges = ranges["high"].to_numpy()[:-1]
    middle = float(edges[-1] - edges[0]) if len(edges) > 1 else 0.0
    if not middle > 0:
        return low, high
    return max(low, edges[0] - _BEYOND * middle), min(high, edges[-1] + _BEYOND * middle)


def _moments(values: Any, kind: str) -> Any:
    """Numbers of a column of dates or moments as such."""
    if kind not in _UNITS:
        return values
    return np.round(values).astype(f"datetime64[{_UNITS[kind]}]")


def _steps(
    ax: Any, ranges: pd.DataFrame, treatment: NumericTreatment, view: tuple[float, float]
) -> None:
    """Means as steps, with their intervals; a range of one value is a point."""
    low, high = (np.clip(ranges[name].to_numpy(), *view) for name in ("low", "high"))
    mean, error = ranges["mean"].to_numpy(), INTERVAL * ranges["mean_se"].to_numpy()
    start, end = _moments(low, treatment.kind), _moments(high, treatment.kind)
    middle = _moments((low + high) / 2, treatment.kind)
    ax.hlines(mean, start, end, color="black", linewidth=1.8, zorder=4)
    ax.errorbar(
        middle, mean, error, fmt="o", color="black", markersize=3.5, linewidth=1, zorder=4,
        label="seen (90% interval)",
    )  # fmt: skip


def _lines(
    ax: Any,
    plan: TreatmentPlan,
    treatment: NumericTreatment,
    target: Any,
    overall: float,
    x: FloatArray,
) -> None:
    """What the outcome is by each of the column's codes."""
    of_curves = [(one.code, one.target) for one in treatment.curves]
    of_curves += [(one.code, one.target) for one in treatment.ranges]
    drawn = []
    for variable in treatment.variables:
        is_curve = (variable.code, variable.target) in of_curves
        if (is_curve and variable.target in (None, target)) or (
            not is_curve and not plan.classes and _copies(treatment, variable)
        ):
            drawn.append(variable)
    for number, variable in enumerate(drawn):
        out = np.empty(len(x))
        treatment.form(variable, collar=False).write(x, None, None, out)
        ax.plot(
            _moments(x, treatment.kind),
            _as_outcome(plan, variable, out, overall),
            color=COLOURS[number % len(COLOURS)],
            linestyle=_DASHES[number % len(_DASHES)],
            linewidth=1.8,
            zorder=3,
            label=shortened(variable.name),
        )


def _copies(treatment: NumericTreatment, variable: DerivedVariable) -> bool:
    return isinstance(treatment.form(variable, collar=False), Copy)


def _as_outcome(
    plan: TreatmentPlan, variable: DerivedVariable, values: FloatArray, overall: float
) -> FloatArray:
    """The mean outcome that values of a variable stand for."""
    code = codes.impact_code(plan.outcome_type)
    if isinstance(codes.named(variable.code, plan.options.own_codes), ShapeCode):
        return values if plan.outcome_type == "numeric" else code.believed(values, overall)
    apart = variable.slope * (values - variable.mean)
    return code.believed(apart, overall) if plan.slopes_have_link else overall + apart


def _missing(ax: Any, bad: pd.DataFrame) -> None:
    """The mean of rows without a value, beside the others."""
    for count, mean, error in zip(bad["count"], bad["mean"], bad["mean_se"], strict=True):
        ax.errorbar(
            [1.03], [mean], [INTERVAL * np.nan_to_num(error)], fmt="D", color=VERMILION,
            markersize=5, linewidth=1, transform=ax.get_yaxis_transform(), clip_on=False,
            label=f"missing ({as_count(count)})",
        )  # fmt: skip


def _strip(
    ax: Any, ranges: pd.DataFrame, treatment: NumericTreatment, view: tuple[float, float]
) -> None:
    """The histogram below the means; a value that is a range by itself is a spike."""
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom - (_STRIP + 0.04) / (1 - _STRIP - 0.04) * (top - bottom), top)
    ticks = [tick for tick in ax.get_yticks() if bottom <= tick <= top]
    ax.set_yticks(ticks)
    low, high = ranges["low"].to_numpy(), ranges["high"].to_numpy()
    inner = np.clip(low, *view), np.clip(high, *view)
    least = 0.012 * (view[1] - view[0] or 1.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        density = np.where(high > low, treatment.spread.counts / (high - low), np.inf)
    tallest = density[np.isfinite(density)].max(initial=0.0)
    height = np.minimum(density / tallest, 1.0) if tallest > 0 else np.ones(len(density))
    middle = (inner[0] + inner[1]) / 2
    width = np.maximum(inner[1] - inner[0], least)
    left, right = (_moments(middle + side * width / 2, treatment.kind) for side in (-1, 1))
    ax.bar(
        left, _STRIP * height, right - left, align="edge", color=FAINT, edgecolor="white",
        linewidth=0.5, transform=ax.get_xaxis_transform(), zorder=0,
    )  # fmt: skip


def _x_label(column: Hashable, ranges: pd.DataFrame, view: tuple[float, float]) -> str:
    low, high = float(ranges["low"].iloc[0]), float(ranges["high"].iloc[-1])
    beyond = [
        text
        for text, is_cut in (
            (f"smallest {low:.4g}", view[0] > low),
            (f"largest {high:.4g}", view[1] < high),
        )
        if is_cut
    ]
    return shortened(column) + (f" ({', '.join(beyond)})" if beyond else "")
