"""The outcome, its type and target, and the weights are read as meant, or refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import vtreat_py as vt
from tests.conftest import (
    TREATED,
    FrameKind,
    assert_close,
    assert_same_scores,
    assert_same_values,
    example_columns,
)
from vtreat_py.base.errors import FrameError, OptionTypeError, OutcomeError

ROWS = 30
Z = np.random.default_rng(0).normal(size=ROWS)


def designed(outcome: Any, **options: Any) -> vt.TreatmentPlan:
    return vt.design_treatments(pd.DataFrame({"z": Z}), outcome=outcome, **options)


TWO = ["no", "yes", "yes"] * 10
DETECTED: dict[str, tuple[Any, str, Any]] = {
    "floats": ([0.0, 0.5, 1.0] * 10, "numeric", None),
    "whole numbers": ([1, 2, 3] * 10, "numeric", None),
    "two numbers other than 0 and 1": ([1, 2, 2] * 10, "numeric", None),
    "0 and 1": ([0, 1, 1] * 10, "binomial", 1),
    "0.0 and 1.0": ([0.0, 1.0, 1.0] * 10, "binomial", 1),
    "flags": ([False, True, True] * 10, "binomial", True),
    "nullable flags": (pd.array([False, True, True] * 10, "boolean"), "binomial", True),
    "two texts": (TWO, "binomial", "yes"),
    "a category": (pd.Categorical(TWO, ["yes", "no", "maybe"]), "binomial", "yes"),
    "a polars series": (pl.Series(TWO), "binomial", "yes"),
    "an arrow array": (pa.chunked_array([TWO]), "binomial", "yes"),
    "an arrow dictionary": (
        pa.chunked_array([pa.array(TWO).dictionary_encode()]),
        "binomial",
        "yes",
    ),
    "texts of numbers": (["9", "10", "10"] * 10, "binomial", "9"),
    "late fractions": ([0, 1] * 14 + [0.5, 0.5], "numeric", None),
}


@pytest.mark.parametrize(("given", "kind", "target"), DETECTED.values(), ids=DETECTED)
def test_type_and_target_are_told_from_the_outcome(given: Any, kind: str, target: Any) -> None:
    plan = designed(given)
    assert (plan.outcome_type, plan.target) == (kind, target)


def test_the_plan_says_how_the_type_was_chosen() -> None:
    assert "because the outcome holds numbers other than 0 and 1" in repr(designed(Z))
    note = designed(TWO).note
    assert "because the outcome has two classes" in note
    assert "target 'yes', the last of the two in sorted order" in note
    assert "binomial, because target= names a class" in designed(TWO, target="no").note
    assert "numeric, as asked" in designed([0, 1] * 15, outcome_type="numeric").note


def test_a_target_among_numbers_asks_for_a_class() -> None:
    plan = designed([1, 2, 3] * 10, target=3)
    assert (plan.outcome_type, plan.target) == ("binomial", 3)


def test_a_target_among_many_classes_is_one_against_the_others() -> None:
    given = ["a", "b", "c"] * 10
    plan = designed(given, target="b", random_state=0)
    flags = designed([v == "b" for v in given], random_state=0)
    assert_same_scores(plan, flags)


def test_the_other_target_turns_the_slopes() -> None:
    up, down = designed(TWO), designed(TWO, target="no")
    assert [v.sig for v in up.derived] == pytest.approx([v.sig for v in down.derived])
    assert [v.slope for v in up.derived] == pytest.approx([-v.slope for v in down.derived])


def test_an_outcome_may_be_of_any_kind_of_column(kind: FrameKind) -> None:
    data: dict[str, list[Any]] = {"z": Z.tolist(), "c": TWO, "y": (Z + 1).tolist()}
    for name in ("c", "y"):
        plan = vt.design_treatments(kind.make(data), outcome=name, variables=["z"], random_state=0)
        assert_same_scores(plan, designed(data[name], random_state=0))
        assert plan.outcome_name == name


FORMS: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "array of one column": lambda v: np.array(v)[:, None],
    "pandas series": pd.Series,
    "pandas index": pd.Index,
    "pandas frame of one column": lambda v: pd.DataFrame({"y": v}),
    "polars series": pl.Series,
    "pyarrow chunks": lambda v: pa.chunked_array([v]),
}


@pytest.mark.parametrize("given", FORMS.values(), ids=FORMS)
def test_an_outcome_may_come_beside_the_frame_in_any_form(given: Any) -> None:
    values = [float(v) for v in range(ROWS)]
    assert_same_scores(designed(given(values), random_state=0), designed(values, random_state=0))


def test_times_are_a_numeric_outcome() -> None:
    start = dt.datetime(2020, 1, 1)
    plan = designed([start + dt.timedelta(hours=i * i) for i in range(ROWS)], random_state=0)
    hours = designed([3600.0 * i * i for i in range(ROWS)], random_state=0)
    assert plan.outcome_type == "numeric"
    assert [v.rsq for v in plan.derived] == pytest.approx([v.rsq for v in hours.derived])


def test_a_numeric_outcome_may_be_shifted_and_stretched() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.choice(list("abcd"), 90), "z": random.normal(size=90)})
    y = random.normal(size=90) + (frame["x"] == "a")
    folds = [(np.flatnonzero(np.arange(90) % 3 != k), np.arange(k, 90, 3)) for k in range(3)]
    plain = vt.cross_frame_experiment(frame, outcome=y, cv=folds)
    moved = vt.cross_frame_experiment(frame, outcome=1e6 - 10 * y, cv=folds)
    ours, theirs = plain.plan.score_frame, moved.plan.score_frame
    same = ours["code"] != "catD"  # other blocks of rows are compared
    np.testing.assert_allclose(ours["sig"][same], theirs["sig"][same], rtol=1e-6)
    np.testing.assert_allclose(
        moved.cross_frame["x_catN"], -10 * plain.cross_frame["x_catN"], rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_the_unit_of_a_numeric_outcome_does_not_matter(frame: pd.DataFrame, factor: float) -> None:
    given = {"variables": TREATED, "smoothing": 1, "random_state": 0}
    plain = vt.design_treatments(frame, outcome=frame["y"], **given)
    other = vt.design_treatments(frame, outcome=frame["y"] * factor, **given)
    assert other.feature_names == plain.feature_names
    np.testing.assert_allclose(other.score_frame["rsq"], plain.score_frame["rsq"], rtol=1e-9)


def weights(seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, 240).astype(float)


def test_weights_come_by_name_or_beside_the_frame(frame: pd.DataFrame, outcome: str) -> None:
    frame["w"] = weights()
    given = {"outcome": outcome, "variables": TREATED, "random_state": 0}
    by_name = vt.design_treatments(frame, sample_weight="w", **given)
    beside = vt.design_treatments(frame, sample_weight=weights(), **given)
    unweighted = vt.design_treatments(frame, **given)
    assert_same_scores(by_name, beside)
    assert not by_name.score_frame.equals(unweighted.score_frame)


def test_a_weight_column_is_not_treated(frame: pd.DataFrame) -> None:
    frame["w"] = weights()
    plan = vt.design_treatments(frame, outcome="y", sample_weight="w", groups="g", cv=3)
    assert plan.variables == ("x", "z", "flag", "size", "c")


@pytest.mark.parametrize("dtype", ["int64", "bool", "float32", "Int64"])
def test_weights_may_be_of_any_type_of_number(frame: pd.DataFrame, dtype: str) -> None:
    given = {"outcome": "y", "variables": TREATED, "random_state": 0}
    w = pd.Series(weights() > 0 if dtype == "bool" else weights())
    plan = vt.design_treatments(frame, sample_weight=w.astype(dtype), **given)
    assert_same_scores(plan, vt.design_treatments(frame, sample_weight=w.astype(float), **given))


def test_weights_of_one_are_no_weights(frame: pd.DataFrame, outcome: str) -> None:
    given = {"outcome": outcome, "variables": TREATED, "random_state": 0}
    ones = vt.cross_frame_experiment(frame, sample_weight=np.ones(240), **given)
    none = vt.cross_frame_experiment(frame, **given)
    assert_same_scores(ones.plan, none.plan)
    assert_same_values(ones.cross_frame, none.cross_frame)


def cyclic_folds(row: np.ndarray, n_folds: int = 4) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds by a number that each row carries, so that repeated rows share a fold."""
    fold = row % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


