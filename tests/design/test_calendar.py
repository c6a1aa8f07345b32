"""What the calendar says of dates: parts as columns of levels, equal wherever the rows are."""

from __future__ import annotations

import calendar
import datetime as dt
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import KFold

import vtreat_py as vt
from vtreat_py.base.errors import (
    InvalidOptionError,
    OptionTypeError,
    PlanFormatError,
    SchemaError,
)
from vtreat_py.compat import NumericOutcomeTreatment as Compat
from vtreat_py.frames.calendar import LABELS, PARTS, number_of
from vtreat_py.testing import own_outcome_influence

# Codes are compared on rows that they were learned from.
pytestmark = pytest.mark.filterwarnings("ignore:this looks like the frame")
DAYS = 700
OF_TIME = {
    "month": lambda t: t.strftime("%b"),
    "week": lambda t: str(t.isocalendar()[1]),
    "day": lambda t: str(t.day),
    "is_month_end": lambda t: str(t.day == calendar.monthrange(t.year, t.month)[1]),
    "weekday": lambda t: t.strftime("%a"),
    "hour": lambda t: str(t.hour),
}


def daily(n: int = DAYS, seed: int = 0, **effects: float) -> pd.DataFrame:
    """Days one after the other, and an outcome with effects of Saturdays and of a trend."""
    when = pd.date_range("2021-03-05", periods=n)
    y = np.random.default_rng(seed).normal(size=n)
    y += effects.get("saturday", 0.0) * (when.day_of_week == 5)
    y += effects.get("trend", 0.0) * np.linspace(-0.5, 0.5, n)
    return pd.DataFrame({"when": when, "y": y})


def moments(n: int = 1200, zone: str | None = None) -> pd.DataFrame:
    """Moments over more than two years, some before 1970, some missing."""
    moment = pd.date_range("1968-12-25 23:17:08", periods=n, freq="19h31min10s", tz="UTC")
    moment = moment.as_unit("us").tz_convert(zone)
    if zone is None:
        moment = moment.tz_localize(None)
    y = np.random.default_rng(1).normal(size=n) + (moment.day_of_week == 5) + (moment.hour > 20)
    frame = pd.DataFrame({"id": np.arange(n), "moment": moment, "y": y, "fold": np.arange(n) % 5})
    frame.loc[[3, 50], "moment"] = pd.NaT
    return frame


def codes(plan: vt.TreatmentPlan, frame: Any) -> np.ndarray:
    """All variables of a frame."""
    return np.asarray(vt.prepare(plan, frame))


@pytest.mark.parametrize("part", PARTS)
def test_numbers_of_parts_are_those_of_python(part: str) -> None:
    start, step = dt.datetime(1, 1, 1, 5), dt.timedelta(hours=20 * 24 + 7)
    times = [start + i * step for i in range(36_000)]
    times += [dt.datetime(y, m, d) for y in (1900, 2000, 2023, 2024) for m, d in ((2, 28), (3, 1))]
    times += [dt.datetime(y, 12, 31) for y in range(1990, 2030)]
    seconds = np.array([(t - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1) for t in times])
    numbers = number_of(part, seconds.astype(float)).astype(int)
    assert [LABELS[part][i] for i in numbers] == [OF_TIME[part](t) for t in times]


def test_an_effect_of_saturdays_is_found() -> None:
    frame = daily(saturday=5.0)
    scores = vt.design_treatments(frame, outcome="y", calendar="auto", random_state=0).score_frame
    of_weekday = scores[scores["orig_variable"] == "when_weekday"].set_index("variable")
    best = of_weekday.loc["when_weekday_catN"]
    truth = np.corrcoef(frame["y"], frame["when"].dt.day_of_week == 5)[0, 1] ** 2
    assert best["recommended"]
    assert best["sig"] < 1e-20
    assert best["rsq"] == pytest.approx(truth, abs=0.02)
    assert scores.set_index("variable").loc["when", "rsq"] < 0.01


