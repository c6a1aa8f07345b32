"""C. Round trips and tampered texts: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import gzip
import json
import pathlib
import pickle
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError, PlanFormatError

N = 60


@pytest.mark.parametrize(
    "weight",
    [
        np.full(N, 0.5 / N),  # C1: less than one row, of which no variance can be told
        np.append(np.ones(N - 1), 1e17),  # beside it, a weight of 1 is lost in a sum
        np.append(np.full(N - 1, 1e-20), 1e24),
    ],
)
def test_c1_what_is_written_is_read(rows: pd.DataFrame, y: Any, weight: Any) -> None:
    frame = rows.assign(z=rows["z"].where(np.arange(N) < N - 1))
    made = vt.design_treatments(frame, outcome=y, sample_weight=weight, random_state=0)
    again = vt.TreatmentPlan.from_json(made.to_json())
    assert again == made
    pd.testing.assert_frame_equal(vt.prepare(again, frame[:5]), vt.prepare(made, frame[:5]))


@pytest.mark.parametrize("name", [np.nan, pd.NaT, pd.NA, ("a", np.nan)])
def test_c2_names_that_do_not_equal_themselves_are_refused(
    rows: pd.DataFrame, y: Any, plan: vt.TreatmentPlan, name: Any
) -> None:
    named = rows.set_axis(["c", name], axis=1)
    with pytest.raises(InvalidOptionError, match="a missing value"):
        vt.design_treatments(named, outcome=y)
    made = vt.design_treatments(named, outcome=y, variables=["c"], random_state=0)
    expected = vt.prepare(plan, rows[:5], variables=made.feature_names)
    pd.testing.assert_frame_equal(vt.prepare(made, named[:5]), expected)


def test_c2_a_plan_that_lacks_a_treatment_says_so(
    rows: pd.DataFrame, plan: vt.TreatmentPlan
) -> None:
    broken = pickle.loads(pickle.dumps(plan))
    object.__setattr__(broken, "treatments", plan.treatments[:1])
    with pytest.raises(PlanFormatError, match="variables of 'z', but no treatment"):
        vt.prepare(broken, rows[:5])


HUGE = 2**61 - 1  # multiples of it have one hash


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", {"type": "Fraction", "value": "1e30000000"}),
        ("variables", [i * HUGE for i in range(16_000)]),
        ("unused", [{"column": i * HUGE, "reason": ""} for i in range(16_000)]),
        ("target", {"type": "datetime", "value": ["2020-01-01T00:00:00", "Europe"]}),
        ("target", {"type": "datetime", "value": ["2020-01-01T00:00:00", "x" * 5000]}),
        ("target", {"type": "Timestamp", "value": ["2020-01-01T00:00:00", "ns", "x" * 5000]}),
        ("target", {"type": "Decimal", "value": "sNaN"}),
        ("variables", [{"type": "numpy.timedelta64", "value": [1, 1, "generic"]}]),
        ("target", json.loads('{"type": "tuple", "value": [' * 400 + "1" + "]}" * 400)),
        ("outcome_name", {"type": "float", "value": "NaN"}),
        ("classes", [{"type": "float", "value": "NaN"}, 1]),
    ],
)
def test_c3_c4_tampered_texts_are_refused_at_once(
    plan: vt.TreatmentPlan, field: str, value: Any
) -> None:
    text = json.dumps(json.loads(plan.to_json()) | {field: value})
    start = time.perf_counter()
    with pytest.raises(PlanFormatError):
        vt.TreatmentPlan.from_json(text)
    assert time.perf_counter() - start < 4.0  # it was ten seconds and more


@pytest.mark.parametrize("text", ["null", "true", "12"])
def test_c4_json_that_is_no_plan_is_not_taken_for_a_path(text: str) -> None:
    with pytest.raises(PlanFormatError, match="this is JSON, but no plan"):
        vt.TreatmentPlan.from_json(text)


def test_c4_marks_and_compression_are_read(plan: vt.TreatmentPlan, tmp_path: pathlib.Path) -> None:
    text = plan.to_json()
    assert vt.TreatmentPlan.from_json("\ufeff" + text) == plan
    marked = tmp_path / "marked.json"
    marked.write_text("\ufeff" + text, encoding="utf-8")
    assert vt.TreatmentPlan.from_json(marked) == plan
    packed = tmp_path / "plan.json.gz"
    plan.to_json(packed)
    assert gzip.decompress(packed.read_bytes()).decode() == text + "\n"
    assert vt.TreatmentPlan.from_json(packed) == plan
    first = packed.read_bytes()
    plan.to_json(packed)
    assert packed.read_bytes() == first
    packed.write_bytes(first[:-20])
    with pytest.raises(PlanFormatError, match="the file holds no text"):
        vt.TreatmentPlan.from_json(packed)


def test_c4_a_folder_is_no_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="is a folder, not a file"):
        vt.TreatmentPlan.from_json(tmp_path)
