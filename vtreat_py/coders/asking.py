"""Calling functions of the user's: what they return is checked, errors say where it was."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray, unmasked
from vtreat_py.base.errors import InvalidOptionError, VtreatError, listed
from vtreat_py.outcome.reading import GREATEST_NUMBER

# Codes must vary by more than rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Asked:
    """What a coder of the user's is asked for.

    Attributes
    ----------
    coder : str
    column : hashable
    fold : int or None
        The fold whose training rows it gets, or None for all rows.
    """

    coder: str
    column: Hashable
    fold: int | None

    def __str__(self) -> str:
        rows = "all rows" if self.fold is None else f"the training rows of fold {self.fold}"
        return f"custom_coders[{self.coder!r}] of column {self.column!r}, asked on {rows},"

    def call(self, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Call a function."""
        try:
            return function(*given, **options)
        except VtreatError:
            raise
        except Exception as reason:
            raise InvalidOptionError(
                f"{self} failed: {type(reason).__name__}: {reason}"
            ) from reason

    def numbers(self, found: Any, length: int, what: str) -> FloatArray:
        """Check what was returned: so many finite numbers, one for each of ``what``."""
        expected = f"it must return one finite number for each of {length} {what}"
        if isinstance(found, pd.Series) and not found.index.equals(pd.RangeIndex(len(found))):
            raise InvalidOptionError(
                f"{self} returned a Series with an index of its own, which starts "
                f"{listed(list(found.index[:3]))}; {expected}, in the order of what it was given: "
                "with the index 0, 1, 2 and so on, or as an array, such as by to_numpy()"
            )
        try:
            numbers = unmasked(found)
            if numbers.dtype.kind not in "biuf":
                numbers = numbers.astype(object).astype(np.float64)
        except (TypeError, ValueError) as reason:
            kind = type(found).__name__
            raise InvalidOptionError(
                f"{self} returned a {kind} that is no array of numbers; {expected}"
            ) from reason
        if numbers.shape != (length,):
            raise InvalidOptionError(
                f"{self} returned an array of shape {numbers.shape}; {expected}"
            )
        numbers = numbers.astype(np.float64)
        off = np.flatnonzero(~(np.abs(numbers) <= GREATEST_NUMBER))
        if len(off):
            raise InvalidOptionError(
                f"{self} returned {numbers[off[0]]} at place {off[0]}; {expected}, none beyond "
                f"{GREATEST_NUMBER:g}"
            )
        return numbers

    @property
    def declined(self) -> str:
        """Why there is no code, where a function returned None."""
        return f"custom_coders[{self.coder!r}] returned None, so that there is no such code of it"


def vary(codes: FloatArray) -> bool:
    """Whether codes differ by more than rounding."""
    return bool(codes.max() - codes.min() > _ROUNDING * np.abs(codes).max())
