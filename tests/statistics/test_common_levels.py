"""Which levels are common enough."""

from __future__ import annotations

import numpy as np

from vtreat_py.statistics.common_levels import common_levels


def test_levels_of_twenty_rows_are_common() -> None:
    rows = np.array([20.0, 19.0, 0.0, 20.0 * (1.0 - 1e-14), 300.0])  # sums of fractions
    assert common_levels(rows, lambda _: []).tolist() == [0, 3, 4]


def test_of_equally_common_levels_those_first_by_name_are_kept_in_any_order() -> None:
    names = np.array([f"{i:02d}" for i in range(40)])
    rows = np.where(np.arange(40) == 39, 99.0, 25.0)
    kept = names[common_levels(rows, lambda some: names[some].tolist())]
    assert kept.tolist() == ["39", *names[:29]]
    order = np.random.default_rng(0).permutation(40)
    mixed = names[order]
    again = mixed[common_levels(rows[order], lambda some: mixed[some].tolist())]
    assert again.tolist() == kept.tolist()
