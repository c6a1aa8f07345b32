"""A11. The exact test of columns of two values, whatever holds the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import vtreat_py as vt


def rows_of(seed: int, n: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    on = random.random(n) < 0.2
    return pd.DataFrame(
        {
            "number": np.where(on, 7.5, -3.0),
            "text": np.where(on, "u", "v"),
            "lacking": np.where(random.random(n) < 0.1, np.nan, on),
            "y": (random.random(n) < 0.5 + 0.3 * on).astype(int),
            "w": random.integers(0, 4, n),
            "fold": np.arange(n) % 3,
            "id": np.arange(n),
        }
    )


def sigs(frame: Any, **options: Any) -> pd.Series:
    variables = ["number", "text", "lacking"]
    plan = vt.design_treatments(frame, outcome="y", variables=variables, cv="fold", **options)
    return plan.score_frame.set_index("variable")["sig"]


@pytest.mark.parametrize(("seed", "n"), [(0, 24), (1, 60), (2, 60), (3, 400), (4, 2500)])
def test_a11_numbers_of_two_values_are_tested_as_text_is(seed: int, n: int) -> None:
    rows = rows_of(seed, n)
    table = pd.crosstab(rows["text"], rows["y"])
    expected = sigs(rows)
    assert expected["number"] == pytest.approx(expected["text_lev_x_u"], rel=1e-9)
    if table.to_numpy().min() < 500 and expected["number"] < 0.1:
        assert expected["number"] == pytest.approx(stats.fisher_exact(table)[1], rel=1e-7)
    for found in (
        sigs(rows, keep_statistics=True),
        sigs(pl.from_pandas(rows).lazy(), row_id="id"),
        sigs(rows, target=0),
    ):
        pd.testing.assert_series_equal(found, expected, rtol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_a11_weights_are_repeats_where_there_are_two_values(seed: int) -> None:
    rows = rows_of(seed, 80)
    repeated = rows.loc[rows.index.repeat(rows["w"])]
    for target in (0, 1):
        weighted = sigs(rows, sample_weight="w", target=target)
        pd.testing.assert_series_equal(weighted, sigs(repeated, target=target), rtol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_a11_which_class_is_the_target_does_not_matter_where_rows_are_drawn(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = pd.DataFrame({"number": random.lognormal(0, 2, 90), "fold": np.arange(90) % 3})
    rows["text"] = np.append(np.repeat(np.arange(25), 2), np.arange(25, 65)).astype(str)
    rows["lacking"] = np.append(random.standard_cauchy(80), np.full(10, np.nan))
    rows["y"] = (random.random(90) < np.where(rows["number"] > 8, 0.6, 0.15)).astype(int)
    rows["w"] = random.random(90) + 0.5
    for options in ({}, {"sample_weight": "w"}):
        one, other = (sigs(rows, target=k, **options) for k in (0, 1))
        pd.testing.assert_series_equal(one, other, rtol=1e-7)


@pytest.mark.parametrize("far", [1e15, float(np.iinfo(np.int64).min), 1e100])
@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_a11_one_number_far_from_all_others_does_not_make_these_one_value(
    far: float, kind: str
) -> None:
    random = np.random.default_rng(5)
    z, noise = random.normal(size=(2, 400))
    y = z**2 + 0.3 * noise if kind == "numeric" else (z + noise > 0).astype(int)
    rows = pd.DataFrame({"z": z, "y": y, "id": np.arange(400)})
    rows.loc[0, "z"] = far
    for frame, options in (
        (rows, {}),
        (rows, {"keep_statistics": True}),
        (pl.from_pandas(rows).lazy(), {"row_id": "id"}),
    ):
        plan = vt.design_treatments(frame, outcome="y", variables=["z"], random_state=0, **options)
        assert plan.score_frame["sig"][0] < 1e-20  # of two values it is above .1


def test_a11_that_others_are_one_beside_it_is_said_of_shapes() -> None:
    z = np.random.default_rng(6).normal(size=300)
    frame = pd.DataFrame({"z": np.r_[1e15, z[1:]], "on": z > 0})
    plan = vt.design_treatments(frame, outcome=z, coders=["clean", "spline"], random_state=0)
    assert dict(plan.unused).keys() == {"z"}
    assert "beside a number that is far off" in dict(plan.unused)["z"]
    assert vt.TreatmentPlan.from_json(plan.to_json()) == plan
    assert "Codes not made:" in plan._repr_html_()
    assert "Columns not used:" not in plan._repr_html_()
