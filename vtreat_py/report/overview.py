"""Scores at a glance: the variables that say most, and all p-values beside their limits."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from html import escape

from vtreat_py.base.errors import counted
from vtreat_py.base.markup import p_value, share
from vtreat_py.plan.data import Plan
from vtreat_py.report.columns import PlanColumn, Scored
from vtreat_py.report.markup import data
from vtreat_py.report.svg import Axis, bar, dot, drawing, silent, upright, written

_SHOWN = 12
# p-values are drawn down to here: from -log10.
_LEAST = 16.0
_TICKS = ((0.0, "1"), (4.0, "1e-4"), (8.0, "1e-8"), (_LEAST, "1e-16 or less"))
_LANE = 22


def overview(plan: Plan, columns: Sequence[PlanColumn]) -> str:
    """Draw the scores of a plan that has some."""
    every = [(column, one) for column in columns for one in column.scored]
    if plan.outcome_type == "unsupervised" or not every:
        return ""
    limits = (
        "A variable is recommended where its p-value is below the limit of its code, 1 / (number "
        "of codes x variables of the code): if none said anything, one would be expected to pass."
    )
    return (
        '<section aria-labelledby="scores"><h2 id="scores">What says most of the outcome</h2>'
        f'<div class="two">{_most_telling(plan, every)}{_by_code(plan, every)}</div>'
        f'<p class="small">{limits}</p></section>'
    )


def _most_telling(plan: Plan, every: list[tuple[PlanColumn, Scored]]) -> str:
    order = sorted(every, key=lambda one: (-one[1].row["rsq"], one[1].row["sig"]))
    best: dict[str, tuple[PlanColumn, Scored]] = {}
    for column, one in order:
        if len(best) == _SHOWN:
            break
        best.setdefault(one.variable.name, (column, one))
    longest = max(one.row["rsq"] for _, one in best.values()) or 1.0
    lines = "".join(_telling(plan, column, one, longest) for column, one in best.values())
    caption = "Share of the outcome that a variable explains alone (rsq)"
    return (
        f'<figure><figcaption>{caption}</figcaption><ol class="top">{lines}</ol>'
        '<p class="key"><span><i class="k bar"></i> recommended</span> '
        '<span><i class="k hollow"></i> not</span></p></figure>'
    )


def _telling(plan: Plan, column: PlanColumn, one: Scored, longest: float) -> str:
    rsq, sig = float(one.row["rsq"]), float(one.row["sig"])
    kind = "b" if one.row["recommended"] else "hollow"
    of_class = f" <small>{data(one.row['outcome_target'], 20)}</small>" if plan.classes else ""
    drawn = silent(14, [bar(0, 99.5 * rsq / longest, 1, 13, kind)])
    held = "" if one.row["recommended"] else ", not recommended"
    name = f'<a href="#c{column.place}">{data(one.variable.name, 40)}</a>'
    return (
        f"<li><span>{name}{of_class}</span>{drawn}"
        f'<span class="num">{share(rsq)}<span class="heard">{held}, p {escape(p_value(sig))}</span>'
        "</span></li>"
    )


def _by_code(plan: Plan, every: list[tuple[PlanColumn, Scored]]) -> str:
    lanes: dict[str, list[Scored]] = defaultdict(list)
    for variable, _ in plan._scored:
        lanes.setdefault(variable.code, [])
    for _, one in every:
        lanes[one.variable.code].append(one)
    axis = Axis(0.0, _LEAST)
    lines = "".join(_lane(code, rows, axis) for code, rows in lanes.items())
    ticks = [
        written(axis.place(at), 11, text, {0.0: "start", _LEAST: "end"}.get(at, "middle"))
        for at, text in _TICKS
    ]
    return (
        "<figure><figcaption>p-values by code, and the limit below which they are "
        f'recommended</figcaption><ul class="lanes">{lines}<li><span></span>'
        f'{silent(15, ticks, "scale")}<span></span></li></ul><p class="key">'
        '<span><i class="k told"></i> recommended</span> <span><i class="k raw"></i> not</span> '
        '<span><i class="k limit"></i> limit</span></p></figure>'
    )


def _lane(code: str, rows: list[Scored], axis: Axis) -> str:
    limit = max(float(one.row["default_threshold"]) for one in rows)
    passed = sum(bool(one.row["recommended"]) for one in rows)
    at = {  # dots at one place are drawn once
        (round(axis.place(_evidence(float(one.row["sig"]))), 1), bool(one.row["recommended"]))
        for one in rows
    }
    middle = _LANE / 2
    dots = [
        dot(place, middle, "told" if good else "raw", 3.5 if good else 3.0)
        for place, good in sorted(at)
    ]
    line = upright(axis.place(_evidence(limit)), 1, _LANE - 1, "limit")
    title = f"{code}: {passed} of {counted(len(rows), 'score')} below {limit:.3g}"
    return (
        f"<li><code>{escape(code)}</code>{drawing(title, _LANE, [line, *dots], 'lane')}"
        f'<span class="num">{passed}/{len(rows)}</span></li>'
    )


def _evidence(sig: float) -> float:
    return _LEAST if sig <= 0.0 else min(-math.log10(sig), _LEAST) + 0.0
