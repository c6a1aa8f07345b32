"""Frames for y-aware components: causes that columns share, and noise that shares as much."""

from __future__ import annotations

import numpy as np
import pandas as pd


def shared_causes(
    n_rows: int, n_groups: int, random: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray]:
    """Groups of five columns with two causes each; the causes of the first make up the outcome.

    Every column has a larger unit than the one before it.
    """
    columns, outcome = {}, np.zeros(n_rows)
    for group in range(n_groups):
        causes = random.normal(size=(2, n_rows))
        if group == 0:
            outcome = causes.sum(axis=0) + random.normal(size=n_rows)
        for k in range(5):
            values = causes[k % 2] + random.normal(size=n_rows)
            name = f"x{k}" if group == 0 else f"noise{group}_{k}"
            columns[name] = (len(columns) + 1) * values
    return pd.DataFrame(columns), outcome


def noise(
    n_rows: int, n_groups: int, random: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray]:
    """The same without the first group: nothing tells of the outcome."""
    frame, outcome = shared_causes(n_rows, n_groups + 1, random)
    return frame.iloc[:, 5:], outcome


def classes(outcome: np.ndarray, kind: str) -> np.ndarray:
    """The outcome as a number, as two classes, or as three."""
    if kind == "numeric":
        return outcome
    if kind == "binomial":
        return np.where(outcome > 0.3, "yes", "no")
    return np.array(["low", "mid", "high"])[np.digitize(outcome, [-1, 1])]
