"""The coders that R vtreat ran for the oracle, as functions of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import vtreat_py as vt

Array = np.ndarray[Any, np.dtype[np.float64]]


def level_means(levels: Any, y: Array, weight: Array) -> Array:
    """Predictions of a linear model on the levels."""
    key = pd.Series(levels).fillna("missing").to_numpy()
    rows = pd.DataFrame({"key": key, "wy": weight * y, "w": weight})
    sums = rows.groupby("key")[["wy", "w"]].transform("sum")
    return (sums["wy"] / sums["w"]).to_numpy()


def level_log_odds(levels: Any, y: Array, weight: Array) -> Array:
    """Those of a logistic model, in link units."""
    return log_odds(level_means(levels, y, weight))


def log_odds(probability: Any) -> Any:
    kept = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.log(kept / (1 - kept))


def line(x: Array, y: Array, weight: Array) -> Array:
    """Predictions of a linear model."""
    dx, dy = x - np.average(x, weights=weight), y - np.average(y, weights=weight)
    slope = (weight * dx * dy).sum() / (weight * dx * dx).sum()
    return np.average(y, weights=weight) + slope * dx


def logistic_line(x: Array, y: Array, weight: Array) -> Array:
    """Those of a logistic model, in link units; the steps stop where those of R's glm do."""
    design = np.column_stack([np.ones_like(x), x])
    p = (weight * y + 0.5) / (weight + 1)
    link, last = np.log(p / (1 - p)), np.inf
    for _ in range(25):
        inner = design.T * (weight * p * (1 - p))
        goal = link + (y - p) / (p * (1 - p))
        link = design @ np.linalg.solve(inner @ design, inner @ goal)
        p = 1 / (1 + np.exp(-link))
        deviance = -2 * (weight * np.log(np.where(y == 1, p, 1 - p))).sum()
        if abs(deviance - last) / (abs(deviance) + 0.1) < 1e-8:
            break
        last = deviance
    return link


def segments(k: int) -> Callable[[Array, Array, Array], vt.Curve]:
    """A piecewise linear fit, with knots at ``k`` places of the sorted x."""

    def fit(x: Array, y: Array, weight: Array) -> vt.Curve:
        n, low, high = len(x), x.min(), x.max()
        places = np.unique(np.append(1, np.rint(np.linspace(1, n, k))).astype(int))
        knots = np.unique(np.sort(x)[places[places < n] - 1])
        knots = knots[knots < high]
        right = np.append(knots[1:], high)
        steps = np.clip((x[:, None] - knots) / (right - knots), 0, 1)
        root = np.sqrt(weight)[:, None]
        design = np.column_stack([np.ones_like(x), steps])
        found = np.linalg.lstsq(root * design, root[:, 0] * y, rcond=None)[0]
        assert knots[0] == low
        return vt.Curve(np.append(knots, high), np.cumsum(found))

    return fit


def window(x: Array, y: Array, weight: Array) -> Array | None:
    """A moving mean along x."""
    n = len(x)
    if n <= 10:
        return None
    k = max(min(20, n // 3), -(-n // 10_000))
    order = np.argsort(x, kind="stable")
    pad = np.zeros(k)
    inside = np.concatenate([pad, np.ones(n), pad])
    along = np.concatenate([pad, y[order], pad])
    sums, count = (np.convolve(one, np.ones(k), "valid") for one in (along, inside))
    start = (len(sums) - n) // 2
    found = np.empty(n)
    here = slice(start, start + n)
    found[order] = sums[here] / count[here]
    return found


def window_log_odds(x: Array, y: Array, weight: Array) -> Array | None:
    """Its log odds, less those over all rows."""
    found = window(x, y, weight)
    return None if found is None else log_odds(found) - log_odds(np.average(y, weights=weight))


CODERS: dict[str, dict[str, vt.LevelCoder | vt.NumberCoder]] = {
    "i1": {
        "logit": vt.LevelCoder(level_log_odds, center=True),
        "lm": vt.LevelCoder(level_means),
        "slope": vt.NumberCoder(logistic_line),
    },
    "i2": {
        "lm": vt.LevelCoder(level_means, center=True),
        "lmraw": vt.LevelCoder(level_means),
        "slope": vt.NumberCoder(line),
        "slopec": vt.NumberCoder(line, center=True),
    },
    "i5": {"pw16": vt.NumberCoder(segments(16)), "knn": vt.NumberCoder(window)},
    "i6": {"pw16": vt.NumberCoder(segments(16)), "knn": vt.NumberCoder(window_log_odds)},
}
