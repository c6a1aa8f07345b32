"""How p-values choose variables, also in view of how many variables are tried."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError

RECOMMENDED = "recommended"
SIG = "sig"
FDR, FWER = "sig_fdr", "sig_fwer"
_COLUMNS = (SIG, FDR, FWER)


def adjusted(sigs: Sequence[float]) -> dict[str, FloatArray]:
    """Adjust p-values for their number; the columns of the score frame that hold them."""
    values = np.array(sigs, dtype=np.float64)
    if (values >= 1).all():  # as without outcome: there is nothing to adjust
        return {FDR: values, FWER: values}
    from statsmodels.stats.multitest import multipletests  # slow to import, and seldom needed

    return {FDR: multipletests(values, method="fdr_bh")[1], FWER: holm(values)}


def holm(values: FloatArray) -> FloatArray:
    """Adjust p-values for their number by Holm's rule.

    As statsmodels' "holm", which takes a full garbage collection each time.
    """
    order = np.argsort(values, kind="stable")
    left = np.arange(len(values), 0, -1)
    result = np.empty_like(values)
    result[order] = np.minimum(np.maximum.accumulate(values[order] * left), 1.0)
    return result


def check_pruning(prune_sig: float | str | None = None, prune_by: str = SIG) -> float | str | None:
    """Return the limit: a p-value, the word for the recommended variables, or None."""
    if not (isinstance(prune_by, str) and prune_by in _COLUMNS):
        raise InvalidOptionError(f"prune_by={prune_by!r}; it must be one of {list(_COLUMNS)}")
    if not (prune_sig is None or isinstance(prune_sig, str)):
        return check_number("prune_sig", prune_sig, 0, 1)
    if prune_sig not in (None, RECOMMENDED):
        raise InvalidOptionError(
            f'prune_sig={prune_sig!r}; give a p-value from 0 to 1, "{RECOMMENDED}" or None'
        )
    if prune_by != SIG:
        raise InvalidOptionError(
            f"prune_by={prune_by!r} needs a number for prune_sig, such as 0.1; found "
            f"prune_sig={prune_sig!r}"
        )
    return prune_sig
