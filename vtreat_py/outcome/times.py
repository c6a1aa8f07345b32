"""Times to an event as rates: events per expected event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.hazard import Times


@dataclass(frozen=True, eq=False)
class Survival:
    """Times and events of rows, of which each training set has expectations of its own.

    Attributes
    ----------
    times : Times
    count : ndarray of shape (n,)
        Weights of the rows.
    """

    times: Times
    count: FloatArray

    def known_to(self, count: FloatArray) -> ExpectedEvents:
        """What rows that count so often let one expect of all rows."""
        hazard = self.times.hazard(count)
        mean = float(np.average(hazard, weights=count)) if count.any() else 0.0
        share = hazard / mean if mean > 0.0 else np.zeros_like(hazard)
        event = self.times.event
        rate = np.divide(event, hazard, out=np.zeros_like(hazard), where=event & (hazard > 0.0))
        return ExpectedEvents(rate, share, mean)


@dataclass(frozen=True, eq=False)
class ExpectedEvents:
    """Events of rows as multiples of what is expected of them.

    Attributes
    ----------
    rate : ndarray of shape (n,)
        1, over the expected events, in rows that had one; else 0. A mean of 1, by ``share``.
    share : ndarray of shape (n,)
        Expected events, over their mean.
    mean : float
        That mean.
    """

    rate: FloatArray
    share: FloatArray
    mean: float

    @property
    def noise(self) -> float:
        """Variance of the rate in a row of which as much is expected as on average.

        Events less expected events are a martingale, whose variance is that of a Poisson count (T.
        Fleming and D. Harrington, *Counting Processes and Survival Analysis* (1991), chapter 2).
        """
        return 1.0 / self.mean if self.mean > 0.0 else 0.0