@pytest.mark.parametrize("n", [DAYS, 5 * 365])
def test_a_trend_alone_is_no_season(n: int) -> None:
    sigs, recommended = [], 0
    for seed in range(6):
        plan = vt.design_treatments(
            daily(n, seed, trend=6.0), outcome="y", calendar="auto", random_state=0
        )
        scores = plan.score_frame.set_index("orig_variable")
        assert scores.loc["when", "recommended"]
        made = scores.drop("when")
        recommended += made["recommended"].sum()
        sigs += made["sig"].tolist()
    assert recommended <= 1  # 0.3 are expected; over years, two a design where no line is taken out
    assert np.mean(np.array(sigs) < 0.05) < 0.12


def test_a_trend_alone_is_no_season_of_a_class_nor_of_weighted_rows() -> None:
    frame = daily(5 * 365, trend=6.0)
    frame["y"] = frame["y"] > 0
    frame["w"] = np.random.default_rng(0).integers(0, 3, len(frame))
    for given in ({}, {"sample_weight": "w"}, {"sample_weight": "w", "weight_kind": "importance"}):
        plan = vt.design_treatments(
            frame, outcome="y", calendar="auto", variables=["when"], random_state=0, **given
        )
        scores = plan.score_frame.set_index("orig_variable")
        assert scores.loc["when", "recommended"]
        assert not scores.loc["when_month", "recommended"].any()


def test_parts_are_those_whose_cycles_are_covered_twice() -> None:
    def parts(n: int, freq: str = "D") -> list[str]:
        frame = pd.DataFrame({"when": pd.date_range("2021-01-01", periods=n, freq=freq)})
        frame["y"] = np.arange(n) % 7
        plan = vt.design_treatments(
            frame, outcome="y", outcome_type="numeric", calendar="auto", random_state=0
        )
        return [one.part for one in plan.made]

    assert parts(13) == []
    assert parts(14) == ["weekday"]
    assert parts(56) == ["day", "is_month_end", "weekday"]
    assert parts(47, "h") == []
    assert parts(48, "h") == ["hour"]
    assert parts(40, "24h") == ["weekday"]
    assert parts(729) == ["day", "is_month_end", "weekday"]
    assert parts(730) == ["month", "week", "day", "is_month_end", "weekday"]


def test_no_parts_are_made_where_they_are_not_wanted() -> None:
    frame = daily()
    classic, numbers = {"significance": "classic"}, {"coders": ["clean", "isBAD"]}
    for given in ({"calendar": None}, classic, numbers, {"keep_statistics": True}):
        plan = vt.design_treatments(frame, outcome="y", random_state=0, **given)
        assert plan.variables == ("when",)
        assert not plan.made
    assert not vt.design_missingness(frame).made
    treated = Compat(outcome_name="y").fit_transform(frame, frame["y"])
    assert set(treated.columns) == {"when", "y"}
    with pytest.raises(InvalidOptionError, match=r"calendar holds 'century'; give .auto., None"):
        vt.design_treatments(frame, outcome="y", calendar=["week", "century"])
    with pytest.raises(OptionTypeError, match="calendar"):
        vt.design_treatments(frame, outcome="y", calendar="week")


def test_parts_are_made_where_nothing_else_is_said() -> None:
    frame = daily(saturday=5.0)
    given: dict[str, Any] = {"outcome": "y", "random_state": 0}
    plan = vt.design_treatments(frame, **given)
    assert plan == vt.design_treatments(frame, calendar="auto", **given)
    assert plan == vt.cross_frame_experiment(frame, **given).plan
    treatment = vt.NumericOutcomeTreatment(random_state=0).fit(frame[["when"]], frame["y"])
    assert treatment.plan_.made == plan.made
    assert vt.UnsupervisedTreatment().fit(frame[["when"]]).plan_.made == plan.made
    importance = vt.variable_importance(frame, **given)
    assert importance["variable"].tolist()[0] == "when_weekday"
    assert set(importance["variable"]) == {"when", *(one.name for one in plan.made)}
    pairs = vt.find_interactions(frame.assign(z=np.arange(len(frame)) % 7), **given)
    assert set(pairs[["first", "second"]].to_numpy().ravel()) == {"when", "z"}


