"""B. Numbers at the edge of floats: scores do not change with the unit, or there is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import FrameError, InvalidOptionError, OutcomeError

N = 60
RNG = np.random.default_rng(5)
X = pd.DataFrame({"c": RNG.choice(list("abcd"), N), "z": RNG.standard_cauchy(N)})
X["m"] = np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N))
Y = X["z"].clip(-2, 2).to_numpy() + RNG.normal(size=N)
CLASS = (Y > 0).astype(int)
ENGINES = ["memory", "lazy", "kept"]


def made(engine: str, frame: pd.DataFrame, y: Any, **options: Any) -> tuple[Any, pd.DataFrame]:
    """Plan and cross-frame, by row."""
    rows = frame.assign(y=y, id=np.arange(N), fold=np.arange(N) % 3)
    given: dict[str, Any] = {"outcome": "y", "cv": "fold", "variables": list(frame), "scale": True}
    given |= options
    if engine == "lazy":
        lazily = vt.cross_frame_experiment(pl.from_pandas(rows).lazy(), row_id="id", **given)
        coded = lazily.cross_frame.collect().sort("id").drop("id").to_pandas()
        return lazily.plan, coded
    found = vt.cross_frame_experiment(rows, keep_statistics=engine == "kept", **given)
    return found.plan, found.cross_frame


def assert_same_scores(found: Any, expected: Any, rtol: float = 1e-9) -> None:
    for what in ("rsq", "sig"):
        pd.testing.assert_series_equal(
            found.score_frame[what], expected.score_frame[what], rtol=rtol
        )


@pytest.mark.halved
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("power", [-900, -538, 900])
@pytest.mark.parametrize("y", [Y, CLASS])
def test_b_the_unit_of_a_column_does_not_matter(engine: str, power: int, y: Any) -> None:
    expected, coded = made(engine, X, y)
    scaled = X.assign(z=X["z"] * 2.0**power, m=X["m"] * 2.0**power)
    found, again = made(engine, scaled, y)
    assert_same_scores(found, expected)
    pd.testing.assert_frame_equal(again, coded, rtol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_b_the_unit_of_an_outcome_does_not_matter_or_is_refused(engine: str) -> None:
    expected, coded = made(engine, X, Y)
    for power in (-380, 380):
        found, again = made(engine, X, Y * 2.0**power)
        assert_same_scores(found, expected)
        in_outcome_units = ~coded.columns.str.contains("catP_")
        pd.testing.assert_frame_equal(
            again.loc[:, in_outcome_units] * 2.0**-power, coded.loc[:, in_outcome_units], rtol=1e-9
        )
    outlier = np.append(Y[1:], 1e155)
    for y in (Y * 1e154, Y * 1e-165, outlier, np.linspace(1e304, 1e307, N)):
        with pytest.raises(OutcomeError, match="squares of such numbers leave the range of floats"):
            made(engine, X, y)


def test_b_outcomes_and_weights_are_refused_where_their_products_leave_the_range() -> None:
    for factor, weight in ((1e90, 1e60), (1e-90, 1e-60)):
        with pytest.raises(OutcomeError, match="with weights from"):
            made("memory", X, Y * factor, sample_weight=np.arange(1, N + 1) * weight)


def test_b_rows_of_more_statistics_are_checked_alike() -> None:
    plan, _ = made("kept", X, Y)
    with pytest.raises(OutcomeError, match="squares of such numbers leave the range of floats"):
        plan.statistics.of_rows(X, outcome=np.append(Y[1:], 1e155), folds=np.arange(N) % 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_b_slopes_that_floats_do_not_hold_are_refused(engine: str) -> None:
    for frame, y in (
        (X[["z"]] * 1e-320, Y),
        (X[["z"]] * 0 + (Y > 0)[:, None] * 5e-324, Y),
        (X[["z"]] * 1e300, Y * 1e-30),
    ):
        with pytest.raises(FrameError, match="column 'z' holds numbers from"):
            made(engine, frame, y)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("y", [Y, CLASS])
def test_b_d5_imputation_far_off_is_refused_where_it_would_be_used(engine: str, y: Any) -> None:
    with pytest.raises(InvalidOptionError, match="imputation of column 'm' is 1e\\+308"):
        made(engine, X, y, imputation=1e308)
    found, _ = made(engine, X[["z"]], y, imputation=1e308)
    assert_same_scores(found, made(engine, X[["z"]], y)[0])


@pytest.mark.parametrize("y", [Y, CLASS])
def test_b_smoothing_that_cannot_be_multiplied_is_refused(y: Any) -> None:
    with pytest.raises(InvalidOptionError, match="smoothing=1e\\+300"):
        made("memory", X, y, smoothing=1e300)
    assert np.isfinite(made("memory", X, y, smoothing=1e100)[1]).all(axis=None)


@pytest.mark.parametrize("y", [Y, CLASS])
def test_b_weights_are_relative_where_they_count_no_rows(y: Any) -> None:
    weight = RNG.random(N) + 0.1
    plans = [
        made("memory", X[["z", "m"]], y, sample_weight=weight * 2.0**power)[0]
        for power in (-320, -3, 300)
    ]
    for plan in plans[1:]:
        assert_same_scores(plan, plans[0], 1e-7)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("y", [Y, CLASS])
def test_b_rows_of_weight_0_count_nowhere_however_far_off(engine: str, y: Any) -> None:
    weight = (np.arange(N) > 2).astype(float)
    plans = []
    for far in (1.0, 1e300):
        frame = X.assign(z=np.where(weight > 0, X["z"], far), w=weight)
        kept = [name for name in frame if name != "w"]
        options = {"sample_weight": "w", "variables": kept, "force_split": True}
        plans.append(made(engine, frame, y, **options)[0])
    assert_same_scores(*plans)


def test_b_misses_are_never_less_than_none() -> None:
    weight = RNG.random(N) * 1e60
    _, coded = made("memory", X, (X["c"] == "a").to_numpy(), sample_weight=weight, smoothing=0.5)
    assert np.isfinite(coded).all(axis=None)
