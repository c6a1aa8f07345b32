"""The score of derived variables: how much of the outcome each explains alone."""

from __future__ import annotations

from dataclasses import dataclass

from vtreat_py.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Score:
    """One-variable scores, one entry a derived variable.

    Attributes
    ----------
    slope : ndarray
        Slope of the outcome on the variable: outcome units (linear) or link units (logistic)
        a unit of the variable. 0 where none can be had.
    rsq : ndarray
        Share of variance, or of deviance, explained.
    sig : ndarray
        p-value of the hypothesis that the variable explains nothing.
    """

    slope: FloatArray
    rsq: FloatArray
    sig: FloatArray
