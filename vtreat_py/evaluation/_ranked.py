"""Documents of queries in the order of their scores, and sums along it; ties are averaged over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RankedQueries:
    """Documents sorted by query and, within one, from the best score to the worst.

    Documents of a query with one score are a block, which may come in any order; a document that
    is alone is a block of one.

    Attributes
    ----------
    relevance : ndarray of shape (n,)
        0 or more; in sorted order.
    start : ndarray of int, shape (q,)
        Where each query starts; it has a document at least.
    block : ndarray of int, shape (b,)
        Where each block starts.
    """

    relevance: FloatArray
    start: IntArray
    block: IntArray

    @classmethod
    def of(
        cls, relevance: FloatArray, scores: FloatArray, query: IntArray, *, ties_in_order: bool
    ) -> RankedQueries:
        """Sort documents; ``ties_in_order``: those of one score stay in the order they have."""
        order = np.lexsort((-scores, query))
        query, scores = query[order], scores[order]
        new_query = np.append(True, query[1:] != query[:-1])
        new_block = new_query | np.append(True, scores[1:] != scores[:-1])
        if ties_in_order:
            new_block[:] = True
        return cls(relevance[order], np.flatnonzero(new_query), np.flatnonzero(new_block))

    @cached_property
    def rank(self) -> IntArray:
        """Rank of each document in its query, from 1 on."""
        return np.arange(1, len(self.relevance) + 1) - np.repeat(self.start, self._lengths)

    @cached_property
    def _lengths(self) -> IntArray:
        return np.diff(self.start, append=len(self.relevance))

    @cached_property
    def block_sizes(self) -> IntArray:
        """Documents of each block."""
        return np.diff(self.block, append=len(self.relevance))

    @cached_property
    def relevant(self) -> FloatArray:
        """1 for documents with any relevance."""
        return (self.relevance > 0).astype(np.float64)

    def by_query(self, values: FloatArray) -> FloatArray:
        """Sum a number of each document by query."""
        return np.asarray(np.add.reduceat(values, self.start))

    def by_block(self, values: FloatArray) -> FloatArray:
        """Sum a number of each document by block."""
        return np.asarray(np.add.reduceat(values, self.block))

    def of_blocks(self, values: Any) -> Any:
        """Give each document the value of its block."""
        return np.repeat(values, self.block_sizes)

    def averaged(self, values: FloatArray) -> FloatArray:
        """Expected value at each rank, where documents of a block come in random order."""
        return np.asarray(self.of_blocks(self.by_block(values) / self.block_sizes))

    def before(self, values: FloatArray) -> FloatArray:
        """Sum a number over the documents of the query that lie in earlier blocks."""
        upto = np.cumsum(values) - values
        of_block = upto[self.block] - upto[self.start][self.query_of_block]
        return np.asarray(self.of_blocks(of_block))

    @cached_property
    def query_of_block(self) -> IntArray:
        """Query of each block."""
        return np.searchsorted(self.start, self.block, side="right") - 1

    @cached_property
    def ideal(self) -> FloatArray:
        """Relevances in the best order of each query."""
        query = np.repeat(np.arange(len(self.start)), self._lengths)
        return self.relevance[np.lexsort((-self.relevance, query))]

    def left_before(self, stays: FloatArray) -> FloatArray:
        """Multiply a number over the documents of the query that lie in earlier blocks."""
        product = np.ones(len(stays))
        for some, places in alike(self._lengths):
            rows = self.start[some][:, None] + places
            known = places < self._lengths[some][:, None]
            values = np.where(known, stays[np.where(known, rows, 0)], 1.0)
            upto = np.cumprod(values, axis=1)
            before = np.column_stack([np.ones(len(some)), upto[:, :-1]])
            product[rows[known]] = before[known]
        return product[self.block]


def alike(sizes: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Group segments of like sizes, so that few places are left over in a table of them.

    Yields
    ------
    some : ndarray of int, shape (m,)
        Segments.
    places : ndarray of int, shape (largest of their sizes,)
    """
    width = np.frexp(sizes - 0.5)[1]
    for one in np.unique(width):
        some = np.flatnonzero(width == one)
        yield some, np.arange(sizes[some].max())
