"""A picture of an impact code in the cross-frame and in the plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.checks import check_most
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, counted, listed, meant
from vtreat_py.base.figures import BLUE, VERMILION, axes_or_new, with_rows_named
from vtreat_py.coders.forms import scale_in_place
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.lazy_frames import is_lazy
from vtreat_py.memory.treated import read_treated
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, TextTreatment
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.plots.drawing import areas, as_count, beside, in_quotes, shortened


def cross_frame(
    experiment: CrossFrameExperiment[Any],
    variable: str,
    frame: Any,
    ax: Any = None,
    *,
    scale: bool = False,
    most: int = 30,
) -> Any:
    """Draw a code as the cross-frame has it, fold by fold, beside that of the plan.

    A model that is trained on the plan's own codes of the training rows (the naive way) sees in
    each row's code a trace of that row's outcome. In the cross-frame it sees what the other folds
    know, which spreads around the plan's code: little for levels of many rows, more for rare ones.

    Parameters
    ----------
    experiment : CrossFrameExperiment
    variable : str
        A variable of a categorical column that is coded out of fold, such as ``"town_catB"``.
    frame : data frame
        The training frame, as the experiment was given it.
    ax : matplotlib Axes, default=None
    scale : bool, default=False
        What the experiment was told.
    most : int, default=30
        How many levels to draw: those of most rows.

    Returns
    -------
    matplotlib Axes
        With a row for each level: diamonds are the plan's codes, which `prepare` gives new rows;
        hollow circles those of the folds in the cross-frame, their areas in proportion to the
        fold's rows of the level.

    Raises
    ------
    OptionTypeError, InvalidOptionError
        If it is no experiment in memory, or has no such variable.
    SchemaError, FrameError
        If the frame is another one.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> prices = [3, 9, 5, 2, 8, 6] * 10
    >>> frame = pd.DataFrame({"town": ["Ayr", "Bath", "Cork"] * 20, "price": prices})
    >>> experiment = vt.cross_frame_experiment(frame, outcome="price", random_state=0)
    >>> ax = vt.plots.cross_frame(experiment, "town_catN", frame)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Ayr', 'Cork', 'Bath']
    """
    if not isinstance(experiment, CrossFrameExperiment):
        raise OptionTypeError(
            f"experiment is of type {type(experiment).__name__}; give a CrossFrameExperiment"
        )
    plan = experiment.plan
    treatment, derived = _found(plan, variable)
    most = check_most(most)
    code, labels = _codes_of_rows(plan, treatment, frame)
    values = _coded(experiment, variable, len(code))
    rows, fold = experiment.fold_plan.coding
    kept = np.arange(len(code))[rows]
    inside = fold < experiment.fold_plan.n_folds
    code, fold = code[kept][inside], fold[inside]
    levels, count = np.unique(code, return_counts=True)
    largest = levels[np.argsort(-count, kind="stable")[:most]]
    table = treatment.table(derived).astype(np.float64)
    if scale:
        scale_in_place(table, derived.slope, derived.mean)
    largest = largest[np.argsort(table[largest], kind="stable")]
    ax = axes_or_new(ax, figsize=(7.2, 1.6 + 0.27 * len(largest)))
    place = {level: i for i, level in enumerate(largest.tolist())}
    at, x, size = _cells(code, fold, values, place)
    ax.scatter(
        x, at, s=areas(size, 90.0), facecolor="none", edgecolor=BLUE, linewidth=0.9,
        label="in the cross-frame, a fold each", zorder=2,
    )  # fmt: skip
    ax.scatter(
        table[largest], np.arange(len(largest)), color=VERMILION, marker="D", s=22, zorder=3,
        label="in the plan",
    )  # fmt: skip
    ax.set_xlabel(shortened(variable) + (", scaled" if scale else ""))
    own = dict(zip(levels.tolist(), count.tolist(), strict=True))
    beside(ax, "rows", [as_count(own[level]) for level in largest.tolist()])
    title = f"Codes of {in_quotes(treatment.column)}"
    if len(largest) < len(levels):
        title += f", {len(largest)} largest of {counted(len(levels), 'level')}"
    names = [shortened(labels[level]) for level in largest.tolist()]
    return with_rows_named(ax, names, title)


def _found(plan: Plan, variable: str) -> tuple[LevelTreatment, DerivedVariable]:
    """A variable that is coded out of fold, and the treatment that it is of."""
    coded = [v for t in plan.treatments if _is_of_levels(t) for v in t.variables if v.needs_split]
    for derived in coded:
        if derived.name == variable:
            treatment = next(t for t in plan.treatments if t.column == derived.orig_variable)
            assert isinstance(treatment, LevelTreatment)
            return treatment, derived
    names = [one.name for one in coded]
    if variable in plan.feature_names:
        reason = "it is of numbers, or the same in all folds"
    else:
        reason = f"the plan does not derive it{meant(variable, names)}"
    those = f"those of levels that are coded out of fold are {listed(names)}"
    raise InvalidOptionError(
        f"variable={variable!r}: {reason}; {those if names else 'no variable is coded out of fold'}"
    )


def _is_of_levels(treatment: Any) -> bool:
    return isinstance(treatment, LevelTreatment) and not isinstance(treatment, TextTreatment)


def _codes_of_rows(
    plan: Plan, treatment: LevelTreatment, frame: Any
) -> tuple[IntArray, dict[int, Any]]:
    """Level of each row of the training frame, and what levels are called."""
    if is_lazy(frame):
        raise OptionTypeError("frame is lazy; collect it, or draw the experiment of some rows")
    source = InputFrame.of(frame).read_by(plan.options.missing_values).making(plan.made)
    (column,) = read_treated(source, [treatment])
    assert not isinstance(column, NumericColumn)  # they do not fit
    labels = dict(enumerate(treatment.levels.to_list()))
    labels |= {treatment.levels.missing: "missing", treatment.levels.novel: "novel levels"}
    return treatment.encode(column), labels


def _coded(experiment: CrossFrameExperiment[Any], variable: str, n_rows: int) -> FloatArray:
    """The column of the cross-frame."""
    held = experiment.cross_frame
    if is_lazy(held) or not hasattr(held, "columns"):
        raise OptionTypeError(
            f"the cross-frame is of type {type(held).__name__}; give an experiment whose "
            "cross-frame is a data frame in memory"
        )
    if n_rows != len(experiment.fold_plan.fold):
        raise InvalidOptionError(
            f"frame has {counted(n_rows, 'row')}, but the experiment was made of "
            f"{len(experiment.fold_plan.fold)}; give the training frame"
        )
    if variable not in list(held.columns):
        raise InvalidOptionError(f"the cross-frame has no column {variable!r}: it was pruned")
    column = InputFrame.of(held).read(variable)
    assert isinstance(column, NumericColumn)
    return column.values.astype(np.float64)


def _cells(
    code: IntArray, fold: IntArray, values: FloatArray, place: dict[int, int]
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Place, code and number of rows of each drawn level in each fold."""
    n_folds = int(fold.max(initial=0)) + 1
    cells, first, rows = np.unique(code * n_folds + fold, return_index=True, return_counts=True)
    level = cells // n_folds
    drawn = np.isin(level, list(place))
    at = np.array([place[one] for one in level[drawn].tolist()], dtype=np.intp)
    return at, values[first[drawn]], rows[drawn].astype(np.float64)
