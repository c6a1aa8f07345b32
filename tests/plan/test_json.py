"""A plan as JSON: everything comes back, exactly; what was tampered with is refused by name."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import decimal
import fractions
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import vtreat_py as vt
from tests.conftest import TREATED, FrameKind, assert_same_values, example_columns
from tests.frames.test_kinds import TREATED as OF_EVERY_TYPE
from tests.frames.test_kinds import wild_columns
from tests.frames.test_levels import LOOKALIKES
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    PlanFormatError,
)
from vtreat_py.plan.json_values import value_from_json, value_to_json

pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived from:vtreat_py.VtreatWarning")


def assert_round_trip(plan: vt.TreatmentPlan, frame: Any) -> None:
    """A plan and the one read from its text are equal, and do the same to the bit."""
    text = plan.to_json()
    other = vt.TreatmentPlan.from_json(text)
    assert other == plan
    assert plan == other
    assert other.to_json() == text
    assert text.isascii()
    pd.testing.assert_frame_equal(other.score_frame, plan.score_frame, check_exact=True)
    for statistics in plan.level_statistics:
        for target in (plan.classes or (None,)) if statistics.outcomes else ():
            pd.testing.assert_frame_equal(
                other.level_effects(statistics.column, target),
                plan.level_effects(statistics.column, target),
                check_exact=True,
            )
    for scale in {False, plan.outcome_type != "unsupervised"}:
        given = {"scale": scale, "collar": True}
        if len(plan.derived):
            assert_same_values(vt.prepare(other, frame, **given), vt.prepare(plan, frame, **given))


OPTIONS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "R's": {"smoothing": 0, "significance": "classic", "cat_scaling": True},
    "pooled": {"rare_count": 30, "collar_prob": 0.1, "imputation": "median"},
    "suppressed": {"rare_count": 30, "rare_sig": 0.01},
    "imputed": {"imputation": 0.1, "imputation_map": {"z": 7, "size": "median"}},
    "few codes": {"coders": ["lev", "clean"], "force_split": True, "min_fraction": 0.2},
    "weighted": {"sample_weight": np.arange(240) % 5, "cv": 3},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_plans_come_back(design: Any, fresh: pd.DataFrame, options: dict[str, Any]) -> None:
    assert_round_trip(design(**options), fresh)


@pytest.mark.parametrize("classes", [["r", "s", "t"], [3, 1.5, 2], ["\ud800", 1, b"b"]])
@pytest.mark.parametrize("per_class", [None, ["lev", "catP", "catB"], []])
def test_plans_of_several_classes_come_back(
    frame: pd.DataFrame, fresh: pd.DataFrame, classes: list[Any], per_class: Any
) -> None:
    outcome = pd.Series([classes[i % 3] for i in range(240)], dtype=object)
    plan = vt.design_treatments(
        frame,
        outcome=outcome,
        outcome_type="multinomial",
        variables=TREATED,
        y_dependent_coders=per_class,
        smoothing=1,
        random_state=0,
    )
    assert_round_trip(plan, fresh)


def test_a_plan_without_outcome_comes_back(frame: pd.DataFrame, fresh: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome_type="unsupervised", variables=TREATED)
    assert_round_trip(plan, fresh)


def test_a_plan_that_derives_nothing_comes_back() -> None:
    frame = pd.DataFrame({"x": ["a"] * 9, "y": range(9)})
    assert_round_trip(vt.design_treatments(frame, outcome="y"), frame)


@pytest.mark.halved
@pytest.mark.parametrize("y", ["y", "c"])
def test_plans_of_every_kind_of_frame_come_back_and_have_one_text(kind: FrameKind, y: str) -> None:
    given = {"outcome": y, "variables": OF_EVERY_TYPE, "smoothing": 0, "random_state": 0}
    plan = vt.design_treatments(kind.make(wild_columns()), **given)
    assert_round_trip(plan, kind.make(wild_columns(30, 1)))
    assert plan.to_json() == vt.design_treatments(pd.DataFrame(wild_columns()), **given).to_json()


AWKWARD = [*LOOKALIKES, "\u2028", '"', "\\", "'; drop table x; --", "{", "[]", "NULL", "Infinity"]


def plan_of_levels(levels: list[Any], **options: Any) -> tuple[vt.TreatmentPlan, pd.DataFrame]:
    """A plan on a column of these levels, and its frame."""
    frame = pd.DataFrame({"x": pd.Series(levels * 4, dtype=object)})
    outcome = np.arange(len(frame)) % 7 + np.tile(np.arange(len(levels)), 4)
    given = {"min_fraction": 0, "smoothing": 0, "random_state": 0}
    return vt.design_treatments(frame, outcome=outcome, **given | options), frame.head(len(levels))


@pytest.mark.parametrize(
    "levels",
    [
        AWKWARD,
        [*AWKWARD, "\ud83d", "\ude00", "\ud83d\ude00", "\U0001f600\udc00"],
        [b"", b"\x00\xff", b"a", None],
        [1, "1", 2.5, b"1", None, -0.5, 10**30, "nan"],
        ["x", dt.date(2020, 2, 29), dt.datetime(2020, 2, 29), pd.Timestamp(2020, 3, 1)],
        ["x", np.int64(3), np.float32(0.1), np.str_("s"), np.datetime64("2020-01-01"), True],
        ["x", decimal.Decimal("1.10"), fractions.Fraction(1, 3), uuid.UUID(int=5), math.inf],
    ],
    ids=["text", "surrogates", "bytes", "numbers", "moments", "numpy", "others"],
)
def test_levels_come_back_with_their_type_and_code_points(levels: list[Any]) -> None:
    plan, frame = plan_of_levels(levels)
    assert_round_trip(plan, frame)
    back = vt.TreatmentPlan.from_json(plan.to_json()).treatments[0].levels
    ours = plan.treatments[0].levels
    assert [(type(v), v) for v in back.to_list()] == [(type(v), v) for v in ours.to_list()]
    assert back.is_text == ours.is_text


@pytest.mark.parametrize(
    "categories",
    [
        pd.IntervalIndex.from_breaks([0, 1.5, 3, 9]),
        pd.period_range("2020", periods=3, freq="Q"),
        pd.date_range("2020", periods=3, tz="Europe/Paris"),
        pd.to_timedelta([1, 5, 7], unit="s"),
        pd.Index([5, 3, 1]),
        pd.Index([b"x", b"y", b"z"]),
    ],
    ids=["intervals", "periods", "zoned", "durations", "integers", "bytes"],
)
def test_categories_of_any_type_come_back(categories: pd.Index) -> None:
    x = pd.Categorical.from_codes([0, 1, 2, 1, -1, 0] * 6, categories)
    frame = pd.DataFrame({"x": x})
    outcome = np.arange(36) % 6 + 1.0
    plan = vt.design_treatments(frame, outcome=outcome, smoothing=0, random_state=0)
    assert_round_trip(plan, frame.head(9))


VALUES = [
    None, True, 1, 1.0, -0.0, math.inf, -math.inf, 5e-324, 2**70, "", "a", "\ud800", b"\x00",
    ("a", 1, (None, b"")), dt.date(1, 1, 1), dt.time(1, 2, 3, 4), dt.timedelta(-1, 2, 3),
    dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    dt.datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")),
    dt.datetime(1900, 1, 1, tzinfo=dt.timezone(dt.timedelta(minutes=-90))),
    pd.Timestamp("2020-01-01 00:00:00.000000001"), pd.Timestamp("1800-01-01").as_unit("s"),
    pd.Timestamp("2020-10-25 01:30", tz="UTC").tz_convert("Europe/Paris"), pd.Timedelta(5, "ns"),
    pd.Period("2020-02", "M"), pd.Interval(0, 1.5),
    decimal.Decimal("-0.10"), fractions.Fraction(-1, 3), uuid.UUID(int=1),
    np.bool_(True), np.int8(-3), np.uint64(2**64 - 1), np.float16(0.1), np.float64(-math.inf),
    np.str_("\udfff"), np.bytes_(b"\xff"), np.datetime64(3, ("s", 25)), np.timedelta64(-5, "D"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{type(v).__name__} {v!a}")
def test_values_come_back_with_their_type(value: Any) -> None:
    text = json.dumps(value_to_json(value, ""), allow_nan=False)
    back = value_from_json(json.loads(text), "")
    assert type(back) is type(value)
    assert back == value
    assert repr(back) == repr(value)


def test_not_a_number_comes_back() -> None:
    for value in (math.nan, np.float32("nan")):
        back = value_from_json(json.loads(json.dumps(value_to_json(value, ""))), "")
        assert type(back) is type(value)
        assert math.isnan(back)


NAMES = ["x", 3, 2.5, True, ("a", 1), None, dt.date(2020, 1, 1), pd.Timestamp(2020, 1, 2), "\ud800"]


def test_names_of_any_type_come_back() -> None:
    frame = pd.DataFrame({i: np.arange(12.0) ** i for i in range(len(NAMES))})
    frame.columns = pd.Index(NAMES, dtype=object, tupleize_cols=False)
    plan = vt.design_treatments(frame, outcome=np.arange(12) % 5, imputation_map={("a", 1): 3})
    assert_round_trip(plan, frame.head(5))
    back = vt.TreatmentPlan.from_json(plan.to_json())
    assert [(type(v), v) for v in back.variables] == [(type(v), v) for v in plan.variables]


SCALARS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=5),
    st.binary(max_size=3),
    st.integers(),
    st.floats(allow_nan=False),
    st.datetimes(),
    st.dates(),
    st.decimals(allow_nan=False),
)


@given(st.lists(SCALARS, min_size=2, max_size=8, unique=True), st.booleans())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_levels_come_back(levels: list[Any], missing: bool) -> None:
    plan, frame = plan_of_levels(["first", *levels, *[None] * missing])
    assert_round_trip(plan, frame)


@given(
    st.lists(st.floats(allow_nan=True), min_size=6, max_size=12),
    st.lists(st.floats(-1e100, 1e100), min_size=6, max_size=6, unique=True),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_numbers_come_back(values: list[float], outcome: list[float]) -> None:
    frame = pd.DataFrame({"z": values[:6], "x": list("aabbcc")})
    try:
        plan = vt.design_treatments(frame, outcome=outcome, cv=2, random_state=0)
    except (FrameError, OutcomeError):  # of sizes that floats cannot square
        reject()
    assert vt.TreatmentPlan.from_json(plan.to_json()) == plan


def test_what_is_read_cannot_be_changed(design: Any) -> None:
    plan = vt.TreatmentPlan.from_json(design().to_json())
    part = next(t for t in plan.treatments if t.kind == "levels").parts[0]
    arrays = [part.slots, *part.tables.values(), *(s.count for s in plan.level_statistics)]
    assert not any(array.flags.writeable for array in arrays)


WRITE_A_PLAN = """
import sys
import pandas as pd
import vtreat_py as vt
from tests.conftest import TREATED, example_columns
frame = pd.DataFrame(example_columns())
plan = vt.design_treatments(frame, outcome="c", variables=TREATED, random_state=0)
sys.stdout.write(plan.to_json())
"""


def test_the_text_is_the_same_in_every_process(frame: pd.DataFrame) -> None:
    plan = vt.design_treatments(frame, outcome="c", variables=TREATED, random_state=0)
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # not the one of this process
    done = subprocess.run(
        [sys.executable, "-c", WRITE_A_PLAN],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == plan.to_json()


def middle(values: Any, weights: Any) -> float:
    return float(np.median(values))


class Constant:
    def __call__(self, values: Any, weights: Any) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (middle, f"{__name__}.middle"),
        (Constant(), f"{__name__}.Constant"),
        (functools.partial(middle), "functools.partial"),
    ],
)
def test_an_imputation_function_is_kept_by_name(
    frame: pd.DataFrame, fresh: pd.DataFrame, function: Any, name: str
) -> None:
    given = {"outcome": "y", "variables": TREATED, "random_state": 0}
    plan = vt.design_treatments(frame, imputation_map={"z": function}, **given)
    assert_round_trip(plan, fresh)
    assert f'{{"column": "z", "imputer": {{"function": "{name}"}}}}' in plan.to_json()
    back = vt.TreatmentPlan.from_json(plan.to_json())
    assert plan != vt.design_treatments(frame, imputation_map={"z": 1}, **given)
    with pytest.raises(InvalidOptionError, match=r"known by name only.*give the function itself"):
        vt.design_treatments(frame, imputation_map=back.options.imputation_map, **given)


class Shade:
    """A level of the user's own, which compares and sorts."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)


