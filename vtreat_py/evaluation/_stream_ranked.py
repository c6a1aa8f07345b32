"""What the order of scores tells beside the area under the ROC curve, with bounds."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.warn import warn
from vtreat_py.evaluation._inputs import finite_numbers
from vtreat_py.evaluation._stream_base import Tallied


class Ranks(Tallied):
    """Scores that depend on the order of the rows alone."""

    def average_precision_bounds(self) -> tuple[float, float]:
        """Return the least and the greatest average precision that the scores can have.

        Returns
        -------
        tuple of float
            (0.0, 0.0), with a warning, without positive rows.

        Notes
        -----
        A bin holds rows of positive weight p and negative weight n, and above it there are rows of
        weight W, of which positive ones weigh A. Over all orders and ties of the rows of the bin,
        their part of average precision is greatest where the positive rows tie before the negative
        ones, p (A + p) / (W + p), and least where they follow them one by one: the sum of
        (A + i) / (W + n + i) for i = 1 to p where all weights are whole numbers, which rows of
        weight 1 attain; otherwise its limit for rows of next to no weight,
        p - (W + n - A) log(1 + p / (W + n)).

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.average_precision_bounds()
        (0.8333333333333333, 0.8333333333333333)
        """
        ranking = self._ranking()
        if not ranking.positives:
            warn_of_no_positives()
        return ranking.average_precision_bounds(self._tally.whole)

    def partial_auc(self, max_fpr: float, *, standardize: bool = True) -> float:
        """Area under the ROC curve of the binned scores up to a false positive rate.

        Parameters
        ----------
        max_fpr : float
            Above 0, and 1 at most.
        standardize : bool, default=True
            True: as ``roc_auc_score(max_fpr=...)`` of scikit-learn, from .5 (of scores that tell
            nothing) to 1 (D. McClish, "Analyzing a portion of the ROC curve", Medical Decision
            Making 9, 1989): (1 + (a - l) / (h - l)) / 2, with a the area, l = max_fpr^2 / 2 and
            h = max_fpr. False: the area itself; over ``max_fpr``, it is the mean of the true
            positive rate.

        Returns
        -------
        float
            NaN if there are rows of one class only.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If ``max_fpr`` is not a number above 0 and up to 1.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.partial_auc(0.5, standardize=False)
        0.25
        """
        return self._partial_areas(max_fpr, standardize)[1]

    def partial_auc_bounds(
        self, max_fpr: float, *, standardize: bool = True
    ) -> tuple[float, float]:
        """Return the least and the greatest partial area that the scores can have.

        Parameters
        ----------
        max_fpr : float
            Above 0, and 1 at most.
        standardize : bool, default=True
            As in :meth:`partial_auc`.

        Returns
        -------
        tuple of float
            NaN if there are rows of one class only.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If ``max_fpr`` is not a number above 0 and up to 1.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.partial_auc_bounds(0.5, standardize=False)
        (0.25, 0.25)
        """
        low, _, high = self._partial_areas(max_fpr, standardize)
        return low, high

    def break_even_point(self) -> float:
        """Precision and recall where they are equal: as many rows called positive as are.

        Returns
        -------
        float
            The mean over random orders of the rows of the bin in which these rows end. NaN without
            positive rows.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.break_even_point()
        0.5
        """
        return self._recall_at_break_even()[0]

    def break_even_bounds(self) -> tuple[float, float]:
        """Return the least and the greatest break-even point that the scores can have.

        Returns
        -------
        tuple of float
            NaN without positive rows.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.break_even_bounds()
        (0.5, 0.5)
        """
        _, low, high = self._recall_at_break_even()
        return low, high

    def precision_recall_auc(self) -> float:
        """Area under straight lines between the points of precision and recall.

        Returns
        -------
        float
            As ``auc(recall, precision)`` of scikit-learn, from the binned scores; NaN without
            positive rows.

        Notes
        -----
        Lines between points promise more than can be had (J. Davis and M. Goadrich, "The
        Relationship Between Precision-Recall and ROC Curves", ICML 2006): average precision does
        not.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> round(evaluator.precision_recall_auc(), 4)
        0.7917
        """
        ranking = self._ranking()
        if not ranking.positives:
            return np.nan
        return ranking.precision_recall_area()

    def _recall_at_break_even(self) -> tuple[float, float, float]:
        ranking = self._ranking()
        if not ranking.positives:
            return np.nan, np.nan, np.nan
        found = ranking.at_share(np.array([ranking.positives / ranking.total]))
        mean, low, high = (
            float(tp[0]) / ranking.positives for tp in (found.tp, found.tp_low, found.tp_high)
        )
        return mean, low, high

    def _partial_areas(self, max_fpr: float, standardize: bool) -> tuple[float, float, float]:
        end = float(finite_numbers([max_fpr], "max_fpr")[0])
        if not 0 < end <= 1:
            raise InvalidOptionError(f"max_fpr={end:g}; it must be above 0, and 1 at most")
        low, middle, high = self._ranking().partial_auc_bounds(end)
        if not standardize:
            return low, middle, high
        chance = end**2 / 2
        return (
            (1 + (low - chance) / (end - chance)) / 2,
            (1 + (middle - chance) / (end - chance)) / 2,
            (1 + (high - chance) / (end - chance)) / 2,
        )


def warn_of_no_positives() -> None:
    """Warn as scikit-learn does."""
    warn("No positive class found in y_true, recall is set to one for all thresholds.", UserWarning)
