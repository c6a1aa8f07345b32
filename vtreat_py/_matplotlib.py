"""matplotlib, imported on use."""

from __future__ import annotations

from typing import Any


def axes_or_new(ax: Any = None, **figure: Any) -> Any:
    """Return the axes to draw on: those given, or those of a new figure.

    Raises
    ------
    ModuleNotFoundError
        If matplotlib is not installed; it says how to install it.
    """
    if ax is not None:
        return ax
    return new_figure(1, 1, **figure)[1]


def new_figure(rows: int, columns: int, **options: Any) -> Any:
    """Return a new figure and its axes, as ``matplotlib.pyplot.subplots`` does."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise ModuleNotFoundError(
            "plots need matplotlib: pip install 'vtreat_py[plot]'", name="matplotlib"
        ) from error
    return plt.subplots(rows, columns, layout="constrained", **options)
