"""Plans for scoring: nothing of few rows is in any form of them."""

from __future__ import annotations

import json
import pickle
import re
import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.base.errors import InvalidOptionError, PlanFormatError, VtreatWarning

# Most of these frames have such columns.
pytestmark = [
    pytest.mark.filterwarnings("ignore:few rows are hidden in all"),
    pytest.mark.filterwarnings("ignore:.*'spike'. it has one number in all but few rows"),
]

MIN_ROWS = 10
# An outcome that no other number looks like, in any of the ways that a code may shift or shrink it.
MARK = 0.123456789


@pytest.fixture(scope="module")
def train() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 400
    shop = rng.choice(["mill", "port", "school"], n).astype(object)
    shop[:6] = [f"secret{i}" for i in range(6)]
    shop[6:12] = "hidden6"
    street = rng.choice([f"way {i}" for i in range(8)], n).astype(object)
    street[50:53] = None
    one = rng.choice(["odd", "even"], n).astype(object)
    one[17] = "Jane"
    size = rng.normal(30, 5, n).round(1)
    size[20:24] = np.nan
    return pd.DataFrame(
        {
            "shop": shop, "street": street, "one": one, "size": size,
            "zip": [*([987650] * 3), *rng.choice([11, 12, 13], n - 3)],
            "spike": [1.0, *np.zeros(n - 1)],
        }
    )  # fmt: skip


def numeric(train: pd.DataFrame) -> Any:
    """An outcome that goes with the levels, and is marked in the rows of those that are rare."""
    y = train["shop"].map({"mill": 3.0, "port": 5.0, "school": 4.0}).fillna(0.0).to_numpy()
    y = y + np.random.default_rng(1).normal(size=len(train)).round(3)
    rare = [*range(24), 50, 51, 52]
    y[rare] = MARK * np.arange(3, 3 + len(rare)) ** 3
    return y


def forms(plan: vt.TreatmentPlan) -> dict[str, str]:
    """All that can be made of a plan, as text."""
    return {
        "json": plan.to_json(),
        "sql": plan.to_sql("rows"),
        "report": plan.report().html,
        "repr": repr(plan),
        "html": plan._repr_html_(),
        "pickle": pickle.dumps(plan).decode("latin1"),
        "scores": plan.score_frame.to_csv(),
        "unused": repr(plan.unused),
    }


def numbers_in(text: str) -> np.ndarray[Any, Any]:
    found = re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)
    return np.array([float(one) for one in found])


@pytest.mark.parametrize(
    ("smoothing", "rare_count"), [("auto", 0), (0.0, 0), ("auto", 1), ("mixed", 3), (0.0, 3)]
)
def test_no_level_and_no_outcome_of_few_rows_is_found(
    train: pd.DataFrame, smoothing: Any, rare_count: int
) -> None:
    y = numeric(train)
    plan = vt.design_treatments(
        train, outcome=y, categorical=["zip"], random_state=0, smoothing=smoothing,
        rare_count=rare_count, min_fraction=0.0, missing_values=("?",),
        composites=[("shop", "one")],
    )  # fmt: skip
    assert "secret3" in plan.to_json()
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    for name, text in forms(scoring).items():
        for level in ("secret", "hidden6", "Jane", "987650"):
            assert level not in text, (name, level)
    rare = np.flatnonzero(np.isclose(y / MARK, np.rint(y / MARK), atol=1e-9))
    for of in ("json", "sql"):
        found = numbers_in(forms(scoring)[of])
        for value in (y[rare], y[rare] - y.mean()):
            apart = np.abs(found[:, None] - value)
            assert (apart > 1e-6).all(), found[(apart <= 1e-6).any(axis=1)]


def test_the_plan_of_the_design_has_them(train: pd.DataFrame) -> None:
    y = numeric(train)
    plan = vt.design_treatments(train, outcome=y, random_state=0)
    found = numbers_in(plan.to_json())
    assert (np.abs(found - y[17]) < 1e-6).any()  # the search finds what is there


