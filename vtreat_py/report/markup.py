"""Elements of the page that several of its parts use."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from vtreat_py.base.markup import plain

# Of what is shortened, so much is there for a pointer that rests on it.
_HELD = 400


def data(value: Any, longest: int = 60) -> str:
    """A name or a level: text that keeps its own direction, and that the search finds."""
    shown, whole = plain(value, longest), plain(value, _HELD)
    held = f' title="{escape(whole)}"' if shown != whole else ""
    return f"<bdi{held}>{escape(shown)}</bdi>"


def names(values: Iterable[Any], most: int = 12) -> str:
    """The first few of several names, and how many there are beside them."""
    every = list(values)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(f"<code>{data(one)}</code>" for one in every[:most]) + more


def cell(content: str, kind: str = "", held: str = "") -> str:
    """A cell of a table."""
    return f"<td{_class(kind)}{held}>{content}</td>"


def above(content: str, kind: str = "", held: str = "") -> str:
    """What stands above a column of a table."""
    return f'<th scope="col"{_class(kind)}{held}>{content}</th>'


def head(*cells: str) -> str:
    """The head of a table."""
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def of_class(place: int) -> str:
    """Marks what is of one of several classes, to be hidden where another one is chosen."""
    return f' data-k="{place}"'


def fold(title: str, content: str, kind: str = "") -> str:
    """Something that is folded away under its title."""
    return f"<details{_class(kind)}><summary>{title}</summary>{content}</details>"


def pairs(told: Iterable[tuple[str, str]]) -> str:
    """Facts, each with its name."""
    return f"<dl>{''.join(f'<div><dt>{n}</dt><dd>{v}</dd></div>' for n, v in told)}</dl>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
