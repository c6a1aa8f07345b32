"""A plan is data: it compares, prints, copies, pickles, and cannot be changed by its users."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.conftest import TREATED, assert_same_values, example_columns

SCORE_FRAME = {
    "variable": object,
    "orig_variable": object,
    "code": object,
    "level": object,
    "varies": bool,
    "rsq": float,
    "sig": float,
    "sig_fdr": float,
    "sig_fwer": float,
    "needs_split": bool,
    "extra_model_degrees": float,
    "default_threshold": float,
    "recommended": bool,
}


def test_the_score_frame_has_these_columns_and_types(design: Any) -> None:
    table = design(smoothing=0).score_frame
    assert dict(table.dtypes) == {name: np.dtype(kind) for name, kind in SCORE_FRAME.items()}
    assert table["varies"].all()
    assert table["rsq"].between(0, 1).all()
    assert table["sig"].between(0, 1).all()


def test_the_score_frame_of_an_unsupervised_plan_has_the_same_columns(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome_type="unsupervised", variables=TREATED)
    table = plan.score_frame
    assert dict(table.dtypes) == {name: np.dtype(kind) for name, kind in SCORE_FRAME.items()}
    assert (table["rsq"] == 0).all()
    assert (table["sig"] == 1).all()
    assert table["recommended"].all()


def test_the_score_frame_holds_the_level_itself(design: Any) -> None:
    table = design().score_frame.set_index("variable")
    assert table.loc["x_lev_x_a", "level"] == "a"
    assert table.loc["x_lev_NA", "level"] is None
    assert table.loc["z", "level"] is None


def test_the_score_frame_may_hold_any_level() -> None:
    levels = ["\ud800", "b", None, "c"]
    frame = pd.DataFrame({"x": pd.Series(levels * 5, dtype=object)})
    plan = vt.design_treatments(frame, outcome_type="unsupervised", coders=["lev"])
    assert set(plan.score_frame["level"]) == set(levels)
    assert "x_lev_x_b" in repr(plan)


def test_only_codes_that_saw_the_outcome_or_the_counts_need_a_split(design: Any) -> None:
    table = design(smoothing=0).score_frame
    expected = table["code"].isin(["catP", "catB", "catN", "catD"])
    pd.testing.assert_series_equal(table["needs_split"], expected, check_names=False)


def test_extra_model_degrees_are_the_levels_less_one(design: Any) -> None:
    table = design(smoothing=0).score_frame.set_index("variable")["extra_model_degrees"]
    assert table["x_catP"] == 4  # a, b, c, d and missing
    assert table["z"] == table["x_lev_x_a"] == 0


def test_changing_a_score_frame_does_not_change_the_plan(design: Any) -> None:
    plan = design()
    table = plan.score_frame
    table["sig"] = 0.5
    table.loc[0, "variable"] = "other"
    assert not (plan.score_frame["sig"] == 0.5).all()
    assert plan.score_frame["variable"].tolist() == plan.feature_names


def test_a_plan_describes_the_design(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="c", variables=TREATED, random_state=0)
    assert plan.outcome_type == "binomial"
    assert plan.outcome_name == "c"
    assert plan.target == "yes"
    assert plan.variables == tuple(TREATED)
    assert plan.unused == ()
    assert plan.n_rows == 240
    assert plan.version == vt.__version__
    assert plan.feature_names == plan.score_frame["variable"].tolist()


def test_two_designs_of_the_same_data_are_equal(design: Any) -> None:
    for options in ({}, {"smoothing": 0, "rare_count": 20, "imputation_map": {"z": 1}}):
        assert design(**options) == design(**options)


CHANGES: dict[str, dict[str, Any]] = {
    "another seed": {"random_state": 1},
    "another smoothing": {"smoothing": 3},
    "fewer columns": {"variables": ["x", "z"]},
    "another order": {"variables": TREATED[::-1]},
    "another imputation": {"imputation": 0},
    "an option that changes no number": {"min_fraction": 0.021},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_makes_a_plan_unequal(design: Any, change: dict[str, Any]) -> None:
    assert design() != design(**change)


def test_another_value_in_one_row_makes_a_plan_unequal(frame: pd.DataFrame) -> None:
    given = {"outcome": "y", "variables": TREATED, "random_state": 0}
    plan = vt.design_treatments(frame, **given)
    frame.loc[100, "x"] = "d" if frame.loc[100, "x"] == "a" else "a"
    assert plan != vt.design_treatments(frame, **given)


def test_a_plan_is_not_equal_to_other_things(design: Any) -> None:
    plan = design()
    assert plan != "plan"
    assert plan != None  # noqa: E711
    assert plan != dataclasses.replace(plan, n_rows=1)


def test_a_plan_cannot_be_a_key(design: Any) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(design())


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))],
    ids=["copy", "deepcopy", "pickle"],
)  # fmt: skip
def test_a_copied_plan_is_equal_and_treats_alike(
    design: Any, fresh: pd.DataFrame, copied: Any
) -> None:
    plan = design(smoothing=0, rare_count=3)
    vt.prepare(plan, fresh)
    other = copied(plan)
    assert other == plan
    assert_same_values(vt.prepare(other, fresh, scale=True), vt.prepare(plan, fresh, scale=True))


def test_a_pickled_plan_of_any_levels_treats_alike() -> None:
    x = pd.Series(["\ud800", 1, b"b", None, 2.5] * 8, dtype=object)
    frame = pd.DataFrame({"x": x, "k": pd.Categorical([3, 1, 2, None] * 10)})
    plan = vt.design_treatments(frame, outcome=np.arange(40) % 7, smoothing=0, random_state=0)
    other = pickle.loads(pickle.dumps(plan))
    assert other == plan
    assert_same_values(vt.prepare(other, frame.head(9)), vt.prepare(plan, frame.head(9)))


def test_a_pickled_plan_is_small(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z"])
    many = pd.concat([frame] * 50, ignore_index=True)
    bigger = vt.design_treatments(many, outcome="y", variables=["z"])
    assert len(pickle.dumps(bigger)) < len(pickle.dumps(plan)) + 100


def test_a_plan_cannot_be_changed(design: Any) -> None:
    plan = design()
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.outcome_type = "numeric"
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.derived[0].slope = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.options.smoothing = 1.0
    plan.feature_names.clear()
    assert plan.feature_names


def arrays_in(value: Any) -> list[np.ndarray]:
    """All arrays that a plan holds, at any depth."""
    if isinstance(value, np.ndarray):
        return [value]
    if dataclasses.is_dataclass(value) or isinstance(value, dict):
        value = list((value if isinstance(value, dict) else vars(value)).values())
    if isinstance(value, list | tuple):
        return [array for one in value for array in arrays_in(one)]
    return []


def test_the_arrays_of_a_plan_cannot_be_changed(design: Any) -> None:
    arrays = arrays_in(design())
    assert len(arrays) > 10
    assert not any(array.flags.writeable for array in arrays)


def test_a_plan_holds_no_reference_to_the_training_rows(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=TREATED, random_state=0)
    expected = pickle.dumps(plan)
    frame["z"] *= 0.0
    frame["x"] = "other"
    assert pickle.dumps(plan) == expected


def test_a_plan_prints_what_a_reader_wants_to_know(frame: pd.DataFrame) -> None:
    frame["constant"] = 1
    with pytest.warns(vt.VtreatWarning, match="constant"):
        plan = vt.design_treatments(
            frame, outcome="y", variables=[*TREATED, "constant"], random_state=0, smoothing=0
        )
    printed = repr(plan)
    assert "TreatmentPlan: outcome numeric, because the outcome holds numbers" in printed
    assert f"6 columns -> {len(plan.derived)} derived variables (" in printed
    assert "recommended), designed on 240 rows" in printed
    assert "not used: 'constant', it is constant" in printed
    for word in ("variable", "orig_variable", "rsq", "sig", "x_catN", "True", "False"):
        assert word in printed
    assert f"... {len(plan.derived) - 12} more in plan.score_frame" in printed
    assert max(map(len, printed.splitlines())) <= 100
    assert str(plan) == printed


@pytest.mark.parametrize("sparse_output", [False, True])
def test_an_experiment_prints_sizes_and_its_plan_not_its_rows(sparse_output: bool) -> None:
    frame = pd.DataFrame({"x": list("abc") * 10, "y": [0, 1] * 15})
    experiment = vt.cross_frame_experiment(
        frame, outcome="y", coders=["lev"], cv=3, random_state=0, sparse_output=sparse_output
    )
    assert repr(experiment) == (
        f"CrossFrameExperiment: cross_frame of 30 rows and 3 columns, 3 folds\n{experiment.plan!r}"
    )


def test_a_plan_prints_its_best_variables_first(design: Any) -> None:
    plan = design(smoothing=0)
    best = plan.score_frame.sort_values("sig")["variable"].iloc[0]
    lines = repr(plan).splitlines()
    header = next(i for i, line in enumerate(lines) if "orig_variable" in line)
    assert best in lines[header + 1]


def test_an_experiment_says_what_was_split(frame: pd.DataFrame) -> None:
    made = vt.cross_frame_experiment(frame, outcome="y", variables=TREATED, random_state=0)
    assert isinstance(made, vt.CrossFrameExperiment)
    assert made.cross_weights is None
    assert len(made.folds) == 5
    assert sorted(np.concatenate([rows for _, rows in made.folds])) == list(range(240))


def test_a_plan_of_an_experiment_is_that_of_the_design(frame: pd.DataFrame, outcome: str) -> None:
    given = {"outcome": outcome, "variables": TREATED, "random_state": 0}
    assert vt.cross_frame_experiment(frame, **given).plan == vt.design_treatments(frame, **given)


def test_a_plan_does_not_depend_on_whether_the_cross_frame_is_scaled(
    frame: pd.DataFrame, outcome: str
) -> None:
    given = {"outcome": outcome, "variables": TREATED, "random_state": 0}
    scaled = vt.cross_frame_experiment(frame, scale=True, **given).plan
    assert scaled == vt.design_treatments(frame, **given)


def test_columns_are_learned_one_by_one(frame: pd.DataFrame, outcome: str) -> None:
    given = {"outcome": outcome, "random_state": 0, "smoothing": 0}
    whole = vt.design_treatments(frame, variables=TREATED, **given)
    new = pd.DataFrame(example_columns(20, seed=3))
    treated = vt.prepare(whole, new)
    for column in TREATED:
        alone = vt.design_treatments(frame, variables=[column], **given)
        assert_same_values(vt.prepare(alone, new), treated[alone.feature_names])
