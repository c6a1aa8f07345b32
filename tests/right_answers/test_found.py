"""What the laws found, case by case: `tests.fuzz` draws such frames, and others."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import warnings
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats
from sklearn.model_selection import KFold

import vtreat_py as vt
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    PlanFormatError,
    SchemaError,
    UnsupportedColumnError,
    VtreatError,
    VtreatWarning,
)
from vtreat_py.coders.cat_d import cat_d
from vtreat_py.coders.isotonic import Isotonic
from vtreat_py.coders.lev import tracked_levels
from vtreat_py.coders.piecewise import Piecewise
from vtreat_py.coders.pooling import PooledLevels, pool_levels
from vtreat_py.coders.random_intercepts import RandomIntercepts
from vtreat_py.coders.shape_code import BinnedSets, cross_validation
from vtreat_py.coders.text_features import TextFeatures
from vtreat_py.frames.levels import Levels
from vtreat_py.significance.correlation import correlation_test
from vtreat_py.significance.fisher import fisher_exact
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.level_tests import class_level_test, numeric_level_test
from vtreat_py.significance.pearson import upper_tail
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.series import SeriesTests
from vtreat_py.significance.similar_levels import similar_levels_test
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.equal_rates import EqualRates
from vtreat_py.statistics.level_view import training_view
from vtreat_py.statistics.outcome_sums import OutcomeSums

N = 60
pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


def test_whole_classes_are_named_alike_in_all_containers(rows: pd.DataFrame) -> None:
    frame = rows.assign(y=np.arange(N) % 3 + 5)
    held = [frame, pl.from_pandas(frame), pa.table(frame), frame.astype({"y": "Int64"})]
    plans = [
        vt.design_treatments(one, outcome="y", outcome_type="multinomial", cv=3, random_state=0)
        for one in held
    ]
    assert [plan.classes for plan in plans] == [(5, 6, 7)] * 4
    assert all(plan == plans[0] for plan in plans)


def test_objects_of_an_array_are_read_alike_in_one_row_and_in_several() -> None:
    values = [dt.timedelta(1), "a", 7, None] * 5
    array = np.array([values, range(20)], dtype=object).T
    made = vt.design_treatments(array, outcome=np.arange(20.0), coders=["catP", "clean"])
    together = vt.prepare(made, array[:4])
    alone = np.vstack([vt.prepare(made, array[i : i + 1]) for i in range(4)])
    np.testing.assert_array_equal(alone, together)


def test_frames_without_columns_ask_nothing_of_the_columns_that_were_there() -> None:
    text = pa.array(["a", "b", None, "a"] * 5, pa.string_view())  # of which Arrow picks no rows
    folds = [([0, 1, 2, 3], [4, 5]), ([8, 9], [0, 1]), ([6, 7], [4, 5])]
    made = vt.cross_frame_experiment(
        pa.table({"x": text}), outcome=np.arange(20.0), cv=folds, prune_sig=0.0
    )
    assert isinstance(made.cross_frame, pa.Table)
    assert made.cross_frame.num_columns == 0


@pytest.mark.parametrize("dtype", [object, str])
def test_text_of_an_array_may_hold_lone_surrogates(dtype: type) -> None:
    array = np.array([["a\ud800", "b"] * 10], dtype=dtype).T
    made = vt.design_treatments(array, outcome=np.arange(20.0), cv=2, random_state=0)
    assert vt.prepare(made, array[:2]).shape == (2, len(made.feature_names))


@pytest.mark.parametrize("name", [pd.NA, np.nan, pd.NaT])
def test_names_that_are_missing_values_stand_beside_others(
    rows: pd.DataFrame, y: Any, name: Any
) -> None:
    frame = pd.concat([rows, pd.DataFrame({"y": y, "w": 1.0 + (y > 0)})], axis=1)
    frame.columns = pd.Index(["c", name, "y", "w"], dtype=object)
    given = {"outcome": "y", "sample_weight": "w"}
    assert vt.design_treatments(frame, variables=["c"], **given).variables == ("c",)
    with pytest.raises(InvalidOptionError, match="a missing value"):
        vt.design_treatments(frame, **given)


def test_names_in_polars_may_hold_nul_where_numbers_are_names(y: Any) -> None:
    ids = pl.Series("a\0b", [2**70 + i % 5 for i in range(N)], dtype=pl.Int128)
    frame = pl.DataFrame([ids, pl.Series("\0", np.arange(N) % 7)])
    made = vt.design_treatments(frame, outcome=y, categorical=["a\0b", "\0"], random_state=0)
    assert [len(t.levels) for t in made.treatments] == [5, 7]


@pytest.mark.parametrize("junk", [np.array([1, 2]), [0], {}, np.array(3)])
def test_what_is_no_name_has_no_level_effects(plan: vt.TreatmentPlan, junk: Any) -> None:
    with pytest.raises(InvalidOptionError, match="no level effects"):
        plan.level_effects(junk)


def test_what_is_no_class_has_no_level_effects(rows: pd.DataFrame) -> None:
    made = vt.design_treatments(rows, outcome=list("abc") * (N // 3), random_state=0)
    with pytest.raises(InvalidOptionError, match="is no class"):
        made.level_effects("c", np.array(["a", "b"]))


@pytest.mark.parametrize("option", ["cv", "row_id", "coders", "variables"])
def test_arrays_without_dimensions_are_no_option(rows: pd.DataFrame, y: Any, option: str) -> None:
    with pytest.raises(OptionTypeError, match=option):
        vt.design_treatments(rows, outcome=y, **{option: np.array(3)})


@pytest.mark.parametrize("n_jobs", [2**70, -(2**70), 0, "2"])
def test_numbers_of_threads_that_there_are_not_are_refused(
    rows: pd.DataFrame, y: Any, n_jobs: Any
) -> None:
    with pytest.raises(InvalidOptionError, match="n_jobs"):
        vt.design_treatments(rows, outcome=y, n_jobs=n_jobs)


@pytest.mark.parametrize("path", ["a\ud800", "", "nul\0"])
def test_statistics_that_are_not_there_are_told_so(path: str, tmp_path: Path) -> None:
    for where, told in ((path, "there is no file"), (tmp_path, "is a folder, not a file")):
        with pytest.raises(FileNotFoundError, match=told):
            vt.DesignStatistics.load(where)


def test_levels_that_are_durations_of_numpy_are_refused_in_sql(y: Any) -> None:
    values = [np.timedelta64(5, "D"), "a", "a", None] * (N // 4)
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    made = vt.design_treatments(frame, outcome=y, coders=["catP"])
    with pytest.raises(InvalidOptionError, match="'x'"):
        made.to_sql("rows")


def test_integers_that_no_engine_holds_are_refused_in_sql(y: Any) -> None:
    values = pd.Series([2**70, -(2**64), 5] * (N // 3), dtype=object)
    frame = pd.DataFrame({"x": values})
    made = vt.design_treatments(frame, outcome=y)
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(FrameError, match="'x'"):
        made.check_sql(connection, frame)


@pytest.mark.parametrize("classes", [False, True])
def test_levels_of_any_weight_are_tested(rows: pd.DataFrame, y: Any, classes: bool) -> None:
    given = {"outcome": y > 0 if classes else y, "keep_statistics": True, "random_state": 0}
    for size in (1e20, 1e60):
        made = vt.design_treatments(rows, sample_weight=np.full(N, size), **given)
        of_levels = made.score_frame["code"].isin(["catB", "catN"])
        assert of_levels.any()
        assert (made.score_frame["sig"][of_levels] < 1e-100).all()
        assert repr(made.audit(rows, sample_weight=np.full(N, size)))


def test_tables_whose_margins_lose_a_row_are_tested() -> None:
    tables = np.array([[1.0, 1e20, 3.0, 1.0], [1e20, 1.0, 1.0, 2e20]]).T
    p = fisher_exact(tables)
    assert ((p >= 0) & (p <= 1)).all()


def test_a_pool_of_all_rows_has_no_indicator_whatever_its_weight_is_rounded_to() -> None:
    random = np.random.default_rng(0)
    weight = 0.37 * random.integers(1, 4, N)
    frame = pd.DataFrame({f"x{i}": random.permutation(N) // 3 for i in range(40)}).astype(str)
    made = vt.design_treatments(
        frame, outcome=np.arange(N) % 7, sample_weight=weight, rare_count=20, coders=["lev"]
    )
    assert not made.derived


def test_a_few_rows_of_a_class_are_not_lost_beside_1e17_others() -> None:
    levels = OutcomeSums(np.array([1e17, 1.0, 3.0, 4.0]), np.array([1e17, 0.0, 0.0, 0.0]))
    y = Sample.of_values(np.array([0.0, 1.0]), np.array([8.0, 1e17]))
    assert 0.0 < level_effects_test(levels, OutcomePowers.of_sample(y)) <= 1.0


def test_fractions_that_sum_to_the_limit_are_rare() -> None:
    frame = pd.DataFrame({"x": ["a"] * 3 + ["b"] * 9 + ["c"] * 9})
    made = vt.design_treatments(
        frame, outcome=np.arange(21) % 5, sample_weight=[0.1] * 21, rare_count=0.3, coders=["lev"]
    )
    assert sum([0.1] * 3) > 0.3
    assert [v.level for v in made.derived] == [None, "b", "c"]


def test_a_table_of_huge_counts_has_no_negative_cell() -> None:
    x = Sample.of_values(np.array([0.0, 1.0]), np.array([1e17, 2.0]))
    y = Sample.of_values(np.array([0.0, 1.0]), np.array([18.0, 1e17]))
    assert 0.0 <= correlation_test(-0.5, 1e17, lambda: x, y) <= 1.0


def test_levels_whose_rows_do_not_differ_in_some_folds_are_coded() -> None:
    level = np.repeat(np.arange(60), 4)
    y = np.random.default_rng(1).normal(size=60)[level] ** 3
    y[0] += 1.0
    made = vt.design_treatments(
        pd.DataFrame({"x": level.astype(str)}), outcome=y, coders=["catN"], cv=4, random_state=0
    )
    assert [v.code for v in made.derived] == ["catN"]


@pytest.mark.parametrize("y", [np.arange(18.0), np.arange(18) % 2])
def test_means_that_no_outcome_has_are_refused(y: np.ndarray) -> None:
    made = vt.design_treatments(pd.DataFrame({"x": list("abc") * 6}), outcome=y)
    tree = json.loads(made.to_json())
    tree["level_statistics"][0]["outcomes"][0]["mean"][1] = 1e200
    with pytest.raises(VtreatError, match=r"outcomes\[0\].mean: expected .*, found 1e\+200"):
        vt.TreatmentPlan.from_json(json.dumps(tree))


@pytest.mark.parametrize("common", ["b", "a"])
def test_a_prevalence_of_two_levels_has_the_exact_test_of_its_table(common: str) -> None:
    level = np.array([common] * 9 + ["c"] * 3)[[9, *range(9), 10, 11]]
    y = np.array([0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1])
    options: dict[str, Any] = {"outcome": y, "random_state": 0, "min_fraction": 1.0}
    for rows in (np.arange(12), np.argsort(level, kind="stable"), np.argsort(level)[::-1]):
        frame = pd.DataFrame({"x": level[rows]})
        made = vt.design_treatments(
            frame, **options | {"outcome": y[rows]}, coders=["catP"], outcome_type="binomial"
        )
        expected = stats.fisher_exact(pd.crosstab(level, y))[1]
        assert [v.sig for v in made.derived] == [pytest.approx(expected)]


def test_a_day_of_numpy_is_the_date_that_it_equals() -> None:
    days = list(np.arange("2024-02-29", "2024-03-30", dtype="datetime64[D]"))
    mixed = [*days, *(day.item() for day in days), "text", "text", "text"]
    frame = pd.DataFrame({"x": mixed})
    made = vt.design_treatments(frame, outcome_type="unsupervised", coders=["catP"])
    assert made.treatments[0].levels.to_list() == [*(day.item() for day in days), "text"]
    prepared = vt.prepare(
        made, pd.DataFrame({"x": ["text", days[0], days[0].item()]}, dtype=object)
    )
    np.testing.assert_allclose(prepared["x_catP"], np.array([3, 2, 2]) / 63)


_TUPLE = {"type": "tuple", "value": ["a", {"type": "float", "value": "NaN"}]}


@pytest.mark.parametrize(
    ("path", "found", "message"),
    [
        (("dropped", 0, "n_tests"), 2**64, "expected 1 to 9007199254740992"),
        (("treatments", 0, "levels", 0), _TUPLE, "a missing value is no level"),
    ],
)
def test_texts_that_no_plan_writes_are_refused(
    path: tuple[Any, ...], found: Any, message: str
) -> None:
    noise = pd.DataFrame({"x": np.arange(90).astype(str)}), np.arange(90.0)
    signal = pd.DataFrame({"x": list("abc") * 30}), np.arange(90.0) % 3
    frame, y = noise if path[0] == "dropped" else signal
    made = vt.design_treatments(frame.assign(z=list("abc") * 30), outcome=y, random_state=0)
    tree = json.loads(made.to_json())
    place = tree
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = found
    with pytest.raises(VtreatError, match=message):
        vt.TreatmentPlan.from_json(json.dumps(tree))


@pytest.mark.parametrize("dtype", ["category", object])
def test_a_column_of_what_means_missing_is_empty_whatever_its_type(dtype: Any) -> None:
    frame = pd.DataFrame({"x": pd.Series(["a", None, "a"] * 4).astype(dtype), "z": range(12)})
    made = vt.design_treatments(frame, outcome_type="unsupervised", missing_values=["a"])
    assert made.unused == (("x", "it has missing values only"),)


@pytest.mark.parametrize("weight", [1e-90, 1e60, 1e90])
def test_effects_of_levels_with_weights_and_outcomes_of_any_size(weight: float) -> None:
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(6), 8)
    y = (0.5 * codes + random.normal(size=48)) * 2.0**100
    w = random.random(48) * weight
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", VtreatWarning)
        made = vt.design_treatments(
            pd.DataFrame({"x": codes.astype(str)}), outcome=y, sample_weight=w
        )
        assert np.isfinite(made.level_effects("x")["effect_se"]).all()


def test_folds_of_a_splitter_that_ignores_groups_are_right_where_they_keep_them() -> None:
    frame = pd.DataFrame({"x": list("abab") * 10})
    made = vt.design_treatments(
        frame, outcome=np.arange(40.0) % 7, cv=KFold(4), groups=np.repeat(np.arange(4), 10)
    )
    assert made.n_rows == 40


def test_errors_of_a_mixed_model_beside_a_weight_that_says_it_all() -> None:
    frame = pd.DataFrame({"x": list("a" + "b" * 8), "y": [1] + [1, 1, 1, 0] * 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        made = vt.design_treatments(
            frame,
            outcome="y",
            outcome_type="binomial",
            sample_weight=np.append(1e17, np.ones(8)),
            smoothing="mixed",
        )
        assert np.isfinite(made.level_effects("x")["effect_se"]).all()


def test_a_pool_of_all_rows_of_each_fold_codes_nothing(y: Any) -> None:
    rare = pd.DataFrame({"x": np.where(np.arange(N) % 3 == 0, "a", list("bcdefghijklm") * 5)})
    given = {"cv": 3, "random_state": 0, "rare_count": 18, "smoothing": 0.0}
    for outcome, code in ((y > np.quantile(y, 0.37), "catB"), (y + 0.1, "catN")):
        made = vt.cross_frame_experiment(rare, outcome=outcome, coders=[code], **given)
        assert made.plan.score_frame["rsq"].tolist() == [0.0]
        assert (made.cross_frame.to_numpy() == 0.0).all()


@pytest.mark.parametrize("rounding", [-1e-15, 1e-15])
def test_half_a_row_is_rounded_alike_whichever_way_its_sum_was(rounding: float) -> None:
    table = np.array([[3.0], [3.5], [10.0], [15.0]])  # hits and rows of a level, then of all
    exact, other = class_level_test(*table), class_level_test(*(table * (1.0 + rounding)))
    np.testing.assert_allclose(exact, other, rtol=1e-12)


def test_neighbours_whose_difference_is_out_of_range_are_told_apart(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [-1.7e308, 1.7e308] * (N // 2)})
    made = vt.design_treatments(frame, outcome=np.arange(N) % 7, keep_statistics=True, cv=3)
    assert vt.TreatmentPlan.from_json(made.to_json()) == made
    assert made.statistics is not None
    made.statistics.save(tmp_path / "kept")
    assert vt.DesignStatistics.load(tmp_path / "kept").plan() == made


@pytest.mark.parametrize("rounding", [-1e-15, 1e-15])
def test_weights_reach_a_limit_whichever_way_their_sums_were_rounded(rounding: float) -> None:
    def levels(weight: np.ndarray) -> PooledLevels:
        y = np.arange(4.0)
        sums = OutcomeSums(weight, weight * y, weight * np.array([1.0, 2.0, 3.0, 4.0]))
        return pool_levels(training_view([sums]), 0.0, None, is_binary=False)

    exact = np.array([2.0, 2.0, 6.0, 10.0])
    other = exact * [1.0 + rounding, 1.0 + rounding, 1.0, 1.0]
    np.testing.assert_allclose(cat_d(levels(other))[0], cat_d(levels(exact))[0])
    assert tracked_levels(levels(other), 0.1)[0].all()


def test_a_cell_of_ten_rows_has_the_exact_test_whatever_its_sum_is_rounded_to() -> None:
    table = np.array([[10.0], [30.0], [40.0], [90.0]])
    np.testing.assert_allclose(
        class_level_test(*(table * (1.0 + 1e-15))), class_level_test(*table), rtol=1e-12
    )


def test_a_fold_too_small_for_a_shape_of_r_codes_a_class_by_nothing() -> None:
    made = vt.cross_frame_experiment(
        pd.DataFrame({"x": np.arange(15.0) % 11}),
        outcome=np.arange(15) % 4 == 0,
        coders=["window"],
        significance="classic",
        smoothing=0.0,
        cv=3,
    )
    assert (made.cross_frame["x_window"] == 0.0).all()
    assert made.plan.derived[0].rsq == 0.0


def test_monotone_values_that_differ_by_rounding_have_their_rows_in_common() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        hits, rows = random.integers(0, 2, 21), random.integers(1, 4, 21).astype(np.float64)
        one, other = (_isotonic_rows(rows, mean.astype(np.float64)) for mean in (hits, 1 - hits))
        np.testing.assert_allclose(one, other)


def _isotonic_rows(rows: np.ndarray, mean: np.ndarray) -> np.ndarray:
    x = np.linspace(0.0, 1.0, len(rows))
    return Isotonic().fitted(BinnedSets(x, x, rows[None], mean[None], np.zeros(1)))[1]


def test_lazy_curves_are_0_at_knots_where_they_are() -> None:
    frame = pl.DataFrame({"x": [0.3, 0.7, 0.3, 0.9] * 10, "y": np.arange(40.0), "id": range(40)})
    curve = vt.Curve([0.3, 0.7, 0.9], [1.0, 0.0, -1.0])
    made = vt.design_treatments(
        frame.drop("id"),
        outcome="y",
        coders=["own"],
        custom_coders={"own": vt.NumberCoder(lambda *_: curve)},
    )
    treated = vt.prepare(made, frame.lazy(), row_id="id").collect()
    assert not np.signbit(treated["x_own"].to_numpy()[treated["x_own"].to_numpy() == 0.0]).any()


def test_values_that_are_one_beside_a_huge_one_have_one_bin() -> None:
    x = np.array([0.0, 0.0, 0.52, 2.0**53, 2.0**53, 0.0])
    weight = np.tile([1.0, 3.0, 2.0], 12)
    frame = pd.DataFrame(
        {"x": np.tile(x, 6), "y": np.arange(36) % 5 > 2, "fold": np.arange(36) % 3}
    )
    given = {"outcome": "y", "coders": ["window", "isotonic"], "cv": "fold", "variables": ["x"]}
    one = vt.design_treatments(frame, sample_weight=weight, **given)
    rows = np.repeat(np.arange(36), weight.astype(int))
    other = vt.design_treatments(frame.iloc[rows].reset_index(drop=True), **given)
    np.testing.assert_allclose(one.score_frame["rsq"], other.score_frame["rsq"], rtol=1e-9)


@pytest.mark.parametrize("rounding", [-1e-15, 1e-15])
def test_as_many_levels_as_rows_tell_nothing_whichever_way_weights_were_rounded(
    rounding: float,
) -> None:
    weight = np.array([0.5, 0.5, 1.5, 1.5]) * (1.0 + rounding)
    sums = OutcomeSums(weight, weight * np.array([0.0, 1.0, 0.0, 1.0]))
    levels = pool_levels(training_view([sums]), 0.0, None, is_binary=True)
    assert not levels.likelihood.tells.any()


def test_curves_of_numbers_far_apart_keep_the_digits_of_their_slopes() -> None:
    x = np.random.default_rng(0).normal(size=N)
    y = 1e-7 * (x + np.arange(N) % 7)
    given = {"outcome": y, "cv": 3, "coders": ["piecewise", "spline"], "random_state": 0}
    one, other = (
        vt.cross_frame_experiment(pd.DataFrame({"x": unit * x}), **given)
        for unit in (1.0, 2.0**1018)
    )
    pd.testing.assert_frame_equal(other.cross_frame, one.cross_frame, check_exact=True)
    found = vt.prepare(other.plan, pd.DataFrame({"x": 2.0**1018 * x[:5]}))
    pd.testing.assert_frame_equal(
        found, vt.prepare(one.plan, pd.DataFrame({"x": x[:5]})), check_exact=True
    )


def test_shapes_that_are_flat_in_all_folds_code_a_class_by_nothing() -> None:
    made = vt.cross_frame_experiment(
        pd.DataFrame({"x": np.arange(N) % 3}),
        outcome=np.random.default_rng(37).random(N) < 0.6,
        coders=["isotonic"],
        cv=2,
        random_state=0,
    )
    assert (made.cross_frame["x_isotonic"] == 0.0).all()
    assert made.plan.derived[0].rsq == 0.0


def test_a_monotone_shape_that_fits_as_well_either_way_is_turned_with_the_outcome() -> None:
    x, rows = np.linspace(0.0, 1.0, 5), np.full((1, 5), 8.0)
    mean = np.array([[0.75, 0.25, 0.5, 0.25, 0.75]])
    one, other = (
        Isotonic().fitted(BinnedSets(x, x, rows, values, np.zeros(1)))[0]
        for values in (mean, 1.0 - mean)
    )
    np.testing.assert_allclose(other, -one)


def test_rows_of_weight_0_do_not_decide_which_test_an_outcome_has() -> None:
    frame = pd.DataFrame({"x": list("abcdefgh") * 5, "z": np.arange(40) % 9})
    y = (np.arange(40) % 9 == 0).astype(float)
    weight = np.append(np.ones(38), [0.0, 0.0])
    y[38:] = [7.0, -3.0]
    given = {"cv": 3, "random_state": 0, "coders": ["clean", "catN"]}
    one = vt.design_treatments(frame, outcome=y, sample_weight=weight, **given)
    other = vt.design_treatments(frame[:38], outcome=y[:38], **given)
    np.testing.assert_allclose(one.score_frame["sig"], other.score_frame["sig"], rtol=1e-9)


def test_bins_of_one_value_beside_huge_ones_have_no_spread_by_rounding() -> None:
    x = np.tile([-1.7e271, -9e-41, 1e-315, 9e141, 3.3e276, 4.4e281], 10)
    y = np.random.default_rng(3).random(N) < 0.4
    one, other = (
        vt.design_treatments(
            pd.DataFrame({"x": x}),
            outcome=y,
            target=target,
            coders=["window"],
            cv=3,
            random_state=0,
        )
        for target in (True, False)
    )
    np.testing.assert_allclose(one.derived[0].slope, other.derived[0].slope, rtol=1e-9)


@pytest.mark.parametrize("rounding", [-1e-15, 1e-15])
def test_bins_are_cut_alike_whichever_way_weights_were_rounded(rounding: float) -> None:
    x, rows = np.linspace(0.0, 1.0, 6), np.full((1, 6), 0.37)
    rounded = rows * (1.0 + rounding * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0]))
    one, other = (BinnedSets(x, x, w, np.zeros((1, 6)), np.zeros(1)) for w in (rows, rounded))
    for parts in (2, 3, 6):
        assert other.cuts(parts).tolist() == one.cuts(parts).tolist()


@pytest.mark.parametrize("rounding", [-1e-15, 1e-15])
def test_rows_are_enough_for_segments_whichever_way_weights_were_rounded(rounding: float) -> None:
    x, mean = np.linspace(0.0, 1.0, 5), np.array([[0.0, 1.0, 2.0, 1.0, 0.0]])
    for rows in (20.0, 5.0):  # two segments, and none: as many parameters as rows
        weight = np.full((2, 5), rows / 5.0) * np.array([[1.0], [1.0 + rounding]])
        sets = BinnedSets(x, x, weight, np.vstack([mean, mean]), np.zeros(2))
        values, _ = Piecewise().fitted(sets)
        np.testing.assert_allclose(values[0], values[1], atol=1e-9)
        scores = cross_validation(np.zeros(2), sets.rows, 5.0)
        assert np.isinf(scores).tolist() == [rows == 5.0] * 2


def test_one_text_has_no_effect_beside_that_of_its_text() -> None:
    random = np.random.default_rng(0)
    for rows in range(20, 50):
        frame = pd.DataFrame({"x": random.choice(np.array(["d0", None], object), rows)})
        frame["fold"], y = np.arange(rows) % 3, random.random(rows) < 0.3
        given = {"coders": ["text"], "cv": "fold", "variables": ["x"], "prune_sig": None}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "nothing is derived", vt.VtreatWarning)
            one, other = (
                vt.cross_frame_experiment(frame, outcome=hits, **given) for hits in (y, ~y)
            )
        np.testing.assert_allclose(one.cross_frame, -other.cross_frame, atol=1e-9)


def test_shifts_that_tie_are_reached_whichever_class_is_the_target() -> None:
    random = np.random.default_rng(0)
    for rows in range(8, 40):
        level, y = random.integers(0, 4, rows), random.random(rows) < 0.4
        one, other = (SeriesTests(hits.astype(float)).level_effects(level, 4) for hits in (y, ~y))
        assert one == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize("unit", [1.0, 0.37])
def test_texts_whose_rows_are_all_of_one_class_differ_by_nothing(unit: float) -> None:
    random = np.random.default_rng(0)
    for rows in range(24, 44):
        frame = pd.DataFrame({"x": random.choice(np.array(["ab", "bc", "d", None], object), rows)})
        frame["fold"] = np.arange(rows) % 3
        y = frame["x"].isna() | ((frame["fold"] == 0) & (random.random(rows) < 0.5))
        given = {"coders": ["text"], "cv": "fold", "variables": ["x"], "prune_sig": None}
        weight = unit * (1.0 + np.arange(rows) % 3)
        one, other = (
            vt.cross_frame_experiment(frame, outcome=hits, sample_weight=weight, **given)
            for hits in (y, ~y)
        )
        np.testing.assert_allclose(one.cross_frame, -other.cross_frame, atol=1e-9)


def test_the_one_hit_of_a_class_has_a_p_value_beside_texts() -> None:
    frame = pd.DataFrame({"x": np.array(["ab", "bc"])[np.arange(13) * 5 % 13 // 8]})
    y = np.where(np.arange(13) == 0, "rare", np.where(np.arange(13) % 3, "some", "other"))
    given = {"cv": 3, "random_state": 0, "coders": ["text"]}
    plan = vt.design_treatments(frame, outcome=y, outcome_type="multinomial", **given)
    assert "rare" in {score.target for one in plan.derived for score in one.scores}
    assert plan.score_frame["sig"].between(0.0, 1.0).all()


@pytest.mark.parametrize("skewness", [-1e9, -791.488169851169, 3370.96524049872, 1e9])
def test_tails_of_what_is_nearly_two_points_are_probabilities(skewness: float) -> None:
    for kurtosis in (0.0, skewness**2 - 2.0, 1.2 * skewness**2):
        found = [upper_tail(x, skewness, kurtosis) for x in np.linspace(-0.1, 0.1, 121)]
        assert (np.diff(found) < 1e-12).all()
        assert 0.0 <= found[-1] <= found[0] <= 1.0


@pytest.mark.parametrize("outlier", [10.0, 30.0, 1000.0])
def test_a_row_far_off_does_not_make_the_outcome_go_with_texts(outlier: float) -> None:
    random = np.random.default_rng(0)
    points, p = random.normal(size=(5, 4)), []
    for _ in range(400):
        y = np.append(outlier, random.normal(size=59))
        levels = OutcomeSums.of_rows(random.integers(0, 5, 60), 5, y)
        p.append(similar_levels_test(levels, points, OutcomePowers.of_sample(Sample.of_values(y))))
    assert np.mean(np.array(p) < 0.05) < 0.09


@pytest.mark.parametrize("missing", [0.0, 0.9])
def test_rows_without_a_text_do_not_decide_whether_the_outcome_goes_with_texts(
    missing: float,
) -> None:
    """Whatever they are, the p-value is that of the rows with a text."""
    random = np.random.default_rng(0)
    level, points = random.integers(0, 10, 200), random.normal(size=(10, 4))
    p = []
    for _ in range(20):
        y = (random.random(200) < 0.05).astype(float)
        beside = np.append(y, random.random(200) < missing)
        sums = OutcomeSums(np.bincount(level, minlength=10) * 1.0, np.bincount(level, y, 10))
        one, other = (OutcomePowers.of_sample(Sample.of_values(of)) for of in (y, beside))
        p.append([similar_levels_test(sums, points, of) for of in (one, other)])
    np.testing.assert_allclose(*np.transpose(p), rtol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("power", [50, 200])
def test_levels_of_more_rows_than_floats_tell_are_known(power: int) -> None:
    """Those of 2**40 rows as well as those of any more."""

    def model(rows: FloatArray) -> RandomIntercepts:
        sums = OutcomeSums.of_rows(level, 4, y, rows)
        return RandomIntercepts(EqualRates.of_view(training_view([sums]), 0.0), sums.merged())

    random = np.random.default_rng(0)
    for _ in range(4):
        level, weight = random.integers(0, 4, 12), 0.1 + random.random(12)
        y = np.where(level == 0, 0.0, random.integers(0, 2, 12))
        found, expected = (model(np.ldexp(weight, k)) for k in (power, 40))
        np.testing.assert_allclose(found.intercept, expected.intercept, atol=1.0)
        levels = np.arange(4)
        np.testing.assert_allclose(found.codes(levels), expected.codes(levels), atol=1.0)


def test_the_mean_of_the_largest_numbers_is_in_their_range() -> None:
    largest = float(np.finfo(np.float64).max)
    for rows in range(3, 40):
        near = Coordinates.near(np.full(rows, largest))
        assert near.centre == pytest.approx(largest)
        assert np.isfinite(near.outer(np.array([-0.1, 0.1]))).all()
    frame = pd.DataFrame({"x": [1.0, None, *[largest] * 4]})
    weight = [1e-17, 1.0, 1.0, 1.0, 1.0, 1.0]
    plan = vt.design_treatments(
        frame, outcome=[0.0, 1.0] * 3, sample_weight=weight, cv=2, coders=["clean"]
    )
    assert vt.prepare(plan, frame)["x"][1] == pytest.approx(largest)


def test_directions_of_texts_that_are_equally_unlike_do_not_rest_on_their_order() -> None:
    levels = list("abcdefghijkl")
    order = np.random.default_rng(0).permutation(len(levels))
    one, other = (
        TextFeatures.of(Levels.of(texts), np.ones(len(texts) + 1)).along(8)
        for texts in (levels, [levels[k] for k in order])
    )
    np.testing.assert_allclose(other, one[order], atol=1e-9)


def test_rows_with_weights_are_tested_along_what_texts_differ_in_most() -> None:
    """They were along what they differ in least: half as many were found."""
    random, p = np.random.default_rng(0), []
    words = np.array(["red", "blue", "green", "tiny", "large", "old", "new", "car", "house"])
    for _ in range(12):
        drawn = random.random((300, 9)) < 0.25
        frame = pd.DataFrame({"x": [" ".join(words[own]) or "none" for own in drawn]})
        y = drawn @ random.normal(size=9) + 3.0 * random.normal(size=300)
        given = {"sample_weight": np.linspace(0.1, 2.0, 300), "weight_kind": "importance"}
        plan = vt.design_treatments(
            frame, outcome=y, coders=["text"], cv=3, random_state=0, **given
        )
        p.append(plan.score_frame["sig"].min())
    assert np.median(p) < 0.01


@pytest.mark.parametrize("text", ["", "a", "ab"])
def test_one_text_is_tested_by_rows_as_any_other(text: str) -> None:
    random = np.random.default_rng(0)
    is_text = random.random(N) < 0.5
    given = {"sample_weight": np.linspace(0.1, 2.0, N), "weight_kind": "importance"}
    plan = vt.design_treatments(
        pd.DataFrame({"x": np.where(is_text, text, None)}),
        outcome=random.normal(size=N) + 2.0 * is_text,
        coders=["text"],
        cv=3,
        random_state=0,
        **given,
    )
    assert plan.score_frame["sig"].between(0.0, 0.01).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("seed", [39, 43])
def test_texts_of_one_class_with_weights_that_round_are_known(seed: int) -> None:
    random = np.random.default_rng(seed)
    text = np.array(["aa", "ab", "ba", "cc", "c2"], dtype=object)[random.integers(5, size=35)]
    label = np.array(["p", "q", "r", "s"])[np.where(text == "aa", 0, random.integers(4, size=35))]
    given = {"outcome_type": "multinomial", "coders": ["text"], "cv": 2, "random_state": 0}
    frame = pd.DataFrame({"x": text})
    made = vt.cross_frame_experiment(frame, outcome=label, sample_weight=np.full(35, 1e23), **given)
    assert np.isfinite(made.cross_frame.to_numpy()).all()


def test_counts_of_two_values_have_the_exact_test_wherever_the_rows_are() -> None:
    """Of levels, each with a value of its own, engines and sums had draws with ties."""
    random = np.random.default_rng(3)
    level = np.array(list("abcdefgh"))[random.integers(8, size=34)]
    hit = (random.random(34) < np.where(level == "a", 0.05, 0.5)).astype(float)
    rows = {"id": np.arange(34), "x": level, "y": hit}
    given = {"outcome": "y", "outcome_type": "rate", "row_id": "id", "random_state": 0, "cv": 2}
    given |= {"coders": ["lev"], "variables": ["x"], "min_fraction": 0.02}
    found = [
        vt.design_treatments(frame, **given, keep_statistics=kept).score_frame
        for frame, kept in (
            (pl.DataFrame(rows), False),
            (pl.LazyFrame(rows), False),
            (pl.DataFrame(rows), True),
        )
    ]
    both = np.array([hit[level == "a"].sum(), hit[level != "a"].sum()])
    n = np.array([(level == "a").sum(), (level != "a").sum()])
    exact = stats.fisher_exact(np.array([both, n - both])).pvalue
    for one in found:
        sig = one.set_index("variable")["sig"]
        assert sig["x_lev_x_a"] == pytest.approx(exact, rel=1e-9)
        pd.testing.assert_series_equal(sig, found[0].set_index("variable")["sig"])


@pytest.mark.parametrize("outcome", ["rate", "survival"])
@pytest.mark.parametrize("shape", ["window", "isotonic", "spline", "piecewise"])
def test_shapes_of_rates_are_no_shapes_of_r_with_its_options(outcome: str, shape: str) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    y = random.poisson(np.exp(np.sin(2.0 * x))).astype(float)
    given: dict[str, Any] = {"outcome": y, "outcome_type": "rate"}
    if outcome == "survival":
        given = {
            "outcome": (random.exponential(np.exp(-np.sin(2.0 * x))), np.ones(400, dtype=bool))
        }
        given["outcome_type"] = "survival"
    options = {"coders": [shape], "significance": "classic", "cv": 3, "random_state": 0}
    options |= {"smoothing": 1.0}
    frame = pd.DataFrame({"x": x})
    made = vt.cross_frame_experiment(frame, **given, **options)
    code = made.cross_frame[f"x_{shape}"]
    assert stats.spearmanr(code, np.sin(2.0 * x)).statistic > (0.3 if shape == "isotonic" else 0.8)
    if outcome == "rate":
        plan = vt.design_treatments(
            pl.LazyFrame({"x": x, "y": y, "id": np.arange(400)}),
            outcome="y", outcome_type="rate", row_id="id", variables=["x"], **options,
        )  # fmt: skip
        expected = vt.prepare(made.plan, frame)[f"x_{shape}"]
        np.testing.assert_allclose(vt.prepare(plan, frame)[f"x_{shape}"], expected, atol=1e-9)


def test_rows_are_marked_of_some_rows_only() -> None:
    rows = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40.0) ** 2})
    text = json.loads(vt.design_treatments(rows, outcome="y").to_json())
    assert text["marks"]
    with pytest.raises(PlanFormatError, match="n_rows: expected 1 or more, as rows are marked"):
        vt.TreatmentPlan.from_json(json.dumps(text | {"n_rows": 0}))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_no_day_are_numbers(unit: str) -> None:
    """Microseconds were multiplied, and left the range of integers."""
    kind, whole = (pa.time32, pa.int32()) if unit in ("s", "ms") else (pa.time64, pa.int64())
    least = np.iinfo(whole.to_pandas_dtype()).min
    ticks = [least, 0, 5, 86_399, None, 7] * 5
    frame = pa.table({"x": pa.array(ticks, whole).cast(kind(unit)), "y": np.arange(30.0)})
    plan = vt.design_treatments(frame, outcome="y", coders=["clean"], imputation="median")
    found = vt.prepare(plan, frame)["x"].to_numpy()[:4]
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    assert found.tolist() == [tick / per_second for tick in ticks[:4]]


@pytest.mark.parametrize("effect", [-1e300, 159_638.0])
def test_errors_of_effects_on_rates_may_be_beyond_floats(effect: float) -> None:
    rows = pd.DataFrame({"x": list("aabbc") * 20, "y": [0, 1, 2, 3] * 25})
    text = json.loads(vt.design_treatments(rows, outcome="y", outcome_type="rate").to_json())
    text["level_statistics"][0]["outcomes"][0]["effect"][0] = effect
    found = vt.TreatmentPlan.from_json(json.dumps(text)).level_effects("x")
    assert effect in set(found["effect"])


@pytest.mark.parametrize(("field", "value"), [("overall", 0.0), ("mean", [-1.0])])
def test_plans_of_rates_hold_rates(field: str, value: Any) -> None:
    """Audits of levels divided by them."""
    rows = pd.DataFrame({"x": list("aabbc") * 20, "y": [0, 1, 2, 3] * 25})
    text = json.loads(vt.design_treatments(rows, outcome="y", outcome_type="rate").to_json())
    (outcome,) = text["level_statistics"][0]["outcomes"]
    outcome[field] = value + outcome[field][1:] if isinstance(value, list) else value
    with pytest.raises(PlanFormatError, match=rf"outcomes\[0\]\.{field}: expected "):
        vt.TreatmentPlan.from_json(json.dumps(text))


def test_dates_are_no_names_of_numbers() -> None:
    """A categorical column of dates has lost its type in new rows."""
    x = pd.Series(pd.to_datetime(["2020-01-01", "2020-02-01"] * 30)).astype("category")
    frame = pd.DataFrame({"x": x, "z": list("aab") * 20, "y": np.arange(60.0)})
    plan = vt.design_treatments(frame, outcome="y", composites=[("x", "z")], random_state=0)
    with pytest.raises(SchemaError, match="designed on numbers as levels, found datetime"):
        vt.prepare(plan, frame.assign(x=frame["x"].astype("datetime64[us]")))


def test_queries_of_composites_without_levels() -> None:
    """A list of no levels is no SQL."""
    frame = pd.DataFrame({"x": list("abcd") * 5, "z": list("abcde") * 4, "y": np.arange(20.0)})
    plan = vt.design_treatments(
        frame, outcome="y", composites=[("x", "z")], coders=["catN"], smoothing=1.0, random_state=0
    )
    with closing(sqlite3.connect(":memory:")) as connection:
        assert plan.for_scoring(min_rows=3).check_sql(connection, frame).passed
        assert plan.for_scoring(min_rows=6).check_sql(connection, frame).passed


@pytest.mark.parametrize("smoothing", ["auto", 1.0])
def test_codes_of_composites_do_not_rest_on_the_unit_of_rates(smoothing: Any) -> None:
    """Rates were cut at e^30, and fits went far off where rates are far apart."""
    frame = pd.DataFrame({"x": list("aabb") * 15, "z": list("cddd") * 15})
    rate = 1.0 + np.arange(60) % 4 + np.arange(60) % 3
    codes = []
    for unit in (1.0, 1e15, 1e-15):
        plan = vt.design_treatments(
            frame,
            outcome=rate * unit,
            outcome_type="rate",
            composites=[("x", "z")],
            coders=["catR"],
            smoothing=smoothing,
            random_state=0,
        )
        codes.append(plan.level_effects("x:z")["effect"])
    for other in codes[1:]:
        np.testing.assert_allclose(other, codes[0], rtol=1e-6)
    assert np.abs(codes[0]).max() < 1.0


def test_rates_of_parts_that_are_far_apart_are_found() -> None:
    frame = pd.DataFrame({"x": list("aabb") * 15, "z": list("cded") * 15})
    counted, exposure = np.full(60, 100.0) + np.arange(60) % 7, np.ones(60)
    exposure[frame["x"] == "a"] = 1e12
    plan = vt.design_treatments(
        frame,
        outcome=counted,
        outcome_type="rate",
        exposure=exposure,
        composites=[("x", "z")],
        coders=["catR"],
        smoothing=1e-9,
        random_state=0,
    )
    effect = plan.level_effects("x:z").set_index("level")
    truth = np.log(effect["mean"] / (counted.sum() / exposure.sum()))
    known = effect["kind"] == "level"
    np.testing.assert_allclose(effect["effect"][known], truth[known], rtol=0.01, atol=0.01)


def test_numbers_that_are_one_beside_a_huge_one_are_two_wherever_the_rows_are() -> None:
    """The mean that would stand for missing numbers was a third one, of no row."""
    random = np.random.default_rng(0)
    x, exposure = np.where(np.arange(41) == 7, 1e250, random.normal(size=41)), np.ones(41)
    exposure[7] = 0.1  # permutations of rows have too short tails then
    frame = pd.DataFrame({"x": x, "y": random.poisson(2.0 * exposure), "exposure": exposure})
    given = {"outcome": "y", "exposure": "exposure", "outcome_type": "rate", "random_state": 0}
    rows, sums = (
        vt.design_treatments(frame, **given, keep_statistics=keeps) for keeps in (False, True)
    )
    np.testing.assert_allclose(rows.score_frame["sig"], sums.score_frame["sig"], rtol=1e-9)


def test_all_rows_are_no_level_to_compare_whichever_way_weights_were_rounded() -> None:
    """A pool of all rows was set aside or not, as the rows were weighted or repeated."""
    weight = np.nextafter(2.4, 0.0)  # of all, but for rounding
    p = numeric_level_test(*np.array([[weight], [1.0], [2.4], [1.0], [5.0], [24.0]]))
    assert np.isnan(p).all()
    hits = np.array([0.7])
    np.testing.assert_array_equal(
        class_level_test(hits, np.array([weight]), hits, np.array([2.4])), 1.0
    )


def test_rows_are_not_drawn_from_more_than_integers_can_count() -> None:
    x, y = (Sample.of_values(np.array(v), np.array([1e19, 1, 1])) for v in ([0, 1, 3], [0, 2, 1]))
    assert 0.0 <= correlation_test(0.5, 1e19, lambda: x, y) < 1e-9


def test_squares_of_slopes_may_be_too_large_for_floats() -> None:
    """A line of 1e115 over numbers of 1e-60 explained nothing."""
    random = np.random.default_rng(0)
    x, noise = random.normal(size=(2, 200))
    tiny = pd.DataFrame({"x": np.ldexp(x, -200)})
    given: dict[str, Any] = {"coders": ["piecewise", "isotonic"], "random_state": 0}
    y = np.ldexp(x + noise, 385)
    found = vt.design_treatments(tiny, outcome=y, **given).score_frame
    expected = vt.design_treatments(pd.DataFrame({"x": x}), outcome=x + noise, **given).score_frame
    np.testing.assert_array_equal(found["rsq"], expected["rsq"])
    assert expected["rsq"].min() > 0.3


def test_tables_of_counts_that_floats_round_have_p_values() -> None:
    x = Sample.of_values(np.array([0.0, 1.0]), np.array([1e17 - 16.0, 11.0]))
    y = Sample.of_values(np.array([0.0, 1.0]), np.array([25.0, 1e17]))
    assert 0.0 <= correlation_test(-0.54, 1e17, lambda: x, y) <= 1.0


@pytest.mark.parametrize("how", ["in groups", "in order"])
def test_weights_of_importance_are_in_residuals_of_rates_once(how: str) -> None:
    """They came twice: of three rows a group a third of all prevalences were below .05."""
    random = np.random.default_rng(0)
    weight, exposure = random.exponential(size=90), random.exponential(size=90)
    counted = random.poisson(3.0 * exposure).astype(float)
    given: dict[str, Any] = {"outcome_type": "rate", "coders": ["clean"], "random_state": 0}
    if how == "in groups":
        given |= {"groups": np.arange(90) // 3, "cv": 3}
    else:
        given |= {"significance": "ordered", "cv": "ordered"}
    frame = pd.DataFrame({"x": random.normal(size=90)})
    weights = {"sample_weight": weight, "weight_kind": "importance"}
    one = vt.design_treatments(frame, outcome=counted, exposure=exposure, **weights, **given)
    other = vt.design_treatments(
        frame, outcome=weight * counted, exposure=weight * exposure, **given
    )
    assert one.derived[0].sig == pytest.approx(other.derived[0].sig, rel=1e-9)


@pytest.mark.parametrize("code", ["bins", "spline"])
def test_exact_tests_of_bins_have_whole_rows(code: str) -> None:
    """Of 159 rows 57 were 56.99999999999999, and one less: p was .0233 where shapes were asked."""
    x = np.repeat([0.0, 1.0, np.nan], [159, 171, 170])
    y = np.repeat([1, 0, 1, 0, 1, 0], [57, 102, 80, 91, 85, 85])
    given: dict[str, Any] = {"outcome": y, "cv": 2, "random_state": 0}
    frame = pd.DataFrame({"x": x})
    one = vt.design_treatments(frame, coders=["clean"], **given).derived[0]
    other = vt.design_treatments(frame, coders=["clean", code], **given).derived[0]
    assert other.sig == pytest.approx(one.sig, rel=1e-9)


@pytest.mark.parametrize("outcome_type", ["rate", "survival"])
def test_coders_of_ones_own_say_that_they_know_no_rates(outcome_type: str) -> None:
    frame = pd.DataFrame({"x": list("abcd") * 10, "n": np.arange(40.0)})
    y: Any = np.arange(40) % 3
    if outcome_type == "survival":
        y = (np.arange(40.0) + 1.0, y > 0)
    own = {"own": vt.LevelCoder(lambda levels, y, weight: np.zeros(len(y)))}
    given: dict[str, Any] = {"outcome": y, "outcome_type": outcome_type, "cv": 2}
    with pytest.raises(InvalidOptionError, match=r"custom_coders=\['own'\].*numbers and classes"):
        vt.design_treatments(frame, custom_coders=own, **given)
    plan = vt.design_treatments(frame, custom_coders=own, coders=["clean"], **given)
    assert plan.feature_names == ["n"]


def test_imputers_of_columns_of_text_are_told_to_do_nothing(rows: pd.DataFrame, y: Any) -> None:
    (name,) = rows.select_dtypes(exclude="number").columns[:1]
    with pytest.warns(VtreatWarning, match=f"column '{name}' .* imputation_map says nothing here"):
        vt.design_treatments(rows, outcome=y, imputation_map={name: 0.0})


def test_two_hints_about_one_column_are_written_and_read() -> None:
    frame = pd.DataFrame({"x": ["a", "b"] * 50})
    plan = vt.design_treatments(frame, outcome=[0.0, 1.0] * 50, imputation_map={"x": 0.0})
    assert [column for column, _ in plan.hints] == ["x", "x"]
    text = plan.to_json()
    read = vt.TreatmentPlan.from_json(text)
    assert read.hints == plan.hints
    assert read.to_json() == text


@pytest.mark.parametrize(
    "odd", [np.timedelta64(5, "us"), 10**400, -(10**400)], ids=["duration", "large", "small"]
)
def test_numbers_that_no_float_holds_are_read_or_refused(odd: Any) -> None:
    y = np.arange(200) % 7
    beside_text = pd.DataFrame({"x": pd.Series([odd, 1, 2.5, "a"] * 50, dtype=object)})
    assert len(vt.design_treatments(beside_text, outcome=np.arange(200) % 4).feature_names) > 4

    flags = pd.DataFrame({"x": y > 3})
    plan = vt.design_treatments(flags, outcome=y)
    changed = flags.astype(object)
    changed.loc[4, "x"] = odd
    with pytest.raises(SchemaError, match="'x'"):
        vt.prepare(plan, changed)


def test_outcomes_beyond_all_floats_are_refused() -> None:
    y = (np.arange(200) % 7).astype(float)
    with pytest.raises(OutcomeError):
        vt.design_treatments(
            pd.DataFrame({"x": y > 3}), outcome=pd.Series([10**400, *y[1:]], dtype=object)
        )


def test_a_large_float_beside_integers_is_no_rounded_integer(
    recwarn: pytest.WarningsRecorder,
) -> None:
    x = pd.Series([1e300, *range(99)], dtype=object)
    vt.design_treatments(pd.DataFrame({"x": x}), outcome=np.arange(100) % 7)
    assert not [one for one in recwarn if "holds the integer" in str(one.message)]


def test_one_row_names_all_columns_that_changed(rows: pd.DataFrame, y: Any) -> None:
    plan = vt.design_treatments(rows, outcome=y)
    kinds = {treatment.column: treatment.kind for treatment in plan.treatments}
    changed = {name: "text" if kind == "number" else 1.5 for name, kind in kinds.items()}
    lacking = dict(list(changed.items())[:-1])
    for row, start in ((changed, f"{len(kinds)} columns changed"), (lacking, "the frame lacks 1")):
        told = []
        for treat in (plan.row_scorer(), lambda row: vt.prepare(plan, pd.DataFrame([row]))):
            with pytest.raises(SchemaError) as error:
                treat(row)
            told.append(str(error.value))
        assert told[0] == told[1]
        assert told[0].startswith(start)


def test_groups_are_dealt_by_outcomes_of_any_size() -> None:
    y = np.random.default_rng(0).uniform(0.5, 1.0, 90)
    groups = np.repeat(np.arange(30), 3)
    one, other = (
        vt.split_plans.k_way_grouped(groups=groups, y=y * size, random_state=0)
        for size in (1.0, 2.0**1023)
    )
    for (_, rows), (_, same) in zip(one, other, strict=True):
        np.testing.assert_array_equal(rows, same)


# Integers that floats merge, as they are held by whatever may hold them.
LARGE_IDS = {
    "numpy": lambda ids: np.array(ids, dtype=np.uint64),
    "objects": lambda ids: np.array(ids, dtype=object),
    "list": list,
    "pandas": lambda ids: pd.Series(ids, dtype="UInt64"),
    "polars": lambda ids: pl.Series(ids, dtype=pl.UInt64),
    "arrow": lambda ids: pa.chunked_array([pa.array(ids, type=pa.uint64())]),
}


@pytest.mark.parametrize("held", LARGE_IDS)
def test_groups_and_classes_are_integers_exactly(held: str) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.choice(list("abc"), 240)})
    small, large = ([first + i // 4 for i in range(240)] for first in (0, 2**63 + 5))
    ids = LARGE_IDS[held](large)
    folds = [
        vt.cross_frame_experiment(
            frame, outcome=random.normal(size=240), groups=groups, random_state=0
        ).folds
        for groups in (ids, small)
    ]
    folds.append(vt.split_plans.k_way_grouped(groups=ids, random_state=0))
    for plan in folds:
        assert [len({small[row] for row in rows}) for _, rows in plan] == [12] * 5

    classes = [2**54 + i % 3 for i in range(240)]
    outcome = LARGE_IDS[held](classes)
    several = vt.design_treatments(frame, outcome=outcome, outcome_type="multinomial")
    assert several.classes == tuple(sorted(set(classes)))
    one, as_text = (
        vt.design_treatments(frame, outcome=y, target=target, random_state=0)
        for y, target in ((outcome, 2**54 + 1), ([str(y) for y in classes], str(2**54 + 1)))
    )
    assert one.target == 2**54 + 1
    assert one.score_frame["rsq"].tolist() == as_text.score_frame["rsq"].tolist()


FINE = {
    "points in time": lambda n: pd.Series(pd.to_datetime(1_704_067_200 * 10**9 + 100 * n)),
    "durations": lambda n: pd.Series(pd.to_timedelta(10**18 + 100 * n, unit="ns")),
}


@pytest.mark.parametrize("kind", FINE)
def test_groups_that_floats_would_merge_are_refused(kind: str) -> None:
    rows = np.arange(120)
    frame = pd.DataFrame({"x": rows % 3, "g": FINE[kind](rows // 10), "y": rows % 7})
    with pytest.raises(InvalidOptionError, match=r"groups holds .* give them as text"):
        vt.design_treatments(frame, outcome="y", groups="g")
    apart = frame.assign(g=FINE[kind](rows // 10 * 10_000))
    folds = vt.cross_frame_experiment(apart, outcome="y", groups="g", random_state=0).folds
    assert all(len(set(apart["g"][a]) & set(apart["g"][b])) == 0 for a, b in folds)


DECIMALS = ["12.10", "7.25", "3.30", "4", "12345678901234567.25", "12345678901234567.50"]
HELD = {
    "objects": lambda v: pd.DataFrame({"c": pd.Series(v, dtype=object)}),
    "arrow": lambda v: pa.table({"c": pa.array(v, pa.decimal128(30, 2))}),
    "polars": lambda v: pl.DataFrame({"c": pl.Series(v, dtype=pl.Decimal(30, 2))}),
    "rows": lambda v: [{"c": one} for one in v],
}


@pytest.mark.parametrize("designed", ["objects", "arrow", "polars"])
def test_decimals_are_the_same_levels_in_all_frames(designed: str) -> None:
    values = [Decimal(text) for text in DECIMALS]
    frame = HELD[designed](values * 10)
    plan = vt.design_treatments(
        frame, outcome=[1.0, 2.0, 3.0, 5.0, 8.0, 13.0] * 10, categorical=["c"], coders=["lev"]
    )
    assert len(plan.derived) == len(values)
    for held, make in HELD.items():
        treated = vt.prepare(plan, make(values))
        marks = np.column_stack([np.asarray(treated[name]) for name in plan.feature_names])
        assert sorted(map(tuple, marks)) == sorted(map(tuple, np.eye(len(values)))), held
    scorer = plan.row_scorer(output="tuple")
    assert [scorer({"c": one}) for one in values] == list(map(tuple, marks))
    floats = vt.prepare(plan, pd.DataFrame({"c": [12.1, 7.25, 3.3, 4.0]}))
    np.testing.assert_array_equal(floats, marks[:4])


def test_pairs_of_large_decimals_and_fractions_are_not_merged() -> None:
    for names in (
        [Decimal("12345678901234567.25") + Decimal(k) / 4 for k in range(4)],
        [Fraction(3 * 10**18 + k, 3) for k in range(4)],
    ):
        frame = pd.DataFrame({"p": pd.Series(names * 10, dtype=object), "c": ["a", "b"] * 20})
        plan = vt.design_treatments(
            frame,
            outcome=np.arange(40.0) % 4,
            categorical=["p"],
            composites=[("p", "c")],
            coders=["lev"],
        )
        levels = {s.column: set(s.levels.to_list()) for s in plan.level_statistics}
        assert len(levels["p:c"]) == len(levels["p"]) == 4
        written = [one.normalize() if isinstance(one, Decimal) else one for one in names]
        again = vt.prepare(plan, frame.assign(p=pd.Series(written * 10, dtype=object)))
        assert again.equals(vt.prepare(plan, frame))


def test_large_floats_that_are_names_are_told_to_be_several_integers_perhaps() -> None:
    frame = pd.DataFrame({"c": np.array([2.0**53, 1.0] * 20)})
    with pytest.warns(VtreatWarning, match="'c' is categorical and holds 9007199254740992 as a"):
        vt.design_treatments(frame, outcome=np.arange(40.0) % 3, categorical=["c"])


IS_PANDAS_3 = int(pd.__version__.split(".")[0]) > 2
NO_YEARS = pytest.mark.skipif(not IS_PANDAS_3, reason="pandas before 3 takes a mean year")


@pytest.mark.parametrize(
    "value",
    [
        Decimal("sNaN"),
        np.void(b"a"),
        pytest.param(np.timedelta64(3, "Y"), marks=NO_YEARS),
    ],
    ids=["sNaN", "void", "years"],
)
def test_objects_that_are_no_values_are_refused(value: Any) -> None:
    frame = pd.DataFrame({"c": pd.Series([value] * 20, dtype=object)})
    with pytest.raises(UnsupportedColumnError, match="column 'c' holds"):
        vt.design_treatments(frame, outcome=np.arange(20.0))


def test_infinity_is_no_duration_in_one_row_either() -> None:
    frame = pd.DataFrame({"c": pd.to_timedelta(np.arange(20), unit="s"), "y": np.arange(20.0) % 3})
    plan = vt.design_treatments(frame, outcome="y", coders=["clean"])
    for treat in (plan.row_scorer(), lambda row: vt.prepare(plan, [row])):
        with pytest.raises(SchemaError, match=r"'c' .*designed on duration, found number"):
            treat({"c": float("inf")})


def test_lists_of_several_types_are_labels_as_they_are() -> None:
    y, prediction = [1, 0, 1, 1], [1, 1, 1, 0]
    several = [[1, "1", 2, "2"], [2**53, 2**53 + 1, 0.5, 2], ["a", "a\0", "a\0\0", "b"]]
    for labels in several if IS_PANDAS_3 else several[:2]:  # pandas before 3 ends text at NUL
        scores = vt.evaluation.per_group_metric(y, prediction, labels, metric=lambda a, b: 0.0)
        assert len(scores) == 4
    losses = vt.evaluation.per_row_loss([1, "1", 2], ["1", "1", 2], metric="zero-one")
    assert losses.tolist() == [1.0, 0.0, 0.0]
    groups = [2**53 + i // 10 for i in range(60)]
    folds = vt.split_plans.k_way_grouped(groups=[0.5, *groups], n_splits=7, random_state=0)
    assert len(folds) == 7


def large_ids() -> pd.DataFrame:
    rows = np.arange(120)
    noise = np.random.default_rng(0).normal(size=120)
    return pd.DataFrame({
        "x": np.array(list("abcd"))[rows % 4],
        "y": rows % 4 + noise,
        "g": 2**53 + rows % 20,
        "text": (2**53 + rows % 20).astype(str),
        "u": np.where(rows % 4 < 3, 2**63 + 10**15 * (rows % 4).astype(np.uint64), 5),
        "id": rows,
    })  # fmt: skip


@pytest.mark.filterwarnings("ignore:groups= keep rows", "ignore:column 'x' determines")
def test_integers_of_lazy_frames_are_told_apart_or_refused() -> None:
    frame = pl.from_pandas(large_ids()).lazy()
    options: dict[str, Any] = {"variables": ["x"], "coders": ["catN"], "random_state": 0}
    one, other = (
        vt.cross_frame_experiment(frame, outcome="y", groups=groups, cv=10, **options)
        for groups in ("g", "text")
    )
    scores = (made.plan.score_frame["rsq"] for made in (one, other))
    np.testing.assert_allclose(*scores, rtol=1e-12)
    for asked in ({"outcome_type": "multinomial"}, {"target": 2**53 + 1}):
        with pytest.raises(OutcomeError, match="do not tell integers beyond 2"):
            vt.design_treatments(frame, outcome="g", row_id="id", variables=["x"], **asked)
    start = pl.lit(1_704_067_200 * 10**9)
    fine, coarse = (
        frame.with_columns(t=(start + pl.col("id") % 20 * step).cast(pl.Datetime("ns")))
        for step in (1, 10**9)
    )
    vt.design_treatments(coarse, outcome="y", groups="t", **options)
    with pytest.raises(InvalidOptionError, match=r"groups='t' is of type Datetime"):
        vt.design_treatments(fine, outcome="y", groups="t", **options)
    scores = [
        vt.design_treatments(given, outcome="u", row_id="id", **options).score_frame
        for given in (frame, frame.with_columns(pl.col("u").cast(pl.Float64)), large_ids())
    ]
    for columns in ("rsq", "sig"):
        same = [table[columns].tolist() for table in scores]
        np.testing.assert_allclose(same[0], same[1], rtol=1e-12)
        np.testing.assert_allclose(same[0], same[2], rtol=1e-9)


def test_a_row_of_times_that_weighs_nothing_may_hold_any_number() -> None:
    random = np.random.default_rng(0)
    time = np.append(0.01, random.exponential(size=120) + 0.1)
    x = np.append(0.0, random.normal(size=120) - np.log(time[1:]))
    event = np.append(False, random.random(120) < 0.8)
    scores = []
    for number in (0.0, 1e17, -1e60):
        x[0] = number
        plan = vt.design_treatments(
            pd.DataFrame({"x": x}),
            outcome=(time, event),
            outcome_type="survival",
            coders=["clean"],
            random_state=0,
        )
        (variable,) = plan.derived
        scores.append((variable.rsq, variable.sig, variable.slope))
    np.testing.assert_allclose(scores[1:], [scores[0]] * 2, rtol=1e-9)
    assert scores[0][0] > 0.1


def test_decimals_that_no_float_is_are_refused_where_levels_are_floats(tmp_path: Path) -> None:
    names = [Decimal(text) for text in DECIMALS]
    y = [1.0, 2.0, 3.0, 5.0, 8.0, 13.0] * 10
    for some in (names, names[-1:] + names[:3]):
        table = pa.table({"c": pa.array((some * 20)[:60], pa.decimal128(30, 2))})
        plan = vt.design_treatments(table, outcome=y, categorical=["c"], coders=["lev"])
        lazy = pl.from_arrow(table).lazy()  # type: ignore[union-attr]
        for write in (
            lambda plan=plan: plan.to_sql("t"),
            lambda plan=plan: plan.to_onnx(tmp_path / "plan.onnx"),
            lambda plan=plan, lazy=lazy: vt.prepare(plan, lazy),
        ):
            with pytest.raises(InvalidOptionError, match=r"'c' has the level 12345678901234567"):
                write()


def test_decimals_far_beyond_floats_are_levels_at_once() -> None:
    names = [Decimal("1e999999999"), Decimal("1e-999999999"), Decimal("-1e400"), Decimal("1e3")]
    frame = pd.DataFrame({"c": pd.Series(names * 10, dtype=object)})
    plan = vt.design_treatments(
        frame, outcome=np.arange(40.0) % 4, categorical=["c"], coders=["lev"]
    )
    treated = vt.prepare(vt.TreatmentPlan.from_json(plan.to_json()), frame.head(4))
    assert sorted(map(tuple, treated.to_numpy())) == sorted(map(tuple, np.eye(4)))