def test_levels_that_stay_have_the_same_bits(train: pd.DataFrame) -> None:
    plan = vt.design_treatments(train, outcome=numeric(train), random_state=0, smoothing=2.0)
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    kept = train.iloc[60:]
    expected = vt.prepare(plan, kept)[scoring.feature_names]
    pd.testing.assert_frame_equal(vt.prepare(scoring, kept), expected, check_exact=True)
    hidden = train.iloc[:12]
    novel = hidden.assign(shop="never seen")
    names = [name for name in scoring.feature_names if name.startswith("shop")]
    names = [name for name in names if name not in scoring.scoring.renewed]
    pd.testing.assert_frame_equal(
        vt.prepare(scoring, hidden)[names], vt.prepare(plan, novel)[names], check_exact=True
    )


def test_new_levels_do_not_tell_of_the_one_level_of_one_row() -> None:
    y = np.append(np.random.default_rng(0).normal([0.0, 10.0, 20.0, 30.0], size=(50, 4)), 70.0)
    frame = pd.DataFrame({"x": ["a", "b", "c", "d"] * 50 + ["Jane"]})
    plan = vt.design_treatments(frame, outcome=y, coders=["catN"], random_state=0)
    new = pd.DataFrame({"x": ["never seen", "Jane", "a"]})
    assert vt.prepare(plan, new)["x_catN"].iloc[0] > 10.0
    scoring = plan.for_scoring(min_rows=5)
    assert scoring.scoring.renewed == ("x_catN",)
    told = vt.prepare(scoring, new)["x_catN"].to_numpy()
    assert told[:2].tolist() == [0.0, 0.0]
    assert told[2] == vt.prepare(plan, new)["x_catN"].iloc[2]


def test_the_pool_of_few_rows_is_not_told() -> None:
    y = np.array([0.0, 1.0, 2.0, 3.0] * 50 + [500.0, 600.0])
    frame = pd.DataFrame({"x": ["a", "b", "c", "d"] * 50 + ["p", "q"]})
    plan = vt.design_treatments(
        frame, outcome=y, coders=["catN", "lev"], smoothing=0, rare_count=1, min_fraction=0.0,
        random_state=0,
    )  # fmt: skip
    new = pd.DataFrame({"x": ["p", "z"]})
    assert vt.prepare(plan, new)["x_catN"].min() > 500.0
    treated = vt.prepare(plan.for_scoring(min_rows=5), new)
    assert treated["x_catN"].tolist() == [0.0, 0.0]
    assert treated["x_lev_rare"].tolist() == [1.0, 1.0]
    assert "x_lev_rare" in plan.for_scoring(min_rows=5).scoring.unscaled
    assert vt.prepare(plan.for_scoring(min_rows=2), new)["x_catN"].min() > 500.0


def test_deviations_of_hidden_levels_are_not_told() -> None:
    y = np.array([0.0, 1.0, 3.0, 7.0] * 50 + [500.0, -500.0])
    frame = pd.DataFrame({"x": ["a", "b", "c", "a"] * 50 + ["p", "p"]})
    plan = vt.design_treatments(frame, outcome=y, coders=["catD"], random_state=0)
    new = pd.DataFrame({"x": ["a", "b", "z", None]})
    before = vt.prepare(plan, new)["x_catD"].to_numpy()
    assert before[2] > 500.0
    after = vt.prepare(plan.for_scoring(min_rows=3), new)["x_catD"].to_numpy()
    np.testing.assert_array_equal(after, [before[0], before[1], before[0], before[0]])


