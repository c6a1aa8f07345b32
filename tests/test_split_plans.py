"""Ready-made split plans have the structure and the balance that R vtreat's have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vtreat_py as vt
from tests.oracle import pairs
from tests.statistics.r_numbers import read_units
from vtreat_py import split_plans
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, OutcomeError

Pairs = list[tuple[Any, Any]]
R = read_units("split_plans")


def fold_of_rows(plan: Pairs, n_rows: int) -> np.ndarray:
    """Fold of each row; each is applied once."""
    applied = np.concatenate([application for _, application in plan])
    np.testing.assert_array_equal(np.sort(applied), np.arange(n_rows))
    fold = np.empty(n_rows, dtype=int)
    for k, (_, application) in enumerate(plan):
        fold[application] = k
    return fold


def assert_trained_on_all_others(plan: Pairs, n_rows: int) -> None:
    for train, application in plan:
        np.testing.assert_array_equal(np.sort(train), np.setdiff1d(np.arange(n_rows), application))


def assert_balanced(fold: np.ndarray, n_splits: int) -> None:
    sizes = np.bincount(fold, minlength=n_splits)
    assert len(sizes) == n_splits
    assert np.ptp(sizes) <= 1


def assert_stratified(fold: np.ndarray, values: np.ndarray, n_splits: int) -> None:
    """Every run of ``n_splits`` rows in the order of distinct values meets all folds."""
    ordered = fold[np.argsort(values)]
    whole = ordered[: len(ordered) // n_splits * n_splits].reshape(-1, n_splits)
    np.testing.assert_array_equal(np.sort(whole), np.broadcast_to(np.arange(n_splits), whole.shape))


def listed(plan: Pairs) -> list[tuple[list[int], list[int]]]:
    return [(train.tolist(), application.tolist()) for train, application in plan]


def both(ours: Pairs, name: str) -> list[Pairs]:
    return [ours, pairs(R[name])]


def test_k_way_has_the_structure_of_r() -> None:
    ours = split_plans.k_way(n_rows=7, n_splits=2, random_state=0)
    for plan in both(ours, "kWayCrossValidation_7_2"):
        assert_trained_on_all_others(plan, 7)
        assert_balanced(fold_of_rows(plan, 7), 2)


def test_stratified_folds_have_the_structure_of_r() -> None:
    y = np.array(R["y"])
    ours = split_plans.k_way_stratified_y(y=y, n_splits=5, random_state=0)
    for plan in both(ours, "kWayStratifiedY_100_5"):
        assert_trained_on_all_others(plan, 100)
        fold = fold_of_rows(plan, 100)
        assert_balanced(fold, 5)
        assert_stratified(fold, y, 5)


def test_training_rows_drawn_with_replacement_have_the_structure_of_r() -> None:
    y = np.array(R["y"])[:20]
    ours = split_plans.k_way_stratified_y_replace(y=y, n_splits=4, random_state=0)
    for plan in both(ours, "kWayStratifiedYReplace_20_4"):
        assert_stratified(fold_of_rows(plan, 20), y, 4)
        for train, application in plan:
            assert len(train) == 20
            assert not set(train) & set(application)
            assert len(set(train)) < 15


def test_grouped_folds_have_the_structure_of_r() -> None:
    y, groups = np.array(R["y"]), np.arange(100) // 5
    ours = split_plans.k_way_grouped(groups=groups, y=y, n_splits=5, random_state=0)
    for plan in both(ours, "grouped"):
        assert_trained_on_all_others(plan, 100)
        fold = fold_of_rows(plan, 100).reshape(-1, 5)
        assert (fold == fold[:, :1]).all()
        assert_stratified(fold[:, 0], y.reshape(-1, 5).mean(axis=1), 5)


def test_one_way_holdout_is_that_of_r() -> None:
    assert listed(split_plans.one_way_holdout(n_rows=3)) == listed(pairs(R["oneWay_3"]))


@given(st.data(), st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_rows_are_dealt_evenly(data: st.DataObject, n_rows: int, seed: int) -> None:
    n_splits = data.draw(st.integers(2, n_rows))
    y = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
    for plan in (
        split_plans.k_way(n_rows=n_rows, n_splits=n_splits, random_state=seed),
        split_plans.k_way_stratified_y(y=y, n_splits=n_splits, random_state=seed),
    ):
        assert_trained_on_all_others(plan, n_rows)
        fold = fold_of_rows(plan, n_rows)
        assert_balanced(fold, n_splits)
    for value in set(y.tolist()):  # a run of equal values has at most two blocks in part
        assert np.ptp(np.bincount(fold[y == value], minlength=n_splits)) <= 2


@given(st.lists(st.integers(0, 9), min_size=2, max_size=50), st.data())
def test_groups_are_dealt_whole_and_evenly(groups: list[int], data: st.DataObject) -> None:
    distinct = sorted(set(groups))
    n_splits = data.draw(st.integers(2, max(2, len(distinct))))
    if len(distinct) < 2:
        with pytest.raises(InvalidOptionError, match="at least 2 groups; found 1"):
            split_plans.k_way_grouped(groups=groups)
        return
    plan = split_plans.k_way_grouped(groups=groups, n_splits=n_splits, random_state=1)
    fold = fold_of_rows(plan, len(groups))
    owners = [set(fold[np.array(groups) == group]) for group in distinct]
    assert all(len(owner) == 1 for owner in owners)
    assert_balanced(np.array([owner.pop() for owner in owners]), n_splits)


@pytest.mark.parametrize(
    "make", [np.asarray, list, pd.Series, pl.Series, pd.Categorical], ids=lambda m: m.__name__
)
def test_classes_are_stratified_in_any_kind_of_array(make: Callable[[Any], Any]) -> None:
    y = np.array(["p", "q", "q", "q", "r"] * 12)
    plan = split_plans.k_way_stratified_y(y=make(y), n_splits=3, random_state=0)
    fold = fold_of_rows(plan, 60)
    assert [np.bincount(fold, y == v).tolist() for v in "pqr"] == [[4] * 3, [12] * 3, [4] * 3]


def test_group_means_of_a_class_are_stratified() -> None:
    groups = np.repeat(np.arange(12), 3)
    y = np.where(groups % 3 == 0, "yes", "no")
    fold = fold_of_rows(split_plans.k_way_grouped(groups=groups, y=y, n_splits=2), 36)
    assert np.bincount(fold, y == "yes").tolist() == [6, 6]


def test_text_groups_are_groups() -> None:
    groups = np.array(["ann", "bob", "cid", "ann", "bob", "cid"])
    fold = fold_of_rows(split_plans.k_way_grouped(groups=groups, n_splits=3), 6)
    assert (fold[:3] == fold[3:]).all()


SEEDED: dict[str, Callable[[Any], Pairs]] = {
    "k_way": lambda seed: split_plans.k_way(n_rows=50, random_state=seed),
    "k_way_stratified_y": lambda seed: split_plans.k_way_stratified_y(
        y=np.arange(50) % 7, random_state=seed
    ),
    "k_way_stratified_y_replace": lambda seed: split_plans.k_way_stratified_y_replace(
        y=np.arange(50) % 7, random_state=seed
    ),
    "k_way_grouped": lambda seed: split_plans.k_way_grouped(
        groups=np.arange(50) // 2, random_state=seed
    ),
}


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_a_seed_makes_a_plan_reproducible(make: Callable[[Any], Pairs]) -> None:
    first = listed(make(3))
    assert len(first) == 5
    assert first == listed(make(3)) == listed(make(np.random.RandomState(3)))
    assert first != listed(make(4))
    assert listed(make(None)) != listed(make(None))
    with pytest.raises(InvalidOptionError, match="random_state='three' cannot be used"):
        make("three")


@pytest.mark.parametrize("make", SEEDED.values(), ids=SEEDED)
def test_a_plan_is_used_as_cv_as_it_is(make: Callable[[Any], Pairs]) -> None:
    plan = make(0)
    frame = pd.DataFrame({"x": list("abcde") * 10, "y": np.arange(50) % 7})
    made = vt.cross_frame_experiment(frame, outcome="y", cv=plan)
    assert len(made.cross_frame) == 50
    for (train, application), (ours, app) in zip(plan, made.folds, strict=True):
        np.testing.assert_array_equal(train, ours)
        np.testing.assert_array_equal(application, app)


def test_plans_are_found_in_the_package() -> None:
    assert vt.split_plans is split_plans
    assert all(callable(getattr(split_plans, name)) for name in split_plans.__all__)


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "one split": (
        lambda: split_plans.k_way(n_rows=9, n_splits=1),
        InvalidOptionError,
        r"n_splits=1; with 9 rows it must be from 2 to 9",
    ),
    "more splits than rows": (
        lambda: split_plans.k_way_stratified_y(y=[1, 2, 3]),
        InvalidOptionError,
        r"n_splits=5; with 3 rows it must be from 2 to 3",
    ),
    "more splits than groups": (
        lambda: split_plans.k_way_grouped(groups=[1, 1, 2, 2], n_splits=4),
        InvalidOptionError,
        r"n_splits=4; with 2 groups it must be from 2 to 2",
    ),
    "one row": (
        lambda: split_plans.one_way_holdout(n_rows=1),
        InvalidOptionError,
        r"at least 2 rows; found 1",
    ),
    "no rows": (
        lambda: split_plans.k_way_stratified_y(y=np.array([])),
        InvalidOptionError,
        r"at least 2 rows; found 0",
    ),
    "a fraction of splits": (
        lambda: split_plans.k_way(n_rows=9, n_splits=2.0),
        OptionTypeError,
        r"n_splits=2.0 must be a whole number",
    ),
    "a flag for rows": (
        lambda: split_plans.one_way_holdout(n_rows=True),
        OptionTypeError,
        r"n_rows=True must be a whole number",
    ),
    "a missing outcome": (
        lambda: split_plans.k_way_stratified_y(y=[1.0, np.nan] * 9),
        OutcomeError,
        r"y has missing or infinite values",
    ),
    "a missing class": (
        lambda: split_plans.k_way_stratified_y_replace(y=["a", None] * 9),
        OutcomeError,
        r"y has missing or infinite values",
    ),
    "only missing": (
        lambda: split_plans.k_way_stratified_y(y=[None] * 9),
        OutcomeError,
        r"y has missing or infinite values",
    ),
    "a missing group": (
        lambda: split_plans.k_way_grouped(groups=["a", None] * 9),
        OutcomeError,
        r"groups has missing values",
    ),
    "another length": (
        lambda: split_plans.k_way_grouped(groups=[1, 2, 3], y=[1, 2], n_splits=2),
        InvalidOptionError,
        r"y has 2 values, but groups has 3",
    ),
    "a column name": (
        lambda: split_plans.k_way_grouped(groups="patient"),
        OptionTypeError,
        r"groups='patient' must be an array",
    ),
    "a number": (
        lambda: split_plans.k_way_stratified_y(y=7),
        OptionTypeError,
        r"y=7 must be an array",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_split_is_refused(
    call: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, vt.VtreatError)


def within_levels(cv: Any) -> np.ndarray:
    """Correlation of the codes with the outcome inside each level of a column of noise."""
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"x": np.repeat(list("abc"), 20), "y": random.normal(size=60)})
    made = vt.cross_frame_experiment(
        frame, outcome="y", cv=cv, random_state=0, coders=["catN"], smoothing=0
    )
    both = frame.assign(code=made.cross_frame["x_catN"])
    return np.array([rows["y"].corr(rows["code"]) for _, rows in both.groupby("x")])


def test_one_way_holdout_leaks_as_its_docs_say() -> None:
    np.testing.assert_allclose(within_levels(split_plans.one_way_holdout(n_rows=60)), -1)
    assert (within_levels(5) > -0.6).all()
