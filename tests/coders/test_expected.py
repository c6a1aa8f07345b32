"""Means that are expected where effects are not known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import vtreat_py as vt
from vtreat_py.coders.expected import LinkedMeans, expected_effects, means_of_children
from vtreat_py.coders.links import Link, Log, Logit
from vtreat_py.coders.part_effects import PartEffects

PARENT = np.repeat(np.arange(4), 5)


def some(link: Link, ratio: float, of_parents: float) -> tuple[LinkedMeans, PartEffects]:
    """Levels of four parents, and effects that were fitted to them."""
    random = np.random.default_rng(0)
    effects = PartEffects(
        0.1, (random.normal(size=4),), random.normal(size=20), (ratio, of_parents)
    )
    at = -1.0 + 0.1 + effects.of_parts[0][PARENT] + effects.own
    weight = random.integers(1, 50, 20).astype(float)
    return LinkedMeans(link, -1.0, weight, link.mean(at)), effects


def codes(effects: PartEffects) -> np.ndarray:
    """What levels with rows are coded as."""
    return effects.base + effects.of_parts[0][PARENT] + effects.own


@pytest.mark.parametrize("link", [Log(), Logit()])
def test_levels_with_rows_stay_and_new_ones_have_the_mean(link: Link) -> None:
    levels, fitted = some(link, 1e6, 1e15)
    moved = expected_effects(levels, [PARENT], fitted, nested=True)
    np.testing.assert_allclose(codes(moved), codes(fitted), rtol=1e-12)
    # All that has rows is believed: levels, and then parents, count alike.
    children = link.mean(-1.0 + moved.base + moved.of_parts[0][PARENT])
    np.testing.assert_allclose(children.mean(), levels.mean.mean(), rtol=1e-6)
    np.testing.assert_allclose(link.mean(np.array(-1.0 + moved.base)), levels.mean.mean(), 1e-6)


def test_of_logarithms_it_is_the_weighted_mean_of_rates() -> None:
    levels, fitted = some(Log(), 0.05, 0.025)
    moved = expected_effects(levels, [PARENT], fitted, nested=True)
    believed = levels.weight / (1.0 + 0.05 * levels.weight)
    by_parent = np.bincount(PARENT, believed)
    outer = believed / (1.0 + 0.025 * by_parent)[PARENT]
    mean = float(np.average(levels.mean, weights=outer))
    np.testing.assert_allclose(np.exp(moved.base - 1.0), mean, rtol=1e-12)
    inner = np.log(
        np.sum(believed * levels.mean)
        / np.sum(believed * np.exp(-0.9 + fitted.of_parts[0][PARENT]))
    )
    share = 0.025 * by_parent / (1.0 + 0.025 * by_parent)
    step = inner - (moved.base - fitted.base)
    np.testing.assert_allclose(moved.of_parts[0] - fitted.of_parts[0], step * share, rtol=1e-9)


def test_means_that_no_effect_reaches_are_as_far_as_effects_go() -> None:
    levels, fitted = some(Logit(), 1.0, 0.5)
    for mean, base in ((0.0, -60.0), (1.0, 60.0)):
        of_one_class = LinkedMeans(Logit(), -1.0, levels.weight, np.full(20, mean))
        moved = expected_effects(of_one_class, [PARENT], fitted, nested=True)
        assert moved.base == fitted.base + base


@pytest.mark.parametrize(
    "joint", [{"hierarchies": {"zip": "county"}}, {"composites": [("county", "zip")]}]
)
@pytest.mark.parametrize("kind", ["rate", "binomial"])
def test_predictions_for_new_levels_add_up(kind: str, joint: dict[str, object]) -> None:
    random = np.random.default_rng(3)
    zip_code = random.integers(0, 3000, 60_000)
    county = zip_code // 60
    at = -2.0 + 0.3 * random.normal(size=50)[county] + 1.2 * random.normal(size=3000)[zip_code]
    rate = np.exp(at) if kind == "rate" else 1.0 / (1.0 + np.exp(-at))
    y = random.poisson(rate) if kind == "rate" else (random.random(60_000) < rate).astype(int)
    frame = pd.DataFrame({"county": county.astype(str), "zip": zip_code.astype(str), "years": 1.0})
    new = zip_code % 3 == 0
    given = {"exposure": "years"} if kind == "rate" else {}
    code = "catR" if kind == "rate" else "catB"
    plan = vt.design_treatments(
        frame[~new].assign(y=y[~new]),
        outcome="y",
        outcome_type=kind,
        coders=[code],
        random_state=0,
        **given,
        **joint,
    )
    (name,) = (
        v.name
        for v in plan.derived
        if v.code == code
        and v.orig_variable != "county"
        and (":" in v.orig_variable or "hierarchies" in joint)
    )
    codes_of_new = vt.prepare(plan, frame[new], variables=[name])[name].to_numpy()
    known = y[~new].mean()
    if kind == "rate":
        expected = known * np.exp(codes_of_new)
    else:
        expected = 1.0 / (1.0 + np.exp(-np.log(known / (1.0 - known)) - codes_of_new))
    # 1,000 new levels: the mean of their rates has a standard error of 3 to 5%.
    assert expected.mean() / y[new].mean() == pytest.approx(1.0, abs=0.12)


def test_shares_of_new_children_are_those_of_their_parents_children() -> None:
    levels, fitted = some(Logit(), 0.05, 0.025)
    moved = means_of_children(levels, [PARENT], fitted)
    np.testing.assert_allclose(codes(moved), codes(fitted), rtol=1e-12)
    believed = levels.weight / (1.0 + 0.05 * levels.weight)
    by_parent = np.bincount(PARENT, believed)
    of_parent = np.bincount(PARENT, believed * levels.mean) / by_parent
    belief = 0.025 * by_parent / (1.0 + 0.025 * by_parent)
    mean = np.average(of_parent, weights=belief)
    share = belief * of_parent + (1.0 - belief) * mean
    np.testing.assert_allclose(expit(-1.0 + moved.base), mean, rtol=1e-12)
    np.testing.assert_allclose(expit(-1.0 + moved.base + moved.of_parts[0]), share, rtol=1e-12)


def test_parts_of_several_kinds_are_each_inside_the_one_before() -> None:
    """Parents that are all in one grandparent are believed as without it, all of whose is known."""
    levels, fitted = some(Logit(), 0.05, 0.025)
    moved = means_of_children(levels, [PARENT], fitted)
    one = PartEffects(0.1, (np.zeros(2), *fitted.of_parts), fitted.own, (0.05, 1e12, 0.025))
    found = means_of_children(levels, [np.ones(20, np.intp), PARENT], one)
    np.testing.assert_allclose(found.base + found.of_parts[0][1], moved.base, rtol=1e-9)
    np.testing.assert_allclose(found.of_parts[1], moved.of_parts[0], rtol=1e-9)
    assert found.of_parts[0][0] == 0.0


@pytest.mark.parametrize("kind", ["hierarchy", "composite"])
def test_log_odds_of_new_levels_are_neither_too_large_nor_too_small(kind: str) -> None:
    """Those of their parts alone were a third too large where levels differ much."""
    random = np.random.default_rng(5)
    first, second = random.integers(0, 40, (2, 40_000))
    of_first, of_second = random.normal(size=(2, 40))
    own = 2.0 * random.normal(size=(40, 40))
    at = of_first[first] + own[first, second] + (of_second[second] if kind == "composite" else 0.0)
    child = second if kind == "composite" else 40 * first + second
    frame = pd.DataFrame({"a": first.astype(str), "b": child.astype(str)})
    frame["y"] = (random.random(40_000) < expit(at)).astype(int)
    new = (first + 3 * second) % 4 == 0
    joint = {"composites": [("a", "b")]} if kind == "composite" else {"hierarchies": {"b": "a"}}
    plan = vt.design_treatments(
        frame[~new], outcome="y", outcome_type="binomial", coders=["catB"], random_state=0, **joint
    )
    name = "a_colon_b_catB" if kind == "composite" else "b_catB"
    code = vt.prepare(plan, frame[new], variables=[name])
    slope = LogisticRegression(C=np.inf).fit(code, frame["y"][new]).coef_[0, 0]
    assert slope == pytest.approx(1.0, abs=0.2)


def test_a_number_of_rows_does_not_flatten_sums_of_parts() -> None:
    """It was taken for how far pairs differ: without any, new pairs had next to no code."""
    random = np.random.default_rng(0)
    first, second = random.integers(0, 10, (2, 20_000))
    of_first, of_second = random.normal(size=(2, 10))
    frame = pd.DataFrame({"a": first.astype(str), "b": second.astype(str)})
    frame["y"] = (random.random(20_000) < expit(of_first[first] + of_second[second])).astype(int)
    new = (first + second) % 4 == 0
    spread = {}
    for smoothing in ("auto", 1.0, 0.0):
        plan = vt.design_treatments(
            frame[~new],
            outcome="y",
            outcome_type="binomial",
            composites=[("a", "b")],
            coders=["catB"],
            smoothing=smoothing,
            random_state=0,
        )
        spread[smoothing] = vt.prepare(plan, frame[new])["a_colon_b_catB"].std()
    assert min(spread.values()) > 0.8 * spread["auto"]


def test_the_mean_of_crossed_parts_is_that_of_all_levels() -> None:
    """Parts of the second kind were counted by what the first left; means were too high."""
    random = np.random.default_rng(1)
    first, second = (np.repeat(np.arange(8), 8), np.tile(np.arange(8), 8))
    effects = PartEffects(
        0.1,
        (random.normal(size=8), random.normal(size=8)),
        random.normal(size=64),
        (1.0, 1e12, 1e12),  # parts are believed in full
    )
    at = -4.0 + 0.1 + effects.of_parts[0][first] + effects.of_parts[1][second] + effects.own
    levels = LinkedMeans(Logit(), -4.0, np.full(64, 40.0), expit(at))
    moved = expected_effects(levels, [first, second], effects, nested=False)
    sums = moved.base + moved.of_parts[0][first] + moved.of_parts[1][second]
    np.testing.assert_allclose(expit(-4.0 + sums).mean(), levels.mean.mean(), rtol=1e-9)
    np.testing.assert_allclose(-4.0 + sums + moved.own, at, rtol=1e-12)
