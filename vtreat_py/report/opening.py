"""What the page opens with: sizes, outcome, and what a careful user wants to know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable

from vtreat_py.base.markup import number, safe, share
from vtreat_py.frames.made import n_added
from vtreat_py.plan.data import Plan, unused_and_declined
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.report.markup import data, fold, names

_SHOWN = 8
# What the mean of the outcome is called, and how it is written.
_BASES: dict[str, tuple[str, Callable[[float], str]]] = {
    "numeric": ("mean outcome", number),
    "binomial": ("share of the target", share),
    "rate": ("events per exposure", number),
}


def title(plan: Plan) -> str:
    """The page's title, in plain words but for the outcome's name, which is data."""
    if plan.outcome_type == "unsupervised":
        return "Treatment plan without outcome"
    return "Treatment plan" if plan.outcome_name is None else "Treatment plan for "


def sizes(plan: Plan) -> str:
    """The sizes of the plan, as tiles."""
    n_columns = len(plan.variables) - n_added(plan.made)
    tiles = [
        ("rows", f"{plan.n_rows:,}", ""),
        *_base(plan),
        ("columns in", f"{n_columns:,}", _and_made(plan)),
        ("variables out", f"{len(plan.derived):,}", ""),
    ]
    if plan.outcome_type != "unsupervised":
        tiles.append(("recommended", f"{sum(plan.recommended):,}", ""))
    used = {one.column for one in plan.treatments}
    if unused := sum(name not in used for name in plan.variables):
        tiles.append(("not used", f"{unused:,}", ""))
    cells = "".join(
        f"<div><dt>{name}</dt><dd>{size}{beside}</dd></div>" for name, size, beside in tiles
    )
    return f'<dl class="tiles">{cells}</dl>'


def _base(plan: Plan) -> list[tuple[str, str, str]]:
    """Mean of the outcome over all rows, where a column has it."""
    if plan.outcome_type not in _BASES:
        return []
    means = [one.outcomes[0].overall for one in plan.level_statistics if one.outcomes]
    ranges = [one.by_range for one in plan.treatments if isinstance(one, NumericTreatment)]
    means += [one.overall(one.outcomes[0]) for one in ranges if one is not None]
    if not means:
        return []
    told, in_words = _BASES[plan.outcome_type]
    return [(told, in_words(means[0]), "")]


def _and_made(plan: Plan) -> str:
    n = n_added(plan.made)
    return f" <small>and {n:,} made of them</small>" if n else ""


def outcome(plan: Plan) -> str:
    """The outcome, and how it was told."""
    if plan.outcome_type == "unsupervised":
        return "<p>There is no outcome that variables could be judged by: all are recommended.</p>"
    told = [f"Outcome: {safe(plan.note, 2_000)}."]
    if plan.outcome_type == "binomial" and repr(plan.target) not in plan.note:
        told.append(f"The target is {names([plan.target])}.")
    if plan.classes:
        told.append(f"The classes are {names(plan.classes)}.")
    return f"<p>{' '.join(told)}</p>"


def notices(plan: Plan) -> str:
    """Warnings and hints."""
    found = []
    if plan.scoring is not None:
        found.append(f"<p><b>A plan for scoring.</b> {safe(plan.scoring.told, 2_000)}</p>")
    if plan.privacy is not None:
        found.append(f"<p><b>A private plan.</b> {safe(plan.privacy.told, 2_000)}</p>")
    if plan.derived and not any(plan.recommended):
        found.append("<p><b>No derived variable is recommended.</b></p>")
    unused, declined = unused_and_declined(plan)
    if unused:
        found.append(f"<p><b>Columns that are not used</b></p>{_by_reason(unused)}")
    if declined:
        what = "could not be made" if plan.scoring is None else "were left out"
        found.append(f"<p><b>Codes that {what}</b></p>{_by_reason(declined)}")
    if plan.hints:
        found.append(f"<p><b>Hints</b></p>{_hints(plan.hints)}")
    if not found:
        return ""
    notes = "".join(f'<div class="note">{one}</div>' for one in found)
    return f'<section aria-labelledby="notices"><h2 id="notices">To look at</h2>{notes}</section>'


def _by_reason(told: Iterable[tuple[Hashable, str]]) -> str:
    columns: dict[str, list[Hashable]] = defaultdict(list)
    for column, reason in told:
        columns[reason].append(column)
    lines = [f"<li>{names(of, _SHOWN)}: {safe(why, 2_000)}</li>" for why, of in columns.items()]
    return _list(lines)


def _hints(hints: Iterable[tuple[Hashable, str]]) -> str:
    return _list([f"<li><code>{data(c)}</code> {safe(hint, 2_000)}</li>" for c, hint in hints])


def _list(lines: list[str]) -> str:
    shown = f"<ul>{''.join(lines[:_SHOWN])}</ul>"
    if more := lines[_SHOWN:]:
        shown += fold(f"{len(more):,} more", f"<ul>{''.join(more)}</ul>")
    return shown
