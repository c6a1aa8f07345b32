"""Pictures of y-aware components."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_most
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.figures import (
    BLUE,
    COLOURS,
    GREY,
    MARKERS,
    axes_or_new,
    with_rows_named,
    without_box,
)
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plots.drawing import classes_of, shortened
from vtreat_py.yaware.matrix import read_numbers
from vtreat_py.yaware.pca import YAwarePCA
from vtreat_py.yaware.selection import permuted_bar

_SHOWN = 20


def scree(pca: YAwarePCA, ax: Any = None, *, most: int = _SHOWN) -> Any:
    """Draw the singular values of components, and what permuted outcomes give.

    Parameters
    ----------
    pca : YAwarePCA
        Fitted. The range of permuted outcomes is there with ``n_components="permutation"``.
    ax : matplotlib Axes, default=None
    most : int, default=20
        How many components to draw.

    Returns
    -------
    matplotlib Axes
        With the selected components filled. The grey band is the middle 90% of what permuted
        outcomes give, the dashed line what their largest hardly ever reaches.

    Raises
    ------
    OptionTypeError
        If ``pca`` is no `YAwarePCA`.
    InvalidOptionError
        If ``most`` is no whole number from 1 on.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 4))).add_prefix("x")
    >>> y = X["x0"] + X["x1"]
    >>> pca = vt.YAwarePCA(2).fit(X, y)
    >>> vt.plots.scree(pca).get_title()
    '2 of 4 components kept'
    """
    _check(pca)
    values = pca.all_singular_values_[: check_most(most)]
    place = np.arange(1, len(values) + 1)
    ax = axes_or_new(ax, figsize=(6.4, 3.8))
    null = pca.null_singular_values_
    if null is not None:
        shown = null[:, : len(values)]
        low, high = np.quantile(shown, [0.05, 0.95], axis=0)
        ax.fill_between(
            place[: len(low)], low, high, color="#cccccc", label="permuted outcomes", linewidth=0
        )
        bar = permuted_bar(null[:, 0], pca.n_features_in_)
        ax.axhline(bar, color=GREY, linestyle="--", linewidth=1, label="their largest reach this")
    ax.plot(place, values, color=BLUE, linewidth=1, zorder=2)
    kept = np.isin(place - 1, pca.selected_)
    ax.scatter(place[~kept], values[~kept], color="white", edgecolor=BLUE, zorder=3)
    ax.scatter(place[kept], values[kept], color=BLUE, zorder=3, label="kept")
    ax.set(xlabel="component", ylabel="singular value", ylim=(0, None))
    ax.set_title(f"{pca.n_components_} of {len(pca.all_singular_values_)} components kept")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False)
    return without_box(ax)


def loadings(pca: YAwarePCA, ax: Any = None, *, most: int = 2) -> Any:
    """Draw what the first components take of each column.

    Parameters
    ----------
    pca : YAwarePCA
        Fitted.
    ax : matplotlib Axes, default=None
    most : int, default=2
        How many components to draw.

    Returns
    -------
    matplotlib Axes
        With a row for each column of the frame, in its order.

    Raises
    ------
    OptionTypeError
        If ``pca`` is no `YAwarePCA`.
    InvalidOptionError
        If ``most`` is no whole number from 1 on.
    sklearn.exceptions.NotFittedError
        If it is not fitted.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 4))).add_prefix("x")
    >>> y = X["x0"] + X["x1"]
    >>> vt.plots.loadings(vt.YAwarePCA(2).fit(X, y)).get_title()
    'What components are made of'
    """
    _check(pca)
    loadings = pca.components_[: check_most(most)]
    names = [shortened(name) for name in pca._fitted_columns.columns]
    ax = axes_or_new(ax, figsize=(6.0, 1.0 + 0.18 * len(names)))
    place = np.arange(len(names))
    for k, (row, colour) in enumerate(zip(loadings, COLOURS * len(loadings), strict=False)):
        shift = 0.25 * (k - (len(loadings) - 1) / 2)
        ax.hlines(place + shift, 0, row, color=colour, linewidth=1)
        ax.plot(row, place + shift, "o", color=colour, markersize=4, label=f"component {k}")
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set(xlabel="loading on the scaled column")
    return with_rows_named(ax, names, "What components are made of")


def ranges(before: Any, after: Any, ax: Any = None) -> Any:
    """Draw how far each column ranges before and after y-aware scaling.

    Parameters
    ----------
    before, after : data frames or arrays of the same columns
        The frame as it is, and scaled by a `YAwareScaler`.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes
        With two lines for each column, from the 5th to the 95th percentile of its distance from
        its mean, each set of columns over its own largest reach.

    Raises
    ------
    InvalidOptionError
        If the two have different columns.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 4))).add_prefix("x")
    >>> y = X["x0"] + X["x1"]
    >>> scaled = vt.YAwareScaler().fit_transform(X, y)
    >>> vt.plots.ranges(X, scaled).get_title()
    'Middle 90% of each column'
    """
    frames = [InputFrame.of(frame) for frame in (before, after)]
    if frames[0].columns != frames[1].columns or not frames[0].columns:
        raise InvalidOptionError("before and after must have the same columns, in the same order")
    names = [shortened(name) for name in frames[0].columns]
    ax = axes_or_new(ax, figsize=(6.0, 1.0 + 0.18 * len(names)))
    place = np.arange(len(names))
    for frame, colour, shift, label in zip(
        frames, (GREY, BLUE), (-0.15, 0.15), ("before", "after"), strict=True
    ):
        reach = _reach(frame)
        ax.hlines(place + shift, *reach.T, color=colour, linewidth=2.5, label=f"{label} scaling")
    ax.set(xlabel="share of the largest reach", xlim=(-1, 1))
    return with_rows_named(ax, names, "Middle 90% of each column")


def _reach(frame: InputFrame) -> FloatArray:
    """Middle 90% of each column about its mean, over the largest; of shape (p, 2)."""
    columns = read_numbers(frame, frame.columns)
    ends = np.array([np.quantile(v, [0.05, 0.95]) - np.mean(v) for v in columns])
    return ends / (np.abs(ends).max() or 1.0)


def projection(scores: Any, y: Any, ax: Any = None) -> Any:
    """Draw the rows by their first two components, coloured by the outcome.

    Parameters
    ----------
    scores : data frame or array of shape (n, at least 1)
        What `YAwarePCA` returns.
    y : array of shape (n,)
        Outcome; up to six classes, or numbers, have a colour each.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidOptionError
        If there is no component to draw, or y has another length.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import numpy as np
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 4))).add_prefix("x")
    >>> y = X["x0"] + X["x1"]
    >>> components = vt.YAwarePCA(2).fit_transform(X, y)
    >>> vt.plots.projection(components, y).get_title()
    'Rows by component'
    """
    frame = InputFrame.of(scores)
    outcome = np.asarray(y)
    if not frame.columns:
        raise InvalidOptionError("scores has no columns: no component was kept")
    if outcome.shape != (frame.n_rows,):
        raise InvalidOptionError(f"y has shape {outcome.shape}, but there are {frame.n_rows} rows")
    classes, codes = classes_of(outcome)
    few = len(classes) <= len(COLOURS)
    if not few and outcome.dtype.kind not in "iuf":
        raise InvalidOptionError(
            f"y has more than {len(COLOURS)} classes; join some of them, or give numbers"
        )
    columns = read_numbers(frame, frame.columns[:2])
    first, second = columns[0], columns[1] if len(columns) > 1 else np.zeros(frame.n_rows)
    ax = axes_or_new(ax, figsize=(5.6, 4.8))
    if few:
        for k, (name, colour, marker) in enumerate(zip(classes, COLOURS, MARKERS, strict=False)):
            own, look = codes == k, {"color": colour, "marker": marker, "s": 14, "alpha": 0.7}
            ax.scatter(first[own], second[own], label=shortened(name), **look)
        ax.legend(frameon=False)
    else:
        numbers = np.asarray(outcome, dtype=np.float64)
        drawn = ax.scatter(first, second, c=numbers, s=12, cmap="viridis")
        ax.figure.colorbar(drawn, ax=ax, label="outcome")
    names = [shortened(name) for name in frame.columns[:2]]
    ax.set(xlabel=names[0], ylabel=names[1] if len(names) > 1 else "", title="Rows by component")
    return without_box(ax)


def _check(pca: Any) -> None:
    if not isinstance(pca, YAwarePCA):
        raise OptionTypeError(
            f"pca is of type {type(pca).__name__}; give a YAwarePCA, such as pca_ of a YAwarePCR"
        )
    check_is_fitted(pca)
