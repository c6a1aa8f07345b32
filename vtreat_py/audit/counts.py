"""What an audit needs to know of a frame: sums, whichever engine adds them up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import FrameError
from vtreat_py.frames.levels import Levels


@dataclass(frozen=True, eq=False)
class NumberCounts:
    """Weights of the rows of a numeric column.

    Attributes
    ----------
    bins : ndarray of shape (m + 1,)
        In each bin of the column's `NumberProfile`, the first and the last being open.
    below, above : float
        Smaller than ``low``, and larger than ``high``, of the profile.
    clipped : float
        Outside the collar cuts of the column's treatment.
    bad : float
        Missing, NaN or infinite.
    """

    bins: FloatArray
    below: float
    above: float
    clipped: float
    bad: float


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """Weights of the rows of a categorical column.

    Attributes
    ----------
    known : ndarray of shape (n_levels,)
        Of each level of the design.
    missing : float
    novel : Levels
        Levels that the design has not seen, each with rows.
    of_novel : ndarray of shape (number of novel levels,)
        Of each of those.
    """

    known: FloatArray
    missing: float
    novel: Levels
    of_novel: FloatArray


@dataclass(frozen=True, eq=False)
class FrameCounts:
    """Weights of the rows of a frame: all that an audit knows of it.

    Attributes
    ----------
    n_rows : int
    weight : float
        Sum of the weights of the rows; without weights their number.
    columns : dict from column to NumberCounts or LevelCounts
        For each treated column of the plan, in its order.
    """

    n_rows: int
    weight: float
    columns: dict[Hashable, NumberCounts | LevelCounts]


def no_rows() -> FrameError:
    """Refuse to compare nothing."""
    return FrameError("the frame has no rows; an audit compares rows with those of the design")