def test_slopes_do_not_add_up_to_the_one_hidden_row() -> None:
    y = np.array([0.0, 1.0, 2.0, 3.0] * 50 + [500.0])
    frame = pd.DataFrame({"x": ["a", "b", "c", "d"] * 50 + ["Jane"], "z": np.arange(201.0)})
    plan = vt.design_treatments(frame, outcome=y, random_state=0, collar_prob=0.1)

    def of_hidden(one: vt.TreatmentPlan) -> float:
        """Her outcome less the mean, by what the others are from it, as slopes tell."""
        marks = [v for v in one.derived if v.code == "lev"]
        above = sum(v.mean * v.slope * (1.0 - v.mean) for v in marks)
        return -above / (1.0 - sum(v.mean for v in marks))

    assert of_hidden(plan) == pytest.approx(500.0 - y.mean())
    with pytest.warns(VtreatWarning, match="few rows are hidden in all of 'x'"):
        scoring = plan.for_scoring(min_rows=5)
    assert of_hidden(scoring) == 0.0
    assert {v.name for v in scoring.derived if v.orig_variable == "x"} == set(
        scoring.scoring.unscaled
    )
    with pytest.raises(InvalidOptionError, match=r"scale=True needs the slopes of 'x_catP'"):
        vt.prepare(scoring, frame, scale=True)
    new = frame.iloc[::-7]
    pd.testing.assert_frame_equal(
        vt.prepare(scoring, new, scale=True, collar=True, variables=["z"]),
        vt.prepare(plan, new, scale=True, collar=True, variables=["z"]),
    )


def test_whole_columns_keep_slopes_and_scores() -> None:
    y = np.array([0.0, 1.0, 2.0, 3.0] * 50)
    frame = pd.DataFrame({"x": ["a", "b", "c", "d"] * 50, "z": np.arange(200.0)})
    plan = vt.design_treatments(frame, outcome=y, random_state=0, collar_prob=0.1)
    scoring = plan.for_scoring(min_rows=10)
    pd.testing.assert_frame_equal(scoring.score_frame, plan.score_frame)
    assert scoring.scoring == type(scoring.scoring)(10)
    options = {"scale": True, "collar": True, "prune_sig": 0.05}
    pd.testing.assert_frame_equal(
        vt.prepare(scoring, frame.iloc[:9], **options), vt.prepare(plan, frame.iloc[:9], **options)
    )


def test_marks_of_few_bad_values_have_no_score(train: pd.DataFrame) -> None:
    plan = vt.design_treatments(
        train[["size", "spike"]], outcome=numeric(train), random_state=0, coders=["clean", "isBAD"]
    )
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    assert set(scoring.scoring.unscaled) == {"size_isBAD"}
    assert dict(scoring.unused)["spike"] == "it has one number in all but few rows"
    table = scoring.score_frame.set_index("variable")
    assert table.loc["size_isBAD", ["rsq", "sig"]].tolist() == [0.0, 1.0]
    assert table.loc["size", "rsq"] == plan.score_frame.set_index("variable").loc["size", "rsq"]
    assert scoring.scoring.uncut == ("size",)
    with pytest.raises(InvalidOptionError, match="collar=True cuts 'size'"):
        vt.prepare(scoring, train, collar=True)
    assert str(float(train["size"].max())) not in scoring.to_json()


def test_columns_of_few_numbers_are_left_out() -> None:
    frame = pd.DataFrame({"z": [1.5, 2.5, 3.5] + [np.nan] * 97, "w": np.arange(100.0)})
    plan = vt.design_treatments(frame, outcome=np.arange(100.0) % 7, random_state=0)
    with pytest.warns(VtreatWarning, match="'z': few of its rows have a number"):
        scoring = plan.for_scoring(min_rows=5)
    assert [t.column for t in scoring.treatments] == ["w"]
    assert dict(scoring.unused) == {"z": "few of its rows have a number"}
    assert vt.TreatmentPlan.from_json(scoring.to_json()) == scoring


def test_codes_of_single_rows_are_left_out(train: pd.DataFrame) -> None:
    def largest(levels: Any, y: Any, weight: Any) -> Any:
        return pd.Series(y).groupby(pd.Series(levels, dtype=object)).transform("max")

    plan = vt.design_treatments(
        train[["shop", "size"]], outcome=numeric(train), random_state=0,
        coders=["catP", "catQ", "text", "spline", "bins", "clean", "own"],
        custom_coders={"own": vt.LevelCoder(largest)},
    )  # fmt: skip
    assert {"text", "own", "spline"} <= {v.code for v in plan.derived}
    with pytest.warns(VtreatWarning, match="leaves out what would tell of few rows"):
        scoring = plan.for_scoring(min_rows=MIN_ROWS)
    assert {v.code for v in scoring.derived} == {"catP", "clean"}
    assert "own: what its function tells" in dict(scoring.unused)["shop"]
    assert scoring.limits == plan.limits or "clean" in plan.limits
    assert vt.TreatmentPlan.from_json(scoring.to_json()) == scoring


