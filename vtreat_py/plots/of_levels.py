"""A picture of what levels do to the outcome."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_most
from vtreat_py.base.figures import BLUE, VERMILION, axes_or_new, with_rows_named
from vtreat_py.frames.made import joint_columns
from vtreat_py.plots.drawing import (
    INTERVAL,
    areas,
    as_count,
    beside,
    check_supervised,
    in_quotes,
    mark_overall,
    outcome_name,
    outcome_words,
    shortened,
)

_KINDS = {"missing": "missing", "rare": "rare levels", "novel": "novel levels"}


def level_effects(
    plan: TreatmentPlan,
    column: Hashable,
    ax: Any = None,
    *,
    target: Any = None,
    most: int = 30,
) -> Any:
    """Draw what the levels of a column do to the outcome, as seen and as believed.

    Parameters
    ----------
    plan : TreatmentPlan
        With an outcome.
    column : column name
        As for `TreatmentPlan.level_effects`.
    ax : matplotlib Axes, default=None
    target : object, default=None
        With several classes: the one to draw the effects on.
    most : int, default=30
        How many levels to draw: those of most rows. Missing values, the pool of rare levels and
        novel ones come beside them.

    Returns
    -------
    matplotlib Axes
        With a row for each level, on the scale of the outcome (for a class, of rates). Hollow
        circles are the means that were seen, their areas in proportion to rows. Points are what the
        impact code makes of them, with the interval that about 90% of true means lie in (1.645
        ``effect_se`` on both sides); they are diamonds for missing values, the pool and levels
        never seen, and hollow where a level is taken for the pool, or for nothing. The dashed line
        is the mean of all rows.

    Raises
    ------
    OptionTypeError, InvalidOptionError
        If it is no plan, the column has no level effects, or there is no such class.

    See Also
    --------
    TreatmentPlan.level_effects : The table that is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", None] * 9, "price": [3, 6, 4] * 12})
    >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
    >>> ax = vt.plots.level_effects(plan, "town")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Ayr', 'Bath', 'Cork', 'missing', 'novel levels']
    """
    check_supervised(plan, "level effects")
    table = plan.level_effects(column, target)
    shown, left = _largest(table, check_most(most))
    believed, low, high = _on_the_scale_of_the_outcome(plan, column, target, shown)
    place, overall = np.arange(len(shown)), _statistics(plan, column, target)[1].overall
    ax = axes_or_new(ax, figsize=(7.2, 1.6 + 0.27 * len(shown)))
    mark_overall(ax, overall, along_x=True)
    seen = (shown["count"] > 0).to_numpy()
    count, mean = shown["count"].to_numpy()[seen], shown["mean"].to_numpy()[seen]
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": VERMILION, "linewidth": 1}
    ax.scatter(mean, place[seen], s=areas(count), label="seen (area: rows)", zorder=2, **look)
    ax.hlines(place, low, high, color=BLUE, linewidth=1.4, zorder=3)
    own = ~(shown["pooled"] | shown["suppressed"]).to_numpy()
    is_level = (shown["kind"] == "level").to_numpy()
    for which, marker, label in (
        (is_level, "o", "believed (90% interval)"),
        (~is_level, "D", None),
    ):
        face = np.where(own[which], BLUE, "white")
        ax.scatter(
            believed[which], place[which], c=face, edgecolor=BLUE, marker=marker, s=26, zorder=4
        )
        if label:
            ax.scatter([], [], color=BLUE, s=26, label=label)
    ax.set_xlabel(outcome_words(plan, target))
    if target is not None or plan.target is not None:
        ax.set_xlim(max(ax.get_xlim()[0], -0.03), min(ax.get_xlim()[1], 1.03))
    beside(ax, "rows", [as_count(n) for n in shown["count"]])
    title = f"{outcome_name(plan, target)} by {in_quotes(column)}"
    if left:
        title += f", {len(shown) - (~is_level).sum()} largest of {left + is_level.sum()} levels"
    return with_rows_named(ax, _names(shown), title)


def _statistics(plan: TreatmentPlan, column: Hashable, target: Any) -> Any:
    """What is known of the levels of a column, and of the outcome in them."""
    statistics = next(s for s in plan.level_statistics if s.column == column)
    return statistics, next(o for o in statistics.outcomes if o.target == target)


def _largest(table: pd.DataFrame, most: int) -> tuple[pd.DataFrame, int]:
    """Levels of most rows, by effect, then what is no level; and how many are left out."""
    is_level = table["kind"] == "level"
    levels = table[is_level].sort_values("count", ascending=False, kind="stable")
    largest = levels.head(most).sort_values("effect", kind="stable")
    return pd.concat([largest, table[~is_level]]), len(levels) - len(largest)


def _on_the_scale_of_the_outcome(
    plan: TreatmentPlan, column: Hashable, target: Any, shown: pd.DataFrame
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The means that effects stand for, and the ends of their intervals."""
    statistics, outcome = _statistics(plan, column, target)
    in_parts = column in [one.name for one in joint_columns(plan.made)]
    base = statistics.base(outcome, plan.options, in_parts=in_parts)
    effect, error = shown["effect"].to_numpy(), shown["effect_se"].to_numpy()
    ends = [effect, effect - INTERVAL * error, effect + INTERVAL * error]
    believed, low, high = (outcome.believed(one, base) for one in ends)
    return believed, low, high


def _names(shown: pd.DataFrame) -> list[str]:
    rows = zip(shown["level"], shown["kind"], strict=True)
    return [_KINDS.get(kind) or shortened(level) for level, kind in rows]
