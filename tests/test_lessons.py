"""What goes wrong in packages that do this job does not go wrong here."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
from tests.conftest import TREATED, assert_close, example_columns

ROWS = 240


def folds_by(row: np.ndarray, n_folds: int = 4) -> list[tuple[np.ndarray, np.ndarray]]:
    fold = row % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def test_lesson_01_arrays_of_the_caller_are_never_written_to() -> None:
    """Numeric columns of pandas 3 are read-only arrays, and must be enough."""
    z = np.array([1.0, np.nan, 3.0, np.inf, 5.0] * 8)
    z.flags.writeable = False
    frame = pd.DataFrame({"z": z}, copy=False)
    made = vt.cross_frame_experiment(
        frame, outcome=np.arange(40) % 7, scale=True, collar=True, random_state=0
    )
    vt.prepare(made.plan, frame.head(9), scale=True, collar=True)
    np.testing.assert_array_equal(z, [1.0, np.nan, 3.0, np.inf, 5.0] * 8)


def test_lesson_02_missing_is_a_level_like_any_other() -> None:
    """A missing value with P(y) = .9 has a large impact code, not 0."""
    x = ["a"] * 120 + ["b"] * 80 + [None] * 100
    y = ([1] * 5 + [0] * 5) * 20 + ([1] * 9 + [0]) * 10
    plan = vt.design_treatments(pd.DataFrame({"x": x}), outcome=y, random_state=0)
    treated = vt.prepare(plan, pd.DataFrame({"x": [None, "a"]}))
    assert treated["x_catB"][0] == pytest.approx(np.log(9) - np.log(19 / 11), abs=0.2)
    assert treated["x_catB"][1] < 0
    assert treated["x_lev_NA"].tolist() == [1, 0]
    assert treated["x_catP"].tolist() == pytest.approx([1 / 3, 2 / 5])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_lesson_03_an_empty_selection_is_an_empty_frame(make: Any) -> None:
    """When nothing is recommended, never is everything returned: an empty frame, if asked for."""
    frame = make({"z": [1.0, 1.0, -1.0, -1.0] * 10})
    treatment = vt.NumericOutcomeTreatment(random_state=0, if_empty="empty")
    with pytest.warns(vt.VtreatWarning, match="no derived variable is left"):
        crossed = treatment.fit_transform(frame, [1.0, -1.0, 1.0, -1.0] * 10)
    no_columns = frame[[]] if make is pd.DataFrame else frame.drop("z")
    assert crossed.shape == no_columns.shape


def test_lesson_04_an_identifier_beside_a_number_neither_crashes_nor_vanishes() -> None:
    """A text column of all different values is treated or reported, and transform works."""
    frame = pd.DataFrame({"id": [f"id{i}" for i in range(60)], "z": np.arange(60.0)})
    treatment = vt.NumericOutcomeTreatment(
        prune_sig=None, min_fraction=0.1, coders=["clean", "lev"]
    )
    with pytest.warns(vt.VtreatWarning, match="nothing is derived from 1 column .'id'"):
        crossed = treatment.fit_transform(frame, np.arange(60) % 7)
    assert crossed.columns.tolist() == ["z"]
    assert treatment.transform(frame.head(3)).columns.tolist() == ["z"]


PRINTED_ORDER = ["b", "a", "q", "z", "c"]


@pytest.mark.parametrize("make", [vt.NumericOutcomeTreatment, vt.MultinomialOutcomeTreatment])
def test_lesson_05_the_plan_holds_what_all_rows_know(make: Any) -> None:
    """Not what the last fold knows: after a cross-frame, codes are those of all rows."""
    frame = pd.DataFrame(example_columns())
    y = (
        frame["y"]
        if make is vt.NumericOutcomeTreatment
        else np.sign(frame["y"].round()).astype(str)
    )
    options = {"smoothing": 1, "prune_sig": None, "random_state": 0}
    crossed, plain = make(**options), make(**options)
    crossed.fit_transform(frame[["x", "z"]], y)
    plain.fit(frame[["x", "z"]], y)
    assert crossed.plan_ == plain.plan_
    if make is vt.NumericOutcomeTreatment:
        own = frame["x"] == "a"
        code = (y[own].sum() + y.mean()) / (own.sum() + 1) - y.mean()
        treated = crossed.transform(pd.DataFrame({"x": ["a"], "z": [0.0]}))
        assert treated["x_catN"][0] == pytest.approx(code)


def test_lesson_06_the_order_of_columns_is_that_of_the_frame() -> None:
    """Order follows the input; test_names compares runs with different hash seeds."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({name: random.normal(size=30) for name in PRINTED_ORDER})
    plan = vt.design_treatments(frame, outcome=random.normal(size=30))
    assert plan.feature_names == PRINTED_ORDER
    assert vt.prepare(plan, frame[sorted(PRINTED_ORDER)]).columns.tolist() == PRINTED_ORDER


