"""Noise is drawn as it is said to be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.plan.differential_privacy import GRAIN, DifferentialPrivacy
from vtreat_py.private.budget import Budget, variance
from vtreat_py.private.noise import Noise


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, 1.0), (1, 0.37), (3, 2.0)])
def test_noise_has_the_discrete_laplace_distribution(sensitivity: int, epsilon: float) -> None:
    grains, n = round(epsilon / GRAIN), 60_000
    drawn = Noise(1).laplace(n, sensitivity, grains)
    p = math.exp(-grains * GRAIN / sensitivity)
    last = int(math.log(0.002) / math.log(p))
    values = np.arange(-last, last + 1)
    expected = (1.0 - p) / (1.0 + p) * p ** np.abs(values)
    counted = np.bincount(np.clip(drawn, -last - 1, last + 1) + last + 1, minlength=2 * last + 3)
    beyond = p ** (last + 1) / (1.0 + p)
    shares = np.concatenate([[beyond], expected, [beyond]])
    assert chisquare(counted, n * shares / shares.sum()).pvalue > 1e-4
    assert drawn.var() == pytest.approx(variance(grains, sensitivity), rel=0.05)


def test_noise_of_the_system_differs_and_seeds_repeat() -> None:
    grains = round(0.01 / GRAIN)
    assert (Noise().laplace(50, 1, grains) != Noise().laplace(50, 1, grains)).any()
    np.testing.assert_array_equal(Noise(5).laplace(50, 1, grains), Noise(5).laplace(50, 1, grains))


@pytest.mark.parametrize("n_counts", [1, 2])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_thresholds_are_the_smallest_that_keep_delta(n_counts: int, epsilon: float) -> None:
    grains, delta = round(epsilon / GRAIN), 1e-3
    p = math.exp(-grains * GRAIN)
    reach = int(40 / epsilon) + 40
    own = (1.0 - p) / (1.0 + p) * p ** np.abs(np.arange(-reach, reach + 1))
    noise = own if n_counts == 1 else np.convolve(own, own)
    values = np.arange(len(noise)) - len(noise) // 2
    least = Budget(grains, delta).threshold(grains, n_counts)
    assert noise[values + 1 >= least].sum() <= delta < noise[values + 1 >= least - 1].sum()


def test_budgets_are_split_evenly_and_never_exceeded() -> None:
    privacy = DifferentialPrivacy(1.0, 1e-6)
    each = Budget.each(privacy, n_columns=6, n_of_levels=4)
    assert each.delta == 2.5e-7
    assert 0.999 < 7 * each.grains * GRAIN <= 1.0
    assert all(of * each.part(of) <= each.grains for of in range(1, 6))
    with pytest.raises(InvalidOptionError, match="too small to be split between 400 columns"):
        Budget.each(DifferentialPrivacy(1e-3), 400, 0)
