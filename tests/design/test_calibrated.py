"""Calibrated significance in a design: which test each code gets, and how often noise passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.model_selection import KFold

import vtreat_py as vt
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.spread import SpreadTest
from vtreat_py.statistics.outcome_sums import OutcomeSums

ROWS = 600


def frame() -> pd.DataFrame:
    random = np.random.default_rng(1)
    z = random.normal(size=ROWS)
    return pd.DataFrame(
        {
            "x": random.choice(list("aaaabbbccdefghij"), ROWS),
            "many": random.integers(0, 60, ROWS).astype(str),
            "z": np.where(random.random(ROWS) < 0.1, np.nan, z),
        }
    )


def outcome(kind: str) -> Any:
    table = frame()
    signal = (table["x"] == "a") * 0.3 + table["z"].fillna(1.0) * 0.1
    y = signal.to_numpy() + np.random.default_rng(2).normal(size=ROWS)
    if kind == "numeric":
        return y
    return (y > 0.7).astype(int) if kind == "binomial" else np.digitize(y, [0.0, 1.0]).astype(str)


def scores(kind: str, **options: Any) -> pd.DataFrame:
    plan = vt.design_treatments(
        frame(),
        outcome=outcome(kind),
        outcome_type=kind,
        random_state=0,
        **{"smoothing": 1.0, **options},
    )
    return plan.score_frame.set_index("variable")


def test_it_is_the_default() -> None:
    plan = vt.design_treatments(frame(), outcome=outcome("numeric"), random_state=0)
    assert plan.options.significance == "calibrated"
    assert vt.NumericOutcomeTreatment().significance == "calibrated"


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
@pytest.mark.parametrize("column", ["x", "many"])
def test_an_impact_code_asks_whether_levels_differ(kind: str, column: str) -> None:
    level = pd.factorize(frame()[column])[0]
    y = outcome(kind)
    sums = OutcomeSums.of_rows(level, level.max() + 1, y)
    powers = OutcomePowers.of_sample(Sample.of_values(y))
    code = "catN" if kind == "numeric" else "catB"
    found = scores(kind).loc[f"{column}_{code}", "sig"]
    assert found == pytest.approx(level_effects_test(sums, powers), rel=1e-6)


def test_a_class_of_several_is_tested_against_the_others() -> None:
    table = scores("multinomial")
    for target in ("0", "1", "2"):
        y = (outcome("multinomial") == target).astype(int)
        plan = vt.design_treatments(
            frame(), outcome=y, outcome_type="binomial", smoothing=1.0, random_state=0
        )
        alone = plan.score_frame.set_index("variable")["sig"]
        of_class = table[table["outcome_target"] == target]["sig"]
        assert of_class[f"X{target}_x_catB"] == pytest.approx(alone["x_catB"], rel=1e-9)
        for shared in ("z", "z_isBAD", "x_catP", "x_lev_x_a"):
            assert of_class[shared] == pytest.approx(alone[shared], rel=1e-9)


def test_a_deviation_code_asks_whether_spread_differs() -> None:
    codes = pd.factorize(frame()["x"], sort=True)[0]
    found = scores("numeric").loc["x_catD", "sig"]
    expected = SpreadTest(outcome("numeric")).p_value(codes, codes.max() + 1)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_other_codes_ask_whether_the_outcome_goes_along(kind: str) -> None:
    """Nothing here has outliers, so these are the p-values of the correlation."""
    table, found, y = frame(), scores(kind), outcome(kind)
    columns = {
        "z_isBAD": table["z"].isna(),
        "x_lev_x_a": table["x"] == "a",
        "x_catP": table["x"].map(table["x"].value_counts(normalize=True)),
    }
    for name, values in columns.items():
        expected = stats.linregress(values.astype(float), y).pvalue
        if kind == "binomial" and values.nunique() == 2 and expected < 0.1:
            expected = stats.fisher_exact(pd.crosstab(values, y)).pvalue
        assert found.loc[name, "sig"] == pytest.approx(expected, rel=1e-6), name


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_the_cross_frame_measures_the_effect_but_does_not_test_it(kind: str) -> None:
    as_usual, split = scores(kind), scores(kind, force_split=True)
    np.testing.assert_allclose(as_usual["sig"], split["sig"], rtol=1e-9)
    assert (as_usual["rsq"] != split["rsq"]).any()
    others = scores(kind, cv=KFold(7, shuffle=True, random_state=4))
    np.testing.assert_allclose(as_usual["sig"], others["sig"], rtol=1e-9)


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_rsq_is_that_of_classic_significance(kind: str) -> None:
    calibrated, classic = (
        table[table["code"] != "catB"]  # R has rows of each class beside levels
        for table in (scores(kind), scores(kind, significance="classic"))
    )
    np.testing.assert_allclose(calibrated["rsq"], classic["rsq"], rtol=1e-12)
    assert (calibrated["sig"] != classic["sig"]).any()


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_weights_are_repeated_rows(kind: str) -> None:
    weight = np.random.default_rng(3).integers(0, 4, ROWS)
    weight[:10] = 1
    rows = np.repeat(np.arange(ROWS), weight)
    y = outcome(kind)
    weighted = vt.design_treatments(
        frame(), outcome=y, sample_weight=weight, smoothing=1, cv=KFold(3), random_state=0
    ).score_frame.set_index("variable")
    repeated = vt.design_treatments(
        frame().iloc[rows], outcome=y[rows], smoothing=1, random_state=0
    ).score_frame.set_index("variable")
    np.testing.assert_allclose(weighted["sig"], repeated["sig"], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_the_order_of_the_rows_does_not_matter(kind: str) -> None:
    order = np.random.default_rng(5).permutation(ROWS)
    table = scores(kind)
    plan = vt.design_treatments(
        frame().iloc[order], outcome=outcome(kind)[order], smoothing=1, random_state=0
    )
    shuffled = plan.score_frame.set_index("variable")
    np.testing.assert_allclose(table["sig"], shuffled["sig"], rtol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["numeric", "lognormal", "10%"])
def test_noise_passes_as_seldom_as_is_said_whatever_its_code(kind: str) -> None:
    """A small version of benchmarks/size_study.py, with binomial bounds."""
    random = np.random.default_rng(7)
    found: dict[str, list[float]] = {}
    for _ in range(8):
        table = pd.DataFrame({f"x{k}": random.integers(0, 40, 400).astype(str) for k in range(20)})
        table = table.assign(**{f"z{k}": random.lognormal(size=400) for k in range(20)})
        y = random.normal(size=400)
        y = np.exp(y) if kind == "lognormal" else y
        y = (y > 1.28).astype(int) if kind == "10%" else y
        plan = vt.design_treatments(table, outcome=y, smoothing=0, random_state=0)
        for code, of_code in plan.score_frame.groupby("code"):
            found.setdefault(code, []).extend(of_code["sig"])
    assert len(found) == (4 if kind == "10%" else 5)
    for p in map(np.array, found.values()):
        for nominal in (0.05, 0.01):
            assert (p <= nominal).sum() <= stats.binom.ppf(1 - 1e-4, len(p), nominal)


@pytest.mark.long
@pytest.mark.parametrize("code", ["catB", "catN"])
def test_weights_that_are_no_counts_make_noise_no_more_significant(code: str) -> None:
    """Weights of sampling say nothing of the number of rows; taken as counts, a third passes."""
    random = np.random.default_rng(9)
    p = []
    for _ in range(8):
        table = pd.DataFrame({f"x{k}": random.integers(0, 40, 400).astype(str) for k in range(25)})
        y = random.normal(size=400)
        plan = vt.design_treatments(
            table,
            outcome=y if code == "catN" else (y > 0.5).astype(int),
            sample_weight=random.uniform(0.0, 2.0, 400),
            coders=[code],
            smoothing=0,
            random_state=0,
        )
        p.extend(plan.score_frame["sig"])
    assert np.sum(np.array(p) <= 0.05) <= stats.binom.ppf(1 - 1e-4, 200, 0.05)


def test_the_scale_of_weights_that_are_no_counts_does_not_matter() -> None:
    weight = np.random.default_rng(4).uniform(0.5, 2.0, ROWS)
    first, second = (scores("numeric", sample_weight=weight * k)["sig"] for k in (1.0, 1e-3))
    first, second = first.align(second, join="inner")
    assert len(first) >= 20
    np.testing.assert_allclose(first, second, rtol=1e-6)


def test_an_outcome_of_two_numbers_is_tested_as_a_class() -> None:
    y = np.zeros(ROWS)
    y[[3, 50, 200, 400]] = 7.0
    options = {"random_state": 0, "smoothing": 1.0}
    number = vt.design_treatments(frame(), outcome=y, outcome_type="numeric", **options)
    of_class = vt.design_treatments(frame(), outcome=(y > 0).astype(int), **options)
    a, b = (plan.score_frame.set_index("variable")["sig"] for plan in (number, of_class))
    assert a["many_catN"] == pytest.approx(b["many_catB"], rel=1e-9)
    assert a["z"] == pytest.approx(b["z"], rel=1e-9)


def test_two_outliers_that_meet_are_no_proof() -> None:
    """By chance they meet in one of a thousand permutations."""
    random = np.random.default_rng(6)
    x, y = random.normal(size=1000), random.normal(size=1000)
    x[10] = y[10] = 3e4
    plan = vt.design_treatments(pd.DataFrame({"x": x}), outcome=y, random_state=0)
    assert 2e-4 < plan.derived[0].sig < 5e-3


@pytest.mark.parametrize("most", [1e6, 1e8, 1e19, 1e60])
def test_huge_weights_cost_neither_memory_nor_warnings(most: float) -> None:
    weight = np.ones(ROWS)
    weight[100:] = most
    found = scores("binomial", sample_weight=weight)["sig"]
    assert found.between(0.0, 1.0).all()


def test_a_row_of_weight_zero_may_hold_any_number() -> None:
    y, weight = outcome("numeric"), np.ones(ROWS)
    y[0], weight[0] = 1e100, 0.0
    plan = vt.design_treatments(frame(), outcome=y, sample_weight=weight, random_state=0)
    assert plan.score_frame["sig"].between(0.0, 1.0).all()
