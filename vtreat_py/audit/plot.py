"""The picture of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vtreat_py._matplotlib import axes_or_new

if TYPE_CHECKING:  # the report draws itself by this module
    from vtreat_py.audit.report import AuditReport

# Smaller indices are drawn here.
_SMALLEST = 1e-3
# Okabe and Ito's colours, which the colour-blind can tell apart.
_BLUE, _VERMILION, _GREY = "#0072B2", "#D55E00", "#777777"


def draw_audit(report: AuditReport, ax: Any, most: int) -> Any:
    """Draw the indices of the worst columns; see `AuditReport.plot`."""
    order = report.worst_first[:most]
    columns = [report.columns[i] for i in order]
    place = np.arange(len(columns))
    index = np.maximum([one.psi for one in columns], _SMALLEST)
    chance = np.maximum([one.psi_by_chance for one in columns], _SMALLEST)
    drifted, limit = report.drifted[order], max(report.psi, _SMALLEST)
    ax = axes_or_new(ax, figsize=(7.0, 1.6 + 0.3 * len(columns)))
    ax.set_xscale("log")
    ax.barh(place, chance, height=0.5, color="#dddddd", label="95% of what chance makes")
    ax.axvline(limit, color=_GREY, linestyle="--", linewidth=1, label=f"limit, {report.psi:g}")
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
    ax.set_title(report.summary, pad=30)
    ax.invert_yaxis()
    ax.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
