"""A plan as HTML, to be read in a notebook: sizes, columns not used, the most telling scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape
from typing import Any

from vtreat_py.base.markup import p_value, safe
from vtreat_py.frames.made import n_added
from vtreat_py.plan.data import Plan, unused_and_declined

_MOST_ROWS = 20

# Only shades of the reader's own colours, so that it suits light and dark pages.
_STYLE = """<style>
.vtreat-plan {font-size: 0.9em; line-height: 1.4; color: inherit; margin: 0.5em 0;}
.vtreat-plan p, .vtreat-plan ul {margin: 0.3em 0;}
.vtreat-plan .vtreat-warning {border-left: 3px solid #c80; padding-left: 0.6em;}
.vtreat-plan table {border-collapse: collapse; margin: 0.5em 0;}
.vtreat-plan caption {text-align: left; opacity: 0.75; padding-bottom: 0.2em;}
.vtreat-plan th, .vtreat-plan td {text-align: left; padding: 0.15em 0.8em 0.15em 0;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35); background: none;}
.vtreat-plan .vtreat-number {text-align: right; font-variant-numeric: tabular-nums;}
.vtreat-plan .vtreat-left-out td {opacity: 0.6;}
</style>"""


def plan_html(plan: Plan) -> str:
    """Show a plan: its outcome and sizes, warnings, and its score frame, most telling first.

    Numbers are rounded here, and only here; names and levels are data, and are escaped.
    """
    parts = [_STYLE, *_summary(plan), *_warnings(plan)]
    if plan.derived:
        parts.append(_scores(plan))
    return f'<div class="vtreat-plan">{"".join(parts)}</div>'


def _summary(plan: Plan) -> list[str]:
    sizes = [
        f"columns in: {len(plan.variables) - n_added(plan.made)}",
        f"derived variables: {len(plan.derived)}",
        f"recommended: {sum(plan.recommended)}",
        f"rows: {plan.n_rows}",
    ]
    if limits := plan.limits:
        sizes.append(f"recommended: sig below {escape(limits)}")
    return [f"<p>Outcome: {escape(plan.note)}</p>", f"<p>{' &middot; '.join(sizes)}</p>"]


def _warnings(plan: Plan) -> list[str]:
    warnings = []
    if plan.scoring is not None:
        warnings.append(f"A plan for scoring. {escape(plan.scoring.told)}")
    if plan.privacy is not None:
        warnings.append(f"A private plan. {escape(plan.privacy.told)}")
    if plan.derived and not any(plan.recommended):
        warnings.append("No derived variable is recommended.")
    named = ("Columns not used", "Codes not made")
    for what, told in zip(named, unused_and_declined(plan), strict=True):
        if told:
            warnings.append(f"{what}:{_listed(told, 'unused')}")
    if plan.hints:
        warnings.append(f"Hints:{_listed(plan.hints, 'hints')}")
    return [f'<div class="vtreat-warning">{one}</div>' for one in warnings]


def _listed(told: Sequence[tuple[Hashable, str]], where: str) -> str:
    """What is told of columns; ``where`` is the plan's attribute that has all of it."""
    shown = [
        f"<li><code>{safe(column)}</code>: {escape(text)}</li>"
        for column, text in told[:_MOST_ROWS]
    ]
    if more := len(told[_MOST_ROWS:]):
        shown.append(f"<li>{more} more in <code>plan.{where}</code></li>")
    return f"<ul>{''.join(shown)}</ul>"


def _scores(plan: Plan) -> str:
    table = plan._score_table
    columns = ["variable", "orig_variable", "code", "level"]
    if plan.outcome_type != "unsupervised":
        columns += [c for c in ("outcome_target", "rsq", "sig") if c in table]
        table = table.sort_values(["sig", "rsq"], ascending=[True, False], kind="stable")
    columns.append("recommended")
    head = "".join(f"<th{_kind(c)}>{escape(c)}</th>" for c in columns)
    shown = table.head(_MOST_ROWS)
    rows = "".join(_row(row, columns) for row in shown.to_dict("records"))
    order = "" if plan.outcome_type == "unsupervised" else ", most telling first"
    caption = f"{len(shown)} of {len(table)} scores{order}; all in <code>score_frame</code>"
    return (
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _row(row: dict[Any, Any], columns: Iterable[str]) -> str:
    cells = "".join(f"<td{_kind(c)}>{_cell(c, row[c])}</td>" for c in columns)
    left_out = "" if row["recommended"] else ' class="vtreat-left-out"'
    return f"<tr{left_out}>{cells}</tr>"


def _kind(column: str) -> str:
    return ' class="vtreat-number"' if column in ("rsq", "sig") else ""


def _cell(column: str, value: Any) -> str:
    if column == "recommended":
        return "yes" if value else "no"
    if column == "rsq":
        return f"{value:.3g}"
    if column == "sig":
        return escape(p_value(value))
    return "" if value is None else safe(value)  # without level the variable's name says it all
