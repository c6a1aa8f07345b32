"""Outcomes that count events per exposure."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats

import vtreat_py as vt
from tests.outcome.claims import FOLDS, GIVEN, claims
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, OutcomeError, VtreatError
from vtreat_py.outcome.rates import counts_and_exposures


def glm(x: Any, frame: pd.DataFrame, weight: Any = None) -> tuple[float, float, float]:
    """Slope, share of deviance, and p-value, of a Poisson regression with an offset."""
    fit = sm.GLM(
        frame["claims"],
        sm.add_constant(np.asarray(x, dtype=float)),
        family=sm.families.Poisson(),
        offset=np.log(frame["years"]),
        freq_weights=weight,
    ).fit(tol=1e-14)
    gain = fit.null_deviance - fit.deviance
    return float(fit.params.iloc[1]), gain / fit.null_deviance, float(stats.chi2.sf(gain, 1))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("significance", ["calibrated", "classic"])
def test_scores_are_those_of_poisson_regressions(weighted: bool, significance: str) -> None:
    frame, given = claims(), GIVEN | {"significance": significance}
    weight = np.random.default_rng(1).integers(1, 4, len(frame)) if weighted else None
    experiment = vt.cross_frame_experiment(frame, **given, sample_weight=weight)
    plan = experiment.plan
    treated = vt.prepare(plan, frame[["town", "age", "fuel"]].sample(frac=1.0, random_state=0))
    treated = treated.sort_index()
    crossed = plan.score_frame["needs_split"].to_numpy()
    assert {v.code for v in plan.derived} == {"clean", "isBAD", "lev", "catP", "catR"}
    for variable, split in zip(plan.derived, crossed, strict=True):
        x = (experiment.cross_frame if split else treated)[variable.name]
        slope, rsq, sig = glm(x, frame, weight)
        assert variable.rsq == pytest.approx(rsq, rel=1e-8, abs=1e-10), variable.name
        if significance == "classic":
            assert variable.sig == pytest.approx(sig, rel=1e-6), variable.name
        if not split:
            assert variable.slope == pytest.approx(slope, rel=1e-7), variable.name


def test_many_rows_are_fitted_by_bins() -> None:
    frame = claims(70_000)
    plan = vt.design_treatments(frame, **GIVEN, variables=["age"])
    filled = frame["age"].fillna(frame["age"].mul(frame["years"]).sum()
                                 / frame["years"][frame["age"].notna()].sum())  # fmt: skip
    slope, rsq, _ = glm(filled, frame)
    assert plan.derived[0].rsq == pytest.approx(rsq, rel=1e-8)
    assert plan.derived[0].slope == pytest.approx(slope, rel=1e-6)


def test_an_exposure_of_several_is_as_many_rows_of_one() -> None:
    """Slopes, and codes without smoothing, do not know how exposure is cut up."""
    rng = np.random.default_rng(0)
    frame = claims(300).assign(age=lambda f: f["age"].fillna(0.0))
    frame["years"] = rng.integers(1, 5, 300).astype(float)
    frame["claims"] = rng.poisson(0.5 * frame["years"])
    rows = frame.loc[frame.index.repeat(frame["years"].astype(int))].copy()
    first = ~rows.index.duplicated()
    rows["claims"] = np.where(first, rows["claims"], 0)
    rows["years"] = 1.0
    one, other = (
        vt.design_treatments(f.reset_index(drop=True), **GIVEN, smoothing=0) for f in (frame, rows)
    )
    assert one.feature_names == other.feature_names
    effects = [p.level_effects("town").set_index("level")["effect"] for p in (one, other)]
    np.testing.assert_allclose(*(e.sort_index() for e in effects), atol=1e-12)
    kept = [i for i, v in enumerate(one.derived) if v.code in ("clean", "lev")]
    slopes = [[plan.derived[i].slope for i in kept] for plan in (one, other)]
    np.testing.assert_allclose(*slopes, rtol=1e-8)


@pytest.mark.parametrize("significance", ["calibrated", "classic"])
def test_units_of_exposure_change_nothing_but_rates(significance: str) -> None:
    frame, given = claims(800), GIVEN | {"significance": significance}
    one = vt.design_treatments(frame, **given)
    other = vt.design_treatments(frame.assign(years=frame["years"] * 365.0), **given)
    for name in ("rsq", "sig"):
        np.testing.assert_allclose(*(p.score_frame[name] for p in (one, other)), rtol=1e-9)
    effects = [p.level_effects("town") for p in (one, other)]
    np.testing.assert_allclose(*(e["effect"] for e in effects), atol=1e-12)
    np.testing.assert_allclose(effects[0]["mean"], effects[1]["mean"] * 365.0, rtol=1e-12)


def test_a_row_has_no_influence_on_its_own_codes() -> None:
    frame = claims(2000)
    for options in ({}, {"scale": True, "smoothing": 3.0}):
        made = vt.cross_frame_experiment(frame, **GIVEN, **options).cross_frame
        for row in (0, 1999):
            changed = frame.copy()
            changed.loc[row, "claims"] += 3
            other = vt.cross_frame_experiment(changed, **GIVEN, **options).cross_frame
            same = [c for c in made.columns if c in other.columns and "lev" not in c]
            assert "town_catR" in same
            np.testing.assert_array_equal(made.loc[row, same], other.loc[row, same])


def test_scaled_columns_have_slope_one_in_log_rates() -> None:
    frame = claims()
    plan = vt.design_treatments(frame, **GIVEN)
    scaled = vt.prepare(plan, frame.sample(frac=1.0, random_state=0), scale=True).sort_index()
    for name in ("age", "age_isBAD", "fuel_lev_x_gas"):
        assert glm(scaled[name], frame)[0] == pytest.approx(1.0, rel=1e-6)


def test_plans_are_data_and_queries() -> None:
    frame = claims(900)
    plan = vt.design_treatments(frame, **GIVEN)
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again == plan
    new = claims(60, seed=5)
    pd.testing.assert_frame_equal(vt.prepare(again, new), vt.prepare(plan, new))
    pd.testing.assert_frame_equal(again.level_effects("town"), plan.level_effects("town"))
    assert plan.check_sql(duckdb.connect(), new).passed
    page = plan.report()._repr_html_()
    assert "events per exposure" in page
    importance = vt.variable_importance(frame, **GIVEN).set_index("variable")
    assert importance.loc["age", "sig"] < 0.05


def test_groups_and_series_have_tests_of_their_own() -> None:
    """A column that is constant in groups: tested against groups, not rows."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(100), 20)
    years = rng.gamma(1.0, size=2000) + 0.05
    count = rng.poisson(0.4 * years * rng.gamma(1.0, size=100)[group])
    frame = pd.DataFrame({"x": (group % 10).astype(str), "claims": count, "years": years})
    given: dict[str, Any] = {"outcome": "claims", "exposure": "years", "coders": ["catR", "lev"]}
    rows = vt.design_treatments(frame, **given, random_state=0)
    groups = vt.design_treatments(frame, **given, groups=group, random_state=0)
    ordered = vt.design_treatments(frame, **given, cv="ordered", significance="ordered")
    least = [plan.score_frame["sig"].min() for plan in (rows, groups, ordered)]
    assert least[0] < 0.001 < least[1]
    assert 0.0 <= least[2] <= 1.0