@pytest.mark.parametrize("smoothing", ["auto", 0])
def test_rows_of_weight_zero_teach_nothing_but_are_treated(outcome: str, smoothing: Any) -> None:
    frame, w = pd.DataFrame(example_columns()), weights()
    kept = np.flatnonzero(w > 0)
    given: dict[str, Any] = {"outcome": outcome, "variables": TREATED, "smoothing": smoothing}
    given |= {"scale": True, "collar": True, "collar_prob": 0.05, "rare_count": 2}
    lone = frame.copy()
    lone.loc[np.flatnonzero(w == 0)[:3], "x"] = ["never", "seen", "before"]
    lone.loc[np.flatnonzero(w == 0)[3:6], "z"] = [1e9, -1e9, np.inf]
    every = vt.cross_frame_experiment(
        lone, sample_weight=w, cv=cyclic_folds(np.arange(240)), **given
    )
    some = vt.cross_frame_experiment(
        lone.iloc[kept], sample_weight=w[kept], cv=cyclic_folds(kept), **given
    )
    pd.testing.assert_frame_equal(every.plan.score_frame, some.plan.score_frame)
    assert len(every.cross_frame) == 240
    assert_close(every.cross_frame.iloc[kept], some.cross_frame)
    np.testing.assert_array_equal(every.cross_weights, w)
    new = pd.DataFrame(example_columns(40, seed=5))
    assert_close(
        vt.prepare(every.plan, new, scale=True, collar=True),
        vt.prepare(some.plan, new, scale=True, collar=True),
    )


