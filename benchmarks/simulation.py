"""Simulated columns and outcomes, and the p-values that a design gives them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats

import vtreat_py as vt
from vtreat_py.design.calibrated import CalibratedTests
from vtreat_py.design.combined import CombinedTests
from vtreat_py.outcome.outcome import OutcomeValues, Weighting
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

OUTCOMES = ("normal", "lognormal", "10%", "1%")
HEAVY_TAILED = ("t(2)", "Cauchy", "97% zeros", "lognormal(2)")
SIZES = ("balanced", "Zipf")
Array = np.ndarray[Any, Any]


def outcome(kind: str, n_rows: int, random: np.random.Generator, effect: Any = 0.0) -> Array:
    """An outcome of a kind; ``effect`` is added to it before its transformation."""
    return transformed(kind, random.normal(size=n_rows) + effect)


def transformed(kind: str, latent: Array) -> Array:
    """An outcome of a kind, of a standard normal one."""
    if kind == "normal":
        return latent
    if kind.startswith("lognormal"):
        return np.exp(latent * (2.0 if kind == "lognormal(2)" else 1.0))
    if kind in ("t(2)", "Cauchy"):
        return stats.t.ppf(stats.norm.cdf(latent), 2 if kind == "t(2)" else 1)
    if kind == "97% zeros":
        return np.where(latent > stats.norm.isf(0.03), np.exp(2.0 * latent), 0.0)
    rate = float(kind.rstrip("%")) / 100.0
    return (latent > stats.norm.isf(rate)).astype(np.int8)


def level_column(n_rows: int, n_levels: int, sizes: str, random: np.random.Generator) -> Array:
    """Levels of rows: of equal or of Zipf's sizes."""
    if sizes == "balanced" and n_levels <= n_rows:
        return random.permutation(np.arange(n_rows) % n_levels)
    share = 1.0 / np.arange(1, n_levels + 1) ** (sizes == "Zipf")
    return random.choice(n_levels, n_rows, p=share / share.sum())


def frame_of(columns: list[Array]) -> pd.DataFrame:
    """A frame of categorical columns."""
    return pd.DataFrame({f"x{k}": pd.Categorical(c) for k, c in enumerate(columns)})


def usable(y: Array) -> bool:
    """Whether an outcome varies, as a design asks."""
    return bool(len(np.unique(y)) > 1)


def scores(frame: pd.DataFrame, y: Array, **options: Any) -> pd.DataFrame:
    """Score frame of a design with calibrated p-values, and R vtreat's p-values as ``classic``.

    Those follow from ``rsq`` by the F test or the likelihood ratio test.
    """
    binary = y.dtype == np.int8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vt.VtreatWarning)  # columns without a code
        plan = vt.design_treatments(
            frame,
            outcome=y,
            outcome_type="binomial" if binary else "numeric",
            smoothing=0,
            random_state=0,
            **options,
        )
    table = plan.score_frame
    weight = options.get("sample_weight", np.ones(len(y)))
    n, rate = float(np.sum(weight)), float(np.average(y, weights=weight))
    rsq = table["rsq"].to_numpy()
    if binary:
        null = -2.0 * n * (rate * np.log(rate) + (1 - rate) * np.log1p(-rate))
        table["classic"] = stats.chi2.sf(rsq * null, 1)
    else:
        table["classic"] = stats.f.sf(rsq / np.maximum(1 - rsq, 1e-300) * (n - 2), 1, n - 2)
    return table


def powers_of(y: Array) -> OutcomePowers:
    """What the calibrated test needs of an outcome."""
    return OutcomePowers.of_sample(Sample.of_values(y))


class ImpactTests:
    """Calibrated p-values of impact codes for one outcome, by level sums as a design has them."""

    def __init__(self, y: Array) -> None:
        values = OutcomeValues(
            kind="binomial" if y.dtype == np.int8 else "numeric",
            name=None,
            note="",
            y=y,
            weight=None,
            weighting=Weighting(),
        )
        self._y, self._tests = y, CalibratedTests(values)
        self._combined = CombinedTests(values, self._tests)

    def p_value(self, level: Array) -> float:
        """p-value of a column."""
        n_levels, scores = int(level.max()) + 1, self._combined.scores

        def of_scores() -> OutcomeSums:
            assert scores is not None
            return OutcomeSums.of_rows(level, n_levels, scores.of(self._y))

        means = self._tests.levels(OutcomeSums.of_rows(level, n_levels, self._y))
        return self._combined.levels(means, of_scores)


def plain_test(level: Array, y: Array) -> float:
    """p-value of the analysis of variance, or of the chi-square test of the table of counts."""
    _, code = np.unique(level, return_inverse=True)
    size = np.bincount(code)
    total = np.bincount(code, y)
    n, mean = len(y), y.mean()
    if len(size) < 2 or len(size) == n:
        return 1.0
    between = (size * (total / size - mean) ** 2).sum()
    if y.dtype == np.int8:
        return float(stats.chi2.sf(between / (mean * (1 - mean)), len(size) - 1))
    within = ((y - mean) ** 2).sum() - between
    f = (between / (len(size) - 1)) / (within / (n - len(size)))
    return float(stats.f.sf(f, len(size) - 1, n - len(size)))


def in_parallel(task: Callable[..., Any], cells: list[tuple[Any, ...]]) -> list[Any]:
    """Results of a task for each cell, on all cores, with a line of progress for each."""
    found = []
    for result in Parallel(-1, return_as="generator")(delayed(task)(*cell) for cell in cells):
        found.append(result)
        print(f"{len(found)} of {len(cells)}", flush=True)
    return found
