"""matplotlib, imported on use."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from vtreat_py.base.dependencies import optional_module

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which the colour-blind can tell apart.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#777777"
COLOURS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# One for each of them, so that colour alone tells nothing apart.
MARKERS = ("o", "^", "s", "D", "v", "P")
# What an entry of a legend takes, more or less.
_INCHES_OF_KEY, _INCHES_OF_LETTER, _POINTS_OF_ROW = 0.45, 0.06, 13.5
# What names of rows leave of the width; the least that a line of a note holds.
_LEFT_BY_LABELS, _FEWEST_LETTERS = 0.78, 24


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


def with_rows_named(ax: Any, names: Sequence[str], title: str) -> Axes:
    """Name the rows of a picture from the top down, with its legend under the title."""
    ax.set(yticks=range(len(names)), yticklabels=names, ylim=(max(len(names), 1) - 0.4, -0.6))
    return with_title(ax, title)


def with_title(ax: Any, title: str) -> Axes:
    """Write the title of a picture, its legend under it, in as many rows as the width asks for."""
    handles, labels = ax.get_legend_handles_labels()
    n_rows = 0
    if labels:
        widest = _INCHES_OF_KEY + _INCHES_OF_LETTER * max(map(len, labels))
        n_columns = min(max(int(_width(ax) / widest), 1), len(labels))
        n_rows = -(-len(labels) // n_columns)
        ax.legend(
            handles, labels, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0),
            ncols=n_columns, fontsize="small", columnspacing=1.2,
        )  # fmt: skip
    ax.set_title(title, pad=8 + _POINTS_OF_ROW * n_rows + 6 * (n_rows > 0))
    return without_box(ax)


def wrapped(ax: Any, text: str) -> str:
    """Text in lines of small letters that are no wider than a picture."""
    letters = int(_LEFT_BY_LABELS * _width(ax) / _INCHES_OF_LETTER)
    return fill(text, max(letters, _FEWEST_LETTERS))


def _width(ax: Any) -> float:
    """Width in inches."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def without_box(ax: Axes) -> Axes:
    """Leave the axes of a picture only."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax
