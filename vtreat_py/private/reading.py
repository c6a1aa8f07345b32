"""Columns read in silence: warnings and errors quote what rows hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from vtreat_py.base.errors import InvalidOptionError, VtreatError, VtreatWarning

T = TypeVar("T")


def read_quietly(read: Callable[[], T], otherwise: str) -> T:
    """Read something; ``otherwise`` is the error if it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VtreatWarning)
            return read()
    except VtreatError:
        raise InvalidOptionError(otherwise) from None
