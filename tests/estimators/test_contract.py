"""The transformers keep scikit-learn's contract: its own checks, and what those leave open."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from joblib import Parallel, delayed
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import vtreat_py as vt
from tests.conftest import (
    FRAME_KINDS,
    TREATED,
    FrameKind,
    assert_same_values,
    checkered,
    example_columns,
)
from vtreat_py.base.errors import FrameError, SchemaError

DATA = example_columns()
X = pd.DataFrame(DATA)[TREATED]
NEW = pd.DataFrame(example_columns(30, seed=8))[TREATED]
NUMBERS = np.where(np.arange(720) % 7 == 0, np.nan, np.sin(np.arange(720))).reshape(240, 3)
OUTCOMES = {
    vt.BinomialOutcomeTreatment: DATA["c"],
    vt.NumericOutcomeTreatment: DATA["y"],
    vt.MultinomialOutcomeTreatment: [f"class {v % 3}" for v in DATA["size"]],
    vt.RateOutcomeTreatment: [abs(round(v)) for v in DATA["y"]],
    vt.SurvivalOutcomeTreatment: [abs(v) for v in DATA["y"]],
    vt.UnsupervisedTreatment: None,
}
OLD_SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7)


@pytest.fixture(params=OUTCOMES, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Any:
    """Each of the six classes."""
    return request.param


def unfitted(make: Any, **options: Any) -> Any:
    given = {"prune_sig": None, "random_state": 0} | options
    known = inspect.signature(make).parameters
    return make(**{name: value for name, value in given.items() if name in known})


def fitted(make: Any, frame: Any = X, **options: Any) -> Any:
    return unfitted(make, **options).fit(frame, OUTCOMES[make])


def expected_failures(treatment: Any) -> dict[str, str]:
    """Nothing fails, but for one check of scikit-learn 1.6."""
    if OLD_SKLEARN and isinstance(treatment, vt.BinomialOutcomeTreatment):
        return {
            "check_sample_weight_equivalence_on_dense_data": "scikit-learn 1.6 makes two classes "
            "of three by whichever row comes first, and so compares two different outcomes"
        }
    return {}


@pytest.mark.parametrize(
    "treatment",
    [
        *(make() for make in OUTCOMES),
        vt.BinomialOutcomeTreatment(prune_sig=None, collar=True, smoothing=1),
        vt.NumericOutcomeTreatment(prune_sig=0.5, imputation="median", n_jobs=2),
        vt.NumericOutcomeTreatment(prune_sig=0.5, prune_by="sig_fdr"),
    ],
    ids=repr,
)
def test_scikit_learns_own_checks_pass(treatment: Any) -> None:
    with warnings.catch_warnings():
        # The checks treat training rows, and rows on which nothing is recommended.
        warnings.simplefilter("ignore", vt.VtreatWarning)
        results = check_estimator(
            treatment,
            on_skip=None,
            on_fail=None,
            expected_failed_checks=expected_failures(treatment),
        )
    assert len(results) > 40
    assert [r["exception"] for r in results if r["status"] == "failed"] == []


def test_two_classes_are_asked_for_unless_a_target_is_named() -> None:
    assert not vt.BinomialOutcomeTreatment().__sklearn_tags__().classifier_tags.multi_class
    assert vt.BinomialOutcomeTreatment(target=1).__sklearn_tags__().classifier_tags.multi_class


# Checks that scikit-learn runs on its own transformers only.
INNER_CHECKS = [
    "check_dataframe_column_names_consistency",
    "check_get_feature_names_out_error",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_inplace_ensure_writeable",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
]


@pytest.mark.halved
@pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")
@pytest.mark.filterwarnings("ignore:X .* feature names")  # they mix frames and arrays
@pytest.mark.parametrize("check", INNER_CHECKS)
def test_scikit_learns_checks_of_its_own_transformers_pass(make: Any, check: str) -> None:
    # Their columns are noise: without `prune_sig=None` none may be left.
    keep_all = {"prune_sig": None} if "prune_sig" in make().get_params() else {}
    getattr(estimator_checks, check)(make.__name__, make(**keep_all))


@cache
def treated_in_pandas(make: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Coded training rows, and treated ones."""
    treatment = unfitted(make)
    return treatment.fit_transform(X, OUTCOMES[make]), treatment.transform(X[:9])


