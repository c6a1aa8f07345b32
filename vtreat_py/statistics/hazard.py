"""Cumulative hazards: how many events are expected of a row by its time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.statistics.outcome_sums import sum_by


@dataclass(frozen=True, eq=False)
class Times:
    """Times of rows, at which they had their event or were seen for the last time.

    Attributes
    ----------
    place : ndarray of int, shape (n,)
        Place of each row's time among all different ones.
    event : ndarray of bool, shape (n,)
        Whether it ended in an event.
    n_places : int
    """

    place: IntArray
    event: BoolArray
    n_places: int

    @classmethod
    def of(cls, time: FloatArray, event: BoolArray) -> Times:
        """Put times in order, once for all training sets."""
        different, place = np.unique(time, return_inverse=True)
        return cls(place, event, len(different))

    def hazard(self, count: FloatArray) -> FloatArray:
        """Cumulative hazard at the time of each row, by the rows that count.

        Parameters
        ----------
        count : ndarray of shape (n,)
            How often each row counts, 0 for rows that are not to be known.

        Returns
        -------
        ndarray of shape (n,)
            Summed over all rows, as often as they count, it is the number of events.

        Notes
        -----
        The estimator of W. Nelson, "Theory and Applications of Hazard Plotting for Censored Failure
        Data", Technometrics 14 (1972), and O. Aalen, "Nonparametric Inference for a Family of
        Counting Processes", Annals of Statistics 6 (1978): at each time it grows by the share of
        rows, of those seen until then or longer, that have their event.

        Examples
        --------
        Of four rows one has its event first, then one of the three that are left is lost, and then
        one of two.

        >>> times = Times.of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False]))
        >>> times.hazard(np.ones(4))
        array([0.25, 0.25, 0.75, 0.75])
        """
        at_risk = np.cumsum(sum_by(self.place, count, self.n_places)[::-1])[::-1]
        events = sum_by(self.place, count * self.event, self.n_places)
        growth = np.divide(events, at_risk, out=np.zeros(self.n_places), where=at_risk > 0.0)
        return np.asarray(np.cumsum(growth)[self.place])
