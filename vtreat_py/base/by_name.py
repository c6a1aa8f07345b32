"""Functions whose options are given by name, and say so when one is not."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from vtreat_py.base.errors import OptionTypeError

_Function = TypeVar("_Function", bound=Callable[..., Any])


def options_by_name(example: str) -> Callable[[_Function], _Function]:
    """Refuse options given by position; ``example`` says how to give them."""

    def checked(function: _Function) -> _Function:
        parameters = inspect.signature(function).parameters.values()
        n_allowed = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)

        @functools.wraps(function)
        def called(*given: Any, **options: Any) -> Any:
            if len(given) > n_allowed:
                raise _misplaced(given[n_allowed], example)
            return function(*given, **options)

        return cast("_Function", called)

    return checked


def _misplaced(value: Any, example: str) -> OptionTypeError:
    what = repr(value) if isinstance(value, str) else type(value).__name__
    return OptionTypeError(f"{what} is a positional argument; options are given by name: {example}")
