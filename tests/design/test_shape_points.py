"""Points that stand for rows where the shape of a class is scored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
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


@pytest.mark.parametrize("kind", ["numeric", "class"])
def test_clean_copies_say_the_same_beside_shapes(kind):
    rng = np.random.default_rng(1)
    x = rng.normal(size=3_000)
    y = x + rng.normal(size=3_000)
    frame = pd.DataFrame({"x": np.where(rng.random(3_000) < 0.1, np.nan, 1e6 + x), "y": y})
    if kind == "class":
        frame["y"] = frame["y"] > 0.5
    alone, beside = (
        vt.cross_frame_experiment(frame, outcome="y", random_state=0, coders=coders, scale=True)
        for coders in (["clean", "isBAD"], ["clean", "isBAD", "bins"])
    )
    scores = [one.plan.score_frame.set_index("variable") for one in (alone, beside)]
    for name in ("rsq", "sig"):
        expected = scores[0][name]
        np.testing.assert_allclose(scores[1].loc[expected.index, name], expected, rtol=1e-10)
    expected = alone.cross_frame.drop(columns="y", errors="ignore")
    np.testing.assert_allclose(beside.cross_frame[expected.columns], expected, rtol=1e-9)