@pytest.mark.parametrize(
    ("kind", "make", "container", "through"),
    checkered(
        {kind.name: kind for kind in FRAME_KINDS},
        {make.__name__: make for make in OUTCOMES},
        {container: container for container in ("default", "pandas", "polars")},
        {through: through for through in ("set_output", "config")},
    ),
)
def test_the_output_is_of_the_kind_asked_for(
    kind: FrameKind, make: Any, container: str, through: str
) -> None:
    data = {name: DATA[name] for name in TREATED}
    frame, new = kind.make(data), kind.make({name: v[:9] for name, v in data.items()})
    wanted = {"default": kind.native, "pandas": pd.DataFrame, "polars": pl.DataFrame}[container]
    treatment = unfitted(make)
    if through == "set_output":
        treatment.set_output(transform=container)
    with sklearn.config_context(transform_output=container if through == "config" else "default"):
        crossed = treatment.fit_transform(frame, OUTCOMES[make])
        treated = treatment.transform(new)
    assert type(crossed) is type(treated) is wanted
    of_training, of_new = treated_in_pandas(make)
    assert_same_values(crossed, of_training)
    assert_same_values(treated, of_new)
    columns = crossed.column_names if isinstance(crossed, pa.Table) else list(crossed.columns)
    assert columns == treatment.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("container", "wanted"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_an_array_comes_back_as_the_frame_asked_for(make: Any, container: str, wanted: Any) -> None:
    plain = unfitted(make).fit_transform(NUMBERS, OUTCOMES[make])
    framed = unfitted(make).set_output(transform=container).fit_transform(NUMBERS, OUTCOMES[make])
    assert type(plain) is np.ndarray
    assert plain.dtype == np.float64
    assert type(framed) is wanted
    assert list(framed.columns)[:2] == ["x0", "x0_isBAD"]
    np.testing.assert_array_equal(framed.to_numpy(), plain, strict=True)


def test_the_index_of_a_pandas_frame_is_kept(make: Any) -> None:
    framed = X.set_index(pd.Index([f"r{i}" for i in range(240)]))
    for container in ("default", "pandas"):
        treatment = unfitted(make).set_output(transform=container)
        crossed = treatment.fit_transform(framed, OUTCOMES[make])
        assert crossed.index.equals(framed.index)
        assert treatment.transform(framed[10:13]).index.tolist() == ["r10", "r11", "r12"]


def test_polars_is_needed_only_where_it_is_asked_for() -> None:
    program = """
import sys
sys.modules["polars"] = None
import pandas as pd, vtreat_py as vt
frame = pd.DataFrame({"x": ["a", "b", None] * 9})
assert vt.UnsupervisedTreatment().fit_transform(frame).shape == (27, 3)
try:
    vt.UnsupervisedTreatment().set_output(transform="polars").fit_transform(frame)
except ImportError as error:
    assert "polars" in str(error)
else:
    raise SystemExit("polars was found")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_arrays_are_treated_as_frames_of_the_same_values(make: Any) -> None:
    frame = pd.DataFrame(NUMBERS, columns=["x0", "x1", "x2"])
    by_array, by_frame = fitted(make, NUMBERS), fitted(make, frame)
    assert by_array.plan_ == by_frame.plan_
    new = np.round(NUMBERS[:9] * 2, 3)
    for given in (new, new.tolist(), new.astype(object)):
        treated = by_array.transform(given)
        assert type(treated) is np.ndarray
        expected = by_frame.transform(pd.DataFrame(new, columns=frame.columns)).to_numpy()
        np.testing.assert_array_equal(treated, expected, strict=True)


def test_names_of_text_columns_are_remembered_and_others_are_not(make: Any) -> None:
    assert fitted(make).feature_names_in_.tolist() == TREATED
    numbered = fitted(make, X.set_axis(range(5), axis=1))
    assert not hasattr(numbered, "feature_names_in_")
    assert numbered.n_features_in_ == 5
    assert fitted(make).fit(NUMBERS, OUTCOMES[make]).n_features_in_ == 3
    assert not hasattr(fitted(make).fit(NUMBERS, OUTCOMES[make]), "feature_names_in_")


BAD_COLUMNS = {
    "other order": (X[TREATED[::-1]], r"Feature names must be in the same order"),
    "one more": (X.assign(b=1, a=1), r"unseen at fit time:\n- a\n- b\nTo pick columns by name"),
    "one less": (X[TREATED[2:]], r"now missing:\n- g\n- x\nAdd the missing columns; missing"),
    "renamed": (X.rename(columns={"x": "X"}), r"(?s)unseen at fit time:\n- X\n.*missing:\n- x\n"),
    "too narrow an array": (X.to_numpy()[:, 1:], r"X has 4 features, but \w+ is expecting 5"),
}


@pytest.mark.parametrize(("frame", "message"), BAD_COLUMNS.values(), ids=BAD_COLUMNS)
def test_other_columns_than_those_of_fit_are_refused(make: Any, frame: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        fitted(make).transform(frame)


def test_named_variables_are_picked_by_name(make: Any) -> None:
    treatment = fitted(make, variables=["x", "z"])
    expected = vt.prepare(treatment.plan_, NEW)
    assert treatment.n_features_in_ == 5
    for frame in (NEW[["z", "x"]], NEW.assign(more=1), NEW[TREATED[::-1]]):
        assert_same_values(treatment.transform(frame), expected)
    with pytest.raises(SchemaError, match="the frame lacks 1 column: 'x'"):
        treatment.transform(NEW[["z", "g"]])


def test_columns_named_as_outcome_or_weights_are_no_features() -> None:
    frame = pd.DataFrame(DATA).drop(columns="c").assign(w=1.5)
    treatment = unfitted(vt.NumericOutcomeTreatment).fit(frame, "y", sample_weight="w")
    assert treatment.feature_names_in_.tolist() == TREATED
    new = frame[:9]
    assert_same_values(treatment.transform(new), treatment.transform(new[TREATED]))
    with pytest.raises(SchemaError, match="unseen at fit time:\n- more"):
        treatment.transform(new.assign(more=1))


def test_an_array_for_a_frame_goes_by_place_with_scikit_learns_warning(make: Any) -> None:
    treatment = fitted(make)
    message = f"X does not have valid feature names, but {make.__name__} was fitted with feature"
    with pytest.warns(UserWarning, match=message):
        treated = treatment.transform(NEW.to_numpy(dtype=object))
    np.testing.assert_array_equal(treated, treatment.transform(NEW).to_numpy(), strict=True)


def test_a_frame_for_an_array_goes_by_place_with_scikit_learns_warning(make: Any) -> None:
    treatment = fitted(make, NUMBERS)
    frame = pd.DataFrame(NUMBERS[:9] * 2, columns=["u", "v", "w"])
    message = f"X has feature names, but {make.__name__} was fitted without feature names"
    with pytest.warns(UserWarning, match=message):
        treated = treatment.transform(frame)
    expected = treatment.transform(frame.to_numpy())
    np.testing.assert_array_equal(treated.to_numpy(), expected, strict=True)
    numbered = treatment.transform(frame.set_axis([5, 6, 7], axis=1))
    np.testing.assert_array_equal(numbered.to_numpy(), expected, strict=True)


def test_numbered_columns_are_found_by_their_numbers(make: Any) -> None:
    treatment = fitted(make, X.set_axis(range(5), axis=1))
    numbered = NEW.set_axis(range(5), axis=1)
    expected = treatment.transform(numbered)
    assert_same_values(treatment.transform(numbered[[4, 3, 2, 1, 0]]), expected)
    by_place = treatment.transform(NEW.to_numpy(dtype=object))
    np.testing.assert_array_equal(by_place, expected.to_numpy(), strict=True)


def test_names_of_an_arrays_columns_may_be_given_later() -> None:
    rows = X[["x", "z"]].to_numpy(dtype=object)
    treatment = fitted(vt.BinomialOutcomeTreatment, rows, coders=["clean", "isBAD", "catB"])
    assert treatment.get_feature_names_out().tolist() == ["x0_catB", "x1", "x1_isBAD"]
    names = treatment.get_feature_names_out(["town", "rent"]).tolist()
    assert names == ["town_catB", "rent", "rent_isBAD"]
    several = fitted(vt.MultinomialOutcomeTreatment, rows, coders=["catB"], smoothing=1)
    assert several.get_feature_names_out(["town", "rent"]).tolist() == [
        "class_0_town_catB", "class_1_town_catB", "class_2_town_catB",
    ]  # fmt: skip


def test_names_of_the_input_must_be_those_of_fit(make: Any) -> None:
    treatment = fitted(make)
    expected = treatment.plan_.feature_names
    assert treatment.get_feature_names_out(np.array(TREATED)).tolist() == expected
    with pytest.raises(FrameError, match="input_features is not equal to feature_names_in_"):
        treatment.get_feature_names_out(TREATED[::-1])
    with pytest.raises(FrameError, match=r"input_features should have length .* \(3\), got 2"):
        fitted(make, NUMBERS).get_feature_names_out(["a", "b"])


@pytest.mark.parametrize("rows", [0, 1])
def test_a_supervised_design_needs_two_rows(make: Any, rows: int) -> None:
    if make is not vt.UnsupervisedTreatment:
        with pytest.raises(FrameError, match=r"no rows|1 sample.*needs at least two"):
            make().fit(X[:rows], OUTCOMES[make][:rows])


def test_a_frame_without_columns_is_refused(make: Any) -> None:
    for empty in (X[[]], np.empty((240, 0))):
        with pytest.raises(FrameError, match=r"0 feature\(s\) \(shape=\(240, 0\)\) while"):
            make().fit(empty, OUTCOMES[make])


def test_every_parameter_is_described(make: Any) -> None:
    told = inspect.getdoc(make)
    parameters, attributes = told.split("Parameters\n---")[1].split("Attributes\n---")
    named = re.compile(r"^(\w+) : ", re.MULTILINE)
    assert sorted(named.findall(parameters)) == sorted(inspect.signature(make).parameters)
    assert named.findall(attributes) == [
        "plan_", "score_frame_", "feature_names_in_", "n_features_in_"
    ]  # fmt: skip


@pytest.mark.halved
@pytest.mark.parametrize("copied", [lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy])
def test_copies_treat_rows_alike(make: Any, copied: Any) -> None:
    original = fitted(make).set_output(transform="polars")
    other = copied(original)
    assert other.plan_ == original.plan_
    assert_same_values(other.transform(NEW), original.transform(NEW))
    blank = copied(unfitted(make, min_fraction=0.1))
    assert blank.get_params() == unfitted(make, min_fraction=0.1).get_params()
    assert fitted(make, min_fraction=0.1).plan_ == blank.fit(X, OUTCOMES[make]).plan_


def transformed(treatment: Any, frame: pd.DataFrame) -> bytes:
    return treatment.transform(frame).to_numpy().tobytes()


def test_threads_and_processes_treat_rows_to_the_same_bits() -> None:
    treatment = fitted(vt.BinomialOutcomeTreatment)
    parts = [NEW[:10], NEW[10:11], NEW[11:]]
    expected = [transformed(treatment, part) for part in parts]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(transformed, [treatment] * 3, parts)) == expected
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        assert list(processes.map(transformed, [treatment] * 3, parts)) == expected
    run = Parallel(2, prefer="threads")
    assert run(delayed(transformed)(treatment, part) for part in parts) == expected


def learned(make: Any, frame: pd.DataFrame) -> vt.TreatmentPlan:
    return fitted(make, frame).plan_


def test_plans_of_the_same_data_and_seed_are_equal(make: Any) -> None:
    plan = learned(make, X)
    assert plan == learned(make, X.copy())
    assert plan == fitted(make, n_jobs=2).plan_
    with ThreadPoolExecutor(2) as threads:
        assert all(one == plan for one in threads.map(learned, [make] * 4, [X] * 4))
    if make is not vt.UnsupervisedTreatment:
        assert plan != fitted(make, random_state=1).plan_


def test_numbers_are_rounded_only_where_they_are_printed(make: Any) -> None:
    treatment = fitted(make)
    before = treatment.score_frame_
    assert repr(treatment.plan_)
    assert treatment.plan_._repr_html_()
    pd.testing.assert_frame_equal(treatment.score_frame_, before, check_exact=True)
    if make is not vt.UnsupervisedTreatment:
        scores = before[["rsq", "sig"]].to_numpy()
        assert (np.round(scores, 6) != scores).mean() > 0.8
        assert set(before["sig"]) == {s.sig for v in treatment.plan_.derived for s in v.scores}
