"""Statistics that were kept: merged, taken away, coded by, as if all rows were there at once."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import RepeatedKFold

import vtreat_py as vt
from vtreat_py.api.design import design_with
from vtreat_py.api.statistics import kept_statistics
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    SchemaError,
)
from vtreat_py.statistics import value_table

# One of the columns is missing throughout.
pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived")

VARIABLES = ["x", "many", "count", "size", "day", "mixed", "empty"]
OUTCOMES = {"binomial": "hit", "numeric": "price", "multinomial": "kind"}
N_FOLDS = 4


@pytest.fixture
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of many values are coarse at a size that tests can afford."""
    monkeypatch.setattr(value_table, "MOST_VALUES", 40)


def rows(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Rows of all types, with awkward levels, and the fold of each."""
    random = np.random.default_rng(seed)
    x = random.choice(["a", "A", "a ", "", "NaN", "é", "e\u0301", None], n)
    count = random.integers(0, 9, n).astype(float)
    signal = count + (x == "a") * 3.0 + random.normal(size=n)
    count[random.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "x": pd.Series(x, dtype=object),
            "many": pd.Series(random.integers(0, n // 4, n).astype(str), dtype=object),
            "count": count,
            "size": random.normal(size=n) + 1e6,
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(random.integers(0, 99, n), "D"),
            "mixed": pd.Series(random.choice([1, "1", 2.5, None], n), dtype=object),
            "empty": pd.Series([None] * n, dtype=object),
            "hit": signal > np.median(signal),
            "price": 1e3 + signal,
            "kind": random.choice(["p", "q", "r"], n, p=[0.5, 0.3, 0.2]),
            "weight": random.integers(0, 4, n),
            "fold": random.integers(0, N_FOLDS, n),
        }
    )


def pairs(frame: pd.DataFrame) -> list[Any]:
    fold = frame["fold"].to_numpy()
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]


def kept(frame: pd.DataFrame, outcome: str, **options: Any) -> vt.DesignStatistics:
    """Statistics alone, without the plan that is made of them."""
    scaled = options.pop("scale", False)
    options.pop("collar", None)
    given = {"outcome": OUTCOMES.get(outcome, outcome), "variables": VARIABLES} | options
    given.setdefault("calendar", None)
    return kept_statistics(design_with(frame, scaled=scaled, **{"cv": pairs(frame)} | given))


def experiment(frame: pd.DataFrame, outcome: str, **options: Any) -> vt.CrossFrameExperiment:
    given = {"variables": VARIABLES, "cv": pairs(frame), "keep_statistics": True} | options
    if not given["keep_statistics"]:  # rows may say which parts of dates there are, sums not
        given.setdefault("calendar", None)
    return vt.cross_frame_experiment(frame, outcome=OUTCOMES.get(outcome, outcome), **given)


def numbers(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """All that a plan holds, by its place."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from numbers(one, f"{where}.{key}")
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from numbers(one, f"{where}[{i}]")
    else:
        yield where, value


def assert_close(one: vt.TreatmentPlan, other: vt.TreatmentPlan, rel: float = 1e-11) -> None:
    """All numbers of two plans agree, and all else is equal."""
    ours, theirs = (list(numbers(json.loads(plan.to_json()))) for plan in (one, other))
    assert [where for where, _ in ours] == [where for where, _ in theirs]
    for (where, a), (_, b) in zip(ours, theirs, strict=True):
        if isinstance(a, float) and isinstance(b, float):
            assert math.isclose(a, b, rel_tol=rel, abs_tol=rel), (where, a, b)
        else:
            assert a == b, where


def parts_of(frame: pd.DataFrame, which: Any, n_parts: int) -> list[pd.DataFrame]:
    return [frame[np.asarray(which) == k].reset_index(drop=True) for k in range(n_parts)]


OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "weighted": {"sample_weight": "weight"},
    "pooled": {"rare_count": 2, "rare_sig": 0.3, "smoothing": 1.0},
    "collared": {"collar_prob": 0.1, "imputation": "median", "force_split": True},
    "function": {"imputation": lambda values, weights: float(np.average(values, weights=weights))},
    "link": {"cat_scaling": True, "scale": True, "collar": True},
    "parts of dates": {"calendar": ["day", "weekday"]},
    "classic": {"significance": "classic", "smoothing": 0.5, "sample_weight": "weight"},
}


