"""Folds by integer arithmetic on a row id, the same on every engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vtreat_py.base.seeds import random_numbers

# The largest prime below 2**31 that is 2 modulo 3, so that no two numbers have the same cube.
PRIME = 2_147_483_579
# Multiples of its golden section are spread evenly below it.
_GOLDEN = 1_327_217_842


@dataclass(frozen=True)
class RowIdFolds:
    """Which fold a row id belongs to: arithmetic that is exact in 64 bits, whoever does it.

    The id is reduced modulo the prime P = 2147483579; then two rounds of ``a * x + b`` and
    ``x ** 3`` modulo P mix it, and the remainder modulo the number of folds is its fold. Each round
    is a permutation of the numbers below P, as P is 2 modulo 3; no intermediate number reaches
    2**63. Products and remainders are all there is, so that numpy, polars, DuckDB, Spark and SQL
    give the same folds; no engine's hash or random function is asked.

    The folds are about equal (as if drawn at random), and have nothing to do with patterns in the
    ids. Ids that differ by a multiple of P share a fold. Equal ids do, too: rows may share an id,
    as groups do.

    Attributes
    ----------
    n_folds : int
    multipliers, addends : tuple of two int
        From 1 to P - 1: another seed has others, and gives other folds.

    Examples
    --------
    >>> import numpy as np
    >>> folds = RowIdFolds.seeded(5, random_state=0)
    >>> folds.of(np.arange(-3, 12))
    array([1, 0, 4, 0, 4, 3, 3, 0, 2, 3, 1, 1, 0, 4, 4])
    """

    n_folds: int
    multipliers: tuple[int, int]
    addends: tuple[int, int]

    @classmethod
    def seeded(cls, n_folds: int, random_state: Any) -> RowIdFolds:
        """Draw the constants by a seed."""
        a, b, c, d = (int(v) for v in random_numbers(random_state).integers(1, PRIME, 4))
        return cls(n_folds, (a, c), (b, d))

    def of(self, ids: Any) -> Any:
        """Fold of each id, from 0.

        Parameters
        ----------
        ids : ndarray of int64, or narwhals expression of type Int64

        Returns
        -------
        the same kind
        """
        for step in self.steps:
            ids = step(ids)
        return ids

    @property
    def steps(self) -> tuple[Callable[[Any], Any], ...]:
        """The same in steps that name a number several times: engines compute it once for each.

        Each takes what the one before it gives; the first takes ids. Whether remainders of negative
        numbers are negative makes no difference.
        """
        (a, c), (b, d) = self.multipliers, self.addends
        return (
            lambda x: ((x % PRIME + PRIME) * a + b) % PRIME,
            lambda x: (x * x % PRIME * x % PRIME * c + d) % PRIME,
            lambda x: x * x % PRIME * x % PRIME % self.n_folds,
        )


def picked(ids: Any, step: int) -> Any:
    """Whether an id is one of a part of about one in ``step``, spread evenly over runs of ids.

    Equal ids are picked together; a part of a greater ``step`` is in that of a smaller one.

    Parameters
    ----------
    ids : ndarray of int64, or narwhals expression of type Int64
    step : int
        Above 0.

    Returns
    -------
    ndarray of bool, or expression

    Examples
    --------
    >>> import numpy as np
    >>> np.flatnonzero(picked(np.arange(30), 8))
    array([ 0,  5, 13, 18, 26])
    """
    return (ids % PRIME + PRIME) * _GOLDEN % PRIME < PRIME // step
