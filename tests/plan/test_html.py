"""A plan and a fitted treatment show themselves in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.utils import estimator_html_repr

import vtreat_py as vt
from tests.conftest import TREATED, example_columns
from vtreat_py.plan.html import plan_html

DATA = pd.DataFrame(example_columns())
VOID = {"br", "hr", "img", "input", "meta", "link", "path", "circle", "line", "rect"}


class Page(HTMLParser):
    """Text of a page's cells and other elements; refuses what is not well nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.text: list[str] = []
        self.left_out: list[bool] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.left_out.append(("class", "vtreat-left-out") in attributes)
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def page(plan: vt.TreatmentPlan) -> Page:
    return Page(plan._repr_html_())


def table(plan: vt.TreatmentPlan) -> pd.DataFrame:
    head, *rows = page(plan).rows
    return pd.DataFrame(rows, columns=head)


def design(outcome: str = "c", frame: pd.DataFrame = DATA, **options: Any) -> vt.TreatmentPlan:
    given = {"random_state": 0, "variables": TREATED} | options
    return vt.design_treatments(frame, outcome=outcome, **given)


def test_sizes_and_the_choice_of_the_outcome_are_told() -> None:
    plan = design()
    text = "".join(page(plan).text)
    assert "Outcome: binomial, because the outcome has two classes; target 'yes'" in text
    assert f"derived variables: {len(plan.derived)} · recommended: {sum(plan.recommended)}" in text
    assert "columns in: 5 ·" in text
    assert "· rows: 240" in text


@pytest.mark.parametrize("outcome", ["c", "y"])
def test_scores_come_most_telling_first(outcome: str) -> None:
    plan = design(outcome)
    scores = plan.score_frame.sort_values(["sig", "rsq"], ascending=[True, False], kind="stable")
    shown = table(plan)
    assert shown["variable"].tolist() == scores["variable"].tolist()[:20]
    assert shown["recommended"].tolist() == [
        "yes" if v else "no" for v in scores["recommended"][:20]
    ]
    np.testing.assert_allclose(shown["rsq"].astype(float), scores["rsq"][:20], rtol=0.01)
    np.testing.assert_allclose(shown["sig"].astype(float), scores["sig"][:20], rtol=0.1)


def test_the_larger_effect_breaks_ties_and_no_p_value_reads_zero() -> None:
    frame = pd.DataFrame({"y": np.arange(3000.0) % 3})
    frame["near"], frame["same"] = frame["y"] + np.sin(frame.index) / 9, frame["y"] * 2
    shown = table(vt.design_treatments(frame, outcome="y", random_state=0))
    assert shown["variable"].tolist() == ["same", "near"]
    assert shown["sig"].tolist() == ["< 1e-300", "< 1e-300"]


def test_variables_that_are_not_recommended_stand_back() -> None:
    plan = design()
    head, *left_out = page(plan).left_out
    assert not head
    assert left_out == [v == "no" for v in table(plan)["recommended"]]


def test_at_most_twenty_scores_are_shown() -> None:
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 30))).rename(columns=str)
    plan = vt.design_treatments(wide.assign(y=wide["3"]), outcome="y", random_state=0)
    assert table(plan).shape == (20, 7)
    assert "20 of 30 scores, most telling first; all in " in "".join(page(plan).text)


def test_several_classes_say_which_class_a_score_is_of() -> None:
    plan = design(frame=DATA.assign(c=DATA["size"].map(lambda v: f"<{v % 3}>")))
    scores = plan.score_frame.sort_values(["sig", "rsq"], ascending=[True, False], kind="stable")
    shown = table(plan)
    assert shown["outcome_target"].tolist() == scores["outcome_target"].tolist()[:20]


def test_a_plan_without_outcome_shows_no_scores() -> None:
    plan = vt.design_treatments(DATA[TREATED], outcome_type="unsupervised")
    shown = table(plan)
    assert shown.columns.tolist() == ["variable", "orig_variable", "code", "level", "recommended"]
    assert shown["variable"].tolist() == plan.feature_names
    assert "most telling" not in "".join(page(plan).text)


