"""Everything but one's own part, or before it, by addition only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar

import numpy as np

from vtreat_py.base.arrays import IntArray


class Summed(Protocol):
    """Arrays of sums that can be picked, replaced and added."""

    def take(self, index: IntArray | slice) -> Self: ...  # noqa: D102
    def replaced(self, index: IntArray, values: Self) -> Self: ...  # noqa: D102
    def __add__(self, other: Self) -> Self: ...


T = TypeVar("T", bound=Summed)


def all_but_one(parts: Sequence[T], empty: T) -> list[T]:
    """Merge, for each of a few parts, all the others: `all_but_own` for parts held as a list."""
    before = all_of_those_before(parts, empty)
    after, others = empty, []
    for part, left in zip(reversed(parts), reversed(before), strict=True):
        others.append(left + after)
        after = part + after
    return others[::-1]


def all_of_those_before(parts: Sequence[T], empty: T) -> list[T]:
    """Merge, for each of a few parts, those that stand before it."""
    before = [empty]
    for part in parts[:-1]:
        before.append(before[-1] + part)
    return before


def all_before(parts: T, size: int, empty: T) -> T:
    """Merge, for each of ``size`` parts, those that stand before it."""
    before, running = empty.take(np.zeros(size, dtype=np.intp)), empty
    for place in range(1, size):
        running = running + parts.take(np.array([place - 1]))
        before = before.replaced(np.array([place]), running)
    return before


def all_but_own(parts: T, rank: IntArray, size: IntArray, empty: T) -> T:
    """Merge, for each part, the other parts of its segment.

    Parts of a segment stand next to each other; ``rank`` counts them from 0 and ``size``
    says how many there are. Running sums from both sides are added, nothing is subtracted:
    the own part never enters, so no trace of it is left by rounding, and squares do not
    cancel. The cost grows with the logarithm of the longest segment.

    Parameters
    ----------
    parts : Summed
        The sums of m parts.
    rank, size : ndarray of shape (m,)
        Place of the part in its segment, and length of the segment.
    empty : Summed
        One entry: the sum of no rows.
    """
    nothing = empty.take(np.zeros(len(rank), dtype=np.intp))
    some = np.flatnonzero(size > 1)  # the only part of its segment has no others
    if not len(some):
        return nothing
    shared, rank, size = parts.take(some), rank[some], size[some]
    index = np.arange(len(some))
    before = _running(shared, rank, step=-1)
    after = _running(shared, size - 1 - rank, step=1)
    blank = nothing.take(slice(len(some)))
    first, last = rank == 0, rank == size - 1
    left = blank.replaced(index[~first], before.take(index[~first] - 1))
    right = blank.replaced(index[~last], after.take(index[~last] + 1))
    return nothing.replaced(some, left + right)


def _running(parts: T, depth: IntArray, step: int) -> T:
    """Sum each part with the ``depth`` parts that lie in the direction of ``step``."""
    stride, deepest = 1, int(depth.max(initial=0))
    while stride <= deepest:
        reached = np.flatnonzero(depth >= stride)
        further = parts.take(reached + step * stride)
        parts = parts.replaced(reached, parts.take(reached) + further)
        stride *= 2
    return parts
