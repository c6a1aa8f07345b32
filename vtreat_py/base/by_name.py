"""Functions whose options are given by name, and say so when one is not."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from vtreat_py.base.errors import OptionTypeError

_Function = TypeVar("_Function", bound=Callable[..., Any])


def options_by_name(function: _Function) -> _Function:
    """Leave out of the signature what only takes options given by position, to refuse them."""
    signature = inspect.signature(function)
    shown = [p for p in signature.parameters.values() if p.kind is not p.VAR_POSITIONAL]
    function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return function


def check_by_name(misplaced: tuple[Any, ...], example: str) -> None:
    """Refuse options given by position."""
    if misplaced:
        what = repr(misplaced[0]) if isinstance(misplaced[0], str) else type(misplaced[0]).__name__
        raise OptionTypeError(
            f"{what} is a positional argument; options are given by name: {example}"
        )