@pytest.mark.parametrize("lazy", [False, True])
def test_rows_of_weight_0_make_no_parts(lazy: bool) -> None:
    frame = daily(60).assign(id=range(60), weight=1.0)
    frame["when"] = frame["when"] + pd.to_timedelta(12.5, "h")
    frame.loc[[3, 40], "when"] = pd.NaT
    far = pd.to_datetime(["1990-01-01 05:00", "2049-05-05 07:00"])
    more = pd.DataFrame({"when": far, "y": 1.0})
    both = pd.concat([frame, more.assign(id=[60, 61], weight=0.0)], ignore_index=True)
    both["when"] = both["when"].astype("datetime64[us]")
    given: dict[str, Any] = {"outcome": "y", "sample_weight": "weight", "row_id": "id"}
    given |= {"variables": ["when"], "cv": 3}
    one, other = (
        vt.design_treatments(pl.from_pandas(rows).lazy() if lazy else rows, **given)
        for rows in (both, both[:60])
    )
    assert [part.part for part in one.made] == ["day", "is_month_end", "weekday"]
    assert one.made == other.made
    scores = (plan.score_frame.set_index("variable")["sig"] for plan in (one, other))
    pd.testing.assert_series_equal(*scores, rtol=1e-9)


def test_a_part_gives_way_to_a_column_of_its_name() -> None:
    frame = daily().assign(when_weekday="x", when_day=1.0)
    plan = vt.design_treatments(
        frame, outcome="y", calendar="auto", variables=["when"], random_state=0
    )
    assert [one.name for one in plan.made] == ["when_day_2", "when_is_month_end", "when_weekday_2"]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin", "America/New_York", "UTC+05:30"])
def test_parts_go_by_the_clock_of_the_column_on_all_frames(zone: str | None) -> None:
    frame = moments(zone=zone)
    if zone == "UTC+05:30":
        frame["moment"] = frame["moment"].dt.tz_convert(dt.timezone(dt.timedelta(hours=5.5)))
    plan = vt.design_treatments(
        frame, outcome="y", variables=["moment"], calendar="auto", cv="fold"
    )
    assert {one.zone for one in plan.made} == {zone or "UTC"}
    expected = codes(plan, frame)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    others = [table] if zone == "UTC+05:30" else [table, pl.from_arrow(table)]
    for other in others:
        assert (
            vt.design_treatments(
                other, outcome="y", variables=["moment"], calendar="auto", cv="fold"
            )
            == plan
        )
        np.testing.assert_array_equal(codes(plan, other), expected)
    if zone is not None:
        elsewhere = frame.assign(moment=frame["moment"].dt.tz_convert("Asia/Tokyo"))
        np.testing.assert_array_equal(codes(plan, elsewhere), expected)
    local = [None if pd.isna(t) else t for t in frame["moment"]]
    for part in ("weekday", "hour"):
        mark = f"moment_{part}_lev_x_{OF_TIME[part](local[0])}"
        if mark in plan.feature_names:
            marked = vt.prepare(plan, frame)[mark]
            same = [t is not None and OF_TIME[part](t) == OF_TIME[part](local[0]) for t in local]
            np.testing.assert_array_equal(marked, np.array(same, dtype=float))


def test_python_dates_and_naive_moments_are_dates_in_utc() -> None:
    frame = daily(saturday=3.0)
    objects = frame.assign(when=[t.date() for t in frame["when"]])
    plan = vt.design_treatments(objects, outcome="y", calendar="auto", random_state=0)
    assert {(one.kind, one.part) for one in plan.made} >= {("date", "weekday")}
    numbers = frame.assign(when=pd.array(objects["when"], dtype="date32[day][pyarrow]"))
    np.testing.assert_array_equal(codes(plan, numbers), codes(plan, objects))


