"""Sums over ranges of numbers are those of a count, to the bit, of few rows and of many."""

import numpy as np
import pytest

from vtreat_py.frames.columns import NumericColumn
from vtreat_py.memory.ranges import number_sums


@pytest.mark.parametrize("n", [0, 1, 1_000, 300_000])
def test_sums_over_ranges_are_those_of_a_count(n: int) -> None:
    random = np.random.default_rng(8)
    values, y = random.normal(size=(2, n))
    values[: n // 10] = np.nan
    edges = np.array([-1.0, 0.0, 0.5])
    code = np.where(np.isnan(values), 4, np.searchsorted(edges, values))
    found = number_sums(NumericColumn.of("x", values), edges, [None, y, y * y])
    expected = [np.bincount(code, one, 5) for one in (None, y, y * y)]
    np.testing.assert_array_equal(found, np.array(expected))
