"""Which columns an audit flags, and what it says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from vtreat_py.audit.columns import ColumnAudit
from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.plan.pruning import holm

OnDrift = Literal["ignore", "warn", "raise"]
_ON_DRIFT: tuple[OnDrift, ...] = get_args(OnDrift)
_MOST_NAMED = 5
_WORTH_NAMING = 0.001


def check_limits(psi: Any, sig: Any, on_drift: Any) -> tuple[float, float, str]:
    """Return the options of an audit."""
    if on_drift not in _ON_DRIFT:
        raise InvalidOptionError(f"on_drift={on_drift!r}; it must be one of {list(_ON_DRIFT)}")
    return check_number("psi", psi, 0), check_number("sig", sig, 0, 1), on_drift


def adjusted(columns: Sequence[ColumnAudit]) -> FloatArray:
    """p-values of the columns in view of their number."""
    return holm(np.array([one.p_value for one in columns], dtype=np.float64))


def flagged(columns: Sequence[ColumnAudit], psi: float, sig: float) -> BoolArray:
    """Which columns have moved far, and farther than chance moves them."""
    index = np.array([one.psi for one in columns])
    return np.asarray((index >= psi) & (adjusted(columns) <= sig))


def complaint(drifted: Sequence[ColumnAudit], summary: str, psi: float, sig: float) -> str:
    """Name the flagged columns, the worst first."""
    shown = "; ".join(map(_described, drifted[:_MOST_NAMED]))
    more = len(drifted) - _MOST_NAMED
    return (
        f"{summary} (a stability index of at least {psi:g} and an adjusted p-value of at "
        f"most {sig:g}): {shown}{f'; and {more} more' if more > 0 else ''}. "
        "plan.audit(frame) has all numbers"
    )


def _described(one: ColumnAudit) -> str:
    """A column, its index, and the plainest reasons for it."""
    reasons = [f"index {one.psi:.3g}"]
    if one.missing_now > one.missing_then:
        reasons.append(f"missing {one.missing_now:.1%} (was {one.missing_then:.1%})")
    if one.novel_now >= _WORTH_NAMING:
        reasons.append(f"novel {one.novel_now:.1%}")
    if one.below + one.above >= _WORTH_NAMING:
        reasons.append(f"out of range {one.below + one.above:.1%}")
    return f"{one.column!r}: {', '.join(reasons)}"
