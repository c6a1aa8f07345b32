"""A plan treats new frames: what is chosen, what unseen values get, what is scaled and clipped."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.conftest import TREATED, FrameKind, arrays, assert_same_values, example_columns
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError


def scores(plan: vt.TreatmentPlan) -> dict[str, float]:
    return dict(zip(plan.feature_names, plan.score_frame["sig"], strict=True))


def test_everything_comes_out_by_default_in_the_order_of_the_score_frame(
    design: Any, fresh: pd.DataFrame
) -> None:
    plan = design()
    assert vt.prepare(plan, fresh).columns.tolist() == plan.score_frame["variable"].tolist()


@pytest.mark.parametrize("limit", [0, 1e-6, 0.05, 0.5, 1])
def test_prune_sig_keeps_p_values_up_to_the_limit(
    design: Any, fresh: pd.DataFrame, limit: float
) -> None:
    plan = design(smoothing=0)
    kept = [name for name, sig in scores(plan).items() if sig <= limit]
    if kept:
        assert vt.prepare(plan, fresh, prune_sig=limit).columns.tolist() == kept
    else:
        with pytest.warns(vt.VtreatWarning, match="no derived variable is left at prune_sig=0"):
            assert vt.prepare(plan, fresh, prune_sig=limit).shape == (60, 0)


def test_prune_sig_keeps_a_p_value_equal_to_the_limit(design: Any, fresh: pd.DataFrame) -> None:
    plan = design(smoothing=0)
    name, sig = max(scores(plan).items(), key=lambda item: item[1])
    assert name in vt.prepare(plan, fresh, prune_sig=sig).columns
    assert name not in vt.prepare(plan, fresh, prune_sig=np.nextafter(sig, 0)).columns


def test_recommended_variables_are_those_the_score_frame_recommends(
    design: Any, fresh: pd.DataFrame
) -> None:
    plan = design(smoothing=0)
    table = plan.score_frame
    kept = table["variable"][table["recommended"]].tolist()
    assert 0 < len(kept) < len(table)
    assert vt.prepare(plan, fresh, prune_sig="recommended").columns.tolist() == kept


def test_recommended_means_a_p_value_below_the_share_of_the_code(design: Any) -> None:
    table = design(smoothing=0).score_frame
    codes = table["code"]
    share = 1.0 / (codes.nunique() * codes.map(codes.value_counts()))
    np.testing.assert_allclose(table["default_threshold"], share, rtol=1e-15)
    assert (table["recommended"] == (table["sig"] < table["default_threshold"])).all()


@pytest.mark.parametrize(
    ("prune_sig", "error", "message"),
    [
        (-0.1, InvalidOptionError, r"prune_sig=-0\.1; it must be >= 0 and <= 1"),
        (1.5, InvalidOptionError, r"prune_sig=1\.5; it must be >= 0 and <= 1"),
        (np.nan, InvalidOptionError, r"prune_sig=nan"),
        ("best", InvalidOptionError, r"prune_sig='best'; give a p-value .*\"recommended\" or None"),
        (True, OptionTypeError, r"prune_sig=True must be a number"),
        ([0.1], OptionTypeError, r"prune_sig=\[0\.1\] must be a number"),
    ],
)
def test_a_bad_prune_sig_is_refused(
    frame: pd.DataFrame, prune_sig: Any, error: type[Exception], message: str
) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    with pytest.raises(error, match=message):
        vt.prepare(plan, frame.head(2), prune_sig=prune_sig)
    with pytest.raises(error, match=message):
        vt.cross_frame_experiment(frame, outcome="y", variables=["z"], prune_sig=prune_sig)


def test_variables_and_coders_choose_by_name_and_code(design: Any, fresh: pd.DataFrame) -> None:
    plan = design(smoothing=0)
    whole = vt.prepare(plan, fresh)
    by_name = vt.prepare(plan, fresh, variables=["z_isBAD", "x_catP", "z"])
    assert by_name.columns.tolist() == ["x_catP", "z", "z_isBAD"]
    by_code = vt.prepare(plan, fresh, coders=["lev", "isBAD"])
    expected = [v.name for v in plan.derived if v.code in ("lev", "isBAD")]
    assert by_code.columns.tolist() == expected
    both = vt.prepare(plan, fresh, variables=["z", "z_isBAD"], coders=["isBAD"])
    assert both.columns.tolist() == ["z_isBAD"]
    for part in (by_name, by_code, both):
        assert_same_values(part, whole[part.columns])


def test_variables_may_come_from_any_iterable(design: Any, fresh: pd.DataFrame) -> None:
    plan = design()
    for given in (("z", "size"), {"z", "size"}, iter(["size", "z"]), pd.Index(["z", "size"])):
        assert vt.prepare(plan, fresh, variables=given).columns.tolist() == ["z", "size"]


def test_coders_may_come_from_any_iterable(design: Any, fresh: pd.DataFrame) -> None:
    plan = design()
    for given in (("clean",), {"clean"}, iter(["clean"])):
        assert vt.prepare(plan, fresh, coders=given).columns.tolist() == ["z", "flag", "size"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variables": "z"}, OptionTypeError, r"variables='z' must be a list of names"),
        ({"variables": ["z", "q"]}, InvalidOptionError, r"\['q'\], which the plan does not derive"),
        ({"variables": ["x"]}, InvalidOptionError, r"\['x'\].*plan\.feature_names lists"),
        ({"coders": "clean"}, OptionTypeError, r"coders='clean' must be a list of codes"),
        ({"coders": ["catX"]}, InvalidOptionError, r"unknown codes \['catX'\]; known are"),
        ({"coders": []}, InvalidOptionError, r"coders is empty"),
        ({"scale": "yes"}, OptionTypeError, r"scale='yes' must be True or False"),
        ({"collar": 1}, OptionTypeError, r"collar=1 must be True or False"),
        ({"extra_columns": "y"}, OptionTypeError, r"extra_columns='y' must be a list of column"),
    ],
)
def test_bad_options_of_prepare_are_refused(
    frame: pd.DataFrame, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["x", "z"])
    with pytest.raises(error, match=message):
        vt.prepare(plan, frame.head(2), **options)


def test_an_extra_column_that_clashes_with_a_derived_one_is_refused(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    with pytest.raises(InvalidOptionError, match=r"'z', which are derived variables too; ren"):
        vt.prepare(plan, frame.head(2), extra_columns=["y", "z"])
    assert vt.prepare(
        plan, frame.head(2), variables=["z_isBAD"], extra_columns=["z"]
    ).columns.tolist() == ["z_isBAD", "z"]


@pytest.mark.parametrize("make", [list, tuple, np.array, iter], ids=lambda m: m.__name__)
def test_extra_columns_are_appended_or_refused_never_dropped(
    frame: pd.DataFrame, make: Any
) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    try:
        treated = vt.prepare(plan, frame.head(2), extra_columns=make(["y", "c"]))
    except OptionTypeError as error:
        assert "extra_columns" in str(error)  # noqa: PT017
    else:
        assert treated.columns.tolist() == ["z", "z_isBAD", "y", "c"]


def test_the_outcome_is_not_in_the_treated_frame_unless_named(
    design: Any, fresh: pd.DataFrame, outcome: str
) -> None:
    plan = design()
    assert outcome not in vt.prepare(plan, fresh).columns
    assert vt.prepare(plan, fresh, extra_columns=[outcome]).columns[-1] == outcome


def test_the_order_of_columns_and_rows_does_not_matter(design: Any, fresh: pd.DataFrame) -> None:
    plan = design(smoothing=0)
    treated = vt.prepare(plan, fresh, scale=True)
    assert_same_values(vt.prepare(plan, fresh[fresh.columns[::-1]], scale=True), treated)
    assert_same_values(vt.prepare(plan, fresh[::-1], scale=True), treated[::-1])


def test_rows_are_treated_one_by_one_as_all_together(design: Any, fresh: pd.DataFrame) -> None:
    plan = design(smoothing=0)
    singly = pd.concat([vt.prepare(plan, fresh.iloc[[i]], scale=True) for i in range(12)])
    assert_same_values(singly, vt.prepare(plan, fresh.head(12), scale=True))


def test_many_rows_are_treated_as_few(kind: FrameKind) -> None:
    # Levels of many rows are looked up in another way.
    data = example_columns()
    plan = vt.design_treatments(pd.DataFrame(data), outcome="y", variables=["x"], smoothing=0)
    new = [*data["x"][:40], "new", ""]
    few = arrays(vt.prepare(plan, kind.make({"x": new})))
    many = arrays(vt.prepare(plan, kind.make({"x": new * 10})))
    for name, values in few.items():
        np.testing.assert_array_equal(many[name], np.tile(values, 10))


def test_unsupervised_plans_ignore_p_values(frame: pd.DataFrame, fresh: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome_type="unsupervised", variables=TREATED)
    for prune_sig in (0, 0.05, "recommended", None):
        treated = vt.prepare(plan, fresh, prune_sig=prune_sig)
        assert treated.columns.tolist() == plan.feature_names


def test_unsupervised_plans_cannot_be_scaled(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome_type="unsupervised", variables=["z"])
    with pytest.raises(InvalidOptionError, match="scale=True needs an outcome; this plan is unsup"):
        vt.prepare(plan, frame.head(2), scale=True)


def treated_as_training(plan: vt.TreatmentPlan, frame: pd.DataFrame, **options: Any) -> Any:
    with pytest.warns(vt.VtreatWarning, match="looks like the frame the plan was designed on"):
        return vt.prepare(plan, frame, **options)


@pytest.mark.parametrize("weighted", [False, True])
def test_scaled_columns_have_mean_zero_and_slope_one_against_the_outcome(
    frame: pd.DataFrame, weighted: bool
) -> None:
    w = np.random.default_rng(2).integers(1, 5, 240).astype(float) if weighted else np.ones(240)
    plan = vt.design_treatments(
        frame, outcome="y", variables=TREATED, smoothing=0, sample_weight=w, random_state=0
    )
    treated = treated_as_training(plan, frame, scale=True)
    y = frame["y"] - np.average(frame["y"], weights=w)
    assert treated.shape[1] >= 10
    for name, x in treated.items():
        assert np.average(x, weights=w) == pytest.approx(0, abs=1e-12)
        assert (w * x * y).sum() / (w * x * x).sum() == pytest.approx(1, rel=1e-9), name


def test_a_scaled_column_is_slope_times_x_less_mean(design: Any, fresh: pd.DataFrame) -> None:
    plan = design(smoothing=0)
    plain, scaled = vt.prepare(plan, fresh), vt.prepare(plan, fresh, scale=True)
    for v in plan.derived:
        expected = v.slope * (plain[v.name] - v.mean)
        np.testing.assert_allclose(scaled[v.name], expected, rtol=1e-12, atol=1e-14)


def test_link_slopes_are_those_of_a_logistic_regression(frame: pd.DataFrame) -> None:
    from sklearn.linear_model import LogisticRegression

    plan = vt.design_treatments(
        frame, outcome="c", variables=["z", "size"], cat_scaling=True, random_state=0
    )
    plain = vt.prepare(plan, frame)
    for v in plan.derived:
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
        model.fit(plain[[v.name]], frame["c"] == "yes")
        assert v.slope == pytest.approx(model.coef_[0, 0], rel=1e-5)


def test_scaling_does_not_collar_and_the_collar_comes_first(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["size"])
    (v,) = plan.derived
    new = pd.DataFrame({"size": [-50, 4, 50]})
    scaled = vt.prepare(plan, new, scale=True)["size"]
    both = vt.prepare(plan, new, scale=True, collar=True)["size"]
    np.testing.assert_allclose(scaled, v.slope * (np.array([-50, 4, 50]) - v.mean))
    np.testing.assert_allclose(both, v.slope * (np.array([0, 4, 8]) - v.mean))


def test_the_collar_clips_to_the_range_of_the_training_frame(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    low, high = frame["z"].min(), frame["z"].max()
    new = pd.DataFrame({"z": [-100.0, low, 0.0, high, 100.0, None]})
    assert vt.prepare(plan, new)["z"].tolist()[:5] == [-100, low, 0, high, 100]
    clipped = vt.prepare(plan, new, collar=True)["z"].tolist()
    assert clipped == pytest.approx([low, low, 0, high, high, frame["z"].mean()])


def test_the_collar_clips_to_quantiles_of_good_values(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"], collar_prob=0.1)
    low, high = frame["z"].quantile([0.1, 0.9])
    new = pd.DataFrame({"z": [-100.0, 0.0, 100.0]})
    assert vt.prepare(plan, new, collar=True)["z"].tolist() == pytest.approx([low, 0, high])
    assert vt.prepare(plan, new)["z"].tolist() == [-100, 0, 100]


def test_the_collar_clips_a_made_up_value_too(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"], imputation=1000)
    new = pd.DataFrame({"z": [None, 0.0]})
    assert vt.prepare(plan, new)["z"].tolist() == [1000, 0]
    assert vt.prepare(plan, new, collar=True)["z"].tolist() == [frame["z"].max(), 0]


def levels_plan(outcome: str, **options: Any) -> vt.TreatmentPlan:
    frame = pd.DataFrame(example_columns())
    return vt.design_treatments(
        frame, outcome=outcome, variables=["x"], smoothing=0, random_state=0, **options
    )


def test_a_novel_level_says_nothing_is_known(outcome: str) -> None:
    treated = vt.prepare(levels_plan(outcome), pd.DataFrame({"x": ["new", "newer"]}))
    assert treated.iloc[0].equals(treated.iloc[1].rename(0))
    novel = treated.iloc[0]
    assert (novel.filter(like="_lev_") == 0).all()
    assert novel["x_catP"] == 0.5 / 240
    if outcome == "c":
        assert novel["x_catB"] == 0
    else:
        deviation = vt.prepare(levels_plan(outcome), pd.DataFrame({"x": [*"abcd", None]}))
        assert novel["x_catN"] == 0
        assert novel["x_catD"] == deviation["x_catD"].max()


def test_a_novel_level_is_taken_for_the_pool_when_there_is_one(outcome: str) -> None:
    frame = pd.DataFrame(example_columns())
    frame.loc[:8, "x"] = ["p", "p", "p", "q", "q", "q", "r", "r", "r"]
    plan = vt.design_treatments(
        frame, outcome=outcome, variables=["x"], smoothing=0, rare_count=3, random_state=0
    )
    treated = vt.prepare(plan, pd.DataFrame({"x": ["new", "p", "a"]}))
    assert treated["x_lev_rare"].tolist() == [1, 1, 0]
    for name in treated.columns.drop("x_catP"):
        assert treated[name][0] == treated[name][1], name
    assert treated["x_catP"].tolist()[:2] == pytest.approx([0.5 / 240, 3 / 240])


def test_a_missing_value_is_novel_where_none_was_seen(outcome: str) -> None:
    frame = pd.DataFrame(example_columns()).dropna(subset=["x"])
    plan = vt.design_treatments(
        frame, outcome=outcome, variables=["x"], smoothing=0, random_state=0
    )
    treated = vt.prepare(plan, pd.DataFrame({"x": [None, "new"]}))
    assert treated.iloc[0].equals(treated.iloc[1].rename(0))


def test_missing_numbers_are_imputed_where_none_was_seen() -> None:
    frame = pd.DataFrame({"z": np.arange(30.0), "y": np.arange(30) % 7})
    plan = vt.design_treatments(frame, outcome="y")
    treated = vt.prepare(plan, pd.DataFrame({"z": [None, np.inf, 2.0]}, dtype=float))
    assert plan.feature_names == ["z"]
    assert treated["z"].tolist() == [14.5, 14.5, 2.0]


OVER_FITS = r"over-fits\. Train on fit_transform \(or cross_frame_experiment\)"


def test_the_training_frame_is_recognised(design: Any, frame: pd.DataFrame) -> None:
    plan = design(smoothing=0)
    for same in (
        frame,
        frame.copy(),
        frame[frame.columns[::-1]],
        frame.set_index("size", drop=False),
    ):
        with pytest.warns(vt.VtreatWarning, match=OVER_FITS):
            vt.prepare(plan, same)


def test_the_training_frame_is_recognised_in_any_kind_of_frame(
    kind: FrameKind, frame: pd.DataFrame, design: Any
) -> None:
    with pytest.warns(vt.VtreatWarning, match=OVER_FITS):
        vt.prepare(design(smoothing=0), kind.make(example_columns()))


def test_the_training_frame_is_recognised_when_whole_numbers_became_floats(
    frame: pd.DataFrame, design: Any
) -> None:
    with pytest.warns(vt.VtreatWarning, match=OVER_FITS):
        vt.prepare(design(smoothing=0), frame.astype({"size": float}))


def test_other_frames_give_no_warning(
    design: Any, frame: pd.DataFrame, fresh: pd.DataFrame
) -> None:
    plan = design(smoothing=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vt.prepare(plan, fresh)
        vt.prepare(plan, frame.head(20))
        vt.prepare(plan, frame.assign(x="a"))
        vt.prepare(plan, frame.assign(x=None))


KINDS_OF_LEVELS: dict[str, Any] = {
    "objects": lambda v: pd.Series(v, dtype=object),
    "category": lambda v: pd.Series(pd.Categorical(v, ["d", "c", "b", "a"])),
    "mixture": lambda v: pd.Series([1 if x == "a" else x for x in v], dtype=object),
}


@pytest.mark.parametrize("make", KINDS_OF_LEVELS.values(), ids=KINDS_OF_LEVELS)
def test_the_training_frame_is_told_from_others_by_its_levels(make: Any) -> None:
    data = example_columns()
    plan = vt.design_treatments(pd.DataFrame({"x": make(data["x"])}), outcome=data["y"])
    with pytest.warns(vt.VtreatWarning, match=OVER_FITS):
        vt.prepare(plan, pd.DataFrame({"x": make(data["x"])}))
    vt.prepare(plan, pd.DataFrame({"x": make(data["x"][::-1])}))


def test_codes_that_do_not_see_the_outcome_may_be_applied_to_the_training_frame(
    frame: pd.DataFrame, design: Any
) -> None:
    plan = design(smoothing=0)
    vt.prepare(plan, frame, coders=["clean", "isBAD", "lev"])
    unsupervised = vt.design_treatments(frame, outcome_type="unsupervised", variables=TREATED)
    vt.prepare(unsupervised, frame)


IMPUTED: dict[str, tuple[Any, float]] = {
    "mean": ("mean", 3.5),
    "median": ("median", 2.5),
    "number": (-7, -7.0),
    "function": (lambda values, weights: values.max(), 8.0),
    "weighted function": (lambda values, weights: float((values * weights).sum()), 21.0),
}


@pytest.mark.parametrize(("imputation", "expected"), IMPUTED.values(), ids=IMPUTED)
@pytest.mark.parametrize("by_column", [False, True])
def test_bad_numbers_get_the_imputed_value(
    imputation: Any, expected: float, by_column: bool
) -> None:
    frame = pd.DataFrame({"z": [1.0, 1.0, 2.0, 3.0, 6.0, 8.0, np.inf, -np.inf, None, None]})
    frame["other"] = frame["z"] + 1
    y = np.arange(10) % 4
    option = {"imputation_map": {"z": imputation}} if by_column else {"imputation": imputation}
    plan = vt.design_treatments(frame, outcome=y, random_state=0, **option)
    treated = vt.prepare(plan, pd.DataFrame({"z": [None, 5.0], "other": [None, 5.0]}))
    assert treated["z"].tolist() == [expected, 5.0]
    if by_column:
        assert treated["other"].tolist() == [4.5, 5.0]


@pytest.mark.parametrize("imputation", ["mean", "median"])
def test_weights_count_in_the_imputed_value(imputation: str) -> None:
    frame = pd.DataFrame({"z": [1.0, 2.0, 6.0, None, 10.0]})
    w = np.array([3.0, 1.0, 1.0, 2.0, 0.0])
    plan = vt.design_treatments(
        frame, outcome=[1.0, 2.0, 3.0, 1.5, 5.0], sample_weight=w, imputation=imputation, cv=2,
        random_state=0,
    )  # fmt: skip
    expected = {"mean": 11 / 5, "median": 1.0}[imputation]
    assert vt.prepare(plan, pd.DataFrame({"z": [None]}, dtype=float))["z"].tolist() == [expected]


def test_a_function_gets_good_values_and_their_weights_fold_by_fold() -> None:
    seen = []

    def imputer(values: np.ndarray, weights: np.ndarray) -> float:
        seen.append((values.tolist(), weights.tolist()))
        return 0.0

    frame = pd.DataFrame({"z": [1.0, None, 3.0, 4.0, np.inf, 6.0]})
    folds = [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])]
    vt.cross_frame_experiment(
        frame, outcome=np.arange(6.0), sample_weight=[1, 2, 3, 0, 5, 6], cv=folds,
        imputation=imputer,
    )  # fmt: skip
    assert ([1.0, 3.0, 6.0], [1.0, 3.0, 6.0]) in seen
    assert ([1.0, 3.0], [1.0, 3.0]) in seen
    assert ([6.0], [6.0]) in seen
    assert len({str(call) for call in seen}) == 3


def test_without_weights_a_function_gets_weights_of_one(frame: pd.DataFrame) -> None:
    seen = []

    def imputer(values: np.ndarray, weights: np.ndarray) -> float:
        seen.append((len(values), set(weights.tolist())))
        return 1.5

    vt.cross_frame_experiment(frame, outcome="y", variables=["z"], imputation=imputer)
    assert (int(frame["z"].notna().sum()), {1.0}) in seen
    assert {weights for _, ws in seen for weights in ws} == {1.0}


@pytest.mark.parametrize(
    "returned", [None, np.nan, np.inf, "a", [1.0, 2.0], np.ones(2)], ids=lambda v: str(v)
)
def test_a_function_that_returns_no_number_is_refused_by_column(
    frame: pd.DataFrame, returned: Any
) -> None:
    with pytest.raises(
        InvalidOptionError,
        match=r"(?s)imputation function of column 'z' returned .*must return one finite number",
    ):
        vt.design_treatments(
            frame, outcome="y", variables=["z"], imputation=lambda values, weights: returned
        )


def test_a_function_may_return_any_kind_of_number(frame: pd.DataFrame) -> None:
    for returned in (2, 2.0, np.float32(2), np.array(2.0), True + 1):
        plan = vt.design_treatments(
            frame, outcome="y", variables=["z"], imputation=lambda v, w, r=returned: r
        )
        new = pd.DataFrame({"z": [None]}, dtype=float)
        assert vt.prepare(plan, new)["z"].tolist() == [2.0]


def test_a_function_cannot_change_the_callers_frame() -> None:
    def imputer(values: np.ndarray, weights: np.ndarray) -> float:
        values[:] = 0.0
        return 1.0

    frame = pd.DataFrame({"z": np.arange(20.0), "y": np.arange(20) % 3})
    before = frame.copy(deep=True)
    try:
        vt.design_treatments(frame, outcome="y", imputation=imputer)
    except ValueError as error:  # a read-only array says so
        assert "read-only" in str(error)  # noqa: PT017
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("imputation", ["mean", "median", lambda v, w: v.max()])
def test_imputed_values_of_the_cross_frame_come_from_the_other_folds(imputation: Any) -> None:
    random = np.random.default_rng(0)
    z = random.normal(size=60)
    z[random.random(60) < 0.3] = np.nan
    frame = pd.DataFrame({"z": z, "y": random.normal(size=60)})
    made = vt.cross_frame_experiment(
        frame, outcome="y", cv=3, random_state=0, imputation=imputation
    )
    values = []
    for train, application in made.folds:
        good = z[train][~np.isnan(z[train])]
        expected = {"mean": np.mean, "median": np.median}.get(imputation, np.max)(good)
        bad = application[np.isnan(z[application])]
        np.testing.assert_allclose(made.cross_frame["z"].to_numpy()[bad], expected, rtol=1e-12)
        values.append(expected)
    assert len(set(values)) > 1
