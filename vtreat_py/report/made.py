"""What was made of a column, and why it is recommended or not."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from html import escape
from typing import Any

from vtreat_py.base.errors import counted
from vtreat_py.base.markup import p_value, plain, safe, share
from vtreat_py.coders import codes
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable, DroppedCode
from vtreat_py.report.columns import PlanColumn, Scored
from vtreat_py.report.markup import above, cell, data, head, of_class
from vtreat_py.report.svg import bar, silent


def made_table(plan: Plan, column: PlanColumn, most: int) -> str:
    """List the variables of a column with their scores, the most telling first."""
    rows = column.scored[:most]
    if not rows:
        return ""
    scored = plan.outcome_type != "unsupervised"
    columns = [above("Variable"), above("What it is")]
    if scored:
        columns += [above("Class")] if plan.classes else []
        columns += [above(text, "num") for text in ("Explains", "p-value", "p, FDR")]
        columns.append(above("Recommended"))
    lines = "".join(_line(plan, column, one, scored) for one in rows)
    left = len(column.scored) - len(rows)
    caption = "What was made of it" + (f": the {most} that say most, {left:,} more" if left else "")
    return f"<table><caption>{caption}</caption>{head(*columns)}<tbody>{lines}</tbody></table>"


def _line(plan: Plan, column: PlanColumn, one: Scored, scored: bool) -> str:
    name = f'<th scope="row"><code>{data(one.variable.name)}</code></th>'
    cells = [name, cell(description(plan, column.treatment, one.variable))]
    if scored:
        rsq, sig = float(one.row["rsq"]), float(one.row["sig"])
        if plan.classes:
            cells.append(cell(data(one.row["outcome_target"], 24)))
        cells += [
            cell(f"{share(rsq)}{silent(4, [bar(0, 100 * rsq, 0, 4, 'b')], 'size')}", "num"),
            cell(escape(p_value(sig)), "num"),
            cell(escape(p_value(float(one.row["sig_fdr"]))), "num"),
            cell(verdict(one.row)),
        ]
    held = ""
    if plan.classes:
        held = of_class(plan.classes.index(one.row["outcome_target"]))
    return f"<tr{held}>{''.join(cells)}</tr>"


def description(plan: Plan, treatment: Treatment | None, variable: DerivedVariable) -> str:
    """What a variable is, in words."""
    if variable.slot is not None:
        return f"1 where the level is {_marked(treatment, variable)}, else 0"
    code = codes.named(variable.code, plan.options.own_codes)
    said = (inspect.getdoc(type(code)) or "").split("\n")[0].removesuffix(".")
    coder = plan.options.custom_coders.get(variable.code)
    if coder is not None:
        said = f"{said}: {plain(getattr(coder.function, 'function', variable.code))}"
    if variable.target is not None:
        said = f"{said}; of {plain(variable.target, 24)}"
    split = "; training rows have it from the other folds" if variable.needs_split else ""
    return f"{safe(said, 200)}{split}"


def _marked(treatment: Treatment | None, variable: DerivedVariable) -> str:
    assert isinstance(treatment, LevelTreatment)
    beside = (variable.slot or 0) - len(treatment.levels)
    if beside < 0:
        return f"<q>{data(variable.level, 40)}</q>"
    return ("missing", "one of the rare ones")[beside]


def verdict(row: dict[str, Any]) -> str:
    """Whether a variable is recommended, and why."""
    limit = f"{float(row['default_threshold']):.3g}"
    if row["recommended"]:
        return f'<b class="yes">yes</b>, p is below {limit}'
    return f'<span class="no">no</span>, p is not below {limit}'


def left_out(plan: Plan, dropped: Sequence[DroppedCode]) -> list[str]:
    """Say of codes that were tried why they were not made."""
    return [_left_out(plan, one) for one in dropped]


def _left_out(plan: Plan, one: DroppedCode) -> str:
    of_class = "" if one.target is None else f" of {data(one.target, 24)}"
    told = f"<code>{safe(one.code)}</code>{of_class}: "
    if codes.named(one.code, plan.options.own_codes).y_aware:
        sig = escape(p_value(one.sig))
        return told + f"the outcome differs between levels no more than chance makes it, p {sig}"
    return told + f"{counted(one.n_tests, 'level')} left out by rare_sig"
