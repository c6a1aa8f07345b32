"""A column in the list of columns: a row at a glance, and what folds out of it."""

from __future__ import annotations

from collections.abc import Callable

from vtreat_py.base.errors import counted
from vtreat_py.base.markup import NOTHING, p_value, plain, share
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
from vtreat_py.report.columns import PlanColumn
from vtreat_py.report.markup import data
from vtreat_py.report.spread import extent, level_spread, most_common, number_spread
from vtreat_py.report.svg import bar, silent

# The head of the list: a name, the class of its cells, and how rows are sorted by it at first.
HEAD = (
    ("No.", "num wide-only", "ascending"),
    ("Column", "", "ascending"),
    ("Kind", "wide-only", "ascending"),
    ("Missing", "num mid", "descending"),
    ("Values", "mid", "descending"),
    ("Distribution", "spread", ""),
    ("Explains", "num", "descending"),
    ("Recommended", "made", "descending"),
)
# What columns can be chosen by: the word in the page, its name, and whether it is true of one.
TAGS: tuple[tuple[str, str, Callable[[PlanColumn], bool]], ...] = (
    ("recommended", "Recommended", lambda one: one.n_recommended > 0),
    ("doubtful", "Not recommended", lambda one: bool(one.scored) and not one.n_recommended),
    ("unused", "Not used", lambda one: not one.scored),
    ("hinted", "With hints", lambda one: bool(one.hints)),
)


def row(column: PlanColumn, content: str, longest: float) -> str:
    """The two rows of a column, as a body of the table of their own."""
    place = column.place
    button = (
        f'<button aria-expanded="false" aria-controls="m{place}">'
        f"<code>{data(column.name, 48)}</code></button>{_badges(column)}"
    )
    n_values, values, drawn = _values(column)
    cells = [
        _cell(place + 1, str(place + 1), "num wide-only"),
        f'<th scope="row" data-v="{_word(plain(column.name))}">{button}</th>',
        _cell(column.kind, column.kind or NOTHING, "wide-only"),
        _cell(
            column.missing, NOTHING if column.missing is None else share(column.missing), "num mid"
        ),
        _cell(n_values, values, "mid"),
        f'<td class="spread">{drawn}</td>',
        _explained(column, longest),
        _made(column),
    ]
    tags = " ".join(tag for tag, _, held in TAGS if held(column))
    return (
        f'<tbody id="c{place}" data-tags="{tags}"><tr class="row">{"".join(cells)}</tr>'
        f'<tr class="more"><td colspan="{len(HEAD)}"><div id="m{place}" hidden="until-found">'
        f"{content}</div></td></tr></tbody>"
    )


def _cell(value: float | str | None, text: str, kind: str = "") -> str:
    held = "" if value is None else f' data-v="{_word(value)}"'
    return f'<td class="{kind}"{held}>{text}</td>'


def _word(value: float | str) -> str:
    """A value to sort by."""
    if isinstance(value, str):
        return value.lower().replace("&", "").replace('"', "").replace("<", "")
    return f"{value:.6g}"


def _badges(column: PlanColumn) -> str:
    badges = []
    if column.made is not None:
        badges.append("made here")
    if column.hints:
        badges.append("hint")
    return "".join(f' <span class="badge">{one}</span>' for one in badges)


def _values(column: PlanColumn) -> tuple[float | None, str, str]:
    """How many values there are, or how far they reach; in words, and drawn."""
    treatment, statistics = column.treatment, column.statistics
    if isinstance(treatment, NumericTreatment):
        profile, kind = treatment.profile, treatment.kind
        if profile is None:
            return None, NOTHING, ""
        return None, extent(profile, kind), number_spread(profile, kind)
    if statistics is None and isinstance(treatment, LevelTreatment):
        n_levels = len(treatment.levels)
        return float(n_levels), counted(n_levels, "level"), ""
    if statistics is not None:
        n_levels = len(most_common(statistics))
        return (
            float(n_levels),
            f"{n_levels:,} level{'s' * (n_levels != 1)}",
            level_spread(statistics),
        )
    return None, NOTHING, ""


def _explained(column: PlanColumn, longest: float) -> str:
    """What the best variable says; the bar is as long as that of the best column at most."""
    if column.rsq is None or column.sig is None:
        return f'<td class="num">{NOTHING}</td>'
    if not column.scored:
        return f'<td class="num" data-v="-1">{NOTHING}</td>'
    drawn = silent(6, [bar(0, 100.0 * column.rsq / longest, 0, 6, "b")], "size")
    sig = p_value(column.sig)
    told = f"p {sig.replace('<', '&lt;')}" if sig.startswith("<") else f"p = {sig}"
    return (
        f'<td class="num" data-v="{column.rsq:.6g}">{share(column.rsq)} '
        f"<small>{told}</small>{drawn}</td>"
    )


def _made(column: PlanColumn) -> str:
    """How many variables are recommended, of how many."""
    if not column.scored:
        return '<td class="made" data-v="-1"><span class="none">not used</span></td>'
    told = f"{column.n_recommended} of {column.n_variables}"
    kind, mark = ("yes", "●") if column.n_recommended else ("no", "○")
    return (
        f'<td class="made" data-v="{column.n_recommended}"><span class="{kind}">'
        f'<span aria-hidden="true">{mark}</span> {told}</span></td>'
    )
