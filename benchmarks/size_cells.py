"""Cells of the size study where p-values are hard: tails, weights, groups, series, many columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import signal
from simulation import Array, level_column, outcome, scores, transformed, usable

import vtreat_py as vt

ROWS, GROUPS = 700, 70
NOMINAL = (0.05, 0.01, 0.001)
# Levels of half of the categorical columns each, and columns of a frame.
LEVELS, COLUMNS = (5, 30), 10
BURN_IN = 200

Draw = Callable[[np.random.Generator], tuple[pd.DataFrame, Array, dict[str, Any]]]


def counted(p: Array) -> dict[str, float]:
    """Rates of rejection."""
    return {"columns": len(p), **{f"at_{a}": float((p <= a).mean()) for a in NOMINAL}}


def all_codes(n_columns: int, seed: list[int], draw: Draw) -> list[dict[str, Any]]:
    """Rates of rejection of each code, over frames of noise."""
    random = np.random.default_rng(seed)
    found: dict[tuple[str, str], list[Array]] = {}
    for _ in range(-(-n_columns // COLUMNS)):
        frame, y, options = draw(random)
        if not usable(y):
            continue
        table = scores(frame, y, **options)
        # Indicators of one column rise and fall together: one of them is counted.
        table = table.drop_duplicates(["orig_variable", "code"])
        for code, rows in table.groupby("code"):
            for test, column in (("calibrated", "sig"), ("classic", "classic")):
                found.setdefault((str(code), test), []).append(rows[column].to_numpy())
    return [
        {"code": code, "test": test, **counted(np.concatenate(p))}
        for (code, test), p in found.items()
    ]


def mixed_frame(levels: list[Array], numbers: Array, random: np.random.Generator) -> pd.DataFrame:
    """Categorical columns, and numeric ones of which 10% are bad."""
    frame = {f"c{k}": pd.Categorical(level) for k, level in enumerate(levels)}
    numbers = np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)
    return pd.DataFrame(frame | {f"x{k}": column for k, column in enumerate(numbers.T)})


def heavy(n: int, rows: int, kind: str) -> list[dict[str, Any]]:
    """Outcomes that a few rows carry."""

    def draw(random: np.random.Generator) -> Any:
        levels = [level_column(rows, LEVELS[k % 2], "Zipf", random) for k in range(COLUMNS)]
        numbers = random.lognormal(size=(rows, COLUMNS))
        return mixed_frame(levels, numbers, random), outcome(kind, rows, random), {}

    return all_codes(n, [11, rows, sum(map(ord, kind))], draw)


def importance(n: int, spread: float, kind: str) -> list[dict[str, Any]]:
    """Weights of importance: lognormal, with such a spread of their logarithm."""

    def draw(random: np.random.Generator) -> Any:
        levels = [level_column(ROWS, LEVELS[k % 2], "Zipf", random) for k in range(COLUMNS)]
        frame = mixed_frame(levels, random.normal(size=(ROWS, COLUMNS)), random)
        weight = random.lognormal(sigma=spread, size=ROWS)
        options = {"sample_weight": weight, "weight_kind": "importance"}
        return frame, outcome(kind, ROWS, random), options

    return all_codes(n, [12, int(10 * spread), sum(map(ord, kind))], draw)


def groups(n: int, correlation: float, column: str, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Outcomes with an effect of the group, so that rows of one correlate so much."""

    def draw(random: np.random.Generator) -> Any:
        group = np.repeat(np.arange(GROUPS), ROWS // GROUPS)
        if sizes == "geometric":
            group = np.repeat(np.arange(GROUPS), random.geometric(GROUPS / ROWS, GROUPS))
        n_rows = len(group)
        own, shared = random.normal(size=n_rows), random.normal(size=GROUPS)[group]
        y = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own
        of_group = {"same in a group": 1.0, "half": 0.5, "other in each row": 0.0}[column]

        def levels(k: int) -> Array:
            own_level = random.integers(0, LEVELS[k % 2], n_rows)
            group_level = random.integers(0, LEVELS[k % 2], GROUPS)[group]
            return np.where(random.random(n_rows) < of_group, group_level, own_level)

        between = random.normal(size=(GROUPS, COLUMNS))[group]
        inside = random.normal(size=(n_rows, COLUMNS))
        numbers = np.sqrt(of_group) * between + np.sqrt(1.0 - of_group) * inside
        frame = mixed_frame([levels(k) for k in range(COLUMNS)], numbers, random)
        if of_group == 1.0:  # bad values, too
            bad = (random.random((GROUPS, COLUMNS)) < 0.1)[group]
            frame.iloc[:, COLUMNS:] = np.where(bad, np.nan, numbers)
        return frame, transformed(kind, y), {"groups": group}

    seed = [13, int(10 * correlation), len(column), len(sizes), sum(map(ord, kind))]
    return all_codes(n, seed, draw)


def reacting(n: int, own: float, sizes: str, kind: str) -> list[dict[str, Any]]:
    """Groups of which each reacts to the columns in its own way, on average not at all."""

    def draw(random: np.random.Generator) -> Any:
        group = np.repeat(np.arange(GROUPS), ROWS // GROUPS)
        if sizes == "geometric":
            group = np.repeat(np.arange(GROUPS), random.geometric(GROUPS / ROWS, GROUPS))
        n_rows = len(group)
        x, level = random.normal(size=(n_rows, 1)), random.integers(0, LEVELS[0], n_rows)
        y = np.sqrt(0.3) * random.normal(size=GROUPS)[group] + np.sqrt(0.7) * random.normal(
            size=n_rows
        )
        y += own * random.normal(size=GROUPS)[group] * x[:, 0]
        y += own * random.normal(size=(GROUPS, LEVELS[0]))[group, level]
        return mixed_frame([level], x, random), transformed(kind, y), {"groups": group}

    return all_codes(n, [16, int(10 * own), len(sizes), sum(map(ord, kind))], draw)


def series(n: int, rows: int, memory: float, kind: str) -> list[dict[str, Any]]:
    """Rows in order of time: outcome and columns are autoregressive."""

    def walks(n_walks: int, random: np.random.Generator) -> Array:
        steps = random.normal(size=(rows + BURN_IN, n_walks)) * np.sqrt(1.0 - memory**2)
        return signal.lfilter([1.0], [1.0, -memory], steps, axis=0)[BURN_IN:]

    def draw(random: np.random.Generator) -> Any:
        numbers, latent = walks(COLUMNS, random), walks(COLUMNS, random)
        levels = [
            np.searchsorted(np.quantile(walk, np.arange(1, LEVELS[k % 2]) / LEVELS[k % 2]), walk)
            for k, walk in enumerate(latent.T)
        ]
        y = transformed(kind, walks(1, random)[:, 0])
        options = {"significance": "ordered", "cv": "ordered"}
        return mixed_frame(levels, numbers, random), y, options

    return all_codes(n, [14, rows, int(10 * memory), sum(map(ord, kind))], draw)


def many_columns(n: int, columns: int, kind: str) -> list[dict[str, Any]]:
    """What rules for many variables let pass, where all are noise and have impact codes only."""
    random = np.random.default_rng([15, columns, sum(map(ord, kind))])
    code = "catB" if kind.endswith("%") else "catN"
    recommended, any_passes = [], []
    for _ in range(max(n // columns, 20)):
        levels = {f"c{k}": level_column(ROWS, 50, "Zipf", random) for k in range(columns)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.VtreatWarning)
            plan = vt.design_treatments(
                pd.DataFrame(levels).astype("category"),
                outcome=outcome(kind, ROWS, random),
                outcome_type="binomial" if kind.endswith("%") else "numeric",
                coders=[code],
                random_state=0,
            )
        recommended.append(sum(plan.recommended))
        any_passes.append(bool((plan.score_frame["sig_fwer"] <= 0.1).any()))
    error = float(np.std(recommended) / np.sqrt(len(recommended)))
    return [
        {
            "code": code,
            "designs": len(recommended),
            "recommended": float(np.mean(recommended)),
            "error": error,
            "any_fwer_0.1": float(np.mean(any_passes)),
        }
    ]


def cells(n: int) -> list[tuple[str, dict[str, Any], Any, tuple[Any, ...]]]:
    """The cells of each part, as `size_study.cells` has them."""
    listed: list[tuple[str, dict[str, Any], Any, tuple[Any, ...]]] = []

    def add(part: str, simulation: Any, columns: int, **cell: Any) -> None:
        listed.append((part, cell, simulation, (columns, *cell.values())))

    for kind in ("t(2)", "Cauchy", "97% zeros", "lognormal(2)"):
        for rows in (ROWS, 3 * ROWS):
            add("outcomes with heavy tails", heavy, n, rows=rows, outcome=kind)
    for kind in ("normal", "lognormal", "10%"):
        for spread in (1.0, 2.0):
            add("weights of importance", importance, n, spread=spread, outcome=kind)
        for correlation in (0.0, 0.1, 0.3, 0.6):
            for column in ("same in a group", "half", "other in each row"):
                cell = {"icc": correlation, "column": column, "sizes": "balanced", "outcome": kind}
                add("groups", groups, n // 2, **cell)
        cell = {"icc": 0.3, "column": "same in a group", "sizes": "geometric", "outcome": kind}
        add("groups", groups, n // 2, **cell)
        for own in (0.5, 1.0):
            for sizes in ("balanced", "geometric"):
                cell = {"own": own, "sizes": sizes, "outcome": kind}
                add("groups that react in their own ways", reacting, 3 * n, **cell)
        for rows in (ROWS, 3 * ROWS):
            for memory in (0.0, 0.5, 0.9):
                add("series", series, n // 3, rows=rows, memory=memory, outcome=kind)
        add("many columns of noise", many_columns, 4 * n, noise_columns=40, outcome=kind)
    return listed
