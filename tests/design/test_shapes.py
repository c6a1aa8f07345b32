"""p-values that see more than a line, and more than means: in designs, by all engines."""

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
from vtreat_py.significance.normal_scores import NormalScores
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

ROWS = 800


def sigs(frame: pd.DataFrame, y: Any, **options: Any) -> pd.Series:
    options = {"random_state": 0, "smoothing": 1.0, **options}
    plan = vt.design_treatments(frame, outcome=y, **options)
    return plan.score_frame.set_index("variable")["sig"]


def test_of(level: Any, y: Any) -> float:
    sums = OutcomeSums.of_rows(level, int(level.max()) + 1, y)
    return level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(y)))


test_of.__test__ = False  # type: ignore[attr-defined]


def heavy() -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(1)
    x, c = random.normal(size=ROWS), random.integers(0, 12, ROWS)
    frame = pd.DataFrame(
        {
            "x": x,
            "skewed": random.lognormal(sigma=1.5, size=ROWS),
            "gaps": np.where(random.random(ROWS) < 0.2, np.nan, x + random.normal(size=ROWS)),
            "few": random.poisson(1.0, ROWS),
            "c": np.where(c == 11, None, c.astype(str)),
        }
    )
    return frame, random.standard_t(2, ROWS) + 0.6 * (x > 1) + 1.2 * (c == 3)


def test_a_line_and_ranges_have_one_p_value() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, ROWS))
    y += 0.15 * x * x
    edges = np.quantile(x, np.arange(1, 10) / 10, method="inverted_cdf")
    parts = [stats.linregress(x, y).pvalue, test_of(np.searchsorted(edges, x), y)]
    found = sigs(pd.DataFrame({"x": x}), y)["x"]
    assert found == pytest.approx(cauchy_combination(parts, [0.8, 0.2]), rel=1e-9)


def test_means_and_ranks_of_levels_have_one_p_value() -> None:
    frame, y = heavy()
    level = pd.factorize(frame["c"], use_na_sentinel=False)[0]
    parts = [test_of(level, y), test_of(level, NormalScores.of_values(y).of(y))]
    found = sigs(frame, y)["c_catN"]
    assert found == pytest.approx(cauchy_combination(parts, [0.65, 0.35]), rel=1e-4)
    assert found < parts[0] / 3


def test_light_tails_ask_for_no_ranks() -> None:
    frame, y = heavy()
    y = NormalScores.of_values(y).of(y) + np.random.default_rng(2).normal(size=ROWS)
    level = pd.factorize(frame["c"], use_na_sentinel=False)[0]
    assert sigs(frame, y)["c_catN"] == pytest.approx(test_of(level, y), rel=1e-9)


SHAPES = {
    "square": lambda x: x * x,
    "wave": lambda x: np.sin(3.0 * x),
    "logarithm": lambda x: np.log(np.abs(x) + 0.01),
}


@pytest.mark.parametrize("kind", ["normal", "heavy", "class"])
@pytest.mark.parametrize("shape", list(SHAPES))
def test_shapes_are_found(shape: str, kind: str) -> None:
    random = np.random.default_rng(3)
    x, noise = random.normal(size=(2, ROWS))
    y = SHAPES[shape](x) + (noise if kind != "heavy" else random.standard_t(2, ROWS))
    y = y if kind != "class" else (y > y.mean()).astype(int)
    assert sigs(pd.DataFrame({"x": x}), y)["x"] < 1e-4


def test_bad_values_are_where_their_imputation_is() -> None:
    """That some are bad is for isBAD to tell: the clean copy has a value there as anywhere."""
    x, y = np.random.default_rng(4).normal(size=(2, ROWS))
    y[:200] += 3.0 * np.array([1, -1] * 100)
    frame = pd.DataFrame({"x": np.where(np.arange(ROWS) < 200, np.nan, x)})
    imputed = {"imputation": float(np.nanquantile(frame["x"], 0.95))}
    place = np.searchsorted(
        np.nanquantile(frame["x"], np.arange(1, 10) / 10, method="inverted_cdf"),
        frame["x"].fillna(imputed["imputation"]),
    )
    line = stats.linregress(frame["x"].fillna(imputed["imputation"]), y).pvalue
    expected = cauchy_combination([line, test_of(place, y)], [0.8, 0.2])
    assert sigs(frame, y, **imputed)["x"] == pytest.approx(expected, rel=1e-6)