def test_texts_of_many_rows_keep_their_code() -> None:
    names = [f"{a} {b}" for a in ("red", "blue") for b in ("house", "barn", "mill", "inn")]
    frame = pd.DataFrame({"x": names * 20})
    y = np.array([1.0 if "red" in one else 5.0 for one in names] * 20)
    y = y + np.random.default_rng(0).normal(size=160)
    plan = vt.design_treatments(frame, outcome=y, coders=["text"], random_state=0)
    new = pd.DataFrame({"x": ["red inn", "red castle"]})
    scoring = plan.for_scoring(min_rows=20)
    pd.testing.assert_frame_equal(vt.prepare(scoring, new), vt.prepare(plan, new))


def test_classes_of_few_rows_are_not_named() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice(["a", "b", "c"], 300), "z": rng.normal(size=300)})
    y = rng.choice(["cold", "mild", "hot"], 300).astype(object)
    y[:4] = "plague"
    plan = vt.design_treatments(frame, outcome=y, random_state=0, coders=["catB", "lev", "clean"])
    scoring = plan.for_scoring(min_rows=5)
    assert scoring.classes == ("cold", "hot", "mild")
    for name, text in forms(scoring).items():
        assert "plague" not in text, name
    assert vt.TreatmentPlan.from_json(scoring.to_json()) == scoring
    names = scoring.feature_names
    assert set(plan.feature_names) - set(names) <= {"plague_x_catB"}
    new = frame.iloc[:30]
    pd.testing.assert_frame_equal(vt.prepare(scoring, new), vt.prepare(plan, new)[names])
    y[y == "hot"] = "mild"
    plan = vt.design_treatments(frame, outcome=y, outcome_type="multinomial", random_state=0)
    assert len(plan.for_scoring(min_rows=5).classes) == 2
    with pytest.raises(InvalidOptionError, match="fewer than two of the 3 classes"):
        plan.for_scoring(min_rows=200)
    without = vt.design_treatments(
        frame[["x"]], outcome=y, outcome_type="multinomial", random_state=0, coders=["lev"]
    )
    with pytest.raises(InvalidOptionError, match="does not know how many rows each class has"):
        without.for_scoring()


def test_a_rare_one_of_two_classes_is_refused() -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c", "d"] * 25})
    y = np.arange(100) < 3
    plan = vt.design_treatments(frame, outcome=y, random_state=0)
    with pytest.raises(InvalidOptionError, match="fewer than two of the 2 classes"):
        plan.for_scoring(min_rows=4)
    assert plan.for_scoring(min_rows=3).scoring is not None


def test_weights_count_rows_or_are_refused() -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c"] * 20})
    y = np.arange(60.0)
    heavy = vt.design_treatments(
        frame, outcome=y, random_state=0, sample_weight=np.linspace(0.5, 2.0, 60)
    )
    with pytest.raises(InvalidOptionError, match="weights that do not count rows"):
        heavy.for_scoring()
    with pytest.raises(InvalidOptionError, match="weights that do not count rows"):
        vt.TreatmentPlan.from_json(heavy.to_json()).for_scoring()
    counted = vt.design_treatments(
        frame, outcome=y, random_state=0, sample_weight=np.where(frame["x"] == "a", 2, 1)
    )
    (treatment,) = counted.for_scoring(min_rows=30).treatments
    assert treatment.levels.to_list() == ["a"]


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "10", None, np.nan])
def test_numbers_of_rows_are_checked(wrong: Any) -> None:
    plan = vt.design_treatments(pd.DataFrame({"z": [1.0, 2.0] * 9}), outcome=np.arange(18.0))
    with pytest.raises(InvalidOptionError, match="it must be a whole number"):
        plan.for_scoring(min_rows=wrong)


