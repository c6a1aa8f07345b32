"""Coders of one's own go through all that the package does."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, VtreatError
from vtreat_py.testing import own_outcome_influence

VARIABLES = ["town", "size"]


def frame(n_rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    town = rng.choice(["Ayr", "Bath", "Cork", "Deal"], n_rows).astype(object)
    size = rng.normal(size=n_rows).round(2)
    effect = pd.Series(town).map({"Ayr": 0.0, "Bath": 1.0, "Cork": 2.0, "Deal": 3.0})
    y = effect.to_numpy() + 3 * np.abs(size) + rng.normal(size=n_rows)
    town[::17], size[::19], size[1] = None, np.nan, np.inf
    return pd.DataFrame(
        {
            "town": town,
            "size": size,
            "y": y,
            "big": (y > 4).astype(int),
            "kind": np.array(["low", "mid", "high"])[np.digitize(y, [2.0, 6.0])],
            "w": rng.integers(0, 4, n_rows),
            "g": np.arange(n_rows) // 4,
        }
    )


def median(levels: Any, y: Any, weight: Any) -> Any:
    known = pd.Series(levels).fillna("missing")
    return pd.Series(y).groupby(known.to_numpy()).transform("median")


def mean_of_table(table: pd.DataFrame) -> Any:
    return table["mean"]


def fold_back(x: Any, y: Any, weight: Any) -> Any:
    return np.polynomial.Polynomial.fit(x, y, 2, w=np.sqrt(weight))


CODERS: dict[str, vt.LevelCoder | vt.NumberCoder] = {
    "med": vt.LevelCoder(median),
    "tab": vt.LevelCoder(mean_of_table, of="table", center=True),
    "square": vt.NumberCoder(fold_back),
    "tree": vt.NumberCoder(DecisionTreeRegressor(max_depth=3)),
}
OWN = list(CODERS)


def experiment(outcome: str = "y", train: Any = None, **options: Any) -> Any:
    given = {"variables": VARIABLES, "custom_coders": CODERS, "coders": OWN, "random_state": 0}
    train = frame() if train is None else train
    return vt.cross_frame_experiment(train, outcome=outcome, **(given | options))


@pytest.mark.parametrize("weights", [None, "w"])
def test_training_rows_are_coded_by_the_other_folds(weights: str | None) -> None:
    train = frame()
    made = experiment(train=train, sample_weight=weights)
    assert made.plan.feature_names == ["town_med", "town_tab", "size_square", "size_tree"]
    w = train["w"] if weights else pd.Series(1.0, train.index)
    good = np.isfinite(train["size"]) & (w > 0)
    town = train["town"].fillna("missing")
    for training, applied in made.folds:
        own = train.index.isin(training) & (w > 0)
        cross = made.cross_frame.loc[applied]
        med = train["y"][own].groupby(town[own]).median()
        np.testing.assert_allclose(cross["town_med"], town[applied].map(med))
        sums = (w * train["y"])[own].groupby(town[own]).sum() / w[own].groupby(town[own]).sum()
        overall = np.average(train["y"][own], weights=w[own])
        np.testing.assert_allclose(cross["town_tab"], town[applied].map(sums) - overall)
        learned = train[own & good]
        x, y, weight = learned["size"], learned["y"], w[learned.index]
        tree = DecisionTreeRegressor(max_depth=3).fit(x.to_numpy()[:, None], y, weight)
        at = np.clip(train["size"][applied], x.min(), x.max())
        knots = np.unique(x)
        curve = np.interp(at, knots, tree.predict(knots[:, None]))
        bad = np.average(y, weights=weight)
        expected = np.where(np.isfinite(train["size"][applied]), curve, bad)
        np.testing.assert_allclose(cross["size_tree"], expected)


TREATMENTS = {
    "y": vt.NumericOutcomeTreatment,
    "big": vt.BinomialOutcomeTreatment,
    "kind": vt.MultinomialOutcomeTreatment,
}


@pytest.mark.parametrize(("outcome", "scale"), [("y", False), ("big", True), ("kind", True)])
def test_own_outcomes_have_no_influence(outcome: str, scale: bool) -> None:
    train, folds = frame(), KFold(4, shuffle=True, random_state=0)
    treatment = TREATMENTS[outcome](
        custom_coders=CODERS, coders=OWN, cv=folds, prune_sig=None, scale=scale
    )
    found = own_outcome_influence(treatment, train[VARIABLES], train[outcome], rows=[1, 33])
    assert found.largest < 1e-14  # sums by level are about the mean of all rows
    of_rows = found.by_column.filter(regex="med|square|tree")
    assert (of_rows == 0).all()


def test_groups_times_and_repeats_are_those_of_the_design() -> None:
    seen: list[set[float]] = []

    def note(x: Any, y: Any, weight: Any) -> Any:
        seen.append(set(y))
        return y

    train, coders = frame(), {"note": vt.NumberCoder(note)}
    options = {"train": train, "custom_coders": coders, "coders": ["note"]}
    experiment(groups="g", cv=GroupKFold(4), **options)
    assert len(seen) == 5
    good = train[np.isfinite(train["size"])]
    for fold in seen[1:]:
        inside = good["y"].isin(fold).groupby(good["g"]).nunique()
        assert (inside == 1).all()
    seen.clear()
    made = experiment(cv="ordered", **options)
    assert (made.cross_frame["size_note"].iloc[:24] == 0).all()
    assert max(seen[1]) <= good["y"].iloc[:24].max()
    seen.clear()
    rows = np.arange(120)
    twice = [(np.append(rows, rows), rows + 120), (rows + 120, rows), (rows + 120, rows)]
    made = experiment(cv=twice, **options)
    assert len(made.cross_frame) == 360
    assert len(seen) == 4


def test_levels_come_as_they_are_and_code_what_was_never_seen() -> None:
    given: list[Any] = []

    def first(levels: Any, y: Any, weight: Any) -> Any:
        given.append((levels, y, weight))
        return np.where(levels == "Ayr", 1.0, 0.0)

    coders = {"first": vt.LevelCoder(first), "apart": vt.LevelCoder(first, center=True)}
    plan = experiment(custom_coders=coders, coders=list(coders)).plan
    train = frame()
    levels, y, weight = given[0]
    assert levels.dtype == object
    assert [one is None for one in levels] == train["town"].isna().tolist()
    np.testing.assert_array_equal(y, train["y"])
    assert (weight == 1).all()
    share = (train["town"] == "Ayr").mean()
    treated = vt.prepare(plan, pd.DataFrame({"town": ["Ayr", None, "Xanten"], "size": 0.0}))
    np.testing.assert_allclose(treated["town_first"], [1, 0, share])
    np.testing.assert_allclose(treated["town_apart"], [1 - share, -share, 0])


def test_a_table_has_what_the_training_rows_say_of_each_level() -> None:
    given: list[pd.DataFrame] = []

    def note(table: pd.DataFrame) -> Any:
        given.append(table)
        return table["mean"]

    coders = {"note": vt.LevelCoder(note, of="table")}
    experiment(custom_coders=coders, coders=["note"], sample_weight="w")
    train = frame()
    w, table = train["w"], given[0].set_index("level")
    for level, rows in train.groupby("town", dropna=False):
        own = table[table.index.isna() if pd.isna(level) else table.index == level].iloc[0]
        mean = np.average(rows["y"], weights=w[rows.index])
        squares = (w[rows.index] * (rows["y"] - mean) ** 2).sum()
        np.testing.assert_allclose(own, [w[rows.index].sum(), mean, squares])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y, w: 2 * x, lambda x: 2 * x),
        (lambda x, y, w: vt.Curve([-9, 0, 9], [9, 0, 9]), abs),
        (lambda x, y, w: lambda at: at - 1, lambda x: x - 1),
        (lambda x, y, w: vt.Curve([-9, 0], [1, 2], "constant"), lambda x: 1.0 + (x >= 0)),
        (LinearRegression(), None),
        pytest.param(
            KNeighborsRegressor(3),
            None,
            marks=pytest.mark.filterwarnings("ignore:.*without the weights"),
        ),
    ],
    ids=["array", "curve", "callable", "steps", "regressor", "no weights"],
)
def test_functions_may_return_arrays_curves_and_functions(
    function: Any, expected: Callable[[float], float] | None
) -> None:
    coders = {"own": vt.NumberCoder(function), "zero": vt.NumberCoder(function, center=True)}
    train = frame()
    plan = experiment(custom_coders=coders, coders=["own", "zero"], sample_weight="w").plan
    x = train["size"][np.isfinite(train["size"]) & (train["w"] > 0)]
    new = pd.DataFrame({"town": "Ayr", "size": [x.iloc[0], 99.0, -99.0, np.nan, -np.inf]})
    treated = vt.prepare(plan, new)
    if expected is not None:
        want = [expected(one) for one in (x.iloc[0], x.max(), x.min())]
        np.testing.assert_allclose(treated["size_own"][:3], want, rtol=1e-9)
    y, w = train["y"][x.index], train["w"][x.index]
    np.testing.assert_allclose(treated["size_own"][3:], np.average(y, weights=w))
    assert treated["size_zero"][3:].tolist() == [0, 0]
    np.testing.assert_array_equal(treated["size_own"][:3], treated["size_zero"][:3])


def test_a_classifier_gives_log_odds_less_those_over_all_rows() -> None:
    model = LogisticRegression(C=1e6)
    plan = experiment("big", custom_coders={"c": vt.NumberCoder(model)}, coders=["c"]).plan
    train = frame()
    good = train[np.isfinite(train["size"])]
    fitted = model.fit(good[["size"]].to_numpy(), good["big"])
    new = pd.DataFrame({"town": "Ayr", "size": [good["size"].iloc[3], np.nan]})
    overall = np.log(good["big"].mean() / (1 - good["big"].mean()))
    link = fitted.decision_function([[new["size"][0]]])[0]
    assert vt.prepare(plan, new)["size_c"].tolist() == pytest.approx([link - overall, 0])
    with pytest.raises(InvalidOptionError, match=r"\['c'\] is a classifier, and the outcome is a"):
        experiment(custom_coders={"c": vt.NumberCoder(model)}, coders=["c"])


def test_several_classes_have_codes_of_their_own() -> None:
    coders = {name: coder for name, coder in CODERS.items() if name != "med"}
    made = experiment("kind", custom_coders=coders, coders=list(coders))
    assert made.plan.feature_names == [
        f"{kind}_{one}"
        for kind in ("high", "low", "mid")
        for one in ("town_tab", "size_square", "size_tree")
    ]
    train = frame()
    good = train[np.isfinite(train["size"])]
    tree = DecisionTreeRegressor(max_depth=3)
    tree.fit(good[["size"]].to_numpy(), good["kind"] == "mid")
    at = pd.DataFrame({"town": "Ayr", "size": good["size"].iloc[:5]})
    treated = vt.prepare(made.plan, at)
    np.testing.assert_allclose(treated["mid_size_tree"], tree.predict(at[["size"]].to_numpy()))
    left_out = experiment("kind", y_dependent_coders=["tree"], variables=["size"])
    assert [v.code for v in left_out.plan.derived] == ["tree"] * 3


@pytest.mark.parametrize("outcome", ["y", "big", "kind"])
@pytest.mark.parametrize("significance", ["calibrated", "classic"])
def test_scores_tell_signal_from_noise(outcome: str, significance: str) -> None:
    train = frame()
    rng = np.random.default_rng(3)
    noise = train["town"].sample(frac=1, random_state=3).to_numpy()
    train = train.assign(noise=noise, blind=rng.normal(size=len(train)))
    plan = vt.design_treatments(
        train, outcome=outcome, custom_coders=CODERS, coders=OWN, random_state=0,
        variables=["town", "size", "noise", "blind"], significance=significance,
    )  # fmt: skip
    scores = plan.score_frame
    signal = scores["orig_variable"].isin(["town", "size"])
    assert scores["needs_split"].all()
    assert (scores.loc[signal].groupby("orig_variable")["sig"].min() < 1e-3).all()
    if significance == "calibrated":
        assert (scores.loc[~signal, "sig"] > 0.01).all()


@pytest.mark.long
@pytest.mark.parametrize("options", [{"groups": "g"}, {"significance": "ordered", "cv": "ordered"},
                                     {"sample_weight": "w", "weight_kind": "importance"},
                                     {"cv": 240}])  # fmt: skip
def test_shapes_are_seen_where_rows_may_not_be_permuted_one_by_one(options: Any) -> None:
    scores = experiment(**options).plan.score_frame.set_index("variable")
    assert scores.loc["size_tree", "sig"] < 1e-3
    assert 0.2 < scores.loc["size_tree", "rsq"] < 1


def test_none_means_no_code_and_is_said() -> None:
    def few(*_: Any) -> None:
        return None

    def of_many(x: Any, y: Any, weight: Any) -> Any:
        return None if len(y) < 200 else y

    coders = {
        "none": vt.LevelCoder(few),
        "no": vt.NumberCoder(few),
        "many": vt.NumberCoder(of_many),
    }
    with pytest.warns(vt.VtreatWarning, match="nothing is derived from 1 column .'town': custom_c"):
        made = experiment(custom_coders=coders, coders=["none", "no", "many", "clean"])
    assert made.plan.feature_names == ["size", "size_many"]
    reasons = dict(made.plan.unused)
    assert (
        reasons["town"]
        == "custom_coders['none'] returned None, so that there is no such code of it"
    )
    assert "custom_coders['no'] returned None" in reasons["size"]
    good = np.isfinite(frame()["size"])
    for training, applied in made.folds:  # constant: what bad values get
        mean = frame()["y"][training][good[training]].mean()
        np.testing.assert_allclose(made.cross_frame["size_many"][applied], mean)
    again = vt.TreatmentPlan.from_json(made.plan.to_json())
    assert again == made.plan
    assert "returned None" in made.plan._repr_html_()


def test_a_fold_without_codes_says_nothing() -> None:
    def of_many(levels: Any, y: Any, weight: Any) -> Any:
        return None if len(y) < 200 else y

    coders = {"many": vt.LevelCoder(of_many), "apart": vt.LevelCoder(of_many, center=True)}
    made = experiment(custom_coders=coders, coders=list(coders))
    assert (made.cross_frame["town_apart"] == 0).all()
    for training, applied in made.folds:
        mean = frame()["y"][training].mean()
        np.testing.assert_allclose(made.cross_frame["town_many"][applied], mean)


def test_one_class_alone_says_nothing() -> None:
    train = frame()
    train.loc[train["big"] == 1, "size"] = np.nan
    coders = {"c": vt.NumberCoder(LogisticRegression())}
    plan = experiment("big", train, custom_coders=coders, coders=["c", "isBAD"]).plan
    assert plan.feature_names == ["size_isBAD"]


def fails(*_: Any) -> Any:
    raise KeyError("sorry")


ALL = r"custom_coders\['own'\] of column '(town|size)', asked on all rows, "
WRONG: dict[str, tuple[Any, str]] = {
    "level error": (vt.LevelCoder(fails), "failed: KeyError: 'sorry'"),
    "number error": (vt.NumberCoder(fails), "failed: KeyError: 'sorry'"),
    "short": (vt.LevelCoder(lambda levels, y, w: [1.0]), r".* of shape \(1,\); it mu"),
    "nan": (vt.NumberCoder(lambda x, y, w: y * np.nan), "returned nan at place 0; it must return"),
    "masked": (vt.NumberCoder(lambda x, y, w: np.ma.array(y, mask=x > 0)), "returned nan at place"),
    "infinite": (vt.LevelCoder(lambda t: t["mean"] / 0, of="table"), "returned inf at place 0"),
    "text": (vt.NumberCoder(lambda x, y, w: "abc"), "returned a str that is no array of numbers"),
    "sorted": (
        vt.LevelCoder(lambda t: t.sort_values("mean")["mean"], of="table"),
        r"returned a Series with an index of its own, which starts \d+, .*; it must return",
    ),
    "wide": (vt.NumberCoder(lambda *_: np.ones((3, 2))), r".* of shape \(3, 2\); it must"),
    "inner": (vt.NumberCoder(lambda x, y, w: lambda at: at[:1]), r".* for each of \d+ numbers"),
    "arguments": (vt.NumberCoder(lambda x: x), r"failed: TypeError: .* takes 1 positional"),
    "curve": (vt.NumberCoder(lambda x, y, w: vt.Curve([1, 0], [1, 1])), "x of a curve must be asc"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_functions_do_wrong_is_one_error_that_says_where(what: str) -> None:
    coder, message = WRONG[what]
    where = "" if what == "curve" else ALL
    with pytest.raises(InvalidOptionError, match=where + message):
        experiment(custom_coders={"own": coder}, coders=["own"])


def test_errors_name_the_fold() -> None:
    def small(x: Any, y: Any, weight: Any) -> Any:
        return y if len(y) > 200 else 1 / 0

    with pytest.raises(InvalidOptionError, match="asked on the training rows of fold 0, failed: Z"):
        experiment(custom_coders={"own": vt.NumberCoder(small)}, coders=["own"])


BAD: dict[str, tuple[Callable[[], Any], type[VtreatError], str]] = {
    "ours": (lambda: {"catB": CODERS["med"]}, InvalidOptionError, "'catB', which is one of ours"),
    "no name": (lambda: {"a b": CODERS["med"]}, InvalidOptionError, "has the name 'a b'; a name"),
    "number": (lambda: {1: CODERS["med"]}, InvalidOptionError, "has the name 1; a name is"),
    "function": (lambda: {"a": median}, OptionTypeError, r"\['a'\] is of type function; give a L"),
    "list": (lambda: [CODERS["med"]], OptionTypeError, "must be a dict from name to LevelCoder"),
    "level": (lambda: {"a": vt.LevelCoder(3)}, OptionTypeError, "LevelCoder is of type int"),  # type: ignore[arg-type]
    "of": (lambda: {"a": vt.LevelCoder(median, of="row")}, InvalidOptionError, "of='row'; it must"),
    "centre": (lambda: {"a": vt.LevelCoder(median, center=1)}, OptionTypeError, "center=1"),  # type: ignore[arg-type]
    "model": (lambda: {"a": vt.NumberCoder("lm")}, OptionTypeError, "NumberCoder is of type str"),
    "class": (lambda: {"a": vt.NumberCoder(LinearRegression)}, OptionTypeError, "Regression()"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_coder_is_refused(what: str) -> None:
    make, error, message = BAD[what]
    with pytest.raises(error, match=message.replace("()", r"\(\)")):
        experiment(custom_coders=make(), coders=None)


def test_a_design_without_outcome_has_no_use_for_them() -> None:
    with pytest.raises(InvalidOptionError, match=r"custom_coders=.*'unsupervised'"):
        vt.design_treatments(frame(), outcome_type="unsupervised", custom_coders=CODERS)


def test_constant_codes_are_not_made() -> None:
    coders = {
        "flat": vt.LevelCoder(lambda levels, y, w: y * 0 + 3),
        "even": vt.NumberCoder(lambda x, y, w: y * 0 + y.mean()),
    }
    plan = experiment(custom_coders=coders, coders=[*coders, "catP"]).plan
    assert plan.feature_names == ["town_catP"]
    assert [one.code for one in plan.dropped] == ["flat"]


def test_they_stand_beside_all_others_and_are_restricted_by_name() -> None:
    plan = experiment(coders=None).plan
    assert {"catN", "clean", "lev", *OWN} <= {v.code for v in plan.derived}
    assert experiment(coders=["tree", "clean"]).plan.feature_names == ["size", "size_tree"]
    assert list(vt.prepare(plan, frame().head(9), coders=["med"])) == ["town_med"]
    kept = list(vt.prepare(plan, frame().head(9), coders=OWN, prune_sig=1e-6))
    assert kept == [f"town_{one}" for one in ("med", "tab")] + ["size_square", "size_tree"]
    assert "size_tree" in plan._repr_html_()


def test_scaling_is_in_units_of_the_outcome() -> None:
    train = frame()
    made = experiment(train=train, scale=True)
    for name in made.cross_frame:
        assert np.polyfit(made.cross_frame[name], train["y"], 1)[0] == pytest.approx(1, abs=0.2)
        assert made.cross_frame[name].mean() == pytest.approx(0, abs=0.05)
    plain, scaled = (
        vt.prepare(made.plan, train.head(20).assign(size=0.3), scale=one) for one in (False, True)
    )
    for one in made.plan.derived:
        np.testing.assert_allclose(scaled[one.name], one.slope * (plain[one.name] - one.mean))


def test_plans_hold_no_function_and_prepare_to_the_bit_elsewhere() -> None:
    coders = CODERS | {"local": vt.NumberCoder(lambda x, y, w: x**3)}
    plan = experiment(custom_coders=coders, coders=[*coders, "clean"]).plan
    new = frame(90)
    for again in (
        vt.TreatmentPlan.from_json(plan.to_json()),
        pickle.loads(pickle.dumps(plan)),
    ):
        assert again == plan
        assert len(plan.diff(again)) == 0
        pd.testing.assert_frame_equal(
            vt.prepare(again, new), vt.prepare(plan, new), check_exact=True
        )
    assert '"format_version": 3' in plan.to_json()
    with pytest.raises(InvalidOptionError, match="known by name only"):
        experiment(custom_coders=plan.options.custom_coders)


def test_differences_of_curves_and_coders_are_told() -> None:
    one, other = experiment().plan, experiment(train=frame().iloc[:200]).plan
    where = set(one.diff(other)["where"])
    assert "columns['size'].tree.y" in where
    other = experiment(custom_coders=CODERS | {"med": vt.LevelCoder(median, center=True)}).plan
    found = one.diff(other).set_index("where")
    assert found.loc["options.custom_coders['med'].center", "other"] is True


TAMPERED = [
    (["treatments", 1, "curves", 0, "curve", "x", 1], -99.0, "x of a curve must be ascending"),
    (
        ["treatments", 1, "curves", 0, "curve", "method"],
        "cubic",
        "expected one of 'linear', 'con",
    ),
    (["treatments", 1, "curves", 0, "target"], "no", r"target: 'no' is not among the classes"),
    (["treatments", 1, "curves", 0, "code"], "tree", r"curves: \('tree', None\) is listed twice"),
    (["treatments", 1, "curves"], [], r"variables\[0\].code: there are no curves of 'square'"),
    (["treatments", 1, "variables"], [], r"treatments\[1\].variables is empty"),
    (["treatments", 0, "parts", 0, "tables", "own"], [1.0], "own is no known code; those are"),
    (["options", "custom_coders", 0, "name"], "lev", "'lev', which is one of ours"),
    (["options", "custom_coders", 0, "coder", "of"], "cells", "expected one of 'rows', 'table'"),
    (["options", "custom_coders", 0, "coder", "function"], 3, "function: expected a string"),
]


@pytest.mark.parametrize(("path", "value", "message"), TAMPERED)
def test_json_that_does_not_fit_is_refused(path: list[Any], value: Any, message: str) -> None:
    tree = json.loads(experiment().plan.to_json())
    place = tree
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(VtreatError, match=message):
        vt.TreatmentPlan.from_json(json.dumps(tree))


def test_transformers_take_them() -> None:
    train = frame()
    treatment = vt.NumericOutcomeTreatment(
        custom_coders=CODERS, coders=OWN, random_state=0, prune_sig=None
    )
    assert clone(treatment).get_params()["custom_coders"].keys() == CODERS.keys()
    crossed = clone(treatment).fit_transform(train[VARIABLES], train["y"])
    pd.testing.assert_frame_equal(crossed, experiment().cross_frame)
    fitted = treatment.fit(train[VARIABLES].to_numpy(), train["y"])
    assert fitted.get_feature_names_out(["a", "b"]).tolist()[::3] == ["a_med", "b_tree"]
    again = pickle.loads(pickle.dumps(fitted))
    assert again.plan_ == fitted.plan_


def test_weights_reach_the_last_step_of_a_pipeline_or_a_warning_says_not() -> None:
    def designed(model: Any) -> Any:
        coders = {"own": vt.NumberCoder(model)}
        return experiment(custom_coders=coders, coders=["own"], sample_weight="w").cross_frame

    alone = designed(LinearRegression())
    piped = designed(make_pipeline(StandardScaler(), LinearRegression()))
    pd.testing.assert_frame_equal(piped, alone)
    for model in (KNeighborsRegressor(3), make_pipeline(StandardScaler(), KNeighborsRegressor(3))):
        with pytest.warns(vt.VtreatWarning, match="'size' is fitted without the weights") as told:
            designed(model)
        assert len(told) == 1


@pytest.mark.parametrize("binary", [False, True])
def test_scores_of_weights_are_those_of_repeated_rows(binary: bool) -> None:
    random = np.random.default_rng(2)
    x, noise = random.normal(size=(2, 160))
    y = 0.2 * x + noise
    frame = pd.DataFrame({"x": x, "y": y > 0 if binary else y, "fold": random.integers(0, 4, 160)})
    weight = random.integers(0, 4, 160)
    tree = vt.NumberCoder(DecisionTreeRegressor(max_depth=3, random_state=0))
    options: Any = {"outcome": "y", "cv": "fold", "variables": ["x"], "coders": ["own"]}
    options |= {"custom_coders": {"own": tree}, "random_state": 0}
    weighted = vt.design_treatments(frame, sample_weight=weight, **options).score_frame
    repeated = vt.design_treatments(frame.loc[frame.index.repeat(weight)], **options).score_frame
    pd.testing.assert_frame_equal(weighted, repeated, rtol=1e-9)
