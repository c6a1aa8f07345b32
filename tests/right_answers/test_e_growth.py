"""E. Growth that bends: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import dataclasses
import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import PlanFormatError
from vtreat_py.plan import json_arrays


def of_many_levels(n_levels: int, seed: int = 0) -> vt.TreatmentPlan:
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n_levels), rng.integers(0, n_levels, n_levels))
    frame = pd.DataFrame({"id": np.char.add("u", codes.astype(str))})
    outcome = rng.normal(size=n_levels)[codes] + rng.normal(size=len(codes))
    return vt.design_treatments(frame, outcome=outcome, cv=2, random_state=0)


@pytest.fixture(scope="module")
def large() -> vt.TreatmentPlan:
    return of_many_levels(12_000)


def listed(tree: Any) -> Any:
    """The same text with all arrays as lists, as version 1 of the format has them."""
    if isinstance(tree, dict) and set(tree) == {"type", "base64"}:
        dtype = {"float64": "<f8", "int32": "<i4"}[tree["type"]]
        return np.frombuffer(b64decode(tree["base64"]), dtype).tolist()
    if isinstance(tree, dict):
        return {key: listed(value) for key, value in tree.items()}
    return [listed(value) for value in tree] if isinstance(tree, list) else tree


def test_e_long_tables_are_written_as_bytes_and_come_back(large: vt.TreatmentPlan) -> None:
    text = large.to_json()
    tree = json.loads(text)
    assert tree["format_version"] == 2
    assert vt.TreatmentPlan.from_json(text) == large
    assert vt.TreatmentPlan.from_json(text).to_json() == text
    before = json.dumps(listed(tree) | {"format_version": 1})
    assert vt.TreatmentPlan.from_json(before) == large
    assert len(text) < 0.7 * len(before)


def test_e_other_plans_are_written_as_before(plan: vt.TreatmentPlan) -> None:
    assert json.loads(plan.to_json())["format_version"] == 1
    assert "base64" not in plan.to_json()


def packed(values: Any, dtype: str = "<f8") -> dict[str, Any]:
    kind = {"<f8": "float64", "<i4": "int32"}[dtype]
    return {"type": kind, "base64": b64encode(np.array(values, dtype).tobytes()).decode()}


COUNT = [0.0, 9.0, 1.0, 1.0, 1.0, 1.0, 0.0]
PACKED: list[tuple[str, Any, str]] = [
    ("count", packed(COUNT[1:]), "count: expected 7 entries, for 5 levels, missing values and the"),
    ("count", packed([np.nan, *COUNT[1:]]), r"count\[0\]: expected a finite number, found nan"),
    ("count", packed([*COUNT[:6], np.inf]), r"count\[6\]: expected a finite number, found inf"),
    ("count", packed([-1.0, *COUNT[1:]]), "count: expected weights, 0 or more"),
    ("count", packed([1e300, *COUNT[1:]]), "count: expected weights from"),
    ("count", packed([1] * 7, "<i4"), 'count: expected a list, or an object of "type", "float64"'),
    ("count", packed(COUNT) | {"more": 1}, "count: expected a list, or an object"),
    ("count", {"type": "float64"}, "count: expected a list, or an object"),
    ("count", {"type": ["float64"], "base64": ""}, "count: expected a list, or an object"),
    ("count", {"type": "float64", "base64": 7}, "count.base64: expected a string, found a number"),
    ("count", {"type": "float64", "base64": "AAAA"}, "count.base64: 3 bytes are no whole number"),
    ("count", {"type": "float64", "base64": "A"}, "count.base64: the text is not base64"),
    ("count", {"type": "float64", "base64": "\u00e4"}, "count.base64: the text is not base64"),
    ("count", {"type": "float64", "base64": ""}, "count: expected 7 entries"),
    ("slots", packed([0, 1, 2, 3, 4, 5, 7], "<i4"), r"slots\[6\]: expected a code below 7, or -1"),
    ("slots", packed([-2, 1, 2, 3, 4, 5, 6], "<i4"), r"slots\[0\]: expected a code below 7, or -1"),
    ("slots", packed(COUNT), 'slots: expected a list, or an object of "type", "int32"'),
]


@pytest.mark.parametrize(("field", "value", "message"), PACKED)
def test_e_bytes_that_were_tampered_with_are_refused_by_their_path(
    plan: vt.TreatmentPlan, field: str, value: Any, message: str
) -> None:
    tree = json.loads(plan.to_json())
    statistics = tree["level_statistics"][0]
    host = statistics if field == "count" else statistics["outcomes"][0]
    assert len(host[field]) == len(COUNT)
    host[field] = value
    with pytest.raises(PlanFormatError, match=message):
        vt.TreatmentPlan.from_json(json.dumps(tree))


def test_e_all_arrays_may_be_bytes(plan: vt.TreatmentPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = plan.to_json()
    monkeypatch.setattr(json_arrays, "_MOST_LISTED", 0)
    assert listed(json.loads(plan.to_json())) == json.loads(lists) | {"format_version": 2}
    assert vt.TreatmentPlan.from_json(plan.to_json()) == plan


def test_e_levels_at_odds_with_the_treatment_are_refused(plan: vt.TreatmentPlan) -> None:
    tree = json.loads(plan.to_json())
    tree["level_statistics"][0]["levels"] = tree["treatments"][0]["levels"]
    assert vt.TreatmentPlan.from_json(json.dumps(tree)) == plan
    tree["level_statistics"][0]["levels"] = list("abcdx")
    with pytest.raises(PlanFormatError, match="levels: they are not those of the column's treat"):
        vt.TreatmentPlan.from_json(json.dumps(tree))


def seconds(do: Callable[[], Any]) -> float:
    """Time on this processor, the better of two."""
    spent = []
    for _ in range(2):
        start = time.process_time()
        do()
        spent.append(time.process_time() - start)
    return min(spent)


def test_e_plans_of_many_levels_are_written_and_compared_fast() -> None:
    one, other = of_many_levels(150_000), of_many_levels(150_000, seed=1)
    text = one.to_json()
    lists = listed(json.loads(text))
    unit = seconds(lambda: json.dumps(lists))  # what json itself needs for the same numbers
    assert seconds(one.to_json) < 1.1 * unit  # it was 1.3
    assert seconds(lambda: vt.TreatmentPlan.from_json(text)) < 1.6 * unit
    found = one.diff(other)
    assert found["where"].str.endswith(".catN").sum() == 150_002  # and of missing and novel ones
    assert seconds(lambda: one.diff(other)) < 3.0 * unit  # it was 8


def test_e_queries_of_many_columns_are_linear(plan: vt.TreatmentPlan) -> None:
    (treatment,) = (t for t in plan.treatments if t.column == "z")
    names = [f"z{i}" for i in range(8000)]
    one = treatment.variables[0]
    variables = [dataclasses.replace(one, name=name, orig_variable=name) for name in names]
    treatments = [
        dataclasses.replace(treatment, column=v.orig_variable, variables=(v,)) for v in variables
    ]
    wide = dataclasses.replace(
        plan, variables=tuple(names), treatments=tuple(treatments), derived=tuple(variables),
        level_statistics=(),
    )  # fmt: skip
    extra = [f"e{i}" for i in range(8000)]
    assert seconds(lambda: wide.to_sql("t", row_id="id", extra_columns=extra)) < 2  # it was 9


class Counted(str):
    """A name that counts how often it is looked up."""

    looks = 0

    def __hash__(self) -> int:
        Counted.looks += 1
        return super().__hash__()


def test_e_each_name_of_a_choice_of_all_columns_is_looked_up_a_few_times() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 400))).add_prefix("x")
    plan = vt.design_treatments(frame, outcome=rng.normal(size=30), cv=2, random_state=0)
    names = [Counted(name) for name in plan.feature_names]
    Counted.looks = 0
    assert vt.prepare(plan, frame.head(3), variables=names).shape[1] == len(names)
    assert len(names) <= Counted.looks < 20 * len(names)
