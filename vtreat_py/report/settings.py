"""The options of the design: those that are not as by default, and all of them folded away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from vtreat_py.base.markup import number, safe
from vtreat_py.plan.data import Plan, same
from vtreat_py.plan.options import DesignOptions, function_name
from vtreat_py.report.markup import above, cell, fold, head, names


def settings(plan: Plan) -> str:
    """List the options of a plan."""
    default = DesignOptions()
    rows, changed = [], []
    for name in (field.name for field in fields(DesignOptions)):
        value, usual = getattr(plan.options, name), getattr(default, name)
        is_usual = same(value, usual)
        if not is_usual:
            changed.append(f"<li><code>{name}</code>: {_value(value)}</li>")
        first = f'<th scope="row"><code>{name}</code></th>'
        rows.append(f"<tr>{first}{cell(_value(value))}{cell(_value(usual))}</tr>")
    told = f"<ul>{''.join(changed)}</ul>" if changed else ""
    first = "Not as by default:" if changed else "All options are as by default."
    names_of = head(above("Option"), above("Value"), above("By default"))
    table = f"<table>{names_of}<tbody>{''.join(rows)}</tbody></table>"
    return (
        '<section aria-labelledby="options"><h2 id="options">Options of the design</h2>'
        f"<p>{first}</p>{told}{fold('All options', table)}</section>"
    )


def _value(value: Any) -> str:
    function = function_name(value)
    if function is not None:
        return f"the function <code>{safe(function)}</code>"
    if isinstance(value, Mapping):
        each = [f"{names([key])}: {_value(one)}" for key, one in list(value.items())[:12]]
        more = f" and {len(value) - 12:,} more" if len(value) > 12 else ""
        return ", ".join(each) + more if each else "none"
    if isinstance(value, tuple):
        return names(value, 30) or "none"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, float | int):
        return number(value)
    return safe(value)
