"""Levels of one size, merged over many training sets."""

from dataclasses import replace

import numpy as np
import pytest

from tests.statistics.rows import Example
from vtreat_py.statistics.equal_levels import EqualLevels
from vtreat_py.statistics.level_view import held_out_view, training_view


@pytest.mark.parametrize("fold_type", [np.uint8, np.intp])
@pytest.mark.parametrize("kind", ["number", "class"])
def test_cells_of_folds_count_the_levels_of_their_training_sets(kind, fold_type):
    random, n = np.random.default_rng(0), 4_000
    code = (random.zipf(1.4, n) % 900).astype(np.int32)
    y = random.normal(size=n) if kind == "number" else random.integers(2, size=n).astype(np.int8)
    example = Example(code, 900, y, None, random.integers(5, size=n), 5)
    table = example.table()
    table = replace(table, fold=table.fold.astype(fold_type))
    view = held_out_view(table, 5)
    assert len(view.group) > 512  # fewer are not merged
    found = EqualLevels.of_view(view, 0.0)
    each = training_view([table.held_out(k).by_level() for k in range(5)])
    for k in range(5):
        own = found.group == k
        seen = (each.group == k) & (each.entries.weight > 0)
        sizes, counts = np.unique(each.entries.weight[seen], return_counts=True)
        merged = np.bincount(np.searchsorted(sizes, found.weight[own]), found.sums[0, own])
        np.testing.assert_array_equal(merged, counts)
        mean = (found.sums[1, own] * found.unit).sum()
        np.testing.assert_allclose(mean, each.entries.mean[seen].sum(), rtol=1e-9, atol=1e-9)
