"""Logistic regressions from sums over narrow bins, beside those on all rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.logistic import logistic_fit
from vtreat_py.significance.logistic_bins import NumberBins
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.statistics.moments import Moments

N = 20_000
RANDOM = np.random.default_rng(0)
NUMBERS = {
    "normal": RANDOM.normal(size=N),
    "heavy tails": RANDOM.standard_t(2, size=N),
    "of two values": (RANDOM.random(N) < 0.3).astype(float),
    "whole": RANDOM.integers(0, 40, N).astype(float),
    "one far off": np.append(RANDOM.normal(size=N - 1), 50.0),
    "all far off but one": np.append(np.zeros(N - 1), 1.0),
}
WEIGHTS = {
    "none": None,
    "counts": RANDOM.integers(0, 4, N).astype(float),
    "fractions": RANDOM.random(N),
}


def both(
    x: FloatArray,
    y: FloatArray,
    weight: FloatArray | None = None,
    bad: FloatArray | None = None,
    imputed: float | None = None,
) -> tuple[RegressionFit | None, RegressionFit]:
    """The fit by bins, and that on all rows."""
    every = np.ones(len(x)) if weight is None else weight
    clean = x if bad is None else np.where(bad, imputed, x)
    good = np.ones(len(x), dtype=bool) if bad is None else ~bad
    good &= every > 0

    def moments(rows: FloatArray, values: FloatArray) -> Moments:
        group = np.zeros(int(rows.sum()), dtype=int)
        return Moments.of_rows(group, 1, values[rows], y[rows], every[rows])

    extent = float(x[good].min()), float(x[good].max())
    whole = moments(every > 0, clean)
    bins = NumberBins.of(x, bad, weight, moments(good, x), extent)
    reach = np.abs(clean[every > 0] - whole.x[0]).max(keepdims=True)
    by_bins = None if bins is None else bins.fit(y, whole, reach, imputed)
    rows = logistic_fit(clean[None], None if weight is None else weight[None], (every * y)[None])
    return by_bins, rows


def outcome(x: FloatArray, slope: float) -> FloatArray:
    random = np.random.default_rng(1)
    return (random.random(len(x)) < expit(slope * x - 1.0)).astype(float)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("some_bad", [False, True])
def test_it_is_the_fit_on_all_rows(numbers: str, weight: str, some_bad: bool) -> None:
    x, bad, imputed = NUMBERS[numbers], None, None
    y = outcome(x, 0.5)
    if some_bad:
        bad, imputed = np.arange(N) % 7 == 1, 0.2
        x = np.where(bad, np.nan, x)
    by_bins, rows = both(x, y, WEIGHTS[weight], bad, imputed)
    assert by_bins is not None
    np.testing.assert_allclose(by_bins.deviance, rows.deviance, rtol=2e-8)
    np.testing.assert_allclose(by_bins.null_deviance, rows.null_deviance, rtol=1e-12)
    np.testing.assert_allclose(by_bins.slope, rows.slope, rtol=1e-4)


@pytest.mark.parametrize("slope", [20.0, 300.0])
def test_a_steep_fit_is_left_to_rows(slope: float) -> None:
    x = NUMBERS["normal"]
    assert both(x, outcome(x, slope))[0] is None
    assert both(x, (x > 0).astype(float))[0] is None


def test_no_bins_for_what_hardly_varies() -> None:
    x = np.where(np.arange(N) % 2, 0.0, 5e-324)
    assert both(x, outcome(x, 0.5))[0] is None


def test_rows_of_no_weight_may_be_anywhere() -> None:
    x, weight = NUMBERS["normal"].copy(), np.ones(N)
    y = outcome(x, 0.5)
    weight[:3] = 0.0
    expected = both(x, y, weight)[0]
    x[:3] = 1e70, -1e70, 0.0
    found = both(x, y, weight)[0]
    assert found is not None
    assert expected is not None
    assert found.deviance == expected.deviance
