"""What two columns say of an outcome by adding up, from the table of their cells."""

from __future__ import annotations

import numpy as np
from scipy import special

from vtreat_py.base.arrays import BoolArray, FloatArray

# Directions that cells tell apart by less than this share are none: columns that say the same.
_CONFOUNDED = 1e-9
# What makes equations of confounded directions solvable, and is next to nothing elsewhere.
_RIDGE = 1e-8
# Log odds beyond this are those of a cell of one class; no step is longer than so much.
_FARTHEST, _LONGEST_STEP = 15.0, 3.0
_MOST_STEPS, _STEPS_BESIDE = 30, 2
# Steps that change the likelihood by less are the last.
_CLOSE = 1e-6
_MOST_FITTINGS = 200
# Stands for 0 where something is divided by it.
_TINY = 1e-300


def additive_basis(weight: FloatArray, beside: FloatArray | None = None) -> FloatArray:
    """Orthonormal basis of all sums of a number for the row and one for the column of a table.

    Parameters
    ----------
    weight : ndarray of shape (..., a, b)
        Weight of each cell, 0 or more.
    beside : ndarray of shape (d, a, b), optional
        What else may be added, times any number each.

    Returns
    -------
    ndarray of shape (..., a * b, a + b + d)
        By cells, in units of the roots of their weights; columns that are not needed are 0.

    Notes
    -----
    The matrix of the normal equations, each equation divided by its margin's root, has ones on
    its diagonal: its eigenvalues are one more and one less the canonical correlations of the two
    columns, so that 0 says that levels of both are the same rows, at any scale.
    """
    equations, per_row, per_column = _equations(weight)
    n_rows, n_columns = weight.shape[-2:]
    values, vectors = np.linalg.eigh(equations)
    known = values > _CONFOUNDED
    scale = np.where(known, 1.0 / np.sqrt(np.where(known, values, 1.0)), 0.0)
    vectors *= scale[..., None, :]
    of_row = vectors[..., :n_rows, :] * per_row[..., None]
    of_column = vectors[..., n_rows:, :] * per_column[..., None]
    basis = of_row[..., :, None, :] + of_column[..., None, :, :]
    basis *= np.sqrt(weight)[..., None]
    basis = basis.reshape(*weight.shape[:-2], n_rows * n_columns, n_rows + n_columns)
    return basis if beside is None else _extended(basis, weight, beside)


def _extended(basis: FloatArray, weight: FloatArray, beside: FloatArray) -> FloatArray:
    """Add what else may be added, as far as it is no sum of what is there."""
    root = np.sqrt(weight).reshape(*weight.shape[:-2], -1, 1)
    more = root * beside.reshape(len(beside), -1).T
    length = np.sqrt((more * more).sum(axis=-2, keepdims=True))
    more = np.where(length > 0, more / np.where(length > 0, length, 1.0), 0.0)
    more = more - basis @ (np.swapaxes(basis, -1, -2) @ more)
    directions, lengths, _ = np.linalg.svd(more, full_matrices=False)
    directions *= (lengths > np.sqrt(_CONFOUNDED))[..., None, :]
    return np.concatenate([basis, directions], axis=-1)


