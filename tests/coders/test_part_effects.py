"""Effects of levels that are made of parts: against closed forms, and likelihoods of all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from vtreat_py.coders.part_effects import (
    JointMeans,
    PartEffects,
    crossed_effects,
    nested_effects,
)

Array = np.ndarray


def means_of(y: Array, level: Array, n_levels: int) -> JointMeans:
    """Levels of rows."""
    weight = np.bincount(level, minlength=n_levels).astype(float)
    mean = np.bincount(level, y, n_levels) / np.maximum(weight, 1.0)
    return JointMeans(weight, mean, float(((y - mean[level]) ** 2).sum()), None, None)


def believed(found: PartEffects, keys: list[Array]) -> Array:
    """Means of levels."""
    return found.base + found.own + sum(e[k] for e, k in zip(found.of_parts, keys, strict=True))


def predictions(y: Array, designs: list[Array], ratios: Array) -> tuple[Array, float]:
    """Best linear predictions of all rows by the equations, and minus twice the likelihood."""
    n = len(y)
    cover = np.eye(n) + sum(r * z @ z.T for r, z in zip(ratios, designs, strict=True))
    inverse, one = np.linalg.inv(cover), np.ones(n)
    precision = float(one @ inverse @ one)
    base = float(one @ inverse @ y) / precision
    left = inverse @ (y - base)
    squares = float((y - base) @ left)
    log = np.linalg.slogdet(cover)[1] + np.log(precision) + (n - 1) * np.log(squares)
    fitted = base + sum(r * z @ (z.T @ left) for r, z in zip(ratios, designs, strict=True))
    return fitted, float(log)


def by_likelihood(y: Array, designs: list[Array]) -> Array:
    """Ratios of variances of greatest restricted likelihood."""
    options = {"xatol": 1e-7, "fatol": 1e-11, "maxiter": 500}

    def deviance(logs: Array) -> float:
        return predictions(y, designs, np.exp(logs))[1]

    start = np.full(len(designs), -1.0)
    with threadpool_limits(1):
        return np.exp(minimize(deviance, start, method="Nelder-Mead", options=options).x)


def dummies(level: Array) -> Array:
    return (level[:, None] == np.arange(level.max() + 1)).astype(float)


def test_nested_effects_of_balanced_data_are_those_of_statsmodels() -> None:
    random = np.random.default_rng(3)
    state, of_county = np.arange(8), np.arange(48) % 8
    rows = np.tile(np.arange(48), 6)
    truth = random.normal(0, 1.0, 8)[of_county] + random.normal(0, 0.7, 48)
    y = truth[rows] + random.normal(size=len(rows))
    found = nested_effects(means_of(y, rows, 48), [of_county], [8])
    frame = pd.DataFrame({"y": y, "state": of_county[rows], "county": rows})
    county = {"county": "0 + C(county)"}
    model = smf.mixedlm("y ~ 1", frame, groups="state", re_formula="1", vc_formula=county)
    with threadpool_limits(1):
        fitted = model.fit(reml=True)
    assert found.base == pytest.approx(fitted.params["Intercept"], rel=1e-6)
    expected = [float(fitted.vcomp[0]), float(fitted.cov_re.iloc[0, 0])]  # of county, of state
    np.testing.assert_allclose(np.array(found.ratios) * fitted.scale, expected, rtol=1e-3)
    effects = [fitted.random_effects[s].iloc[0] for s in state]
    np.testing.assert_allclose(found.of_parts[0], effects, atol=2e-3)


def test_nested_effects_are_best_linear_predictions_for_their_variances() -> None:
    random = np.random.default_rng(5)
    state, zips = np.arange(12) % 4, np.arange(60) % 12
    level = random.choice(60, 150, p=random.dirichlet(np.ones(60)))
    y = 2.0 + random.normal(size=4)[state[zips[level]]] + random.normal(size=60)[level]
    y += random.normal(size=150)
    keys = [state[zips], zips]
    designs = [dummies(k[level]) for k in keys]
    designs.append((level[:, None] == np.arange(60)).astype(float))
    given = (0.5, 1.3, 0.2)
    levels = means_of(y, level, 60)
    found = nested_effects(
        JointMeans(levels.weight, levels.mean, levels.inside, None, given), keys, [4, 12]
    )
    assert found.ratios == given
    expected, _ = predictions(y, designs, np.array([given[1], given[2], given[0]]))
    np.testing.assert_allclose(believed(found, keys)[level], expected, atol=1e-10)
    estimated = nested_effects(levels, keys, [4, 12])
    best = by_likelihood(y, designs)
    oracle, least = predictions(y, designs, best)
    ours = np.array([*estimated.ratios[1:], estimated.ratios[0]])
    assert predictions(y, designs, np.maximum(ours, 1e-12))[1] < least + 0.3
    np.testing.assert_allclose(believed(estimated, keys)[level], oracle, atol=0.1)


@pytest.mark.parametrize("fit", [crossed_effects, nested_effects])
@pytest.mark.parametrize("within", [None, 0.7])
@pytest.mark.parametrize("moved", [1.0, 1.004, 1.8, 50.0])
def test_effects_do_not_rest_on_those_that_they_start_from(
    fit: Any, within: float | None, moved: float
) -> None:
    """Of levels some of which have no rows, started near to the end, and far from it."""
    random = np.random.default_rng(8)
    first = np.arange(60) % 6
    second = np.arange(60) // 6
    keys = [first, first + 6 * (second % 2) if fit is nested_effects else second]
    level = random.integers(0, 55, 900)
    truth = random.normal(size=6)[keys[0]] + 0.6 * random.normal(size=12)[keys[1]]
    y = (truth + 0.4 * random.normal(size=60))[level] + random.normal(size=900)
    levels = replace(means_of(y, level, 60), within=within)
    found = fit(levels, keys, [6, 12])
    parts = tuple(moved * one for one in found.of_parts)
    near = PartEffects(2.0 - moved, parts, found.own, tuple(moved * r for r in found.ratios))
    again = fit(replace(levels, near=near), keys, [6, 12])
    assert min(found.ratios) > 0
    np.testing.assert_allclose(again.ratios, found.ratios, rtol=1e-5)
    np.testing.assert_allclose(believed(again, keys), believed(found, keys), atol=1e-6)


def test_crossed_effects_of_a_balanced_table_are_those_of_greatest_likelihood() -> None:
    random = np.random.default_rng(11)
    first, second = np.divmod(np.arange(42), 7)
    level = np.repeat(np.arange(42), 4)
    y = random.normal(size=6)[first[level]] + 0.6 * random.normal(size=7)[second[level]]
    y += 0.8 * random.normal(size=42)[level] + random.normal(size=len(level))
    keys = [first, second]
    found = crossed_effects(means_of(y, level, 42), keys, [6, 7])
    designs = [dummies(first[level]), dummies(second[level]), dummies(level)]
    best = by_likelihood(y, designs)
    oracle, _ = predictions(y, designs, best)
    np.testing.assert_allclose([*found.ratios[1:], found.ratios[0]], best, rtol=1e-3)
    np.testing.assert_allclose(believed(found, keys)[level], oracle, atol=1e-3)


def test_crossed_effects_are_best_linear_predictions_for_their_variances() -> None:
    random = np.random.default_rng(12)
    first, second = np.divmod(np.arange(30), 6)
    level = random.choice(30, 200, p=random.dirichlet(np.ones(30)))
    y = random.normal(size=200) + first[level] - 2.0 * second[level]
    levels = means_of(y, level, 30)
    given = (0.3, 2.0, 0.7)
    found = crossed_effects(
        JointMeans(levels.weight, levels.mean, levels.inside, None, given),
        [first, second],
        [5, 6],
    )
    designs = [
        (k[level][:, None] == np.arange(n)).astype(float)
        for k, n in ((first, 5), (second, 6), (np.arange(30), 30))
    ]
    expected, _ = predictions(y, designs, np.array([2.0, 0.7, 0.3]))
    np.testing.assert_allclose(believed(found, [first, second])[level], expected, atol=1e-9)


def test_effects_that_add_up_leave_nothing_to_levels() -> None:
    added = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        first, second = np.divmod(np.arange(144), 12)
        level = random.integers(0, 144, 3000)
        y = random.normal(size=12)[first[level]] + random.normal(size=12)[second[level]]
        y += random.normal(size=3000)
        found = crossed_effects(means_of(y, level, 144), [first, second], [12, 12])
        added.append(float(np.abs(found.own).max()))
    assert np.mean(np.array(added) == 0.0) > 0.3  # a variance of 0 is the best in about half
    assert np.mean(added) < 0.05


@pytest.mark.parametrize("fit", [nested_effects, crossed_effects])
def test_units_and_the_order_of_levels_do_not_matter(fit: object) -> None:
    random = np.random.default_rng(1)
    first, second = np.divmod(np.arange(40), 8)
    if fit is nested_effects:
        second = np.arange(40) // 2
        first = second % 4
    sizes = [int(first.max()) + 1, int(second.max()) + 1]
    level = random.integers(0, 35, 500)  # some levels have no rows
    y = random.normal(size=500) + first[level] + 0.5 * random.normal(size=40)[level]
    levels = means_of(y, level, 40)
    found = fit(levels, [first, second], sizes)
    np.testing.assert_array_equal(found.own[levels.weight == 0], 0.0)
    twice = JointMeans(levels.weight, 4.0 * levels.mean, 16.0 * levels.inside, None, None)
    scaled = fit(twice, [first, second], sizes)
    np.testing.assert_allclose(scaled.ratios, found.ratios, rtol=1e-9)
    np.testing.assert_allclose(scaled.own, 4.0 * found.own, atol=1e-9)
    order = random.permutation(40)
    mixed = JointMeans(levels.weight[order], levels.mean[order], levels.inside, None, None)
    other = fit(mixed, [first[order], second[order]], sizes)
    np.testing.assert_allclose(other.own, found.own[order], atol=1e-9)


def test_one_row_a_level_says_that_levels_are_as_their_parents() -> None:
    random = np.random.default_rng(2)
    parent = np.arange(50) % 5
    y = random.normal(size=50) + parent
    found = nested_effects(means_of(y, np.arange(50), 50), [parent], [5])
    assert found.ratios[0] == 0.0
    np.testing.assert_array_equal(found.own, 0.0)
    assert found.ratios[1] > 0.0


def test_a_row_for_each_parent_says_nothing_of_children() -> None:
    y = np.random.default_rng(3).normal(size=20)
    found = nested_effects(means_of(y, np.arange(20), 20), [np.arange(20)], [20])
    assert found.ratios[0] == 0.0


def test_parts_that_say_nearly_the_same_share_what_they_say() -> None:
    random = np.random.default_rng(4)
    first = np.arange(12) % 6
    second = np.where(np.arange(12) == 11, 0, first)
    level = random.integers(0, 12, 400)
    y = first[level] + random.normal(size=400)
    levels = means_of(y, level, 12)
    given = (1e-3, 1e4, 1e4)
    found = crossed_effects(
        JointMeans(levels.weight, levels.mean, levels.inside, None, given), [first, second], [6, 6]
    )
    designs = [(k[level][:, None] == np.arange(n)).astype(float) for k, n in
               ((first, 6), (second, 6), (np.arange(12), 12))]  # fmt: skip
    expected, _ = predictions(y, designs, np.array([1e4, 1e4, 1e-3]))
    np.testing.assert_allclose(believed(found, [first, second])[level], expected, atol=0.05)


def test_ratios_that_are_given_count_beside_those_of_the_step_before() -> None:
    random = np.random.default_rng(9)
    keys = [np.arange(30) % 5, np.arange(30) // 5]
    levels = means_of(random.normal(size=200), random.integers(0, 30, 200), 30)
    given = replace(levels, ratios=(0.4, 0.2, 0.1))
    found = crossed_effects(given, keys, [5, 6])
    near = replace(found, ratios=(4.0, 9.0, 7.0))
    again = crossed_effects(replace(given, near=near), keys, [5, 6])
    assert again.ratios == found.ratios == (0.4, 0.2, 0.1)
    np.testing.assert_allclose(believed(again, keys), believed(found, keys), atol=1e-9)
