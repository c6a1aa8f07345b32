"""Names, levels and numbers in pages: data are text there, whatever they hold, and never markup."""

from __future__ import annotations

import math
import re
from html import escape
from typing import Any

import numpy as np

# Stands where there is no number.
NOTHING = "\N{EN DASH}"
_SMALLEST_SIG = 1e-300
_LONGEST = 80
_END = 15
_AT_THE_ENDS = re.compile("^ +| +$")
# Numbers from here on, and below here, are written with an exponent.
_LARGE, _SMALL = 1e9, 1e-3
_WHOLE = 1_000


def plain(value: Any, longest: int = _LONGEST) -> str:
    r"""Text as it is, other values as Python writes them; what cannot be seen is written out.

    Examples
    --------
    >>> plain("no\x00thing"), plain(" ends "), plain(""), plain(("a", 1))
    ('no\\x00thing', '␣ends␣', '""', "('a', 1)")
    >>> plain("long" * 1_000, longest=30)
    'longlonglonglo…onglonglonglong'
    """
    text = str(value) if isinstance(value, str | np.generic) else repr(value)
    if len(text) > longest:
        text = f"{text[: longest - _END - 1]}…{text[-_END:]}"
    text = _AT_THE_ENDS.sub(lambda found: "␣" * len(found[0]), visible(text))
    return text or '""'


def visible(text: str) -> str:
    r"""Text in which signs that cannot be seen are written out.

    Examples
    --------
    >>> visible("red\x1b[31m")
    'red\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def safe(value: Any, longest: int = _LONGEST) -> str:
    """The same, to stand in a page."""
    return escape(plain(value, longest))


def p_value(sig: float) -> str:
    """A p-value in two digits; none reads as 0."""
    return f"{sig:.2g}" if sig >= _SMALLEST_SIG else f"< {_SMALLEST_SIG:g}"


def share(part: float) -> str:
    """A share as a percentage; only nothing reads as 0%, and only all as 100%.

    Examples
    --------
    >>> [share(part) for part in (0.0, 0.00001, 0.123, 0.99999, 1.0)]
    ['0%', '<0.1%', '12.3%', '>99.9%', '100%']
    """
    if 0.0 < part < 0.001:
        return "<0.1%"
    if 0.999 < part < 1.0:
        return ">99.9%"
    return f"{100.0 * part:.1f}".removesuffix(".0") + "%"


def number(value: float) -> str:
    """A number in about four digits.

    Examples
    --------
    >>> [number(value) for value in (0.0, 0.00001234, -0.5, 31.25, 12345.6, 1.5e12)]
    ['0', '1.23e-05', '-0.5', '31.25', '12,346', '1.5e+12']
    """
    if math.isnan(value):
        return NOTHING
    size = abs(value)
    if size and not _SMALL <= size < _LARGE:
        return f"{value:.3g}"
    return f"{value:,.0f}" if size >= _WHOLE else f"{value:.4g}"
