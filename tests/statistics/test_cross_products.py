"""Cross-products: naive sums, parts that add up, weights that repeat rows."""

from __future__ import annotations

import numpy as np
import pytest

from vtreat_py.statistics.cross_products import CrossProducts

RANDOM = np.random.default_rng(0)
X = np.array([[1.0], [1e6], [-3.0]]) + RANDOM.normal(size=(3, 50))
Y = RANDOM.normal(size=(2, 50)) + X[0]
WEIGHT = RANDOM.integers(0, 4, 50).astype(float)


def naive(x: np.ndarray, y: np.ndarray) -> CrossProducts:
    dx = x - x.mean(axis=1, keepdims=True)
    dy = y - y.mean(axis=1, keepdims=True)
    yy = (dy**2).sum(axis=1)
    return CrossProducts(
        float(x.shape[1]), x.mean(axis=1), y.mean(axis=1), dx @ dx.T, dx @ dy.T, yy
    )


def assert_equal(ours: CrossProducts, theirs: CrossProducts) -> None:
    for name in ("weight", "x", "y", "xx", "xy", "yy"):
        expected = np.asarray(getattr(theirs, name))
        np.testing.assert_allclose(getattr(ours, name), expected, 1e-10, 1e-7, err_msg=name)


def test_sums_are_those_of_the_definition() -> None:
    assert_equal(CrossProducts.of_rows(X, Y), naive(X, Y))


def test_weights_repeat_rows() -> None:
    repeated = np.repeat(np.arange(50), WEIGHT.astype(int))
    assert_equal(CrossProducts.of_rows(X, Y, WEIGHT), naive(X[:, repeated], Y[:, repeated]))


@pytest.mark.parametrize("cut", [0, 1, 20, 50])
def test_parts_add_up(cut: int) -> None:
    parts = [
        CrossProducts.of_rows(X[:, rows], Y[:, rows], WEIGHT[rows])
        for rows in (slice(0, cut), slice(cut, 50))
    ]
    assert_equal(parts[0] + parts[1], CrossProducts.of_rows(X, Y, WEIGHT))


def test_moments_are_those_of_one_outcome() -> None:
    moments = CrossProducts.of_rows(X, Y).moments(1)
    expected = [np.polyfit(x, Y[1], 1)[0] for x in X - X.mean(axis=1, keepdims=True)]
    np.testing.assert_allclose(moments.xy / moments.xx, expected, rtol=1e-6)
    np.testing.assert_allclose(moments.yy, Y[1].var() * 50)
