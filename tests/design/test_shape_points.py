"""Points that stand for rows where the shape of a class is scored."""

from __future__ import annotations

import numpy as np
import pytest

from vtreat_py.design import shape_codes
from vtreat_py.significance.logistic import logistic_fit, logistic_score
from vtreat_py.statistics.moments import Moments


def parts_of(tail: float) -> Moments:
    """Many parts, narrow and wide ones, as a column has them with many folds."""
    rng = np.random.default_rng(0)
    x = np.clip(tail * rng.standard_t(3, 20_000), -14.0, 14.0)  # as far as log odds go
    rows = rng.integers(0, 60, len(x)).astype(float)
    hits = rng.binomial(rows.astype(int), 1.0 / (1.0 + np.exp(-x)))
    share = hits / np.where(rows > 0, rows, 1.0)
    xx = rows * (x * 10.0 ** rng.uniform(-4.0, -1.0, len(x))) ** 2
    inner = rows * share * (1.0 - share)
    xy = 0.5 * rng.uniform(-1.0, 1.0, len(x)) * np.sqrt(xx * inner)
    return Moments(rows, np.where(rows > 0, x, 0.0), share, xx, xy, inner)


@pytest.mark.parametrize("tail", [0.1, 0.5, 2.0])
def test_fewer_points_say_what_all_do(tail, monkeypatch):
    parts = parts_of(tail)
    few = shape_codes._points(parts)
    monkeypatch.setattr(shape_codes, "_MANY_PARTS", 1 << 20)
    monkeypatch.setattr(shape_codes, "_NARROW", 0.0)
    every = shape_codes._points(parts)
    assert few[0].size < every[0].size / 3
    for ours, theirs in zip(few[1:], every[1:], strict=True):
        np.testing.assert_allclose(ours.sum(), theirs.sum(), rtol=1e-12)
    found, expected = (logistic_score(logistic_fit(*points)) for points in (few, every))
    np.testing.assert_allclose(found.rsq, expected.rsq, atol=1e-6)
    np.testing.assert_allclose(found.slope, expected.slope, rtol=1e-5)
