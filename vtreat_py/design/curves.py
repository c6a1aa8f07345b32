"""The variables of a numeric column that are a curve, learned by rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.names import munge
from vtreat_py.coders.asking import vary
from vtreat_py.coders.code import Code
from vtreat_py.coders.curve import constant
from vtreat_py.coders.curve_code import CurveCode
from vtreat_py.coders.forms import Curves, FoldCurves
from vtreat_py.coders.rows import RowsOfNumbers
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import NumbersByRows
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.design.scoring import by_regression, outcome_score, slopes
from vtreat_py.plan.treatments import CurveCodes
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.significance.combination import cauchy_combination
from vtreat_py.significance.logistic import PointSums, logistic_fit
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments

# Weight of the question whether folds agree, beside that whether the column says anything.
_FOLDS = 0.5


Copied = Callable[[], tuple[Moments, list[Score]]]


def curve_parts(filled: FilledNumbers, copied: Copied) -> Iterator[CurvePart | str]:
    """Learn the curves of a column; a string says why there is none.

    ``copied`` gives the scores of the clean copy.
    """
    if not filled.varies:
        return
    for context in filled.context.class_contexts or (filled.context,):
        for code in context.curve_codes:
            learner = _Learner(filled, context, code, copied)
            made = learner.part()
            if made is not None:
                yield made


@dataclass(frozen=True, eq=False)
class CurvePart:
    """One variable: a `NumberPart`.

    Attributes
    ----------
    folds : Curves
        How rows are coded by fold, the last for those that are in none.
    """

    codes: CurveCodes
    variable: DerivedVariable
    folds: Curves | FoldCurves
    scales: Callable[[], tuple[FloatArray, FloatArray]]

    def fold_form(self, collar: bool) -> Curves | FoldCurves:  # noqa: ARG002
        """How rows are coded, by fold."""
        return self.folds

    def fold_scales(self) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""
        return self.scales()


@dataclass(frozen=True, eq=False)
class _Learner:
    """Learns one code of a column, for one contrast."""

    filled: FilledNumbers
    context: DesignContext
    code: CurveCode
    copied: Copied

    @property
    def _rows(self) -> NumbersByRows:
        rows = self.filled.facts.by_rows
        assert rows is not None  # designs elsewhere refuse such codes
        return rows

    @property
    def _number(self) -> int:
        return self.context.class_number or 0

    @property
    def _classes(self) -> bool:
        return self.context.outcome.kind != "numeric"

    def _form(self, rows: RowsOfNumbers, fold: int | None) -> Curves | None:
        """Learn the curve of a training set that has a good value."""
        options = self.context.options
        return self.code.form(rows, self.filled.facts.name, fold, options, self._classes)

    def part(self) -> CurvePart | str | None:
        """Make the variable; None where it is constant."""
        name, rows = self.filled.facts.name, self._rows.training(self._number, None)
        form = self._form(rows, None)
        if form is None:
            return self.code.declined(name)
        values = _coded(form, rows)
        if not vary(values):
            return None
        moments, points = _moments(values, rows.y, rows.weight)
        folds = self._folds(form)
        variable = replace(
            curve_variable(self.filled, self.context, self.code, self._score(folds)),
            extra_model_degrees=float(len(np.unique(rows.values[~rows.bad]))),
            slope=float(slopes(self.context, moments, points)[0]),
            mean=float(moments.x[0] + moments.centre_x),
        )
        codes = CurveCodes(self.code.name, variable.target, form.curves[0], form.of_bad)
        return CurvePart(codes, variable, folds, lambda: self._scales(folds))

    def _folds(self, whole: Curves) -> Curves:
        """The curves of the folds, and that of all rows for those that are in none."""
        each = [self._of_fold(k) for k in range(self.context.folds.n_folds)]
        bad = np.array([form.of_bad for form in [*each, whole]])
        return Curves(tuple(form.curves[0] for form in [*each, whole]), bad)

    def _of_fold(self, fold: int) -> Curves:
        """The curve of a fold; constant where there are no good rows, or none is made of them."""
        rows = self._rows.training(self._number, fold)
        if rows.bad.all():
            return Curves((constant(0.0),), 0.0)
        form = self._form(rows, fold)
        if form is None:
            value = self.code.without_curve(rows, self._classes)
            return Curves((constant(value),), value)
        return form

    def _score(self, folds: Curves) -> Score:
        """Score the variable on the cross-frame."""
        context, crossed = self.context, self._rows.crossed(self._number, folds)
        moments, points = _moments(crossed.values, crossed.y, crossed.weight)
        fit = logistic_fit(*points) if context.is_binary else None
        found = by_regression(context, moments, fit)
        if context.calibrated is None:
            return found
        return replace(found, sig=np.array([self._significance(folds)]))

    def _significance(self, folds: Curves) -> float:
        """Combine whether the column says anything, and whether each fold agrees with the rest."""
        p_values, weights = self._rows.correlations(self._number, folds)
        of_column = significance_of_column(self.filled, self.context, self.copied)
        if not p_values:
            return of_column
        share = _FOLDS / sum(weights)
        return cauchy_combination(
            [of_column, *p_values], [1.0 - _FOLDS, *(share * one for one in weights)]
        )

    def _scales(self, folds: Curves) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""
        slope, mean = np.zeros((2, self.context.folds.n_folds + 1))
        for k in range(self.context.folds.n_folds):
            rows = self._rows.training(self._number, k)
            if not len(rows.y):
                continue
            form = Curves((folds.curves[k],), float(np.asarray(folds.bad)[k]))
            moments, points = _moments(_coded(form, rows), rows.y, rows.weight)
            slope[k] = slopes(self.context, moments, points)[0]
            mean[k] = moments.x[0] + moments.centre_x
        return slope, mean


def curve_variable(
    filled: FilledNumbers, context: DesignContext, code: Code, score: Score
) -> DerivedVariable:
    """The variable of a curve, for one contrast: its name and scores."""
    name, target, prefix = filled.facts.name, None, ""
    if context.class_number is not None:
        target = context.outcome.target
        prefix = f"{filled.context.class_prefixes[context.class_number]}_"
    return DerivedVariable(
        f"{prefix}{munge([code.named_after(name)])[0]}",
        name,
        code.name,
        target=target,
        scores=(outcome_score(context, score),),
        needs_split=True,
    )


def significance_of_column(filled: FilledNumbers, context: DesignContext, copied: Copied) -> float:
    """p-value of whether the outcome changes with a column, in any shape."""
    number = context.class_number or 0
    line = float(copied()[1][number].sig[0])
    edges = filled.profile.edges
    if not context.tests_rows or not len(edges):
        return line
    ranges = filled.facts.ranges(edges).rows
    if ranges is None:
        return line
    return cauchy_combination([line, ranges.level_effects(number)], [0.5, 0.5])


def _coded(form: Curves, rows: RowsOfNumbers) -> FloatArray:
    out = np.empty(len(rows.values))
    form.write(rows.values, rows.bad, None, out)
    return out


def _moments(
    values: FloatArray, y: FloatArray, weight: FloatArray | None
) -> tuple[Moments, PointSums]:
    """Moments of a variable and the outcome, and a point for each row."""
    x_centre, y_centre = (float(np.average(one, weights=weight)) for one in (values, y))
    group = np.zeros(len(y), dtype=np.intp)
    apart = values - x_centre
    moments = Moments.of_rows(group, 1, apart, y - y_centre, weight, x_centre, y_centre)
    hits = y if weight is None else weight * y
    points = apart[None], None if weight is None else weight[None], hits[None]
    return moments, points
