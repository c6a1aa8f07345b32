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
        at_risk, events = self._at_risk(count), self._events(count)
        growth = np.divide(events, at_risk, out=np.zeros(self.n_places), where=at_risk > 0.0)
        return np.asarray(np.cumsum(growth)[self.place])

    def information(self, x: FloatArray, count: FloatArray) -> float:
        """Variance of the sum of numbers over the rows that have events, given who is at risk when.

        Parameters
        ----------
        x : ndarray of shape (n,)
            Numbers not far from 0.
        count : ndarray of shape (n,)
            How often each row is there.

        Notes
        -----
        That of the score test of D. R. Cox, "Regression Models and Life-Tables", JRSS B 34 (1972),
        and of the log-rank test: events fall on the rows at risk at their time, without
        replacement.

        Examples
        --------
        >>> times = Times.of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, True, False]))
        >>> times.information(np.array([1.0, 1.0, 0.0, 0.0]), np.ones(4))
        0.25
        """
        at_risk, events = self._at_risk(count), self._events(count)
        some = np.flatnonzero((events > 0.0) & (at_risk > 1.0))
        n, events = at_risk[some], events[some]
        mean, square = (self._at_risk(count * one)[some] / n for one in (x, x * x))
        variance = np.maximum(square - mean * mean, 0.0)
        return float((events * variance * (n - events) / (n - 1.0)).sum())

    def taken(self, rows: IntArray | slice) -> Times:
        """Times of some rows."""
        return Times(self.place[rows], self.event[rows], self.n_places)

    def _at_risk(self, count: FloatArray) -> FloatArray:
        """Sums over the rows that were seen until each time or longer."""
        return np.cumsum(sum_by(self.place, count, self.n_places)[::-1])[::-1]

    def _events(self, count: FloatArray) -> FloatArray:
        return sum_by(self.place, count * self.event, self.n_places)
