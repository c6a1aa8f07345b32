"""A picture of how rows were dealt to folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.checks import check_most
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, counted
from vtreat_py.base.figures import BLUE, COLOURS, axes_or_new, with_rows_named
from vtreat_py.plots.drawing import (
    INTERVAL,
    as_count,
    beside,
    classes_of,
    mark_overall,
    numbers_of,
    shortened,
)

# Shades beside colours, so that classes can be told apart without them.
_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "+++")
_SMALLEST_TOLD = 0.06


def folds(
    experiment: CrossFrameExperiment[Any], y: Any = None, ax: Any = None, *, most: int = 30
) -> Any:
    """Draw how rows were dealt to folds, and with their outcomes how alike folds are.

    Parameters
    ----------
    experiment : CrossFrameExperiment
    y : array of shape (n,), default=None
        The outcome of the rows of the training frame: numbers, or up to six classes.
    ax : matplotlib Axes, default=None
    most : int, default=30
        How many folds to draw, from the first on.

    Returns
    -------
    matplotlib Axes
        With a row for each fold. Without outcome, or with classes, bars are the rows that are coded
        by all others; parts of a bar are classes, with their shares. With an outcome of numbers,
        points are its means in the fold, with the interval of 1.645 standard errors on both sides;
        the dashed line is the mean of all rows. Each row counts once, whatever its weight.

    Raises
    ------
    OptionTypeError, InvalidOptionError
        If it is no experiment in memory, or y has another length, missing values or too many
        classes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"town": ["Ayr", "Bath", "Cork"] * 20, "price": range(60)})
    >>> experiment = vt.cross_frame_experiment(frame, outcome="price", cv=4, random_state=0)
    >>> ax = vt.plots.folds(experiment, frame["price"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['fold 0', 'fold 1', 'fold 2', 'fold 3']
    """
    if not isinstance(experiment, CrossFrameExperiment):
        raise OptionTypeError(
            f"experiment is of type {type(experiment).__name__}; give a CrossFrameExperiment in "
            "memory"
        )
    parts = [rows for _, rows in experiment.folds]
    shown = parts[: check_most(most)]
    ax = axes_or_new(ax, figsize=(7.2, 1.6 + 0.32 * len(shown)))
    outcome = None if y is None else _outcome(y, len(experiment.fold_plan.fold))
    if outcome is None:
        ax.barh(range(len(shown)), [len(rows) for rows in shown], height=0.6, color=BLUE)
        ax.set(xlabel="rows")
    elif experiment.plan.outcome_type in ("numeric", "rate", "survival"):
        _means(ax, shown, numbers_of(outcome))
        beside(ax, "rows", [as_count(len(rows)) for rows in shown])
    else:
        _shares(ax, shown, outcome)
    title = f"{counted(len(parts), 'fold')} of {counted(len(experiment.fold_plan.fold), 'row')}"
    if len(shown) < len(parts):
        title += f", the first {len(shown)}"
    return with_rows_named(ax, [f"fold {k}" for k in range(len(shown))], title)


def _outcome(y: Any, n_rows: int) -> Any:
    outcome = np.asarray(y)
    if outcome.shape != (n_rows,):
        raise InvalidOptionError(f"y has shape {outcome.shape}, but there are {n_rows} rows")
    return outcome


def _means(ax: Any, parts: Sequence[IntArray], outcome: FloatArray) -> None:
    if not np.isfinite(outcome).all():
        raise InvalidOptionError("y has missing or infinite values; leave those rows out")
    mean = np.array([outcome[rows].mean() if len(rows) else np.nan for rows in parts])
    error = np.array(
        [outcome[rows].std(ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else 0.0 for rows in parts]
    )
    mark_overall(ax, float(outcome.mean()), along_x=True)
    ax.errorbar(
        mean, np.arange(len(parts)), xerr=INTERVAL * error, fmt="o", color=BLUE, linewidth=1.4,
        label="mean (90% interval)",
    )  # fmt: skip
    ax.set(xlabel="mean of the outcome")


def _shares(ax: Any, parts: Sequence[IntArray], outcome: Any) -> None:
    """Rows of each class, one after the other, with the class's share of the fold."""
    classes, codes = classes_of(outcome)
    if len(classes) > len(COLOURS):
        raise InvalidOptionError(
            f"y has {len(classes)} classes, of which {len(COLOURS)} can be told apart; join some"
        )
    rows = np.array([np.bincount(codes[part], minlength=len(classes)) for part in parts])
    start = np.cumsum(rows, axis=1) - rows
    widest = float(rows.sum(axis=1).max(initial=1))
    for k, name in enumerate(classes):
        ax.barh(
            range(len(parts)), rows[:, k], left=start[:, k], height=0.6, color=COLOURS[k],
            edgecolor="white", hatch=_HATCHES[k], linewidth=0.5, label=shortened(name),
        )  # fmt: skip
        for place, (left, own, all_rows) in enumerate(
            zip(start[:, k], rows[:, k], rows.sum(axis=1), strict=True)
        ):
            if own >= _SMALLEST_TOLD * widest:
                ax.text(
                    left + own / 2, place, f"{own / all_rows:.1%}", ha="center", va="center",
                    fontsize="small", bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )  # fmt: skip
    ax.set(xlabel="rows")
