"""p-values of shapes: whether the outcome changes with a number in any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import vtreat_py as vt
from vtreat_py.significance.combination import cauchy_combination
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

ROWS = 600
SHAPES = ["piecewise", "spline", "window", "isotonic", "bins"]


def sigs(frame: pd.DataFrame, y: Any, **options: Any) -> pd.Series:
    options = {"coders": ["clean", "window"], "random_state": 0, **options}
    plan = vt.design_treatments(frame, outcome=y, **options)
    return plan.score_frame.set_index("variable")["sig"]


def of_degree(place: Any, y: Any, degree: int) -> float:
    """p-value of what a polynomial has that those of lower degrees have not, without those."""
    basis = np.vander(place, degree, increasing=True)
    x = place**degree
    x = x - basis @ np.linalg.lstsq(basis, x, rcond=None)[0]
    return float(stats.linregress(x, y).pvalue)


def expected(x: Any, y: Any, copied: float, degrees: tuple[int, ...] = (1, 2, 3)) -> float:
    """What the clean copy, deciles and three curves over 30 ranges have for a p-value."""
    edges = np.unique(np.sort(x)[np.arange(1, 30) * ROWS // 30 - 1])
    place = stats.rankdata(np.searchsorted(edges, x))
    rank = (place - 0.5) / ROWS
    decile = np.unique(np.floor(10 * rank), return_inverse=True)[1]
    of_y = OutcomePowers.of_sample(Sample.of_values(y))
    of_deciles = level_effects_test(OutcomeSums.of_rows(decile, decile.max() + 1, y), of_y)
    curves = [of_degree(rank if k == 3 else stats.norm.ppf(rank), y, k) for k in degrees]
    ends = np.quantile(x[x < x.max()], [0.1, 0.9], method="inverted_cdf")
    likeness = min(np.ptp(ends) / (2.0 * stats.norm.ppf(0.9) * x.std()), 1.0)
    rising, parts = 0.83 - 0.28 * likeness, np.array([1.0, 2.0, 1.0][: len(curves)])
    weights = [0.1, rising, *((0.9 - rising) * parts / parts.sum())]
    return cauchy_combination([copied, curves[0], of_deciles, *curves[1:]], weights)


def test_five_questions_have_one_p_value() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, ROWS))
    y += 0.1 * x * x
    found = sigs(pd.DataFrame({"x": x}), y, coders=["clean", *SHAPES])
    assert found["x_window"] == pytest.approx(expected(x, y, found["x"]), rel=1e-6)
    assert set(found.drop("x")) == {found["x_window"]}


def test_ranks_weigh_more_where_the_number_has_a_long_tail() -> None:
    random = np.random.default_rng(7)
    x = random.lognormal(0.0, 1.5, ROWS)
    y = random.normal(size=ROWS) + 0.08 * np.log(x)
    found = sigs(pd.DataFrame({"x": x}), y)
    assert found["x_window"] == pytest.approx(expected(x, y, found["x"]), rel=1e-6)


def test_three_values_have_no_waves() -> None:
    random = np.random.default_rng(1)
    x, y = random.integers(0, 3, ROWS) * 1.0, random.normal(size=ROWS)
    found = sigs(pd.DataFrame({"x": x}), y)
    assert found["x_window"] == pytest.approx(expected(x, y, found["x"], (1, 2)), rel=1e-6)


def test_rare_values_are_seen_on_either_side() -> None:
    random = np.random.default_rng(6)
    rare = np.where(random.random(ROWS) < 0.02, 1.0 + random.random(ROWS), 0.0)
    y = random.normal(size=ROWS) + 2.0 * (rare > 0)
    found = sigs(pd.DataFrame({"high": rare, "low": -rare}), y)
    assert found["high_window"] == pytest.approx(found["low_window"], rel=1e-6)
    assert found["high_window"] < 1e-4


@pytest.mark.parametrize("kind", ["normal", "heavy", "class"])
def test_weak_shapes_are_found_before_the_clean_copy_finds_them(kind: str) -> None:
    random = np.random.default_rng(2)
    normal = random.normal(size=(8, ROWS))
    tails = np.exp(1.5 * random.normal(size=(8, ROWS)))
    noise = random.normal(size=ROWS) if kind != "heavy" else random.standard_t(2, ROWS)
    columns = {f"x{k}": x for k, x in enumerate([*normal, *tails])}
    effect = (normal**2).sum(axis=0) / np.sqrt(2.0) + np.log(tails).sum(axis=0) / 1.5
    y = 0.25 * effect + noise
    if kind == "class":
        y = (y > y.mean()).astype(int)
    found = sigs(pd.DataFrame(columns), y)
    of_copy = np.array([found[name] for name in columns])
    of_shape = np.array([found[f"{name}_window"] for name in columns])
    assert np.median(of_shape[:8] / of_copy[:8]) < 0.7
    assert np.median(of_shape[8:] / of_copy[8:]) < 0.7


@pytest.mark.halved
@pytest.mark.parametrize("kind", ["numeric", "heavy", "binomial", "multinomial"])
def test_lazy_frames_have_the_same_p_values(kind: str) -> None:
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, ROWS))
    y = y + 0.2 * np.abs(x) if kind != "heavy" else random.standard_t(2, ROWS)
    if kind in ("binomial", "multinomial"):
        y = (y > 1).astype(int) if kind == "binomial" else np.digitize(y, [-0.5, 1.0]).astype(str)
    gaps = np.where(random.random(ROWS) < 0.1, np.nan, x + random.normal(size=ROWS))
    table = pl.DataFrame({"x": x, "gaps": gaps, "few": random.poisson(1.0, ROWS), "y": y})
    table = table.with_columns(row=pl.int_range(ROWS), w=pl.int_range(ROWS) % 4)
    given: dict[str, Any] = {"outcome": "y", "cv": 3, "row_id": "row", "random_state": 0}
    given |= {"variables": ["x", "gaps", "few"], "sample_weight": "w", "coders": ["window"]}
    one, other = (vt.design_treatments(rows, **given).score_frame for rows in (table, table.lazy()))
    assert list(one["variable"]) == list(other["variable"])
    np.testing.assert_allclose(one["sig"], other["sig"], rtol=1e-7)


def test_kept_sums_know_shapes_but_no_ranks() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=ROWS)
    frame, y = pd.DataFrame({"x": x}), random.standard_t(6, ROWS) + 0.1 * x * x
    kept, plain = (sigs(frame, y, keep_statistics=k) for k in (True, False))
    assert kept["x_window"] == pytest.approx(expected(x, y, kept["x"]), rel=1e-6)
    assert plain["x_window"] != pytest.approx(kept["x_window"], rel=1e-3)


@pytest.mark.long
def test_noise_passes_as_seldom_as_is_said() -> None:
    random = np.random.default_rng(5)
    found = []
    for _ in range(6):
        table = pd.DataFrame({f"x{k}": random.lognormal(size=300) for k in range(30)})
        found.append(sigs(table, random.standard_cauchy(300), coders=["window"]))
    p = np.concatenate(found)
    assert (p <= 0.05).sum() <= stats.binom.ppf(1 - 1e-4, 180, 0.05)
