"""Curves give the bits of prepare on every engine: few knots as a CASE, many as a join."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt

TINY = 5e-324


def rows(n_rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    size = rng.normal(size=n_rows)
    town = rng.choice(["Ayr", "Bath", "Cork"], n_rows)
    return pd.DataFrame({"size": size, "town": town, "y": np.abs(size) + rng.normal(size=n_rows)})


def few(x: Any, y: Any, weight: Any) -> vt.Curve:
    return vt.Curve([-1.3, -0.5, 0.0, 0.7, 0.71, 1.1], [1 / 3, 0.1, 0.0, 0.0, 2.0, -0.7])


def steps(x: Any, y: Any, weight: Any) -> vt.Curve:
    return vt.Curve([-1.3, 0.0, 0.7], [1 / 3, 0.1, -5.0], "constant")


def many(x: Any, y: Any, weight: Any) -> Any:
    return np.round(np.sin(3 * x), 2)


CODERS = {
    "few": vt.NumberCoder(few),
    "steps": vt.NumberCoder(steps, center=True),
    "many": vt.NumberCoder(many),
    "own": vt.LevelCoder(lambda levels, y, weight: y),
}


@pytest.fixture(scope="module")
def plan() -> vt.TreatmentPlan:
    coders = [*CODERS, "clean"]
    return vt.design_treatments(
        rows(), outcome="y", custom_coders=CODERS, coders=coders, random_state=0
    )


def new() -> pd.DataFrame:
    train = rows()["size"].to_numpy()
    knots = [-1.3, -0.5, 0.0, 0.7, 0.71, 1.1]
    beside = [np.nextafter(one, side) for one in [*knots, *train[:40]] for side in (-9, 9)]
    odd = [np.nan, np.inf, -np.inf, -0.0, TINY, -TINY, 1e-310, 1e308, -1e308]
    size = np.concatenate([train, knots, beside, odd])
    town = np.resize(np.array(["Ayr", "Bath", None, "never"], dtype=object), len(size))
    return pd.DataFrame({"size": size, "town": town})


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres", "mysql", "clickhouse", "spark"])
def test_queries_give_the_bits_of_prepare(
    name: str, plan: vt.TreatmentPlan, request: pytest.FixtureRequest
) -> None:
    connection = duckdb.connect() if name == "duckdb" else request.getfixturevalue(name)
    for scale in (True,) if name == "spark" else (False, True):
        report = plan.check_sql(connection, new(), scale=scale)
        assert report.passed, report
        assert report.largest_difference == 0


def test_curves_of_many_knots_are_joined(plan: vt.TreatmentPlan) -> None:
    joins = {
        code: plan.to_sql("rows", dialect="duckdb", variables=[f"size_{code}"]).count("LEFT JOIN")
        for code in ("few", "steps", "many")
    }
    assert joins == {"few": 0, "steps": 0, "many": 1}


@pytest.mark.parametrize("scale", [False, True])
def test_lazy_frames_are_prepared_to_the_bit(plan: vt.TreatmentPlan, scale: bool) -> None:
    frame = new()
    expected = vt.prepare(plan, frame, scale=scale)
    lazy = vt.prepare(plan, pl.from_pandas(frame).lazy(), scale=scale).collect().to_pandas()
    pd.testing.assert_frame_equal(lazy, expected, check_exact=True)
    with duckdb.connect() as connection:
        relation = connection.from_df(frame.assign(id=range(len(frame))))
        found = vt.prepare(plan, relation, scale=scale, row_id="id").df().sort_values("id")
    pd.testing.assert_frame_equal(
        found.drop(columns="id").reset_index(drop=True), expected, check_exact=True
    )


@pytest.fixture(scope="module")
def far() -> tuple[vt.TreatmentPlan, pd.DataFrame]:
    """Curves whose slopes floats do not hold, but in units of their own."""
    rng = np.random.default_rng(4)
    x = np.concatenate([rng.normal(size=60) * 1e307, [0.0, 1e-30, -1.7e308, 1.7e308]])
    y = np.abs(x) * 1e-314 + rng.normal(size=64) * 1e-7
    made = vt.design_treatments(
        pd.DataFrame({"x": x}), outcome=y, coders=["piecewise", "window"], random_state=0
    )
    beside = [np.nextafter(one, side) for one in x for side in (-np.inf, np.inf)]
    between = [(one + other) / 2 for one, other in zip(x[:20], x[20:40], strict=True)]
    at = np.concatenate([x, beside, between, [TINY, -TINY, 1e-310, -1e-20, 1e-16, 1.0]])
    return made, pd.DataFrame({"x": at[np.isfinite(at)]})


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres", "mysql", "clickhouse"])
@pytest.mark.parametrize("scale", [False, True])
def test_queries_of_curves_in_units(
    name: str, scale: bool, far: tuple[Any, pd.DataFrame], request: pytest.FixtureRequest
) -> None:
    connection = duckdb.connect() if name == "duckdb" else request.getfixturevalue(name)
    report = far[0].check_sql(connection, far[1], scale=scale)
    assert report.passed, report
    assert report.largest_difference == 0


def test_lazy_frames_of_curves_in_units(far: tuple[Any, pd.DataFrame]) -> None:
    made, frame = far
    assert not (made.treatments[0].curves[0].curve.units == 1.0).all()
    expected = vt.prepare(made, frame)
    found = vt.prepare(made, pl.from_pandas(frame).lazy()).collect().to_pandas()
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
