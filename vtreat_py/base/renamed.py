"""Parameters that have another name now: the old one is taken for one more release."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

from vtreat_py.base.errors import OptionTypeError
from vtreat_py.base.warn import warn

_Function = TypeVar("_Function", bound=Callable[..., Any])


def renamed(**new_names: str) -> Callable[[_Function], _Function]:
    """Take options by their old names, too, with a ``FutureWarning``.

    Parameters
    ----------
    **new_names
        The new name of each old one: ``@renamed(rng="random_state")``.

    Returns
    -------
    callable
        A decorator of functions and methods. Signatures show new names only.

    Examples
    --------
    >>> @renamed(colour="color")
    ... def paint(*, color="red"):
    ...     return color
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     paint(colour="blue")
    'blue'
    >>> print(said[0].message)
    paint: colour is called color now; the old name is taken for one more release
    """

    def decorate(function: _Function) -> _Function:
        def current(options: dict[str, Any]) -> dict[str, Any]:
            for old in [name for name in new_names if name in options]:
                new = new_names[old]
                if new in options:
                    raise OptionTypeError(f"{old} is the old name of {new}; give {new} alone")
                warn(
                    f"{function.__name__}: {old} is called {new} now; the old name is taken for "
                    "one more release",
                    FutureWarning,
                )
                options[new] = options.pop(old)
            return options

        def call(*given: Any, **options: Any) -> Any:
            return function(*given, **current(options))

        # With the names of the function's own module around it, where doctest looks for examples.
        around = cast("FunctionType", function).__globals__
        at_home = FunctionType(call.__code__, around, call.__name__, None, call.__closure__)
        return cast("_Function", update_wrapper(at_home, function))

    return decorate
