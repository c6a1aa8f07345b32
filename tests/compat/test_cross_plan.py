"""Cross plans: ours is stratified and seeded, others are taken as they are or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vtreat_py as vt
import vtreat_py.compat as vtreat
from tests.compat.data import all_variables, example
from vtreat_py.compat.cross_plan import CrossValidationPlan, KWayCrossPlanYStratified


class Fixed(CrossValidationPlan):
    """Folds that are given; keeps what it was asked."""

    def __init__(self, folds: Any) -> None:
        self.folds = folds

    def split_plan(self, **asked: Any) -> list[dict[str, Any]]:
        self.asked = asked
        return self.folds


def halves(n_rows: int) -> list[dict[str, list[int]]]:
    odd, even = list(range(1, n_rows, 2)), list(range(0, n_rows, 2))
    return [{"train": odd, "app": even}, {"train": even, "app": odd}]


@given(
    n_rows=st.integers(2, 60),
    k_folds=st.integers(2, 8),
    seed=st.integers(0, 99),
    classes=st.sampled_from([None, 2, 3]),
)
def test_folds_are_disjoint_equal_and_spread_the_outcome(
    n_rows: int, k_folds: int, seed: int, classes: int | None
) -> None:
    """Each row is applied to once; fold sizes, and those in each class, differ by little."""
    k_folds = min(k_folds, n_rows)
    random = np.random.default_rng(seed)
    y = None if classes is None else random.choice(list("abc")[:classes], n_rows)
    plan = KWayCrossPlanYStratified(seed).split_plan(n_rows=n_rows, k_folds=k_folds, y=y)
    assert len(plan) == k_folds
    applied = np.concatenate([part["app"] for part in plan])
    assert sorted(applied) == list(range(n_rows))
    for part in plan:
        assert sorted([*part["train"], *part["app"]]) == list(range(n_rows))
    sizes = [len(part["app"]) for part in plan]
    assert max(sizes) - min(sizes) <= 1
    for level in set() if y is None else set(y):
        hits = [int((y[part["app"]] == level).sum()) for part in plan]
        assert max(hits) - min(hits) <= 2


def test_numeric_outcomes_are_spread_too() -> None:
    """Fold means of a skewed outcome are close to each other."""
    y = np.exp(np.random.default_rng(0).normal(size=1000))
    plan = KWayCrossPlanYStratified().split_plan(n_rows=1000, k_folds=5, y=y)
    assert np.std([y[part["app"]].mean() for part in plan]) < 0.05 < y.std() / np.sqrt(200)


def test_missing_arguments_are_errors() -> None:
    plan = KWayCrossPlanYStratified()
    for asked in ({}, {"n_rows": 10}, {"k_folds": 10}):
        with pytest.raises(ValueError, match="needs n_rows= and k_folds="):
            plan.split_plan(**asked)
    with pytest.raises(ValueError, match="k_folds=5 cannot split 3 rows"):
        plan.split_plan(n_rows=3, k_folds=5)


def test_a_plan_of_ones_own_is_asked_and_kept() -> None:
    frame = example()
    plan = Fixed(halves(len(frame)))
    params = {"cross_validation_plan": plan, "cross_validation_k": 2}
    treatment = all_variables("y", params=params).fit(frame)
    assert treatment.cross_plan_ == halves(len(frame))
    assert (plan.asked["n_rows"], plan.asked["k_folds"]) == (len(frame), 2)
    assert plan.asked["data"] is frame
    np.testing.assert_array_equal(plan.asked["y"], frame["y"])
    forgetful = all_variables("y", params={**params, "retain_cross_plan": False}).fit(frame)
    assert forgetful.cross_plan_ is None


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([{"train": [0], "app": [1]}, {"train": [1]}], 'fold 1 .* "train" and "app"'),
        ([{"train": [0], "app": [1]}, {"train": [1], "app": [240]}], "rows beyond 0 to 239"),
        ([{"train": [0, 1], "app": [1]}, {"train": [1], "app": [0]}], "training and application"),
        (None, "the cross_validation_plan gives None; split_plan must return a list"),
        ([{"train": [0], "app": [1]}] * 2, 'row 1 in "app" of 2 folds'),
    ],
)
def test_plans_that_cannot_be_used_are_refused(folds: Any, message: str) -> None:
    treatment = all_variables("y", params={"cross_validation_plan": Fixed(folds)})
    with pytest.raises(vt.VtreatError, match=message):
        treatment.fit(example())


def test_a_plan_may_leave_rows_out_of_fit_but_not_of_fit_transform() -> None:
    """Rows that are never applied to have no out-of-fold codes."""
    frame = example()
    rows = np.arange(len(frame))
    folds = [{"train": rows[: 60 * k], "app": rows[60 * k : 60 * (k + 1)]} for k in range(1, 4)]
    treatment = all_variables("y", params={"cross_validation_plan": Fixed(folds)})
    with pytest.warns(vt.VtreatWarning, match="60 of 240 rows"):
        treatment.fit(frame)
    later = frame.iloc[60:]
    code = treatment.score_frame_.set_index("variable").loc["xc_lev_a", "PearsonR"]
    assert code == pytest.approx(np.corrcoef(frame["xc"] == "a", frame["y"])[0, 1], abs=0.1)
    assert len(treatment.transform(later)) == 180
    with (
        pytest.warns(vt.VtreatWarning),
        pytest.raises(vt.VtreatError, match="must return every row"),
    ):
        treatment.fit_transform(frame)


def test_folds_repeat_with_the_seed_and_change_with_it() -> None:
    """The default seed is fixed; numpy's global state is neither read nor changed."""
    frame = example()
    np.random.seed(1)  # noqa: NPY002 (the global seed is what this test is about)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = all_variables("yc").fit_transform(frame)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    pd.testing.assert_frame_equal(all_variables("yc").fit_transform(frame), first)
    other = {"cross_validation_plan": vtreat.cross_plan.KWayCrossPlanYStratified(random_state=1)}
    assert not all_variables("yc", params=other).fit_transform(frame).equals(first)
