"""What the design of every column shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.names import munge
from vtreat_py.design.calibrated import CalibratedTests
from vtreat_py.design.scoring import PointSums
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.outcome.outcome import Outcome
from vtreat_py.plan.options import CALIBRATED, Y_AWARE, DesignOptions
from vtreat_py.plan.variables import OutcomeScore
from vtreat_py.significance.linear import linear_score, linear_slope
from vtreat_py.significance.logistic import logistic_fit, logistic_score
from vtreat_py.significance.newton import LogisticFit
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments

# Why a column is not used when the user asked for no code of its type: no cause for a warning.
NO_CODE_APPLIES = "no code that was asked for applies to its type"
CODES_WOULD_BE_CONSTANT = (
    "the codes asked for would be constant: its levels are too rare for indicators, or differ no "
    "more than chance makes them"
)
NO_BAD_VALUES = "it has no bad value to mark, and no other code was asked for"


@dataclass(frozen=True, eq=False)
class DesignContext:
    """Outcome, folds and options of a design.

    Attributes
    ----------
    coders : tuple of str
        The codes to build for this type of outcome.
    scaled_cross_frame : bool
        Whether slopes are needed for every fold.
    class_number : int or None
        With several classes: the one that this context sets against the others.
    """

    outcome: Outcome
    folds: FoldPlan
    options: DesignOptions
    coders: tuple[str, ...]
    scaled_cross_frame: bool = False
    class_number: int | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes, of a multinomial outcome; else 0."""
        return len(self.outcome.classes)

    @property
    def contrasts(self) -> tuple[DesignContext, ...]:
        """What variables are scored against: the outcome, or each class against the others."""
        return self._class_contrasts if self.n_classes else (self,)

    @cached_property
    def _class_contrasts(self) -> tuple[DesignContext, ...]:
        """For each class, the context that builds the codes that classes share, once.

        Levels are not suppressed then, because classes may not agree on that.
        """
        options = replace(self.options, rare_sig=None)
        coders = tuple(c for c in self.coders if c not in Y_AWARE)
        return tuple(
            replace(
                self,
                outcome=self.outcome.of_class(k),
                options=options,
                coders=coders,
                class_number=k,
            )
            for k in range(self.n_classes)
        )

    @cached_property
    def class_contexts(self) -> tuple[DesignContext, ...]:
        """For each class, the context that builds the codes of this one class."""
        options = self.options
        return tuple(
            replace(contrast, options=options, coders=options.class_coders())
            for contrast in self.contrasts
            if self.n_classes
        )

    @cached_property
    def class_prefixes(self) -> list[str]:
        """What the names of codes of one class start with."""
        return munge([_label(c) for c in self.outcome.classes])

    @property
    def is_binary(self) -> bool:
        """Whether the outcome is a class."""
        return self.outcome.kind == "binomial"

    @property
    def supervised(self) -> bool:
        """Whether there is an outcome."""
        return self.outcome.kind != "unsupervised"

    @property
    def link_slopes(self) -> bool:
        """Whether y-aware slopes are in link (log odds) units."""
        return self.is_binary and self.options.cat_scaling

    def outcome_score(self, score: Score | None = None, place: int = 0) -> OutcomeScore:
        """Label one of several scores with the class it is for; without scores, the worst one."""
        target = None if self.class_number is None else self.outcome.target
        if score is None:
            return OutcomeScore(target)
        return OutcomeScore(target, float(score.rsq[place]), float(score.sig[place]))

    @cached_property
    def calibrated(self) -> CalibratedTests | None:
        """The calibrated tests, where they are wanted."""
        wanted = self.supervised and self.options.significance == CALIBRATED
        return CalibratedTests(self.outcome) if wanted else None

    def score(
        self,
        moments: Moments,
        fit: LogisticFit | None,
        sample: Callable[[int], Sample],
        reach: float = math.inf,
    ) -> Score:
        """Score variables, given their moments and, for a class outcome, their regressions.

        ``sample`` gives one of them over all rows, ``reach`` is their largest standardised size.
        """
        if not self.supervised:
            none = np.zeros(len(moments.weight))
            return Score(none, none, none + 1.0)
        score = self.test(moments, fit)
        if self.is_binary and not self.link_slopes:
            score = replace(score, slope=linear_slope(moments))
        if self.calibrated is not None:
            score = replace(score, sig=self.calibrated.correlation(moments, sample, reach))
        return score

    def test(self, moments: Moments | None, fit: LogisticFit | None) -> Score:
        """Score variables by the outcome's own regression; it asks for one of the two."""
        if self.is_binary:
            assert fit is not None
            return logistic_score(fit)
        assert moments is not None
        return linear_score(moments)

    def slopes(self, moments: Moments, points: PointSums | None) -> FloatArray:
        """y-aware slopes alone."""
        if not self.supervised:
            return np.zeros(len(moments.weight))
        if not self.link_slopes:
            return linear_slope(moments)
        assert points is not None
        x, total, hits = points
        if total is None:
            return logistic_fit(x, None, hits).slope
        slope, known = np.zeros(len(total)), total.sum(axis=1) > 0  # some folds have no past
        if known.any():
            slope[known] = logistic_fit(x[known], total[known], hits[known]).slope
        return slope


def _label(outcome_class: Any) -> str:
    """A class as a part of a name; whole numbers without their decimals."""
    if isinstance(outcome_class, float) and outcome_class.is_integer():
        return str(int(outcome_class))
    return str(outcome_class)
