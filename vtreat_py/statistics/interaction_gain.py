"""What the cells of two columns say of other rows, beyond what the columns say by adding up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.additive import additive_basis, additive_log_odds, projected

# Newton's steps to the effects of cells, on log odds; none is longer than so much.
_STEPS, _LONGEST_STEP = 8, 2.0


@dataclass(frozen=True, eq=False)
class Surplus:
    """What additive fits leave of cells, each in units of its standard deviation.

    Attributes
    ----------
    left : ndarray of shape (folds, cells)
        What is left.
    size : ndarray of shape (folds, cells)
        Weight of each cell, by which effects of cells are spread.
    free : ndarray of shape (folds, cells)
        Share of a cell's own noise that the fit leaves.
    n_free : ndarray of shape (folds,)
        Dimensions that are left.
    """

    left: FloatArray
    size: FloatArray
    free: FloatArray
    n_free: FloatArray

    @classmethod
    def of(cls, weight: FloatArray, values: FloatArray, beside: FloatArray | None) -> Surplus:
        """Fit tables of shape (folds, a, b)."""
        basis = additive_basis(weight, beside)
        size, values = (one.reshape(len(weight), -1) for one in (weight, values))
        leverage = (basis * basis).sum(axis=-1)
        n_free = (size > 0).sum(axis=-1) - np.rint(leverage.sum(axis=-1))
        free = np.where(size > 0, 1.0 - leverage, 0.0)
        return cls(values - projected(basis, values), size, free, n_free)

    def variance(self, noise: FloatArray, say: FloatArray | float = 1.0) -> FloatArray:
        """Variance of the effects of cells, given that of noise, for each fold.

        It is what squares are more than noise would make them, each with its say.
        """
        excess = (say * (self.left**2 - self.free * noise[:, None])).sum(axis=-1)
        room = (say * self.size * self.free).sum(axis=-1)
        some = (self.n_free > 0) & (excess > 0) & (room > 0)
        return np.where(some, excess / np.where(some, room, 1.0), 0.0)


def gain_of_numbers(
    size: FloatArray,
    total: FloatArray,
    inner: FloatArray,
    weight: FloatArray,
    held: FloatArray,
    beside: FloatArray | None = None,
) -> float:
    """Squares by which cells that were learned elsewhere come closer to rows than additive fits.

    Parameters
    ----------
    size, total, inner : ndarray of shape (folds, a, b)
        Rows of training sets, sums of the outcome, and squares about the means of cells.
    weight, held : ndarray of shape (folds, a, b)
        Weight of the rows that are coded, and sums of their outcomes.
    beside : ndarray of shape (d, a, b), optional
        What else may be added; see `additive_basis`.
    """
    root = np.sqrt(size)
    scale = np.where(size > 0, 1.0 / np.where(size > 0, root, 1.0), 0.0)
    mean = total * scale
    surplus = Surplus.of(size, mean, beside)
    rows, cells = size.sum(axis=(-2, -1)), (size > 0).sum(axis=(-2, -1))
    inside, apart = inner.sum(axis=(-2, -1)), (surplus.left**2).sum(axis=-1)
    within, every = rows - cells, rows - cells + surplus.n_free
    noise = np.where(
        within > 0,
        inside / np.where(within > 0, within, 1.0),
        (inside + apart) / np.where(every > 0, every, 1.0),
    )
    of_cells = surplus.size * surplus.variance(noise)[:, None]
    known = of_cells > 0
    share = np.where(known, of_cells / np.where(known, of_cells + noise[:, None], 1.0), 0.0)
    effect = (share * surplus.left).reshape(size.shape) * scale
    additive = (mean - surplus.left.reshape(size.shape)) * scale
    return float((effect * (2.0 * (held - weight * additive) - weight * effect)).sum())


def gain_of_classes(
    size: FloatArray,
    hits: FloatArray,
    start: FloatArray,
    weight: FloatArray,
    held: FloatArray,
    beside: FloatArray | None = None,
) -> float:
    """The same in deviance, of effects on log odds.

    Parameters
    ----------
    size, hits : ndarray of shape (folds, a, b)
        Rows of training sets, and those of the class.
    start : ndarray of shape (a, b)
        Log odds that are near.
    weight, held : ndarray of shape (folds, a, b)
        Weight of the rows that are coded, and of those of the class.
    beside : ndarray of shape (d, a, b), optional
        What else may be added.
    """
    log_odds = additive_log_odds(size, hits, start, beside)
    rate = special.expit(log_odds)
    information = size * rate * (1.0 - rate)
    root = np.sqrt(information)
    scale = np.where(information > 0, 1.0 / np.where(information > 0, root, 1.0), 0.0)
    surplus = Surplus.of(information, (hits - size * rate) * scale, beside)
    # Squares of a hit where none is expected are huge: cells that tell little have little to say.
    variance = surplus.variance(np.ones(len(size)), surplus.size)
    effect = _shrunk_effects(size, hits, log_odds, variance)
    better = special.log_expit(-log_odds - effect) - special.log_expit(-log_odds)
    return 2.0 * float((held * effect + weight * better).sum())


def _shrunk_effects(
    size: FloatArray, hits: FloatArray, log_odds: FloatArray, variance: FloatArray
) -> FloatArray:
    """The likeliest effects of cells, where effects are normal with a variance for each fold."""
    known = variance > 0
    effect = np.zeros_like(size)
    if not known.any():
        return effect
    strength = 1.0 / variance[known, None, None]
    n, k, start, found = size[known], hits[known], log_odds[known], effect[known]
    for _ in range(_STEPS):
        rate = special.expit(start + found)
        step = (k - n * rate - strength * found) / (n * rate * (1.0 - rate) + strength)
        found += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
    effect[known] = found
    return effect
