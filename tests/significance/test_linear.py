import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.r_numbers import columns_of, read_units
from tests.statistics.rows import law
from vtreat_py.significance.linear import linear_score, linear_slope
from vtreat_py.statistics.moments import Moments

CASES = read_units("linscore")


def moments_of(x, y, weight=None):
    """Moments of one variable, about its means as a design takes them."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    centres = float(x.mean()), float(y.mean())
    one = np.zeros(len(x), dtype=int)
    return Moments.of_rows(one, 1, x - centres[0], y - centres[1], weight, *centres)


def score_of(x, y, weight=None, extra_degrees=0.0):
    score = linear_score(moments_of(x, y, weight), extra_degrees)
    return float(score.slope[0]), float(score.rsq[0]), float(score.sig[0])


def random_pair(seed, n=40):
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    return x, random.normal() * x + random.normal(size=n)


@pytest.mark.parametrize("seed", range(10))
def test_scores_are_those_of_scipy(seed):
    x, y = random_pair(seed, 5 + 10 * seed)
    line = stats.linregress(x, y)
    expected = line.slope, line.rvalue**2, line.pvalue
    np.testing.assert_allclose(score_of(x, y), expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_scores_of_weighted_rows_are_those_of_statsmodels_for_repeated_rows(seed):
    x, y = random_pair(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(x))
    fit = sm.OLS(np.repeat(y, times), sm.add_constant(np.repeat(x, times))).fit()
    expected = fit.params[1], fit.rsquared, fit.f_pvalue
    np.testing.assert_allclose(score_of(x, y, times.astype(float)), expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_slope_and_rsq_are_those_of_weighted_least_squares(seed):
    x, y = random_pair(seed)
    weight = np.random.default_rng(seed).uniform(0.1, 3, len(x))
    fit = sm.WLS(y, sm.add_constant(x), weights=weight).fit()
    slope, rsq, _ = score_of(x, y, weight)
    np.testing.assert_allclose([slope, rsq], [fit.params[1], fit.rsquared], rtol=1e-9)


@law
@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 3)),
        min_size=1,
        max_size=12,
    ),
    st.integers(0, 3),
)
def test_a_whole_weight_stands_for_repeated_rows(rows, extra_degrees):
    x, y, times = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
    assume(len(set(x[times > 0])) > 1)
    repeats = times.astype(int)
    repeated = score_of(np.repeat(x, repeats), np.repeat(y, repeats), None, extra_degrees)
    np.testing.assert_allclose(score_of(x, y, times, extra_degrees), repeated, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("extra_degrees", [0, 1, 2.5, 7, 36])
def test_extra_degrees_enter_the_f_test_as_parameters(extra_degrees):
    x, y = random_pair(3)
    slope, intercept = stats.linregress(x, y)[:2]
    total, residual = ((y - y.mean()) ** 2).sum(), ((y - intercept - slope * x) ** 2).sum()
    p = 2 + extra_degrees
    f = ((total - residual) / (p - 1)) / (residual / (len(x) - p))
    expected = stats.f.sf(f, p - 1, len(x) - p)
    np.testing.assert_allclose(score_of(x, y, None, extra_degrees)[2], expected, rtol=1e-9)


@pytest.mark.parametrize("extra_degrees", [38, 39, 100])
def test_as_many_parameters_as_rows_leave_no_test(extra_degrees):
    x, y = random_pair(3)
    _, rsq, sig = score_of(x, y, None, extra_degrees)
    assert rsq > 0
    assert sig == 1


@pytest.mark.parametrize("constant", ["x", "y", "both"])
def test_what_does_not_vary_explains_nothing(constant):
    x = np.full(5, 2.0) if constant != "y" else np.arange(5.0)
    y = np.full(5, 3.0) if constant != "x" else np.arange(5.0)
    assert score_of(x, y) == (0, 0, 1)


@pytest.mark.parametrize("n_rows", [5, 100, 10_000])
@pytest.mark.parametrize("centre", [0.0, 0.7])
def test_a_constant_off_its_mean_by_rounding_has_no_slope(n_rows, centre):
    y = np.random.default_rng(6).normal(size=n_rows)
    one, x = np.zeros(n_rows, dtype=int), np.full(n_rows, 0.1 - centre)
    score = linear_score(Moments.of_rows(one, 1, x, y, None, centre))
    assert (score.slope[0], score.rsq[0], score.sig[0]) == (0, 0, 1)


def test_a_straight_line_is_certain():
    slope, rsq, sig = score_of(np.arange(5.0), 2 * np.arange(5.0) + 1)
    assert (slope, rsq, sig) == (2, 1, 0)


def test_an_offset_of_a_billion_changes_nothing():
    x, y = random_pair(4)
    expected = score_of(x, y)
    np.testing.assert_allclose(score_of(x + 1e9, y - 1e9), expected, rtol=1e-5)


def test_variables_are_scored_one_by_one():
    pairs = [random_pair(seed, 30) for seed in range(3)] + [(np.ones(30), np.arange(30.0))]
    group = np.repeat(np.arange(4), 30)
    x, y = (np.concatenate(side) for side in zip(*pairs, strict=True))
    together = linear_score(Moments.of_rows(group, 4, x, y))
    alone = np.transpose([score_of(*pair) for pair in pairs])
    found = [together.slope, together.rsq, together.sig]
    np.testing.assert_allclose(found, alone, rtol=1e-9, atol=1e-12)


def test_the_slope_alone_is_that_of_the_score():
    x, y = random_pair(5)
    assert linear_slope(moments_of(x, y))[0] == score_of(x, y)[0]


def offset(x, weight, slope):
    """What R adds to a scaled variable: minus the weighted mean of ``slope * x``."""
    return -np.average(slope * x, weights=weight)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_slopes_are_those_of_r(case):
    x, y, weight = columns_of(case)
    slope = score_of(x, y, weight)[0]
    found = slope, offset(x, weight, slope)
    np.testing.assert_allclose(found, (case["a"], case["b"]), rtol=1e-9, atol=1e-12)


# R multiplies squared residuals by the weight twice, so its rsq and p-value of weighted data
# are wrong; those of repeated rows are right.
SQUARED_WEIGHTS = [case for case in CASES if "bug" in case["name"]]
# The points lie on a line: R's residuals of 1e-15 give a p-value of 2e-47, ours is 0.
PERFECT = "perfect"


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case not in SQUARED_WEIGHTS],
    ids=lambda case: case["name"],
)
def test_rsq_and_p_value_are_those_of_r(case):
    x, y, weight = columns_of(case)
    _, rsq, sig = score_of(x, y, weight, case["hidden_degrees"])
    np.testing.assert_allclose(rsq, case["rsq"], rtol=1e-9, atol=1e-12)
    expected = 0.0 if case["name"] == PERFECT else case["sig"]
    np.testing.assert_allclose(sig, expected, rtol=1e-8)


@pytest.mark.parametrize("case", SQUARED_WEIGHTS, ids=lambda case: case["name"])
def test_where_r_squares_weights_they_stand_for_repeated_rows(case):
    x, y, weight = columns_of(case)
    _, rsq, sig = score_of(x, y, weight)
    if (weight % 1 == 0).all():
        times = weight.astype(int)
        expected = score_of(np.repeat(x, times), np.repeat(y, times))[1:]
    else:  # half the rows: the same line, tested with half the degrees of freedom
        rsq_of_all = score_of(x, y)[1]
        residual_degrees = weight.sum() - 2
        f = rsq_of_all / (1 - rsq_of_all) * residual_degrees
        expected = rsq_of_all, stats.f.sf(f, 1, residual_degrees)
    np.testing.assert_allclose((rsq, sig), expected, rtol=1e-9)
    assert abs(rsq - case["rsq"]) > 0.05