def test_values_without_a_form_are_refused_by_name() -> None:
    plan, _ = plan_of_levels(["a", Shade("dark"), Shade("light")], coders=["lev"])
    with pytest.raises(
        PlanFormatError, match=r"treatments\[0\].levels\[1\]: .* of type Shade cann"
    ):
        plan.to_json()
    for value in (np.longdouble(1), 1j):
        with pytest.raises(PlanFormatError, match="cannot be written as JSON; convert the column"):
            value_to_json(value, "here")


# Files


def test_a_file_holds_the_text(design: Any, tmp_path: pathlib.Path) -> None:
    plan, path = design(), tmp_path / "plan.json"
    assert plan.to_json(path) is None
    assert path.read_text() == plan.to_json() + "\n"
    assert vt.TreatmentPlan.from_json(path) == vt.TreatmentPlan.from_json(str(path)) == plan
    assert os.listdir(tmp_path) == ["plan.json"]


def test_a_file_is_replaced_as_a_whole(
    design: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, path = design(), tmp_path / "plan.json"
    plan.to_json(path)
    link = tmp_path / "current.json"
    link.symlink_to(path)
    before = path.read_text()

    def crash(*_: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", crash)
        with pytest.raises(OSError, match="full"):
            design(random_state=1).to_json(path)
    assert path.read_text() == before
    design(random_state=1).to_json(link)
    assert path.read_text() != before
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["current.json", "plan.json"]


def test_a_path_that_does_not_exist_is_said_so(tmp_path: pathlib.Path) -> None:
    for path in (tmp_path / "no.json", str(tmp_path / "no.json"), "x" * 5000, "a\0b"):
        with pytest.raises(FileNotFoundError, match=r"there is no file .*; give its path, or the"):
            vt.TreatmentPlan.from_json(path)


def test_other_things_are_no_plan(tmp_path: pathlib.Path) -> None:
    empty, binary = tmp_path / "empty", tmp_path / "binary"
    empty.write_text(" \n")
    binary.write_bytes(b"\x80\xff")
    refused: list[tuple[Any, str]] = [
        ("", "the text is empty"),
        (empty, "the file is empty"),
        (binary, "holds no text"),
        ("{", "is not JSON, or not all of it is there"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", r'format: expected "vtreat_py plan", found a list; this is JSON, but no plan'),
        ("{}", 'format: expected "vtreat_py plan", found null'),
        ('{"format": 1, "format": 2}', "'format' is given twice"),
        ('{"format": NaN}', "NaN is no number of JSON"),
        ('{"format": "vtreat_py plan"}', "format_version is missing"),
    ]
    for text, message in refused:
        with pytest.raises(PlanFormatError, match=message):
            vt.TreatmentPlan.from_json(text)
    with pytest.raises(OptionTypeError, match="text_or_path is of type dict; give the text"):
        vt.TreatmentPlan.from_json({})  # type: ignore[arg-type]


# Tampering


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    """A plan of several classes as a tree; the columns are levels, levels, numbers, flags, ..."""
    frame = pd.DataFrame(example_columns())
    frame["constant"] = 1
    outcome = np.where(frame["y"] > 1, "r", np.where(frame["y"] > -1, "s", "t"))
    plan = vt.design_treatments(
        frame, outcome=outcome, variables=[*TREATED, "constant"], smoothing=0, random_state=0
    )
    return json.loads(plan.to_json())


def read_changed(written: dict[str, Any], place: str, change: Callable[[Any], Any]) -> None:
    """Read a text of which one place is changed, given as keys with dots between them."""
    tree = copy.deepcopy(written)
    inner, keys = tree, [int(k) if k.isdigit() else k for k in place.split(".")]
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = change(inner[keys[-1]])
    vt.TreatmentPlan.from_json(json.dumps(tree))


TAMPERED: list[tuple[str, Any, str]] = [
    ("format_version", 4, "format_version: the plan is of format 4, .* reads formats up to 3. Upg"),
    ("format_version", "1", "format_version: expected a whole number, 1 or more, found a string"),
    ("format_version", 0, "format_version: expected a whole number, 1 or more, found a number, 0"),
    ("version", 3, "version: expected a string, found a number, 3"),
    ("outcome_type", "ordinal", "outcome_type: expected one of 'numeric', .*, found a string"),
    ("outcome_type", "binomial", "classes: a list of 3 does not go with a binomial outcome"),
    ("classes", ["r", "s", "s"], "classes: 's' is listed twice"),
    ("classes", ["r", "s"], r"treatments\[0\].parts\[0\].variables\[0\].scores: expected scores "),
    ("n_rows", -1, "n_rows: expected a whole number, 0 or more, found a number, -1"),
    ("n_rows", True, "n_rows: expected a whole number, 0 or more, found true"),
    ("options.coders", ["catX"], r"options.coders\[0\]: expected one of 'clean'"),
    ("options.coders", [], "options: coders is empty"),
    ("options.rare_sig", 2, "options: rare_sig=2.0; it must be >= 0 and <= 1"),
    (
        "options.smoothing",
        "much",
        "options.smoothing: expected a number or one of 'auto', 'mixed', found",
    ),
    ("options.imputation", {}, "options.imputation.function is missing"),
    ("options.imputation_map", [{"column": 1}], r"options.imputation_map\[0\].imputer is missing"),
    ("variables", ["x", "x"], "variables: 'x' is listed twice"),
    ("variables", ["x"], r"unused\[0\].column: 'constant' is not among the variables"),
    ("unused.0.column", "x", r"treatments\[0\].column: 'x' is listed as unused, too"),
    ("derived.0", "other", r"derived\[0\]: no treatment has a variable 'other'"),
    ("derived", [], "derived: it lacks 'x_lev_NA', 'x_lev_x_a', .*which a treatment has"),
    ("treatments", [3], r"treatments\[0\]: expected an object, found a number, 3"),
    ("treatments.0.kind", "number", r"treatments\[0\].imputed is missing"),
    (
        "treatments.0.kind",
        "colour",
        r"treatments\[0\].kind: expected one of 'levels', 'text', 'number', ",
    ),
    ("treatments.0.kind", ["levels"], r"treatments\[0\].kind: expected a string, found a list"),
    ("treatments.0.levels", "abc", r"treatments\[0\].levels: expected a list, found a string, 'a"),
    ("treatments.0.levels.1", None, r"treatments\[0\].levels\[1\]: a missing value is no l"),
    ("treatments.0.levels.1", {"type": "float", "value": "NaN"}, r"levels\[1\]: a missing value"),
    ("treatments.0.levels", ["a"], r"treatments\[0\].parts\[0\].slots: expected 3 entries, for 1 "),
    ("treatments.0.levels.0", {"type": "x", "value": 1}, r"levels\[0\].type: unknown type 'x'"),
    ("treatments.0.levels.0", {"value": 1}, r"levels\[0\]: expected a value, or an object of a"),
    (
        "treatments.0.levels.0",
        {"type": "date", "value": "2020-02-30"},
        r"treatments\[0\].levels\[0\].value: no date can be made of a string, '2020-02-30': day",
    ),
    ("treatments.0.parts.0.slots.0", 9, r"parts\[0\].slots\[0\]: expected a code below 6, or -1"),
    ("treatments.0.parts.0.slots.0", 0.0, r"parts\[0\].slots\[0\]: expected a code below 6, or -"),
    ("treatments.0.parts.0.tables", {"no": []}, r"parts\[0\].tables.no is no known code; those"),
    ("treatments.0.parts.0.tables", {}, r"variables\[5\].code: there is no table of 'catP'"),
    ("treatments.0.parts.0.tables.catP", [1.5], "tables.catP: expected 6 entries, for 4 levels"),
    (
        "treatments.0.parts.0.tables.catP.2",
        "NaN",
        r"tables.catP\[2\]: expected a finite number, found a string, 'NaN'",
    ),
    ("treatments.0.parts.0.tables.catP.2", 10**400, r"catP\[2\]: expected a finite number, found"),
    ("treatments.0.parts.1.target", "q", r"parts\[1\].target: 'q' is not among the classes 'r'"),
    ("treatments.0.parts.1.target", "s", r"treatments\[0\].parts: 's' is listed twice"),
    ("treatments.0.parts.0.variables.0.code", "clean", "'clean' is a code of numbers, but"),
    ("treatments.0.parts.0.variables.5.slot", 1, r"variables\[5\].slot: expected None, found 1"),
    ("treatments.0.parts.0.variables.5.level", "a", r"variables\[5\].level: expected None, found"),
    ("treatments.0.parts.0.variables.0.orig_variable", "g", "orig_variable: expected 'x', found"),
    ("treatments.0.parts.0.variables.0.name", "z", "names of variables: 'z' is listed twice"),
    ("treatments.0.parts.0.variables.0.slope", None, "slope: expected a finite number, found null"),
    ("treatments.0.parts.0.variables.0.scores.0.sig", 1.5, r"scores\[0\].sig: expected a probab"),
    ("treatments.0.parts.0.variables.0.scores.0.target", "s", r"variables\[0\].scores: expected"),
    ("treatments.0.parts.0.variables.1.slot", 99, r"slot: expected a code of one of 4 levels"),
    ("treatments.0.parts.0.variables.1.level", "q", r"variables\[1\].level: expected "),
    ("treatments.2.variables.0.code", "catP", r"treatments\[2\].variables\[0\].code: 'catP' is a"),
    ("treatments.2.lower", 1e9, r"treatments\[2\].lower: it is greater than upper"),
    ("treatments.2.imputed", "Infinity", r"treatments\[2\].imputed: expected a finite number, f"),
    ("treatments.2.variables", [], r"treatments\[2\].variables is empty"),
    ("level_statistics.0.column", "z", r"level_statistics\[0\].levels: expected a list, found nu"),
    ("level_statistics.0.count", [1], r"level_statistics\[0\].count: expected 6 entries"),
    (
        "level_statistics.0.outcomes.2.target",
        "r",
        r"statistics\[0\].outcomes: expected outcomes for",
    ),
    ("level_statistics.0.count.0", -1, r"statistics\[0\].count: expected weights, 0 or more, and"),
    ("level_statistics.0.count", [0.0] * 6, r"count: expected weights, 0 or more, and one above 0"),
    ("level_statistics", [], "level_statistics: it lacks 'x', 'g', which a treatment is of"),
    ("treatments.2.profile.low", 1e9, r"treatments\[2\].profile.low: it is greater than high"),
    ("treatments.2.profile.bad_share", 1, "profile.bad_share: expected a share below 1, found 1.0"),
    ("treatments.2.profile.edges.0", 9, "profile.edges: expected ascending numbers, all below h"),
    ("treatments.2.profile.edges", [], "profile.counts: expected 1 entries, one more than edges,"),
    ("treatments.2.profile.counts.0", 0, "profile.counts: expected weights above 0, found 0.0"),
    ("treatments.2.by_range", None, "by_range: expected an object, found null"),
    ("treatments.2.by_range.count", [1.0], r"by_range.count: expected \d+ entries, two more than"),
    ("treatments.2.by_range.count.0", -1, "by_range.count: expected weights, 0 or more, and one"),
    ("treatments.2.by_range.count.0", 1e200, "by_range.count: expected weights from 1e-100 to"),
    ("treatments.2.by_range.outcomes", [], "by_range.outcomes: expected outcomes for 'r', 's'"),
    ("treatments.2.by_range.outcomes.1.target", "r", "by_range.outcomes: expected outcomes for"),
    ("treatments.2.by_range.outcomes.1.mean.0", 2, r"outcomes\[1\].mean: expected the rate of a"),
    ("treatments.2.by_range.outcomes.1.mean", [0.5], r"mean: expected \d+ entries, two more than"),
    ("treatments.2.by_range.outcomes.1.within", [0.5], r"within: expected \d+ entries, two more"),
    (
        "treatments.2.by_range.outcomes.1.within",
        [-1.0] * 11,
        "within: -1.0 is no variance of such numb",
    ),
    ("level_statistics.0.outcomes.1.mean", [], r"outcomes\[1\].mean: expected 6 entries, for 4"),
    ("level_statistics.0.outcomes.1.prior_weight", "much", "prior_weight: expected a number, fo"),
]


@pytest.mark.parametrize(
    ("place", "value", "message"), TAMPERED, ids=[f"{p} {v!r}"[:60] for p, v, _ in TAMPERED]
)
def test_what_does_not_fit_is_refused_by_its_path(
    written: dict[str, Any], place: str, value: Any, message: str
) -> None:
    with pytest.raises(PlanFormatError, match=message):
        read_changed(written, place, lambda _: value)


def places_in(tree: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all objects, lists and values of a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree[:2])
    found = []
    for key, inner in items:
        found.append((*at, key))
        if isinstance(inner, dict | list):
            found += places_in(inner, (*at, key))
    return found


def test_a_field_that_is_missing_or_unknown_is_named(written: dict[str, Any]) -> None:
    fields = [place for place in places_in(written) if isinstance(place[-1], str)]
    for place in {p[-1]: p for p in fields if "tables" not in p[:-1]}.values():
        tree = copy.deepcopy(written)
        inner = functools.reduce(lambda t, key: t[key], place[:-1], tree)
        value = inner.pop(place[-1])
        if place == ("marks",):  # plans of before have none
            vt.TreatmentPlan.from_json(json.dumps(tree))
            continue
        name = "format" if place == ("format",) else f"{place[-1]} is missing"
        with pytest.raises(PlanFormatError, match=name):
            vt.TreatmentPlan.from_json(json.dumps(tree))
        inner |= {place[-1]: value, "colour": 1}
        with pytest.raises(PlanFormatError, match="colour is no field of this format"):
            vt.TreatmentPlan.from_json(json.dumps(tree))


@pytest.mark.halved
@pytest.mark.parametrize("junk", [None, True, -7, 0.5, "junk", [], {}, ["a"], {"type": "x"}])
def test_junk_anywhere_is_a_format_error_or_another_plan(written: Any, junk: Any) -> None:
    """Names and scores can be changed to something that is a plan as well; nothing else fails."""
    for place in places_in(written):
        tree = copy.copy(written)
        inner = tree
        for key in place[:-1]:
            inner[key] = copy.copy(inner[key])
            inner = inner[key]
        inner[place[-1]] = junk
        try:
            read = vt.TreatmentPlan.from_json(json.dumps(tree))
        except PlanFormatError:
            continue
        assert vt.TreatmentPlan.from_json(read.to_json()) == read


def test_a_truncated_text_is_refused(design: Any) -> None:
    text = design().to_json()
    for end in range(1, len(text), 997):
        with pytest.raises(PlanFormatError, match="not JSON, or not all of it is there"):
            vt.TreatmentPlan.from_json(text[:end])


def test_a_plan_of_another_version_of_the_package_is_read(design: Any, fresh: Any) -> None:
    plan = design()
    other = vt.TreatmentPlan.from_json(dataclasses.replace(plan, version="99.1").to_json())
    assert other.version == "99.1"
    assert_same_values(vt.prepare(other, fresh), vt.prepare(plan, fresh))


def test_numbers_without_decimals_are_floats_where_floats_are_due(written: dict[str, Any]) -> None:
    """Other programs write 1.0 as 1."""
    text = json.dumps(written)
    assert vt.TreatmentPlan.from_json(text.replace(".0,", ",")) == vt.TreatmentPlan.from_json(text)