@pytest.mark.halved
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_keeping_statistics_changes_neither_plan_nor_cross_frame(
    outcome: str, options: dict[str, Any]
) -> None:
    frame = rows()
    if options.get("sample_weight"):
        frame.loc[frame["weight"] == 0, "x"] = "a"  # levels without weight would be none
        frame.loc[frame["weight"] == 0, "many"] = frame.loc[frame["weight"] > 0, "many"].iloc[0]
    with_them = experiment(frame, outcome, **options)
    without = experiment(frame, outcome, **options, keep_statistics=False)
    assert with_them.plan.statistics is not None
    assert with_them.plan == with_them.plan.statistics.plan()
    assert without.plan.statistics is None
    expected = without.plan.score_frame
    spread = expected["code"] == "catD"
    found = with_them.plan.score_frame
    together = ["sig_fdr", "sig_fwer"]
    of_parts = expected["orig_variable"].isin([one.name for one in without.plan.made])
    pd.testing.assert_frame_equal(
        found[~spread & ~of_parts].drop(columns=together),
        expected[~spread & ~of_parts].drop(columns=together),
        rtol=1e-9,
    )
    assert of_parts.any() == ("calendar" in options)
    tests = ["sig", "recommended", *together]  # sums do not know the trend along dates
    pd.testing.assert_frame_equal(
        found[of_parts].drop(columns=tests), expected[of_parts].drop(columns=tests), rtol=1e-9
    )
    pd.testing.assert_frame_equal(with_them.cross_frame, without.cross_frame, rtol=1e-9)
    new = rows(50, seed=9)
    pd.testing.assert_frame_equal(
        vt.prepare(with_them.plan, new), vt.prepare(without.plan, new), rtol=1e-9
    )
    effects = [
        plan.level_effects("x", "q" if outcome == "multinomial" else None).sort_values(
            ["kind", "level"], ignore_index=True
        )
        for plan in (with_them.plan, without.plan)
    ]
    pd.testing.assert_frame_equal(*effects)


