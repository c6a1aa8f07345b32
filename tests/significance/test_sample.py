"""A variable over all rows: standardised, summed by powers, its rows told by rank."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from vtreat_py.significance.sample import Sample


@pytest.mark.parametrize("dtype", [np.float64, np.int8])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 7, 100_000])
def test_it_is_standardised_and_summed_as_repeated_rows(
    n: int, weighted: bool, dtype: type
) -> None:
    random = np.random.default_rng(n)
    values = (10.0 * random.exponential(size=n)).clip(0, 100).astype(dtype)
    weight = random.integers(0, 4, n).astype(float) if weighted else None
    if weight is not None:
        weight[0] = 2.0
    sample = Sample.of_values(values, weight)
    rows = values if weight is None else np.repeat(values, weight.astype(int))
    spread = rows.std()
    z = (rows - rows.mean()) / (spread or np.inf)
    assert sample.n_rows == len(rows)
    assert sample.mean == pytest.approx(rows.mean(), rel=1e-12)
    assert sample.spread == pytest.approx(spread or np.inf, rel=1e-12)
    kept = slice(None) if weight is None else weight > 0
    of_value = (values[kept] - rows.mean()) / (spread or np.inf)
    np.testing.assert_allclose(sample.values, of_value, rtol=1e-9, atol=1e-12)
    expected = [len(rows), 0.0, *((z**k).sum() for k in range(2, 9))]
    np.testing.assert_allclose(sample.power_sums, expected, rtol=1e-9, atol=1e-9)
    if spread:
        expected = stats.skew(rows), stats.kurtosis(rows)
        np.testing.assert_allclose(sample.skewness_and_kurtosis, expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sample.take(np.arange(len(rows))), np.sort(z), atol=1e-12)


def test_rounding_is_no_variation() -> None:
    sample = Sample.of_values(np.array([1.0, np.nextafter(1.0, 2.0)] * 4) * 3e7)
    assert sample.spread == np.inf
    assert not sample.values.any()
    assert sample.power_sums == (8.0, 0.0, *[0.0] * 7)
