"""Random numbers from what users give as a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from vtreat_py.base.errors import InvalidOptionError


def random_numbers(random_state: Any) -> np.random.Generator:
    """Return a generator seeded by ``random_state``; the global random numbers stay untouched.

    Raises
    ------
    InvalidOptionError
        If it is no seed.
    """
    try:
        seed = check_random_state(random_state).randint(2**31)
    except ValueError as reason:
        raise InvalidOptionError(
            f"random_state={random_state!r} cannot be used: give a whole number from 0 to "
            "2**32 - 1, a numpy RandomState, or None"
        ) from reason
    return np.random.default_rng(seed)