OPTION_SETS: dict[str, dict[str, Any]] = {
    "default": {},
    "R": {"smoothing": 0},
    "smoothed": {"smoothing": 3.5},
    "pooled": {"rare_count": 6, "min_fraction": 0.05},
    "tested": {"rare_sig": 0.3, "smoothing": 1},
    "tested and pooled": {"rare_sig": 0.5, "rare_count": 5},
    "collared": {"collar_prob": 0.1, "collar": True},
    "medians": {"imputation": "median", "force_split": True},
    "link": {"cat_scaling": True, "smoothing": 1},
}


@pytest.mark.halved
@pytest.mark.parametrize(("scale", "seed"), [(False, 1), (True, 2)], ids=["plain", "scaled"])
@pytest.mark.parametrize("options", OPTION_SETS.values(), ids=OPTION_SETS)
def test_whole_weights_are_repeated_rows(
    options: dict[str, Any], seed: int, scale: bool, outcome: str
) -> None:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(example_columns(90, seed=seed))
    frame["x"] = np.where(random.random(90) < 0.1, random.choice(list("pqrs"), 90), frame["x"])
    w = random.integers(0, 4, 90)
    row = np.repeat(np.arange(90), w)
    given = {"outcome": outcome, "variables": TREATED, "scale": scale} | options
    weighted = vt.cross_frame_experiment(
        frame, sample_weight=w, cv=cyclic_folds(np.arange(90)), **given
    )
    repeated = vt.cross_frame_experiment(
        frame.iloc[row].reset_index(drop=True), cv=cyclic_folds(row), **given
    )
    ours, theirs = weighted.plan.score_frame, repeated.plan.score_frame
    pd.testing.assert_frame_equal(ours, theirs, rtol=1e-7, atol=1e-12)
    assert_close(weighted.cross_frame.iloc[row], repeated.cross_frame, rtol=1e-7, atol=1e-9)
    new = pd.DataFrame(example_columns(30, seed=seed + 100))
    prepared = {"scale": scale, "collar": options.get("collar", False)}
    assert_close(
        vt.prepare(weighted.plan, new, **prepared),
        vt.prepare(repeated.plan, new, **prepared),
        rtol=1e-7,
        atol=1e-9,
    )


def test_cross_weights_stand_in_the_order_of_the_cross_frame(frame: pd.DataFrame) -> None:
    w = weights() + 1
    made = vt.cross_frame_experiment(
        frame, outcome="y", variables=["size"], sample_weight=w, random_state=3
    )
    np.testing.assert_array_equal(made.cross_weights, w)
    np.testing.assert_array_equal(made.cross_frame["size"], frame["size"])
    with pytest.warns(vt.VtreatWarning, match="leaves 60 of 240 rows out"):
        some = vt.cross_frame_experiment(
            frame,
            outcome="y",
            variables=["z"],
            sample_weight=w,
            cv=cyclic_folds(np.arange(240))[:3],
        )
    np.testing.assert_array_equal(some.cross_weights, w[np.arange(240) % 4 < 3])


