"""Whole numbers that look like noise, the same for the same number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# An odd multiplier. Plans have places that rest on it, so that it may never change.
_MIXER, _HALF = np.uint64(0xD6E8FEB86659FD93), np.uint64(32)

Hashes = npt.NDArray[np.uint64]


def mixed(h: Hashes) -> Hashes:
    """Mix the bits of numbers, so that each rests on all."""
    for _ in range(2):
        h = (h ^ (h >> _HALF)) * _MIXER
    return np.asarray(h ^ (h >> _HALF))
