"""matplotlib, imported on use."""

from __future__ import annotations

from typing import Any

from vtreat_py.base.dependencies import optional_module


def axes_or_new(ax: Any = None, **figure: Any) -> Any:
    """Return the axes to draw on: those given, or those of a new figure.

    Raises
    ------
    DependencyError
        If matplotlib is not installed, or too old; it says how to install it.
    """
    if ax is not None:
        return ax
    return new_figure(1, 1, **figure)[1]


def new_figure(rows: int, columns: int, **options: Any) -> Any:
    """Return a new figure and its axes, as ``matplotlib.pyplot.subplots`` does."""
    plt = optional_module("matplotlib.pyplot", "plots")
    return plt.subplots(rows, columns, layout="constrained", **options)
