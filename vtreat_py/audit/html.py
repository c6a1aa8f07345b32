"""An audit as HTML, to be read in a notebook: columns that have drifted are marked."""

from __future__ import annotations

from html import escape

import pandas as pd

from vtreat_py.base.arrays import BoolArray

# Only shades of the reader's own colours, so that it suits light and dark pages.
_STYLE = """<style>
.vtreat-audit {font-size: 0.9em; line-height: 1.4; color: inherit; margin: 0.5em 0;}
.vtreat-audit p {margin: 0.3em 0;}
.vtreat-audit table {border-collapse: collapse; margin: 0.5em 0;}
.vtreat-audit th, .vtreat-audit td {text-align: right; padding: 0.15em 0.6em;
  border-bottom: 1px solid rgba(128, 128, 128, 0.35); background: none;}
.vtreat-audit th:nth-child(-n+2), .vtreat-audit td:nth-child(-n+2) {text-align: left;}
.vtreat-audit tr.vtreat-drifted td {background: rgba(213, 94, 0, 0.14); font-weight: 600;}
.vtreat-audit tr.vtreat-drifted td:first-child {border-left: 4px solid #d55e00;}
</style>"""


def audit_html(told: str, table: pd.DataFrame, drifted: BoolArray, more: str) -> str:
    """Show an audit: what it comes to, and a row for each column, some of which have drifted.

    Names are data, and are escaped.
    """
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in table)
    marks = [' class="vtreat-drifted"' if one else "" for one in drifted]
    rows = "".join(
        f"<tr{mark}>{_cells(row)}</tr>"
        for row, mark in zip(table.itertuples(index=False), marks, strict=True)
    )
    shown = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        f'{_STYLE}<div class="vtreat-audit"><p>{escape(told)}</p>{shown}<p>{escape(more)}</p></div>'
    )


def _cells(row: tuple[object, ...]) -> str:
    return "".join(f"<td>{escape(_word(value))}</td>" for value in row)


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