def test_columns_that_are_not_used_are_told_with_the_reason() -> None:
    empty = DATA.assign(**{f"void {i}": None for i in range(25)})
    with pytest.warns(vt.VtreatWarning, match="nothing is derived from 25 columns"):
        plan = design(frame=empty, variables=None)
    text = "".join(page(plan).text)
    assert "Columns not used:void 0: it has missing values only" in text
    assert "void 19: " in text
    assert "void 20: " not in text
    assert "5 more in plan.unused" in text
    assert "Columns not used" not in "".join(page(design()).text)


def test_nothing_recommended_is_told() -> None:
    noise = pd.DataFrame({"a": [1, 2, 1, 2] * 16, "b": [1, 1, 2, 2] * 16})
    plan = vt.design_treatments(noise, outcome=np.arange(64) // 4 % 2, random_state=0)
    assert sum(plan.recommended) == 0
    assert "No derived variable is recommended." in page(plan).text
    assert "No derived variable is recommended." not in page(design()).text


def test_a_plan_of_nothing_is_shown_without_a_table() -> None:
    with pytest.warns(vt.VtreatWarning, match="nothing is derived"):
        plan = vt.design_treatments(pd.DataFrame({"x": [None] * 4}), outcome=[0, 1, 0, 1], cv=2)
    assert page(plan).rows == []


EVIL = "<script>alert('x')</script> & \"quoted\""


def test_names_levels_and_classes_are_data_and_never_markup() -> None:
    frame = pd.DataFrame(
        {
            EVIL: [EVIL, "b", "b"] * 20,
            ("odd", EVIL): [1.0, 2.0, 3.0] * 20,
            f"{EVIL} 2": [None] * 60,
            "y": [EVIL, "no", "no"] * 20,
        }
    )
    with pytest.warns(vt.VtreatWarning, match="nothing is derived"):
        plan = vt.design_treatments(frame, outcome="y", target=EVIL, random_state=0)
    shown = page(plan)
    assert "script" not in shown.tags
    assert EVIL in shown.rows[1] or EVIL in table(plan)["level"].tolist()
    assert repr(("odd", EVIL)) in table(plan)["orig_variable"].tolist()
    assert f"{EVIL} 2" in shown.text
    several = vt.design_treatments(
        frame.assign(y=[EVIL, "no", "yes"] * 20).drop(columns=f"{EVIL} 2"), outcome="y", cv=2
    )
    assert EVIL in table(several)["outcome_target"].tolist()
    assert "script" not in page(several).tags


def test_the_page_has_no_scripts_and_only_the_readers_colours() -> None:
    html = plan_html(design())
    assert Page(html).tags <= {
        "div", "style", "p", "ul", "li", "code",
        "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert "color: inherit" in html
    assert "background: none" in html
    assert "http" not in html


MAKES = [
    vt.BinomialOutcomeTreatment,
    vt.NumericOutcomeTreatment,
    vt.MultinomialOutcomeTreatment,
    vt.UnsupervisedTreatment,
]


@pytest.mark.parametrize("make", MAKES)
def test_a_fitted_treatment_shows_its_diagram_and_its_plan(make: Any) -> None:
    treatment = make(min_fraction=0.05)
    unfitted = treatment._repr_html_()
    assert make.__name__ in unfitted
    assert "vtreat-plan" not in unfitted
    y = {"Binomial": DATA["c"], "Numeric": DATA["y"], "Multinomial": DATA["size"] % 3}
    treatment.fit(DATA[TREATED], y.get(make.__name__.removesuffix("OutcomeTreatment")))
    shown = treatment._repr_html_()
    assert shown.endswith(plan_html(treatment.plan_))
    assert make.__name__ in shown.removesuffix(plan_html(treatment.plan_))
    bundle = treatment._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/plain"] == repr(treatment)
    assert plan_html(treatment.plan_) in bundle["text/html"]


def test_a_treatment_inside_a_pipeline_is_a_part_of_its_diagram() -> None:
    pipe = sklearn.pipeline.make_pipeline(vt.UnsupervisedTreatment().fit(DATA[TREATED]))
    assert "UnsupervisedTreatment" in estimator_html_repr(pipe)


def test_text_is_shown_where_text_is_asked_for() -> None:
    treatment = vt.UnsupervisedTreatment().fit(DATA[TREATED])
    with sklearn.config_context(display="text"):
        assert not hasattr(treatment, "_repr_html_")
        assert treatment._repr_mimebundle_() == {"text/plain": repr(treatment)}
