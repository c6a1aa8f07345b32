"""A holdout that answers only where the training rows mislead: Thresholdout."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import BudgetError, InvalidOptionError
from vtreat_py.evaluation._histories import greatest_deviation
from vtreat_py.evaluation._holdout import Holdout
from vtreat_py.evaluation._inputs import counted_rows, random_numbers, whole_number
from vtreat_py.evaluation.paired_scores import Loss

# What is allowed for rounding where shares of units are compared.
_EQUAL = 1e-9


class Thresholdout:
    """Scores of submissions, taken from a holdout only where the training score is wrong.

    Each submission comes with the score that it has on training rows. If the holdout's is near,
    the training score is the answer, and nothing is given away. If not, the answer is the holdout's
    score with noise, and one of a budget of such answers is spent.

    Parameters
    ----------
    y, metric, bounds, pos_label
        As for `Leaderboard`.
    budget : int
        Number of answers from the holdout.
    threshold : float or None, default=None
        How far scores may be apart, in units of the loss. None: 4 / sqrt(n) of the losses' range.
    noise : float or None, default=None
        Scale of the noise of answers, that of Laplace's distribution. None: 1/64 of the
        threshold, so that noise alone hardly ever spends the budget.
    sample_weight, groups : array of shape (n,) or None, default=None
        As for `Leaderboard`, but that all rows (or all groups) must count the same: the theorem is
        of independent rows of one weight.
    random_state : int, Generator, RandomState or None, default=None
        Of the noise. Keep a seed to yourself, as the labels: who knows the noise can take it away.

    Raises
    ------
    InvalidOptionError, OptionTypeError
        As for `Leaderboard`; and if rows or groups differ in weight, or an option is negative.

    See Also
    --------
    Leaderboard : Needs no training score, and tells the best score only.

    Notes
    -----
    With noise g, a threshold T, loss H on the holdout and L on training rows, and independent draws
    of Laplace's distribution (section 4 of the second paper),
    ::

        if |H - L| > T + Lap(2 g) + Lap(4 g):  answer H + Lap(g), and spend one of the budget
        else:                                  answer L

    where ``Lap(2 g)`` is drawn when an answer from the holdout was given, and kept until the next.
    Answers from the holdout are rounded to 1/n of the range, and kept within the bounds.

    **Guarantee of the paper.** With T = 3 t / 4 and g = t / (96 log(4 m / b)), of m submissions,
    chosen in any way, all answers are within t of the true loss with probability 1 - b, for
    holdouts of a size of the order of ``log(m / b) / t^2 * min(B, sqrt(B log(log(m / b) / t)))``,
    B being the budget. The budget is spent by submissions alone whose training score is wrong by
    more than t / 2. The constants are such that it says something of holdouts of 100,000 rows and
    more. The default threshold is that of the experiments in the first paper, .04 for 10,000 rows.

    **Guarantee of `bound`**, for any holdout: given the noise, which does not know the labels, the
    s-th submission is fixed by which of the s - 1 before were answered from the holdout, and how:
    for j answers ``C(s - 1, j) (n + 1)^j`` ways. As for `Leaderboard` no holdout is farther than e
    from the truth for any of them; and an answer is no farther from the holdout than the threshold
    and the noise, whose greatest value is bounded by its distribution,
    ::

        | answer - true loss |  <=  e + T + 4 g log(4 s (s+1) / risk)

    with half of the risk in each part.

    What is assumed: rows (or groups) of the holdout are independent, losses are bounded, and those
    who submit know of the labels nothing but the answers.

    References
    ----------
    C. Dwork, V. Feldman, M. Hardt, T. Pitassi, O. Reingold and A. Roth, "The reusable holdout:
    preserving validity in adaptive data analysis", Science 349 (2015).
    The same, "Generalization in adaptive data analysis and holdout reuse", NIPS 2015, for the
    theorem, and for guarantees by counting what can have been said.

    Examples
    --------
    Three of four holdout rows are wrong where the training score promised none. Without noise:

    >>> from vtreat_py.evaluation import Thresholdout
    >>> holdout = Thresholdout([1, 0, 1, 1], budget=1, threshold=0.3, noise=0)
    >>> holdout.submit([0, 1, 0, 1], training_score=0.0)
    0.75
    >>> holdout.budget_left
    0
    >>> round(holdout.bound(), 2)  # four rows bound nothing
    1.15
    >>> holdout
    Thresholdout: 1 submission, 1 of 1 answers from the holdout spent
    4 rows; threshold 0.3, noise 0
    """

    def __init__(
        self,
        y: Any,
        metric: Loss = "zero-one",
        *,
        budget: int,
        threshold: float | None = None,
        noise: float | None = None,
        bounds: Sequence[float] | None = None,
        pos_label: Any = 1,
        sample_weight: Any = None,
        groups: Any = None,
        random_state: Any = None,
    ) -> None:
        self._holdout = Holdout(y, metric, bounds, pos_label, sample_weight, groups)
        _check_equal(self._holdout)
        self._budget = whole_number(budget, "budget", 1)
        usual = 4.0 * self._holdout.width / math.sqrt(self._holdout.effective_n)
        self._threshold = usual if threshold is None else check_number("threshold", threshold, 0)
        self._noise = self._threshold / 64.0 if noise is None else check_number("noise", noise, 0)
        self._random = random_numbers(random_state)
        self._shift = self._laplace(2.0)
        self._answers: list[tuple[float, float, bool]] = []

    @property
    def n_submissions(self) -> int:
        """Submissions so far."""
        return len(self._answers)

    @property
    def budget_left(self) -> int:
        """How many answers the holdout still has."""
        return self._budget - sum(from_holdout for *_, from_holdout in self._answers)

    @property
    def history(self) -> pd.DataFrame:
        """A row for each submission, by its number: training_score, score and from_holdout."""
        index = pd.RangeIndex(1, self.n_submissions + 1, name="submission")
        columns = ["training_score", "score", "from_holdout"]
        table = pd.DataFrame(self._answers, index, columns)
        return table.astype({"training_score": float, "score": float, "from_holdout": bool})

    def submit(self, predictions: Any, training_score: float) -> float:
        """Say what the true loss is: the training score, or, if that is wrong, the holdout's.

        Parameters
        ----------
        predictions : array of shape (n,)
            One for each row of the holdout: what ``metric`` takes.
        training_score : float
            The loss that the submitter expects: of training rows, by cross-validation, or a guess.

        Returns
        -------
        float

        Raises
        ------
        BudgetError
            If all answers of the budget are given: get a new holdout.
        InvalidOptionError, OptionTypeError
            If predictions are not one a row, or not what the metric takes, or the training score is
            no number within the bounds. That is no submission.
        """
        if not self.budget_left:
            raise BudgetError(
                f"the budget of {self._budget} answers from the holdout is spent after "
                f"{self.n_submissions} submissions; what comes now needs new rows"
            )
        holdout = self._holdout
        expected = check_number("training_score", training_score, holdout.low, holdout.high)
        found = float(holdout.mean(holdout.losses(predictions)))
        wrong = abs(found - expected) > self._threshold + self._shift + self._laplace(4.0)
        score = self._with_noise(found) if wrong else expected
        self._answers.append((expected, score, wrong))
        return score

    def bound(self, confidence: float = 0.95) -> float:
        """How far answers are, at most, from the true losses.

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
        if not self._answers:
            return math.nan
        holdout, half = self._holdout, (1.0 - confidence) / 2.0
        told = np.array([from_holdout for *_, from_holdout in self._answers])
        before = np.append(0, np.cumsum(told)[:-1])
        deviation = greatest_deviation(
            before,
            before * math.log(len(holdout.shares) + 1.0),
            holdout.width,
            holdout.effective_n,
            half,
        )
        n = self.n_submissions
        log_rare = math.log(2.0 * n * (n + 1.0) / half)
        rounding = float(self._grid) / 2.0
        return deviation + max(
            self._threshold + 4.0 * self._noise * log_rare, self._noise * log_rare + rounding
        )

    @property
    def _grid(self) -> Fraction:
        holdout = self._holdout
        return (Fraction(holdout.high) - Fraction(holdout.low)) / len(holdout.shares)

    def _with_noise(self, found: float) -> float:
        """Answer from the holdout, and draw what the next answers are compared with."""
        holdout = self._holdout
        noisy = np.clip(found + self._laplace(1.0), holdout.low, holdout.high)
        self._shift = self._laplace(2.0)
        low = Fraction(holdout.low)
        return float(low + round((Fraction(float(noisy)) - low) / self._grid) * self._grid)

    def _laplace(self, times: float) -> float:
        return float(self._random.laplace(scale=times * self._noise))

    def __repr__(self) -> str:
        n = f"{self.n_submissions:,} submission{'' if self.n_submissions == 1 else 's'}"
        spent = self._budget - self.budget_left
        return (
            f"Thresholdout: {n}, {spent:,} of {self._budget:,} answers from the holdout spent\n"
            f"{counted_rows(self._holdout.n_rows)}; threshold {self._threshold:.4g}, noise "
            f"{self._noise:.4g}"
        )


def _check_equal(holdout: Holdout) -> None:
    """Refuse rows, or groups, that differ in what they count."""
    shares = holdout.shares
    if shares.max() > shares.min() * (1.0 + _EQUAL):
        raise InvalidOptionError(
            "sample_weight and groups: all rows, or all groups, must count the same for "
            f"Thresholdout, whose theorem is of such; the heaviest counts "
            f"{shares.max() / shares.min():.4g} times what the lightest does. Leaderboard takes "
            "them"
        )