@pytest.mark.halved
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_plan_of_merged_parts_is_that_of_all_rows(
    outcome: str, options: dict[str, Any]
) -> None:
    frame = rows()
    day = np.arange(len(frame)) // 150
    first, second, third = (kept(part, outcome, **options) for part in parts_of(frame, day, 3))
    whole = kept(frame, outcome, **options)
    one_by_one, other_way = (first + second) + third, first + (second + third)
    if outcome == "numeric":
        assert_close(one_by_one.plan(), whole.plan())
        assert_close(other_way.plan(), whole.plan())
    else:
        assert one_by_one == other_way == whole
        assert one_by_one.plan() == whole.plan()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_parts_may_be_merged_in_any_order(outcome: str) -> None:
    frame = rows()
    first, second = (kept(p, outcome) for p in parts_of(frame, np.arange(400) // 200, 2))
    plans = (first + second).plan(), (second + first).plan()
    scores = [plan.score_frame.sort_values("variable").reset_index(drop=True) for plan in plans]
    pd.testing.assert_frame_equal(*scores, rtol=1e-9)
    new = rows(60, seed=3)
    forwards, backwards = (vt.prepare(plan, new) for plan in plans)
    pd.testing.assert_frame_equal(forwards, backwards[list(forwards)], rtol=1e-9)


@settings(deadline=None, max_examples=12)
@given(st.sampled_from(["binomial", "multinomial"]), st.integers(0, 2**32 - 1))
def test_random_splits_merge_to_the_same_bits(outcome: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    frame = rows(300, seed)
    part = random.integers(0, 3, 300)
    order = np.argsort(part, kind="stable")  # levels are in the order of the parts
    statistics = [kept(one, outcome) for one in parts_of(frame, part, 3)]
    assert sum(statistics[1:], statistics[0]) == kept(
        frame.iloc[order].reset_index(drop=True), outcome
    )


@pytest.mark.usefixtures("few_values")
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_numbers_of_many_values_merge_too(outcome: str) -> None:
    frame = rows()
    first, second = (kept(p, outcome) for p in parts_of(frame, np.arange(400) // 200, 2))
    whole = kept(frame, outcome)
    assert_close((first + second).plan(), whole.plan())
    assert whole.columns[VARIABLES.index("size")].table.bits < 52


@pytest.mark.usefixtures("few_values")
def test_what_coarse_numbers_say_is_close_to_what_the_values_say() -> None:
    frame = rows(2000)
    frame["size"] = frame["price"] + frame["size"]
    options: dict[str, Any] = {"variables": ["size"], "imputation": "median", "collar_prob": 0.1}
    coarse = experiment(frame, "binomial", **options).plan
    exact = experiment(frame, "binomial", **options, keep_statistics=False).plan
    ours, theirs = coarse.treatments[0], exact.treatments[0]
    assert ours.imputed == pytest.approx(theirs.imputed, abs=0.5)
    assert (ours.lower, ours.upper) == pytest.approx((theirs.lower, theirs.upper), abs=0.5)
    (found,), (expected,) = ours.variables, theirs.variables
    assert found.mean == pytest.approx(expected.mean, rel=1e-9)
    assert found.slope == pytest.approx(expected.slope, rel=1e-9)
    assert found.rsq == pytest.approx(expected.rsq, rel=0.05)


def test_an_unsupervised_plan_of_merged_parts() -> None:
    frame = rows()
    options: dict[str, Any] = {"outcome_type": "unsupervised", "variables": VARIABLES}
    plans = [
        vt.design_treatments(part, keep_statistics=True, **options)
        for part in (*parts_of(frame, np.arange(400) // 100, 4), frame)
    ]
    *parts, whole = [plan.statistics for plan in plans]
    merged = sum(parts[1:], parts[0])
    assert_close(merged.plan(), whole.plan())
    assert (merged - parts[0]).n_rows == 300
    with pytest.raises(InvalidOptionError, match="an unsupervised design has no cross-frame"):
        merged.cross_frame(frame, folds=None)
    more = merged.of_rows(frame)
    assert (merged + more).plan().n_rows == 800


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_is_taken_away_was_never_there(outcome: str, options: dict[str, Any]) -> None:
    frame = rows()
    stay = np.arange(400) < 250
    customer = frame[~stay]
    whole = kept(frame, outcome, **options)
    weight = options.get("sample_weight")
    part = whole.of_rows(customer, folds="fold", sample_weight=weight)
    left, never = whole - part, kept(frame[stay].reset_index(drop=True), outcome, **options)
    assert left.n_rows == 250
    if outcome == "numeric":
        assert_close(left.plan(), never.plan(), rel=1e-7)
    else:
        assert left == never


def test_of_what_is_taken_away_levels_and_classes_vanish() -> None:
    frame = rows()
    frame.loc[390:, ["x", "kind"]] = ["only mine", "mine too"]
    whole = kept(frame, "multinomial")
    assert whole.design.classes == ("mine too", "p", "q", "r")
    left = whole - whole.of_rows(frame[390:], folds="fold")
    assert left.plan().classes == ("p", "q", "r")
    assert left == kept(frame[:390], "multinomial")
    assert "only mine" not in left.columns[0].levels.to_list()


def test_fractional_weights_leave_nothing_behind() -> None:
    frame = rows()
    frame["weight"] = np.random.default_rng(0).random(400)
    options: dict[str, Any] = {"sample_weight": "weight", "significance": "classic"}
    whole = kept(frame, "binomial", **options)
    part = whole.of_rows(frame[100:], folds="fold", sample_weight="weight")
    never = kept(frame[:100].reset_index(drop=True), "binomial", **options)
    left = whole - part
    for ours, theirs in zip(left.columns, never.columns, strict=True):
        np.testing.assert_allclose(ours.table.cells.weight, theirs.table.cells.weight, rtol=1e-6)
    assert_close(left.plan(), never.plan(), rel=1e-6)


def test_a_class_met_in_one_part_only() -> None:
    frame = rows()
    frame.loc[200:, "kind"] = frame.loc[200:, "kind"].replace("q", "aa")
    frame.loc[:199, "kind"] = frame.loc[:199, "kind"].replace("r", "q")
    options: dict[str, Any] = {"outcome_type": "multinomial"}
    parts = parts_of(frame, np.arange(400) // 200, 2)
    first, second = (kept(part, "multinomial", **options) for part in parts)
    assert first.design.classes == ("p", "q")
    merged = (first + second).plan()
    assert merged.classes == ("aa", "p", "q", "r")
    assert merged == kept(frame, "multinomial", **options).plan()


def test_the_note_counts_the_classes_of_all_parts() -> None:
    frame = rows()
    frame["sort"] = np.where(np.arange(400) < 200, frame["kind"], frame["kind"] + "2")
    parts = [kept(p, "sort") for p in parts_of(frame, np.arange(400) // 200, 2)]
    whole = kept(frame, "sort")
    assert whole.design.note == "multinomial, because the outcome has 6 classes"
    assert parts[0] + parts[1] == whole


def test_a_column_may_be_missing_throughout_a_part() -> None:
    frame = rows()
    frame.loc[:199, ["x", "count", "size"]] = None
    frame.loc[200:, "empty"] = np.where(np.arange(200) % 2, "now", "then")
    first, second = (kept(p, "binomial") for p in parts_of(frame, np.arange(400) // 200, 2))
    assert first + second == kept(frame, "binomial")
    untyped = parts_of(frame, np.arange(400) // 200, 2)[0]
    untyped["x"], untyped["count"] = np.nan, pd.Series([None] * 200, dtype=object)
    other = kept(untyped, "binomial")
    assert [c.kind for c in other.columns[:3]] == ["levels", "levels", "levels"]
    whole = kept(frame, "binomial")
    assert (other + second).plan() == whole.plan()
    assert (second + other).plan().feature_names == whole.plan().feature_names
    left = (whole - other).plan()
    assert sorted(left.feature_names) == sorted(second.plan().feature_names)
    again = experiment(frame, "binomial")
    coded = whole.cross_frame(untyped, folds="fold")
    pd.testing.assert_frame_equal(coded, again.cross_frame[:200])


@pytest.mark.halved
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_new_rows_are_coded_as_in_the_cross_frame_of_all_rows(
    outcome: str, options: dict[str, Any]
) -> None:
    frame = rows()
    days = parts_of(frame, np.arange(400) // 200, 2)
    merged = kept(days[0], outcome, **options) + kept(days[1], outcome, **options)
    whole = experiment(frame, outcome, **options)
    given = {
        name: options[name] for name in ("scale", "collar", "sample_weight") if name in options
    }
    for k, day in enumerate(days):
        expected = whole.cross_frame[200 * k :][:200].reset_index(drop=True)
        coded = merged.cross_frame(day, folds="fold", **given)
        pd.testing.assert_frame_equal(coded, expected, rtol=1e-9, atol=1e-9)


def test_folds_are_a_column_numbers_or_index_pairs() -> None:
    frame = rows()
    made = experiment(frame, "binomial")
    for folds in (made.folds, made.fold_numbers, frame["fold"], "fold"):
        coded = made.plan.statistics.cross_frame(frame, folds=folds)
        pd.testing.assert_frame_equal(coded, made.cross_frame)


@pytest.mark.parametrize("kind", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_frames_of_other_kinds_come_back(kind: Callable[[Any], Any]) -> None:
    frame = rows().drop(columns=["mixed", "empty"])
    frame["day"] = frame["day"].astype("datetime64[us]")
    variables = VARIABLES[:5]
    expected = experiment(frame, "binomial", variables=variables)
    made = experiment(frame, "binomial", variables=variables, keep_statistics=False)
    statistics = vt.design_treatments(
        kind(frame), outcome="hit", variables=variables, cv=pairs(frame), keep_statistics=True
    ).statistics
    assert statistics.plan() == expected.plan
    coded = statistics.cross_frame(kind(frame[:50]), folds="fold", prune_sig=0.5)
    assert type(coded) is type(kind(frame))
    sparse = statistics.cross_frame(
        kind(frame), folds="fold", prune_sig=1e-9, prune_by="sig_fdr", sparse_output=False
    )
    assert set(sparse.columns if kind is pl.from_pandas else sparse.column_names) <= set(
        made.cross_frame
    )


def test_a_sparse_cross_frame() -> None:
    frame, options = rows(), {"coders": ["lev", "isBAD"]}
    statistics = kept(frame, "binomial", **options)
    dense = statistics.cross_frame(frame, folds="fold")
    sparse = statistics.cross_frame(frame, folds="fold", sparse_output=True)
    np.testing.assert_array_equal(sparse.toarray(), dense)
    with pytest.raises(InvalidOptionError, match="scale"):
        statistics.cross_frame(frame, folds="fold", sparse_output=True, scale=True)


def test_a_rows_own_outcome_is_not_in_its_code() -> None:
    frame = rows()
    flipped = frame.copy()
    flipped.loc[7, "hit"] = not frame.loc[7, "hit"]
    one, other = (
        kept(f, "binomial").cross_frame(f[:8], folds="fold")[["x_catB", "many_catB"]]
        for f in (frame, flipped)
    )
    same_fold = (frame["fold"][:8] == frame.loc[7, "fold"]).to_numpy()
    pd.testing.assert_frame_equal(one[same_fold], other[same_fold])
    assert not one[~same_fold].equals(other[~same_fold])


def test_rows_of_weight_0_are_coded_and_leave_no_trace() -> None:
    frame = rows()
    frame.loc[3, ["x", "weight"]] = ["weightless", 0]
    made = experiment(frame, "binomial", sample_weight="weight")
    expected = experiment(frame, "binomial", sample_weight="weight", keep_statistics=False)
    pd.testing.assert_frame_equal(made.cross_frame, expected.cross_frame, rtol=1e-9)
    assert "weightless" not in made.plan.statistics.columns[0].levels.to_list()


def test_other_folds_are_refused() -> None:
    frame = rows()
    made = kept(frame, "binomial")
    with pytest.raises(
        InvalidOptionError,
        match=r"^column 'x', .*fold \d, outcome .*: there are rows of weight .* cannot be taken",
    ):
        made.cross_frame(frame, folds=(frame["fold"] + 1) % N_FOLDS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": "never"}, r"column 'x', level 'never', fold \d, outcome .*: .*weight 0, from"),
        ({"x": None}, r"column 'x', missing values, fold \d, outcome"),
        ({"count": 77.0}, r"column 'count', value 77, fold \d, outcome"),
        ({"count": np.nan}, r"column 'count', missing values, fold"),
        ({"hit": True}, r"column .*fold \d, outcome 1: .*from which \d+ cannot be taken away"),
        ({"fold": 1}, r"column 'x', .*fold 1"),
    ],
)
def test_rows_that_were_never_added_cannot_be_taken_away(
    change: dict[str, Any], message: str
) -> None:
    frame = rows(60)
    whole = kept(frame, "binomial")
    other = frame.assign(**change)
    with pytest.raises(InvalidOptionError, match=message):
        whole - whole.of_rows(other, folds="fold")


def test_an_outcome_that_was_never_added_cannot_be_taken_away() -> None:
    frame = rows(60)
    whole = kept(frame, "numeric", variables=["x"])
    with pytest.raises(InvalidOptionError, match=r"^outcome 12\.5: there are rows of weight 0"):
        whole - whole.of_rows(frame[:5].assign(price=12.5), folds="fold")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outcome": "price"}, "outcome_type is 'binomial' in one and 'numeric' in the other"),
        ({"outcome": "late"}, "outcome_name is 'hit' in one and 'late' in the other"),
        (
            {"target": False},
            "target is 1 in one and False in the other",
        ),
        ({"variables": ["x"]}, r"variables is \('x', 'many', .* in one and \('x',\) in the other"),
        ({"cv": 3}, "n_folds is 4 in one and 3 in the other"),
        ({"rare_count": 3}, "rare_count is 0.0 in one and 3.0 in the other"),
        ({"imputation_map": {"count": 0.0}}, "imputation_map is {} in one and {'count': 0.0}"),
    ],
)
def test_statistics_of_different_designs_do_not_mix(options: dict[str, Any], message: str) -> None:
    frame = rows().assign(late=rows()["hit"])
    one = kept(frame, "binomial")
    other = experiment(frame, options.pop("outcome", "binomial"), **options).plan.statistics
    for mix in (lambda: one + other, lambda: one - other):
        with pytest.raises(InvalidOptionError, match=f"statistics do not fit together: {message}"):
            mix()


def test_a_column_of_two_types_is_refused() -> None:
    frame = rows()
    one = kept(frame, "binomial")
    other = kept(frame.assign(count=frame["count"].astype(str)), "binomial")
    for mix in (lambda: one + other, lambda: other + one, lambda: one - other):
        with pytest.raises(
            InvalidOptionError, match=r"column 'count' holds (number|levels) in one"
        ):
            mix()
    dates = kept(frame.assign(count=frame["day"]), "binomial")
    with pytest.raises(
        InvalidOptionError, match="'count' holds number in one of the statistics and date"
    ):
        one + dates


def test_statistics_add_to_nothing_else() -> None:
    statistics = kept(rows(), "binomial")
    with pytest.raises(TypeError, match="unsupported operand"):
        statistics + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        statistics - None
    assert statistics != 1


@pytest.mark.parametrize(
    "cv",
    [
        "ordered",
        RepeatedKFold(n_splits=2, n_repeats=2, random_state=0),
        [(np.arange(200, 399), np.arange(200)), (np.arange(200), np.arange(200, 400))],
        [(np.arange(200, 400), np.arange(200)), (np.arange(150), np.arange(200, 390))],
    ],
    ids=["ordered", "repeated", "not complementary", "left out"],
)
def test_folds_whose_sums_do_not_merge_are_refused(cv: Any) -> None:
    with pytest.raises(InvalidOptionError, match="keep_statistics=True needs a cv whose folds"):
        vt.design_treatments(rows(), outcome="hit", cv=cv, keep_statistics=True)


def test_fractional_weights_are_refused_where_rows_would_be_needed() -> None:
    frame = rows()
    with pytest.raises(InvalidOptionError, match=r"sample_weight is 0\.5 in row 0; .*classic"):
        kept(frame, "binomial", sample_weight=np.where(np.arange(400), 1.0, 0.5))


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"folds": None}, InvalidOptionError, "folds is missing: give the number of each row's"),
        ({"folds": np.full(400, 4)}, InvalidOptionError, "folds is 4 in row 0; .* folds 0 to 3"),
        ({"folds": np.full(400, 0.5)}, InvalidOptionError, r"folds is 0\.5 in row 0"),
        ({"folds": "x"}, InvalidOptionError, "folds must hold the number of a fold for each row"),
        ({"folds": "nowhere"}, FrameError, "folds='nowhere' is not a column of the frame"),
        ({"folds": [(range(200), range(200, 400)), (range(200, 400), range(200))]},
         InvalidOptionError, "folds has 2 index pairs; it must have 4"),
        ({"outcome": "many"}, OutcomeError, None),
        ({"n_jobs": 0}, InvalidOptionError, "n_jobs=0 must be"),
        ({"frame": rows().drop(columns=["x", "day"])}, SchemaError,
         "the frame lacks 2 columns that the statistics are of: 'x', 'day'"),
        ({"frame": rows()[:0]}, FrameError, "the frame has no rows"),
        ({"scale": 1}, OptionTypeError, "scale=1 must be True or False"),
    ],
)  # fmt: skip
def test_what_cannot_be_coded_is_said(given: dict[str, Any], kind: Any, message: Any) -> None:
    frame = rows()
    options = {"frame": frame, "folds": "fold"} | given
    if given.get("outcome") == "many":
        statistics, options = kept(frame, "numeric"), options | {"outcome": "x"}
        options["frame"] = frame.assign(x="text")
        message = "the outcome holds levels such as 'text', but was numbers in the design"
    else:
        statistics = kept(frame, "binomial")
    with pytest.raises(kind, match=message):
        statistics.cross_frame(**options)


def test_an_outcome_given_as_an_array_must_be_given_again() -> None:
    frame = rows()
    made = vt.cross_frame_experiment(
        frame.drop(columns="hit"),
        outcome=frame["hit"].to_numpy(),
        variables=VARIABLES,
        cv=pairs(frame),
        keep_statistics=True,
    )
    statistics = made.plan.statistics
    with pytest.raises(OutcomeError, match="outcome is missing: give it as an array"):
        statistics.cross_frame(frame, folds="fold")
    coded = statistics.cross_frame(frame, folds="fold", outcome=frame["hit"])
    pd.testing.assert_frame_equal(coded, made.cross_frame)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_is_left_must_make_a_plan(outcome: str) -> None:
    frame = rows()
    whole = kept(frame, outcome)
    with pytest.raises(OutcomeError, match="the statistics have no rows; a plan needs at least"):
        (whole - whole).plan()
    column = OUTCOMES[outcome]
    one = frame[frame[column] == frame.loc[0, column]]
    with pytest.raises(OutcomeError, match=r"the outcome is .* in every row of the statistics"):
        whole.of_rows(one, folds="fold").plan()
    fold = frame[frame["fold"] == 2]
    with pytest.raises(InvalidOptionError, match="all rows of the statistics are in fold 2"):
        whole.of_rows(fold, folds="fold").plan()


def test_a_plan_keeps_its_statistics_but_is_not_compared_by_them() -> None:
    frame = rows()
    made = experiment(frame, "binomial").plan
    again = pickle.loads(pickle.dumps(made))
    assert again.statistics == made.statistics
    assert again.statistics.plan() == made
    read = vt.TreatmentPlan.from_json(made.to_json())
    assert read.statistics is None
    assert read == made
    assert not len(made.diff(read))
    assert "statistics" not in json.loads(made.to_json())


def test_results_do_not_depend_on_threads() -> None:
    frame = rows()
    one, two = (experiment(frame, "numeric", n_jobs=n) for n in (1, 2))
    assert one.plan.statistics == two.plan.statistics
    assert one.plan == two.plan == one.plan.statistics.plan(n_jobs=2)
    pd.testing.assert_frame_equal(one.cross_frame, two.cross_frame)


def test_statistics_say_what_they_are() -> None:
    assert repr(kept(rows(), "multinomial")) == (
        "DesignStatistics: outcome multinomial, because the outcome has 3 classes\n"
        "7 columns, 400 rows, 4 folds"
    )


def test_only_asked_for_codes_are_built() -> None:
    frame = rows()
    for coders in (["clean"], ["catB"]):
        options: dict[str, Any] = {"coders": coders}
        with_them = experiment(frame, "binomial", **options)
        without = experiment(frame, "binomial", **options, keep_statistics=False)
        assert with_them.plan.feature_names == without.plan.feature_names
        pd.testing.assert_frame_equal(with_them.cross_frame, without.cross_frame, rtol=1e-9)


def test_rows_have_fold_numbers_where_they_have_one_fold() -> None:
    frame = rows()
    made = experiment(frame, "binomial")
    np.testing.assert_array_equal(made.fold_numbers, frame["fold"])
    twice = experiment(frame, "binomial", cv=pairs(frame) * 2, keep_statistics=False)
    with pytest.raises(InvalidOptionError, match="rows have no fold of their own"):
        twice.fold_numbers  # noqa: B018 (it raises)


def test_numbers_that_are_all_infinite_are_no_levels() -> None:
    frame = rows()
    one, other = (kept(frame.assign(count=value), "binomial") for value in (np.inf, "text"))
    for mix in (lambda: one + other, lambda: other + one, lambda: other - one):
        with pytest.raises(InvalidOptionError, match="column 'count'"):
            mix()


def test_classes_that_are_numbers_keep_their_order() -> None:
    frame = rows()
    frame["grade"] = np.where(np.arange(400) < 200, np.arange(400) % 2, 1 + np.arange(400) % 3 * 9)
    options: dict[str, Any] = {"outcome_type": "multinomial"}
    parts = parts_of(frame, np.arange(400) // 200, 2)
    first, second = (kept(part, "grade", **options) for part in parts)
    assert [first.design.classes, second.design.classes] == [(0, 1), (1.0, 10.0, 19.0)]
    whole = kept(frame, "grade", **options)
    assert first + second == whole
    assert whole - second == first


def test_classes_of_several_types_may_change_their_order() -> None:
    frame = rows()
    random = np.random.default_rng(0)
    labels: list[Any] = [9, 10, "a"]
    number = random.integers(0, 2, 400) + (np.arange(400) > 300)
    frame["sort"] = pd.Series([labels[i] for i in number], dtype=object)
    options: dict[str, Any] = {"outcome_type": "multinomial"}
    parts = parts_of(frame, np.arange(400) // 200, 2)
    parts[0]["sort"] = pd.Categorical(parts[0]["sort"], [9, 10])
    first, second = (kept(part, "sort", **options) for part in parts)
    merged = first + second
    assert (first.design.classes, merged.design.classes) == ((9, 10), (10, 9, "a"))
    assert merged == kept(frame, "sort", **options)


def test_a_numeric_outcome_of_two_values() -> None:
    frame = rows()
    frame["price"] = np.where(frame["hit"], 2.5, 0.5)
    with_them = experiment(frame, "numeric").plan.score_frame
    expected = experiment(frame, "numeric", keep_statistics=False).plan.score_frame
    spread = expected["code"] == "catD"
    np.testing.assert_allclose(with_them["sig"][~spread], expected["sig"][~spread], rtol=1e-9)


def test_forgotten_weights_are_noticed() -> None:
    frame = rows()
    statistics = kept(frame, "binomial", sample_weight="weight")
    message = "sample_weight is missing: the 400 rows in the statistics have weights, "
    with pytest.raises(InvalidOptionError, match=message):
        statistics.of_rows(frame, folds="fold")
    with pytest.raises(InvalidOptionError, match=message):
        statistics.cross_frame(frame, folds="fold")
    ones = np.ones(len(frame))
    assert statistics.of_rows(frame, folds="fold", sample_weight=ones).rows.weight.sum() == 400
    assert kept(frame, "binomial").of_rows(frame, folds="fold") == kept(frame, "binomial")


def test_no_more_rows_than_were_added_are_taken_away() -> None:
    frame = rows(60)
    statistics = kept(frame, "binomial")
    again = pd.concat([frame, frame.head(1)], ignore_index=True)
    weight = np.append(np.ones(60), 0)
    more = statistics.of_rows(again, folds="fold", sample_weight=weight)
    with pytest.raises(InvalidOptionError, match=r"there are 60 rows in the .*, from which 61 can"):
        statistics - more


def test_an_outcome_of_another_type_is_not_taken_for_the_other_class() -> None:
    frame = rows(60).assign(hit=[0, 1] * 30)
    as_text = frame.assign(hit=frame["hit"].astype(str))
    with pytest.raises(OutcomeError, match="holds text such as '0', '1', but the target"):
        kept(frame, "binomial").of_rows(as_text, folds="fold")
