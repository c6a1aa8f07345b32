"""The picture of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vtreat_py.audit.columns import ColumnAudit
from vtreat_py.base.arrays import BoolArray
from vtreat_py.base.figures import axes_or_new

# Smaller indices are drawn here.
_SMALLEST = 1e-3
# Okabe and Ito's colours, which the colour-blind can tell apart.
_BLUE, _VERMILION, _GREY = "#0072B2", "#D55E00", "#777777"


def draw_audit(
    columns: Sequence[ColumnAudit], drifted: BoolArray, psi: float, title: str, ax: Any
) -> Any:
    """Draw the indices of columns, and the limit of them; see `AuditReport.plot`."""
    place = np.arange(len(columns))
    index = np.maximum([one.psi for one in columns], _SMALLEST)
    chance = np.maximum([one.psi_by_chance for one in columns], _SMALLEST)
    limit = max(psi, _SMALLEST)
    ax = axes_or_new(ax, figsize=(7.0, 1.6 + 0.3 * len(columns)))
    ax.set_xscale("log")
    ax.barh(place, chance, height=0.5, color="#dddddd", label="95% of what chance makes")
    ax.axvline(limit, color=_GREY, linestyle="--", linewidth=1, label=f"limit, {psi:g}")
    for which, colour, fill, label in (
        (drifted, _VERMILION, _VERMILION, "drifted"),
        (~drifted, _BLUE, "white", "not drifted"),
    ):
        ax.scatter(index[which], place[which], color=fill, edgecolor=colour, zorder=3, label=label)
    ax.set(
        yticks=place,
        yticklabels=[str(one.column) for one in columns],
        xlabel="population stability index",
        xlim=(_SMALLEST * 0.8, None),
    )
    ax.set_title(title, pad=30)
    ax.invert_yaxis()
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
