"""The columns a transformer was fitted on, and whether another frame has them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.errors import FrameError, SchemaError
from vtreat_py.base.warn import warn
from vtreat_py.frames.frame import InputFrame


@dataclass(frozen=True)
class FittedColumns:
    """What scikit-learn calls the features seen in fit.

    Attributes
    ----------
    owner : str
        Name of the transformer's class, for messages.
    columns : tuple of hashable
        Names of the columns, without those in ``aside``.
    aside : tuple of hashable
        Columns of the frame that were given as outcome, weights, groups or folds.
    from_array : bool
        Whether the names stand for places in an array.
    by_name : bool
        Whether the columns to treat were named one by one: then others do not matter.
    """

    owner: str
    columns: tuple[Hashable, ...]
    aside: tuple[Hashable, ...]
    from_array: bool
    by_name: bool

    @property
    def names(self) -> list[str] | None:
        """The names, when all are text and none stands for a place in an array."""
        return None if self.from_array else _text(self.columns)

    def found_in(self, source: InputFrame) -> InputFrame:
        """Return a frame with the fitted columns, under the names they had.

        Raises
        ------
        SchemaError
            If the number of columns differs, or their names or order do.
        """
        columns = tuple(c for c in source.columns if c not in self.aside)
        if self.by_name and not self.from_array and not source.is_array:
            return source  # the plan asks for the columns it needs
        names = self.names
        if names is not None and not source.is_array and columns != self.columns:
            raise SchemaError(_differences(columns, self.columns))
        if len(columns) != len(self.columns):
            raise SchemaError(
                f"X has {len(columns)} features, but {self.owner} is expecting "
                f"{len(self.columns)} features as input"
            )
        if self.from_array == source.is_array:
            return source
        fitted = f"but {self.owner} was fitted"
        if names is not None:
            warn(f"X does not have valid feature names, {fitted} with feature names", UserWarning)
        elif _text(columns) is not None and self.from_array:
            warn(f"X has feature names, {fitted} without feature names", UserWarning)
        return source.renamed(self.columns)

    def checked_names(self, given: Any) -> list[str]:
        """Check that the names of the input that a caller states are those seen in fit."""
        listed = np.asarray(given, dtype=object).tolist()
        if self.names is not None and listed != self.names:
            raise FrameError("input_features is not equal to feature_names_in_")
        if len(listed) != len(self.columns):
            raise FrameError(
                "input_features should have length equal to number of features "
                f"({len(self.columns)}), got {len(listed)}"
            )
        return [str(name) for name in listed]


def _text(columns: Sequence[Hashable]) -> list[str] | None:
    names = [c for c in columns if isinstance(c, str)]
    return names if len(names) == len(columns) else None


def _differences(found: tuple[Hashable, ...], fitted: tuple[Hashable, ...]) -> str:
    """Say in scikit-learn's words how the columns differ."""
    message = "The feature names should match those that were passed during fit.\n"
    unseen = sorted(str(c) for c in found if c not in fitted)
    missing = sorted(str(c) for c in fitted if c not in found)
    if unseen:
        message += "Feature names unseen at fit time:\n" + _bullets(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    if missing:
        return message + "Add the missing columns; missing values will do"
    return message + (
        "To pick columns by name, in any order and among others, use prepare(treatment.plan_, X), "
        "or fit with variables="
    )


def _bullets(names: list[str]) -> str:
    return "".join(f"- {name}\n" for name in names)
