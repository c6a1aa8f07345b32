"""matplotlib, imported on use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vtreat_py.base.dependencies import optional_module

# Okabe and Ito's colours, which the colour-blind can tell apart.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#777777"


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


def with_rows_named(
    ax: Any, names: Sequence[str], title: str, ncols: int = 2, pad: int = 26
) -> Any:
    """Name the rows of a picture from the top down, with its legend under the title."""
    ax.set(yticks=range(len(names)), yticklabels=names)
    ax.set_title(title, pad=pad)
    ax.invert_yaxis()
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=ncols)
    return without_box(ax)


def without_box(ax: Any) -> Any:
    """Leave the axes of a picture only."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax
