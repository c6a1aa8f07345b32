"""The page of a plan: all of it is there, with the plan's numbers, as text and never markup."""

from __future__ import annotations

import html
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import vtreat_py as vt
from tests.conftest import TREATED
from tests.report.plans import DATA, PLANS, design, middle, of_classes, plan_of, repeated
from tests.report.reading import Element, read
from vtreat_py.base.markup import p_value, plain, share

pytestmark = pytest.mark.filterwarnings("ignore::vtreat_py.VtreatWarning")


def page(plan: vt.TreatmentPlan) -> Element:
    report = plan.report()
    assert report is not None
    return read(report.html)


def columns(found: Element) -> dict[str, Element]:
    """The bodies of the list of columns, by the names of the columns."""
    table = found.one("table", "columns")
    return {one.one("bdi").text: one for one in table.every("tbody") if "id" in one.held}


def table(column: Element, caption: str) -> list[list[str]]:
    """Rows of a table that folds out of a column."""
    return next(
        one.rows() for one in column.every("table") if one.one("caption").text.startswith(caption)
    )


@pytest.mark.parametrize("name", PLANS)
def test_plans_of_all_kinds_have_a_page_with_all_their_columns(name: str) -> None:
    plan = plan_of(name)
    found = page(plan)
    assert list(columns(found)) == [plain(c) for c in plan.variables]
    text = found.one("main").text
    assert plan.note in text or plan.outcome_type == "unsupervised"
    for column, reason in (*plan.unused, *plan.hints):
        assert reason in columns(found)[plain(column)].text
    assert "nan" not in text.split()
    assert "None" not in text.replace("None of", "")


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_read_from_json_has_the_same_page(name: str) -> None:
    plan = plan_of(name)
    again = vt.TreatmentPlan.from_json(plan.to_json())
    assert again.report() == plan.report()


@pytest.mark.parametrize("name", ["numbers", "two classes", "several classes", "pairs"])
def test_scores_are_those_of_the_score_frame(name: str) -> None:
    plan = plan_of(name)
    scores = plan.score_frame
    bodies = columns(page(plan))
    for column, expected in scores.groupby("orig_variable", sort=False):
        head, *rows = table(bodies[plain(column)], "What was made of it")
        expected = expected.sort_values(["sig", "rsq"], ascending=[True, False], kind="stable")
        assert [row[0] for row in rows] == expected["variable"].tolist()
        if plan.classes:
            place = head.index("Class")
            assert [row[place] for row in rows] == expected["outcome_target"].tolist()
        for heading, name_of, text in (
            ("Explains", "rsq", share),
            ("p-value", "sig", p_value),
            ("p, FDR", "sig_fdr", p_value),
        ):
            place = head.index(heading)
            assert [row[place] for row in rows] == [text(v) for v in expected[name_of]]
        told = [row[-1].partition(",")[0] == "yes" for row in rows]
        assert told == expected["recommended"].tolist()
        for row, limit, good in zip(
            rows, expected["default_threshold"], expected["recommended"], strict=True
        ):
            assert row[-1].endswith(f"p is {'' if good else 'not '}below {limit:.3g}")


def number_of(text: str) -> float:
    return float(text.replace(",", "").replace("%", ""))


def test_levels_of_a_number_are_those_of_level_effects() -> None:
    plan = design("y")
    effects = plan.level_effects("x")
    head, *rows = table(columns(page(plan))["x"], "Levels")
    names = [row[0] for row in rows]
    known = effects[effects["kind"] == "level"].sort_values("count", ascending=False, kind="stable")
    assert names == [*known["level"], "missing", "levels never seen"]
    expected = pd.concat([known, effects[effects["kind"] != "level"]])
    for name, row, one in zip(names, rows, expected.itertuples(), strict=True):
        told = dict(zip(head, row, strict=True))
        assert number_of(told["Code"]) == pytest.approx(one.effect, abs=0.005)
        mean = DATA["y"].mean()
        assert number_of(told["Believed"]) == pytest.approx(mean + one.effect, rel=1e-3)
        ends = [number_of(v) for v in told["90% interval"].split(" … ")]
        reach = 1.645 * one.effect_se
        assert ends == pytest.approx([mean + one.effect - reach, mean + one.effect + reach], 1e-3)
        if name != "levels never seen":
            assert number_of(told["Rows"].split()[0]) == one.count
            assert number_of(told["Raw"]) == pytest.approx(one.mean, rel=1e-3)


@pytest.mark.parametrize("smoothing", ["auto", "mixed", 3])
def test_rates_of_levels_are_what_their_codes_stand_for(smoothing: Any) -> None:
    plan = design(smoothing=smoothing, variables=["x"])
    treated = vt.prepare(plan, DATA, coders=["catB"])["x_catB"]
    effects = plan.level_effects("x").set_index("level")
    head, *rows = table(columns(page(plan))["x"], "Levels")
    believed = {row[0]: number_of(row[head.index("Believed")]) / 100 for row in rows}
    base = (DATA["c"] == "yes").mean()
    if smoothing == "mixed":  # codes are from the mean of log odds, which "never seen" is near
        base = believed["levels never seen"]
        base = 1 / (1 + (1 / base - 1) * np.exp(effects["effect"].iloc[-1]))
    for level in ("a", "b", "c", "d"):
        code = treated[DATA["x"] == level].iloc[0]
        odds = base / (1 - base) * np.exp(code)
        assert believed[level] == pytest.approx(odds / (1 + odds), abs=2e-3)


def test_classes_stand_beside_each_other_and_can_be_chosen() -> None:
    plan = of_classes()
    found = page(plan)
    chosen = [one.text for one in found.one("select", id="class").every("option")]
    assert chosen == ["all, beside each other", *plan.classes]
    x = columns(found)["x"]
    head, *rows = table(x, "Levels")
    for place, target in enumerate(plan.classes):
        column = next(i for i, name in enumerate(head) if name.startswith(target))
        raw = plan.level_effects("x", target).set_index("level")["mean"]
        told = {row[0]: row[column].split(" → ")[0] for row in rows}
        assert {level: told[level] for level in "abcd"} == {v: share(raw[v]) for v in "abcd"}
        assert {one.text for one in x.every("td", **{"data-k": str(place)}) if "pic" in one.classes}
    z = columns(found)["z"]
    captions = [one.one("figcaption").text for one in z.every("figure")]
    assert captions == list(plan.classes)


def test_numbers_have_their_histogram_means_and_lines() -> None:
    plan = plan_of("shapes")
    z = columns(page(plan))["z"]
    upper, lower = (z.one("svg", kind) for kind in ("along", "hist"))
    ranges = plan.number_effects("z")
    ranges = ranges[ranges["kind"] == "range"]
    assert len(list(upper.every("circle", "raw"))) == len(ranges)
    assert len(list(lower.every("rect"))) == len(ranges)
    assert {one.text for one in z.one("p", "key").every("code")} == {
        v.name for v in plan.derived if v.orig_variable == "z"
    }
    heights = np.array([-float(one.held["cy"] or 0) for one in upper.every("circle", "raw")])
    assert np.corrcoef(heights, ranges["mean"])[0, 1] == pytest.approx(1.0, abs=1e-5)


def test_areas_of_bars_are_shares() -> None:
    values = np.random.default_rng(0).normal(size=5_000)
    plan = vt.design_treatments(pd.DataFrame({"x": values}), outcome_type="unsupervised")
    bars = list(page(plan).one("svg", "hist").every("rect"))
    area = [
        float((one.held["width"] or "").rstrip("%")) * float(one.held["height"] or 0)
        for one in bars
    ]
    assert np.array(area) == pytest.approx(np.mean(area), rel=0.05)


def test_what_was_left_out_is_told_with_the_reason() -> None:
    frame = DATA.assign(noise=np.arange(240) % 7, constant=1, empty=None).astype({"noise": str})
    plan = design(frame=frame, variables=["noise", "constant", "empty", "x"])
    found = page(plan)
    notices = found.one("section", **{"aria-labelledby": "notices"}).text
    assert "constant: it is constant" in notices
    assert "empty: it has missing values only" in notices
    assert [one.column for one in plan.dropped] == ["noise"]
    assert "no more than chance makes it, p 0.77" in columns(found)["noise"].text


def test_suppressed_indicators_are_counted() -> None:
    plan = design("y", rare_sig=1e-9)
    dropped = {one.column: one.n_tests for one in plan.dropped if one.code == "lev"}
    assert dropped
    for column, body in columns(page(plan)).items():
        told = f"lev: {dropped.get(column)} level"
        assert (told in body.text) == (column in dropped)


def test_levels_without_rows_are_not_among_the_rare() -> None:
    frame = pd.DataFrame({"t": ["none", "rare", *["a", "b", "c"] * 20], "y": range(62)})
    weight = np.r_[0.0, np.ones(61)]
    plan = vt.design_treatments(
        frame, outcome="y", sample_weight=weight, rare_count=1, random_state=0
    )
    page = plan.report().html
    assert "<dt>Pooled as rare</dt><dd>1 level, 1.6% of the rows</dd>" in page
    assert "<dt>Levels</dt><dd>4</dd>" in page