def test_columns_of_y_are_counts_and_exposures() -> None:
    frame = claims(500)
    X, both = frame[["town", "age", "fuel"]], frame[["claims", "years"]]
    by_name = vt.RateOutcomeTreatment(exposure="years", cv=FOLDS)
    made = by_name.fit_transform(frame.drop(columns="claims"), frame["claims"])
    assert "years" not in by_name.feature_names_in_
    structured = both.to_records(index=False)
    for y in (both, both.to_numpy(), structured, pl.from_pandas(both)):
        treatment = vt.RateOutcomeTreatment(cv=FOLDS)
        pd.testing.assert_frame_equal(treatment.fit_transform(X, y), made)
    alone = counts_and_exposures(frame["claims"])
    assert alone[1] is None
    assert counts_and_exposures(np.ones((4, 1)))[0].shape == (4,)
    with pytest.raises(OutcomeError, match="y has 3 columns"):
        vt.RateOutcomeTreatment().fit(X, np.ones((500, 3)))
    with pytest.raises(InvalidOptionError, match="leave one of the two out"):
        vt.RateOutcomeTreatment(exposure="years").fit(frame, both)


def test_shapes_are_logarithms_of_ratios_of_rates() -> None:
    """Scores are those of the regression on the cross-frame; the shape is found where one is."""
    frame = claims(4000)
    random = np.random.default_rng(0)
    frame["x"] = random.normal(size=4000)
    frame["claims"] = random.poisson(0.5 * np.exp(np.abs(frame["x"])) * frame["years"])
    shapes = ["piecewise", "spline", "window", "isotonic", "bins"]
    given = GIVEN | {"variables": ["x", "age"], "coders": ["clean", *shapes]}
    experiment = vt.cross_frame_experiment(frame, **given)
    best = glm(np.abs(frame["x"]), frame)[1]
    for variable in experiment.plan.derived:
        column = experiment.cross_frame[variable.name]
        if variable.code in shapes:
            assert variable.rsq == pytest.approx(glm(column, frame)[1], abs=2e-3), variable.name
        if variable.orig_variable == "x" and variable.code in ("piecewise", "spline", "bins"):
            assert variable.rsq > best - 0.03
            assert variable.sig < 1e-20
            assert variable.slope == pytest.approx(1.0, abs=0.1)
    noise = [v.sig for v in experiment.plan.derived if v.orig_variable == "age"]
    assert min(noise) > 0.01
    scaled = vt.cross_frame_experiment(frame, **given, scale=True).cross_frame["x_spline"]
    assert glm(scaled, frame)[0] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"exposure": -1.0}, OutcomeError, "no numbers above 0, the first is -1 in row 0"),
        ({"exposure": 0.0}, OutcomeError, "remove those rows, which were never at risk"),
        (
            {"exposure": [np.nan] + [1.0] * 299},
            OutcomeError,
            "exposure has 1 values .* is nan in row 0",
        ),
        ({"exposure": 1e60}, OutcomeError, "give it in another unit"),
        ({"exposure": "town"}, OptionTypeError, "exposure must hold numbers above 0"),
        ({"exposure": "yaers"}, VtreatError, "did you mean 'years'"),
        ({"outcome": "town"}, OutcomeError, "holds no numbers"),
        ({"outcome": -1.0}, OutcomeError, "300 negative numbers, the first is -1 in row 0"),
        ({"outcome": 0.0}, OutcomeError, "a rate needs some event"),
        ({"outcome": 1e60}, OutcomeError, "more than the 1e\\+50 events"),
        ({"outcome": 2.0, "exposure": 4.0}, OutcomeError, "the rate is 0.5 in every row"),
        ({"target": 1}, OutcomeError, "target= names a class"),
        ({"outcome_type": "numeric"}, InvalidOptionError, 'this one is "numeric"'),
        ({"coders": ["catN"]}, InvalidOptionError, "has no code for an outcome of type 'rate'"),
    ],
)
def test_errors(change: dict[str, Any], error: type[Exception], message: str) -> None:
    frame = claims(300)
    for name in ("outcome", "exposure"):
        if isinstance(change.get(name), float):
            change = change | {name: np.full(300, change[name])}
    with pytest.raises(error, match=message):
        vt.design_treatments(frame, **GIVEN | change)


