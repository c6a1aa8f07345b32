"""Pipelines with a treatment, converted by skl2onnx, in onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py as vt
from tests.onnx_graph.runtime import outputs
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError

skl2onnx = pytest.importorskip("skl2onnx")
types = pytest.importorskip("skl2onnx.common.data_types")

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


@pytest.fixture(autouse=True, scope="module")
def registered() -> None:
    vt.onnx_models.register_converters()


def rows(n_rows: int = 240, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "home town": random.choice(["Ayr", "Bath", "Cork", "Deal", None], n_rows),
            "kg": np.where(random.random(n_rows) < 0.2, np.nan, random.normal(0, 1, n_rows)),
            "n": random.integers(0, 9, n_rows),
            "is_new": random.random(n_rows) < 0.4,
            "at": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(random.integers(0, 9**8, n_rows), "s"),
        }
    )


def outcome_of(frame: pd.DataFrame, n_classes: int = 0) -> Any:
    random = np.random.default_rng(5)
    number = (
        2.0 * (frame["home town"] == "Bath")
        + frame["kg"].fillna(-1.0)
        + frame["is_new"]
        + random.normal(size=len(frame))
    )
    return number if not n_classes else pd.qcut(number, n_classes, labels=False).to_numpy()


def converted(pipeline: Any, **options: Any) -> Any:
    given = {id(pipeline[0]): options}
    if hasattr(pipeline[-1], "predict_proba"):
        given[id(pipeline[-1])] = {"zipmap": False}
    of_columns = vt.onnx_models.initial_types(pipeline[0])
    return skl2onnx.to_onnx(pipeline, initial_types=of_columns, options=given)


TREATMENTS = [
    vt.NumericOutcomeTreatment(random_state=0),
    vt.NumericOutcomeTreatment(random_state=0, prune_sig=None, scale=True, collar=True),
    vt.UnsupervisedTreatment(),
    vt.UnsupervisedTreatment(coders=["lev", "isBAD"], sparse_output=True),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_pipelines_that_predict_numbers(treatment: Any, dtype: str) -> None:
    frame, fresh = rows(), rows(60, seed=1)
    fresh.loc[:2, "home town"] = "never seen"
    pipeline = make_pipeline(clone(treatment), StandardScaler(with_mean=False), LinearRegression())
    pipeline.fit(frame, outcome_of(frame))
    model = converted(pipeline, dtype=dtype)
    (found,) = outputs(model, vt.onnx_models.inputs(model, fresh))
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    expected = pipeline.predict(fresh)
    np.testing.assert_allclose(found.ravel(), expected, rtol=0, atol=tolerance * expected.max())


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(max_iter=500), RandomForestClassifier(9, random_state=0)],
)
@pytest.mark.parametrize(
    "treatment",
    [
        vt.BinomialOutcomeTreatment(random_state=0, prune_sig=0.5),
        vt.MultinomialOutcomeTreatment(random_state=0),
        vt.UnsupervisedTreatment(),
    ],
)
def test_pipelines_that_predict_classes(treatment: Any, model: Any) -> None:
    frame, fresh = (rows(100, seed).drop(columns="at") for seed in (0, 1))
    n_classes = 2 if isinstance(treatment, vt.BinomialOutcomeTreatment) else 3
    pipeline = make_pipeline(clone(treatment), clone(model))
    pipeline.fit(frame, outcome_of(frame, n_classes))
    written = converted(pipeline)
    label, probabilities = outputs(written, vt.onnx_models.inputs(written, fresh))
    np.testing.assert_array_equal(label, pipeline.predict(fresh))
    np.testing.assert_allclose(probabilities, pipeline.predict_proba(fresh), atol=1e-6)


def test_a_treatment_alone_gives_its_bits() -> None:
    frame, fresh = rows(), rows(60, seed=1)
    treatment = vt.NumericOutcomeTreatment(random_state=0).fit(frame, outcome_of(frame))
    model = skl2onnx.to_onnx(
        treatment,
        initial_types=vt.onnx_models.initial_types(treatment),
        options={vt.NumericOutcomeTreatment: {"dtype": "float64"}},
    )
    (found,) = outputs(model, vt.onnx_models.inputs(model, fresh))
    np.testing.assert_array_equal(found, treatment.transform(fresh))


def test_types_that_skl2onnx_guesses() -> None:
    frame, fresh = (
        rows(seed=seed).drop(columns="at").astype({"home town": object}) for seed in (0, 1)
    )
    forest = RandomForestRegressor(9, random_state=0)
    pipeline = make_pipeline(vt.NumericOutcomeTreatment(random_state=0), forest)
    pipeline.fit(frame, outcome_of(frame))
    model = skl2onnx.to_onnx(pipeline, frame[:1])
    kinds = [one.type.tensor_type.elem_type for one in model.graph.input]
    assert kinds == [8, 11, 7, 9]  # text, doubles, whole numbers and booleans
    feeds = vt.onnx_models.inputs(model, fresh)
    assert [one.dtype.kind for one in feeds.values()] == ["O", "f", "i", "b"]
    np.testing.assert_allclose(outputs(model, feeds)[0].ravel(), pipeline.predict(fresh), rtol=1e-5)
    fresh["n"] = fresh["n"].astype(float).mask(fresh["n"] > 6)
    with pytest.raises(vt.VtreatError, match="column 'n' has missing values, which an input of"):
        vt.onnx_models.inputs(model, fresh)
    with pytest.raises(FrameError, match=r"empty list, which names no columns; .*frame\.head\(0\)"):
        vt.onnx_models.inputs(model, [])
    empty = vt.onnx_models.inputs(model, fresh.head(0))
    assert {values.shape for values in empty.values()} == {(0, 1)}


@pytest.mark.parametrize("opset", [13, skl2onnx.__max_supported_opset__])
def test_opsets_of_old_and_new_models(opset: int) -> None:
    frame, fresh = rows(), rows(60, seed=1)
    treatment = vt.NumericOutcomeTreatment(random_state=0, collar=True)
    pipeline = make_pipeline(treatment, LinearRegression()).fit(frame, outcome_of(frame))
    model = skl2onnx.to_onnx(
        pipeline,
        initial_types=vt.onnx_models.initial_types(treatment),
        options={id(treatment): {"dtype": "float64"}},
        target_opset=opset,
    )
    found = outputs(model, vt.onnx_models.inputs(model, fresh))[0].ravel()
    np.testing.assert_allclose(found, pipeline.predict(fresh), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_are_one_input(dtype: Any) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4)).astype(dtype)
    X[::5, 1] = np.nan
    y = X[:, 0] + np.isnan(X[:, 1])
    treatment = vt.NumericOutcomeTreatment(random_state=0, prune_sig=0.01)
    pipeline = make_pipeline(treatment, LinearRegression()).fit(X, y)
    assert treatment.get_feature_names_out().tolist() == ["x0", "x1_isBAD"]
    model = skl2onnx.to_onnx(pipeline, X[:1])
    (name,) = (one.name for one in model.graph.input)
    found = outputs(model, {name: X[:50]})[0].ravel()
    np.testing.assert_allclose(found, pipeline.predict(X[:50]), rtol=1e-4, atol=1e-5)


def test_behind_other_transformers() -> None:
    frame, fresh = (rows(seed=seed)[["kg", "n"]].fillna(1.0) for seed in (0, 1))
    first = make_column_transformer((StandardScaler(), ["n"]), ("passthrough", ["kg"]))
    treatment = vt.NumericOutcomeTreatment(random_state=0, coders=["clean"], prune_sig=None)
    pipeline = make_pipeline(first, treatment, LinearRegression()).fit(frame, frame["kg"] * 2)
    doubles = [(name, types.DoubleTensorType([None, 1])) for name in frame]
    model = skl2onnx.to_onnx(pipeline, initial_types=doubles)
    found = outputs(model, vt.onnx_models.inputs(model, fresh))[0].ravel()
    np.testing.assert_allclose(found, pipeline.predict(fresh), rtol=1e-5)


@pytest.mark.parametrize("transformer", [vt.YAwareScaler(), vt.YAwarePCA(n_components=3)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_y_aware_steps(transformer: Any, dtype: str) -> None:
    frame, fresh = rows(), rows(60, seed=1)
    treatment = vt.NumericOutcomeTreatment(random_state=0)
    pipeline = make_pipeline(treatment, clone(transformer), LinearRegression())
    pipeline.fit(frame, outcome_of(frame))
    model = skl2onnx.to_onnx(
        pipeline,
        initial_types=vt.onnx_models.initial_types(pipeline[0]),
        options={id(step): {"dtype": dtype} for step in pipeline[:2]},
    )
    found = outputs(model, vt.onnx_models.inputs(model, fresh))[0].ravel()
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(found, pipeline.predict(fresh), rtol=tolerance, atol=tolerance)


def test_a_scaler_of_columns() -> None:
    frame = rows()[["n", "is_new"]].astype(float)
    scaler = vt.YAwareScaler(random_state=0).fit(frame, frame["n"] * 2)
    columns = [(name, types.DoubleTensorType([None, 1])) for name in frame]
    model = skl2onnx.to_onnx(
        scaler, initial_types=columns, options={vt.YAwareScaler: {"dtype": "float64"}}
    )
    (found,) = outputs(model, vt.onnx_models.inputs(model, frame[:20]))
    np.testing.assert_array_equal(found, scaler.transform(frame[:20]))


def test_missing_text_is_an_option_of_the_step() -> None:
    frame = rows()
    frame["home town"] = frame["home town"].fillna("").replace("Cork", None)
    pipeline = make_pipeline(vt.NumericOutcomeTreatment(random_state=0), LinearRegression())
    pipeline.fit(frame, outcome_of(frame))
    with pytest.raises(InvalidOptionError, match="column 'home town' has the level ''"):
        converted(pipeline)
    model = converted(pipeline, missing_text="?", dtype="float64")
    found = outputs(model, vt.onnx_models.inputs(model, frame[:30], missing_text="?"))[0].ravel()
    np.testing.assert_allclose(found, pipeline.predict(frame[:30]), rtol=1e-12)


def test_columns_that_skl2onnx_calls_alike_are_not_mistaken() -> None:
    frame = rows()
    treatment = vt.NumericOutcomeTreatment(variables=["home town"], random_state=0)
    pipeline = make_pipeline(treatment, LinearRegression()).fit(frame, outcome_of(frame))
    model = skl2onnx.to_onnx(pipeline, initial_types=vt.onnx_models.initial_types(pipeline[0]))
    both = frame.assign(home_town="Ayr")
    with pytest.raises(FrameError, match=r"'home_town' may be of any .* 'home town', 'home_town'"):
        vt.onnx_models.inputs(model, both)
    found = outputs(model, vt.onnx_models.inputs(model, both[["home town"]]))[0].ravel()
    np.testing.assert_allclose(found, pipeline.predict(frame), rtol=1e-5)


def test_inputs_of_other_types_are_refused() -> None:
    frame = rows()[["home town", "kg"]]
    treatment = vt.UnsupervisedTreatment().fit(frame)
    town, kg = vt.onnx_models.initial_types(treatment)
    number = types.FloatTensorType([None, 1])
    for given, message in (
        ([(town[0], number), kg], "column 'home town' is given as numbers"),
        ([town, (kg[0], town[1])], "column 'kg' is given as text"),
        ([town, ("weight", number)], "column 'kg' is not among the inputs"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            skl2onnx.to_onnx(treatment, initial_types=given)


def test_what_is_no_treatment_has_no_types() -> None:
    with pytest.raises(OptionTypeError, match="treatment is of type LinearRegression"):
        vt.onnx_models.initial_types(LinearRegression())


def test_columns_of_two_types_in_one_matrix_are_refused() -> None:
    frame = rows()
    columns = ["home town", "kg"]
    treatment = vt.NumericOutcomeTreatment(prune_sig=None, random_state=0)
    pipeline = make_pipeline(make_column_transformer((treatment, columns)), LinearRegression())
    pipeline.fit(frame[columns], outcome_of(frame))
    kinds = vt.onnx_models.initial_types(pipeline[0].named_transformers_["numericoutcometreatment"])
    with pytest.raises(InvalidOptionError, match="as a ColumnTransformer does"):
        skl2onnx.to_onnx(pipeline, initial_types=kinds)
