"""Whether scores are the chances that they seem to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vtreat_py.evaluation._calibration import ScoreGroups, Strategy, score_groups
from vtreat_py.evaluation._curves import frame
from vtreat_py.evaluation._inputs import check_one_of, whole_number
from vtreat_py.evaluation._stream_base import Tallied

if TYPE_CHECKING:  # imported on use: the command line does without
    import pandas as pd


class Calibrates(Tallied):
    """Compares scores with shares of positive rows."""

    def calibration(self, n_groups: int = 10, strategy: Strategy = "quantile") -> pd.DataFrame:
        """Compare mean scores with the share of positive rows, in groups by score.

        Parameters
        ----------
        n_groups : int, default=10
            A bin is not divided, so that there may be fewer.
        strategy : {"quantile", "uniform"}, default="quantile"
            "quantile": groups of like weight. "uniform": equal parts of [0, 1], as of
            ``calibration_curve`` of scikit-learn; a bin is where its mean score is.

        Returns
        -------
        DataFrame
            One row a group, the lowest scores first: ``weight``, ``mean_score``,
            ``positive_rate``.

        Raises
        ------
        InvalidOptionError
            If an option has a value that is not allowed, or, for "uniform", a score is outside
            [0, 1].

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.5, 0.25, 0.125])
        >>> evaluator.calibration(2)
           weight  mean_score  positive_rate
        0     2.0      0.1875            0.5
        1     2.0      0.6250            0.5
        """
        return frame(**self._groups(n_groups, strategy)._asdict())

    def calibration_error(self, n_groups: int = 10, strategy: Strategy = "quantile") -> float:
        """Expected calibration error: the mean distance of mean scores and positive rates.

        Parameters
        ----------
        n_groups : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Groups as of :meth:`calibration`.

        Returns
        -------
        float
            The mean of ``|mean score - positive rate|`` over groups, by their weight: ECE
            (M. Naeini, G. Cooper and M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
            Bayesian Binning", AAAI 2015). It is above 0 by chance, too: the further, the more
            groups there are.

        Raises
        ------
        InvalidOptionError
            If an option has a value that is not allowed, or a score is outside [0, 1].

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.75, 0.5, 0.5])
        >>> evaluator.calibration_error(2)
        0.125
        """
        self._check_probabilities("the calibration error")
        return self._groups(n_groups, strategy).calibration_error()

    def brier_decomposition(
        self, n_groups: int = 10, strategy: Strategy = "quantile"
    ) -> dict[str, float]:
        """Take the Brier score apart into what is lost and what is gained.

        Parameters
        ----------
        n_groups : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            Groups as of :meth:`calibration`.

        Returns
        -------
        dict of float
            ``brier`` = ``reliability`` - ``resolution`` + ``uncertainty`` + ``within``. With m a
            group's mean score, o its positive rate and r that of all rows, and means by weight:
            reliability, the mean of (m - o)^2, is what bad calibration costs; resolution, the mean
            of (o - r)^2, is what telling groups apart gains; uncertainty, r (1 - r), is the score
            of the constant r. Without ``within``, which is what differences of scores inside
            groups add, the sum is the Brier score of the groups' mean scores.

        Raises
        ------
        InvalidOptionError
            If an option has a value that is not allowed, or a score is outside [0, 1].

        Notes
        -----
        A. Murphy, "A New Vector Partition of the Probability Score", Journal of Applied Meteorology
        12 (1973); within groups: D. Stephenson, C. Coelho and I. Jolliffe, "Two Extra Components in
        the Brier Score Decomposition", Weather and Forecasting 23 (2008). Reliability and
        resolution are too great by chance, the more groups the further.

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> evaluator = StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.75, 0.25, 0.5, 0.5])
        >>> evaluator.brier_decomposition(3, "uniform")["uncertainty"]
        0.25
        """
        self._check_probabilities("the Brier score")
        groups = self._groups(n_groups, strategy)
        rate = self.prevalence()
        brier = self._mean(self._tally.squares.value)
        parts: dict[str, float] = {
            "reliability": groups.reliability(),
            "resolution": groups.resolution(),
            "uncertainty": rate * (1 - rate),
        }
        of_groups = parts["reliability"] - parts["resolution"] + parts["uncertainty"]
        return {"brier": brier, **parts, "within": brier - of_groups}

    def _groups(self, n_groups: Any, strategy: Any) -> ScoreGroups:
        n_groups = whole_number(n_groups, "n_groups", 1)
        check_one_of(("quantile", "uniform"), "strategy", strategy)
        held = self._counted().sums.held()
        if strategy == "uniform":
            self._check_probabilities("strategy='uniform'")
        return score_groups(held, n_groups, strategy)