def _equations(weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The normal equations in units of the margins' roots, and one over these."""
    n_rows, n_columns = weight.shape[-2:]
    size = n_rows + n_columns
    row, column = weight.sum(axis=-1), weight.sum(axis=-2)
    per_row, per_column = (
        np.where(one > 0, 1.0 / np.sqrt(np.where(one > 0, one, 1.0)), 0.0) for one in (row, column)
    )
    equations = np.zeros((*weight.shape[:-2], size, size))
    equations[..., :n_rows, n_rows:] = weight * per_row[..., None] * per_column[..., None, :]
    equations += np.swapaxes(equations, -1, -2)
    diagonal = np.arange(size)
    equations[..., diagonal, diagonal] = np.concatenate([row, column], axis=-1) > 0
    return equations, per_row, per_column


def _additive_step(weight: FloatArray, sums: FloatArray) -> FloatArray:
    """Additive numbers whose weighted sums by row and by column are those of a table."""
    equations, per_row, per_column = _equations(weight)
    n_rows, diagonal = weight.shape[-2], np.arange(equations.shape[-1])
    equations[..., diagonal, diagonal] += _RIDGE
    wanted = [sums.sum(axis=-1) * per_row, sums.sum(axis=-2) * per_column]
    found = np.linalg.solve(equations, np.concatenate(wanted, axis=-1)[..., None])[..., 0]
    of_row, of_column = found[..., :n_rows] * per_row, found[..., n_rows:] * per_column
    return np.asarray(of_row[..., :, None] + of_column[..., None, :])


def projected(basis: FloatArray, values: FloatArray) -> FloatArray:
    """The part of values, one for each cell, that lies in the space of a basis."""
    inner = np.swapaxes(basis, -1, -2) @ values[..., None]
    return np.asarray((basis @ inner)[..., 0])


def additive_log_odds(
    weight: FloatArray,
    hits: FloatArray,
    start: FloatArray | None = None,
    beside: FloatArray | None = None,
) -> FloatArray:
    """Log odds of each cell by maximum likelihood, where those of rows and columns add up.

    Parameters
    ----------
    weight, hits : ndarray of shape (..., a, b)
        Weight of all rows of a cell, and of those that are of the class.
    start : ndarray of shape (a, b), optional
        Log odds to start from.
    beside : ndarray of shape (d, a, b), optional
        What else may be added; of that, two steps are taken after all others.

    Returns
    -------
    ndarray of shape (..., a, b)
        Between -15 and 15; of cells without rows they mean nothing.
    """
    log_odds = np.where(_of_one_class(weight, hits), -_FARTHEST, _near(weight, hits, start))
    log_odds = np.where(_of_one_class(weight, weight - hits), _FARTHEST, log_odds)
    for _ in range(_MOST_STEPS):
        rate = special.expit(log_odds)
        information = weight * rate * (1.0 - rate)
        step = _shortened(_additive_step(information, hits - weight * rate))
        before, log_odds = log_odds, np.clip(log_odds + step, -_FARTHEST, _FARTHEST)
        if float((information * (log_odds - before) ** 2).sum(axis=(-2, -1)).max()) < _CLOSE:
            break
    for _ in range(0 if beside is None else _STEPS_BESIDE):
        rate = special.expit(log_odds)
        information = weight * rate * (1.0 - rate)
        some = information > 0
        scale = np.where(some, 1.0 / np.sqrt(np.where(some, information, 1.0)), 0.0)
        left = ((hits - weight * rate) * scale).reshape(*weight.shape[:-2], -1)
        step = projected(additive_basis(information, beside), left).reshape(weight.shape) * scale
        log_odds = np.clip(log_odds + _shortened(step), -_FARTHEST, _FARTHEST)
    return np.asarray(log_odds)


def multiplied_rates(exposure: FloatArray, events: FloatArray) -> FloatArray:
    """Rate of each cell by maximum likelihood, where logarithms of rows and columns add up.

    Parameters
    ----------
    exposure, events : ndarray of shape (a, b)

    Returns
    -------
    ndarray of shape (a, b)
        Expected events have the sums of the events, by row and by column.

    Notes
    -----
    By iterative proportional fitting (W. Deming and F. Stephan, "On a least squares adjustment of a
    sampled frequency table when the expected marginal totals are known", Annals of Mathematical
    Statistics 11 (1940)).
    """
    rates = np.ones_like(exposure)
    for _ in range(_MOST_FITTINGS):
        before = rates
        for axis in (0, 1):
            expected = (exposure * rates).sum(axis=axis, keepdims=True)
            wanted = events.sum(axis=axis, keepdims=True)
            rates = rates * np.where(expected > 0, wanted / np.maximum(expected, _TINY), 1.0)
        if float((exposure * np.abs(rates - before)).sum()) < _CLOSE * float(events.sum()):
            break
    return rates


def _shortened(step: FloatArray) -> FloatArray:
    """A step for each table, of which no number is too large."""
    longest = np.abs(step).max(axis=(-2, -1), keepdims=True)
    return np.asarray(step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP)))


def _of_one_class(weight: FloatArray, hits: FloatArray) -> BoolArray:
    """Whether a cell's row or column has no hit."""
    none = [(one.sum(axis=-1) <= 0) for one in (hits, np.swapaxes(hits, -1, -2))]
    return np.broadcast_to(none[0][..., :, None] | none[1][..., None, :], weight.shape)


def _near(weight: FloatArray, hits: FloatArray, start: FloatArray | None) -> FloatArray:
    """Log odds to start from: of rows and columns alone, added up, or those that are given."""
    if start is not None:
        return np.broadcast_to(start, weight.shape)

    def of(axes: tuple[int, ...]) -> FloatArray:
        n, k = (one.sum(axis=axes, keepdims=True) for one in (weight, hits))
        return np.asarray(np.log((k + 0.5) / (n - k + 0.5)))

    return of((-1,)) + of((-2,)) - of((-2, -1))
