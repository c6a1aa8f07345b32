"""C. Round trips and tampered texts: the numbers are those of a list of what once went wrong."""

from __future__ import annotations

import gzip
import io
import json
import pathlib
import pickle
import time
import zipfile
from collections.abc import Callable
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


def test_c3_names_of_one_hash_among_options_are_refused_at_once(plan: vt.TreatmentPlan) -> None:
    tree = json.loads(plan.to_json())
    tree["options"]["categorical"] = [i * HUGE for i in range(16_000)]
    start = time.perf_counter()
    with pytest.raises(PlanFormatError, match="categorical: 16000 values have one hash"):
        vt.TreatmentPlan.from_json(json.dumps(tree))
    assert time.perf_counter() - start < 2.0  # it was three seconds, and quadratic


@pytest.fixture(scope="module")
def statistics(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"g": rng.choice(list("abc"), N), "x": rng.normal(size=N)})
    path = tmp_path_factory.mktemp("c4") / "statistics"
    outcome = rng.normal(size=N)
    kept = vt.design_treatments(frame, outcome=outcome, keep_statistics=True, random_state=0)
    assert kept.statistics is not None
    kept.statistics.save(path)
    return path.read_bytes()


def with_entry(content: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            new.writestr(entry, change(old.read(entry)) if entry == name else old.read(entry))
    return out.getvalue()


def with_bytes(content: bytes, mark: bytes, offset: int, values: bytes) -> bytes:
    start = content.rindex(mark) + offset
    return content[:start] + values + content[start + len(values) :]


def header(**changes: Any) -> Callable[[bytes], bytes]:
    return lambda text: json.dumps(json.loads(text) | changes).encode()


def times(factor: float) -> Callable[[bytes], bytes]:
    return lambda content: (np.frombuffer(content, "<f8") * factor).tobytes()


_HUGE = np.float64(1e300).tobytes()
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "a centre": lambda b: with_entry(b, "header.json", header(centre=1e308)),
    "weights": lambda b: with_entry(b, "rows/weight", times(1e290)),
    "sums": lambda b: with_entry(b, "rows/total", times(1e300)),
    "squares": lambda b: with_entry(b, "rows/inner", times(1e300)),
    "means": lambda b: with_entry(b, "outcome/y", lambda a: times(0.0)(a)[8:] + _HUGE),
    "products": lambda b: with_entry(b, "outcome/xy", lambda a: times(0.0)(a)[8:] + _HUGE),
    "the place of the directory": lambda b: with_bytes(b, b"PK\5\6", 16, b"\xff\xff\xff\x7f"),
    "a mark of encryption": lambda b: with_bytes(b, b"PK\1\2", 8, b"\1\0"),
    "half of it": lambda b: b[: len(b) // 2],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("what", list(BROKEN))
def test_c4_broken_statistics_are_refused(
    statistics: bytes, tmp_path: pathlib.Path, what: str
) -> None:
    path = tmp_path / "broken"
    path.write_bytes(BROKEN[what](statistics))
    with pytest.raises(PlanFormatError, match="broken: "):
        vt.DesignStatistics.load(path)


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
