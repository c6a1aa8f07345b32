"""Sizes of levels that were seen once, against distributions of which they are known."""

from __future__ import annotations

import numpy as np
import pytest

from vtreat_py.coders.unseen import MOST_ROWS, log_rows_of_one


def numbers_of(rows: np.ndarray) -> np.ndarray:
    """How many levels have one row, two rows, and so on."""
    return np.bincount(rows, minlength=MOST_ROWS + 1)[None, 1 : MOST_ROWS + 1].astype(float)


@pytest.mark.parametrize(("shape", "mean"), [(1e6, 2.0), (3.0, 2.0), (1.0, 4.0), (0.3, 1.0)])
def test_rates_from_a_gamma_distribution_have_what_the_formula_says(shape, mean):
    random = np.random.default_rng(7)
    rows = random.poisson(random.gamma(shape, mean / shape, 300_000))
    found = float(log_rows_of_one(numbers_of(rows))[0])
    expected = np.log((shape + 1.0) / (shape / mean + 1.0))
    assert abs(found - expected) < 0.04  # half a step is .033


def test_it_is_nearer_than_the_ratio_of_levels_of_two_and_one_rows():
    share = 1.0 / np.arange(1, 201)
    share /= share.sum()
    errors, of_ratio = [], []
    for seed in range(200):
        rows = np.random.default_rng(seed).multinomial(4_000, share)
        unseen = share * (rows == 0)
        numbers = numbers_of(rows)
        if unseen.any() and numbers[0, 0]:
            truth = float(unseen @ np.log(4_000 * share)) / float(unseen.sum())
            errors.append(log_rows_of_one(numbers)[0] - truth)
            of_ratio.append(np.log(2.0 * (numbers[0, 1] + 1.0) / numbers[0, 0]) - truth)
    assert np.sqrt(np.mean(np.square(errors))) < 0.24
    assert np.sqrt(np.mean(np.square(of_ratio))) > 0.4


def test_training_sets_are_as_each_alone_and_many_levels_are_no_trouble():
    some = np.array([[3.0, 2.0, 4.0, *[1.0] * 7], [1e9] * 10, [0.0] * 10] * 100)
    found = log_rows_of_one(some)
    alone = [log_rows_of_one(one[None])[0] for one in some[:3]] * 100
    np.testing.assert_allclose(found, alone, rtol=1e-12)
    assert found[2] == pytest.approx(np.log(2.0))  # nothing is known
