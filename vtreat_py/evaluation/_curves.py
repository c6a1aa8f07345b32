"""What follows from the weights of negative and positive rows by bin of their score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._inputs import near_one

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd

# Terms of a harmonic sum from which on its expansion holds to rounding.
_ONE_BY_ONE = 40
_LEAST = np.finfo(np.float64).tiny
# A share of the rows that is this near to the end of a bin ends there.
_ROUNDING = 1e-12


class Ranking:
    """Bins that hold rows, those of the highest scores first: least score, weight of the rows.

    What is not known of a curve between its points is the order of the rows inside a bin.
    """

    def __init__(self, edges: FloatArray, negative: FloatArray, positive: FloatArray) -> None:
        """From bins that hold rows, in ascending order of their scores."""
        self.threshold, self.negative, self.positive = edges[::-1], negative[::-1], positive[::-1]

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

    def partial_auc_bounds(self, max_fpr: float) -> tuple[float, float, float]:
        """Areas up to a false positive rate: lower steps, straight lines, upper steps."""
        negative, positive = near_one(self.negative)[0], near_one(self.positive)[0]
        if not (negative.any() and positive.any()):
            return np.nan, np.nan, np.nan
        width, rise = negative / negative.sum(), positive / positive.sum()
        start, before = np.cumsum(width) - width, np.cumsum(rise) - rise
        part = np.clip(max_fpr - start, 0.0, width)
        with np.errstate(invalid="ignore"):
            middle = np.where(width > 0, rise * part / width / 2, 0.0)
        return (
            float((part * before).sum()),
            float((part * (before + middle)).sum()),
            float((part * (before + rise)).sum()),
        )

    def average_precision(self) -> float:
        """Mean of precision over the recall gained at each threshold."""
        above = np.cumsum(self.positive)
        precision = above / np.cumsum(self.positive + self.negative)
        return float((precision * self.positive).sum() / above[-1]) if above[-1] else 0.0

    def average_precision_bounds(self, of_units: bool) -> tuple[float, float]:
        """Least and greatest average precision over all orders, and ties, inside bins.

        The greatest: in each bin the positive rows tie before the negative ones. The least: they
        follow them one by one, as rows that weigh 1 (``of_units``) or next to nothing.
        """
        positive, weight = self.positive, self.positive + self.negative
        total = float(positive.sum())
        if not total:
            return 0.0, 0.0
        above, before = np.cumsum(positive) - positive, np.cumsum(weight) - weight
        best = (above + positive) / np.maximum(before + positive, _LEAST)
        after = before + self.negative
        negatives = after - above
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = harmonic_gap(after, positive) if of_units else np.log1p(positive / after)
            worst = positive - np.where(negatives > 0, negatives * gap, 0.0)
        high = float((best * positive).sum() / total)
        return min(float(worst.sum() / total), high), high

    def precision_recall_area(self) -> float:
        """Area under straight lines between the points of precision and recall."""
        recall, precision = self._points("recall"), self._points("precision")
        return float((np.diff(recall) * (precision[1:] + precision[:-1]) / 2).sum())

    def counts(self) -> Counts:
        """Weights of rows by truth and call, with no row called positive and then bin by bin."""
        tp, fp = (np.insert(np.cumsum(v), 0, 0.0) for v in (self.positive, self.negative))
        return Counts(tp, fp, tp[-1] - tp, fp[-1] - fp)

    def at_share(self, share: FloatArray) -> SharesCalled:
        """What is true of shares of all rows, those of the highest scores.

        Rows of the bin in which a share ends are in random order, or in the worst or the best.
        """
        weight = self.negative + self.positive
        stop, above = np.cumsum(weight), np.cumsum(self.positive)
        wanted = share * stop[-1]
        border = np.searchsorted(stop * (1.0 + _ROUNDING), wanted)
        border = np.minimum(border, len(stop) - 1)
        before = above[border] - self.positive[border]
        inside = np.minimum(wanted - (stop[border] - weight[border]), weight[border])
        return SharesCalled(
            threshold=self.threshold[border],
            called=wanted,
            tp=before + self.positive[border] * (inside / weight[border]),
            tp_low=before + np.maximum(inside - self.negative[border], 0.0),
            tp_high=before + np.minimum(inside, self.positive[border]),
        )

    @property
    def positives(self) -> float:
        """Weight of the positive rows."""
        return float(self.positive.sum())

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float((self.negative + self.positive).sum())

    def curve(self, *names: str) -> pd.DataFrame:
        """Columns of these names by threshold: a row for no row called positive, then one a bin."""
        return frame(
            threshold=np.insert(self.threshold, 0, np.inf),
            **{name: self._points(name) for name in names},
        )

    def _points(self, name: str) -> FloatArray:
        weight = self.negative + self.positive
        if name == "fpr":
            return _shares(self.negative)
        if name == "population":
            return _shares(weight)
        if name == "precision":
            return np.insert(np.cumsum(self.positive) / np.cumsum(weight), 0, 1.0)
        if name == "lift":
            with np.errstate(invalid="ignore"):
                return _shares(self.positive) / _shares(weight)
        return _shares(self.positive)  # tpr, recall, gain


class SharesCalled(NamedTuple):
    """What comes of calling shares of all rows positive, as arrays of one value a share."""

    threshold: FloatArray
    called: FloatArray
    tp: FloatArray
    tp_low: FloatArray
    tp_high: FloatArray


def harmonic_gap(start: FloatArray, n: FloatArray) -> FloatArray:
    """Sum 1 / (start + i) for i = 1 to n, without going through them (Euler and Maclaurin)."""
    direct = np.arange(1.0, _ONE_BY_ONE + 1)
    near = start < _ONE_BY_ONE
    added = np.zeros_like(start)
    terms = np.where(direct <= n[near, None], 1 / (start[near, None] + direct), 0.0)
    added[near] = terms.sum(axis=1)
    done = np.where(near, np.minimum(n, _ONE_BY_ONE), 0.0)
    low = start + done + 0.5
    high = low + (n - done)
    return np.asarray(
        added
        + np.log1p((n - done) / low)
        + (high**-2 - low**-2) / 24
        - (high**-4 - low**-4) * 7 / 960
        + (high**-6 - low**-6) * 31 / 8064
    )


def _shares(weight: FloatArray) -> FloatArray:
    """Shares of the whole up to each bin, from 0; NaN where the whole is 0."""
    total = np.insert(np.cumsum(weight), 0, 0.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / total[-1])


def frame(**columns: Any) -> pd.DataFrame:
    """Columns as a DataFrame."""
    import pandas as pd

    return pd.DataFrame(columns)