BAD_OUTCOMES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "constant numbers": ([2.5] * ROWS, {}, r"the outcome is 2\.5 in every row.*it must vary"),
    "constant text": (["a"] * ROWS, {}, r"the outcome is 'a' in every row; it must vary"),
    "constant numbers, numeric": ([1] * ROWS, {"outcome_type": "numeric"}, r"is 1 in every row"),
    "all target": (["a"] * ROWS, {"target": "a"}, r"'a' in every row; it must vary"),
    "no target": (TWO, {"target": "Yes"}, r"target 'Yes' does not occur.*'no', 'yes'"),
    "a missing target": (TWO, {"target": float("nan")}, r"target nan does not occur"),
    "target of another type": ([0, 1] * 15, {"target": "one"}, r"'one' is not a number"),
    "text for a number": (["1", "2", "2"] * 10, {"target": 1}, r"target 1 does not occur"),
    "a missing number": (
        [np.nan, *range(1, ROWS)],
        {},
        r"1 missing value in 30 rows, the first in row 0; remove",
    ),
    "missing numbers and infinite": (
        [np.nan, np.nan, np.inf, *range(3, ROWS)],
        {},
        r"2 missing values and 1 infinite value in 30 rows, the first in row 0; remove",
    ),
    "infinite": (
        [-np.inf, *range(1, ROWS)],
        {},
        r"1 infinite value in 30 rows, the first in row 0; remove",
    ),
    "missing text": (
        [None, None, *TWO[2:]],
        {},
        r"2 missing values in 30 rows, the first in row 0; remove",
    ),
    "missing text, with target": (
        [None, *TWO[1:]],
        {"target": "yes"},
        r"1 missing value in 30 rows, the first in row 0; remove",
    ),
    "missing flags": (pd.array([None, True, False] * 10, "boolean"), {}, r"10 missing values"),
    "a missing category": (
        pd.Categorical([None, *TWO[1:]]),
        {},
        r"1 missing value in 30 rows, the first in row 0",
    ),
    "only missing": ([None] * ROWS, {}, r"missing values only"),
    "text as numbers": (
        TWO,
        {"outcome_type": "numeric"},
        r"levels such as 'no', 'yes', not numbers.*BinomialO",
    ),
    "a target among numbers": (
        Z,
        {"outcome_type": "numeric", "target": 1},
        r'target= names a class; outcome_type="numeric" has none',
    ),
    "many classes": (
        ["a", "b", "c"] * 10,
        {"outcome_type": "binomial"},
        r"3 classes \('a', 'b', 'c'\), and target= does not say.*MultinomialOutcomeTreatment",
    ),
    "an identifier": (
        [f"id {i // 2}" for i in range(ROWS - 1)] + ["id"],
        {},
        r"16 classes \('id', .*\) in 30 rows, too many to be meant: name the one",
    ),
    "numbers and a text": (
        [*Z[1:], "n/a"],
        {},
        r"30 classes .*too many to be meant.* 96\.67% of its rows are numbers, all but 'n/a'$",
    ),
    "numbers as text": (
        [*map(str, Z[4:]), "?", "-", "none", "na"],
        {"outcome_type": "numeric"},
        r"not numbers, but .* 86\.67% of its rows read as numbers, all but .* and others$",
    ),
    "a target among several classes": (
        ["a", "b", "c"] * 10,
        {"outcome_type": "multinomial", "target": "a"},
        r"target= names one class",
    ),
    "one of several classes": (["a"] * ROWS, {"outcome_type": "multinomial"}, r"'a' in every row"),
    "many numbers as classes": (
        list(range(ROWS)),
        {"outcome_type": "binomial"},
        r"30 classes \(0.*\(30 in all\)\), and target= does not say",
    ),
}


@pytest.mark.parametrize(("given", "options", "message"), BAD_OUTCOMES.values(), ids=BAD_OUTCOMES)
def test_an_outcome_that_cannot_be_used_is_refused(
    given: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OutcomeError, match=message) as caught:
        designed(given, **options)
    assert isinstance(caught.value, ValueError)


def test_a_constant_class_is_said_to_be_constant() -> None:
    for given in ([1] * ROWS, [0.0] * ROWS, ["a"] * ROWS, [True] * ROWS):
        with pytest.raises(OutcomeError, match="must vary"):
            designed(given)


def test_a_target_of_another_type_is_refused_not_converted() -> None:
    with pytest.raises(OutcomeError, match="'1' is not a number"):
        designed([0, 1] * 15, target="1")


def test_a_target_that_is_no_single_value_is_refused() -> None:
    with pytest.raises(vt.VtreatError, match="target"):
        designed(TWO, target=["yes"])


def test_an_outcome_that_varies_only_in_rows_of_weight_zero_is_refused() -> None:
    w = np.array([0.0] + [1.0] * (ROWS - 1))
    with pytest.raises(OutcomeError, match="in every row of positive weight; it must vary"):
        designed([1.5] + [2.5] * (ROWS - 1), sample_weight=w)
    with pytest.raises(OutcomeError, match=r"'b' in every row.*must vary"):
        designed(["a"] + ["b"] * (ROWS - 1), sample_weight=w, target="b")


