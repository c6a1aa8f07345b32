"""p-values that see more than means and lines: tests of ranks and ranges stand beside those."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.design.calibrated import CalibratedTests
from vtreat_py.outcome.outcome import OutcomeValues, Weighting
from vtreat_py.significance.combination import cauchy_combination
from vtreat_py.significance.normal_scores import (
    NormalScores,
    likeness_to_normal,
    orthogonal_polynomial,
    ranks_of_groups,
    scores_of_groups,
)
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Where the outcome has more excess kurtosis than this, ranks say more than means.
_HEAVY_TAILS = 1.0
# Weights in combined p-values: of ranks beside the numbers where tails are heavy, and of ranks and
# ranges together beside a line where they are not. Ranges keep this share of that at least.
_RANKS, _SHAPES, _RANGES = 0.35, 0.2, 1.0 / 3.0
# Ranks of what is nearer to normal than this say what the numbers say.
_NEARLY_NORMAL = 0.9
# Weights of tests of any shape: of the clean copy, and of a line of normal scores, which is more
# the farther the number is from normal, as what rises with its order is the less like a line. The
# rest is shared by deciles and curves in these parts: of normal scores up to a parabola, which sees
# what has a turn, of ranks beyond, which see waves.
_COPIED, _RISING, _RISING_OF_TAILS = 0.1, 0.55, 0.28
_PARTS, _OF_RANKS = (1.0, 2.0, 1.0), 3


class CombinedTests:
    """Tests that see different things, with one p-value (`cauchy_combination`).

    * Of levels: means and, where a numeric outcome has heavy tails, means of its normal scores.
    * Of a number: a line, and two tests on the ranges that its deciles end, whether the outcome
      differs between them, and whether it goes up or down with the number's normal scores. Where
      the outcome has heavy tails both are of its scores.

    Weights depend on the two distributions alone, which permutations do not change. Ranks of a
    number that is nearly normal say what the line says; ties leave ranks of the outcome less to
    say.

    Parameters
    ----------
    outcome : OutcomeValues
        Its weights count rows.
    tests : CalibratedTests
        Those of the outcome itself.
    """

    def __init__(self, outcome: OutcomeValues, tests: CalibratedTests) -> None:
        self._outcome, self._tests = outcome.counted(), tests

    def levels(self, means: float, of_scores: Callable[[], OutcomeSums]) -> float:
        """Test whether the outcome differs from level to level.

        Parameters
        ----------
        means : float
            p-value of `CalibratedTests.levels`.
        of_scores : callable
            Gives the sums of `scores` by level; called where there are any.
        """
        if self._tests_of_scores is None:
            return means
        ranks = self._tests_of_scores.levels(of_scores())
        return cauchy_combination([means, ranks], [1.0 - self._share, self._share])

    def similar_levels(
        self, sums: OutcomeSums, points: FloatArray, of_scores: Callable[[], OutcomeSums] | None
    ) -> float:
        """Test whether the outcome goes with what levels are like: its scores, where there are any.

        Parameters
        ----------
        sums : OutcomeSums
            Sums of the outcome by level.
        points : ndarray of shape (levels, rank)
        of_scores : callable or None
            Gives the sums of `scores`; None where no rows can be had for them.
        """
        if self._tests_of_scores is None or of_scores is None:
            return self._tests.similar_levels(sums, points)
        return self._tests_of_scores.similar_levels(of_scores(), points)

    def shapes(
        self,
        line: float,
        spread: tuple[float, float, float],
        ranges: OutcomeSums,
        *,
        scored: bool,
    ) -> float:
        """Test whether the outcome changes with a number, by a line or any other shape.

        Parameters
        ----------
        line : float
            p-value of `CalibratedTests.correlation`.
        spread : tuple of float
            First and last decile of the number, and its standard deviation.
        ranges : OutcomeSums
            Sums of each range.
        scored : bool
            Whether they are of `scores` in place of the outcome.
        """
        tests = self._tests_of_scores if scored else self._tests
        assert tests is not None
        share, of_ranges = self._share, max(likeness_to_normal(*spread) * self._likeness, _RANGES)
        p_values, weights = [line, tests.levels(ranges)], [1.0 - share, share]
        if of_ranges < _NEARLY_NORMAL:
            p_values.append(_along(ranges, tests, 1))
            weights = [1.0 - share, share * of_ranges, share * (1.0 - of_ranges)]
        return cauchy_combination(p_values, weights)

    def any_shape(
        self,
        copied: float,
        spread: tuple[float, float, float],
        ranges: OutcomeSums,
        *,
        scored: bool,
    ) -> float:
        """Test whether the outcome changes with a number in any shape.

        Where `shapes` looks for lines first, this one looks for what rises or falls in any way, by
        the order of rows alone, and for parabolas and waves.

        Parameters
        ----------
        copied : float
            p-value of `shapes`.
        spread : tuple of float
            First and last decile of the number, and its standard deviation.
        ranges : OutcomeSums
            Sums of each range, which may be finer than deciles.
        scored : bool
            Whether they are of `scores` in place of the outcome.
        """
        tests = self._tests_of_scores if scored else self._tests
        assert tests is not None
        ranges = ranges.take(np.flatnonzero(ranges.weight))
        decile = np.floor(10.0 * ranks_of_groups(ranges.weight) + 5.0).astype(np.intp)
        parts = np.array(_PARTS[: max(len(ranges.weight) - 1, 1)])
        p_values = [copied, _along(ranges, tests, 1), tests.levels(ranges.grouped(decile, 10))]
        p_values += [_along(ranges, tests, 1 + degree) for degree in range(1, len(parts))]
        rising = _RISING + _RISING_OF_TAILS * (1.0 - likeness_to_normal(*spread))
        rest = (1.0 - _COPIED - rising) * parts / parts.sum()
        return cauchy_combination(p_values, [_COPIED, rising, *rest])

    @cached_property
    def scores(self) -> NormalScores | None:
        """Normal scores of a numeric outcome of heavy tails."""
        y, sample = self._outcome.y, self._tests.sample
        if self._outcome.kind != "numeric" or sample.skewness_and_kurtosis[1] <= _HEAVY_TAILS:
            return None
        if ((y == y.min()) | (y == y.max())).all():  # it is a class in truth
            return None
        return NormalScores.of_values(y, self._outcome.weight)

    @cached_property
    def _tests_of_scores(self) -> CalibratedTests | None:
        """The same tests, of the scores."""
        if self.scores is None:
            return None
        return CalibratedTests(
            OutcomeValues(
                kind="numeric",
                name=None,
                note="",
                y=self.scores.values,
                weight=self.scores.weight,
                weighting=Weighting(),
            )
        )

    @property
    def _share(self) -> float:
        """Weight of tests beside that of means, or of a line."""
        return _SHAPES if self.scores is None else _RANKS * self.scores.untied

    @cached_property
    def _likeness(self) -> float:
        """How near the outcome is to normal, where its scores are tested."""
        if self.scores is None:
            return 1.0
        return likeness_to_normal(*self.scores.deciles, self._tests.sample.spread)


def _along(ranges: OutcomeSums, tests: CalibratedTests, degree: int) -> float:
    """Test whether the outcome goes up or down with a polynomial of the places of ranges.

    It is orthogonal to those of lower degrees, so that each degree is a question of its own.
    """
    ranges = ranges.take(np.flatnonzero(ranges.weight))
    place = (scores_of_groups if degree < _OF_RANKS else ranks_of_groups)(ranges.weight)
    x = place if degree == 1 else orthogonal_polynomial(place, ranges.weight, degree)
    sample = Sample.of_values(x, ranges.weight)
    return float(tests.correlation(Moments.over_points(x, ranges), lambda _: sample)[0])