def test_lesson_07_the_outcome_never_leaves_in_the_treated_frame(
    frame: pd.DataFrame, outcome: str
) -> None:
    """y is not among the features, of the cross-frame or of a prepared frame."""
    made = vt.cross_frame_experiment(frame, outcome=outcome, variables=TREATED, random_state=0)
    treated = vt.prepare(made.plan, frame.head(9))
    for name in (outcome, "y", "c"):
        assert name not in made.cross_frame.columns
        assert name not in treated.columns
    everything = vt.design_treatments(frame, outcome="y")
    assert "y" not in {v.orig_variable for v in everything.derived}


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_lesson_08_missing_outcomes_are_an_error_that_counts_them(missing: Any) -> None:
    """A missing y is no non-target."""
    frame = pd.DataFrame({"z": np.arange(20.0)})
    for values in (["p", "q"], [0, 1]):
        y = pd.Series([missing, missing, *values * 9], dtype=object)
        with pytest.raises(
            ValueError,
            match="2 missing values in 20 rows, the first in row 0; remove those rows or",
        ):
            vt.design_treatments(frame, outcome=y)


@pytest.mark.parametrize("cv", [1, [(range(20), range(20))], [(range(10), range(10, 20))]])
def test_lesson_09_one_fold_is_refused(cv: Any) -> None:
    """One fold would mean in-sample codes, in silence."""
    frame = pd.DataFrame({"z": np.arange(20.0)})
    with pytest.raises(vt.VtreatError, match=r"at least 2|own outcome"):
        vt.cross_frame_experiment(frame, outcome=np.arange(20) % 3, cv=cv)


def test_lesson_10_a_deviation_that_runs_against_the_outcome_is_kept() -> None:
    """The sign rule is for impact codes only: a falling deviation code is informative."""
    random = np.random.default_rng(0)
    x = np.repeat(list("abcd"), 60)
    spread = np.repeat([4.0, 3.0, 2.0, 1.0], 60)
    y = -spread + spread * random.normal(size=240) / 4
    plan = vt.design_treatments(pd.DataFrame({"x": x}), outcome=y, random_state=0)
    table = plan.score_frame.set_index("variable")
    assert plan.derived[plan.feature_names.index("x_catD")].slope < 0
    assert table.loc["x_catD", "sig"] < 1e-6
    assert table.loc["x_catD", "recommended"]


def test_lesson_11_zero_does_not_stand_for_unknown() -> None:
    """An unseen level has a prevalence of half a row and the largest deviation."""
    frame = pd.DataFrame(example_columns())
    plan = vt.design_treatments(frame, outcome="y", variables=["x"], smoothing=0, random_state=0)
    treated = vt.prepare(plan, pd.DataFrame({"x": ["new", "a", "b", "c", "d", None]}))
    assert treated["x_catP"][0] == 0.5 / ROWS
    assert treated["x_catD"][0] == treated["x_catD"].max() > 0
    assert treated["x_catN"][0] == 0


def test_lesson_12_polars_comes_back_and_names_are_not_repeated() -> None:
    """Several classes give each derived variable one name, and polars frames keep theirs."""
    columns = example_columns()
    frame = pl.DataFrame({name: columns[name] for name in TREATED})
    y = np.sign(np.round(columns["y"])).astype(str)
    treatment = vt.MultinomialOutcomeTreatment(random_state=0, prune_sig=None, smoothing=1)
    crossed = treatment.fit_transform(frame, y)
    treated = treatment.transform(frame.head(9))
    assert isinstance(crossed, pl.DataFrame)
    assert isinstance(treated, pl.DataFrame)
    names = treatment.get_feature_names_out().tolist()
    assert crossed.columns == treated.columns == names
    assert len(set(names)) == len(names)
    assert treatment.feature_names_in_.tolist() == frame.columns