def test_an_outcome_must_be_given_unless_unsupervised() -> None:
    with pytest.raises(OutcomeError, match=r'outcome is missing.*outcome_type="unsupervised"'):
        designed(None)
    with pytest.raises(OutcomeError, match="an unsupervised design takes no outcome"):
        designed(Z, outcome_type="unsupervised")


def test_an_outcome_must_be_a_column_or_as_long_as_the_frame() -> None:
    with pytest.raises(FrameError, match=r"outcome='q' is not a column.*its columns are 'z'"):
        designed("q")
    with pytest.raises(FrameError, match="outcome has 2 values, but the frame has 30 rows"):
        designed([1, 2])
    with pytest.raises(FrameError, match=r"outcome must be a column name or a one-dim.*\(30, 2"):
        designed(np.ones((ROWS, 2)))
    with pytest.raises(OptionTypeError, match=r"outcome must be a column name or a one-dim"):
        designed(object())


BAD_WEIGHTS: dict[str, tuple[Any, type[Exception], str]] = {
    "negative": ([-1.0] * 2 + [1.0] * 28, OutcomeError, r"2 negative.* -1 in row 0; use 0"),
    "missing": ([np.nan] + [1.0] * 29, OutcomeError, r"1 missing or infinite values.*row 0"),
    "infinite": ([1.0] * 29 + [np.inf], OutcomeError, r"1 missing or infinite values.*row 29"),
    "all zero": ([0.0] * 30, OutcomeError, r"zero in every row; some row must count"),
    "text": (["a"] * 30, OptionTypeError, r"sample_weight must hold numbers"),
    "times": (pd.date_range("2020", periods=30), OptionTypeError, r"must hold numbers"),
    "short": ([1.0], FrameError, r"sample_weight has 1 values, but the frame has 30 rows"),
    "unknown": ("w", FrameError, r"sample_weight='w' is not a column of the frame"),
    "wide": (np.ones((30, 2)), FrameError, r"sample_weight must be a column name or"),
}


@pytest.mark.parametrize(("given", "error", "message"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_weights_that_cannot_be_used_are_refused(
    given: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        designed(Z, sample_weight=given)
    assert isinstance(caught.value, vt.VtreatError)


@pytest.mark.parametrize(("on", "left"), [(True, "'no'"), (False, "'yes'")])
def test_weights_may_leave_one_class(on: bool, left: str) -> None:
    weight = np.repeat([float(on), float(not on)], 10)
    match = f"the outcome is {left} in every row of positive weight; it must vary"
    with pytest.raises(OutcomeError, match=match):
        vt.design_treatments(
            pd.DataFrame({"x": ["a", "b"] * 10}),
            outcome=["no"] * 10 + ["yes"] * 10,
            sample_weight=weight,
        )


def test_classes_of_rows_that_weigh_nothing_are_none() -> None:
    frame, outcome = pd.DataFrame({"x": ["a", "b", "b"] * 10}), ["no", "yes", "zzz"] * 10
    weight, options = np.tile([1.0, 1.0, 0.0], 10), {"outcome_type": "binomial"}
    plan = vt.design_treatments(frame, outcome=outcome, sample_weight=weight, **options)
    assert "target 'yes'" in plan.note
    with pytest.raises(OutcomeError, match=r"'zzz' does not occur in the outcome; .* 'no', 'yes'$"):
        vt.design_treatments(frame, outcome=outcome, sample_weight=weight, target="zzz")


def test_classes_that_are_mostly_numbers_are_warned_of() -> None:
    grades = [*np.arange(ROWS - 1) % 5, "n/a"]
    halves = [str(one) if isinstance(one, str) else f"{one / 2}" for one in grades]
    for outcome, how in ((grades, "are"), (halves, "read as")):
        message = rf"taken for 6 classes, but 96\.67% of its rows {how} numbers, all but 'n/a'"
        with pytest.warns(vt.VtreatWarning, match=message):
            vt.design_treatments(pd.DataFrame({"z": Z}), outcome=outcome)


@pytest.mark.parametrize("outcome", [["a", "b", "c"] * 10, ["1", "2", "3"] * 10])
def test_names_and_digits_are_classes_without_a_warning(outcome: list[str]) -> None:
    assert (
        vt.design_treatments(pd.DataFrame({"z": Z}), outcome=outcome).outcome_type == "multinomial"
    )
