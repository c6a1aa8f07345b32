"""Intervals from the scores of folds, and folds that look too much alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy import stats

from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.evaluation._inputs import near_one
from vtreat_py.evaluation._refusals import shown

# Class shares of test folds that vary by less than this part of chance variance are held fixed.
_FIXED = 0.25


def score_intervals(folds: pd.DataFrame, *, level: float, method: str) -> pd.DataFrame:
    """Intervals of each strategy and metric; ``CVSpread.interval`` says what they are."""
    check_level(level)
    check_method(method)
    rows = {}
    for of, group in folds.groupby(["strategy", "metric"], sort=False):
        defined = group[group["score"].notna()]
        low, high = _METHODS[method](defined, level) if len(defined) else (np.nan, np.nan)
        rows[of] = (low, high, high - low, len(defined), len(group) - len(defined))
    columns = ["low", "high", "width", "splits", "undefined"]
    index = pd.MultiIndex.from_tuples(rows, names=["strategy", "metric"])
    return pd.DataFrame(list(rows.values()), index, columns)


def check_level(level: Any) -> None:
    """Refuse a level that is no probability."""
    if not isinstance(level, float | np.floating) or not 0 < level < 1:
        raise InvalidOptionError(f"level is {shown(level)}; a number between 0 and 1 is wanted")


def check_method(method: Any) -> None:
    """Refuse what is no kind of interval."""
    if not isinstance(method, str) or method not in _METHODS:
        raise InvalidOptionError(f"method is {shown(method)}; {listed(METHODS)} are allowed")


def one_metric(table: pd.DataFrame, metric: str | None) -> str:
    """Return a metric of a table that was asked for; the first one if none was."""
    metrics: list[str] = table["metric"].unique().tolist()
    if metric is None:
        return metrics[0]
    if not isinstance(metric, str) or metric not in metrics:
        raise InvalidOptionError(f"metric is {shown(metric)}; {listed(metrics)} are here")
    return metric


def _between_quantiles(folds: pd.DataFrame, level: float) -> tuple[float, float]:
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(folds["score"], [tail, 1.0 - tail])
    return float(low), float(high)


def _nadeau_bengio(folds: pd.DataFrame, level: float) -> tuple[float, float]:
    n_splits = len(folds)
    if n_splits < 2:
        return np.nan, np.nan
    scores, exponent = near_one(folds["score"].to_numpy())
    overlap = float((folds["n_test"] / folds["n_train"]).mean())
    error = float(scores.std(ddof=1)) * np.sqrt(1.0 / n_splits + overlap)
    reach = float(stats.t.ppf((1.0 + level) / 2.0, n_splits - 1)) * error
    mean = float(scores.mean())
    return float(np.ldexp(mean - reach, exponent)), float(np.ldexp(mean + reach, exponent))


Interval = Literal["iqr", "nadeau-bengio"]
METHODS: tuple[Interval, ...] = get_args(Interval)
_METHODS: dict[str, Callable[[pd.DataFrame, float], tuple[float, float]]] = dict(
    zip(METHODS, (_between_quantiles, _nadeau_bengio), strict=True)
)


def strategies_of_fixed_shares(folds: pd.DataFrame) -> list[Any]:
    """Strategies whose test folds share out the classes more evenly than chance would.

    That is what stratification does. Chance gives a test fold's share of a class the variance
    ``r (1 - r) / n_test * n_train / (n_test + n_train)`` of draws without replacement.
    """
    found = []
    splits = folds.drop_duplicates(["strategy", "split"]).dropna(subset="rate_test")
    for strategy, group in splits.groupby("strategy", sort=False):
        rate = float(group["rate_test"].mean())
        drawn = group["n_train"] / (group["n_train"] + group["n_test"]) / group["n_test"]
        by_chance = rate * (1.0 - rate) * float(drawn.mean())
        if len(group) > 1 and group["rate_test"].var() < _FIXED * by_chance:
            found.append(strategy)
    return found
