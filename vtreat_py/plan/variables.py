"""Derived variables, and how they scored."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OutcomeScore:
    """How well a variable explains an outcome alone.

    Attributes
    ----------
    target : object
        The class, against all others, when there are several classes; else None.
    rsq, sig : float
        Share of variance or deviance explained, and its p-value.
    """

    target: Any = None
    rsq: float = 0.0
    sig: float = 1.0


@dataclass(frozen=True)
class DroppedCode:
    """A code that was tried, and dropped for what the outcome said: it counts as a test.

    Attributes
    ----------
    column : hashable
        The input column.
    code : str
    target : object
        The class it would have been built for, of several; else None.
    sig : float
        Its p-value; 1 for indicators.
    n_tests : int
        Number of variables that it would have been.
    """

    column: Hashable
    code: str
    target: Any = None
    sig: float = 1.0
    n_tests: int = 1


@dataclass(frozen=True)
class DerivedVariable:
    """A column of the treated frame: what it is, and how it scored.

    Attributes
    ----------
    name : str
    orig_variable : hashable
        The input column.
    code : str
        ``clean``, ``isBAD``, ``lev``, ``catP``, ``catB``, ``catN``, ``catD``, ``catQ``, ``text``,
        a shape (``spline``, ``piecewise``, ``bins``, ``isotonic``, ``window``), ``kept``, or the
        name of a coder of one's own.
    level : object
        The level an indicator marks; None for the missing level and for other codes.
    slot : int or None
        Code of that level among the column's levels.
    target : object
        The class it is built for, of several; None: it is built for all.
    scores : tuple of OutcomeScore
        Its one-variable score; with several classes the scores of each class it is built for.
    needs_split : bool
        Whether a training row's value must come from the other folds.
    extra_model_degrees : float
        Degrees of freedom spent on building it.
    slope, mean : float
        y-aware scaling: ``slope * (x - mean)``.
    few_events : bool
        Whether an indicator marks so few rows that less than 20 of the rarer class are expected
        among them.
    """

    name: str
    orig_variable: Hashable
    code: str
    level: Any = None
    slot: int | None = None
    target: Any = None
    scores: tuple[OutcomeScore, ...] = (OutcomeScore(),)
    needs_split: bool = False
    extra_model_degrees: float = 0.0
    slope: float = 0.0
    mean: float = 0.0
    few_events: bool = False

    @property
    def rsq(self) -> float:
        """The largest share explained, of its scores."""
        return max(score.rsq for score in self.scores)

    @property
    def sig(self) -> float:
        """The smallest p-value of its scores."""
        return min(score.sig for score in self.scores)
