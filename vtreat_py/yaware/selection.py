"""How many components to keep: a number, a share of variance, or a test."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError

ByPermutation = Literal["permutation", "significance"]
BY_PERMUTATION: tuple[ByPermutation, ...] = get_args(ByPermutation)
PERMUTATION, SIGNIFICANCE = BY_PERMUTATION
# Values closer than this, relative to their size, are equal but for rounding.
_EQUAL = 1e-9


def check_n_components(n_components: Any, p: int) -> None:
    """Refuse what says nothing about the number of components of p columns."""
    if isinstance(n_components, str):
        known = n_components in BY_PERMUTATION
    elif is_count(n_components):
        known = bool(n_components <= p)
    else:
        known = isinstance(n_components, float | np.floating) and bool(0.0 < n_components < 1.0)
    if not known:
        raise InvalidOptionError(
            f"n_components={n_components!r} must be a whole number from 1 to the number of "
            f"columns ({p}), a share of variance between 0 and 1, {PERMUTATION!r} or "
            f"{SIGNIFICANCE!r}"
        )


def is_count(value: Any) -> bool:
    """Whether a value is a whole number of at least 1."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(value >= 1)


def covering(values: FloatArray, share: float) -> IntArray:
    """Places of the fewest components whose squares sum to a share of all; none of nothing."""
    squares = values**2
    if not squares.any():
        return np.arange(0)
    reached = np.cumsum(squares) / squares.sum()
    return np.arange(min(int(np.searchsorted(reached, share)) + 1, len(values)))


def above_permuted(values: FloatArray, null: FloatArray) -> IntArray:
    """Places of the components up to the first that permuted outcomes reach too often.

    Too often is in more than one of p cases, p being the number of columns. Each component is
    compared with the *largest* of every permuted outcome: a component of noise that comes after
    two of signal is the largest of its kind, not the third.
    """
    passes = (values > permuted_bar(null[:, 0], len(values))) & (values > 0)
    return np.arange(len(values) if passes.all() else int(np.argmin(passes)))


def significant(rsq: FloatArray, null: FloatArray, p: int) -> IntArray:
    """Places of the components that correlate with the outcome more than chance makes them.

    Chance is what the best component of a permuted outcome reaches in more than one of p cases.
    """
    return np.flatnonzero(rsq > permuted_bar(null, p))


def permuted_bar(null: FloatArray, p: int) -> float:
    """What a value must exceed, that values of permuted outcomes may exceed once in p cases."""
    level = max(1.0 / p, 1.0 / (len(null) + 1))
    rank = int(level * (len(null) + 1) + _EQUAL)
    if rank > len(null):
        return 0.0  # one case of one
    return float(np.sort(null)[-rank]) * (1.0 + _EQUAL)
