import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.r_numbers import columns_of, read_units
from tests.statistics.rows import law
from vtreat_py.significance.logistic import Points, logistic_fit, logistic_score
from vtreat_py.significance.newton import RegressionFit, maximum_likelihood
from vtreat_py.statistics.moments import Moments

CASES = read_units("catscore")


def fit_one(x, y, weight=None) -> np.ndarray:
    """Slope, deviance and null deviance of one variable, one point a row."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    weight = np.ones(len(x)) if weight is None else np.asarray(weight, dtype=float)
    return numbers_of(logistic_fit(x[None], weight[None], (weight * y)[None]))[:, 0]


def numbers_of(fit: RegressionFit) -> np.ndarray:
    return np.array([fit.slope, fit.deviance, fit.null_deviance])


def statsmodels_fit(x, y, weight=None) -> np.ndarray:
    model = sm.GLM(y, sm.add_constant(x), sm.families.Binomial(), freq_weights=weight)
    fit = model.fit(tol=1e-12)
    return np.array([fit.params[1], fit.deviance, fit.null_deviance])


def random_pair(seed, n=60, slope=None):
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    slope = random.normal() if slope is None else slope
    chance = 1 / (1 + np.exp(-(slope * x + random.normal())))
    return x, (random.random(n) < chance).astype(float)


@pytest.mark.parametrize("seed", range(10))
def test_fits_are_those_of_statsmodels(seed):
    x, y = random_pair(seed)
    np.testing.assert_allclose(fit_one(x, y), statsmodels_fit(x, y), rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_fits_are_those_of_statsmodels_with_frequency_weights(seed):
    x, y = random_pair(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(x)).astype(float)
    expected = statsmodels_fit(x, y, weight)
    np.testing.assert_allclose(fit_one(x, y, weight), expected, rtol=1e-6)


@law
@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.integers(0, 1), st.integers(0, 3)),
        min_size=2,
        max_size=12,
    )
)
def test_a_whole_weight_stands_for_repeated_rows(rows):
    x, y, weight = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
    assume(0 < (weight * y).sum() < weight.sum())
    times = weight.astype(int)
    repeated = fit_one(np.repeat(x, times), np.repeat(y, times))
    np.testing.assert_allclose(fit_one(x, y, weight), repeated, rtol=1e-6, atol=1e-6)


def test_rows_that_share_a_value_are_one_point():
    random = np.random.default_rng(1)
    value = random.normal(size=6)
    place = random.integers(6, size=200)
    y = (random.random(200) < 1 / (1 + np.exp(-value[place]))).astype(float)
    total, hits = np.bincount(place, minlength=6), np.bincount(place, y, 6)
    grouped = numbers_of(logistic_fit(value[None], total[None] * 1.0, hits[None]))[:, 0]
    np.testing.assert_allclose(grouped, fit_one(value[place], y), rtol=1e-9)


def many_variables():
    """Ordinary, separated, nearly unrelated and heavy-tailed variables of one outcome."""
    random = np.random.default_rng(2)
    y = (random.random(300) < 0.4).astype(float)
    x = np.stack(
        [
            y + random.normal(size=300),
            y + 0.01 * random.random(300),
            random.normal(size=300),
            random.standard_cauchy(size=300) + y,
            (np.arange(300) % 2) * y,
        ]
    )
    return x, y


def test_many_variables_are_fitted_as_one_by_one():
    x, y = many_variables()
    together = numbers_of(logistic_fit(x, np.ones((1, 300)), y[None]))
    alone = np.transpose([fit_one(values, y) for values in x])
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-12)


def test_variables_may_have_weights_of_their_own():
    x, y = many_variables()
    weight = np.random.default_rng(3).integers(0, 4, x.shape).astype(float)
    together = numbers_of(logistic_fit(x, weight, weight * y))
    alone = np.transpose([fit_one(v, y, w) for v, w in zip(x, weight, strict=True)])
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-12)


def test_points_without_weights_are_single_rows():
    x, y = many_variables()
    found = numbers_of(logistic_fit(x, None, y[None]))
    expected = numbers_of(logistic_fit(x, np.ones((1, 300)), y[None]))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_variables_may_have_outcomes_of_their_own():
    x, y = many_variables()
    outcomes = np.stack([y, 1 - y, y, y, y])
    together = numbers_of(logistic_fit(x, None, outcomes))
    alone = np.transpose([fit_one(v, own) for v, own in zip(x, outcomes, strict=True)])
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-12)


def test_an_offset_of_a_billion_changes_nothing():
    x, y = random_pair(4)
    np.testing.assert_allclose(fit_one(x + 1e9, y), fit_one(x, y), rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_unit_of_x_changes_only_the_slope(scale):
    x, y = random_pair(4)
    expected = fit_one(x, y) / [scale, 1, 1]
    np.testing.assert_allclose(fit_one(x * scale, y), expected, rtol=1e-9)


SEPARATED = {
    "apart": ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
    "indicator": ([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]),
    "downwards": (list(range(40)), [1] * 20 + [0] * 20),
    "far apart": ([0, 1, 2, 1e6, 1e6 + 1, 1e6 + 2], [0, 0, 0, 1, 1, 1]),
}


@pytest.mark.parametrize("data", SEPARATED)
def test_separated_data_are_a_strong_effect_with_a_finite_slope(data):
    x, y = (np.array(side, dtype=float) for side in SEPARATED[data])
    fit = logistic_fit(x[None], np.ones((1, len(x))), y[None])
    score = logistic_score(fit)
    assert np.isfinite(score.slope[0])
    assert np.sign(score.slope[0]) == np.sign(np.corrcoef(x, y)[0, 1])
    assert score.rsq[0] > 0.99
    # As if all of the null deviance were explained, but for the repair of 1e-5 rows a row.
    certain = stats.chi2.sf(fit.null_deviance[0], 1)
    assert certain <= score.sig[0] < 2 * certain


def test_data_separated_at_one_end_explain_what_they_can():
    # Where x is 0 one row of two is a hit; where x is 1 all are.
    x, y = np.repeat([0.0, 1.0], 20), np.r_[np.tile([0.0, 1.0], 10), np.ones(20)]
    slope, deviance, null = fit_one(x, y)
    assert 10 < slope < 100
    np.testing.assert_allclose(deviance, 2 * 20 * np.log(2), rtol=1e-3)
    np.testing.assert_allclose(null, -2 * (30 * np.log(0.75) + 10 * np.log(0.25)), rtol=1e-3)


def test_linear_predictors_of_hundreds_are_no_obstacle():
    x, y = random_pair(6, 200, slope=2.0)
    x[:4], y[:4] = [400.0, 500.0, -300.0, -600.0], [1.0, 1.0, 0.0, 0.0]
    slope, deviance, _ = fit_one(x, y)
    inner = fit_one(x[4:], y[4:])
    assert slope * 300 > 100
    np.testing.assert_allclose([slope, deviance], inner[:2], rtol=1e-6)


@pytest.mark.parametrize(
    "sentinel",
    [
        1e3,
        1e6,
        pytest.param(
            1e9,
            marks=pytest.mark.xfail(
                reason="at the largest linear predictor, 30, such a value still outweighs the rest"
            ),
        ),
    ],
)
def test_a_sentinel_far_off_does_not_hide_the_effect(sentinel):
    x, y = random_pair(7, 1000, slope=2.0)
    x[:3], y[:3] = sentinel, 1.0
    slope, deviance, _ = fit_one(x, y)
    np.testing.assert_allclose([slope, deviance], fit_one(x[3:], y[3:])[:2], rtol=1e-3)


MANY = 70_000


def in_many_rows(y_of, weighted):
    """More points than are fitted in one go, and the same data as 100 points."""
    random = np.random.default_rng(8)
    value = random.normal(size=100)
    place = random.integers(100, size=MANY)
    chance = 1 / (1 + np.exp(-(1.5 * value[place] - 1)))
    y = y_of(value[place], (random.random(MANY) < chance).astype(float))
    total, hits = np.bincount(place, minlength=100), np.bincount(place, y, 100)
    grouped = logistic_fit(value[None], total[None] * 1.0, hits[None])
    weight = np.ones((1, MANY)) if weighted else None
    return numbers_of(logistic_fit(value[place][None], weight, y[None])), numbers_of(grouped)


def unchanged(x, y):
    return y


def single_class_in_part(x, y):
    y[::16] = 0
    return y


def separated_in_part(x, y):
    y[::16] = x[::16] > 0
    return y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("y_of", [unchanged, single_class_in_part, separated_in_part])
def test_many_points_are_fitted_like_few(y_of, weighted):
    many, few = in_many_rows(y_of, weighted)
    np.testing.assert_allclose(many, few, rtol=1e-6)


def test_many_separated_points_are_a_strong_effect():
    many, few = in_many_rows(lambda x, y: (x > 0.2).astype(float), weighted=False)
    np.testing.assert_allclose(many, few, rtol=1e-3)
    assert many[1] < 0.01 * many[2]


def moments_of(x, hits, total):
    none = np.zeros(len(x), dtype=int)
    rate = hits if total is None else hits / np.where(total > 0, total, 1.0)
    return Moments.of_rows(none, 1, x, rate, total)


def rough_fit(x, hits, total=None) -> RegressionFit:
    moments = moments_of(x, hits, total)
    reach = np.abs(x - moments.x[0]).max(keepdims=True)
    weight = None if total is None else total[None]
    return maximum_likelihood(Points.of_moments(x[None], weight, hits[None], moments, reach, True))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["weak", "strong", "steep", "rare", "heavy tails", "none"])
def test_rough_fits_have_the_deviance(kind, weighted, monkeypatch):
    random = np.random.default_rng(13)
    x = random.standard_t(2.5, size=MANY) if kind == "heavy tails" else random.normal(size=MANY)
    slopes = {"weak": 0.1, "strong": 2.0, "steep": 9.0, "rare": 0.5, "heavy tails": 0.3}
    slope = slopes.get(kind, 0.0)
    chance = 1 / (1 + np.exp(-slope * x + (6.0 if kind == "rare" else 1.0)))
    total = random.integers(0, 4, MANY).astype(float) if weighted else None
    hits = (random.random(MANY) < chance) * (1.0 if total is None else total)
    looks, evaluate = [], Points.evaluate

    def seen(points, *args):
        looks.append(points.x.shape[1])
        return evaluate(points, *args)

    weight = None if total is None else total[None]
    exact = logistic_fit(x[None], weight, hits[None])
    monkeypatch.setattr(Points, "evaluate", seen)
    rough = rough_fit(x, hits, total)
    np.testing.assert_allclose(rough.null_deviance, exact.null_deviance, rtol=1e-12)
    np.testing.assert_allclose(rough.deviance, exact.deviance, rtol=1e-9)
    np.testing.assert_allclose(rough.slope, exact.slope, rtol=1e-4, atol=1e-6)
    if kind in ("weak", "strong", "none"):
        assert looks.count(MANY) <= 2


def test_rough_fits_of_separated_data_are_like_others():
    x = np.random.default_rng(14).normal(size=MANY)
    hits = (x > 0.2).astype(float)
    exact, rough = logistic_fit(x[None], None, hits[None]), rough_fit(x, hits)
    np.testing.assert_allclose(rough.deviance, exact.deviance, rtol=1e-6)
    assert rough.deviance[0] < 0.01 * rough.null_deviance[0]


@pytest.mark.parametrize("value", [3.5, 1e9 + 1e-7])
def test_rough_fits_of_a_constant_explain_nothing(value):
    x, hits = np.full(MANY, value), (np.arange(MANY) % 3 == 0).astype(float)
    score = logistic_score(rough_fit(x, hits))
    assert (score.slope[0], score.rsq[0], score.sig[0]) == (0.0, 0.0, 1.0)


def test_known_moments_standardise_like_the_points_themselves():
    random = np.random.default_rng(15)
    x, total = 5.0 + 3.0 * random.normal(size=200), random.integers(0, 3, 200) / 2.0
    hits = total * (random.random(200) < 0.3)
    moments = moments_of(x, hits, total)
    reach = np.abs(x - moments.x[0]).max(keepdims=True)
    found = Points.of_moments(x[None], total[None], hits[None], moments, reach)
    expected = Points.standardised(x[None], total[None], hits[None])
    for name in ("middle", "spread", "weight", "hit_weight", "slope_start", "reach"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)


def test_weightless_rows_that_give_the_start_do_not_matter():
    x, y = random_pair(11, MANY)
    weight = np.ones(MANY)
    weight[::16] = 0
    np.testing.assert_allclose(fit_one(x, y, weight), fit_one(x[weight > 0], y[weight > 0]))


def test_light_rows_of_one_class_do_not_spoil_the_start():
    random = np.random.default_rng(12)
    x, y = random.normal(size=MANY), np.zeros(MANY)
    likely = np.flatnonzero((x > 0.5) & (np.arange(MANY) % 16 > 0))
    y[random.choice(likely, 20, replace=False)] = 1
    heavy, light = fit_one(x, y), fit_one(x, y, np.full(MANY, 0.01))
    np.testing.assert_allclose(light, heavy * [1, 0.01, 0.01], rtol=1e-6)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_one_class_is_no_effect(value):
    x = np.random.default_rng(9).normal(size=20)
    fit = logistic_fit(x[None], np.ones((1, 20)), np.full((1, 20), value))
    score = logistic_score(fit)
    np.testing.assert_allclose(score.slope, 0, atol=1e-6)
    assert (score.rsq[0], score.sig[0], fit.null_deviance[0]) == (0, 1, 0)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e9 + 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_does_not_vary_explains_nothing(value, weighted):
    random = np.random.default_rng(10)
    weight = random.uniform(0.3, 2, 37) if weighted else np.ones(37)
    hits = weight * random.integers(0, 2, 37)
    score = logistic_score(logistic_fit(np.full((1, 37), value), weight[None], hits[None]))
    np.testing.assert_allclose(score.slope, 0, atol=1e-6)
    np.testing.assert_allclose(score.rsq, 0, atol=1e-9)
    np.testing.assert_allclose(score.sig, 1, atol=1e-4)


@pytest.mark.parametrize("extra_degrees", [0, 1, 2.5, 40])
def test_the_score_is_the_likelihood_ratio_test(extra_degrees):
    fit = RegressionFit(np.array([1.5]), np.array([80.0]), np.array([100.0]))
    score = logistic_score(fit, extra_degrees)
    assert (score.slope[0], score.rsq[0]) == (1.5, pytest.approx(0.2))
    np.testing.assert_allclose(score.sig[0], stats.chi2.sf(20, 1 + extra_degrees))
    np.testing.assert_allclose(logistic_score(fit, unit=0.5).sig[0], stats.chi2.sf(10, 1))


def test_a_fit_no_better_than_none_is_no_effect():
    fit = RegressionFit(np.array([0.1, 0.0]), np.array([100.5, 0.0]), np.array([100.0, 0.0]))
    score = logistic_score(fit)
    np.testing.assert_array_equal(score.rsq, [0, 0])
    np.testing.assert_array_equal(score.sig, [1, 1])


def score_of(case):
    x, y, weight = columns_of(case)
    score = logistic_score(
        logistic_fit(x[None], weight[None], (weight * y)[None]), case["hidden_degrees"]
    )
    offset = -np.average(score.slope[0] * x, weights=weight)
    return x, y, weight, float(score.slope[0]), offset, float(score.rsq[0]), float(score.sig[0])


# Weighted and separated: there is no maximum, and where the iteration stops depends on its start.
# R starts from values that depend on the weights, we from ones that do not, so that a weight
# stands for repeated rows. Where both stop, rsq and p-value agree ...
OTHER_SLOPE = ("random_weights2", "random_weights7")
# ... in these R needs more iterations, or fewer, than it allows: it repairs, or says "no effect".
OTHER_ANSWER = ("random_weights10", "random_weights11")


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["name"] not in OTHER_SLOPE + OTHER_ANSWER],
    ids=lambda case: case["name"],
)
def test_scores_are_those_of_r(case):
    *_, slope, offset, rsq, sig = score_of(case)
    np.testing.assert_allclose([slope, offset], [case["a"], case["b"]], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(rsq, case["pseudo_rsq"], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(sig, case["sig"], rtol=1e-7)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["name"] in OTHER_SLOPE], ids=lambda case: case["name"]
)
def test_separated_weighted_fits_differ_from_r_in_the_slope_only(case):
    *_, slope, _, rsq, sig = score_of(case)
    assert slope * case["a"] > 0
    np.testing.assert_allclose(rsq, case["pseudo_rsq"], rtol=1e-9)
    np.testing.assert_allclose(sig, case["sig"], rtol=1e-7)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["name"] in OTHER_ANSWER], ids=lambda case: case["name"]
)
def test_separated_weighted_fits_are_a_strong_effect_whatever_r_says(case):
    x, y, weight, slope, _, rsq, sig = score_of(case)
    assert slope * np.corrcoef(x, y)[0, 1] > 0
    assert rsq > 0.999
    assert sig < 1e-3
    doubled = np.repeat(x, (2 * weight).astype(int)), np.repeat(y, (2 * weight).astype(int))
    np.testing.assert_allclose(fit_one(*doubled)[0], fit_one(x, y, 2 * weight)[0], rtol=1e-6)


def test_all_differences_from_r_are_cases():
    names = [case["name"] for case in CASES]
    assert set(OTHER_SLOPE + OTHER_ANSWER) <= set(names)