def test_lesson_13_awkward_text_is_data_and_rows_are_not_multiplied() -> None:
    """Quotes in levels, spaces in names, infinities, several classes: 20 rows stay 20 rows."""
    levels = ["it's", 'say "hi"', "a;--", "new\nline", ""]
    frame = pd.DataFrame({"the 'x' column": levels * 12, "z z": [1.0, np.inf, -np.inf, 2.0] * 15})
    y = np.array(["one", "two", "it's three"])[(np.arange(60) % 5 + np.arange(60) // 20) % 3]
    plan = vt.design_treatments(
        frame, outcome=y, outcome_type="multinomial", smoothing=1, random_state=0
    )
    new = frame.iloc[[3, 1, 4, 0, 2] * 4]
    treated = vt.prepare(plan, new)
    assert treated.index.equals(new.index)
    assert np.isfinite(treated.to_numpy()).all()
    marked = {v.level: treated[v.name] for v in plan.derived if v.code == "lev"}
    assert set(marked) == set(levels)
    for level, column in marked.items():
        assert (column == (new["the 'x' column"] == level)).all()


def test_lesson_14_treatments_are_searched_cloned_and_seeded_like_any_estimator() -> None:
    """Clones, searches and scores work; nothing misspelt, and no global seed, is touched."""
    frame = pd.DataFrame(example_columns())
    X, y = frame[TREATED].drop(columns="flag"), frame["c"]
    pipeline = make_pipeline(vt.BinomialOutcomeTreatment(random_state=0), LogisticRegression())
    grid = {"binomialoutcometreatment__smoothing": ["auto", 10.0]}
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (the global state is what is tested)
    search = GridSearchCV(clone(pipeline), grid, cv=3, scoring="roc_auc").fit(X, y)
    assert cross_val_score(pipeline, X, y, cv=3, scoring="roc_auc").min() > 0.7
    assert search.best_score_ > 0.7
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    heavy = clone(pipeline[0]).fit(X, y, sample_weight=1 + np.arange(ROWS) % 3)
    assert heavy.plan_ != clone(pipeline[0]).fit(X, y).plan_
    with pytest.raises(TypeError, match="unexpected keyword argument 'smothing'"):
        vt.BinomialOutcomeTreatment(smothing=1)
    columns = ColumnTransformer([("vt", clone(pipeline[0]), ["x", "g"])], remainder="passthrough")
    columns.set_output(transform="pandas")
    assert {"vt__x_catB", "remainder__z"} <= set(columns.fit_transform(X, y))


def test_lesson_15_text_keeps_its_meaning_and_the_index_comes_back() -> None:
    """ "_NA_" is not missing; the index survives; variables="xz" is not two columns."""
    frame = pd.DataFrame(
        {"x": ["_NA_", None, "a", "_NA_"] * 10, "z": range(40)}, index=pd.Index(range(100, 140))
    )
    made = vt.cross_frame_experiment(frame, outcome=np.arange(40) % 7, smoothing=0, random_state=0)
    crossed = made.cross_frame
    assert (crossed["x_lev_x_NA_"] == (frame["x"] == "_NA_")).all()
    assert (crossed["x_lev_NA"] == frame["x"].isna()).all()
    assert crossed.index.equals(frame.index)
    assert vt.prepare(made.plan, frame.tail(3)).index.tolist() == [137, 138, 139]
    with pytest.raises(TypeError, match="variables='xz' must be a list of column names"):
        vt.design_treatments(frame, outcome=np.arange(40) % 7, variables="xz")


def test_lesson_16_derived_names_never_collide() -> None:
    """Not with each other, not with input columns, not with the outcome."""
    z = np.where(np.arange(60) % 5 == 0, np.nan, np.arange(60) % 13)
    frame = pd.DataFrame(
        {
            "x": ["a b", "a_b", "a.b", "a_b_1", None] * 12,
            "z": z,
            "z_isBAD": np.arange(60) % 3,
            "a b": z,
            "a_b": -z,
            "x_lev_NA": (np.arange(60) ** 2) % 11,
        }
    )
    made = vt.cross_frame_experiment(frame, outcome="x_lev_NA", smoothing=0, random_state=0)
    names = made.plan.feature_names
    assert len(set(names)) == len(names) == made.cross_frame.shape[1]
    assert "x_lev_NA" not in names
    np.testing.assert_array_equal(made.cross_frame["z_isBAD"], frame["z_isBAD"])
    np.testing.assert_array_equal(made.cross_frame["z_isBAD_2"], np.isnan(z))
    np.testing.assert_array_equal(made.cross_frame["x_lev_NA_2"], frame["x"].isna())


@pytest.mark.parametrize("scale", [False, True])
def test_lesson_17_weights_are_frequencies(outcome: str, scale: bool) -> None:
    """All weights 2 are the rows twice, for every number of plan and cross-frame."""
    frame = pd.DataFrame(example_columns())
    row = np.repeat(np.arange(ROWS), 2)
    given = {"outcome": outcome, "variables": TREATED, "scale": scale, "smoothing": 1}
    weighted = vt.cross_frame_experiment(
        frame, sample_weight=np.full(ROWS, 2.0), cv=folds_by(np.arange(ROWS)), **given
    )
    twice = vt.cross_frame_experiment(frame.iloc[row], cv=folds_by(row), **given)
    pd.testing.assert_frame_equal(weighted.plan.score_frame, twice.plan.score_frame, rtol=1e-9)
    assert_close(weighted.cross_frame.iloc[row], twice.cross_frame, rtol=1e-9)
    assert weighted.plan.score_frame["sig"].min() < 1e-20


def test_lesson_17_weights_of_two_make_signals_surer_not_insignificant() -> None:
    """Squared weights would give a p-value of 1."""
    frame = pd.DataFrame(example_columns())
    given = {"outcome": "y", "variables": ["z"], "random_state": 0}
    once = vt.design_treatments(frame, **given).derived[0]
    twice = vt.design_treatments(frame, sample_weight=np.full(ROWS, 2), **given).derived[0]
    assert twice.rsq == pytest.approx(once.rsq, rel=1e-12)
    assert twice.sig < once.sig


def test_lesson_18_scores_are_those_of_the_cross_frame_that_is_returned(outcome: str) -> None:
    """rsq of every variable that needs a split can be had from the cross-frame and its weights."""
    frame, w = pd.DataFrame(example_columns()), np.random.default_rng(0).integers(1, 5, ROWS)
    made = vt.cross_frame_experiment(
        frame,
        outcome=outcome,
        variables=TREATED,
        sample_weight=w,
        smoothing=1,
        significance="classic",
        random_state=3,
    )
    table = made.plan.score_frame
    split = table[table["needs_split"]]
    assert len(split) >= 4
    if outcome == "y":
        for name, rsq in zip(split["variable"], split["rsq"], strict=True):
            covariance = np.cov(made.cross_frame[name], frame["y"], fweights=made.cross_weights)
            correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
            assert rsq == pytest.approx(correlation**2, rel=1e-9)
    else:
        again = vt.design_treatments(
            made.cross_frame[split["variable"].tolist()],
            outcome=frame["c"],
            sample_weight=made.cross_weights,
            coders=["clean"],
            significance="classic",
        ).score_frame
        np.testing.assert_allclose(again["rsq"], split["rsq"], rtol=1e-7)
        np.testing.assert_allclose(again["sig"], split["sig"], rtol=1e-5)


def test_lesson_19_separated_data_are_a_strong_effect() -> None:
    """A logistic fit that runs off to infinity is no missing effect."""
    y = np.arange(60) >= 30
    frame = pd.DataFrame({"z": np.arange(60.0), "x": np.where(y, "a", "b")})
    plan = vt.design_treatments(frame, outcome=y, cat_scaling=True, random_state=0)
    table = plan.score_frame.set_index("variable")
    assert (table["sig"] < 1e-15).all()
    assert (table["rsq"] > 0.99).all()
    slopes = {v.name: v.slope for v in plan.derived}
    assert all(np.isfinite(slope) and slope != 0 for slope in slopes.values())
    assert slopes["z"] > 0


@pytest.mark.parametrize("offset", [1e9, 1.6e9, -1e12])
def test_lesson_20_large_offsets_cost_nothing(outcome: str, offset: float) -> None:
    """Timestamps in seconds and large identifiers score like the same numbers near 0."""
    frame = pd.DataFrame(example_columns())
    # Steps of 1/8 are exact beside the offset.
    z = (frame["z"] * 8).round() / 8
    given = {"outcome": frame[outcome], "random_state": 0, "cat_scaling": True}
    near = vt.cross_frame_experiment(z.to_frame(), scale=True, **given)
    far = vt.cross_frame_experiment((z + offset).to_frame(), scale=True, **given)
    assert near.plan.derived[0].sig < 1e-4
    for ours, theirs in zip(far.plan.derived, near.plan.derived, strict=True):
        assert ours.rsq == pytest.approx(theirs.rsq, rel=1e-5)
        assert ours.slope == pytest.approx(theirs.slope, rel=1e-5)
    np.testing.assert_allclose(far.cross_frame["z"], near.cross_frame["z"], atol=2e-3)


def test_lesson_20_an_outcome_with_a_large_offset_is_no_constant() -> None:
    """The same holds for y."""
    frame = pd.DataFrame(example_columns())
    y = (frame["y"] * 64).round() / 64
    given = {"variables": TREATED, "smoothing": 0, "random_state": 0}
    near = vt.design_treatments(frame, outcome=y, **given)
    far = vt.design_treatments(frame, outcome=y + 1e9, **given)
    np.testing.assert_allclose(far.score_frame["sig"], near.score_frame["sig"], rtol=1e-5)


@pytest.mark.parametrize("cat_scaling", [False, True])
def test_lesson_21_scaled_cross_frame_and_scaled_prepare_are_on_one_scale(
    outcome: str, cat_scaling: bool
) -> None:
    """The transformers pass scale to the cross-frame too; the spread of both agrees."""
    make = {"y": vt.NumericOutcomeTreatment, "c": vt.BinomialOutcomeTreatment}[outcome]
    options = {"cat_scaling": cat_scaling} if outcome == "c" else {}
    frame = pd.DataFrame(example_columns(1200))
    treatment = make(scale=True, prune_sig=None, smoothing=1, random_state=0, **options)
    crossed = treatment.fit_transform(frame[TREATED], frame[outcome])
    treated = treatment.transform(pd.DataFrame(example_columns(1200, seed=9))[TREATED])
    assert list(crossed.columns) == list(treated.columns)
    strong = treatment.score_frame_["sig"].to_numpy() < 1e-6
    assert strong.sum() >= 4
    ratio = crossed.std()[strong] / treated.std()[strong]
    assert ratio.between(0.75, 1.33).all()
    assert np.allclose(crossed.mean(), 0, atol=0.1)


def codes_beside_indicators(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None
) -> list[str]:
    plan = vt.design_treatments(
        pd.DataFrame({"x": x}), outcome=y, sample_weight=weight, smoothing=0, random_state=0
    )
    return [v.code for v in plan.derived if v.code != "lev"]


@pytest.mark.parametrize("shift", [0.0, 1 / 3, 1e6, -1e9])
@pytest.mark.parametrize("shuffled", [False, True])
def test_lesson_22_levels_without_any_effect_have_no_codes(shift: float, shuffled: bool) -> None:
    """Every level has the same rows, mean and deviation, up to rounding."""
    x, y = np.array(list("abcd") * 30), np.repeat([0.1, 0.2, 0.3, 0.4, 0.7], 24) + shift
    order = np.random.default_rng(0).permutation(120) if shuffled else np.arange(120)
    assert codes_beside_indicators(x[order], y[order]) == []


@pytest.mark.parametrize("seed", range(4))
def test_lesson_22_deviations_of_zero_are_no_code(seed: int) -> None:
    """Where y is one number in each level, deviations of 1e-17 are rounding, not a variable."""
    x = np.random.default_rng(seed).choice(list("abcd"), 97)
    y = pd.Series(x).map({"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.7}).to_numpy(dtype=float)
    assert codes_beside_indicators(x, y) == ["catP", "catN"]


def test_lesson_22_equal_prevalences_are_no_code() -> None:
    """.1 + .2 and .15 + .15 are the same weight, up to rounding."""
    x, y = np.array(list("abc") * 20), np.arange(60) % 7
    first, second = {"a": 0.1, "b": 0.15, "c": 0.2}, {"a": 0.2, "b": 0.15, "c": 0.1}
    w = np.array([(first if i % 2 else second)[level] for i, level in enumerate(x)])
    assert "catP" not in codes_beside_indicators(x, y, w)


def test_lesson_23_levels_are_ordered_by_code_point() -> None:
    """Whatever the locale says: capitals before small letters, accents after z."""
    frame = pd.DataFrame({"x": ["\u00e9", "z", "a", "B", "_", "Z"] * 5})
    plan = vt.design_treatments(frame, outcome_type="unsupervised", coders=["lev"])
    assert [v.level for v in plan.derived] == ["B", "Z", "_", "a", "z", "\u00e9"]


def spread_of_codes(smoothing: Any, seed: int) -> float:
    """Standard deviation of the impact codes of pure noise, as probabilities."""
    frame = pd.DataFrame({"x": np.repeat([f"l{i}" for i in range(5000)], 4)})
    y = np.random.default_rng(seed).random(20000) < 0.2
    plan = vt.design_treatments(frame, outcome=y, smoothing=smoothing, coders=["catB"], cv=2)
    if "x_catB" not in plan.feature_names:
        return 0.0
    levels = frame.drop_duplicates()
    log_odds = vt.prepare(plan, levels, coders=["catB"])["x_catB"] + np.log(y.mean() / (~y).mean())
    return float((1 / (1 + np.exp(-log_odds))).std())


@pytest.mark.filterwarnings("ignore:nothing is derived")
def test_lesson_26_shrinkage_shrinks_noise_to_almost_nothing() -> None:
    """On 5,000 levels x 4 rows of noise (P(y) = .2; the truth is 0) little spread is left."""
    assert spread_of_codes(0, seed=0) > 0.19
    assert max(spread_of_codes("auto", seed) for seed in range(4)) < 0.02


def test_lesson_29_one_row_is_treated_in_milliseconds() -> None:
    """One-row latency is far below the 100 ms of others."""
    frame = pd.DataFrame(example_columns())
    plan = vt.design_treatments(frame, outcome="y", variables=TREATED, random_state=0)
    row = frame.tail(1)
    vt.prepare(plan, row)
    times = []
    for _ in range(15):
        start = time.perf_counter()
        vt.prepare(plan, row)
        times.append(time.perf_counter() - start)
    assert np.median(times) < 0.03


def test_lesson_29_splits_in_time_are_welcome() -> None:
    """TimeSeriesSplit trains on the past and applies to the future."""
    frame = pd.DataFrame(example_columns())
    made = vt.cross_frame_experiment(
        frame, outcome="y", variables=TREATED, cv=TimeSeriesSplit(3), smoothing=0
    )
    assert len(made.cross_frame) == 240
    past = vt.design_treatments(frame.head(60), outcome="y", variables=TREATED, smoothing=0)
    expected = vt.prepare(past, frame.iloc[60:120])
    shared = [name for name in expected.columns if name in made.cross_frame]
    assert "x_catN" in shared
    assert_close(made.cross_frame[shared].iloc[60:120], expected[shared])


def test_lesson_29_levels_are_compared_without_conversion_to_text() -> None:
    """1 and 1.0 are one level, "1" another, "1.0" a third."""
    frame = pd.DataFrame({"x": pd.Series([1, "1", "1.0", 1.0, "q"] * 8, dtype=object)})
    plan = vt.design_treatments(frame, outcome_type="unsupervised", coders=["lev"])
    assert sorted(map(repr, (v.level for v in plan.derived))) == ["'1'", "'1.0'", "'q'", "1"]
