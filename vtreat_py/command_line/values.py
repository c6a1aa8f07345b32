"""What is written behind an option, as the value it stands for."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import Any

# Text in double quotes, in which a quote is written twice; or what is no sign and no quote.
_PIECE = r'(?:"(?:[^"]|"")*"|[^"{sign}])*'


def names(text: str) -> list[str]:
    """Read names with commas between them; one that holds a comma is in double quotes.

    Examples
    --------
    >>> names('town,"price, net",id')
    ['town', 'price, net', 'id']
    """
    return [_bare(one) for one in _split(text, ",")]


def composites(text: str) -> list[tuple[str, ...]]:
    """Read columns that go together.

    Examples
    --------
    >>> composites('town:shop,zip:"at 8:00"')
    [('town', 'shop'), ('zip', 'at 8:00')]
    """
    return [tuple(_bare(name) for name in _split(one, ":")) for one in _split(text, ",")]


def pairs(text: str) -> list[tuple[str, str]]:
    """Read names and what they have.

    Examples
    --------
    >>> pairs("zip=county,county=state")
    [('zip', 'county'), ('county', 'state')]
    """
    found = [tuple(map(_bare, _split(one, "="))) for one in _split(text, ",")]
    wrong = [one for one in found if len(one) != 2]
    if wrong:
        raise ArgumentTypeError(f"{text!r}: write NAME=VALUE, with commas between several")
    return found  # type: ignore[return-value]


def sign(text: str) -> str:
    r"""Read what is between fields; a tab may be written as ``\t``."""
    if text == r"\t":
        return "\t"
    if len(text) != 1 or not text.isascii() or text in '\r\n"\0':
        raise ArgumentTypeError(f"{text!r} is not one sign, such as ; or | or \\t for a tab")
    return text


def number(text: str) -> float:
    """Read a number, a whole one as such."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number") from None


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None


def number_or_word(text: str) -> float | str | None:
    """Read a number, a word, or "none"."""
    try:
        return number(text)
    except ArgumentTypeError:
        return none_or_word(text)


def none_or_word(text: str) -> str | None:
    """Read a word; "none" is None."""
    return None if text == "none" else text


def calendar(text: str) -> Any:
    """Read parts of dates, "auto" or "none"."""
    return none_or_word(text) if text in ("auto", "none") else names(text)


def table_name(text: str) -> str | list[str]:
    """Read the name of a table of a database, in parts; a query or reference stays as it is.

    Examples
    --------
    >>> table_name('shop."visits.2024"')
    ['shop', 'visits.2024']
    """
    if re.match(r"\s*(\(|\{\{|(select|with|values|from)\s)", text, re.IGNORECASE):
        return text
    return [_bare(part) for part in _split(text, ".")]


def _split(text: str, sign: str) -> list[str]:
    """Split at a sign that is not in quotes."""
    piece = _PIECE.format(sign=re.escape(sign))
    if not re.fullmatch(f"{piece}(?:{re.escape(sign)}{piece})*", text):
        raise ArgumentTypeError(f"{text!r}: a double quote is not closed")
    found, start = [], 0
    while True:
        match = re.compile(piece).match(text, start)
        assert match is not None
        found.append(match[0])
        start = match.end() + 1
        if start > len(text):
            return found


def _bare(text: str) -> str:
    """Take quotes off, and refuse what is empty."""
    bare = text
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        bare = text[1:-1].replace('""', '"')
    if not text:
        raise ArgumentTypeError("a name is empty")
    return bare
