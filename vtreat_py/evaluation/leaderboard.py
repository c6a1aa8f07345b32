"""A leaderboard whose scores stay true however often one holdout is asked: the Ladder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._histories import greatest_deviation, log_choose
from vtreat_py.evaluation._holdout import Holdout
from vtreat_py.evaluation._inputs import counted_rows
from vtreat_py.evaluation._numbers_shown import readable
from vtreat_py.evaluation.paired_scores import Loss

# Steps finer than this part of the range are none: so many scores cannot be kept apart.
_FINEST = 1e-12
# Differences of losses that are their standard errors but for this share are these: one row better
# is by one standard error, whatever the number of rows, and no step.
_ROUNDING = 1e-9


class Leaderboard:
    """Scores of submissions on one holdout, which stay true though each learns from those before.

    Who sees the score of every submission can fit the holdout without a look at it: the best score
    is then better than any submission is. The Ladder gives away the best score only, rounded, and
    a new one only if it is better by a step. A score that does not move tells next to nothing.

    Parameters
    ----------
    y : array of shape (n,)
        Outcome of the holdout. Keep it, and this object, from those who submit.
    metric : {"zero-one", "brier", "squared", "absolute", "log"} or callable, default="zero-one"
        Loss of a row, as in `per_row_loss`: lower is better. A callable is given y and the
        predictions, arrays of shape (n,), and returns n numbers.
    step : float or None, default=None
        How much better than the best score a submission must be, in units of the loss, and what
        scores are rounded to. None: the parameter-free Ladder. A submission must then be better by
        the standard error of its difference to the best one (a paired t statistic below -1), and
        scores are rounded to 1/n of the range.
    bounds : (float, float) or None, default=None
        The least and the greatest loss of a row; losses beyond count as the bound, silently, since
        an error would tell of labels. None: 0 and 1, of "zero-one" and "brier" alone.
    pos_label : label, default=1
        For "brier" and "log": the class whose probability is submitted.
    sample_weight : array of shape (n,) or None, default=None
        Weights of rows, fixed before the first submission: scores are weighted means.
    groups : array of shape (n,) or None, default=None
        Labels of rows that are not independent of each other. Scores remain those of rows.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        If y is missing somewhere, lengths or indexes differ, weights are negative, the metric has
        no bounds, the step is not positive, or fewer than two rows (or groups) count.

    See Also
    --------
    Thresholdout : Answers each submission, from the training score where that is right.

    Notes
    -----
    **Fixed step.** With loss L(f) of submission f on the holdout, the best score R, at first
    infinite, and a step h,
    ::

        if L(f) < R - h:  R = L(f) rounded to a multiple of h

    and R is what is reported. Blum and Hardt show (theorem 3.1) that for a step of the order of
    ``(log(k n) / n)^(1/3)`` and any way to choose k submissions, all reported scores are, with high
    probability, within a distance of that order of the least true loss among the submissions so
    far. That order is what the plain holdout has for ``k < n^(1/3)`` submissions only: with k
    random submissions and a majority vote it is fooled by about ``sqrt(k / n)`` (section 4).

    **Guarantee.** `bound` puts numbers on it. The proof is theirs, counted exactly: with j changes
    so far there are ``C(s - 1, j)`` times in which they can have come and ``C(K, j)`` falling
    sequences of the K scores that there are. Given what the submitter draws at random, each of them
    leads to one s-th submission, which therefore could have been written down before the holdout
    was drawn. Hoeffding's inequality and the sum over all of them give, with probability
    ``confidence``, whenever it is looked at,
    ::

        | R - min_i true loss of f_i |  <=  e + h
        e = width * sqrt( log(2 C(s-1, j) C(K, j) s (s+1) (j+1) (j+2) / risk) / (2 n) )

    at its greatest over all submissions s so far; ``width`` is that of the bounds, ``risk`` is
    1 - confidence, n the number of independent rows (with weights ``1 / sum of squared shares``).

    What it assumes: rows (or groups) of the holdout are independent, losses are bounded, and those
    who submit know of the labels nothing but the reported scores. If they know the columns X of the
    holdout, the true loss is that expected on these rows; else that of new rows.

    **Parameter-free.** The same counting holds; in place of h stands the greatest standard error
    that there can be, ``width * sqrt(g * G / (G - 1))`` with G rows (or groups), of which the
    heaviest has the share g of the weight: about width / sqrt(n). It tells more than a fixed step,
    so that e is greater if there are many changes.

    Scores are compared and rounded in fractions: a tie is a tie. Losses that are means of other
    things than rows, such as an AUC, have no such guarantee, and are not taken.

    The object pickles, with the labels in it.

    References
    ----------
    A. Blum and M. Hardt, "The Ladder: a reliable leaderboard for machine learning competitions",
    ICML 2015.

    Examples
    --------
    >>> from vtreat_py.evaluation import Leaderboard
    >>> board = Leaderboard([1, 0, 1, 1, 0, 1, 0, 0, 1, 1], step=0.1)
    >>> board.submit([0, 0, 0, 0, 0, 0, 0, 0, 1, 1])  # 4 of 10 are wrong
    0.4
    >>> board.submit([1, 0, 0, 0, 0, 0, 0, 0, 1, 1])  # 3 are: not better by more than a step
    0.4
    >>> board.submit([1, 0, 1, 1, 0, 0, 0, 0, 1, 1])
    0.1
    >>> round(board.bound(), 2)  # ten rows bound next to nothing
    0.84
    >>> board
    Leaderboard: 3 submissions, best zero-one loss 0.1 (submission 3)
    10 rows; a step is 0.1
    """

    def __init__(
        self,
        y: Any,
        metric: Loss = "zero-one",
        *,
        step: float | None = None,
        bounds: Sequence[float] | None = None,
        pos_label: Any = 1,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> None:
        self._holdout = Holdout(y, metric, bounds, pos_label, sample_weight, groups)
        width = Fraction(self._holdout.high) - Fraction(self._holdout.low)
        self._step = None if step is None else _checked_step(step, self._holdout.width)
        self._grid = self._step or width / len(self._holdout.shares)
        self._best_losses: FloatArray | None = None
        # Reported scores in multiples of the grid, one a submission.
        self._reported: list[int] = []

    @property
    def n_submissions(self) -> int:
        """Submissions so far."""
        return len(self._reported)

    @property
    def history(self) -> pd.Series[float]:
        """What each submission was told, by its number, from 1 on."""
        index = pd.RangeIndex(1, self.n_submissions + 1, name="submission")
        return pd.Series([self._score(k) for k in self._reported], index, np.float64, name="score")

    @property
    def best(self) -> float:
        """The score that is reported; NaN before the first submission."""
        return self._score(self._reported[-1]) if self._reported else math.nan

    @property
    def best_submission(self) -> int | None:
        """Number of the submission that has it, from 1 on; None before the first one."""
        return self._reported.index(self._reported[-1]) + 1 if self._reported else None

    def submit(self, predictions: Any) -> float:
        """Report the best score so far, which is new if these predictions are better by a step.

        Parameters
        ----------
        predictions : array of shape (n,)
            One for each row of the holdout: what ``metric`` takes.

        Returns
        -------
        float
            The best score, rounded: not that of these predictions, unless they are the best.

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If they are not one a row, or not what the metric takes. That is no submission.
        """
        losses = self._holdout.losses(predictions)
        mean = self._holdout.mean(losses)
        score = round(mean / self._grid)
        if self._is_better(mean, score, losses):
            self._best_losses = losses
        else:
            score = self._reported[-1]
        self._reported.append(score)
        return self._score(score)

    def bound(self, confidence: float = 0.95) -> float:
        """How far the reported score is, at most, from the least true loss of all submissions.

        Parameters
        ----------
        confidence : float, default=0.95
            Probability that it holds, for all submissions so far at once, however they were
            chosen, and whenever one looks. See the notes of the class.

        Returns
        -------
        float
            NaN before the first submission.
        """
        check_number("confidence", confidence, 0, 1, below=True)
        if not self._reported:
            return math.nan
        reported = np.array(self._reported)
        changes = np.cumsum(np.diff(reported, prepend=reported[0] + 1) != 0)
        before = np.append(0, changes[:-1])
        holdout = self._holdout
        n_scores = round(Fraction(holdout.high) / self._grid) - (
            round(Fraction(holdout.low) / self._grid) - 1
        )
        deviation = greatest_deviation(
            before,
            log_choose(float(n_scores), before),
            holdout.width,
            holdout.effective_n,
            1.0 - confidence,
        )
        return deviation + (self._greatest_error() if self._step is None else float(self._step))

    def _is_better(self, mean: Fraction, score: int, losses: FloatArray) -> bool:
        if self._best_losses is None:
            return True
        best = self._reported[-1]
        if self._step is not None:
            return mean < (best - 1) * self._step
        error = self._holdout.error_of_difference(losses, self._best_losses)
        return score < best and mean < best * self._grid - Fraction(error * (1.0 + _ROUNDING))

    def _greatest_error(self) -> float:
        shares = self._holdout.shares
        heaviest, n = float(shares.max()), len(shares)
        return self._holdout.width * math.sqrt(heaviest * n / (n - 1))

    def _score(self, multiple: int) -> float:
        return float(multiple * self._grid)

    def __repr__(self) -> str:
        holdout = self._holdout
        n = f"{self.n_submissions:,} submission{'' if self.n_submissions == 1 else 's'}"
        best = (
            f", best {holdout.metric} loss {readable(self.best, 6)} "
            f"(submission {self.best_submission})"
            if self._reported
            else ""
        )
        by = "its standard error" if self._step is None else f"{float(self._step):g}"
        return f"Leaderboard: {n}{best}\n{counted_rows(holdout.n_rows)}; a step is {by}"


def _checked_step(step: Any, width: float) -> Fraction:
    """Read a step as the decimal fraction that it is written as."""
    check_number("step", step, _FINEST * width)
    if step > width:
        raise InvalidOptionError(
            f"step={step!r} is more than the losses' range of {width:g}; no score would change"
        )
    return Fraction(repr(float(step)))
