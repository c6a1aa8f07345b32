"""What differs between two plans, in rows that a reader understands."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.conftest import TREATED
from vtreat_py.base.errors import OptionTypeError


def month(seed: int, towns: list[Any], n_rows: int = 400) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    town = random.choice(np.array(towns, dtype=object), n_rows)
    effect = np.array([{"Ayr": 2.0, "Bath": 0.0, "Cork": -2.0}.get(t, 1.0) for t in town])
    return pd.DataFrame({"town": town, "income": random.normal(size=n_rows), "y": effect
                         + random.normal(size=n_rows)})  # fmt: skip


@pytest.fixture(scope="module")
def months() -> list[vt.TreatmentPlan]:
    frames = [month(0, ["Ayr", "Bath", "Cork", None]), month(1, ["Ayr", "Bath", "Deal", None])]
    return [vt.design_treatments(f, outcome="y", random_state=0) for f in frames]


def rows_of(plan: vt.TreatmentPlan, other: vt.TreatmentPlan) -> dict[str, tuple[Any, Any]]:
    table = plan.diff(other)
    assert list(table) == ["where", "self", "other"]
    assert table["where"].is_unique
    return {where: (ours, theirs) for where, ours, theirs in table.itertuples(index=False)}


def test_equal_plans_do_not_differ(design: Any) -> None:
    for options in ({}, {"smoothing": 0, "imputation_map": {"z": 1}}):
        table = design(**options).diff(design(**options))
        assert list(table) == ["where", "self", "other"]
        assert len(table) == 0


def test_names_are_alike_whether_numpy_or_python_holds_them() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"of": random.choice(list("ab"), 60), "x": random.choice(list("cdef"), 60)}
    )
    plan = vt.design_treatments(
        frame,
        outcome=np.arange(60.0) % 2,
        outcome_type="numeric",
        variables=["of", "x"],
        hierarchies={np.str_("x"): "of"},
        random_state=0,
        cv=2,
    )
    assert np.str_ in {type(one.column) for one in plan.dropped}
    assert not len(plan.diff(vt.TreatmentPlan.from_json(plan.to_json())))


def test_an_option_is_one_row(design: Any) -> None:
    assert rows_of(design(min_fraction=0.02), design(min_fraction=0.021)) == {
        "options.min_fraction": (0.02, 0.021)
    }


def test_levels_that_came_and_went_are_one_row_each(months: list[vt.TreatmentPlan]) -> None:
    rows = rows_of(*months)
    assert rows["columns['town'].levels['Cork']"] == ("present", "absent")
    assert rows["columns['town'].levels['Deal']"] == ("absent", "present")
    assert not any("['Cork']." in where or "['Deal']." in where for where in rows)
    assert rows["columns['town'].variables['town_lev_x_Cork']"] == ("present", "absent")


def test_codes_have_their_numbers_and_those_that_moved_most_come_first(
    months: list[vt.TreatmentPlan],
) -> None:
    rows = rows_of(*months)
    moved = {w: abs(a - b) for w, (a, b) in rows.items() if w.endswith(".catN")}
    assert list(moved.values()) == sorted(moved.values(), reverse=True)
    assert len(moved) > 2
    for plan, place in zip(months, (0, 1), strict=True):
        effects = plan.level_effects("town").set_index("level")["effect"]
        assert rows["columns['town'].levels['Ayr'].catN"][place] == effects["Ayr"]


def test_the_order_is_outcome_options_columns(months: list[vt.TreatmentPlan], design: Any) -> None:
    changed = dataclasses.replace(months[1], n_rows=1)
    parts = [where.partition("[")[0] for where in rows_of(months[0], changed)]
    assert parts == sorted(parts, key=["n_rows", "columns"].index)


def test_the_other_way_round_swaps_the_columns(months: list[vt.TreatmentPlan]) -> None:
    there, back = rows_of(*months), rows_of(*months[::-1])
    assert {where: pair[::-1] for where, pair in back.items()} == there


def test_columns_that_are_there_once_are_one_row(design: Any) -> None:
    rows = rows_of(design(), design(variables=["x", "z"]))
    assert rows["columns['g']"] == ("present", "absent")
    assert not any(where.startswith("columns['g'].") for where in rows)


def test_a_column_that_fell_out_of_use_says_why(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="y", variables=["z", "x"], random_state=0)
    frame["z"] = 1
    with pytest.warns(vt.VtreatWarning, match="nothing is derived"):
        other = vt.design_treatments(frame, outcome="y", variables=["z", "x"], random_state=0)
    rows = rows_of(plan, other)
    assert rows["columns['z'].unused"] == ("absent", "it is constant")
    assert rows["columns['z'].variables['z']"] == ("present", "absent")


def test_pooled_levels_are_told(design: Any) -> None:
    rows = rows_of(design(), design(rare_count=40))
    assert ("itself", "the pool") in rows.values()


def test_plans_of_several_classes_differ_class_by_class(frame: pd.DataFrame) -> None:
    outcome = np.where(frame["y"] > 1, "r", np.where(frame["y"] > -1, "s", "t"))
    plans = [
        vt.design_treatments(frame, outcome=outcome, variables=TREATED, random_state=0, smoothing=k)
        for k in (0, 1)
    ]
    rows = rows_of(*plans)
    assert "columns['x'].levels['a'].catB['r']" in rows
    assert "columns['x'].prior_weight['t']" in rows


def test_functions_differ_by_name(design: Any) -> None:
    def mean(values: Any, weights: Any) -> float:
        return float(np.mean(values))

    plan = design(imputation=mean)
    assert len(plan.diff(vt.TreatmentPlan.from_json(plan.to_json()))) == 0
    rows = rows_of(plan, design(imputation="median"))
    assert rows["options.imputation"][0].endswith(".mean")


def test_plans_that_differ_in_order_alone_are_said_to(frame: pd.DataFrame) -> None:
    given = {"outcome": "y", "random_state": 0}
    plan = vt.design_treatments(frame, variables=["x", "z"], **given)
    other = vt.design_treatments(frame, variables=["z", "x"], **given)
    assert plan != other
    (where,) = rows_of(plan, other)
    assert where.startswith("order of columns")


def test_numbers_that_are_spread_otherwise_are_told(frame: pd.DataFrame) -> None:
    given = {"outcome": "y", "variables": ["z"], "random_state": 0}
    plan = vt.design_treatments(frame, **given)
    frame.loc[frame["z"].idxmax(), "z"] = 99.0
    rows = rows_of(plan, vt.design_treatments(frame, **given))
    assert rows["columns['z'].high"][1] == 99.0
    assert not any(f"columns['z'].{name}" in rows for name in ("low", "bad_share", "counts"))


def test_any_change_makes_a_row(design: Any) -> None:
    plan = design()
    for change in ({"random_state": 1}, {"smoothing": 3}, {"variables": TREATED[::-1]}):
        assert len(plan.diff(design(**change))) > 0


def test_other_things_cannot_be_compared(design: Any) -> None:
    with pytest.raises(OptionTypeError, match="other is of type str; give a TreatmentPlan"):
        design().diff("plan")
