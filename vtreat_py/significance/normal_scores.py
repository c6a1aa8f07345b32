"""Normal scores of a variable: what is left of it when only its order counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray, NumberArray
from vtreat_py.significance.sample import Sample

# Ranks are told apart in so many steps: more would gain no power, and cost every engine.
_STEPS = 32
# A smaller share of the rows cannot be told from none.
_LEAST_SHARE = 1e-17
# Deciles of a normal distribution are so many standard deviations apart, the first and the last.
_APART = 2.0 * float(special.ndtri(0.9))


@dataclass(frozen=True, eq=False)
class NormalScores:
    """Scores of values: the same for all that are between two edges.

    Attributes
    ----------
    edges : ndarray of shape (m,)
        Score i is that of values above edge i - 1, up to edge i.
    values : ndarray of shape (m + 1,)
        Normal quantiles of the mean ranks, ascending; 0 and 1 if there are only two.
    weight : ndarray of shape (m + 1,)
        Number of rows of each.
    untied : float
        Share of the variance of ranks that ties leave (1 without ties).
    deciles : tuple of float
        The first and the last decile of the values.

    Notes
    -----
    A test on them is nearly as powerful as the one on the values themselves where these are
    normal, and more so where they have heavy tails (H. Chernoff and I. R. Savage, "Asymptotic
    normality and efficiency of certain nonparametric test statistics", Annals of Mathematical
    Statistics 29 (1958)). Negative values have the negative scores.

    Examples
    --------
    >>> import numpy as np
    >>> scores = NormalScores.of_values(np.array([0.0, 0.0, 1.0, 1000.0]))
    >>> scores.of(np.array([0.0, 1.0, 1000.0])).round(2)
    array([-0.67,  0.32,  1.15])
    """

    edges: FloatArray
    values: FloatArray
    weight: FloatArray
    untied: float
    deciles: tuple[float, float]

    @classmethod
    def of_values(cls, values: NumberArray, weight: FloatArray | None = None) -> NormalScores:
        """Score values; those of weight 0 do not count."""
        if weight is not None and not weight.all():
            values, weight = values[weight > 0], weight[weight > 0]
        different, place = np.unique(values.astype(np.float64), return_inverse=True)
        rows = np.bincount(place, weight).astype(np.float64)
        middle = ranks_of_groups(rows)
        step = np.sign(middle) * np.floor(np.abs(middle) * _STEPS + 1.0)
        first = np.flatnonzero(np.append(1.0, np.diff(step)))
        joined = np.add.reduceat(rows, first)
        scores = np.array([0.0, 1.0]) if len(first) == 2 else scores_of_groups(joined)
        share = rows / rows.sum()
        ends = (_tenth(different, share), _tenth(different[::-1], share[::-1]))
        low, high = different[first[1:] - 1], different[first[1:]]
        middle = low / 2.0 + high / 2.0
        edges = np.where(middle < high, middle, low)  # between neighbours among floats is none
        return cls(edges, scores, joined, 1.0 - float((share**3).sum()), ends)

    def of(self, values: NumberArray) -> FloatArray:
        """Scores of some values."""
        return self.values[np.searchsorted(self.edges, values, side="left")]

    @cached_property
    def sample(self) -> Sample:
        """The scores over all rows."""
        return Sample.of_values(self.values, self.weight)


def scores_of_groups(rows: FloatArray) -> FloatArray:
    """Normal quantiles of the mean ranks of groups of so many rows, in their order."""
    middle = ranks_of_groups(rows)
    beyond = np.maximum(0.5 - np.abs(middle), _LEAST_SHARE)
    return np.asarray(-np.sign(middle) * special.ndtri(beyond))


def ranks_of_groups(rows: FloatArray) -> FloatArray:
    """Mean ranks of groups of so many rows, in their order, from -1/2 to 1/2.

    Of the opposite order, exactly opposite.
    """
    upto = np.cumsum(rows)
    return np.asarray((2.0 * upto - rows - upto[-1]) / (2.0 * upto[-1]))


def _tenth(values: FloatArray, share: FloatArray) -> float:
    """The first of ordered values that has a tenth of the rows with those before it."""
    place = int(np.searchsorted(np.cumsum(share), 0.1))
    return float(values[min(place, len(values) - 1)])


def orthogonal_polynomial(x: FloatArray, weight: FloatArray, degree: int) -> FloatArray:
    """Polynomial of a degree that has no correlation with those of lower degrees.

    There must be more different numbers than that, and weights above 0.
    """
    root = np.sqrt(weight)
    q, _ = np.linalg.qr(root[:, None] * np.vander(x, degree + 1, increasing=True))
    return np.asarray(q[:, degree] / root)


def likeness_to_normal(low: float, high: float, deviation: float) -> float:
    """How far two deciles are apart, in the distance that a normal distribution has; at most 1.

    ``low`` and ``high`` are the first and the last one. Distributions with a long tail have a
    standard deviation that is large beside it.
    """
    if not deviation > 0.0:
        return 1.0
    return min((high - low) / (_APART * deviation), 1.0)
