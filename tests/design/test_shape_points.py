"""Points that stand for rows where the shape of a class is scored."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, PoissonRegressor
from sklearn.metrics import log_loss, mean_poisson_deviance

import vtreat_py as vt
from vtreat_py.design import shape_codes
from vtreat_py.significance.logistic import logistic_fit, logistic_score
from vtreat_py.statistics.moments import Moments


def parts_of(tail: float) -> Moments:
    """Many parts, narrow and wide ones."""
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
def test_narrow_parts_need_one_point_a_class(tail, monkeypatch):
    parts, error = parts_of(tail), shape_codes._NARROW**2
    few = shape_codes._points(parts)
    monkeypatch.setattr(shape_codes, "_NARROW", 0.0)
    every = shape_codes._points(parts)
    assert few[0].size < 0.8 * every[0].size
    for ours, theirs in zip(few[1:], every[1:], strict=True):
        np.testing.assert_allclose(ours.sum(), theirs.sum(), rtol=1e-12)
    found, expected = (logistic_score(logistic_fit(*points)) for points in (few, every))
    np.testing.assert_allclose(found.rsq, expected.rsq, rtol=error)
    np.testing.assert_allclose(found.slope, expected.slope, rtol=error)


@pytest.mark.parametrize("cv", [5, 50])
@pytest.mark.parametrize("kind", ["class", "rate"])
def test_scores_on_a_link_are_those_of_a_regression_on_the_rows(kind, cv):
    """With many folds, bins and folds are too many parts: neighbouring folds are taken together."""
    rng = np.random.default_rng(7)
    x = rng.uniform(-3.0, 3.0, 30_000)
    at = np.sin(2.0 * x) - 1.0
    y = rng.poisson(np.exp(at)) if kind == "rate" else (rng.random(30_000) < expit(at)) * 1
    made = vt.cross_frame_experiment(
        pd.DataFrame({"x": x, "years": 1.0}),
        outcome=y,
        outcome_type="rate" if kind == "rate" else "binomial",
        variables=["x"],
        exposure="years" if kind == "rate" else None,
        coders=["piecewise", "spline", "window", "isotonic", "bins"],
        random_state=0,
        prune_sig=None,
        cv=cv,
    )
    scores = made.plan.score_frame.set_index("variable")["rsq"]
    loss = mean_poisson_deviance if kind == "rate" else log_loss
    model = PoissonRegressor(alpha=0) if kind == "rate" else LogisticRegression(C=np.inf)
    without = loss(y, np.full(len(y), y.mean()))
    for name, score in scores.items():
        code = made.cross_frame[[name]]
        fitted = model.set_params(tol=1e-10).fit(code, y)
        said = fitted.predict(code) if kind == "rate" else fitted.predict_proba(code)[:, 1]
        assert score == pytest.approx(1.0 - loss(y, said) / without, abs=2e-4)


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
