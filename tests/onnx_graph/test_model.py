"""What a model says of itself, what is refused, and what a runtime is handed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.onnx_graph.runtime import onnx, outputs, treated
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, SchemaError

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


def frame(**columns: Any) -> pd.DataFrame:
    plain = {"town": ["Ayr", "Bath", None, "Cork"] * 10, "kg": [1.5, 2.5, None, 4.0, 5.0] * 8}
    return pd.DataFrame(plain | columns)


def plan_of(data: pd.DataFrame, **options: Any) -> vt.TreatmentPlan:
    outcome = np.arange(len(data)) % 7 * 1.0
    options = {"min_fraction": 0.0, "significance": "classic"} | options
    return vt.design_treatments(data, outcome=outcome, random_state=0, **options)


def test_a_model_says_what_it_is() -> None:
    data = frame(day=pd.Series(pd.date_range("2020-01-01", periods=40)).dt.date)
    plan = plan_of(data, calendar=None)
    model = plan.to_onnx(missing_text="?")
    assert {one.domain: one.version for one in model.opset_import} == {"": 17, "ai.onnx.ml": 3}
    assert (model.ir_version, model.producer_name) == (8, "vtreat_py")
    told = {one.key: json.loads(one.value) for one in model.metadata_props}
    assert told == {
        "variables": plan.feature_names,
        "inputs": {"town": "text", "kg": "number", "day": "date"},
        "missing_text": "?",
    }
    types = {one.name: (one.type.tensor_type, one.doc_string) for one in model.graph.input}
    assert [kind.elem_type for kind, _ in types.values()] == [8, 11, 11]
    assert types["day"][1] == "days since 1970; NaN is a missing value"
    assert types["town"][1] == "text; '?' is a missing value"
    for kind, _ in types.values():
        rows, width = kind.shape.dim
        assert (rows.dim_param, width.dim_value) == ("rows", 1)
    (output,) = model.graph.output
    assert output.name == "treated"
    assert output.type.tensor_type.shape.dim[1].dim_value == len(plan.feature_names)


def test_a_model_is_written_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.onnx"
    model = plan_of(frame()).to_onnx(path)
    assert onnx.load(path) == model


def test_the_same_plan_gives_the_same_model() -> None:
    plan = plan_of(frame())
    again = vt.TreatmentPlan.from_json(plan.to_json()).to_onnx()
    assert again.SerializeToString() == plan.to_onnx().SerializeToString()


def test_only_what_is_needed_is_asked_for() -> None:
    model = plan_of(frame()).to_onnx(coders=["clean", "isBAD"])
    assert [one.name for one in model.graph.input] == ["kg"]
    assert not [node for node in model.graph.node if node.op_type == "LabelEncoder"]


def test_names_that_a_model_gives_itself_are_not_in_the_way() -> None:
    data = frame().rename(columns={"town": "treated", "kg": "vtreat_concat"})
    plan = plan_of(data)
    model = plan.to_onnx()
    assert [one.name for one in model.graph.output] == ["treated_2"]
    np.testing.assert_array_equal(treated(model, data[:9]), vt.prepare(plan, data[:9]))


def test_missing_text_has_a_mark() -> None:
    plan = plan_of(frame(), missing_values=["gone"])
    rows = frame()[:4].assign(town=[None, "gone", "-", "Bath"])
    expected = vt.prepare(plan, rows.assign(town=[None, "gone", None, "Bath"]))
    np.testing.assert_array_equal(treated(plan.to_onnx(missing_text="-"), rows), expected)


@pytest.mark.parametrize(
    ("mark", "options", "column"),
    [
        ("Bath", {}, "town"),
        ("", {"composites": [("kg", "other")], "variables": ["kg", "other"]}, "other"),
    ],
)
def test_a_mark_that_is_a_level_is_refused(mark: str, options: Any, column: str) -> None:
    plan = plan_of(frame(other=["", "a", "b", "c"] * 10), **options)
    variables = [v.name for v in plan.derived if v.orig_variable in ("town", "kg_colon_other")]
    variables = variables or [v.name for v in plan.derived if "kg" in v.name and "other" in v.name]
    with pytest.raises(InvalidOptionError, match=f"column '{column}' has the level '{mark}'"):
        plan.to_onnx(missing_text=mark, variables=variables)


REFUSED = [
    (frame(x=[b"a", b"b"] * 20), {}, {}, "column 'x' holds bytes"),
    (frame(x=pd.Series(["a", 1] * 20, dtype=object)), {}, {}, "column 'x' has levels of type"),
    (frame(x=[2**60, 2**60 + 1] * 20), {"categorical": ["x"]}, {}, "'x' has the level 115292"),
    (
        frame(x=[2**60, 2**60 + 1] * 20),
        {"categorical": ["x"], "composites": [("x", "town")], "variables": ["x", "town"]},
        {"variables": "joint"},
        "column 'x' has the level 115292",
    ),
    (frame(), {"coders": ["text", "lev"]}, {}, "'town_text' rest on the texts of levels"),
    (frame(), {}, {"variables": []}, "a model needs a variable"),
    (frame(**{"": 1.0 * np.arange(40)}), {}, {}, "has a name that an input of ONNX cannot"),
    (frame().assign(**{"1": range(40)}).rename(columns={"kg": 1}), {}, {}, "have one name in ONNX"),
    (frame(), {}, {"dtype": "double"}, "dtype='double'; it must be one of"),
    (frame(), {}, {"missing_text": "\ud800"}, "is no text that UTF-8 can write"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "options", "given", "message"), REFUSED)
def test_what_onnx_cannot_say_is_refused(data: Any, options: Any, given: Any, message: str) -> None:
    plan = plan_of(data, **options)
    if given.get("variables") == "joint":
        names = [one.name for one in plan.made]
        given = {"variables": [v.name for v in plan.derived if v.orig_variable in names]}
    with pytest.raises(InvalidOptionError, match=message):
        plan.to_onnx(**given)


def test_a_column_is_read_in_one_way() -> None:
    plan = plan_of(frame(), composites=[("town", "kg")])
    (joint,) = plan.made
    parts = tuple(replace(part, kind="number") for part in joint.parts)
    tampered = replace(plan, made=(replace(joint, parts=parts),))
    with pytest.raises(InvalidOptionError, match="column 'town' is read as text and as number"):
        tampered.to_onnx()


def test_text_that_is_kept_is_refused() -> None:
    plan = vt.design_missingness(frame())
    with pytest.raises(InvalidOptionError, match=r"'town' are text \(code kept\)"):
        plan.to_onnx()
    assert plan.to_onnx(coders=["clean", "isBAD"]).graph.input[0].name == "kg"


def test_a_mark_is_text() -> None:
    with pytest.raises(OptionTypeError, match="missing_text=None must be a text"):
        plan_of(frame()).to_onnx(missing_text=None)


def test_what_a_runtime_makes_of_none() -> None:
    """Not what it is: so `inputs` puts a mark in its place."""
    plan = plan_of(frame())
    model = plan.to_onnx(coders=["lev"])
    none, mark = (np.array([[one]], dtype=object) for one in (None, ""))
    expected = vt.prepare(plan, [{"town": None, "kg": 1.0}], coders=["lev"]).to_numpy()
    assert outputs(model, {"town": mark})[0].tolist() == expected.tolist()
    assert outputs(model, {"town": none})[0].tolist() != expected.tolist()


def test_inputs_are_of_the_types_of_the_model() -> None:
    model = plan_of(frame()).to_onnx(missing_text="?")
    feeds = vt.onnx_models.inputs(model, [{"kg": True, "town": None, "more": 1}])
    assert (feeds["town"].dtype, feeds["town"].tolist()) == (object, [["?"]])
    assert (feeds["kg"].dtype, feeds["kg"].tolist()) == (np.float64, [[1.0]])
    feeds = vt.onnx_models.inputs(model, frame()[2:4], missing_text="gone")
    assert feeds["town"].tolist() == [["gone"], ["Cork"]]
    np.testing.assert_array_equal(feeds["kg"], [[np.nan], [4.0]])


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([{"kg": 1}], SchemaError, "the frame lacks 1 column: 'town'"),
        ([{"kg": "a", "town": "b"}], SchemaError, "'kg' (designed on number, found text)"),
        ([{"kg": 1, "town": 2}], SchemaError, "'town' (designed on text, found number)"),
        ([{"kg": 1, "town": b"b"}], SchemaError, "'town' (designed on text, found levels"),
        ([{"kg": pd.Timestamp("2020"), "town": "b"}], SchemaError, "found datetime"),
        ([{"kg": 1, "town": "\ud800"}], FrameError, "column 'town' holds '\\ud800'"),
        ("a path", OptionTypeError, "Give a pandas, polars or pyarrow"),
    ],
)
def test_other_inputs_are_refused(rows: Any, error: type[Exception], message: str) -> None:
    model = plan_of(frame()).to_onnx()
    with pytest.raises(error, match=re.escape(message)):
        vt.onnx_models.inputs(model, rows)


def test_no_model_has_no_inputs() -> None:
    with pytest.raises(OptionTypeError, match="model is of type str; give the ModelProto"):
        vt.onnx_models.inputs("plan.onnx", frame())


def test_models_of_plans_find_columns_by_their_own_names() -> None:
    rows = pd.DataFrame({"my_kg": [1.0, 2.0, 4.0] * 9})
    model = vt.design_treatments(rows, outcome_type="unsupervised").to_onnx()
    both = rows.assign(**{"my kg": 0.0})
    np.testing.assert_array_equal(vt.onnx_models.inputs(model, both)["my_kg"], rows)
    with pytest.raises(SchemaError, match="lacks 1 column: 'my_kg'"):
        vt.onnx_models.inputs(model, both[["my kg"]])
