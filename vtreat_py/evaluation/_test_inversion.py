"""Which mean differences a randomization test would not reject: intervals, and equivalence."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.evaluation._sign_flips import can_be_listed, drawn_sums, signed_sums

# Sums of magnitudes stay below 2 to this power as 64-bit integers.
_BITS = 60
# What scores, their differences and sums of them owe to rounding, of the largest of them.
ROUNDINGS = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class SubsetMeans:
    """Mean differences of subsets of the pairs, which are what the test rests on.

    A mean difference m is tested by the differences less m. Pairs that change places lower the sum
    by twice their own: it stays as large as it was where the mean of the pairs that changed is at
    most m. So the chance of such a pattern is the share of subsets whose mean is at most m, the
    empty one included, for every m at once.

    Attributes
    ----------
    means : ndarray of shape (n_subsets,)
        Of the subsets that are not empty, sorted.
    n_empty : int
        Empty subsets, with the one that is the observed pattern where subsets are random.
    slack : float
        What means that should be equal may differ by.

    Notes
    -----
    J. A. Hartigan, "Using subsample values as typical values", JASA 64 (1969).
    """

    means: FloatArray
    n_empty: int
    slack: float

    @classmethod
    def of(
        cls,
        difference: FloatArray,
        weight: FloatArray,
        unit: IntArray,
        n_resamples: int,
        random: np.random.Generator,
        *,
        greatest: float = 0.0,
    ) -> SubsetMeans:
        """Take all subsets of units, or so many random ones, of scores no greater than so."""
        sums = np.bincount(unit, weight * difference)
        sizes = np.bincount(unit, weight)
        exact = can_be_listed(len(sums), n_resamples)
        same_signs = copy.deepcopy(random)

        def in_subsets(values: NumberArray, random: np.random.Generator) -> FloatArray:
            shift = _BITS - int(np.frexp(np.abs(values).sum())[1])
            whole = np.rint(np.ldexp(values, shift)).astype(np.int64)
            signed = signed_sums(whole) if exact else drawn_sums(whole, n_resamples, random)
            return np.asarray(np.ldexp((whole.sum() - signed) / 2.0, -shift))

        of_sums, of_sizes = in_subsets(sums, random), in_subsets(sizes, same_signs)
        some = of_sizes > 0
        n_empty = int((~some).sum()) + (0 if exact else 1)
        slack = ROUNDINGS * max(greatest, float(np.abs(difference).max()))
        return cls(np.sort(of_sums[some] / of_sizes[some]), n_empty, slack)

    @property
    def _n_patterns(self) -> int:
        return len(self.means) + self.n_empty

    def greater(self, mean: float) -> float:
        """p-value of the hypothesis that the mean difference is at most so much."""
        reached = int(np.searchsorted(self.means, mean + self.slack, side="right"))
        return (reached + self.n_empty) / self._n_patterns

    def less(self, mean: float) -> float:
        """p-value of the hypothesis that the mean difference is so much at least."""
        reached = len(self.means) - int(np.searchsorted(self.means, mean - self.slack))
        return (reached + self.n_empty) / self._n_patterns

    def equivalent(self, margin: float) -> float:
        """p-value of the hypothesis that the mean difference is a margin or more from 0."""
        return max(self.greater(-margin), self.less(margin))

    def interval(self, level: float, alternative: str) -> tuple[float, float]:
        """Ends between which no mean difference is rejected at 1 - ``level``."""
        tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
        # So many subsets at each end have p-values that are too small.
        cut = int(np.floor(tail * self._n_patterns * (1.0 + 1e-12))) - self.n_empty
        low = -np.inf if cut < 0 or alternative == "less" else float(self.means[cut])
        high = np.inf if cut < 0 or alternative == "greater" else float(self.means[-1 - cut])
        return low, high
