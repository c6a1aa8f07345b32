"""Folds by integer arithmetic on a row id, the same on every engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from vtreat_py.base.seeds import random_numbers

# The largest prime below 2**31 that is 2 modulo 3, so that no two numbers have the same cube.
PRIME = 2_147_483_579

Numbers = TypeVar("Numbers")


@dataclass(frozen=True)
class RowIdFolds:
    """Which fold a row id belongs to: arithmetic that is exact in 64 bits, whoever does it.

    The id is reduced modulo the prime P = 2147483579; then two rounds of ``a * x + b`` and
    ``x ** 3`` modulo P mix it, and the remainder modulo the number of folds is its fold. Each round
    is a permutation of the numbers below P, as P is 2 modulo 3; no intermediate number reaches
    2**62. Products and remainders are all there is, so that numpy, polars, DuckDB, Spark and SQL
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
        x = ((ids % PRIME) + PRIME) % PRIME  # some engines' remainders of negatives are negative
        for multiplier, addend in zip(self.multipliers, self.addends, strict=True):
            x = (x * multiplier + addend) % PRIME
            x = ((x * x) % PRIME * x) % PRIME
        return x % self.n_folds
