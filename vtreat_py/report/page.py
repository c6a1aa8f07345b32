"""The page: its parts in order, with its style and its script inside."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib import resources

from vtreat_py.base.markup import plain
from vtreat_py.plan.data import Plan
from vtreat_py.report import opening
from vtreat_py.report.card import card
from vtreat_py.report.columns import PlanColumn, plan_columns
from vtreat_py.report.markup import data
from vtreat_py.report.overview import overview
from vtreat_py.report.row import HEAD, TAGS, row
from vtreat_py.report.settings import settings

# A column shows so many levels and scores; of a plan of very many columns it shows fewer, so that
# the page stays one that opens.
_MOST_LEVELS, _FEWEST_LEVELS, _LEVELS_IN_ALL = 20, 5, 6_000
# Intervals of levels are there for the columns that say most.
_INTERVALS_IN_ALL = 250
_MOST_SCORES, _FEWEST_SCORES, _SCORES_IN_ALL = 30, 5, 7_000


def plan_page(plan: Plan) -> str:
    """Write a plan as a page that needs nothing beside itself."""
    columns = plan_columns(plan)
    title = opening.title(plan)
    named = "" if not title.endswith(" ") else data(plan.outcome_name)
    heading = title + (plain(plan.outcome_name) if named else "")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="vtreat_py {escape(plan.version)}">'
        f"<title>{escape(heading)}</title><style>{_file('style.css')}</style>"
        "<noscript><style>.js{display:none!important}"
        '[hidden="until-found"]{display:block!important;content-visibility:visible!important}'
        "</style></noscript>"
        f"</head><body>\n{_header(title, named)}\n<main>"
        f"{opening.sizes(plan)}{opening.outcome(plan)}{opening.notices(plan)}"
        f"{overview(plan, columns)}\n{_list_of_columns(plan, columns)}\n{settings(plan)}"
        f"</main>\n<footer><p>Written by vtreat_py from a plan of version {escape(plan.version)}. "
        "All numbers are of the plan, which holds no rows.</p></footer>"
        f"\n<script>{_file('script.js')}</script></body></html>\n"
    )


def _header(title: str, named: str) -> str:
    """The title, and the switch between light and dark, which a script makes work."""
    return (
        f"<header><h1>{title}{named}</h1>"
        '<button id="theme" class="js" type="button" aria-pressed="false">Dark</button></header>'
    )


def _list_of_columns(plan: Plan, columns: list[PlanColumn]) -> str:
    n_outcomes = max(len(plan.classes), 1)
    n_scored = sum(len(one.scored) for one in columns)
    with_levels = sum(one.statistics is not None for one in columns) or 1
    most_levels = _LEVELS_IN_ALL // (with_levels * n_outcomes)
    most_levels = min(max(most_levels, _FEWEST_LEVELS), _MOST_LEVELS)
    most_scores = _SCORES_IN_ALL // (len(columns) or 1) if n_scored > _SCORES_IN_ALL else n_scored
    most_scores = min(max(most_scores, _FEWEST_SCORES), _MOST_SCORES)
    unscored = " unscored" if plan.outcome_type == "unsupervised" else ""
    longest = max((one.rsq or 0.0 for one in columns), default=0.0) or 1.0
    coded = [one for one in columns if one.statistics is not None and one.statistics.outcomes]
    coded.sort(key=lambda one: -(one.rsq or 0.0))
    sure = {one.place for one in coded[: _INTERVALS_IN_ALL // n_outcomes]}
    rows = "\n".join(
        row(one, card(plan, one, most_levels, most_scores, one.place in sure), longest)
        for one in columns
    )
    return (
        '<section aria-labelledby="columns"><h2 id="columns">Columns</h2>'
        f"{_tools(plan, columns)}"
        f'<table class="columns{unscored}"><caption class="heard">Columns of the plan; the button '
        f"of a column folds out what is known of it</caption>{_head()}\n{rows}</table>"
        '<p class="nothing" hidden>No column is like that.</p></section>'
    )


def _head() -> str:
    """The head of the list: buttons that sort by it, where it can be."""
    cells: list[str] = []
    for name, kind, first in HEAD:
        held = f' class="{kind}"' if kind else ""
        if first:
            held += f' data-first="{first}"'
            name = f'<button type="button">{name}</button>'
        sort = "" if cells else ' aria-sort="ascending"'
        cells.append(f'<th scope="col"{held}{sort}>{name}</th>')
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def _tools(plan: Plan, columns: list[PlanColumn]) -> str:
    """What searches and chooses; hidden where no script runs."""
    chosen = "".join(
        f'<button type="button" data-tag="{tag}" aria-pressed="{str(not tag).lower()}">{name} '
        f"<small>{n:,}</small></button>"
        for tag, name, n in _choices(columns)
    )
    classes = "".join(
        f'<option value="{k}">{escape(plain(one, 40))}</option>'
        for k, one in enumerate(plan.classes)
    )
    picker = (
        '<label>Class <select id="class"><option value="">all, beside each other</option>'
        f"{classes}</select></label>"
        if plan.classes
        else ""
    )
    return (
        '<div class="tools js" role="search"><label>Search <input id="search" type="search" '
        'placeholder="column, variable or level" autocomplete="off" spellcheck="false"></label>'
        f'<div class="chosen" role="group" aria-label="Columns to show">{chosen}</div>{picker}'
        '<button type="button" id="unfold" aria-pressed="false">Unfold all</button>'
        f'<p id="count" role="status">{len(columns):,} of {len(columns):,} columns</p></div>'
    )


def _choices(columns: list[PlanColumn]) -> list[tuple[str, str, int]]:
    """What columns can be chosen by, and how many there are."""
    chosen = [(tag, name, sum(held(one) for one in columns)) for tag, name, held in TAGS]
    return [("", "All", len(columns)), *(one for one in chosen if one[2])]


@cache
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
