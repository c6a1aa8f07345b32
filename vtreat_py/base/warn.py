"""Warnings that point at the line of the caller, the one who can do something about it."""

from __future__ import annotations

import sys
import warnings

from vtreat_py.base.errors import VtreatWarning

# Modules whose lines say nothing to a user: this package, and those that call it on behalf of one.
_BETWEEN = ("vtreat_py", "sklearn", "joblib", "contextlib")


def warn(message: str, category: type[Warning] = VtreatWarning) -> None:
    """Warn at the innermost line outside this package and scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _BETWEEN:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
