"""Treatments inside scikit-learn's pipelines, searches and routing give what they give alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.datasets import modechoice

import vtreat_py as vt
from tests.conftest import TREATED, assert_same_values, example_columns

X = pd.DataFrame(example_columns())[TREATED]
C = np.array(example_columns()["c"])
Y = np.array(example_columns()["y"])
W = np.random.default_rng(1).integers(1, 4, 240).astype(float)
G = np.arange(240) % 24
NEW = pd.DataFrame(example_columns(30, seed=8))[TREATED]


def binomial(**options: Any) -> vt.BinomialOutcomeTreatment:
    return vt.BinomialOutcomeTreatment(**{"random_state": 0, "prune_sig": None} | options)


def logistic() -> LogisticRegression:
    return LogisticRegression(solver="newton-cholesky")


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request: pytest.FixtureRequest) -> Iterator[bool]:
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


# --- Composition ---------------------------------------------------------------------------


def test_nesting_pipelines_either_way_gives_the_same_bits() -> None:
    def steps() -> tuple[Any, Any, Any]:
        return binomial(), StandardScaler(), logistic()

    treat, scale, model = steps()
    flat = make_pipeline(treat, scale, model).fit(X, C)
    treat, scale, model = steps()
    first = Pipeline([("inner", make_pipeline(treat, scale)), ("model", model)]).fit(X, C)
    treat, scale, model = steps()
    last = Pipeline([("treat", treat), ("inner", make_pipeline(scale, model))]).fit(X, C)
    expected = flat.predict_proba(NEW)
    for nested in (first, last):
        np.testing.assert_array_equal(nested.predict_proba(NEW), expected, strict=True)
    inner = first[0]
    crossed = make_pipeline(binomial(), StandardScaler()).fit_transform(X, C)
    np.testing.assert_array_equal(inner.fit_transform(X, C), crossed, strict=True)


def test_a_treatment_in_a_pipeline_is_the_treatment_alone() -> None:
    alone, piped = binomial(), make_pipeline(binomial())
    assert_same_values(piped.fit_transform(X, C), alone.fit_transform(X, C))
    assert_same_values(piped.transform(NEW), alone.transform(NEW))
    assert piped.get_feature_names_out().tolist() == alone.get_feature_names_out().tolist()


def test_a_pipeline_that_remembers_steps_gives_the_same_bits(tmp_path: Any) -> None:
    expected = make_pipeline(binomial(), logistic()).fit(X, C).predict_proba(NEW)
    for _ in range(2):
        remembering = make_pipeline(binomial(), logistic(), memory=str(tmp_path))
        with warnings.catch_warnings():  # a slow disk
            warnings.filterwarnings("ignore", "Persisting input arguments took")
            found = remembering.fit(X, C).predict_proba(NEW)
        np.testing.assert_array_equal(found, expected, strict=True)


def test_a_treatment_after_a_transformer_of_arrays_keeps_the_names() -> None:
    numbers = X[["size", "flag"]].astype(float)
    pipe = make_pipeline(StandardScaler(), vt.UnsupervisedTreatment(coders=["clean"]))
    treated = pipe.fit_transform(numbers)
    assert type(treated) is np.ndarray
    assert pipe.get_feature_names_out().tolist() == ["size", "flag"]


def test_a_union_puts_treatments_side_by_side() -> None:
    impact, plain = binomial(coders=["catB"]), vt.UnsupervisedTreatment(coders=["clean"])
    union = FeatureUnion([("impact", binomial(coders=["catB"])), ("plain", plain)])
    union.set_output(transform="pandas")
    crossed = union.fit_transform(X, C)
    expected = [impact.fit_transform(X, C), vt.UnsupervisedTreatment(coders=["clean"]).fit(X)]
    parts = [expected[0], expected[1].transform(X)]
    names = [*(f"impact__{n}" for n in parts[0]), *(f"plain__{n}" for n in parts[1])]
    assert crossed.columns.tolist() == names == union.get_feature_names_out().tolist()
    np.testing.assert_array_equal(crossed.to_numpy(), np.hstack(parts), strict=True)
    assert union.transform(NEW).shape == (30, len(names))


@pytest.mark.parametrize("verbose", [True, False])
def test_a_column_transformer_holds_treatments(verbose: bool) -> None:
    text = make_column_selector(dtype_exclude=[np.number, bool])
    columns = ColumnTransformer(
        [("levels", binomial(coders=["lev", "catB"]), text)],
        remainder=vt.UnsupervisedTreatment(coders=["clean"]),
        verbose_feature_names_out=verbose,
    ).set_output(transform="pandas")
    crossed = columns.fit_transform(X, C)
    levels = binomial(coders=["lev", "catB"]).fit_transform(X[["x", "g"]], C)
    rest = vt.UnsupervisedTreatment(coders=["clean"]).fit_transform(X[["z", "flag", "size"]])
    first, second = ("levels__", "remainder__") if verbose else ("", "")
    assert crossed.columns.tolist() == [
        *(f"{first}{n}" for n in levels), *(f"{second}{n}" for n in rest),
    ]  # fmt: skip
    np.testing.assert_array_equal(crossed.to_numpy(), np.hstack([levels, rest]), strict=True)
    assert columns.transform(NEW.assign(more=1)).columns.equals(crossed.columns)


def test_an_arrays_columns_keep_their_places_in_the_names() -> None:
    columns = ColumnTransformer([("t", vt.UnsupervisedTreatment(), [2, 0])])
    columns.fit(np.arange(12.0).reshape(4, 3))
    assert columns.get_feature_names_out().tolist() == ["t__x2", "t__x0"]


# --- Searches and scores -------------------------------------------------------------------


def test_scores_are_those_of_folds_treated_by_hand() -> None:
    folds = KFold(3, shuffle=True, random_state=0)
    found = cross_val_score(make_pipeline(binomial(smoothing=1), logistic()), X, C, cv=folds)
    expected = [by_hand(X, C, None, None, *fold, smoothing=1) for fold in folds.split(X)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("make", "y", "model"), [
    (vt.NumericOutcomeTreatment, Y, LinearRegression()),
    (vt.MultinomialOutcomeTreatment, np.char.add("class ", (Y // 3).astype(str)), logistic()),
])  # fmt: skip
def test_other_outcomes_are_scored_too(make: Any, y: Any, model: Any) -> None:
    pipe = make_pipeline(make(random_state=0), model)
    scores = cross_val_score(pipe, X, y, cv=KFold(3, shuffle=True, random_state=0))
    assert scores.min() > 0.3


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_search_gives_the_same_bits_in_parallel(backend: str) -> None:
    grid = {"binomialoutcometreatment__smoothing": ["auto", 1, 10]}

    def searched(n_jobs: int | None) -> Any:
        search = GridSearchCV(make_pipeline(binomial(), logistic()), grid, cv=3, n_jobs=n_jobs)
        return search.fit(X, C).cv_results_["mean_test_score"]

    with joblib.parallel_backend(backend):
        parallel = searched(2)
    np.testing.assert_array_equal(parallel, searched(None), strict=True)


@pytest.mark.filterwarnings("ignore:nothing is derived")  # from few rows
def test_a_halving_search_chooses_among_treatments() -> None:
    search = HalvingGridSearchCV(
        make_pipeline(binomial(), logistic()),
        {"binomialoutcometreatment__min_fraction": [0.02, 0.1, 0.3],
         "binomialoutcometreatment__coders": [["catB", "clean"], ["lev", "clean"]]},
        cv=3,
        min_resources=60,
        return_train_score=False,
        random_state=0,
    )  # fmt: skip
    search.fit(X, C)
    assert search.n_resources_ == [60, 180]
    assert search.best_score_ > 0.7
    assert search.predict(NEW).shape == (30,)


# --- Weights and groups --------------------------------------------------------------------


def asking(treatment: Any) -> Any:
    return treatment.set_fit_request(sample_weight=True, groups=True)


@pytest.mark.parametrize("treats", ["fit", "fit_transform"])
def test_weights_and_groups_reach_a_treatment_in_a_pipeline(routing: bool, treats: str) -> None:
    alone = binomial().fit(X, C, sample_weight=W, groups=G)
    piped = make_pipeline(asking(binomial()) if routing else binomial())
    step = "" if routing else "binomialoutcometreatment__"
    getattr(piped, treats)(X, C, **{f"{step}sample_weight": W, f"{step}groups": G})
    assert piped[0].plan_ == alone.plan_
    assert piped[0].plan_ != binomial().fit(X, C).plan_
    assert piped[0].plan_ != binomial().fit(X, C, sample_weight=W).plan_


def test_weights_that_nobody_asked_for_are_refused_when_routing_is_on() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        silent = make_pipeline(binomial())
        with pytest.raises(ValueError, match=r"\[sample_weight\] are passed but are not"):
            silent.fit(X, C, sample_weight=W)
        refusing = make_pipeline(binomial().set_fit_request(sample_weight=False))
        with pytest.raises(TypeError, match="sample_weight"):
            refusing.fit(X, C, sample_weight=W)


def test_weights_may_be_routed_under_another_name() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        piped = make_pipeline(binomial().set_fit_request(sample_weight="exposure", groups="person"))
        piped.fit(X, C, exposure=W, person=G)
    assert piped[0].plan_ == binomial().fit(X, C, sample_weight=W, groups=G).plan_


def test_weights_reach_an_unsupervised_treatment(routing: bool) -> None:
    alone = vt.UnsupervisedTreatment().fit(X, sample_weight=W)
    piped = make_pipeline(vt.UnsupervisedTreatment())
    if routing:
        piped[0].set_fit_request(sample_weight=True)
    step = "" if routing else "unsupervisedtreatment__"
    piped.fit_transform(X, **{f"{step}sample_weight": W})
    assert piped[0].plan_ == alone.plan_
    assert piped[0].plan_ != vt.UnsupervisedTreatment().fit(X).plan_


@pytest.mark.parametrize("around", [ColumnTransformer, FeatureUnion])
def test_weights_and_groups_are_routed_through_compositions(around: Any) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        own = asking(binomial())
        if around is ColumnTransformer:
            outer = ColumnTransformer([("own", own, TREATED)])
        else:
            outer = FeatureUnion([("own", own)])
        crossed = outer.fit_transform(X, C, sample_weight=W, groups=G)
    expected = binomial().fit_transform(X, C, sample_weight=W, groups=G)
    np.testing.assert_array_equal(crossed, expected.to_numpy(), strict=True)


def test_cross_validate_cuts_weights_and_groups_with_the_rows(routing: bool) -> None:
    folds, scorer = list(GroupKFold(3).split(X, C, G)), get_scorer("accuracy")
    if routing:
        pipe = make_pipeline(asking(binomial()), logistic().set_fit_request(sample_weight=True))
        given = {"params": {"sample_weight": W, "groups": G}}
        scorer.set_score_request(sample_weight=False)
    else:
        pipe = make_pipeline(binomial(), logistic())
        treat, model = "binomialoutcometreatment", "logisticregression"
        given = {"params": {f"{treat}__sample_weight": W, f"{treat}__groups": G,
                            f"{model}__sample_weight": W}}  # fmt: skip
    found = cross_validate(pipe, X, C, cv=folds, scoring=scorer, **given)["test_score"]
    expected = [by_hand(X, C, W, G, *fold) for fold in folds]
    np.testing.assert_array_equal(found, expected)


# --- A whole search on a real frame --------------------------------------------------------


def travellers() -> tuple[pd.DataFrame, pd.Series, np.ndarray, np.ndarray]:
    """Return how 210 travellers got from Sydney to Melbourne: Greene and Hensher's survey.

    A row is a mode of travel that a traveller might choose. The mode is a number in the file and
    its name here; the waiting time of a car is 0 in the file, which stands for "has no terminal"
    by the survey's description, and so is missing here. Drivers were sampled less often than they
    travel: a traveller's weight makes up for that.
    """
    survey = modechoice.load_pandas().data
    mode = survey["mode"].map({1: "air", 2: "train", 3: "bus", 4: "car"})
    party = survey["psize"].clip(upper=3).map({1: "alone", 2: "two", 3: "more"})
    frame = pd.DataFrame(
        {
            "mode": mode,
            "party": party,
            "mode_and_party": mode + " " + party,
            "hours_of_waiting": survey["ttme"].where(mode != "car") / 60,
            "hours": survey["invt"] / 60,
            "cost_in_hundreds": survey["invc"] / 100,
            "income_in_hundreds": survey["hinc"] / 100,
        }
    )
    traveller = survey["individual"].to_numpy().astype(int)
    chosen = survey["choice"] == 1
    drives = np.isin(traveller, traveller[chosen & (mode == "car")])
    return frame, survey["choice"].map({0: "no", 1: "yes"}), np.where(drives, 3.0, 1.0), traveller


def by_hand(
    frame: pd.DataFrame,
    y: Any,
    weight: Any,
    groups: Any,
    train: Any,
    test: Any,
    scorer: Any = "accuracy",
    score_weight: Any = None,
    **options: Any,
) -> float:
    """Treat, train and score one fold by the functions that the transformers stand for."""
    plan, model = trained(frame, y, weight, groups, train, **options)
    treated = vt.prepare(plan, frame.iloc[test])
    weighting = {} if score_weight is None else {"sample_weight": score_weight[test]}
    return get_scorer(scorer)(model, treated, np.asarray(y)[test], **weighting)


def trained(
    frame: pd.DataFrame, y: Any, weight: Any, groups: Any, rows: Any, **options: Any
) -> tuple[vt.TreatmentPlan, LogisticRegression]:
    weight = None if weight is None else weight[rows]
    made = vt.cross_frame_experiment(
        frame.iloc[rows],
        outcome=np.asarray(y)[rows],
        outcome_type="binomial",
        sample_weight=weight,
        groups=None if groups is None else groups[rows],
        **{"random_state": 0} | options,
    )
    model = logistic().fit(made.cross_frame, np.asarray(y)[rows], sample_weight=weight)
    return made.plan, model


def test_a_whole_search_with_weights_and_groups_on_a_real_frame(routing: bool) -> None:
    frame, y, weight, traveller = travellers()
    assert frame["hours_of_waiting"].isna().sum() == 210
    assert set(frame["mode"]) == {"air", "train", "bus", "car"}
    treat, model = "binomialoutcometreatment", "logisticregression"
    pipe = make_pipeline(vt.BinomialOutcomeTreatment(random_state=0, prune_sig=None), logistic())
    scorer, given = get_scorer("roc_auc"), {"groups": traveller}
    if routing:
        asking(pipe[0])
        pipe[1].set_fit_request(sample_weight=True)
        scorer.set_score_request(sample_weight=True)
        given["sample_weight"] = weight
    else:
        given |= {f"{treat}__sample_weight": weight, f"{treat}__groups": traveller,
                  f"{model}__sample_weight": weight}  # fmt: skip
    smoothing, min_fraction = ["auto", 0.0, 20.0], [0.02, 0.15]
    search = GridSearchCV(
        pipe,
        {f"{treat}__smoothing": smoothing, f"{treat}__min_fraction": min_fraction},
        cv=GroupKFold(4),
        scoring=scorer,
    ).fit(frame, y, **given)

    folds = list(GroupKFold(4).split(frame, y, traveller))
    expected = {
        (s, m): np.mean([
            by_hand(frame, y, weight, traveller, *fold, "roc_auc", weight if routing else None,
                    smoothing=s, min_fraction=m)
            for fold in folds
        ])
        for s, m in product(smoothing, min_fraction)
    }  # fmt: skip
    results = search.cv_results_
    found = {
        (one[f"{treat}__smoothing"], one[f"{treat}__min_fraction"]): score
        for one, score in zip(results["params"], results["mean_test_score"], strict=True)
    }
    assert found == pytest.approx(expected, rel=1e-12)
    best = {name.split("__")[1]: value for name, value in search.best_params_.items()}
    everyone = np.arange(len(frame))
    _, refitted = trained(frame, y, weight, traveller, everyone, **best)
    np.testing.assert_array_equal(search.best_estimator_[1].coef_, refitted.coef_)
    assert search.best_score_ > 0.75
    unseen = frame.head(3).assign(mode=["ship", None, "air"], hours_of_waiting=np.nan)
    assert np.isfinite(search.predict_proba(unseen)).all()
