"""Rates of cells, where those of rows and columns multiply."""

from __future__ import annotations

import numpy as np
import pytest

from vtreat_py.statistics import additive
from vtreat_py.statistics.additive import multiplied_rates


def test_rates_that_multiply_have_the_margins_of_the_events() -> None:
    rng = np.random.default_rng(1)
    exposure = rng.gamma(1.0, size=(4, 6))
    exposure[2, 3] = 0.0
    events = np.where(exposure > 0, rng.poisson(3.0 * exposure), 0).astype(float)
    events[1] = 0.0
    rates = multiplied_rates(exposure, events)
    for axis in (0, 1):
        np.testing.assert_allclose(
            (exposure * rates).sum(axis=axis), events.sum(axis=axis), rtol=1e-4, atol=1e-9
        )


def test_the_last_margins_are_met_after_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(additive, "_MOST_FITTINGS", 1)
    rng = np.random.default_rng(2)
    exposure = rng.gamma(1.0, size=(3, 5)) + 0.1
    events = rng.poisson(4.0 * exposure).astype(float)
    rates = multiplied_rates(exposure, events)
    np.testing.assert_allclose((exposure * rates).sum(axis=1), events.sum(axis=1))
