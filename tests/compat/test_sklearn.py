"""The four classes as scikit-learn transformers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline

import vtreat_py.compat as vtreat
from tests.compat.data import INPUTS, TREATMENTS, all_variables, example


def pipeline(**arguments: Any) -> Pipeline:
    treatment = vtreat.BinomialOutcomeTreatment(outcome_target=True, **arguments)
    return Pipeline([("treat", treatment), ("model", LogisticRegression(max_iter=1000))])


@pytest.mark.parametrize("outcome", list(TREATMENTS))
def test_clones_are_equal_and_not_fitted(outcome: str) -> None:
    treatment = all_variables(outcome, imputation_map={"z": 1}).fit(example())
    copied = clone(treatment)
    assert copied.get_params(deep=False).keys() == treatment.get_params(deep=False).keys()
    with pytest.raises(NotFittedError):
        copied.transform(example())
    new = example(seed=1)
    pd.testing.assert_frame_equal(copied.fit(example()).transform(new), treatment.transform(new))


def test_tunable_parameters_are_parameters() -> None:
    """They show in get_params, and set_params changes them without touching the given dict."""
    params = vtreat.vtreat_parameters({"tunable_params": ["indicator_min_fraction", "coders"]})
    treatment = vtreat.BinomialOutcomeTreatment(params=params)
    assert treatment.get_params()["indicator_min_fraction"] == 0.02
    assert "indicator_min_fraction" not in treatment.get_params(deep=False)
    treatment.set_params(indicator_min_fraction=0.3, outcome_target=1)
    assert treatment.get_params()["indicator_min_fraction"] == 0.3
    assert treatment.outcome_target == 1
    assert params["indicator_min_fraction"] == 0.02
    assert pipeline().get_params()["treat__indicator_min_fraction"] == 0.02
    with pytest.raises(ValueError, match="Invalid parameter 'cross_validation_k'"):
        treatment.set_params(cross_validation_k=3)
    treatment.set_params(params={"indicator_min_fraction": 0.1}, var_list=["z"])
    assert treatment.get_params()["indicator_min_fraction"] == 0.1


def test_pipelines_are_searched_and_cross_validated() -> None:
    """The outcome is y alone: scores are those of a model that never saw it as a feature."""
    frame = example()
    search = GridSearchCV(
        pipeline(), {"treat__indicator_min_fraction": [0.02, 0.9], "model__C": [1.0]}, cv=3
    ).fit(frame[INPUTS], frame["yc"])
    tried = search.cv_results_["param_treat__indicator_min_fraction"].tolist()
    assert tried == [0.02, 0.9]
    names = search.best_estimator_["treat"].get_feature_names()
    assert len(names) == search.best_estimator_["model"].coef_.shape[1]
    scores = cross_val_score(pipeline(), frame[INPUTS], frame["yc"], cv=3)
    assert 0.6 < scores.mean() < 0.95


def test_column_transformers_and_set_output_keep_names() -> None:
    frame = example()
    treatment = vtreat.BinomialOutcomeTreatment(params={"filter_to_recommended": False})
    columns = ColumnTransformer(
        [("levels", treatment, ["xc", "k"])], remainder="drop", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    treated = columns.fit_transform(frame, frame["yc"])
    assert "xc_logit_code" in treated
    assert treated.columns.tolist() == columns.get_feature_names_out().tolist()
    copying = vtreat.NumericOutcomeTreatment(outcome_name="y", cols_to_copy=["yc", "ym"])
    treated = copying.set_output(transform="pandas").fit_transform(frame)
    assert treated.columns[:3].tolist() == ["yc", "ym", "y"]
    assert treated.columns.tolist() == copying.get_feature_names_out().tolist()


def test_pickles_treat_alike() -> None:
    frame, new = example(), example(seed=1)
    params = {"missingness_imputation": np.min}
    treatment = all_variables("y", params=params).fit(frame)
    again = pickle.loads(pickle.dumps(treatment))
    pd.testing.assert_frame_equal(again.transform(new), treatment.transform(new))


@pytest.mark.parametrize(
    "method", ["get_feature_names", "get_result_restriction", "description_matrix"]
)
def test_what_needs_a_fit_says_so(method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(vtreat.UnsupervisedTreatment(), method)()
