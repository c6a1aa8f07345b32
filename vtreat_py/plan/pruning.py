"""How p-values choose variables, also in view of how many variables are tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError

PruneBy = Literal["sig", "sig_fdr", "sig_fwer"]
_COLUMNS: tuple[PruneBy, ...] = get_args(PruneBy)
SIG, FDR, FWER = _COLUMNS

PruneWord = Literal["plausible", "recommended"]
PruneSig = float | PruneWord | None
_WORDS: tuple[PruneWord, ...] = get_args(PruneWord)
PLAUSIBLE, RECOMMENDED = _WORDS
# The rate that models do best with: benchmarks/downstream.txt.
_PLAUSIBLE_FDR = 0.7


def adjusted(sigs: Sequence[float], n_more: int = 0) -> dict[str, FloatArray]:
    """Adjust p-values for their number; the columns of the score frame that hold them.

    ``n_more`` counts tests beside these, whose p-value is 1.
    """
    values = np.array(sigs, dtype=np.float64)
    return {FDR: benjamini_hochberg(values, n_more), FWER: holm(values, n_more)}


def benjamini_hochberg(values: FloatArray, n_more: int = 0) -> FloatArray:
    """Adjust p-values for their number by the rule of Benjamini and Hochberg."""
    order = np.argsort(values, kind="stable")
    share = np.arange(1, len(values) + 1) / (len(values) + n_more)
    result = np.empty_like(values)
    result[order] = np.minimum.accumulate((values[order] / share)[::-1])[::-1]
    return np.minimum(result, 1.0)


def holm(values: FloatArray, n_more: int = 0) -> FloatArray:
    """Adjust p-values for their number by Holm's rule."""
    order = np.argsort(values, kind="stable")
    left = np.arange(len(values), 0, -1) + n_more
    result = np.empty_like(values)
    result[order] = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    return result


def check_pruning(
    prune_sig: PruneSig = None, prune_by: PruneBy = SIG
) -> tuple[float | str | None, str]:
    """Return the limit, which is a p-value, "recommended" or None, and the column it is for."""
    if not (isinstance(prune_by, str) and prune_by in _COLUMNS):
        raise InvalidOptionError(f"prune_by={prune_by!r}; it must be one of {list(_COLUMNS)}")
    if not (prune_sig is None or isinstance(prune_sig, str)):
        return check_number("prune_sig", prune_sig, 0, 1), prune_by
    if prune_sig not in (None, *_WORDS):
        raise InvalidOptionError(
            f'prune_sig={prune_sig!r}; give a p-value from 0 to 1, "{PLAUSIBLE}", "{RECOMMENDED}" '
            "or None"
        )
    if prune_by != SIG:
        raise InvalidOptionError(
            f"prune_by={prune_by!r} needs a number for prune_sig, such as 0.1; found "
            f"prune_sig={prune_sig!r}"
        )
    return (_PLAUSIBLE_FDR, FDR) if prune_sig == PLAUSIBLE else (prune_sig, SIG)
