"""Impact codes of joint columns: numbers and classes, in folds and as all rows have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

import vtreat_py as vt

# Codes are compared on rows that they were learned from.
pytestmark = pytest.mark.filterwarnings(
    "ignore:this looks like the frame", "ignore:these look like"
)
JOINT: list[dict[str, Any]] = [{"composites": [("a", "b")]}, {"hierarchies": {"b": "a"}}]


def rows(n: int = 1200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two columns, and what the outcome is around."""
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 6, n), random.integers(0, 8, n)
    mean = random.normal(size=6)[a] + 0.7 * random.normal(size=(6, 8))[a, b]
    return pd.DataFrame({"a": a.astype(str), "b": b.astype(str)}), mean


def code_of(plan: vt.TreatmentPlan, frame: pd.DataFrame, code: str) -> np.ndarray:
    """What the code of the joint column is."""
    (made,) = plan.made
    (name,) = (v.name for v in plan.derived if (v.orig_variable, v.code) == (made.name, code))
    return vt.prepare(plan, frame, variables=[name])[name].to_numpy()


@pytest.mark.parametrize("given", JOINT)
def test_codes_of_a_class_are_log_odds_near_the_true_ones(given: dict[str, Any]) -> None:
    frame, mean = rows(6000)
    rate = 1.0 / (1.0 + np.exp(-mean + 0.5))
    y = (np.random.default_rng(1).random(6000) < rate).astype(int)
    plan = vt.design_treatments(frame, outcome=y, random_state=0, **given)
    code = code_of(plan, frame.head(500), "catB")
    truth = logit(rate[:500]) - logit(y.mean())
    assert np.corrcoef(code, truth)[0, 1] > 0.97
    assert np.abs(code - truth).mean() < 0.2
    new = pd.DataFrame({"a": frame["a"].head(50), "b": "new"})
    by_part = vt.prepare(plan, new, variables=[v.name for v in plan.derived if v.code == "catB"])
    assert np.isfinite(by_part.to_numpy()).all()
    effects = plan.level_effects(plan.made[0].name)
    assert effects["belief"].between(0, 1).all()
    assert (effects["effect_se"] >= 0).all()


@pytest.mark.parametrize("given", JOINT)
@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_a_number_for_smoothing_is_so_many_rows_of_prior(given: dict[str, Any], kind: str) -> None:
    frame, mean = rows()
    y = mean + np.random.default_rng(2).normal(size=len(mean))
    y = y if kind == "numeric" else (y > 0).astype(int)
    code, spread = "catN" if kind == "numeric" else "catB", []
    for smoothing in (0, 5.0, 1e6):
        plan = vt.design_treatments(
            frame, outcome=y, random_state=0, smoothing=smoothing, coders=[code], **given
        )
        spread.append(float(code_of(plan, frame, code).std()))
    assert spread[0] > spread[1] > 10.0 * spread[2]
    if kind == "numeric":
        means = y - y.mean()
        cells = pd.Series(means).groupby([frame["a"], frame["b"]]).transform("mean")
        none = vt.design_treatments(frame, outcome=y, random_state=0, smoothing=0, **given)
        np.testing.assert_allclose(code_of(none, frame, "catN"), cells, atol=1e-4)


def test_a_fold_of_one_class_says_nothing() -> None:
    frame, _ = rows(300)
    y = ((np.arange(300) < 60) & frame["a"].isin(["0", "1", "2"])).to_numpy().astype(int)
    fold = np.where(np.arange(300) < 60, 0, 1)  # without fold 0 there is no row of the class
    experiment = vt.cross_frame_experiment(
        frame.assign(fold=fold), outcome=y, cv="fold", **JOINT[0], coders=["catB"], smoothing=2
    )
    codes = experiment.cross_frame.filter(like="colon")
    np.testing.assert_array_equal(codes[fold == 0], 0.0)


def test_levels_that_do_not_differ_have_no_code() -> None:
    cell = np.arange(240) % 12
    frame = pd.DataFrame({"a": (cell // 4).astype(str), "b": (cell % 4).astype(str)})
    y = np.where(np.arange(240) // 12 % 2 == 0, 1.0, -1.0)  # the same in each cell
    plan = vt.design_treatments(frame, outcome=y, outcome_type="numeric", cv=2, **JOINT[0])
    assert not any(v.code == "catN" for v in plan.derived)
    assert any(one.column == "a:b" and one.code == "catN" for one in plan.dropped)


@pytest.mark.parametrize("kind", ["numeric", "binomial"])
def test_codes_of_parts_never_seen_are_no_rounding(kind: str) -> None:
    fold, cell, random = np.repeat(np.arange(3), 42), np.arange(126) % 6, np.random.default_rng(3)
    new = 10 * (fold == 2)  # the others have as many rows of each cell: the base is their mean
    frame = pd.DataFrame({"a": cell // 2 + new, "b": cell % 2 + new}).astype(str)
    y = 2.0 * (cell // 2 == 1) + random.normal(size=126)
    y, code = (y, "catN") if kind == "numeric" else ((y > 1.0).astype(int), "catB")
    experiment = vt.cross_frame_experiment(
        frame.assign(fold=fold),
        outcome=y,
        outcome_type=kind,
        cv="fold",
        significance="classic",
        **JOINT[0],
    )
    codes = experiment.cross_frame[f"a_colon_b_{code}"]
    np.testing.assert_array_equal(codes[fold == 2], 0.0)
    assert codes[fold < 2].abs().min() > 1e-3


def test_parts_that_tell_the_classes_apart_are_not_believed_without_end() -> None:
    levels = np.repeat(["p:j", "h:h", "c:c", "f:g", "h:j"], [3, 3, 2, 2, 3])
    frame = pd.DataFrame({"x": [one[0] for one in levels], "z": [one[2] for one in levels]})
    hit = levels == "c:c"
    one, other = (
        vt.design_treatments(
            frame,
            outcome=y,
            outcome_type="binomial",
            composites=[("x", "z")],
            coders=["catB"],
            cv=2,
            random_state=0,
        ).level_effects("x:z")["effect"]
        for y in (hit, ~hit)
    )
    np.testing.assert_allclose(one, -other, rtol=1e-9)
    assert 1.0 < np.abs(one).max() < 5.0