def test_durations_of_parts_of_a_second_are_told_apart() -> None:
    took = pd.to_timedelta(np.arange(40) * 20, unit="ms")
    plan = vt.design_treatments(pd.DataFrame({"took": took, "y": range(40)}), outcome="y")
    assert "<dt>Largest</dt><dd>0.78 s</dd>" in plan.report().html


def test_the_largest_floats_have_places() -> None:
    frame = pd.DataFrame({"x": [1e308, -1e308, 0.0] * 9, "y": range(27)})
    page = vt.design_treatments(frame, outcome="y", random_state=0).report().html
    assert "nan%" not in page


@pytest.mark.parametrize("outcome_type", ["numeric", "rate"])
def test_lines_beyond_floats_are_not_drawn(outcome_type: Any) -> None:
    """A text may hold slopes that no data have; products and exponentials of them overflowed."""
    plan = vt.design_treatments(
        DATA, outcome=np.arange(len(DATA)) % 4, outcome_type=outcome_type, variables=["size"], cv=2
    )
    slope = next(one.slope for one in plan.derived if one.name == "size")
    found = page(vt.TreatmentPlan.from_json(plan.to_json().replace(repr(slope), "1.7e308")))
    assert "mean of the range" in found.text
    assert "line of size" in page(plan).text
    # Rates are the largest float at most.
    assert ("line of size" in found.text) == (outcome_type == "rate")


def test_a_target_of_numpy_is_written_as_all_numbers_are() -> None:
    frame = pd.DataFrame({"x": range(60), "y": [0.0, 1.0, 2.0] * 20})
    plan = vt.design_treatments(
        frame, outcome="y", outcome_type="binomial", target=np.float64(1.0), random_state=0
    )
    assert "The target is 1.0." in page(plan).text


def test_options_that_differ_from_the_defaults_stand_out() -> None:
    plan = design(min_fraction=0.1, imputation_map={"z": middle})
    options = page(plan).one("section", **{"aria-labelledby": "options"})
    changed = [one.text for one in options.one("ul").every("li")]
    assert changed == [
        "min_fraction: 0.1",
        "imputation_map: z: the function tests.report.plans.middle",
    ]
    rows = {row[0]: row[1:] for row in options.one("table").rows()}
    assert rows["min_fraction"] == ["0.1", "0.02"]
    assert rows["smoothing"] == ["auto", "auto"]
    text = page(design()).one("section", **{"aria-labelledby": "options"}).text
    assert "All options are as by default." in text


def test_columns_that_are_made_of_others_say_of_which() -> None:
    found = columns(page(plan_of("pairs")))
    assert "x, size, together" in found["x:size"].text
    assert "g, county, each inside the one before" in found["county"].text
    dates = columns(page(plan_of("dates")))
    assert "day: its weekday, by the clock of UTC" in dates["day_weekday"].text
    assert "2020-01-01 … 2021-02-02" in dates["day"].text
    assert "1 d 02:33:20" not in dates["took"].text
    assert "06:38:20" in dates["took"].text


def test_of_very_many_levels_the_most_common_are_shown() -> None:
    n = np.random.default_rng(0).permutation(np.repeat(np.arange(50_000), 2))
    level = pd.Series([f"level {i}" for i in n])
    level[level.index < 500] = "often"
    plan = vt.design_treatments(
        pd.DataFrame({"x": level}), outcome=np.arange(100_000) % 9, coders=["catN", "catP"], cv=2
    )
    body = columns(page(plan))["x"]
    caption = next(one.text for one in body.every("caption"))
    n_levels = level.nunique()
    assert caption == f"Levels and the outcome: the 20 most common of {n_levels:,}"
    rows = table(body, "Levels")[1:]
    assert len(rows) == 21
    assert rows[0][:2] == ["often", "500 0.5%"]
    assert f"{n_levels - 6:,} other levels" in body.one("svg", "strip").one("title").text.replace(
        f"{n_levels - 6}", f"{n_levels - 6:,}"
    )


EVIL = "</script><img src=x onerror=alert(1)>&amp;\"'"
HARD = [EVIL, ("odd", EVIL), "a\x00b\n", "‮left", "n" * 10_000, 7, "", " spaced ", "אב", "\ud800"]


def hard_plan() -> vt.TreatmentPlan:
    values = [EVIL, "", "l" * 10_000, "z\x00\x1f", "؛اب", "\udfff", " "] * 20
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name in HARD})
    frame["m" * 10_000 + EVIL] = np.arange(140.0) % 8
    frame["y"] = [EVIL, "no", "no", "no", "no", "no", "no"] * 20
    return vt.design_treatments(frame, outcome="y", target=EVIL, cv=2, random_state=0)


