"""Noise of the discrete Laplace distribution, drawn exactly: by whole numbers alone.

Naive noise, a logarithm of a uniform float, has gaps and steps by which neighbours can be told
apart whatever epsilon says (I. Mironov, "On Significance of the Least Significant Bits for
Differential Privacy", CCS 2012). Here nothing is rounded (C. Canonne, G. Kamath and T. Steinke,
"The Discrete Gaussian for Differential Privacy", NeurIPS 2020, algorithms 1 and 2).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from vtreat_py.base.arrays import BoolArray
from vtreat_py.base.seeds import random_numbers
from vtreat_py.plan.differential_privacy import GRAIN

Whole = npt.NDArray[np.int64]
_BYTES = 8


class Noise:
    """A source of noise.

    Parameters
    ----------
    random_state : int, RandomState or None
        None: the bits are those of the operating system, which nobody can tell beforehand. A seed
        is for tests: who knows it can take the noise away.
    """

    def __init__(self, random_state: Any = None) -> None:
        self._bytes: Callable[[int], bytes] = os.urandom
        if random_state is not None:
            self._bytes = random_numbers(random_state).bytes

    def add(self, values: Whole, sensitivity: int, grains: int) -> Whole:
        """Add noise to whole numbers.

        One row changes them by ``sensitivity`` in all; ``grains`` times `GRAIN` is their epsilon.
        """
        return values + self.laplace(values.size, sensitivity, grains).reshape(values.shape)

    def laplace(self, size: int, sensitivity: int, grains: int) -> Whole:
        """Draw z with probability proportional to ``exp(-epsilon / sensitivity * |z|)``."""
        scale, found = sensitivity * round(1.0 / GRAIN), np.zeros(size, dtype=np.int64)
        open_ = np.arange(size)
        while len(open_):
            start = self._below(np.full(len(open_), scale))
            steps = self._successes(len(open_))
            drawn = (start + scale * steps) // grains
            negative = self._below(np.full(len(open_), 2)) == 1
            accepted = self._with_probability(start, scale) & ~(negative & (drawn == 0))
            found[open_[accepted]] = np.where(negative, -drawn, drawn)[accepted]
            open_ = open_[~accepted]
        return found

    def _with_probability(self, numerator: Whole, denominator: int) -> BoolArray:
        """Draw True with probability ``exp(-numerator / denominator)``, a fraction from 0 to 1."""
        count, going = np.ones(len(numerator), dtype=np.int64), np.arange(len(numerator))
        while len(going):
            on = self._below(count[going] * denominator) < numerator[going]
            going = going[on]
            count[going] += 1
        return np.asarray(count % 2 == 1)

    def _successes(self, size: int) -> Whole:
        """Count how often 1 / e comes up before it fails."""
        count, going = np.zeros(size, dtype=np.int64), np.arange(size)
        while len(going):
            going = going[self._with_probability(np.ones(len(going), dtype=np.int64), 1)]
            count[going] += 1
        return count

    def _below(self, limit: Whole) -> Whole:
        """Draw whole numbers from 0 to below each limit, all of them equally likely."""
        found, open_ = np.zeros(len(limit), dtype=np.int64), np.arange(len(limit))
        mask = (1 << np.ceil(np.log2(limit)).astype(np.int64)) - 1
        while len(open_):
            bits = np.frombuffer(self._bytes(_BYTES * len(open_)), dtype=np.int64)
            drawn = bits & mask[open_]
            inside = drawn < limit[open_]
            found[open_[inside]] = drawn[inside]
            open_ = open_[~inside]
        return found
