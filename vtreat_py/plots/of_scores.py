"""A picture of the scores of derived variables."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.checks import check_most
from vtreat_py.base.errors import InvalidOptionError, counted, listed
from vtreat_py.base.figures import COLOURS, MARKERS, axes_or_new, with_rows_named, wrapped
from vtreat_py.base.names import is_name
from vtreat_py.plots.drawing import FAINT, beside, check_supervised, shortened

_SMALLEST_SIG = 1e-99


def scores(plan: TreatmentPlan, ax: Any = None, *, target: Any = None, most: int = 30) -> Any:
    """Draw how much each derived variable says of the outcome.

    Parameters
    ----------
    plan : TreatmentPlan
        With an outcome.
    ax : matplotlib Axes, default=None
    target : object, default=None
        With several classes: the one to draw the scores for. None: all, up to six of them.
    most : int, default=30
        How many variables to draw: those of the input column that says most, then of the next.

    Returns
    -------
    matplotlib Axes
        With a row for each variable, at its ``rsq``. Variables of one column stand together, and
        columns that say most on top. Colours and markers are those of codes or, with several
        classes, of the classes. Filled are the recommended ones: those whose ``sig``, at the right,
        is below the limit of their code, which stands under the picture. There is no limit of
        ``rsq``: how much chance explains depends on rows and levels.

    Raises
    ------
    OptionTypeError, InvalidOptionError
        If it is no plan, has no outcome, or more classes than can be told apart.

    See Also
    --------
    TreatmentPlan.score_frame : The table that is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"kg": range(40), "noise": [5, 1, 3, 2] * 10, "price": range(40)})
    >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
    >>> ax = vt.plots.scores(plan)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['kg', 'noise']
    """
    check_supervised(plan, "scores")
    table = _chosen(plan, target)
    shown = _first_columns(table, check_most(most))
    names = list(dict.fromkeys(shown["variable"]))
    place = shown["variable"].map({name: i for i, name in enumerate(names)}).to_numpy(dtype=float)
    ax = axes_or_new(ax, figsize=(7.2, 1.7 + 0.26 * len(names)))
    for line in _ends_of_columns(shown, names):
        ax.axhline(line, color=FAINT, linewidth=0.6, zorder=0)
    ax.hlines(place, 0, shown["rsq"], color=FAINT, linewidth=1.5, zorder=1)
    kinds = "outcome_target" if plan.classes and target is None else "code"
    groups = list(dict.fromkeys(table[kinds]))
    for number, group in enumerate(groups):
        own = (shown[kinds] == group).to_numpy()
        if own.any():
            _points(ax, shown[own], place[own], number, str(group))
    what = "deviance" if plan.outcome_type != "numeric" else "variance"
    ax.set(xlabel=f"share of {what} explained alone (rsq)", xlim=(0, None))
    smallest = shown.groupby("variable", sort=False)["sig"].min()
    beside(ax, "sig", [_as_sig(smallest[name]) for name in names])
    ax.annotate(
        wrapped(ax, _told(plan, len(names))), (0, 0), (0, -42), "axes fraction", "offset points",
        fontsize="small", va="top",
    )  # fmt: skip
    title = f"Scores of {counted(table['variable'].nunique(), 'variable')}"
    return with_rows_named(ax, [shortened(name) for name in names], title)


def _chosen(plan: TreatmentPlan, target: Any) -> pd.DataFrame:
    """The rows of the score frame to draw."""
    table = plan.score_frame
    if not plan.classes:
        if target is not None:
            raise InvalidOptionError(f"target={target!r} is for outcomes of several classes")
        return table
    if target is None:
        if len(plan.classes) > len(COLOURS):
            raise InvalidOptionError(
                f"the outcome has {len(plan.classes)} classes, of which {len(COLOURS)} can be told "
                f"apart; give one as target, of {listed(plan.classes)}"
            )
        return table
    if not is_name(target) or target not in plan.classes:
        raise InvalidOptionError(f"target={target!r} is no class; those are {listed(plan.classes)}")
    return table[[one == target for one in table["outcome_target"]]]


def _first_columns(table: pd.DataFrame, most: int) -> pd.DataFrame:
    """Rows by input column, those that say most first, as long as there is room."""
    column = pd.Series(pd.factorize(table["orig_variable"])[0], table.index)
    best = table["rsq"].groupby(column).transform("max")
    variable = table["rsq"].groupby(table["variable"]).transform("max")
    order = np.lexsort((-variable, column, -best))
    ordered = table.iloc[order]
    names = list(dict.fromkeys(ordered["variable"]))[:most]
    return ordered[ordered["variable"].isin(names)]


def _ends_of_columns(shown: pd.DataFrame, names: list[str]) -> list[float]:
    """Where the variables of one input column end, and those of the next begin."""
    of = dict(zip(shown["variable"], shown["orig_variable"], strict=True))
    pairs = itertools.pairwise(names)
    return [i + 0.5 for i, (one, other) in enumerate(pairs) if of[one] != of[other]]


def _points(ax: Any, rows: pd.DataFrame, place: Any, number: int, label: str) -> None:
    colour = COLOURS[number % len(COLOURS)]
    face = np.where(rows["recommended"], colour, "white")
    marker = MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]  # no pair comes twice
    ax.scatter(rows["rsq"], place, c=face, edgecolor=colour, marker=marker, s=44, zorder=3)
    ax.scatter([], [], color=colour, marker=marker, s=44, label=shortened(label))


def _as_sig(sig: float) -> str:
    if sig < _SMALLEST_SIG:
        return f"< {_SMALLEST_SIG:.0e}"
    return f"{sig:.3f}" if sig >= 0.001 else f"{sig:.0e}"


def _told(plan: TreatmentPlan, shown: int) -> str:
    """What is filled, and what is not drawn."""
    text = f"Filled: recommended, sig below {plan.limits}."
    left = len(plan.derived) - shown
    return f"{text} {left} more in score_frame." if left > 0 else text
