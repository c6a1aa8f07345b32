"""Regressions on y-aware components: what they predict, what they say of themselves."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
from tests.conftest import TREATED, example_columns
from tests.oracle import BESIDE, Case
from tests.yaware.data import classes, noise, shared_causes
from vtreat_py.base.errors import FrameError, InvalidOptionError

RANDOM = np.random.default_rng(5)
X, NUMBERS = shared_causes(400, 3, RANDOM)
NEW, NEW_NUMBERS = shared_causes(2_000, 3, RANDOM)
WEIGHT = RANDOM.integers(0, 4, 400).astype(float)
MIXED = pd.DataFrame(example_columns())


def test_the_prediction_is_a_regression_on_the_components() -> None:
    model = vt.YAwarePCR(3).fit(X, NUMBERS)
    scores = vt.YAwarePCA(3).fit(X, NUMBERS).transform(X)
    line = LinearRegression().fit(scores, NUMBERS)
    np.testing.assert_allclose(model.predict(X), line.predict(scores), rtol=1e-9)
    by_hand = X.to_numpy() @ model.coef_ + model.intercept_
    np.testing.assert_allclose(model.predict(X), by_hand, rtol=1e-9, atol=1e-9)
    assert model.variables_ == list(X)


def test_all_components_together_are_least_squares() -> None:
    model = vt.YAwarePCR(15).fit(X, NUMBERS, sample_weight=WEIGHT)
    expected = LinearRegression().fit(X, NUMBERS, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-7)
    assert model.intercept_ == pytest.approx(expected.intercept_)


@pytest.mark.parametrize("kind", ["binomial", "multinomial"])
def test_all_components_together_are_a_logistic_regression(kind: str) -> None:
    y = classes(NUMBERS, kind)
    model = vt.YAwarePCRClassifier(15).fit(X, y)
    assert model.classes_.tolist() == sorted(set(y))
    scaled = (X - X.mean()) / X.std()
    expected = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(scaled, y)
    probability = expected.predict_proba(scaled)
    np.testing.assert_allclose(model.predict_proba(X), probability, atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), expected.predict(scaled))
    linear = X.to_numpy() @ model.coef_.T + model.intercept_
    shape = {"binomial": (400,), "multinomial": (400, 3)}[kind]
    np.testing.assert_allclose(model.decision_function(X), linear.reshape(shape), rtol=1e-6)


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_weights_repeat_rows(kind: str) -> None:
    y = classes(NUMBERS, kind)
    make = vt.YAwarePCR if kind == "numeric" else vt.YAwarePCRClassifier
    repeated = np.repeat(np.arange(400), WEIGHT.astype(int))
    weighted = make(random_state=0).fit(X, y, sample_weight=WEIGHT)
    spelt_out = make(random_state=0).fit(X.iloc[repeated], y[repeated])
    np.testing.assert_allclose(weighted.coef_, spelt_out.coef_, rtol=1e-4, atol=1e-8)
    ours, theirs = weighted.summary(), spelt_out.summary()
    np.testing.assert_allclose(ours.components, theirs.components, rtol=1e-4)
    assert ours.rsq == pytest.approx(theirs.rsq)


def test_a_class_that_no_row_counts_for_is_none() -> None:
    y = np.where(np.arange(400) < 20, "odd", classes(NUMBERS, "binomial"))
    weight = np.where(y == "odd", 0.0, 1.0)
    model = vt.YAwarePCRClassifier(2).fit(X, y, sample_weight=weight)
    without = vt.YAwarePCRClassifier(2).fit(X.iloc[20:], y[20:])
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-6)
    with pytest.raises(ValueError, match="the outcome has one class in the rows that count"):
        vt.YAwarePCRClassifier().fit(X, y, sample_weight=(y == "no").astype(float))


def test_standard_errors_are_those_of_the_regressions() -> None:
    scores = vt.YAwarePCA(3).fit(X, NUMBERS).transform(X).to_numpy()
    line = vt.YAwarePCR(3).fit(X, NUMBERS)
    expected = sm.OLS(NUMBERS, sm.add_constant(scores)).fit()
    summary = line.summary()
    np.testing.assert_allclose(summary.components["standard_error"], expected.bse[1:])
    np.testing.assert_allclose(summary.components["coef"], expected.params[1:])
    assert summary.rsq == pytest.approx(expected.rsquared)
    y = classes(NUMBERS, "binomial") == "yes"
    scores = vt.YAwarePCA(3).fit(X, y).transform(X).to_numpy()
    logit = vt.YAwarePCRClassifier(3).fit(X, y).summary()
    expected = sm.GLM(1.0 * y, sm.add_constant(scores), family=sm.families.Binomial()).fit()
    np.testing.assert_allclose(logit.components["coef"], expected.params[1:], rtol=1e-5)
    np.testing.assert_allclose(logit.components["standard_error"], expected.bse[1:], rtol=1e-5)
    assert logit.rsq == pytest.approx(1 - expected.deviance / expected.null_deviance)


def test_the_summary_reads_well() -> None:
    model = vt.YAwarePCR(2).fit(X, NUMBERS)
    summary = model.summary()
    text = repr(summary)
    assert text.startswith("2 y-aware components of 15 variables, rsq 0.4")
    assert "... and 5 more variables, of smaller effect" in text
    effect = summary.variables["effect"]
    np.testing.assert_allclose(effect, np.abs(model.coef_) * X.std())
    assert effect.nlargest(5).index.str.startswith("x").all()
    several = vt.YAwarePCRClassifier(2).fit(X, classes(NUMBERS, "multinomial")).summary()
    assert {"coef_high", "coef_low", "coef_mid"} <= set(several.components)
    assert "standard_error" not in several.components


@pytest.mark.filterwarnings("ignore:no component stands out")
def test_without_a_component_the_mean_is_predicted() -> None:
    frame, y = noise(300, 3, np.random.default_rng(0))
    model = vt.YAwarePCR(random_state=0).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), y.mean())
    assert model.summary().rsq == 0.0
    for kind, columns in (("binomial", 2), ("multinomial", 3)):
        c = classes(y, kind)
        classifier = vt.YAwarePCRClassifier(random_state=0).fit(frame, c)
        share = pd.Series(c).value_counts(normalize=True).sort_index()
        np.testing.assert_allclose(classifier.predict_proba(frame.head(1)), share.to_numpy()[None])
        assert classifier.coef_.shape == (1 if columns == 2 else 3, 15)


def test_a_treatment_makes_numbers_of_any_frame() -> None:
    treatment = vt.BinomialOutcomeTreatment(random_state=0)
    model = vt.YAwarePCRClassifier(treatment=treatment, random_state=0)
    frame, y = MIXED[TREATED], MIXED["c"]
    model.fit(frame, y, sample_weight=np.ones(240), groups=np.arange(240) // 2)
    assert "x_catB" in model.variables_
    assert model.feature_names_in_.tolist() == TREATED
    fresh = pd.DataFrame(example_columns(400, seed=9))
    score = roc_auc_score(fresh["c"], model.decision_function(fresh[TREATED]))
    assert score > 0.85
    polars = model.predict_proba(pl.DataFrame(example_columns(400, seed=9))[TREATED])
    np.testing.assert_allclose(polars, model.predict_proba(fresh[TREATED]))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(fresh[TREATED]), model.predict(fresh[TREATED]))
    assert not hasattr(treatment, "plan_")  # it was cloned
    assert not hasattr(model.fit(frame.to_numpy(), y), "feature_names_in_")


@pytest.mark.parametrize("kind", ["numeric", "binomial", "multinomial"])
def test_components_that_are_rounding_have_no_part(kind: str) -> None:
    doubled = X.assign(**{f"{name} again": 3.0 * X[name] for name in X}, one=1.0)
    y = classes(NUMBERS, kind)
    make = vt.YAwarePCR if kind == "numeric" else vt.YAwarePCRClassifier
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        full = make(31).fit(doubled, y)
    once = make(15).fit(X, y)
    np.testing.assert_allclose(
        full._linear(doubled), once._linear(X), rtol=1e-3, atol=1e-4 * np.abs(once._linear(X)).max()
    )
    if kind != "multinomial":
        assert full.summary().components["standard_error"].isna().sum() == 16


def test_classes_that_are_told_apart_have_a_finite_fit() -> None:
    wide = X.assign(x0=X["x0"] * np.where(np.arange(400) == 0, 50, 1))
    y = wide["x0"] > 0
    weight = (np.arange(400) > 0).astype(float)
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        model = vt.YAwarePCRClassifier(2).fit(wide, y, sample_weight=weight)
    assert np.isfinite(model.summary().rsq)
    assert np.isfinite(model.coef_).all()


def test_bad_treatments_and_names_are_refused() -> None:
    frame = X[["x0", "x1"]]
    imputer = vt.YAwarePCR(1, treatment=SimpleImputer())
    with pytest.raises(InvalidOptionError, match="SimpleImputer, takes no sample_weight; give one"):
        imputer.fit(frame, NUMBERS, sample_weight=WEIGHT)
    empty = vt.NumericOutcomeTreatment(prune_sig=0.0, random_state=0, if_empty="empty")
    nothing = vt.YAwarePCR(1, treatment=empty)
    with (
        pytest.warns(vt.VtreatWarning, match="no derived variable is left"),
        pytest.raises(FrameError, match="leaves no variable to regress on"),
    ):
        nothing.fit(frame, NUMBERS)
    with pytest.raises(InvalidOptionError, match="sample_weight='w' names a column; give the val"):
        vt.YAwarePCR(1).fit(frame.assign(w=WEIGHT), NUMBERS, sample_weight="w")


def test_it_works_in_searches() -> None:
    search = GridSearchCV(vt.YAwarePCR(), {"n_components": [1, 2, 5]}, cv=3).fit(X, NUMBERS)
    assert search.best_params_["n_components"] >= 2
    assert search.score(NEW, NEW_NUMBERS) > 0.4
    scores = cross_val_score(vt.YAwarePCRClassifier(2), X, classes(NUMBERS, "binomial"), cv=3)
    assert scores.mean() > 0.7


def test_more_honest_than_components_of_x_alone() -> None:
    plain = make_pipeline(PCA(2), LinearRegression()).fit(X, NUMBERS)
    aware = vt.YAwarePCR(2).fit(X, NUMBERS)
    assert aware.score(NEW, NEW_NUMBERS) > plain.score(NEW, NEW_NUMBERS) + 0.2


@pytest.mark.parametrize(
    ("name", "link", "key"),
    [
        ("g1_yaware_pca_N", None, "rsq"),
        ("g2_yaware_pca_C_catScalingTRUE", True, "auc"),
        ("g3_yaware_pca_C_catScalingFALSE", False, "auc"),
    ],
)
def test_r_reaches_the_same(name: str, link: Any, key: str) -> None:
    folder = BESIDE / name
    if not folder.exists():
        pytest.skip("the oracle cases are not beside this checkout")
    case = Case(folder)
    expected = pd.read_json(folder / "pca_results.json", typ="series", precise_float=True)
    columns = case.config["varlist"]
    frames = {role: case.frame(role) for role in ("train", "test")}
    model: Any = vt.YAwarePCR(2) if link is None else vt.YAwarePCRClassifier(2, link=link)
    model.fit(frames["train"][columns], frames["train"]["y"])
    for role, frame in frames.items():
        if key == "rsq":
            found = model.score(frame[columns], frame["y"])
        else:
            found = roc_auc_score(frame["y"], model.decision_function(frame[columns]))
        assert found == pytest.approx(expected[f"{key}_{role}"], abs=1e-8)


@pytest.mark.parametrize("unit", [2.0**-30, 2.0**-200, 2.0**200])
def test_errors_are_those_of_the_outcome_in_any_unit(unit: float) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = X[:, 0] + 0.5 * X[:, 1] + random.normal(size=300)
    one, other = (vt.YAwarePCR(2).fit(X, scale * y).summary().components for scale in (1.0, unit))
    assert one["standard_error"].min() > 0.01
    np.testing.assert_allclose(other["standard_error"], one["standard_error"], rtol=1e-12)


@pytest.mark.parametrize("kind", [vt.YAwarePCR, vt.YAwarePCRClassifier])
@pytest.mark.parametrize("far", [1e15, 1e20, 1e146, 1e300])
def test_rows_of_weight_0_teach_nothing_wherever_they_lie(kind: Any, far: float) -> None:
    random = np.random.default_rng(0)
    X, weight = random.normal(size=(200, 3)), np.ones(200)
    y = X[:, 0] + 0.5 * X[:, 1] + random.normal(size=200)
    if kind is vt.YAwarePCRClassifier:
        y = (y > 0).astype(int)
    X[0], weight[0] = far, 0.0
    given: dict[str, Any] = {"n_components": "permutation", "random_state": 0}
    one, other = kind(**given).fit(X, y, weight), kind(**given).fit(X[1:], y[1:])
    np.testing.assert_allclose(one.pca_.scale_, other.pca_.scale_, rtol=1e-9)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
    for name in ("standard_error", "coef"):
        found, expected = (model.summary().components[name] for model in (one, other))
        np.testing.assert_allclose(found, expected, rtol=1e-6)