def test_what_was_seen_is_refused(train: pd.DataFrame) -> None:
    plan = vt.design_treatments(train, outcome=numeric(train), random_state=0)
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    for verb in (
        lambda: scoring.audit(train),
        lambda: scoring.mark_rows(train),
        lambda: scoring.level_effects("shop"),
        lambda: scoring.number_effects("size"),
        lambda: scoring.for_scoring(),
    ):
        with pytest.raises(InvalidOptionError, match="a plan for scoring does not hold"):
            verb()


def test_other_verbs_work(train: pd.DataFrame) -> None:
    plan = vt.design_treatments(train, outcome=numeric(train), random_state=0)
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    rows = train.iloc[[0, 70, 17]]
    treated = vt.prepare(scoring, rows)
    scored = [scoring.row_scorer()(row) for row in rows.to_dict("records")]
    assert scored == treated.to_dict("records")
    novel = scoring.novel_levels(train)
    assert {"secret1", "hidden6", "Jane"} <= set(novel["level"])
    assert "mill" not in set(novel["level"])
    with closing(sqlite3.connect(":memory:")) as connection:
        assert scoring.check_sql(connection, train).passed
    assert scoring.diff(scoring).empty
    assert "scoring" in plan.diff(scoring)["where"].tolist()
    assert "for scoring: levels of fewer than 10 training rows are novel" in repr(scoring)
    assert "A plan for scoring." in scoring.report().html
    assert "A plan for scoring." in scoring._repr_html_()
    assert scoring.variable_importance()["variable"].tolist()
    assert scoring != plan


def test_plans_without_outcome(train: pd.DataFrame) -> None:
    plan = vt.design_treatments(train, outcome_type="unsupervised")
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    kept = train.iloc[60:]
    pd.testing.assert_frame_equal(
        vt.prepare(scoring, kept), vt.prepare(plan, kept)[scoring.feature_names]
    )
    assert "secret" not in scoring.to_json()
    missing = vt.design_missingness(train).for_scoring(min_rows=MIN_ROWS)
    assert vt.prepare(missing, train.iloc[:1])["shop"].tolist() == ["_invalid_"]
    assert "secret" not in missing.to_json()


def test_read_plans_for_scoring_are_checked(train: pd.DataFrame) -> None:
    plan = vt.design_treatments(train, outcome=numeric(train), random_state=0)
    whole, tree = json.loads(plan.to_json()), json.loads(plan.for_scoring().to_json())
    for changes, message in (
        (
            {"level_statistics": whole["level_statistics"]},
            "level_statistics: a plan that only",
        ),
        ({"marks": whole["marks"]}, "marks: a plan that only treats rows has none"),
        ({"scoring": {"min_rows": 0}}, "scoring.min_rows: expected 1 or more"),
        ({"scoring": {"min_rows": 5, "unscaled": ["no"]}}, "'no' is not in the plan"),
        ({"treatments": whole["treatments"], "derived": whole["derived"]}, "has no profiles"),
    ):
        with pytest.raises(PlanFormatError, match=message):
            vt.TreatmentPlan.from_json(json.dumps(tree | changes))
    del tree["scoring"]
    with pytest.raises(PlanFormatError, match=r"profile is missing|lacks"):
        vt.TreatmentPlan.from_json(json.dumps(tree))


def test_levels_hidden_beside_the_pool_are_no_rest_of_what_all_add_up_to() -> None:
    """Slopes of the levels and of the pool would tell what is left: two rows."""
    rng = np.random.default_rng(0)
    town = [*rng.choice(["a", "b", "c", "d"], 384), *(f"r{i}" for i in range(14)), "Jane", "Jane"]
    y = pd.Series(town).map({"a": 3.0, "b": 5.0, "c": 9.0}).fillna(0.0) + rng.normal(size=400)
    plan = vt.design_treatments(
        pd.DataFrame({"town": town}), outcome=y.to_numpy(), rare_count=1, random_state=0
    )
    scoring = plan.for_scoring(min_rows=MIN_ROWS)
    assert "town_lev_rare" in scoring.feature_names
    assert set(scoring.scoring.unscaled) == set(scoring.feature_names)
    assert not any(v.slope for v in scoring.derived)
