"""y-aware slopes of all columns of a matrix, from its cross-products with the outcome."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.design.scoring import combined_slopes
from vtreat_py.outcome.outcome import OutcomeRows
from vtreat_py.significance.linear import linear_slope
from vtreat_py.significance.logistic import logistic_fit
from vtreat_py.statistics.cross_products import CrossProducts
from vtreat_py.yaware.matrix import NumericMatrix


def contrasts_of(outcome: OutcomeRows) -> list[OutcomeRows]:
    """Return what slopes are taken against: the outcome, or each of several classes."""
    return [outcome.of_class(k) for k in range(len(outcome.classes))] or [outcome]


def cross_products(matrix: NumericMatrix, contrasts: list[OutcomeRows]) -> CrossProducts:
    """Sum over the rows, block by block: one pass for all columns and outcomes."""
    total: CrossProducts | None = None
    weight = contrasts[0].weight
    for rows, x in matrix.blocks():
        y = np.stack([c.y[rows] for c in contrasts]).astype(np.float64)
        part = CrossProducts.of_rows(x, y, None if weight is None else weight[rows])
        total = part if total is None else total + part
    assert total is not None
    return total


def y_aware_slopes(
    matrix: NumericMatrix, products: CrossProducts, contrasts: list[OutcomeRows], link: bool
) -> FloatArray:
    """Slope of each column, in inner coordinates; of several classes, the length of the vector."""
    if link:
        return combined_slopes([_link_slopes(matrix, products, c) for c in contrasts])
    return linearised_slopes(matrix, products, link=False)


def linearised_slopes(matrix: NumericMatrix, products: CrossProducts, link: bool) -> FloatArray:
    """y-aware slopes by what columns and outcome have in common alone.

    In link units the first step of the logistic fit from no effect: the linear slope over the
    variance of the outcome.
    """
    slopes = []
    for k, variation in enumerate(products.yy):
        moments = products.moments(k)
        slope = linear_slope(replace(moments, x=moments.x + matrix.centre))
        slopes.append(slope * products.weight / variation if link else slope)
    return combined_slopes(slopes)


def _link_slopes(
    matrix: NumericMatrix, products: CrossProducts, contrast: OutcomeRows
) -> FloatArray:
    slopes = np.zeros(len(products.x))
    weight = contrast.weight
    total = None if weight is None else weight[None]
    hits = contrast.y.astype(np.float64) if weight is None else weight * contrast.y
    for j in np.flatnonzero(products.xx.diagonal() > 0):
        slopes[j] = logistic_fit(matrix.inner(int(j))[None], total, hits[None]).slope[0]
    return slopes
