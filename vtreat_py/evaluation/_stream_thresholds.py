"""Thresholds that are found: the best by a score, by cost, or by the share called positive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._curves import frame
from vtreat_py.evaluation._formulas import Counts
from vtreat_py.evaluation._inputs import one_or_several
from vtreat_py.evaluation._refusals import shown
from vtreat_py.evaluation._stream_base import Tallied
from vtreat_py.evaluation._thresholds import Costs, best_place

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd


class FindsThresholds(Tallied):
    """Scores at all thresholds that bins tell apart."""

    def by_threshold(self) -> pd.DataFrame:
        """Scores at the least score of each bin that holds rows.

        Returns
        -------
        DataFrame
            Columns as of :meth:`fixed`; rows as of :meth:`roc_curve`: the highest scores first,
            after a row for no row called positive, whose threshold is infinite.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.by_threshold()[["threshold", "tp", "fp", "recall"]]
           threshold  tp  fp  recall
        0        inf   0   0     0.0
        1      0.750   1   0     0.5
        2      0.500   1   1     0.5
        3      0.250   2   1     1.0
        4      0.125   2   2     1.0
        """
        from vtreat_py.evaluation.scores import confusion_scores

        ranking = self._ranking()
        counts = self._of_rows(ranking.counts())
        table = frame(threshold=np.insert(ranking.threshold, 0, np.inf), **counts._asdict())
        return table.join(confusion_scores(*counts))

    def best_threshold(self, metric: str = "f1") -> pd.Series[Any]:
        """Find the threshold at which a score is best, among those of :meth:`by_threshold`.

        What is best on these rows is, by chance, a little too good: use it on others.

        Parameters
        ----------
        metric : str, default="f1"
            A score of :func:`confusion_scores`. The greatest is best, but of "error_rate", "fpr",
            "fnr", "false_discovery_rate", "false_omission_rate" and "negative_likelihood_ratio"
            the least.

        Returns
        -------
        Series
            The row of :meth:`by_threshold`; of several that are as good, the one with the highest
            threshold.

        Raises
        ------
        InvalidOptionError
            If the score is unknown, is not a matter of thresholds ("prevalence",
            "detection_prevalence"), or is defined at none of them.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.best_threshold()[["threshold", "recall", "f1"]].tolist()
        [0.25, 1.0, 0.8]
        """
        table = self.by_threshold()
        return table.iloc[best_place(metric, Counts(*(table[name] for name in Counts._fields)))]

    def cost(
        self,
        *,
        false_positive: float = 1.0,
        false_negative: float = 1.0,
        true_positive: float = 0.0,
        true_negative: float = 0.0,
    ) -> pd.DataFrame:
        """Sum what the calls at the thresholds cost.

        Parameters
        ----------
        false_positive, false_negative : float, default=1.0
            Cost of one row (of weight 1), in any unit; a gain is negative.
        true_positive, true_negative : float, default=0.0

        Returns
        -------
        DataFrame
            One row a threshold: ``threshold``, ``cost`` (of all rows) and ``mean_cost`` (of one).

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If a cost is not a finite number.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.cost(false_negative=5)
           threshold  cost  mean_cost
        0        0.5   6.0        1.5
        """
        tally = self._counted()
        costs = Costs.checked(
            true_positive=true_positive,
            false_positive=false_positive,
            false_negative=false_negative,
            true_negative=true_negative,
        ).of(Counts(*tally.confusion))
        return frame(threshold=tally.thresholds, cost=costs, mean_cost=costs / tally.total)

    def least_cost(
        self,
        *,
        false_positive: float = 1.0,
        false_negative: float = 1.0,
        true_positive: float = 0.0,
        true_negative: float = 0.0,
    ) -> pd.Series[Any]:
        """Find the threshold, among those of :meth:`by_threshold`, at which calls cost least.

        Where scores are the chances of being positive, that is, up to chance, the threshold
        (FP - TN) / (FP - TN + FN - TP), in the costs' initials (C. Elkan, "The Foundations of
        Cost-Sensitive Learning", IJCAI 2001).

        Parameters
        ----------
        false_positive, false_negative : float, default=1.0
            Cost of one row (of weight 1), in any unit; a gain is negative.
        true_positive, true_negative : float, default=0.0

        Returns
        -------
        Series
            ``cost`` (of all rows), ``mean_cost`` (of one), and the row of :meth:`by_threshold`; of
            several that are as good, the one with the highest threshold.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If a cost is not a finite number.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.least_cost(false_negative=5)[["threshold", "cost"]].tolist()
        [0.25, 1.0]
        """
        table = self.by_threshold()
        costs = Costs.checked(
            true_positive=true_positive,
            false_positive=false_positive,
            false_negative=false_negative,
            true_negative=true_negative,
        ).of(Counts(*(table[name].to_numpy(np.float64) for name in Counts._fields)))
        table.insert(0, "cost", costs)
        table.insert(1, "mean_cost", costs / self._tally.total)
        return table.iloc[int(np.argmin(costs))]

    def at_share(self, share: float | Iterable[float]) -> pd.DataFrame:
        """Say what comes of calling a share of all rows positive, those of the highest scores.

        The share is met exactly: rows of the bin in which it ends are called in random order, of
        which counts are the mean. With n rows of weight 1, a share of 10 / n calls the first ten.

        Parameters
        ----------
        share : float or sequence of float
            Shares of the rows, by weight: above 0, and 1 at most.

        Returns
        -------
        DataFrame
            One row a share: ``share``, ``threshold`` (the least score of the bin in which it ends),
            ``tp``, ``fp``, ``fn``, ``tn``, ``precision``, ``recall``, ``lift``; and ``tp_low`` and
            ``tp_high``, between which the true positives are, in whatever order the rows are.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If a share is not a number above 0 and up to 1.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.at_share([0.25, 0.5])[["share", "threshold", "recall", "lift"]]
           share  threshold  recall  lift
        0   0.25       0.75     0.5   2.0
        1   0.50       0.50     0.5   1.0
        """
        shares = checked_shares(share)
        ranking = self._ranking()
        found = ranking.at_share(shares)
        # Differences of sums of fractions may be a little less than nothing.
        fp, fn = (np.maximum(n - found.tp, 0.0) for n in (found.called, ranking.positives))
        tn = np.maximum(ranking.total - found.called - fn, 0.0)
        with np.errstate(invalid="ignore"):
            recall = found.tp / ranking.positives
        return frame(
            share=shares,
            threshold=found.threshold,
            tp=found.tp,
            fp=fp,
            fn=fn,
            tn=tn,
            precision=found.tp / found.called,
            recall=recall,
            lift=recall / shares,
            tp_low=found.tp_low,
            tp_high=found.tp_high,
        )

    def _of_rows(self, counts: Counts) -> Counts:
        """Counts as integers, where all weights are."""
        return Counts(*(c.astype(self._tally.dtype_of_counts) for c in counts))


def checked_shares(share: Any) -> FloatArray:
    """Read one share of the rows, or several."""
    shares = one_or_several(share, "share")
    bad = shares[~((shares > 0) & (shares <= 1))]
    if len(bad) or not len(shares):
        raise InvalidOptionError(
            f"share is {shown(share)}; shares of the rows are above 0, and 1 at most"
        )
    return shares
