"""What follows from the weights of negative and positive rows by bin of their score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.evaluation._inputs import near_one

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd


class Ranking:
    """Bins that hold rows, those of the highest scores first: least score, weight of the rows."""

    def __init__(self, edges: FloatArray, negative: FloatArray, positive: FloatArray) -> None:
        """From all bins, in ascending order of their scores."""
        held = np.flatnonzero(negative + positive)[::-1]
        self.threshold, self.negative, self.positive = edges[held], negative[held], positive[held]

    def auc_bounds(self) -> tuple[float, float]:
        """Areas under the lower and the upper steps of the curve; NaN if there is one class only.

        In the worst case all rows of a bin are in the wrong order, in the best all in the right.
        """
        negative, positive = near_one(self.negative)[0], near_one(self.positive)[0]
        above = np.cumsum(positive)
        pairs = above[-1] * negative.sum()
        if not pairs:
            return np.nan, np.nan
        low = float((negative * (above - positive)).sum() / pairs)
        return low, float((negative * above).sum() / pairs)

    def average_precision(self) -> float:
        """Mean of precision over the recall gained at each threshold."""
        above = np.cumsum(self.positive)
        precision = above / np.cumsum(self.positive + self.negative)
        return float((precision * self.positive).sum() / above[-1]) if above[-1] else 0.0

    def curve(self, *names: str) -> pd.DataFrame:
        """Columns of these names by threshold: a row for no row called positive, then one a bin."""
        weight = self.negative + self.positive
        fpr, tpr, population = map(_shares, (self.negative, self.positive, weight))
        with np.errstate(invalid="ignore"):
            lift = tpr / population
        precision = np.cumsum(self.positive) / np.cumsum(weight)
        columns = {
            "threshold": np.insert(self.threshold, 0, np.inf),
            "fpr": fpr,
            "tpr": tpr,
            "precision": np.insert(precision, 0, 1.0),
            "recall": tpr,
            "population": population,
            "gain": tpr,
            "lift": lift,
        }
        return _frame(**{name: columns[name] for name in ("threshold", *names)})


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
    with np.errstate(over="ignore", invalid="ignore"):  # of scores that are infinite, or nearly
        weight, positive, sums = (np.add.reduceat(v, starts) for v in (weight, positive, sums))
    return _frame(weight=weight, mean_score=sums / weight, positive_rate=positive / weight)


def _shares(weight: FloatArray) -> FloatArray:
    """Shares of the whole up to each bin, from 0; NaN where the whole is 0."""
    total = np.insert(np.cumsum(weight), 0, 0.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / total[-1])


def _frame(**columns: Any) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns)