@pytest.mark.parametrize("joined", [False, True])
def test_points_in_time_without_the_zone_of_the_design_are_warned_of(joined: bool) -> None:
    frame = moments(zone="America/New_York")
    given: dict[str, Any] = {"outcome": "y", "variables": ["moment"], "calendar": "auto"}
    if joined:
        given["composites"] = [("moment_hour", "moment_weekday")]
    plan = vt.design_treatments(frame, **given)
    wanted = [v.name for v in plan.derived if joined == (":" in str(v.orig_variable))]
    naive = frame[["moment"]].assign(moment=frame["moment"].dt.tz_localize(None))[::-1]
    for rows in (naive, pl.from_pandas(naive), pl.from_pandas(naive).lazy(), naive.astype(object)):
        with pytest.warns(vt.VtreatWarning, match="'moment' has no time zone, and was in America"):
            vt.prepare(plan, rows, variables=wanted)
    scorer, moment = plan.row_scorer(variables=wanted), dt.datetime(2020, 3, 1, 9)
    with pytest.warns(vt.VtreatWarning, match="'moment' has no time zone"):
        scorer({"moment": moment})
    unknown = pd.DataFrame({"moment": pd.Series([pd.NaT, pd.NaT])})
    in_utc = naive.assign(moment=naive["moment"].dt.tz_localize("UTC"))
    for rows in (in_utc, pl.from_pandas(in_utc).lazy(), unknown):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            vt.prepare(plan, rows, variables=wanted)
            scorer({"moment": moment.replace(tzinfo=dt.UTC)})


def test_a_zone_that_has_no_name_gives_numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # As those of dateutil are, which not all versions of pandas take.
    monkeypatch.setattr("vtreat_py.memory.dates.is_known", lambda _: False)
    frame = daily()
    frame["when"] = frame["when"].dt.tz_localize("Europe/Rome", nonexistent="NaT")
    with pytest.warns(vt.VtreatWarning, match="which is no name of the time zone database"):
        plan = vt.design_treatments(frame, outcome="y", calendar="auto", random_state=0)
    assert not plan.made


def test_frames_without_the_dates_or_with_others_are_refused() -> None:
    plan = vt.design_treatments(daily(saturday=5.0), outcome="y", calendar="auto", random_state=0)
    wanted = {"variables": ["when_weekday_catN"]}
    with pytest.raises(SchemaError, match="the frame lacks 1 column: 'when'"):
        vt.prepare(plan, pd.DataFrame({"when_weekday": ["Sat"]}), **wanted)
    with pytest.raises(SchemaError, match=r"'when' .designed on datetime, found levels"):
        vt.prepare(plan, pd.DataFrame({"when": ["soon"]}), **wanted)
    empty = vt.prepare(plan, pd.DataFrame({"when": [None, None]}), **wanted)
    assert np.isfinite(empty.to_numpy()).all()


def test_a_plan_with_parts_is_read_as_it_was_written() -> None:
    plan = vt.design_treatments(
        moments(zone="Europe/Berlin"), outcome="y", calendar="auto", cv="fold"
    )
    text = plan.to_json()
    again = vt.TreatmentPlan.from_json(text)
    assert again == plan
    assert again.made == plan.made
    other = vt.design_treatments(
        moments(zone="Asia/Tokyo"), outcome="y", calendar="auto", cv="fold"
    )
    where = plan.diff(other).set_index("where")["other"]
    assert where["columns['moment_weekday'].zone"] == "Asia/Tokyo"
    for change, message in (
        ({"zone": "Nowhere/At_all"}, "time zone 'Nowhere/At_all' is not known"),
        ({"part": "century"}, "expected one of"),
        ({"part": "hour"}, "it is treated as levels, some of"),
        ({"name": "other"}, "'other' is not among the variables"),
        ({"column": "moment_day"}, "'moment_day' is no column of a frame"),
        ({"name": "moment_day"}, "is listed twice"),
    ):
        changed = json.loads(text)
        (weekday,) = (one for one in changed["made"] if one["part"] == "weekday")
        weekday |= change
        with pytest.raises(PlanFormatError, match=message):
            vt.TreatmentPlan.from_json(json.dumps(changed))


