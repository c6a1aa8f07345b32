"""The audit of a deployed plan: exact shares, honest tests, one report for all kinds of frames."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vtreat_py as vt
from tests.conftest import TREATED, FrameKind, assert_same_values, example_columns
from tests.frames.test_kinds import TREATED as OF_EVERY_TYPE
from tests.frames.test_kinds import wild_columns
from vtreat_py.base.errors import (
    FrameError,
    InvalidOptionError,
    OptionTypeError,
    OutcomeError,
    SchemaError,
)
from vtreat_py.statistics.stability_index import stability_index

pytestmark = pytest.mark.filterwarnings("ignore:nothing is derived from:vtreat_py.VtreatWarning")

law = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_shares_of_a_rate_are_of_exposure() -> None:
    random = np.random.default_rng(0)
    kind = random.choice(["taxi", "private"], 400)
    cars = pd.DataFrame({"kind": kind, "years": np.where(kind == "taxi", 4.0, 0.25)})
    claims = random.poisson(0.3 * cars["years"])
    given: dict[str, Any] = {"variables": ["kind"], "random_state": 0}
    plan = vt.design_treatments(cars, outcome=claims, exposure="years", **given)
    with pytest.warns(vt.VtreatWarning, match="give the exposure of the rows as sample_weight"):
        assert plan.audit(cars).flagged == ["kind"]
    report = plan.audit(cars, sample_weight="years")
    assert report.flagged == []
    assert report.frame["psi"].max() < 1e-4


def plan_of(values: Any, **options: Any) -> vt.TreatmentPlan:
    """A plan without outcome on one column, x."""
    frame = pd.DataFrame({"x": values})
    return vt.design_treatments(frame, outcome_type="unsupervised", **options)


def row_of(plan: vt.TreatmentPlan, values: Any, **options: Any) -> Any:
    """The row that an audit has for the column x."""
    frame = plan.audit(pd.DataFrame({"x": values}), **options).frame
    assert len(frame) == 1
    return frame.iloc[0]


def assert_same_report(left: vt.AuditReport, right: vt.AuditReport) -> None:
    pd.testing.assert_frame_equal(left.frame, right.frame, check_exact=True)
    for one in left.columns:
        pd.testing.assert_frame_equal(
            left.bins(one.column), right.bins(one.column), check_exact=True
        )
        if one.levels is not None:
            ours, theirs = (report.levels(one.column, 99) for report in (left, right))
            pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


# What is counted


def test_shares_of_levels_are_exact() -> None:
    plan = plan_of(["a"] * 60 + ["b"] * 28 + ["c"] * 2 + ["d", "e"] + [None] * 8, min_fraction=0.03)
    row = row_of(plan, ["a"] * 4 + ["c"] * 2 + ["new"] * 3 + ["newer"] + [None] * 10)
    assert (row["kind"], row["rows"]) == ("levels", 20)
    assert (row["missing_then"], row["missing_now"]) == (0.08, 0.5)
    assert (row["novel_then"], row["novel_now"]) == (0.02, 0.2)
    assert (row["rare_then"], row["rare_now"]) == (0.04, 0.1)
    assert row[["below", "above", "clipped"]].isna().all()


def test_levels_that_are_pooled_are_rare() -> None:
    plan = plan_of(["a"] * 80 + ["b"] * 20, rare_count=20)
    row = row_of(plan, ["a", "b", "b", "c"])
    assert (row["rare_then"], row["rare_now"], row["novel_now"]) == (0.2, 0.5, 0.25)


def test_shares_of_numbers_are_exact() -> None:
    plan = plan_of([*range(50), *[np.nan] * 50], collar_prob=0.25)
    treatment = plan.treatments[0]
    values = [-5.0, 0.0, 1.0, 49.0, 49.5, 1e300, np.nan, np.inf, -np.inf, 25.0]
    row = row_of(plan, values)
    assert (row["missing_then"], row["missing_now"]) == (0.5, 0.3)
    assert (row["below"], row["above"]) == (0.1, 0.2)
    clipped = [v for v in values if np.isfinite(v) and not treatment.lower <= v <= treatment.upper]
    assert row["clipped"] == len(clipped) / 10 == 0.6
    assert row[["novel_then", "novel_now", "rare_then", "rare_now"]].isna().all()


def test_the_index_of_levels_by_hand() -> None:
    plan = plan_of(["a"] * 400 + ["b"] * 300 + ["c"] * 280 + ["r"] * 10 + ["one", "two"] * 5)
    now = ["a"] * 500 + ["b"] * 400 + ["r"] * 10 + ["new"] * 30 + [None] * 60
    found = plan.audit(pd.DataFrame({"x": now})).bins("x").set_index("bin")
    then = {"missing": 0, "'a'": 400, "'b'": 300, "'c'": 280, "other levels": 20, "novel levels": 0}
    later = {**then, "missing": 60, "'a'": 500, "'b'": 400, "'c'": 0, "other levels": 10}
    later["novel levels"] = 30
    assert found["rows_then"].to_dict() == then
    assert found["rows_now"].to_dict() == later
    index = stability_index(*(np.array([*c.values()], dtype=float) for c in (then, later)))
    np.testing.assert_array_equal(found["psi"], index)
    assert row_of(plan, now)["psi"] == index.sum()
    np.testing.assert_allclose(found[["then", "now"]].sum(), 1, rtol=1e-15)


def test_the_index_of_numbers_by_hand() -> None:
    plan = plan_of([*np.arange(100.0), *[np.nan] * 25])
    now = [*np.arange(50.0), *[150.0] * 20, -1.0, *[np.nan] * 29]
    found = plan.audit(pd.DataFrame({"x": now})).bins("x")
    assert found["bin"].tolist() == [
        "missing", "below 0", "0 to 9", "9 to 19", "19 to 29", "29 to 39", "39 to 49", "49 to 59",
        "59 to 69", "69 to 79", "79 to 89", "89 to 99", "above 99",
    ]  # fmt: skip
    assert found["rows_then"].tolist() == [25, 0, *[10] * 10, 0]
    assert found["rows_now"].tolist() == [29, 1, *[10] * 5, *[0] * 5, 20]
    index = stability_index(found["rows_then"].to_numpy(), found["rows_now"].to_numpy())
    np.testing.assert_array_equal(found["psi"], index)


def test_days_and_moments_are_shown_as_such() -> None:
    days = pd.date_range("2024-02-01", periods=29)
    dates = plan_of(pd.Series(days.date)).audit(pd.DataFrame({"x": days.date})).bins("x")["bin"]
    moments = plan_of(days).audit(pd.DataFrame({"x": days})).bins("x")["bin"]
    assert dates.iloc[1] == "below 2024-02-01"
    assert moments.iloc[-1] == "above 2024-02-29 00:00:00"


def test_levels_are_shown_by_how_far_they_moved() -> None:
    report = plan_of(["a"] * 50 + ["b"] * 30 + ["c"] * 20).audit(
        pd.DataFrame({"x": ["a"] * 10 + ["b"] * 8 + ["y", "z", None]})
    )
    table = report.levels("x")
    assert table["level"].tolist() == ["c", "b", None, "y", "z", "a"]
    assert table["kind"].tolist() == ["level", "level", "missing", "novel", "novel", "level"]
    assert table["rows_then"].tolist() == [20, 30, 0, 0, 0, 50]
    assert table["rows_now"].tolist() == [0, 8, 1, 1, 1, 10]
    pd.testing.assert_frame_equal(report.levels("x", 2), table.head(2))


def test_levels_are_exact_code_points() -> None:
    levels = ["", " ", "a", "a ", "A", "\u00e9", "e\u0301", "NaN", "NULL", "None", None]
    plan = plan_of(levels * 30)
    assert row_of(plan, levels * 3)["psi"] < 0.01
    row = row_of(plan, ["null", "nan", "a\u0301", "\t"])
    assert (row["novel_now"], row["missing_now"]) == (1.0, 0.0)


def test_a_column_of_missing_values_only_can_be_audited() -> None:
    for values in (["a", "b"] * 20, np.arange(40.0)):
        row = row_of(plan_of(values), [None] * 40)
        assert row["missing_now"] == 1
        assert row["drifted"]


def test_levels_that_are_numbers_now_are_levels() -> None:
    plan = plan_of(pd.Series([1, 2, "a", None] * 10, dtype=object))
    row = row_of(plan, pd.Series([1, 2, 3, None], dtype=object))
    assert (row["novel_now"], row["missing_now"], row["rare_now"]) == (0.25, 0.25, 0)


# What does not matter


@pytest.fixture(scope="module")
def everything() -> vt.TreatmentPlan:
    return vt.design_treatments(
        pd.DataFrame(wild_columns()), outcome="y", variables=OF_EVERY_TYPE, random_state=0
    )


@pytest.mark.halved
def test_every_kind_of_frame_gives_the_same_report(
    kind: FrameKind, everything: vt.TreatmentPlan
) -> None:
    now = wild_columns(90, 1)
    report = everything.audit(kind.make(now))
    assert_same_report(report, everything.audit(pd.DataFrame(now)))
    designed = vt.design_treatments(
        kind.make(wild_columns()), outcome="y", variables=OF_EVERY_TYPE, random_state=0
    )
    assert_same_report(designed.audit(kind.make(now)), report)


def test_arrays_can_be_audited() -> None:
    x = np.random.default_rng(0).normal(size=(200, 2))
    plan = vt.design_treatments(x, outcome_type="unsupervised")
    report = plan.audit(x + np.array([0, 9]))
    assert report.flagged == ["x1"]


def test_weights_are_repeated_rows_and_order_does_not_matter(everything: vt.TreatmentPlan) -> None:
    frame, random = pd.DataFrame(wild_columns(90, 1)), np.random.default_rng(0)
    weight = random.integers(0, 4, 90)
    repeated = frame.iloc[random.permutation(np.repeat(np.arange(90), weight))]
    report = everything.audit(frame.assign(w=weight), sample_weight="w")
    assert_same_report(report, everything.audit(repeated))
    assert_same_report(report, everything.audit(frame, sample_weight=weight.astype(float)))
    assert (report.n_rows, report.weight) == (90, weight.sum())


def test_weights_of_the_design_are_repeated_rows() -> None:
    frame, random = pd.DataFrame(example_columns()), np.random.default_rng(0)
    weight = random.integers(0, 4, len(frame))
    given = {"outcome_type": "unsupervised", "variables": TREATED}
    plan = vt.design_treatments(frame, sample_weight=weight, **given)
    repeated = frame.iloc[random.permutation(np.repeat(np.arange(len(frame)), weight))]
    now = pd.DataFrame(example_columns(60, seed=8))
    ours, theirs = (p.audit(now) for p in (plan, vt.design_treatments(repeated, **given)))
    pd.testing.assert_frame_equal(
        ours.frame.sort_values("column", ignore_index=True),
        theirs.frame.sort_values("column", ignore_index=True),
        rtol=1e-12,
    )


@law
@given(st.lists(st.sampled_from(["a", "b", "c", "d", None, "é"]), min_size=1), st.randoms())
def test_shares_add_up_whatever_comes(now: list[Any], random: Any) -> None:
    plan = plan_of(["a"] * 6 + ["b"] * 3 + ["c"] + [None] * 2)
    report = plan.audit(pd.DataFrame({"x": pd.Series(now, dtype=object)}))
    table = report.levels("x", 99)
    assert table["rows_now"].sum() == len(now)
    assert table["rows_then"].sum() == 12
    row = report.frame.iloc[0]
    assert row["missing_now"] == now.count(None) / len(now)
    assert row["novel_now"] == sum(v in ("d", "é") for v in now) / len(now)
    assert row["psi"] == pytest.approx(report.bins("x")["psi"].sum(), rel=1e-12)
    shuffled = random.sample(now, len(now))
    again = plan.audit(pd.DataFrame({"x": pd.Series(shuffled, dtype=object)}))
    assert_same_report(report, again)


@law
@given(st.lists(st.floats(), min_size=1))
def test_any_numbers_can_be_audited(now: list[float]) -> None:
    plan = plan_of([*np.arange(30.0), np.nan])
    report = plan.audit(pd.DataFrame({"x": now}))
    row, values = report.frame.iloc[0], np.array(now)
    assert row["missing_now"] == (~np.isfinite(values)).mean()
    assert row["below"] == (np.isfinite(values) & (values < 0)).mean()
    assert row["above"] == (np.isfinite(values) & (values > 29)).mean()
    assert report.bins("x")["rows_now"].sum() == len(now)
    assert 0 <= row["p_value"] <= row["p_adjusted"] <= 1


def test_what_prepare_returns_does_not_change(design: Any, fresh: pd.DataFrame) -> None:
    plan = design()
    text, before, copied = plan.to_json(), vt.prepare(plan, fresh), fresh.copy()
    plan.audit(fresh)
    assert plan.to_json() == text
    assert_same_values(vt.prepare(plan, fresh), before)
    pd.testing.assert_frame_equal(fresh, copied)


def test_a_plan_that_was_read_from_json_audits_alike(design: Any, fresh: pd.DataFrame) -> None:
    for options in ({}, {"coders": ["lev", "clean"]}):
        plan = design(**options)
        back = vt.TreatmentPlan.from_json(plan.to_json())
        assert back == plan
        assert_same_report(back.audit(fresh), plan.audit(fresh))


# What is judged


def month(seed: int, n_rows: int = 400) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    income = np.where(random.random(n_rows) < 0.1, np.nan, random.exponential(size=n_rows))
    return pd.DataFrame(
        {
            "town": random.choice(["Ayr", "Bath", "Cork", None], n_rows),
            "street": [f"street {k}" for k in random.zipf(1.5, n_rows) % 500],
            "income": income,
            "kg": random.normal(70, 9, n_rows),
        }
    )


@pytest.fixture(scope="module")
def deployed() -> vt.TreatmentPlan:
    return vt.design_treatments(month(0), outcome=np.arange(400) % 7, random_state=0)


def test_without_drift_alarms_are_as_rare_as_promised() -> None:
    """A fresh design each time: its rows are a sample, too."""
    alarms, small, n_months = 0, 0, 60
    for seed in range(n_months):
        plan = vt.design_treatments(
            month(1_000 + seed), outcome_type="unsupervised", coders=["clean", "lev"]
        )
        report = plan.audit(month(2_000 + seed), psi=0, sig=0.1)
        alarms += bool(report.flagged)
        small += bool(plan.audit(month(2_000 + seed)).flagged)
    assert 1 <= alarms <= 13  # at most 6 expected, with a standard deviation of 2.3
    assert small == 0


def test_obvious_drift_is_found_and_the_worst_comes_first(deployed: vt.TreatmentPlan) -> None:
    now = month(1)
    now["kg"] *= 1_000
    now.loc[:79, "town"] = "Deal"
    report = deployed.audit(now)
    assert report.flagged == ["kg", "town"]
    table = report.frame
    assert table["column"].tolist()[:2] == ["kg", "town"]
    assert table["drifted"].tolist() == [True, True, False, False]
    assert (np.diff(table["psi"][2:]) <= 0).all()
    assert table["above"][0] == 1
    assert table["novel_now"][1] == 0.2


def test_a_unit_that_changes_in_a_few_rows_is_found(deployed: vt.TreatmentPlan) -> None:
    now = month(1, 4_000)
    now.loc[:399, "kg"] *= 1_000
    assert deployed.audit(now).flagged == ["kg"]


def test_many_rows_alone_are_no_drift() -> None:
    random = np.random.default_rng(6)
    plan = plan_of(random.normal(size=30_000))
    row = row_of(plan, random.normal(0.1, 1, size=200_000))
    assert row["p_adjusted"] < 1e-9
    assert row["psi_by_chance"] < row["psi"] < 0.1
    assert not row["drifted"]


def test_few_rows_alone_are_no_drift(deployed: vt.TreatmentPlan) -> None:
    table = deployed.audit(month(3, 12)).frame
    assert table["psi"].max() > 0.25
    assert not table["drifted"].any()


def test_new_levels_are_held_against_those_to_be_expected(deployed: vt.TreatmentPlan) -> None:
    """Streets are so many that some are new each month; that is no drift."""
    row = deployed.audit(month(4)).frame.set_index("column").loc["street"]
    assert row["novel_now"] > 0.05
    assert row["novel_now"] == pytest.approx(row["novel_then"], abs=0.08)
    assert row["psi"] < 0.1


def test_the_limits_are_inclusive_and_can_be_chosen(deployed: vt.TreatmentPlan) -> None:
    now = month(1)
    row = deployed.audit(now, psi=0, sig=1).frame.set_index("column").loc["kg"]
    at = {"psi": row["psi"], "sig": row["p_adjusted"]}
    assert "kg" in deployed.audit(now, **at).flagged
    assert "kg" not in deployed.audit(now, **at | {"psi": np.nextafter(row["psi"], 9)}).flagged
    if row["p_adjusted"] > 0:
        lower = np.nextafter(row["p_adjusted"], 0)
        assert "kg" not in deployed.audit(now, **at | {"sig": lower}).flagged


def test_p_values_are_adjusted_for_the_number_of_columns(deployed: vt.TreatmentPlan) -> None:
    table = deployed.audit(month(7)).frame.sort_values("p_value")
    holm = np.maximum.accumulate(table["p_value"] * np.arange(4, 0, -1)).clip(upper=1)
    np.testing.assert_allclose(table["p_adjusted"], holm, rtol=1e-15)


# What is done about it


def broken_month() -> pd.DataFrame:
    now = month(1)
    now["kg"] *= 1_000
    now["income"] = np.nan
    now["town"] = now["town"].replace({"Ayr": "Deal"})
    return now


def test_a_pipeline_may_stop(deployed: vt.TreatmentPlan) -> None:
    with pytest.raises(vt.DriftError) as caught:
        deployed.audit(broken_month(), on_drift="raise")
    message = str(caught.value)
    assert message.startswith(
        "3 of 4 columns drifted since the design (a stability index of at least 0.25 and an "
        "adjusted p-value of at most 0.01): "
    )
    assert "'kg': index 1" in message
    assert "out of range 100.0%" in message
    assert "missing 100.0% (was 10.5%)" in message
    assert ", novel 2" in message
    assert caught.value.report.flagged == ["kg", "income", "town"]
    same = pickle.loads(pickle.dumps(caught.value))
    assert (str(same), same.report.flagged) == (message, ["kg", "income", "town"])


def test_a_pipeline_may_warn(deployed: vt.TreatmentPlan) -> None:
    with pytest.warns(vt.VtreatWarning, match="3 of 4 columns drifted since the design") as caught:
        report = deployed.audit(broken_month(), on_drift="warn")
    assert caught[0].filename == __file__
    assert len(report.flagged) == 3


def test_without_drift_nothing_happens(deployed: vt.TreatmentPlan) -> None:
    for on_drift in ("ignore", "warn", "raise"):
        assert deployed.audit(month(8), on_drift=on_drift).flagged == []


def test_a_message_names_five_columns() -> None:
    frame = pd.DataFrame({f"x{k}": np.arange(99.0) for k in range(7)})
    plan = vt.design_treatments(frame, outcome_type="unsupervised")
    with pytest.raises(vt.DriftError, match=r"'x4': index [\d.]*, out of range 100.0%; and 2 more"):
        plan.audit(frame + 99, on_drift="raise")


# What is refused


def test_a_frame_that_prepare_refuses_is_refused_alike(design: Any, fresh: pd.DataFrame) -> None:
    plan = design()
    retyped = fresh.assign(z=fresh["z"].astype(str), size=fresh["size"].astype(str))
    for frame in (fresh.drop(columns=["x", "z"]), retyped, fresh.to_numpy()):
        with pytest.raises(SchemaError) as ours:
            plan.audit(frame)
        with pytest.raises(SchemaError) as theirs:
            vt.prepare(plan, frame)
        assert str(ours.value) == str(theirs.value)


def test_options_are_checked(deployed: vt.TreatmentPlan) -> None:
    now, report = month(1), deployed.audit(month(1))
    refused: list[tuple[Any, type[Exception], str]] = [
        ({"on_drift": "stop"}, InvalidOptionError, r"on_drift='stop'; .*'ignore', 'warn', 'raise'"),
        ({"psi": -1}, InvalidOptionError, "psi=-1; it must be >= 0"),
        ({"psi": "high"}, OptionTypeError, "psi='high' must be a number"),
        ({"sig": 2}, InvalidOptionError, "sig=2; it must be >= 0 and <= 1"),
        ({"sample_weight": "w"}, FrameError, "sample_weight='w' is not a column of the frame"),
        ({"sample_weight": np.zeros(400)}, OutcomeError, "sample_weight is zero in every row"),
    ]
    for options, error, message in refused:
        with pytest.raises(error, match=message):
            deployed.audit(now, **options)
    with pytest.raises(FrameError, match="the frame has no rows; an audit compares rows with"):
        deployed.audit(now.head(0))
    with pytest.raises(OptionTypeError, match="frame is of type dict"):
        deployed.audit({"town": ["Ayr"]})
    with pytest.raises(InvalidOptionError, match=r"no column 'age'; it has those .*'town'"):
        report.levels("age")
    with pytest.raises(InvalidOptionError, match="no column 'age'"):
        report.bins("age")
    with pytest.raises(InvalidOptionError, match=r"column 'kg' holds numbers; bins\('kg'\) shows"):
        report.levels("kg")
    with pytest.raises(InvalidOptionError, match="most=0; it must be a whole number, 1 or more"):
        report.levels("town", 0)
    with pytest.raises(InvalidOptionError, match=r"most=2\.5; it must be a whole number"):
        report.levels("town", 2.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="most=0; it must be a whole number, 1 or more"):
        report.plot(most=0)


# How it is shown


def test_it_reads_well(deployed: vt.TreatmentPlan) -> None:
    lines = repr(deployed.audit(broken_month())).split("\n")
    assert lines[0] == "AuditReport: 3 of 4 columns drifted since the design, 400 rows"
    assert lines[1].split() == [
        "column", "kind", "drifted", "psi", "p_adjusted", "missing_now", "novel_now", "below",
        "above",
    ]  # fmt: skip
    assert lines[2].split()[:3] == ["kg", "number", "True"]
    assert lines[2].endswith("0.0% 100.0%")
    assert len(lines) == 6


def test_html_shows_names_as_text() -> None:
    frame = pd.DataFrame({"<b>x</b>": np.arange(99.0)})
    html = vt.design_treatments(frame, outcome_type="unsupervised").audit(frame)._repr_html_()
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "<b>x" not in html
    assert "0 of 1 column drifted since the design, 99 rows" in html


def test_many_columns_are_cut_where_they_are_shown() -> None:
    frame = pd.DataFrame({f"x{k}": np.arange(99.0) for k in range(23)})
    report = vt.design_treatments(frame, outcome_type="unsupervised").audit(frame)
    assert repr(report).endswith("... 3 more in report.frame")
    assert "3 more in report.frame" in report._repr_html_()
    assert len(report.frame) == 23


def test_a_plan_that_treats_nothing_has_nothing_to_audit(drawn: None) -> None:
    report = plan_of(["a"] * 9).audit(pd.DataFrame({"z": [1, 2]}))
    assert repr(report) == "AuditReport: 0 of 0 columns drifted since the design, 2 rows"
    assert report.frame.empty
    assert report.flagged == []
    assert report.plot().get_title() == "0 of 0 columns drifted since the design"
    assert "0 of 0 columns" in report._repr_html_()


def test_a_report_can_be_kept(deployed: vt.TreatmentPlan) -> None:
    report = deployed.audit(broken_month())
    assert_same_report(pickle.loads(pickle.dumps(report)), report)
    table = report.frame
    table["psi"] = 0
    assert (report.frame["psi"] > 0).all()
    with pytest.raises(ValueError, match="read-only"):
        report.columns[0].bins.now[0] = 1


@pytest.fixture
def drawn() -> Iterator[None]:
    before = mpl.get_backend()
    plt.close("all")
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


def test_the_picture_shows_the_report(deployed: vt.TreatmentPlan, drawn: None) -> None:
    report = deployed.audit(broken_month())
    table, ax = report.frame, report.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == table["column"].tolist()
    filled, hollow = (np.asarray(c.get_offsets()) for c in ax.collections)
    assert filled[:, 0].tolist() == table["psi"][:3].tolist()
    assert hollow[:, 0].tolist() == np.maximum(table["psi"][3:], 1e-3).tolist()
    chance = [bar.get_width() for bar in ax.patches]
    assert chance == np.maximum(table["psi_by_chance"], 1e-3).tolist()
    assert ax.get_title() == "3 of 4 columns drifted since the design"
    assert ax.get_xlabel() == "population stability index"
    assert ax.lines[0].get_xdata() == [0.25, 0.25]
    own = plt.figure().add_subplot()
    assert report.plot(own, most=2) is own
    assert len(own.get_yticklabels()) == 2