def test_other_verbs_say_that_they_do_not_know_rates() -> None:
    frame = claims(300)
    with pytest.raises(InvalidOptionError, match="interactions are looked for in outcomes of"):
        vt.find_interactions(frame, outcome="claims", outcome_type="rate")
    with pytest.raises(InvalidOptionError, match="y-aware components are of outcomes of"):
        vt.YAwarePCA(outcome_type="rate").fit(frame[["years"]], frame["claims"])
    plan = vt.design_treatments(frame, **GIVEN)
    with pytest.raises(InvalidOptionError, match="does not know how many rows a level has"):
        plan.for_scoring(min_rows=3)


def test_levels_never_seen_have_the_mean_of_levels() -> None:
    """Exposure is short for other reasons than that a level is rare: it was taken for rows."""
    random, off = np.random.default_rng(3), []
    effect = random.normal(0.0, 0.5, 500)
    popular = 1.0 / np.arange(1, 501)
    for _ in range(6):
        model = random.choice(500, 6_000, p=popular / popular.sum())
        years = random.gamma(0.5, 1.0, 6_000) + 0.01
        count = random.poisson(0.2 * np.exp(effect[model]) * years)
        frame = pd.DataFrame({"model": [f"m{k}" for k in model], "years": years, "count": count})
        plan = vt.design_treatments(
            frame, outcome="count", exposure="years", coders=["catR"], random_state=0
        )
        effects = plan.level_effects("model").set_index("kind")
        seen = effects.loc["level"]
        off.append(effects["effect"]["novel"] - seen["effect"][seen["belief"] < 0.05].mean())
    assert np.abs(off).max() < 0.1


def test_exposures_are_no_weights_beside() -> None:
    frame = claims(200)
    with pytest.raises(InvalidOptionError, match="exposure and sample_weight are the same"):
        vt.design_treatments(frame, outcome="claims", exposure="years", sample_weight="years")
