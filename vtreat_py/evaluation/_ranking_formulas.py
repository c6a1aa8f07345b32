"""Metrics of rankings, a number for each query; their expectation where documents tie.

Sums over ranks are those of R. McSherry and M. Najork, "Computing information retrieval performance
measures efficiently in the presence of tied scores", ECIR 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.evaluation._ranked import RankedQueries, alike


@dataclass(frozen=True, eq=False)
class Gains:
    """What relevance is worth.

    Attributes
    ----------
    exponential : bool
        ``2**relevance - 1``, else the relevance itself.
    greatest : float
        The greatest relevance that there may be.
    """

    exponential: bool
    greatest: float

    def of(self, relevance: FloatArray) -> FloatArray:
        """Gain of each document."""
        return _above_one(relevance) if self.exponential else relevance

    def satisfied(self, relevance: FloatArray) -> FloatArray:
        """Probability that a reader stops at each document."""
        return np.asarray(_above_one(relevance) * np.exp2(-self.greatest))


def _above_one(power: FloatArray) -> FloatArray:
    """``2**power - 1``, with all digits of those near 0."""
    return np.where(power < 1.0, np.expm1(np.log(2.0) * power), np.exp2(power) - 1.0)


Metric = Callable[[RankedQueries, Gains, float], FloatArray]


def dcg(ranked: RankedQueries, gains: Gains, most: float) -> FloatArray:
    """Discounted cumulative gain."""
    return _discounted(ranked, ranked.averaged(gains.of(ranked.relevance)), most)


def ndcg(ranked: RankedQueries, gains: Gains, most: float) -> FloatArray:
    """That over the greatest there is; NaN without relevant documents."""
    best = _discounted(ranked, gains.of(ranked.ideal), most)
    return _over(dcg(ranked, gains, most), best)


def _discounted(ranked: RankedQueries, gain: FloatArray, most: float) -> FloatArray:
    return ranked.by_query(_upto(ranked, gain / np.log2(ranked.rank + 1.0), most))


def precision(ranked: RankedQueries, gains: Gains, most: float) -> FloatArray:  # noqa: ARG001
    """Share of relevant documents among the first; without a number, among all."""
    hits = _hits(ranked, most)
    return hits / (most if np.isfinite(most) else ranked.by_query(np.ones(len(ranked.rank))))


def recall(ranked: RankedQueries, gains: Gains, most: float) -> FloatArray:  # noqa: ARG001
    """Share of the relevant documents that are among the first; NaN where there are none."""
    return _over(_hits(ranked, most), ranked.by_query(ranked.relevant))


def _hits(ranked: RankedQueries, most: float) -> FloatArray:
    return ranked.by_query(_upto(ranked, ranked.averaged(ranked.relevant), most))


def average_precision(
    ranked: RankedQueries,
    gains: Gains,  # noqa: ARG001
    most: float,
) -> FloatArray:
    """Mean, over relevant documents, of the precision at their ranks; NaN where there are none."""
    relevant, size = ranked.relevant, ranked.of_blocks(ranked.block_sizes)
    of_block = ranked.of_blocks(ranked.by_block(relevant))
    place = np.arange(len(size)) - ranked.of_blocks(ranked.block)
    others = place * np.maximum(of_block - 1.0, 0.0) / np.maximum(size - 1.0, 1.0)
    found = of_block / size * (ranked.before(relevant) + 1.0 + others) / ranked.rank
    return _over(ranked.by_query(_upto(ranked, found, most)), ranked.by_query(relevant))


def reciprocal_rank(
    ranked: RankedQueries,
    gains: Gains,  # noqa: ARG001
    most: float,
) -> FloatArray:
    """One over the rank of the first relevant document; 0 where there are none."""
    found = np.zeros(len(ranked.start))
    relevant = ranked.by_block(ranked.relevant)
    some = np.flatnonzero(relevant > 0)
    query, first = np.unique(ranked.query_of_block[some], return_index=True)
    block = some[first]
    size, hits, rank = ranked.block_sizes[block], relevant[block], ranked.rank[ranked.block[block]]
    for which, places in alike(size):
        of, among = size[which][:, None], hits[which][:, None]
        later = np.clip((of - among - places) / np.maximum(of - places, 1), 0.0, 1.0)
        none_yet = np.column_stack([np.ones(len(which)), np.cumprod(later, axis=1)])
        at = rank[which][:, None] + places
        is_first = none_yet[:, :-1] - none_yet[:, 1:]
        found[query[which]] = np.where(at <= most, is_first / at, 0.0).sum(axis=1)
    return found


def expected_reciprocal_rank(ranked: RankedQueries, gains: Gains, most: float) -> FloatArray:
    """Expected reciprocal rank at which a reader stops (O. Chapelle et al., CIKM 2009)."""
    stays = 1.0 - gains.satisfied(ranked.relevance)
    left = ranked.left_before(stays)
    found, tied = np.empty(len(stays)), _matter(ranked, stays)
    in_order = np.repeat(~tied, ranked.block_sizes)
    place = np.arange(len(stays)) - ranked.of_blocks(ranked.block)
    found[in_order] = (ranked.of_blocks(left) * stays**place * (1.0 - stays))[in_order]
    for which, places in alike(ranked.block_sizes[tied]):
        blocks = np.flatnonzero(tied)[which]
        size, rows = ranked.block_sizes[blocks], ranked.block[blocks][:, None] + places
        known = places < size[:, None]
        of_sets = _means_of_products(stays[np.where(known, rows, 0)], size)
        stops = left[blocks][:, None] * (of_sets[:, :-1] - of_sets[:, 1:])
        found[rows[known]] = stops[known]
    return ranked.by_query(_upto(ranked, found / ranked.rank, most))


def _matter(ranked: RankedQueries, values: FloatArray) -> BoolArray:
    """Whether the order of a block's documents is one of different values."""
    least = np.minimum.reduceat(values, ranked.block)
    return np.asarray(least < np.maximum.reduceat(values, ranked.block))


def _means_of_products(values: FloatArray, size: IntArray) -> FloatArray:
    """Mean product of so many of the values of each line, for 0, 1, ... of them.

    Values come in one after the other: of m of them, a set of j holds the last with probability
    j / m.
    """
    width = values.shape[1]
    means, number = np.zeros((len(values), width + 1)), np.arange(1.0, width + 1)
    means[:, 0] = 1.0
    for m in range(1, width + 1):
        of_more = ((m - number) * means[:, 1:] + number * values[:, m - 1 : m] * means[:, :-1]) / m
        means[:, 1:] = np.where((m <= size)[:, None], of_more, means[:, 1:])
    return means


def _upto(ranked: RankedQueries, values: FloatArray, most: float) -> FloatArray:
    return np.where(ranked.rank <= most, values, 0.0) if np.isfinite(most) else values


def _over(values: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide; NaN where there is nothing to divide by."""
    quotients = np.full(len(values), np.nan)
    np.divide(values, whole, out=quotients, where=whole > 0)
    return quotients


METRICS: dict[str, Metric] = {
    "ndcg": ndcg,
    "dcg": dcg,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "err": expected_reciprocal_rank,
    "precision": precision,
    "recall": recall,
}
