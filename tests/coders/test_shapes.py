"""Fits of shapes to sums by bin, against libraries and plain algebra."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline
from sklearn.isotonic import IsotonicRegression

from vtreat_py.coders.banded import factored
from vtreat_py.coders.bins import Bins
from vtreat_py.coders.isotonic import Isotonic
from vtreat_py.coders.piecewise import Piecewise
from vtreat_py.coders.roughness import likeliest
from vtreat_py.coders.shape_code import BinnedSets, believed, cross_validation, log_odds, log_ratio
from vtreat_py.coders.spline import Spline
from vtreat_py.coders.window import Window

SHAPES = [Piecewise(), Spline(), Window(), Isotonic(), Bins()]


def sets_of(x, y, weights):
    """Training sets of rows, each with weights of its own, a bin for each value."""
    edges, place = np.unique(x, return_inverse=True)
    scaled = (edges - edges[0]) / (edges[-1] - edges[0])
    weight = np.array([np.bincount(place, w) for w in weights])
    total = np.array([np.bincount(place, w * y) for w in weights])
    mean = total / np.where(weight > 0, weight, 1.0)
    squares = [(w * (y - m[place]) ** 2).sum() for w, m in zip(weights, mean, strict=True)]
    return BinnedSets(scaled, scaled, weight, mean, np.array(squares)), edges


@pytest.fixture
def wave():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 15, 400)
    return x, np.sin(x) + 0.3 * rng.normal(size=400)


def fitted(shape, x, y, weight=None):
    """Values at the different numbers, of one training set of all rows."""
    sets, edges = sets_of(x, y, [np.ones(len(x)) if weight is None else weight])
    return edges, shape.fitted(sets)[0][0] + sets.overall[0]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.name)
def test_each_set_is_fitted_as_if_alone(shape, wave):
    x, y = wave
    rng = np.random.default_rng(1)
    weights = [rng.integers(0, 3, 400).astype(float), rng.random(400), np.zeros(400), np.ones(400)]
    sets, _ = sets_of(x, y, weights)
    together, _ = shape.fitted(sets)
    for k in range(2):
        alone = BinnedSets(
            sets.edges,
            sets.x,
            np.vstack([sets.weight[k], sets.weight[-1]]),
            np.vstack([sets.mean[k], np.zeros(sets.mean.shape[1])]),
            np.array([sets.squares[k], 0.0]),
        )
        np.testing.assert_allclose(shape.fitted(alone)[0][0], together[k], rtol=1e-6, atol=1e-8)
    assert (together[2] == 0.0).all()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.name)
def test_few_rows_are_fitted_too(shape):
    sets, _ = sets_of(
        np.array([0.0, 1.0, 5.0]),
        np.array([1.0, 2.0, 0.0]),
        [np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]), np.ones(3)],
    )
    found, rows = shape.fitted(sets)
    assert np.isfinite(found).all()
    assert (rows >= 0).all()
    np.testing.assert_allclose(found[0], 0.0, atol=1e-6)


def test_piecewise_is_least_squares_with_knots_at_quantiles(wave):
    x, y = wave
    edges, values = fitted(Piecewise(), x, y)
    best = np.inf
    for segments in (1, 2, 4, 8, 16, 32, 64):
        places = np.searchsorted(np.arange(1, 401), np.arange(1, segments) / segments * 400)
        knots = edges[np.unique([0, *places, 399])]
        hats = np.array([np.interp(x, knots, unit) for unit in np.eye(len(knots))]).T
        coefficients, *_ = np.linalg.lstsq(hats, y)
        residual = ((y - hats @ coefficients) ** 2).sum()
        score = 400 * residual / (400 - len(knots)) ** 2
        if score < best and 10 * segments <= 400:
            best, expected = score, np.interp(edges, knots, coefficients)
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_window_is_the_mean_of_the_rows_around():
    rng = np.random.default_rng(2)
    x, y = np.sort(rng.normal(size=300)), rng.normal(size=300)
    _, values = fitted(Window(), x, y)
    for k in (0, 5, 10, 150, 299):
        low, high = max(k + 0.5 - 10, 0.0), min(k + 0.5 + 10, 300.0)
        share = np.clip(np.minimum(np.arange(1, 301), high) - np.maximum(np.arange(300), low), 0, 1)
        np.testing.assert_allclose(values[k], np.average(y, weights=share))


@pytest.mark.parametrize("sign", [1, -1])
def test_isotonic_is_that_of_scikit_learn(sign):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 60, 500).astype(float)
    y, weight = sign * x / 20 + rng.normal(size=500), rng.integers(1, 5, 500).astype(float)
    edges, values = fitted(Isotonic(), x, y, weight)
    reference = IsotonicRegression(increasing=sign > 0).fit(x, y, sample_weight=weight)
    np.testing.assert_allclose(values, reference.predict(edges), atol=1e-12)


def test_spline_is_that_of_scipy_of_the_same_smoothness(wave):
    x, y = wave
    edges, values = fitted(Spline(), x, y)
    order = np.argsort(x)
    apart = [
        np.abs(make_smoothing_spline(x[order], y[order], lam=lam)(edges) - values).max()
        for lam in np.logspace(-3, 3, 61)
    ]
    assert min(apart) < 0.02  # it has a few knots only
    assert apart[0] > 0.1
    assert apart[-1] > 0.1


def test_a_spline_of_two_bins_goes_from_one_to_the_other_and_no_further():
    edges = np.linspace(0.0, 1.0, 12) ** 2
    weight, mean = np.ones((2, 12)), np.ones((2, 12))
    weight[0], mean[0] = 0.0, 0.0
    weight[0, 3:5], mean[0, 3:5] = 3.5, (0.0, 2.0)
    found, _ = Spline().fitted(BinnedSets(edges, edges, weight, mean, np.zeros(2)))
    np.testing.assert_allclose(found[0], np.where(edges <= edges[3], -1.0, 1.0), rtol=1e-12)


def test_spline_has_few_knots_in_clusters_far_apart():
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.normal(size=300), rng.normal(1e6, 1.0, 300)])
    edges, values = fitted(Spline(), x, np.where(x < 1e3, 1.0, 3.0) + 0.1 * np.sin(x))
    np.testing.assert_allclose(values, np.where(edges < 1e3, 1.0, 3.0), atol=0.15)


def test_spline_has_few_knots_where_numbers_crowd():
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.uniform(0, 1e-4, 300), rng.uniform(0, 1, 10)])
    edges, values = fitted(Spline(), x, 2.0 * x)
    np.testing.assert_allclose(values, 2.0 * edges, atol=1e-3)


@pytest.mark.parametrize("shape", [Spline(), Bins()], ids=["spline", "bins"])
def test_roughness_is_that_of_the_mixed_model(shape):
    """On noise nothing is left but the line, or the mean; without it, all of the curve."""
    rng = np.random.default_rng(4)
    x = np.arange(600.0)
    noise = [np.ptp(fitted(shape, x, rng.normal(size=600))[1]) for _ in range(20)]
    assert np.median(noise) < 0.5
    smooth = np.sin(x / 40)
    edges, values = fitted(shape, x, smooth)
    assert np.abs(values - np.sin(edges / 40)).max() < 0.1


def test_bins_are_steps_that_follow_a_random_walk():
    """Against the densely written likelihood of the mixed model, at its best weight."""
    rng = np.random.default_rng(5)
    x = np.repeat(np.arange(40.0), 5)
    y = np.repeat(np.cumsum(rng.normal(size=40)), 5) + rng.normal(size=200)
    edges, values = fitted(Bins(), x, y)
    assert len(np.unique(values)) == 40

    def log_likelihood(ratio):
        walk = np.minimum.outer(x, x) * ratio + np.eye(200)
        inverse, ones = np.linalg.inv(walk), np.ones(200)
        mean = ones @ inverse @ y / (ones @ inverse @ ones)
        left = (y - mean) @ inverse @ (y - mean)
        spent = np.log(ones @ inverse @ ones) + np.linalg.slogdet(walk)[1]
        return -199 * np.log(left) - spent, mean + ratio * np.minimum.outer(edges, x) @ inverse @ (
            y - mean
        )

    tried = [log_likelihood(ratio) for ratio in np.logspace(-2, 2, 81)]
    expected = max(tried, key=lambda one: one[0])[1]
    np.testing.assert_allclose(values, expected, atol=0.1)


def test_systems_of_few_diagonals():
    rng = np.random.default_rng(6)
    size = 9
    for width in (1, 3):
        bands = np.zeros((4, size, width + 1))
        for k in range(width + 1):
            bands[:, : size - k, k] = rng.normal(size=(4, size - k))
        bands[..., 0] = np.abs(bands[..., 0]) + 10.0
        right = rng.normal(size=(4, size))
        found = factored(bands, right)
        for k in range(4):
            dense = sum(np.diag(bands[k, : size - i, i], -i) for i in range(width + 1))
            dense = dense + np.tril(dense, -1).T
            expected = np.linalg.solve(dense, right[k])
            np.testing.assert_allclose(found.solution()[k], expected)
            np.testing.assert_allclose(found.log_determinant[k], np.linalg.slogdet(dense)[1])
            np.testing.assert_allclose(found.explained[k], right[k] @ expected)


# Of nothing but noise, seed 109 has two tops; a search step by step ends at the lower one.
@pytest.mark.parametrize(("wave", "seed"), [(1e6, 0), (10.0, 1), (1.0, 2), (0.0, 3), (0.0, 109)])
def test_the_likeliest_roughness_is_that_of_all_that_are_tried(wave, seed):
    rng = np.random.default_rng(seed)
    x = np.repeat(np.linspace(0.0, 1.0, 40), 5)
    y = wave * np.sin(6.0 * x) + rng.normal(size=200)
    sets, _ = sets_of(x, y, [rng.random(200), np.ones(200)])
    sums = np.zeros((2, 40, 2))
    sums[..., 0] = sets.weight
    roughness = np.tile([2.0, -1.0], (40, 1))
    roughness[[0, -1], 0], roughness[-1, 1] = 1.0, 0.0
    found = likeliest(sets, sums, sets.weight * sets.apart, roughness, 1)
    penalty = (
        np.diag(roughness[:, 0]) + np.diag(roughness[:-1, 1], 1) + np.diag(roughness[:-1, 1], -1)
    )
    for k in range(2):
        size = sets.weight[k].sum() / roughness[:, 0].sum()
        squares = sets.squares[k] + (sets.weight[k] * sets.apart[k] ** 2).sum()
        tried = []
        for weight in size * np.logspace(-6.0, 6.0, 25):
            system = np.diag(sets.weight[k]) + weight * penalty
            solution = np.linalg.solve(system, sets.weight[k] * sets.apart[k])
            left = squares - (sets.weight[k] * sets.apart[k]) @ solution
            rows = sets.weight[k].sum() - 1.0
            deviance = rows * np.log(left) + np.linalg.slogdet(system)[1] - 39.0 * np.log(weight)
            tried.append((deviance, solution))
        expected = min(tried, key=lambda one: one[0])[1]
        np.testing.assert_allclose(found[k], expected, atol=1e-8)


def test_cross_validation_wants_more_rows_than_parameters():
    found = cross_validation(np.array([1.0, 1.0]), np.array([10.0, 3.0]), np.array([2.0, 3.0]))
    np.testing.assert_allclose(found, [10.0 / 64.0, np.inf])


def test_shares_of_few_rows_are_not_believed():
    found = believed(np.array([-0.1, 0.0, 1.0]), np.array([0.2]), np.array([0.0, 9.0, 99.0]))
    np.testing.assert_allclose(found, [0.2, 0.02, 0.992])


def test_logarithms_of_ratios_are_finite():
    overall, rows = np.array([[2.0]]), np.array([[1e9]])
    found = log_ratio(np.array([[-1.0, 0.0, 2.0, 4.0]]), overall, rows)
    np.testing.assert_allclose(found, [[-13.8155, -13.8155, 0.0, np.log(2.0)]], atol=1e-4)
    few = log_ratio(np.array([[4.0]]), overall, np.array([[1.0]]))  # and one row like all
    np.testing.assert_allclose(few, [[np.log(1.5)]])
    assert log_ratio(np.array([[1.0]]), np.zeros((1, 1)), rows) == 0.0


def test_log_odds_are_finite():
    np.testing.assert_allclose(
        log_odds(np.array([0.0, 0.5, 1.0])), [-13.8155, 0.0, 13.8155], atol=1e-4
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.name)
@pytest.mark.parametrize("end", ["low", "high"])
def test_a_row_far_out_is_coded_as_the_last_of_the_others_by_sets_without_it(shape, end):
    x = np.linspace(-3.0, 3.0, 400)
    x[-1 if end == "high" else 0] = 1e3 if end == "high" else -1e3
    y, knows = np.sin(2.0 * x), np.ones(400)
    knows[np.abs(x).argmax()] = 0.0
    sets, edges = sets_of(x, y, [knows, np.ones(400)])
    values, _ = shape.fitted(sets)
    far, near = (-1, -2) if end == "high" else (0, 1)
    windows_differ = 0.01 if shape.name == "window" else 1e-12
    np.testing.assert_allclose(values[0, far], values[0, near], atol=windows_differ)
    if shape.name != "isotonic":
        core = np.abs(edges) < 3.0
        for found, overall in zip(values, sets.overall, strict=True):
            assert np.corrcoef(found[core] + overall, np.sin(2.0 * edges[core]))[0, 1] > 0.97


def test_piecewise_bends_beside_a_value_that_most_rows_have():
    x = np.concatenate([np.zeros(700), np.linspace(0.01, 6.0, 300)])
    edges, values = fitted(Piecewise(), x, np.sin(x))
    np.testing.assert_allclose(values, np.sin(edges), atol=0.1)
