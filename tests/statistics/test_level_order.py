"""Quantiles of the outcome by level and training set, from one sorting of the rows."""

import numpy as np
import pytest

from vtreat_py.statistics.level_order import OutcomeOrder
from vtreat_py.statistics.quantiles import weighted_quantiles

WEIGHTS = {
    "none": lambda random, n: None,
    "counts": lambda random, n: random.integers(0, 4, n).astype(float),
    "fractions": lambda random, n: 7 * random.random(n),
    "tiny ones": lambda random, n: 10.0 ** random.integers(-30, 3, n),
}
FOLDS = 4


def training_sets(kind, fold, random):
    if kind == "others":
        return [np.flatnonzero(fold != k) for k in range(FOLDS)]
    if kind == "earlier":
        return [np.flatnonzero(fold < k) for k in range(FOLDS)]
    return [random.choice(len(fold), random.integers(0, 2 * len(fold))) for _ in range(FOLDS)]


def quantile(y, weight, rows, p):
    weight = np.ones(len(y)) if weight is None else weight
    return weighted_quantiles(y[rows], weight[rows], [p])[0] if weight[rows].sum() > 0 else 0.0


def assert_near(found, expected, y):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(y).max(initial=0))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", ["others", "earlier", "named"])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.013])
def test_quantiles_are_those_of_the_rows_alone(weights, kind, p):
    for seed in range(12):
        random = np.random.default_rng(seed)
        n, n_levels = random.integers(1, 50), random.integers(1, 7)
        code, fold = random.integers(0, n_levels, n), random.integers(0, FOLDS + seed % 2, n)
        y = [random.normal(size=n), random.integers(-2, 3, n) * 1e200][seed % 2]
        weight = WEIGHTS[weights](random, n)
        trained = training_sets(kind, fold, random)
        if kind == "others":
            order = OutcomeOrder(y, weight, FOLDS, fold)
        else:
            owner = np.repeat(np.arange(FOLDS), list(map(len, trained)))
            order = OutcomeOrder(y, weight, FOLDS, None, (np.concatenate(trained), owner))
        levels = order.of(code, n_levels)
        if weights != "tiny ones":
            rows = [np.flatnonzero(code == level) for level in range(n_levels)]
            expected = [quantile(y, weight, own, p) for own in rows]
            assert_near(levels.quantiles(p) * order.unit, expected, y)
        else:
            assert np.isfinite(levels.quantiles(p)).all()
            continue
        level, own = (a.ravel() for a in np.meshgrid(np.arange(n_levels), np.arange(FOLDS)))
        expected = [
            quantile(y, weight, trained[k][code[trained[k]] == one], p)
            for one, k in zip(level, own, strict=True)
        ]
        assert_near(levels.trained_quantiles(level, own, p) * order.unit, expected, y)
        some = random.random(n_levels) < 0.5
        for k, rows in enumerate(trained):
            expected = quantile(y, weight, rows[some[code[rows]]], p)
            assert_near(levels.quantile_of(some, k, p) * order.unit, expected, y)
        everyone = quantile(y, weight, np.flatnonzero(some[code]), p)
        assert_near(levels.quantile_of(some, None, p) * order.unit, everyone, y)


def test_own_outcomes_leave_no_trace():
    random = np.random.default_rng(1)
    code, fold = random.integers(0, 9, 300), random.integers(0, FOLDS, 300)
    y, weight = random.normal(size=300), random.random(300)
    level, own = code[:40], fold[:40]
    before = OutcomeOrder(y, weight, FOLDS, fold).of(code, 9).trained_quantiles(level, own, 0.5)
    for row in range(40):
        moved = y.copy()
        moved[row] += 0.5 * (3 - np.abs(y[row]))  # below the largest, as the unit goes by that
        after = OutcomeOrder(moved, weight, FOLDS, fold).of(code, 9)
        found = after.trained_quantiles(level[[row]], own[[row]], 0.5) * after.of.unit
        unit = OutcomeOrder(y, weight, FOLDS, fold).unit
        assert found[0] == before[row] * unit


def test_codes_of_32_bits_are_sorted_too():
    random = np.random.default_rng(2)
    code, y = random.integers(0, 70_000, 500), random.normal(size=500)
    levels = OutcomeOrder(y, None, 2, np.arange(500) % 2).of(code, 70_000)
    np.testing.assert_allclose(
        levels.quantiles(0.5)[code[7]] * levels.of.unit, np.median(y[code == code[7]])
    )
