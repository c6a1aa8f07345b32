import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.coders import naive
from tests.coders.coding import RARE_COUNTS, is_class, naive_rows, pooled_whole, rows_to_code
from tests.statistics.rows import OUTCOMES, Example, law
from vtreat_py.coders.cat_b import cat_b
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.pooling import pool_levels
from vtreat_py.coders.shrinkage import prior_weight
from vtreat_py.statistics.level_view import held_out_view

CODERS = {"class": cat_b, "number": cat_n}


def example_of(code, y, outcome="number"):
    code, y = np.asarray(code), np.asarray(y)
    y = y.astype(np.int8 if outcome == "class" else float)
    return Example(code, int(code.max()) + 1, y, None, np.zeros(len(y), dtype=int), 1)


def codes_of(code, y, outcome="number"):
    return CODERS[outcome](pooled_whole(example_of(code, y, outcome)), "auto")[0]


@law
@given(rows_to_code(None), st.sampled_from(RARE_COUNTS))
def test_the_prior_weight_is_that_of_a_loop(example, rare_count):
    view = held_out_view(example.table(), example.n_folds)
    found = prior_weight(pool_levels(view, rare_count, None, is_class(example)))
    for fold in range(example.n_folds):
        rest = naive_rows(example.where(example.fold != fold))
        expected = naive.prior_weight(naive.levels_of(rest, rare_count))
        # Beliefs are compared, because a prior of 1e15 rows is as good as an infinite one.
        np.testing.assert_allclose(1 / (1 + found[fold]), 1 / (1 + expected), atol=1e-9)


def test_the_prior_weight_is_that_of_the_analysis_of_variance():
    # Balanced levels: the estimator of the textbook, (MSB - MSW) / n for the variance between.
    random = np.random.default_rng(1)
    code = np.repeat(np.arange(6), 5)
    y = random.normal(size=30) + 2 * random.normal(size=6)[code]
    means = y.reshape(6, 5).mean(axis=1)
    within = ((y - means[code]) ** 2).sum() / 24
    between = (5 * means.var(ddof=1) - within) / 5
    found = prior_weight(pooled_whole(example_of(code, y)))
    np.testing.assert_allclose(found, [within / between])


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_no_variance_between_levels_codes_all_as_exactly_zero(outcome):
    codes = codes_of([0, 0, 1, 1, 2, 2], [0, 1, 1, 0, 0, 1], outcome)
    np.testing.assert_array_equal(codes, np.zeros(3))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_one_row_a_level_codes_all_as_exactly_zero(outcome):
    y = np.random.default_rng(2).integers(2, size=50)
    np.testing.assert_array_equal(codes_of(np.arange(50), y, outcome), np.zeros(50))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_one_level_is_coded_as_exactly_zero(outcome):
    np.testing.assert_array_equal(codes_of([0, 0, 0], [0, 1, 1], outcome), [0.0])


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_that_does_not_vary_is_coded_as_zero(outcome):
    np.testing.assert_array_equal(codes_of([0, 0, 1, 1], [1, 1, 1, 1], outcome), [0.0, 0.0])


def test_levels_without_noise_are_believed():
    np.testing.assert_allclose(codes_of([0, 0, 1, 1], [1, 1, 3, 3]), [-1, 1])


def noise(seed):
    """5,000 levels of 4 rows that all have the same chance, .2."""
    y = np.random.default_rng(seed).random(20_000) < 0.2
    return np.repeat(np.arange(5000), 4), y


@pytest.mark.parametrize("seed", range(5))
def test_pure_noise_is_shrunk_to_almost_nothing(seed):
    code, y = noise(seed)
    base = y.mean()
    codes = codes_of(code, y, "class")
    chance = 1 / (1 + (1 - base) / base * np.exp(-codes))
    assert chance.std() <= 0.02
    assert codes_of(code, y, "number").std() <= 0.02


def test_true_effects_are_shrunk_towards_the_truth():
    random = np.random.default_rng(3)
    truth = random.normal(size=500)
    code = np.repeat(np.arange(500), 4)
    y = truth[code] + 2 * random.normal(size=2000)
    raw, shrunk = (
        cat_n(pooled_whole(example_of(code, y)), smoothing)[0] for smoothing in (0.0, "auto")
    )
    truth -= truth.mean()
    assert ((shrunk - truth) ** 2).mean() < 0.6 * ((raw - truth) ** 2).mean()
    # The variances were 1 between levels and 4 within: a level of 4 rows is half believed.
    np.testing.assert_allclose(shrunk / raw, np.full(500, shrunk[0] / raw[0]))
    assert 0.4 < shrunk[0] / raw[0] < 0.6