def test_names_and_levels_are_text_whatever_they_hold(tmp_path: Path) -> None:
    plan = hard_plan()
    report = plan.report()
    assert report is not None
    found = read(report.html)
    assert len(list(found.every("script"))) == 1
    assert not list(found.every("img"))
    assert list(columns(found))[:-1] == [plain(name, 48) for name in HARD]
    assert "\x00" not in report.html
    assert "‮" not in report.html
    longest = max(len(one.text) for one in found.every("bdi"))
    assert longest <= 80
    plan.report(tmp_path / "report.html")  # lone surrogates are no UTF-8
    levels = [row[0] for row in table(columns(found)[plain(7)], "Levels")[1:-1]]
    assert set(levels) >= {plain(EVIL, 40), '""', r"z\x00\x1f", r"\udfff", "␣"}


def test_attributes_cannot_be_left() -> None:
    for one in read(hard_plan().report().html).every():  # type: ignore[union-attr]
        assert not [name for name in one.held if name.startswith("on") or name in ("src", "style")]


MAKE = """
import sys, warnings
warnings.simplefilter("ignore")
from tests.report.plans import design, of_pairs
for plan in (design(), of_pairs()):
    sys.stdout.write(plan.report().html)
"""


def test_the_same_plan_has_the_same_page_in_every_process() -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE],
            stdout=subprocess.PIPE,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "PYTHONUTF8": "1"},
        )
        for seed in ("1", "2")
    ]
    pages = [process.communicate()[0] for process in running]
    assert pages[0] == pages[1]
    assert len(pages[0]) > 50_000


def seconds(plan: vt.TreatmentPlan) -> float:
    start = time.process_time()
    plan.report()
    return time.process_time() - start


@pytest.mark.long
def test_the_page_grows_with_the_columns_and_not_with_their_square() -> None:
    plan = design()
    few, many = repeated(plan, 10), repeated(plan, 100)  # 50 and 500 columns
    least = min(seconds(few) for _ in range(3))
    assert seconds(many) < 20 * least
    html = many.report().html  # type: ignore[union-attr]
    assert len(html.encode()) < 5_000_000
    assert len(columns(read(html))) == 500


@pytest.mark.long
def test_of_very_many_columns_each_shows_less() -> None:
    n = np.arange(600)
    frame = pd.DataFrame({"x": [f"level {k % 30:02d}" for k in n]})
    plan = vt.design_treatments(frame, outcome=(n % 30) + n // 300, cv=2, random_state=0)
    few, many = (columns(page(repeated(plan, times))) for times in (1, 400))
    made, least = len(plan.derived), 7_000 // 400
    assert few["x0"].one("caption").text.endswith("the 20 most common of 30")
    captions = [one.text for one in many["x7"].every("caption")]
    assert captions[0].endswith("the 15 most common of 30")
    assert captions[1].endswith(f"the {least} that say most, {made - least} more")
    assert len(table(many["x7"], "What was made of it")) == least + 1
    sure = [" … " in body.one("table").text for body in many.values()]
    assert sum(sure) == 250


def test_a_file_is_written_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("before", encoding="utf-8")
    assert design().report(path) is None
    assert path.read_text(encoding="utf-8") == design().report().html  # type: ignore[union-attr]
    assert list(tmp_path.iterdir()) == [path]


def test_a_notebook_shows_it_in_a_frame_of_its_own() -> None:
    report = design().report()
    assert report is not None
    frame = read(report._repr_html_()).one("iframe")
    assert frame.held["srcdoc"] == report.html
    assert frame.held["sandbox"] == "allow-scripts"
    assert frame.held["title"]
    assert repr(report).startswith("PlanReport of 5 columns;")
    assert html.unescape(html.escape(report.html)) == report.html


def test_a_fitted_treatment_reports_its_plan(tmp_path: Path) -> None:
    treatment = vt.NumericOutcomeTreatment(random_state=0, cv=2)
    with pytest.raises(NotFittedError):
        treatment.report()
    treatment.fit(DATA[TREATED], DATA["y"])
    assert treatment.report() == treatment.plan_.report()
    treatment.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_nothing_is_asked_of_the_network() -> None:
    report = design().report()
    assert report is not None
    for word in ("http:", "https:", "//", "@import", "url("):
        text = report.html if word != "//" else report.html.partition("<script>")[0]
        assert word not in text.replace("http://www.w3.org/2000/svg", "")
