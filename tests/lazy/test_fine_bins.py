"""Very many rows are fitted by narrow bins, in engines as in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.lazy.plans import assert_same_plan
from vtreat_py.lazy import fine_bins, poisson_queries
from vtreat_py.significance import logistic, newton

N = 3_000
OUTCOMES: dict[str, dict[str, Any]] = {
    "binomial": {"outcome": "won", "outcome_type": "binomial"},
    "multinomial": {"outcome": "kind", "outcome_type": "multinomial"},
    "rate": {"outcome": "count", "exposure": "years"},
}
WEIGHTS: dict[str, dict[str, Any]] = {
    "none": {},
    "frequency": {"sample_weight": "w"},
    "importance": {"sample_weight": "w", "weight_kind": "importance"},
}


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (newton, logistic):
        monkeypatch.setattr(module, "MANY_POINTS", 100)


def rows() -> pl.DataFrame:
    """Numbers of which some are bad, some far from the others, and some have no weight."""
    random = np.random.default_rng(7)
    x, t = random.normal(size=N), random.standard_t(3, size=N)
    x[:3] = np.nan, np.inf, -np.inf
    t[3:6] = 100.0, -90.0, 120.0
    both = np.where(np.isfinite(x), x, 0.0) + 0.1 * t
    won = random.random(N) < 1.0 / (1.0 + np.exp(1.0 - both))
    years = random.uniform(0.5, 2.0, N)
    return pl.DataFrame(
        {
            "id": np.arange(N), "x": x, "t": t, "few": np.floor(np.clip(both, -3.0, 3.0)),
            "won": won.astype(int), "kind": np.array(["a", "b", "c"])[won.astype(int) + (t > 1.0)],
            "years": years, "count": random.poisson(np.exp(0.3 * np.clip(both, -3, 3)) * years),
            "w": random.integers(0, 3, N).astype(float),
        }
    )  # fmt: skip


def options(outcome: str, weights: str) -> dict[str, Any]:
    shared = {"variables": ["x", "t", "few"], "row_id": "id", "random_state": 0}
    return shared | OUTCOMES[outcome] | WEIGHTS[weights]


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_lazy_frames_are_fitted_as_those_in_memory(outcome: str, weights: str) -> None:
    frame, given = rows(), options(outcome, weights)
    expected = vt.design_treatments(frame, **given)
    assert_same_plan(vt.design_treatments(frame.lazy(), **given), expected)


@pytest.mark.parametrize("outcome", ["multinomial", "rate"])
def test_engines_fit_as_memory_does(lazy: Callable[[pa.Table], Any], outcome: str) -> None:
    frame, given = rows(), options(outcome, "frequency")
    expected = vt.design_treatments(frame, **given)
    assert_same_plan(vt.design_treatments(lazy(frame.to_arrow()), **given), expected)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_rows_in_no_bin_that_are_too_many_are_fitted_where_they_are(
    outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, given = rows(), options(outcome, "none")
    expected = vt.design_treatments(frame, **given)
    monkeypatch.setattr(fine_bins, "MANY_POINTS", 2)
    monkeypatch.setattr(poisson_queries, "MANY_POINTS", 100)
    found = vt.design_treatments(frame.lazy(), **given)
    one, other = (plan.score_frame.set_index("variable") for plan in (found, expected))
    for name in ("rsq", "sig"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-6, atol=1e-9)
