"""Telling neighbours apart: how large epsilon is at least, by many runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

Draws = npt.NDArray[np.float64]
# Bounds hold both with this confidence.
_CONFIDENCE = 0.999


def least_epsilon(of_one: Draws, of_other: Draws, delta: float = 0.0) -> float:
    """A lower bound on epsilon, of numbers that come out for one frame and for its neighbour.

    An event that is likelier for the first is looked for in one half of the runs; in the other half
    it has bounds of Clopper and Pearson.

    Parameters
    ----------
    of_one, of_other : ndarray of shape (runs,) or (runs, numbers)
        All numbers of an event are at least so large.
    """
    of_one, of_other = (one.reshape(len(one), -1) for one in (of_one, of_other))
    half = len(of_one) // 2
    event = _event(of_one[:half], of_other[:half], delta)
    hits, misses = ((one[half:] >= event).all(axis=1) for one in (of_one, of_other))
    low = _bound(int(hits.sum()), len(hits), upper=False) - delta
    high = _bound(int(misses.sum()), len(misses), upper=True)
    return float(np.log(low / high)) if low > 0 else -np.inf


def _event(of_one: Draws, of_other: Draws, delta: float) -> Draws:
    """The limits that the bound is largest for."""
    best, found = -np.inf, of_one.min(axis=0)
    for share in np.linspace(0.02, 0.9, 45):
        limits = np.quantile(of_one, share, axis=0)
        hits, misses = ((one >= limits).all(axis=1).sum() for one in (of_one, of_other))
        low = _bound(int(hits), len(of_one), upper=False) - delta
        value = low / _bound(int(misses), len(of_other), upper=True)
        if value > best:
            best, found = value, limits
    return np.asarray(found)


def _bound(hits: int, runs: int, *, upper: bool) -> float:
    tail = (1.0 - _CONFIDENCE) / 2.0
    if upper:
        return 1.0 if hits == runs else float(beta.ppf(1.0 - tail, hits + 1, runs - hits))
    return 0.0 if hits == 0 else float(beta.ppf(tail, hits, runs - hits + 1))
