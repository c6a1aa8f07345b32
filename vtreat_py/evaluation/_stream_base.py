"""What all scores of a streamed evaluation are computed from."""

from __future__ import annotations

from abc import ABC, abstractmethod

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.evaluation._curves import Ranking
from vtreat_py.evaluation._tally import Tally


class Tallied(ABC):
    """Has counted rows."""

    @property
    @abstractmethod
    def _tally(self) -> Tally: ...

    @property
    def n_rows(self) -> int:
        """Rows that were evaluated."""
        return self._tally.n_rows

    @property
    def n_missing(self) -> int:
        """Rows that were left out, because their label or score is missing."""
        return self._tally.n_missing

    @property
    def thresholds(self) -> list[float]:
        """Scores of at least these are called positive."""
        return [float(threshold) for threshold in self._tally.thresholds]

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores are in [0, 1], so that log loss and Brier score are defined."""
        return self._tally.are_probabilities

    def prevalence(self) -> float:
        """Share of positive rows, by weight.

        Returns
        -------
        float

        Examples
        --------
        >>> from vtreat_py.evaluation import StreamingBinaryEvaluator
        >>> StreamingBinaryEvaluator().update([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.7]).prevalence()
        0.5
        """
        return self._mean(self._tally.positives)

    def _ranking(self) -> Ranking:
        tally = self._counted()
        held = tally.sums.held()
        return Ranking(tally.bins.lower_edges(held.number), held.negative, held.positive)

    def _counted(self) -> Tally:
        """Return the tally, which must have counted something."""
        if not self._tally.sums.weight.any():
            raise InvalidOptionError(
                "nothing was evaluated yet: call update() with rows whose weights are not all 0"
            )
        return self._tally

    def _mean(self, total: float) -> float:
        return total / self._counted().total

    def _check_probabilities(self, what: str) -> None:
        tally = self._counted()
        if not tally.are_probabilities:
            raise InvalidOptionError(
                f"scores are from {tally.low:g} to {tally.high:g}; {what} needs probabilities, "
                "from 0 to 1"
            )