def test_kept_statistics_make_the_parts_that_the_first_rows_had(tmp_path: Path) -> None:
    frame = moments()
    given: dict[str, Any] = {"outcome": "y", "variables": ["moment"], "cv": "fold"}
    given["calendar"] = "auto"
    assert not vt.design_treatments(frame, keep_statistics=True, **given).made
    given["calendar"] = ["weekday", "hour"]
    made = vt.cross_frame_experiment(frame, keep_statistics=True, **given)
    assert [one.name for one in made.plan.made] == ["moment_weekday", "moment_hour"]
    kept = made.plan.statistics
    kept.save(tmp_path / "kept.zip")
    kept = vt.DesignStatistics.load(tmp_path / "kept.zip")
    np.testing.assert_array_equal(codes(kept.plan(), frame), codes(made.plan, frame))
    more = kept + kept.of_rows(frame.iloc[:400], folds="fold")
    assert more.plan().made == made.plan.made
    assert (more - kept).n_rows == 400
    with pytest.raises(SchemaError, match=r"the frame lacks 1 column .*'moment'"):
        kept.of_rows(frame.drop(columns="moment"), folds="fold")
    given["calendar"] = ["hour"]
    other = vt.design_treatments(frame, keep_statistics=True, **given).statistics
    with pytest.raises(InvalidOptionError, match="the statistics do not fit together"):
        kept + other


def test_parts_are_audited_and_told_by_their_levels() -> None:
    frame = daily(saturday=2.0)
    plan = vt.design_treatments(frame, outcome="y", calendar="auto", random_state=0)
    assert "when_weekday" in set(plan.audit(frame.iloc[:100]).frame["column"])
    effects = plan.level_effects("when_weekday")
    assert set(effects["level"].dropna()) >= {"Mon", "Sat"}
    assert not plan.hints


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_a_row_of_a_date_has_no_influence_on_its_own_codes(kind: str) -> None:
    frame = daily(300, saturday=2.0)
    make = vt.NumericOutcomeTreatment if kind == "numeric" else vt.BinomialOutcomeTreatment
    treatment = make(
        calendar="auto", cv=KFold(4, shuffle=True, random_state=0), prune_sig=None, scale=True
    )
    y = frame["y"] if kind == "numeric" else frame["y"] > 0
    found = own_outcome_influence(treatment, frame[["when"]], y, rows=(3, 77), push=64.0)
    assert any("weekday_cat" in name for name in found.moves)
    assert found.largest <= 1e-10


def test_treatments_name_parts_of_arrays_after_their_columns() -> None:
    frame = daily(saturday=5.0)
    values = frame[["when"]].astype(object).to_numpy()
    treatment = vt.NumericOutcomeTreatment(calendar="auto", random_state=0).fit(values, frame["y"])
    names = treatment.get_feature_names_out(["when"])
    assert "when_weekday_lev_x_Sat" in set(names)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Sydney", "America/New_York"])
def test_moments_at_the_ends_of_time_are_prepared(zone: str) -> None:
    """Python's clocks end with the year 9999, and 9999-12-31 23:59:59 often stands for never."""
    days = pd.Series(pd.date_range("2023-01-01", periods=800, freq="D", tz="UTC")).dt.as_unit("s")
    frame = pd.DataFrame({"until": days.dt.tz_convert(zone), "y": np.arange(800.0) % 7})
    plan = vt.design_treatments(frame, outcome="y", coders=["lev"], random_state=0)
    moments = np.array(["9999-12-31T23:59:59"] * 3, "M8[s]")
    moments += np.array([0, 1, -1]) * np.timedelta64(146_097, "D")
    last = vt.prepare(plan, pd.DataFrame({"until": pd.Series(moments).dt.tz_localize("UTC")}))
    np.testing.assert_array_equal(last.iloc[0], last.iloc[2])
    np.testing.assert_array_equal(last.iloc[1], last.iloc[2])
    early = np.array(["0001-01-02T00:00:00"] * 2, "M8[s]")
    early[0] -= np.timedelta64(146_097, "D")
    first = vt.prepare(plan, pd.DataFrame({"until": pd.Series(early).dt.tz_localize("UTC")}))
    np.testing.assert_array_equal(first.iloc[0], first.iloc[1])
