"""Plans and frames compared field by field, with the first difference in words."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from vtreat_py.frames.levels import Levels

# rsq and p-values of regressions come from differences of deviances, which are sums over rows.
_OF_SCORES = ("rsq", "sig")
# A digest of the training rows, which a plan made elsewhere does not have.
_NOT_COMPARED = ("sample", "marks", "hints")


_CLOSE = 1e-12


@dataclass(frozen=True)
class _Exact:
    """Codes whose numbers agree to the bit, but for p-values of parts of dates.

    Those rest on the trend along the dates, which is a sum over rows.
    """

    codes: tuple[str, ...]
    parts: tuple[Any, ...]
    number: float = _CLOSE
    sig: float = _CLOSE

    def of(self, one: Any) -> _Exact:
        """The same with the tolerances for what one part of a plan holds."""
        if getattr(one, "code", None) not in self.codes:
            return self
        column = getattr(one, "orig_variable", None) or getattr(one, "column", None)
        return replace(self, number=0.0, sig=_CLOSE if column in self.parts else 0.0)


def assert_same_plan(found: Any, expected: Any, exact: tuple[str, ...] = ()) -> None:
    """Two plans agree to 1e-12 relative; numbers of variables of codes ``exact`` to the bit."""
    parts = tuple(part.name for part in expected.made)
    difference = _difference(found, expected, "plan", _Exact(exact, parts))
    assert difference is None, difference


def _difference(found: Any, expected: Any, path: str, exact: _Exact) -> str | None:
    if is_dataclass(expected) and not isinstance(expected, Levels):
        exact = exact.of(expected)
        pairs = [
            (getattr(found, f.name), getattr(expected, f.name), f".{f.name}")
            for f in fields(expected)
            if f.name not in _NOT_COMPARED
        ]
    elif isinstance(expected, dict):
        if list(found) != list(expected):
            return f"{path}: {list(found)} is not {list(expected)}"
        pairs = [(found[k], v, f"[{k!r}]") for k, v in expected.items()]
    elif isinstance(expected, tuple | list):
        if len(found) != len(expected):
            return f"{path}: {found} is not {expected}"
        pairs = [(f, e, f"[{i}]") for i, (f, e) in enumerate(zip(found, expected, strict=True))]
    elif isinstance(expected, float | np.ndarray):
        tolerance = exact.sig if path.endswith(".sig") else exact.number
        return _number_difference(found, expected, path, tolerance)
    else:
        return None if found == expected else f"{path}: {found!r} is not {expected!r}"
    for ours, theirs, step in pairs:
        difference = _difference(ours, theirs, path + step, exact)
        if difference is not None:
            return difference
    return None


def _number_difference(found: Any, expected: Any, path: str, tolerance: float) -> str | None:
    ours, theirs = np.asarray(found), np.asarray(expected)
    if ours.shape != theirs.shape:
        return f"{path}: shape {ours.shape} is not {theirs.shape}"
    least = 1e-10 if path.endswith(_OF_SCORES) and tolerance else 0.0
    if path.endswith(".mean") and tolerance:  # that of impact codes is 0, but for rounding
        least = 1e-13
    close = np.isclose(ours, theirs, rtol=tolerance, atol=least, equal_nan=True)
    if close.all():
        return None
    i = np.flatnonzero(~np.atleast_1d(close))[0]
    return f"{path}, place {i}: {np.ravel(ours)[i]!r} is not {np.ravel(theirs)[i]!r}"
