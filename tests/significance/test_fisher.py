"""Fisher's exact test, of tables of any size."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.statistics.rows import law
from vtreat_py.significance.fisher import _by_tails, _listed, fisher_exact

Table = tuple[int, int, int, int]


def as_columns(*tables: Table) -> np.ndarray:
    return np.array(tables, dtype=float).reshape(-1, 4).T


def exact(a: int, b: int, c: int, d: int) -> float:
    """In whole numbers."""
    level, hits, misses = a + b, a + c, b + d
    ways = [
        math.comb(hits, k) * math.comb(misses, level - k)
        for k in range(max(0, level - misses), min(level, hits) + 1)
    ]
    observed = ways[a - max(0, level - misses)]
    unlikely = sum(w for w in ways if 10**7 * w <= (10**7 + 1) * observed)
    return float(Fraction(unlikely, sum(ways)))


@law
@given(st.tuples(*[st.integers(1, 200)] * 4))
def test_tails_are_exact(table: Table) -> None:
    np.testing.assert_allclose(_by_tails(as_columns(table)), exact(*table), rtol=1e-12)


@law
@given(st.lists(st.tuples(*[st.integers(1, 2000)] * 4), min_size=1, max_size=4))
def test_tails_and_lists_agree(tables: list[Table]) -> None:
    cells = as_columns(*tables)
    np.testing.assert_allclose(_by_tails(cells), _listed(cells), rtol=1e-9, atol=1e-290)


@pytest.mark.parametrize(
    "table", [(0, 20_000, 30, 10**6), (30_000, 30_500, 30_000, 30_200), (10, 10**5, 10**5, 10**6)]
)
def test_large_tables_have_the_p_value_of_scipy(table: Table) -> None:
    expected = stats.fisher_exact(np.reshape(table, (2, 2)))[1]
    np.testing.assert_allclose(fisher_exact(as_columns(table)), expected, rtol=1e-7)


def test_d2_census_weights_take_no_time() -> None:
    n = 10**6
    tables = [(0, k * n, 40 * n, 60 * n) for k in range(1, 60)] + [(3, 10**18, 20, 10**19)]
    start = time.process_time()
    p = fisher_exact(as_columns(*tables))
    assert time.process_time() - start < 1.0
    np.testing.assert_array_equal(p[:-1], 0.0)
    # Of 23 rows in nearly boundless margins, 3 or fewer, or as unlikely, in a part of 1 in 11.
    assert p[-1] == pytest.approx(stats.binomtest(3, 23, 1 / 11).pvalue, rel=1e-9)
