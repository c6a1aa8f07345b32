"""What follows from the weights of negative and positive rows by bin of their score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vtreat_py.base.arrays import FloatArray

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Ranking:
    """Bins that hold rows, those of the highest scores first.

    Attributes
    ----------
    threshold : ndarray, shape (n_bins,)
        The least score of each bin.
    negative, positive : ndarray, shape (n_bins,)
        Weight of its rows.
    """

    threshold: FloatArray
    negative: FloatArray
    positive: FloatArray

    @classmethod
    def of(cls, edges: FloatArray, negative: FloatArray, positive: FloatArray) -> Ranking:
        """From all bins, in ascending order of their scores."""
        held = np.flatnonzero(negative + positive)[::-1]
        return cls(edges[held], negative[held], positive[held])

    def auc_bounds(self) -> tuple[float, float]:
        """Areas under the lower and the upper steps of the curve; NaN if there is one class only.

        In the worst case all rows of a bin are in the wrong order, in the best all in the right.
        """
        above = np.cumsum(self.positive)
        pairs = above[-1] * self.negative.sum()
        if not pairs:
            return np.nan, np.nan
        low = float((self.negative * (above - self.positive)).sum() / pairs)
        return low, float((self.negative * above).sum() / pairs)

    def average_precision(self) -> float:
        """Mean of precision over the recall gained at each threshold."""
        above = np.cumsum(self.positive)
        precision = above / np.cumsum(self.positive + self.negative)
        return float((precision * self.positive).sum() / above[-1]) if above[-1] else 0.0

    def roc_curve(self) -> pd.DataFrame:
        return _frame(
            threshold=_and_before(self.threshold, np.inf),
            fpr=_shares(self.negative),
            tpr=_shares(self.positive),
        )

    def precision_recall_curve(self) -> pd.DataFrame:
        called = np.cumsum(self.negative + self.positive)
        return _frame(
            threshold=_and_before(self.threshold, np.inf),
            precision=_and_before(np.cumsum(self.positive) / called, 1.0),
            recall=_shares(self.positive),
        )

    def gain_curve(self) -> pd.DataFrame:
        population, gain = _shares(self.negative + self.positive), _shares(self.positive)
        with np.errstate(invalid="ignore"):
            lift = gain / population
        return _frame(
            threshold=_and_before(self.threshold, np.inf),
            population=population,
            gain=gain,
            lift=lift,
        )


def at_most(bound: float) -> str:
    """Write a bound with two digits, rounded up."""
    if not bound:
        return "0"
    digit = 10.0 ** (np.floor(np.log10(bound)) - 1)
    return f"{np.ceil(bound / digit) * digit:.2g}"


def calibration(weight: FloatArray, positive: FloatArray, sums: FloatArray, n: int) -> pd.DataFrame:
    """Group bins, in ascending order of their scores, to ``n`` groups of like weight."""
    held = np.flatnonzero(weight)
    weight, positive, sums = weight[held], positive[held], sums[held]
    middle = np.cumsum(weight) - weight / 2
    group = np.minimum((n * middle / weight.sum()).astype(int), n - 1)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    weight, positive, sums = (np.add.reduceat(v, starts) for v in (weight, positive, sums))
    return _frame(weight=weight, mean_score=sums / weight, positive_rate=positive / weight)


def _shares(weight: FloatArray) -> FloatArray:
    """Shares of the whole up to each bin, from 0; NaN where the whole is 0."""
    total = _and_before(np.cumsum(weight), 0.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / total[-1])


def _and_before(values: FloatArray, first: float) -> FloatArray:
    return np.concatenate([[first], values])


def _frame(**columns: Any) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns)
