"""How weights reach the fit of an estimator."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import vtreat_py as vt
from vtreat_py._errors import InvalidOptionError
from vtreat_py.evaluation._weighted_fit import weight_parameters

WEIGHT = np.array([1.0, 2.0, 0.5, 3.0])


def test_no_weights_pass_nothing() -> None:
    assert weight_parameters(KNeighborsClassifier(), None) == {}


def test_an_estimator_gets_them_by_name() -> None:
    for estimator in (LogisticRegression(), GridSearchCV(LogisticRegression(), {})):
        assert list(weight_parameters(estimator, WEIGHT)) == ["sample_weight"]
        assert weight_parameters(estimator, WEIGHT)["sample_weight"] is WEIGHT


def test_a_pipeline_passes_them_to_each_step_that_takes_them() -> None:
    steps = [
        ("treat", vt.BinomialOutcomeTreatment()),
        ("same", FunctionTransformer()),
        ("none", "passthrough"),
        ("scale", StandardScaler()),
        ("model", LogisticRegression()),
    ]
    expected = ["treat__sample_weight", "scale__sample_weight", "model__sample_weight"]
    assert list(weight_parameters(Pipeline(steps), WEIGHT)) == expected


def test_a_search_at_the_end_of_a_pipeline_gets_them_too() -> None:
    pipeline = make_pipeline(FunctionTransformer(), GridSearchCV(LogisticRegression(), {}))
    assert list(weight_parameters(pipeline, WEIGHT)) == ["gridsearchcv__sample_weight"]


def test_a_weighted_pipeline_is_one_of_repeated_rows() -> None:
    random = np.random.default_rng(0)
    X, weight = random.normal(size=(60, 2)), random.integers(0, 4, 60)
    y = (X[:, 0] + random.normal(size=60) > 0).astype(int)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10))
    repeated = pipeline.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    weighted = pipeline.fit(X, y, **weight_parameters(pipeline, weight)).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)


def test_metadata_routing_decides_for_a_pipeline() -> None:
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(LogisticRegression().set_fit_request(sample_weight=True))
        assert list(weight_parameters(pipeline, WEIGHT)) == ["sample_weight"]


def test_a_model_without_weights_is_refused() -> None:
    neighbours = KNeighborsClassifier()
    for estimator in (neighbours, make_pipeline(StandardScaler(), neighbours)):
        with pytest.raises(
            InvalidOptionError, match=r"KNeighborsClassifier\.fit takes no sample_weight"
        ):
            weight_parameters(estimator, WEIGHT)
