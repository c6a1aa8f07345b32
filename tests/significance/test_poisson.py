"""One-variable Poisson regressions, and tests of rates."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from vtreat_py.significance.logistic import logistic_score
from vtreat_py.significance.poisson import poisson_fit
from vtreat_py.significance.rates import RateTests


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_fits_are_those_of_statsmodels(scale: float) -> None:
    rng = np.random.default_rng(0)
    x = np.stack([rng.normal(size=400), np.exp(2.0 * rng.normal(size=400)), np.ones(400)])
    exposure = rng.gamma(1.0, size=400) + 0.01
    count = rng.poisson(exposure * np.exp(0.5 * x[0])).astype(float)
    fit = poisson_fit(scale * x, exposure[None], count[None], 7.0)
    for k in range(2):
        model = sm.GLM(
            count, sm.add_constant(x[k]), family=sm.families.Poisson(), offset=np.log(exposure)
        ).fit(tol=1e-14)
        assert fit.slope[k] * scale == pytest.approx(model.params[1], rel=1e-9)
        gain = model.null_deviance - model.deviance
        assert fit.null_deviance[k] - fit.deviance[k] == pytest.approx(gain, rel=1e-9)
    assert fit.slope[2] == 0.0
    assert fit.deviance[2] == fit.null_deviance[2] == 7.0


def test_events_at_one_end_have_a_finite_slope() -> None:
    fit = poisson_fit(np.array([[0.0, 1.0]]), None, np.array([[0.0, 3.0]]))
    assert np.isfinite(fit.slope[0])
    assert -fit.deviance[0] == pytest.approx(6.0 * np.log(2.0), rel=1e-9)


def test_no_events_have_no_slope() -> None:
    fit = poisson_fit(np.array([[0.0, 1.0, 2.0]]), None, np.zeros((1, 3)))
    assert fit.slope[0] == 0.0
    assert fit.deviance[0] == 0.0


def test_what_explains_all_explains_no_more() -> None:
    fit = poisson_fit(np.array([[0.0, 1.0]]), None, np.array([[0.0, 3.0]]), 4.0)
    assert logistic_score(fit).rsq[0] == 1.0


def test_points_without_exposure_say_nothing_wherever_they_lie() -> None:
    x, exposure = np.array([[0.0, 1.0, 2.0, 1e9, -1e9]]), np.array([[2.0, 4.0, 1.0, 0.0, 0.0]])
    count = np.array([[3.0, 9.0, 0.0, 0.0, 0.0]])
    fit, other = (poisson_fit(x[:, :k], exposure[:, :k], count[:, :k], 9.0) for k in (5, 3))
    np.testing.assert_array_equal(fit.slope, other.slope)
    np.testing.assert_array_equal(fit.deviance, other.deviance)


def permuted(y: np.ndarray, exposure: np.ndarray, level: np.ndarray, n: int) -> float:
    """p-value of the chi-squared statistic of level sums, by permuting rows."""
    rng = np.random.default_rng(0)
    left = exposure * (y - np.average(y, weights=exposure))

    def statistic(rows: np.ndarray) -> float:
        own = left[rows]
        return float(sum(own[level == k].sum() ** 2 / (level == k).sum() for k in range(n)))

    found = statistic(np.arange(len(y)))
    drawn = [statistic(rng.permutation(len(y))) for _ in range(4000)]
    return (1 + sum(one >= found for one in drawn)) / 4001


def test_p_values_are_those_of_permutations_where_exposures_are_alike() -> None:
    rng = np.random.default_rng(4)
    level = np.repeat(np.arange(5), 60)
    exposure = np.ones(300)
    count = rng.poisson(0.7 * np.exp(0.25 * (level == 2))).astype(float)
    p = RateTests(count, exposure).level_effects(level, 5)
    assert p == pytest.approx(permuted(count, exposure, level, 5), abs=0.03)
    x = (level == 2).astype(float)
    own = RateTests(count, exposure).correlation(x)
    left = count - count.mean()
    by_hand = [abs(left[rng.permutation(300)[:60]].sum()) for _ in range(4000)]
    expected = (1 + sum(one >= abs(left[level == 2].sum()) for one in by_hand)) / 4001
    assert own == pytest.approx(expected, abs=0.03)


@pytest.mark.long
@pytest.mark.parametrize("overdispersed", [False, True])
@pytest.mark.parametrize("differ", [False, True])
def test_size_holds_whether_exposures_differ_or_not(differ: bool, overdispersed: bool) -> None:
    """250 columns of noise, whose levels have exposures that are ten times as long, or not."""
    rng = np.random.default_rng(7)
    p_values = []
    for _ in range(250):
        level = np.sort(rng.integers(0, 12, 600))
        longer = np.where(level < 3, 10.0, 1.0) if differ else 1.0
        exposure = longer * (rng.gamma(2.0, size=600) + 0.1)
        varies = rng.gamma(4.0, 0.25, 600) if overdispersed else 1.0
        count = rng.poisson(0.2 * exposure * varies)
        tests = RateTests(count / exposure, exposure)
        p_values.append([tests.level_effects(level, 12), tests.correlation(level * 1.0)])
    rejected = (np.array(p_values) < 0.05).sum(axis=0)
    # With counts whose variance is no multiple of the mean, and exposures that differ, less exact.
    most = 0.05 if not (differ and overdispersed) else 0.08
    assert (rejected <= stats.binom.ppf(0.9995, 250, most)).all()
    assert (rejected >= stats.binom.ppf(0.0005, 250, 0.02)).all()


def test_weights_that_count_rows_are_rows() -> None:
    rng = np.random.default_rng(5)
    level = rng.integers(0, 6, 200)
    exposure = rng.gamma(1.0, size=200) + 0.1
    y = rng.poisson(exposure) / exposure
    weight = rng.integers(1, 4, 200)
    rows = np.repeat(np.arange(200), weight)
    one = RateTests(y, exposure, weight.astype(float))
    other = RateTests(y[rows], exposure[rows])
    assert one.level_effects(level, 6) == pytest.approx(other.level_effects(level[rows], 6))
    assert one.correlation(y[::-1]) == pytest.approx(other.correlation(y[::-1][rows]))


def test_units_of_importance_do_not_matter() -> None:
    rng = np.random.default_rng(6)
    level = rng.integers(0, 6, 200)
    exposure, weight = rng.gamma(1.0, size=(2, 200)) + 0.1
    y = rng.poisson(exposure) / exposure
    p_values = [
        RateTests(y, exposure, unit * weight, counts_rows=False).level_effects(level, 6)
        for unit in (1.0, 1000.0)
    ]
    assert p_values[0] == pytest.approx(p_values[1])


def test_slopes_of_two_points_are_logarithms_of_ratios() -> None:
    """The first step may lie far beyond, where the likelihood is next to flat."""
    random = np.random.default_rng(0)
    exposure = np.exp(random.uniform(-8.0, 8.0, (4000, 2)))
    count = random.poisson(np.minimum(np.exp(random.normal(0.0, 2.0, (4000, 2))) * exposure, 1e6))
    some = (count > 0).all(axis=1)
    exposure, count = exposure[some], count[some].astype(float)
    fit = poisson_fit(np.tile([0.0, 1.0], (len(count), 1)), exposure, count)
    rate = count / exposure
    np.testing.assert_allclose(fit.slope, np.log(rate[:, 1] / rate[:, 0]), rtol=1e-6, atol=1e-7)
    assert len(count) > 1000


@pytest.mark.parametrize("short", [0.01, 0.1])
def test_size_holds_for_marks_of_rows_that_were_hardly_watched(short: float) -> None:
    """Normal tails gave a hundredth to a tenth of them."""
    random, p = np.random.default_rng(2), []
    for _ in range(600):
        exposure, mark = random.uniform(0.5, 1.5, 500), np.arange(500) < 15
        exposure[mark] *= short
        p.append(RateTests(random.poisson(exposure) / exposure, exposure).correlation(mark * 1.0))
    assert np.mean(np.array(p) <= 0.05) < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 600)
    assert np.mean(np.array(p) <= 0.01) < 0.01 + 3.5 * np.sqrt(0.01 * 0.99 / 600)


def test_marks_of_rows_that_were_hardly_watched_are_found() -> None:
    random = np.random.default_rng(3)
    exposure, mark = random.uniform(0.5, 1.5, 500), np.arange(500) < 100
    exposure[mark] *= 0.2
    y = random.poisson(exposure * np.where(mark, 5.0, 1.0)) / exposure
    assert RateTests(y, exposure).correlation(mark * 1.0) < 1e-8
