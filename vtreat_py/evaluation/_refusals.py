"""What others refuse, in the words of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, VtreatError

_LONGEST = 80
_LONGEST_REASON = 240


def shortened(text: str, longest: int = _LONGEST_REASON) -> str:
    """The beginning of a text, for messages."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}... ({len(text):,} characters)"


def shown(value: Any) -> str:
    """A value, for messages."""
    try:
        return shortened(" ".join(repr(value).split()), _LONGEST)
    except Exception:  # a repr may do anything
        return f"a {type(value).__name__}"


@contextmanager
def refused_as(message: str) -> Iterator[None]:
    """Raise an error of this package where another package raises its own; it says the reason."""
    try:
        yield
    except VtreatError:
        raise
    except Exception as reason:
        said = next(iter(str(reason).strip().splitlines()), "") or type(reason).__name__
        kind = OptionTypeError if isinstance(reason, TypeError) else InvalidOptionError
        raise kind(f"{message}: {shortened(said)}") from reason
