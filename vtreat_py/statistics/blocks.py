"""Rows a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from vtreat_py.base.arrays import FloatArray

# Rows at a time: what is made of them stays in the cache of the processor.
ROWS = 1 << 15


def blocks(n: int, size: int = ROWS) -> Iterator[slice]:
    """Cut n rows into pieces that stay in the processor's cache."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def by_blocks(n: int, make: Callable[[slice], FloatArray]) -> FloatArray:
    """Make an array of n numbers piece by piece, so that what comes between stays in the cache."""
    made = np.empty(n)
    for some in blocks(n):
        made[some] = make(some)
    return made
