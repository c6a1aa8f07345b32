"""Tails of Pearson's curves: those of the distributions they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.rows import law
from vtreat_py.significance.pearson import upper_tail

CURVES = {
    "beta": stats.beta(2, 5),
    "beta, a peak at the end": stats.beta(0.7, 6),
    "beta, skewed to the left": stats.beta(9, 2),
    "beta prime": stats.betaprime(2, 9),
    "F": stats.f(4, 20),
    "gamma": stats.gamma(3),
    "chi-square": stats.chi2(1),
    "inverse gamma": stats.invgamma(12),
}


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.999, 1 - 1e-7])
def test_a_curve_is_found_again_from_its_moments(curve: object, share: float) -> None:
    mean, variance, skewness, kurtosis = map(float, curve.stats("mvsk"))
    x = float(curve.ppf(share))
    found = upper_tail((x - mean) / np.sqrt(variance), skewness, kurtosis)
    assert found == pytest.approx(curve.sf(x), rel=1e-4)


def test_no_skewness_is_normal() -> None:
    assert upper_tail(2.5, 0.0, 0.0) == pytest.approx(stats.norm.sf(2.5))


@law
@given(st.floats(-6, 30), st.floats(-4, 12), st.floats(-3, 200))
def test_any_moments_give_a_probability_that_falls(x: float, skewness: float, more: float) -> None:
    kurtosis = 1.5 * skewness**2 + more
    near, far = upper_tail(x, skewness, kurtosis), upper_tail(x + 0.5, skewness, kurtosis)
    assert 0.0 <= far <= near + 1e-12 <= 1.0 + 1e-9


@law
@given(st.floats(0.3, 3), st.floats(-1, 4))
def test_a_mirrored_curve_has_the_other_tail(skewness: float, x: float) -> None:
    kurtosis = 1.7 * skewness**2
    assert upper_tail(-x, -skewness, kurtosis) == pytest.approx(
        1.0 - upper_tail(x, skewness, kurtosis), abs=1e-9
    )
