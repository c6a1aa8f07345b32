"""A picture of variable importance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.checks import check_most, check_number
from vtreat_py.base.errors import OptionTypeError, counted
from vtreat_py.base.figures import BLUE, axes_or_new, with_rows_named
from vtreat_py.plots.drawing import shortened

_IMPORTANCE = ["variable", "rsq", "sig", "count"]


def importance(table: pd.DataFrame, ax: Any = None, *, most: int = 20, sig: float = 0.05) -> Any:
    """Draw how much each column says of the outcome.

    Parameters
    ----------
    table : pandas.DataFrame
        What `vtreat_py.variable_importance` returns.
    ax : matplotlib Axes, default=None
    most : int, default=20
        How many columns to draw.
    sig : float, default=0.05
        The probability that even one of the filled columns says nothing: those are filled whose
        ``sig`` is at most this over the number of columns of the table.

    Returns
    -------
    matplotlib Axes
        With a row for each column, the most important on top.

    Raises
    ------
    OptionTypeError, InvalidOptionError
        If it is no such table, or ``sig`` is no probability.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"town": ["Ayr", "Bath", "Cork"] * 20, "price": [3, 6, 4, 1] * 15})
    >>> table = vt.variable_importance(frame, outcome="price", random_state=0)
    >>> vt.plots.importance(table).get_title()
    'Importance of 1 column'
    """
    if not isinstance(table, pd.DataFrame) or not set(_IMPORTANCE) <= set(table):
        raise OptionTypeError(
            f"table is of type {type(table).__name__}; give what variable_importance returns, a "
            f"pandas frame with the columns {_IMPORTANCE}"
        )
    sig = check_number("sig", sig, 0, 1)
    shown = table.head(check_most(most))
    stands_out = (shown["sig"] <= sig / max(len(table), 1)).to_numpy()
    rsq, place = shown["rsq"].to_numpy(), np.arange(len(shown))
    ax = axes_or_new(ax, figsize=(6.4, 1.4 + 0.25 * len(shown)))
    ax.hlines(place, 0, rsq, color="#cccccc", linewidth=2)
    for which, fill, label in (
        (stands_out, BLUE, "more than chance makes"),
        (~stands_out, "white", "not more"),
    ):
        ax.scatter(rsq[which], place[which], color=fill, edgecolor=BLUE, zorder=3, label=label)
    ax.set(xlabel="share of the outcome that its best code explains alone (rsq)", xlim=(0, None))
    names = [shortened(name) for name in shown["variable"]]
    return with_rows_named(ax, names, f"Importance of {counted(len(table), 'column')}")
