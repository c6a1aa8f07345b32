"""The transformers are the plan and its cross-frame, by scikit-learn's conventions."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
from tests.conftest import TREATED, FrameKind, assert_same_values, example_columns
from vtreat_py.base.errors import InvalidOptionError, SchemaError

X = pd.DataFrame(example_columns())[TREATED]
Y = {name: np.array(example_columns()[name]) for name in ("y", "c")}
NEW = pd.DataFrame(example_columns(30, seed=8))[TREATED]
SUPERVISED = {"y": vt.NumericOutcomeTreatment, "c": vt.BinomialOutcomeTreatment}
TREATMENTS = [*SUPERVISED.values(), vt.MultinomialOutcomeTreatment, vt.UnsupervisedTreatment]


def treatment(outcome: str, **options: Any) -> Any:
    return SUPERVISED[outcome](**{"random_state": 0, "prune_sig": None} | options)


def experiment(outcome: str, **options: Any) -> vt.CrossFrameExperiment:
    kind = {"y": "numeric", "c": "binomial"}[outcome]
    return vt.cross_frame_experiment(
        X, outcome=Y[outcome], outcome_type=kind, random_state=0, **options
    )


@pytest.mark.parametrize("prune_sig", [None, "recommended", 0.01])
@pytest.mark.parametrize("scale", [False, True])
def test_fit_transform_is_the_cross_frame(outcome: str, prune_sig: Any, scale: bool) -> None:
    given = {"prune_sig": prune_sig, "scale": scale, "collar": True, "smoothing": 1}
    made = experiment(outcome, **given)
    fitted = treatment(outcome, **given)
    assert_same_values(fitted.fit_transform(X, Y[outcome]), made.cross_frame)
    assert fitted.plan_ == made.plan


@pytest.mark.parametrize("prune_sig", [None, "recommended", 0.01])
@pytest.mark.parametrize("scale", [False, True])
def test_fit_then_transform_is_prepare(outcome: str, prune_sig: Any, scale: bool) -> None:
    given = {"prune_sig": prune_sig, "scale": scale, "collar": True}
    fitted = treatment(outcome, **given).fit(X, Y[outcome])
    assert_same_values(fitted.transform(NEW), vt.prepare(fitted.plan_, NEW, **given))


def test_fit_and_fit_transform_learn_the_same_plan(outcome: str) -> None:
    one, two = treatment(outcome), treatment(outcome)
    two.fit_transform(X, Y[outcome])
    assert one.fit(X, Y[outcome]).plan_ == two.plan_


def test_fit_returns_the_treatment_itself(outcome: str) -> None:
    one = treatment(outcome)
    assert one.fit(X, Y[outcome]) is one


def test_transforming_the_training_frame_warns_and_names_fit_transform(outcome: str) -> None:
    fitted = treatment(outcome, smoothing=0).fit(X, Y[outcome])
    with pytest.warns(vt.VtreatWarning, match=r"over-fits\. Train on fit_transform"):
        fitted.transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.transform(NEW)


def test_the_plausible_variables_come_out_by_default() -> None:
    fitted = vt.NumericOutcomeTreatment(random_state=0).fit(X, Y["y"])
    table = fitted.score_frame_
    kept = table["variable"][table["sig_fdr"] <= 0.7].tolist()
    assert fitted.transform(NEW).columns.tolist() == kept
    assert table["recommended"].sum() < len(kept) < len(table)


def test_sample_weight_counts(outcome: str) -> None:
    w = np.random.default_rng(0).integers(0, 4, 240)
    made = experiment(outcome, sample_weight=w)
    fitted = treatment(outcome)
    assert_same_values(fitted.fit_transform(X, Y[outcome], sample_weight=w), made.cross_frame)
    assert fitted.plan_ == made.plan
    assert treatment(outcome).fit(X, Y[outcome], sample_weight=w).plan_ == made.plan
    assert made.plan != experiment(outcome).plan


def test_groups_count(outcome: str) -> None:
    groups = np.arange(240) % 24
    made = experiment(outcome, groups=groups)
    fitted = treatment(outcome)
    assert_same_values(fitted.fit_transform(X, Y[outcome], groups=groups), made.cross_frame)
    assert treatment(outcome).fit(X, Y[outcome], groups=groups).plan_ == made.plan
    assert made.plan != experiment(outcome).plan


def test_outcome_weights_and_groups_may_be_named(outcome: str) -> None:
    frame = X.assign(y=Y[outcome], w=np.arange(240) % 3 + 1, who=np.arange(240) % 24)
    named = treatment(outcome).fit(frame, "y", sample_weight="w", groups="who")
    beside = treatment(outcome).fit(X, Y[outcome], sample_weight=frame["w"], groups=frame["who"])
    assert named.plan_.variables == tuple(TREATED)
    pd.testing.assert_frame_equal(named.score_frame_, beside.score_frame_)
    assert named.transform(NEW).columns.tolist() == beside.transform(NEW).columns.tolist()


def test_a_missing_y_is_refused(outcome: str) -> None:
    for method in ("fit", "fit_transform"):
        with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
            getattr(treatment(outcome), method)(X)


def test_a_target_may_be_chosen() -> None:
    fitted = vt.BinomialOutcomeTreatment(target="no").fit(X, Y["c"])
    assert fitted.plan_.target == "no"
    with pytest.raises(vt.VtreatError, match="'maybe' does not occur"):
        vt.BinomialOutcomeTreatment(target="maybe").fit(X, Y["c"])


@pytest.mark.parametrize("make", TREATMENTS)
def test_nothing_works_before_fit(make: Any) -> None:
    for ask in (lambda t: t.transform(X), lambda t: t.score_frame_,
                lambda t: t.get_feature_names_out()):  # fmt: skip
        with pytest.raises(NotFittedError):
            ask(make())


@pytest.mark.parametrize("make", TREATMENTS)
def test_parameters_can_be_read_set_and_cloned(make: Any) -> None:
    one = make(variables=["x", "z"], min_fraction=0.1, collar=True)
    assert one.get_params()["min_fraction"] == 0.1
    assert one.set_params(min_fraction=0.2).min_fraction == 0.2
    other = clone(one.fit(X, None if make is vt.UnsupervisedTreatment else np.arange(240) % 2))
    assert other.get_params() == one.get_params()
    assert not hasattr(other, "plan_")
    with pytest.raises(ValueError, match="Invalid parameter 'smothing'"):
        one.set_params(smothing=1)


@pytest.mark.parametrize("make", TREATMENTS)
def test_the_constructor_checks_nothing_and_fit_checks_all(make: Any) -> None:
    one = make(min_fraction=-1)
    with pytest.raises(InvalidOptionError, match="min_fraction=-1"):
        one.fit(X, np.arange(240) % 2) if make is not vt.UnsupervisedTreatment else one.fit(X)


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "no"}, "scale='no' must be True or False"),
        ({"collar": 1}, "collar=1 must be True or False"),
        ({"sparse_output": "yes"}, "sparse_output='yes' must be True or False"),
        ({"prune_sig": "some"}, "prune_sig='some'; give a p-value"),
        ({"prune_sig": 2}, "prune_sig=2; it must be >= 0 and <= 1"),
        ({"prune_by": "bonferroni"}, "prune_by='bonferroni'; it must be one of"),
        ({"prune_by": "sig_fdr"}, "prune_by='sig_fdr' needs a number for prune_sig"),
    ],
)
@pytest.mark.parametrize("make", TREATMENTS)
def test_what_only_prepare_looks_at_is_checked_in_fit_too(
    make: Any, options: dict[str, Any], message: str, method: str
) -> None:
    one = make()
    if not set(options) <= set(one.get_params()):
        pytest.skip("it has no such option")
    y = () if make is vt.UnsupervisedTreatment else (np.arange(240) % 2,)
    with pytest.raises(vt.VtreatError, match=message):
        getattr(one.set_params(**options), method)(X, *y)


@pytest.mark.parametrize("make", TREATMENTS)
def test_fit_does_not_change_the_parameters(make: Any) -> None:
    one = make(variables=["x", "z"], imputation_map={"z": 0}, coders=["lev", "clean"])
    before = {name: repr(value) for name, value in one.get_params().items()}
    one.fit(X, np.arange(240) % 2)
    assert {name: repr(value) for name, value in one.get_params().items()} == before


def test_feature_names_are_those_of_the_treated_frame(outcome: str) -> None:
    for prune_sig in (None, "plausible", "recommended", 1e-8):
        fitted = treatment(outcome, prune_sig=prune_sig).fit(X, Y[outcome])
        names = fitted.get_feature_names_out()
        assert names.dtype == object
        assert names.tolist() == fitted.transform(NEW).columns.tolist()
    assert fitted.feature_names_in_.tolist() == TREATED
    assert fitted.n_features_in_ == 5


def test_feature_names_may_be_asked_for_with_the_names_of_the_input() -> None:
    fitted = vt.UnsupervisedTreatment().fit(X)
    assert fitted.get_feature_names_out(TREATED).tolist() == fitted.plan_.feature_names


@pytest.mark.parametrize("container", ["pandas", "polars", "default"])
def test_set_output_chooses_the_frame(container: str, outcome: str) -> None:
    one = treatment(outcome).set_output(transform=container)
    expected = experiment(outcome).cross_frame
    crossed = one.fit_transform(X, Y[outcome])
    treated = one.transform(NEW)
    wanted = pl.DataFrame if container == "polars" else pd.DataFrame
    assert isinstance(crossed, wanted)
    assert isinstance(treated, wanted)
    assert_same_values(crossed, expected)
    assert_same_values(treated, vt.prepare(one.plan_, NEW))


def test_set_output_keeps_the_index(outcome: str) -> None:
    index = pd.Index([f"r{i}" for i in range(240)])
    one = treatment(outcome).set_output(transform="pandas")
    assert one.fit_transform(X.set_index(index), Y[outcome]).index.equals(index)


def test_the_kind_of_frame_comes_back(kind: FrameKind, outcome: str) -> None:
    data = {name: values for name, values in example_columns().items() if name in TREATED}
    one = treatment(outcome)
    assert isinstance(one.fit_transform(kind.make(data), Y[outcome]), kind.native)
    assert isinstance(one.transform(kind.make(data)[:9]), kind.native)
    unsupervised = vt.UnsupervisedTreatment().fit_transform(kind.make(data))
    assert isinstance(unsupervised, kind.native)


def test_a_fitted_treatment_pickles(outcome: str) -> None:
    fitted = treatment(outcome).fit(X, Y[outcome])
    other = pickle.loads(pickle.dumps(fitted))
    assert other.plan_ == fitted.plan_
    assert_same_values(other.transform(NEW), fitted.transform(NEW))


def test_arrays_work(outcome: str) -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=(240, 3))
    values[random.random((240, 3)) < 0.1] = np.nan
    one = treatment(outcome)
    crossed = one.fit_transform(values, Y[outcome])
    assert one.n_features_in_ == 3
    assert not hasattr(one, "feature_names_in_")
    names = one.get_feature_names_out().tolist()
    assert names[:2] == ["x0", "x0_isBAD"]
    assert crossed.shape == (240, len(names))
    assert np.isfinite(one.transform(values[:5] * 2)).all()
    with pytest.raises(SchemaError, match=r"X has 2 features, but .* is expecting 3"):
        one.transform(values[:5, :2])


def test_arrays_of_objects_work(outcome: str) -> None:
    crossed = treatment(outcome).fit_transform(X.to_numpy(dtype=object), Y[outcome])
    expected = experiment(outcome).cross_frame.to_numpy()
    np.testing.assert_array_equal(crossed, expected, strict=True)


def test_a_pipeline_trains_on_the_cross_frame() -> None:
    pipe = make_pipeline(
        vt.BinomialOutcomeTreatment(random_state=0, prune_sig=None, smoothing=1),
        LogisticRegression(max_iter=1000),
    )
    pipe.fit(X, Y["c"])
    direct = LogisticRegression(max_iter=1000).fit(experiment("c", smoothing=1).cross_frame, Y["c"])
    np.testing.assert_array_equal(pipe[-1].coef_, direct.coef_)
    assert pipe.predict(NEW).shape == (30,)
    assert set(pipe.predict(NEW)) <= {"yes", "no"}
    truth = np.array(example_columns(30, seed=8)["c"])
    assert (pipe.predict(NEW) == truth).mean() > 0.7
    assert pipe[:-1].get_feature_names_out().tolist() == pipe[0].plan_.feature_names


def test_a_pipeline_predicts_a_number() -> None:
    pipe = make_pipeline(treatment("y", scale=True), LinearRegression())
    pipe.fit(X, Y["y"])
    assert pipe.score(NEW, example_columns(30, seed=8)["y"]) > 0.5


def test_parameters_can_be_searched_and_scored() -> None:
    pipe = make_pipeline(treatment("c"), LogisticRegression(max_iter=1000))
    assert cross_val_score(pipe, X, Y["c"], cv=3).mean() > 0.7
    search = GridSearchCV(
        pipe,
        {"binomialoutcometreatment__smoothing": ["auto", 1], "logisticregression__C": [1]},
        cv=2,
    )
    assert search.fit(X, Y["c"]).best_score_ > 0.7


def test_a_column_transformer_may_hold_a_treatment() -> None:
    treated = ColumnTransformer(
        [("levels", treatment("c", coders=["lev"]), ["x", "g"])],
        remainder="drop",
        verbose_feature_names_out=False,
    )
    values = treated.fit_transform(X, Y["c"])
    assert treated.get_feature_names_out().tolist() == [
        "x_lev_NA", "x_lev_x_a", "x_lev_x_b", "x_lev_x_c", "x_lev_x_d",
        "g_lev_x_u", "g_lev_x_v", "g_lev_x_w",
    ]  # fmt: skip
    assert values.shape == (240, 8)


def test_a_splitter_may_be_a_parameter() -> None:
    one = treatment("c", cv=StratifiedKFold(4, shuffle=True, random_state=1))
    assert one.fit_transform(X, Y["c"]).shape[0] == 240


def test_an_unsupervised_treatment_is_fit_then_transform() -> None:
    one = vt.UnsupervisedTreatment(min_fraction=0.1, collar=True)
    treated = one.fit_transform(X)
    plan = vt.design_treatments(X, outcome_type="unsupervised", min_fraction=0.1)
    assert one.plan_ == plan
    assert_same_values(treated, vt.prepare(plan, X, collar=True))
    assert_same_values(
        treated, vt.UnsupervisedTreatment(min_fraction=0.1).fit(X, Y["y"]).transform(X)
    )
    weighted = vt.UnsupervisedTreatment().fit(X, sample_weight=np.arange(240) % 3)
    assert weighted.plan_ != vt.UnsupervisedTreatment().fit(X).plan_


def test_an_unsupervised_treatment_collars() -> None:
    one = vt.UnsupervisedTreatment(collar=True).fit(X[["size"]])
    assert one.transform(pd.DataFrame({"size": [-5, 50]}))["size"].tolist() == [0, 8]


def test_nothing_recommended_is_an_empty_frame_and_a_warning_if_asked_for() -> None:
    noise = pd.DataFrame({"z": np.random.default_rng(1).normal(size=60)})
    one = vt.NumericOutcomeTreatment(random_state=0, prune_sig=1e-9, if_empty="empty")
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        crossed = one.fit_transform(noise, np.random.default_rng(2).normal(size=60))
    assert crossed.shape == (60, 0)
    assert one.get_feature_names_out().tolist() == []


def test_tags_say_what_may_come_in() -> None:
    for make in TREATMENTS:
        tags = make().__sklearn_tags__()
        assert tags.input_tags.allow_nan
        assert tags.input_tags.string
        assert tags.input_tags.categorical
        assert tags.target_tags.required == (make is not vt.UnsupervisedTreatment)


def test_a_treatment_prints_the_parameters_that_were_changed() -> None:
    assert repr(vt.NumericOutcomeTreatment(smoothing=1)) == "NumericOutcomeTreatment(smoothing=1)"
