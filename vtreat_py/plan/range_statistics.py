"""What a design saw of the outcome along a number: in each range of its profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders.shape_code import believed, log_odds
from vtreat_py.statistics.number_profile import NumberProfile


@dataclass(frozen=True, eq=False)
class RangeOutcome:
    """The outcome in each range of a column.

    Attributes
    ----------
    target : object
        The class it is about, of several; None: the outcome.
    mean : ndarray of shape (n_ranges + 1,)
        Mean of y (rate of the target) in each range, and where values are bad; 0 without rows.
    within : ndarray of shape (n_ranges + 1,) or None
        Variance of y about these means; None for a class, where it follows from the rates.
    """

    target: Any
    mean: FloatArray
    within: FloatArray | None

    def __post_init__(self) -> None:
        for array in (self.mean, self.within):
            if array is not None:
                array.setflags(write=False)

    def mean_error(self, count: FloatArray, overall: float) -> FloatArray:
        """Standard error of the means of rows of these weights; NaN where one row tells none."""
        rows = np.where(count > 0, count, 1.0)
        if self.within is None:
            rate = self.believed(count, overall)
            return np.where(count > 0, np.sqrt(rate * (1.0 - rate) / rows), np.nan)
        several = count > 1
        with np.errstate(over="ignore"):  # a large variance over a tiny weight
            variance = self.within / np.where(several, count - 1.0, 1.0)
        return np.where(several, np.sqrt(variance), np.nan)

    def effect(self, count: FloatArray, overall: float) -> FloatArray:
        """How far the outcome is from that of all rows; of a class in log odds."""
        if self.within is None:
            apart = log_odds(self.believed(count, overall)) - log_odds(np.array(overall))
        else:
            apart = self.mean - overall
        return np.where(count > 0, apart, np.nan)

    def believed(self, count: FloatArray, overall: float) -> FloatArray:
        """Rates with one row more that is like all rows."""
        return believed(self.mean, np.array(overall), count)


@dataclass(frozen=True, eq=False)
class RangeStatistics:
    """The ranges of a column's profile, with their weights and the outcome in them.

    Attributes
    ----------
    count : ndarray of shape (n_ranges + 1,)
        Weight of each range over all rows, and of the rows without a good value.
    outcomes : tuple of RangeOutcome
        One; with several classes one for each of them.
    """

    count: FloatArray
    outcomes: tuple[RangeOutcome, ...]

    def __post_init__(self) -> None:
        self.count.setflags(write=False)

    def overall(self, outcome: RangeOutcome) -> float:
        """Mean of y (rate of the target) over all rows."""
        share = self.count / self.count.sum()
        return float(share @ outcome.mean)

    def effects(self, outcome: RangeOutcome, profile: NumberProfile) -> pd.DataFrame:
        """Put the ranges beside one of the outcomes; `TreatmentPlan.number_effects`."""
        count, overall = self.count, self.overall(outcome)
        table = pd.DataFrame(
            {
                "low": np.concatenate([[profile.low], profile.edges, [np.nan]]),
                "high": np.concatenate([profile.edges, [profile.high], [np.nan]]),
                "kind": pd.Series(["range"] * (len(count) - 1) + ["bad"], dtype=object),
                "count": count,
                "mean": np.where(count > 0, outcome.mean, np.nan),
                "mean_se": outcome.mean_error(count, overall),
                "effect": outcome.effect(count, overall),
            }
        )
        return table if count[-1] > 0 else table[:-1]
