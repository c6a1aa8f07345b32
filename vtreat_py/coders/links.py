"""Scales on which effects add up: log odds of a class, logarithms of rates."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import expit

from vtreat_py.base.arrays import FloatArray

# Rates of greater log odds are 0 and 1, or nearly so, in floats.
FARTHEST = 30.0
# So far are logarithms of ratios of rates: squares of greater ratios may be beyond floats.
_FARTHEST_RATIO = 100.0


class Link(ABC):
    """A scale of effects.

    Attributes
    ----------
    rows : float
        Rows of prior that a number for ``smoothing`` of 1 stands for.
    adds_up : bool
        Whether the mean over any effects is as far, on the scale, from that without wherever it is.
    """

    rows: float
    adds_up: bool

    @abstractmethod
    def unit(self, mean: float) -> float:
        """What means are divided by, so that their unit does not matter."""

    @abstractmethod
    def of_mean(self, mean: FloatArray) -> FloatArray:
        """Where means are on the scale; infinite at its ends."""

    @abstractmethod
    def mean(self, at: FloatArray) -> FloatArray:
        """Means at places of the scale."""

    @abstractmethod
    def bend(self, mean: FloatArray) -> FloatArray:
        """How fast means grow there."""


class Logit(Link):
    """Log odds."""

    rows, adds_up = 2.0, False

    def unit(self, mean: float) -> float:  # noqa: ARG002
        """Rates of a class have none."""
        return 1.0

    def of_mean(self, mean: FloatArray) -> FloatArray:
        """Log odds of rates."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mean / (1.0 - mean)))

    def mean(self, at: FloatArray) -> FloatArray:
        """Rates of log odds."""
        return np.asarray(expit(np.clip(at, -FARTHEST, FARTHEST)))

    def bend(self, mean: FloatArray) -> FloatArray:
        """The variance of a row."""
        return mean * (1.0 - mean)


class Log(Link):
    """Logarithms of rates of events."""

    rows, adds_up = 1.0, True

    def unit(self, mean: float) -> float:
        """The mean of all, if it is not 0."""
        return mean or 1.0

    def of_mean(self, mean: FloatArray) -> FloatArray:
        """Logarithms of rates."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mean))

    def mean(self, at: FloatArray) -> FloatArray:
        """Rates of logarithms."""
        return np.exp(np.clip(at, -_FARTHEST_RATIO, _FARTHEST_RATIO))

    def bend(self, mean: FloatArray) -> FloatArray:
        """The rate itself."""
        return mean
