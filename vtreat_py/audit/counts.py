"""What an audit needs to know of a frame: sums, whichever engine adds them up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import FrameError
from vtreat_py.frames.levels import Levels
from vtreat_py.statistics.outcome_sums import sum_by


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
class LevelTally:
    """The rows of a categorical column by level, whether the design has seen it or not.

    Attributes
    ----------
    levels : Levels
    rows, weight : ndarray of shape (n_levels + 1,)
        Number of rows of each level and of missing values, and the sum of their weights.
    """

    levels: Levels
    rows: FloatArray
    weight: FloatArray

    @classmethod
    def of_missing(cls, n_rows: float, weight: float) -> LevelTally:
        """Tally a column of missing values only."""
        return cls(Levels.of([]), np.array([n_rows]), np.array([weight]))


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

    @classmethod
    def of(cls, known: Levels, tally: LevelTally) -> LevelCounts:
        """Tell levels that the design knows from others."""
        code, weight = known.codes_of_levels(tally.levels), tally.weight[:-1]
        is_known = code < known.missing
        novel = np.flatnonzero((code == known.novel) & (weight > 0))
        return cls(
            sum_by(code[is_known], weight[is_known], len(known)),
            float(tally.weight[-1]),
            tally.levels.take(novel),
            weight[novel],
        )


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
