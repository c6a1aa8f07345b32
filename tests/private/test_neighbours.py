"""Neighbours cannot be told apart beyond epsilon; those of broken noise can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import vtreat_py as vt
from tests.private.neighbours import least_epsilon
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.differential_privacy import GRAIN
from vtreat_py.private.budget import Budget
from vtreat_py.private.noise import Noise
from vtreat_py.private.outcome import STEPS, Grid, PrivateOutcome
from vtreat_py.private.tables import NoisyGroups, NoisyLevels

RUNS = 40_000
EPSILON = 1.0


def budget(delta: float = 0.0) -> Budget:
    return Budget(round(EPSILON / GRAIN), delta)


def outcome(kind: str, y: Any) -> PrivateOutcome:
    known = np.ones(len(y), dtype=bool)
    return PrivateOutcome(kind, known, y, Grid(0.0, 1.0) if kind == "numeric" else None)


def groups(kind: str, n_rows: int, seed: int) -> NoisyGroups:
    """As many groups as there are runs, each of so many rows of the largest outcome."""
    codes = np.repeat(np.arange(RUNS), n_rows)
    y = np.full(len(codes), {"binomial": 1, "numeric": STEPS, "unsupervised": 0}[kind])
    return NoisyGroups.of(codes, RUNS, outcome(kind, y), budget(), Noise(seed))


def of_groups(kind: str) -> float:
    one, other = (groups(kind, n_rows, n_rows) for n_rows in (4, 3))
    draws = [np.stack([g.count, g.total], axis=1).astype(float) for g in (one, other)]
    if kind == "binomial":  # the count has the noise of the other class, too
        draws = [each[:, 1] for each in draws]
    return max(least_epsilon(*draws), least_epsilon(-draws[1], -draws[0]))


@pytest.mark.parametrize("kind", ["numeric", "binomial", "unsupervised"])
def test_counts_and_sums_keep_epsilon(kind: str) -> None:
    found = of_groups(kind)
    assert 0.7 * EPSILON < found <= EPSILON  # the search finds next to all that there is


@pytest.mark.parametrize("kind", ["numeric", "binomial", "unsupervised"])
def test_half_the_noise_is_caught(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    laplace = Noise.laplace
    monkeypatch.setattr(
        Noise, "laplace", lambda self, size, by, grains: laplace(self, size, by, 2 * grains)
    )
    assert of_groups(kind) > 1.2 * EPSILON


@pytest.mark.parametrize("kind", ["numeric", "binomial", "unsupervised"])
def test_levels_of_one_row_are_published_as_seldom_as_delta_says(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delta, n = 0.02, 20_000
    levels = Levels.of([f"r{i}" for i in range(n)])
    rows = outcome(kind, np.ones(n, dtype=np.int64))

    def published() -> int:
        return len(NoisyLevels.of(np.arange(n), levels, rows, budget(delta), Noise(0)).levels)

    by_chance = 4.0 * np.sqrt(n * delta)
    assert published() <= n * delta + by_chance
    assert published() > 0.3 * n * delta
    threshold = Budget.threshold
    monkeypatch.setattr(Budget, "threshold", lambda *given: threshold(*given) - 2)
    assert published() > n * delta + by_chance


def test_levels_without_rows_are_not_published() -> None:
    levels = Levels.of([f"r{i}" for i in range(5_000)])
    rows = outcome("unsupervised", np.zeros(1, dtype=np.int64))
    table = NoisyLevels.of(np.zeros(1, dtype=np.int64), levels, rows, budget(0.3), Noise(0))
    assert set(table.levels.to_list()) <= {"r0"}


def plans(n_rows: int, epsilon: float, runs: int) -> np.ndarray[Any, Any]:
    """What many designs of one frame tell: numbers that one row more makes larger."""
    frame = pd.DataFrame({"x": ["a"] * n_rows + ["b"] * 40, "z": [1.0] * n_rows + [0.0] * 40})
    y = np.array([1.0] * n_rows + [0.0] * 40)
    privacy = vt.DifferentialPrivacy(epsilon, 1e-3, (0.0, 1.0), {"z": (0.0, 1.0)})
    found = []
    for seed in range(runs):
        plan = vt.design_treatments(
            frame, outcome=y, outcome_type="numeric", privacy=privacy, coders=["clean", "catP"],
            random_state=seed + n_rows * runs,
        )  # fmt: skip
        share, imputed = vt.prepare(plan, pd.DataFrame({"x": ["a"], "z": [None]})).iloc[0]
        found.append((plan.n_rows, share * plan.n_rows, imputed))
    return np.array(found)


@pytest.mark.long
def test_plans_keep_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    epsilon, runs = 3.0, 600
    one, other = (plans(n, epsilon, runs) for n in (41, 40))
    assert least_epsilon(one, other, 1e-3) <= epsilon
    laplace = Noise.laplace
    monkeypatch.setattr(
        Noise, "laplace", lambda self, size, by, grains: laplace(self, size, by, 20 * grains)
    )
    one, other = (plans(n, epsilon, runs) for n in (41, 40))
    assert least_epsilon(one, other, 1e-3) > epsilon