def test_weights_repeat_rows() -> None:
    frame, y = heavy()
    weight = np.random.default_rng(5).integers(0, 4, ROWS)
    rows = np.repeat(np.arange(ROWS), weight)
    weighted, repeated = sigs(frame, y, sample_weight=weight), sigs(frame.iloc[rows], y[rows])
    shared = [v for v in weighted.index if v.split("_")[-1] not in ("catD",)]
    np.testing.assert_allclose(weighted[shared], repeated[shared], rtol=1e-6)


def test_neither_order_sign_nor_unit_matter() -> None:
    frame, y = heavy()
    found = sigs(frame, y).drop("c_catD")
    order = np.random.default_rng(6).permutation(ROWS)
    for other in (sigs(frame.iloc[order], y[order]), sigs(frame, 4.0 * y)):
        np.testing.assert_allclose(other[found.index], found, rtol=1e-9)
    negated, undrawn = sigs(frame, -y), ["x", "skewed", "c_catN"]
    np.testing.assert_allclose(negated[undrawn], found[undrawn], rtol=1e-9)
    of_class = (y > 1).astype(int)
    one, other = (sigs(frame, of_class, target=k).filter(regex="^[a-z]+$") for k in (0, 1))
    np.testing.assert_allclose(one, other, rtol=1e-9)


def test_weights_that_count_no_rows_ask_for_a_line() -> None:
    frame, y = heavy()
    y, weight = y + frame["x"] ** 2, np.random.default_rng(7).uniform(0.99, 1.01, ROWS)
    found = sigs(frame, y, sample_weight=weight)["x"]
    assert found == pytest.approx(stats.linregress(frame["x"], y).pvalue, rel=0.1)
    assert sigs(frame, y)["x"] < found / 100


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_lazy_frames_have_the_same_p_values(kind: str, weighted: bool) -> None:
    frame, y = heavy()
    if kind != "numeric":
        y = (y > 1).astype(int) if kind == "binomial" else np.digitize(y, [-0.5, 1.0]).astype(str)
    table = pl.from_pandas(frame).with_columns(y=pl.Series(y), row=pl.int_range(ROWS))
    given: dict[str, Any] = {"outcome": "y", "cv": 3, "row_id": "row", "random_state": 0}
    given["variables"] = [*frame]
    if weighted:
        table = table.with_columns(w=pl.int_range(ROWS) % 4)
        given["sample_weight"] = "w"
    plans = [vt.design_treatments(rows, **given) for rows in (table, table.lazy())]
    one, other = (plan.score_frame["sig"] for plan in plans)
    np.testing.assert_allclose(one, other, rtol=1e-7)


def test_kept_sums_know_ranges_but_no_ranks() -> None:
    frame, y = heavy()
    given = {"smoothing": 1.0, "random_state": 0}
    kept = vt.design_treatments(frame, outcome=y, keep_statistics=True, **given)
    found = kept.score_frame.set_index("variable")["sig"]
    level = pd.factorize(frame["c"], use_na_sentinel=False)[0]
    assert found["c_catN"] == pytest.approx(test_of(level, y), rel=1e-6)
    square = vt.design_treatments(
        frame.assign(x=frame["x"]), outcome=y + frame["x"] ** 2, keep_statistics=True, **given
    )
    assert square.score_frame.set_index("variable")["sig"]["x"] < 1e-3


@pytest.mark.long
def test_noise_passes_as_seldom_as_is_said() -> None:
    random = np.random.default_rng(8)
    found = []
    for _ in range(6):
        table = pd.DataFrame({f"x{k}": random.normal(size=300) for k in range(30)})
        table = table.assign(
            **{f"c{k}": random.integers(0, 20, 300).astype(str) for k in range(30)}
        )
        found.append(
            sigs(table, random.standard_cauchy(300), coders=["clean", "catN"], smoothing=0)
        )
    p = np.concatenate(found)
    assert len(p) == 360
    assert (p <= 0.05).sum() <= stats.binom.ppf(1 - 1e-4, len(p), 0.05)


def test_neighbours_among_floats_have_scores_of_their_own() -> None:
    """Halfway between them is one of them; rows of the upper one had the score of the lower."""
    low = 2.0**50
    values = np.array([low, low + 0.25, low + 0.5, low + 0.75])
    for one in (values, -values, values + 0.25):
        scores = NormalScores.of_values(one).of(one)
        np.testing.assert_array_equal(np.argsort(scores), np.argsort(one))
        assert len(set(scores)) == 4
