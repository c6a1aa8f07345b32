"""The derived variables of a plan, and their scores as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code
from vtreat_py.coders.shape_code import ShapeCode
from vtreat_py.frames.made import MadeColumn, calendar_parts
from vtreat_py.plan.options import CLASSIC, DesignOptions
from vtreat_py.plan.pruning import SIG, adjusted
from vtreat_py.plan.variables import DerivedVariable, DroppedCode, OutcomeScore

# Noise among columns that were made of dates that is expected to be recommended.
_OF_MADE = 0.05
# Shares that add up to 1 do so up to this.
_ROUNDING = 1e-9


class Test(NamedTuple):
    """A test that was made of a column, or several that are counted together.

    Attributes
    ----------
    column : hashable
        The input column.
    rsq, sig : float
    n_tests : int
        0 for one that says what another one does.
    """

    column: Hashable
    rsq: float
    sig: float
    n_tests: int


class PlanScores:
    """The scores of a `TreatmentPlan`, in view of their number."""

    outcome_type: str
    classes: tuple[Any, ...]
    derived: tuple[DerivedVariable, ...]
    dropped: tuple[DroppedCode, ...]
    made: tuple[MadeColumn, ...]
    options: DesignOptions

    @property
    def feature_names(self) -> list[str]:
        """Names of all derived variables, in the order of the treated frame."""
        return [v.name for v in self.derived]

    @cached_property
    def _scored(self) -> list[tuple[DerivedVariable, OutcomeScore]]:
        """The rows of the score frame: what classes share, class by class, then the others."""
        shared = [v for v in self.derived if v.target is None]
        own = [(v, score) for v in self.derived if v.target is not None for score in v.scores]
        return [(v, v.scores[k]) for k in range(max(len(self.classes), 1)) for v in shared] + own

    @cached_property
    def _thresholds(self) -> list[float]:
        """For each row of the score frame, 1 / (number of codes x rows of its code).

        Each kind of code gets an equal share of one expected false inclusion. Columns that nobody
        gave, but were made of dates, are not counted with the others, and share a twentieth of one.
        """
        made, count = {one.name for one in calendar_parts(self.made)}, Counter[str]()
        n_made = 0
        tests = [(v.orig_variable, v.code, 1) for v, _ in self._scored]
        tests = [one for row, one in enumerate(tests) if row not in self._twins]
        tests += [(one.column, one.code, one.n_tests) for one in self.dropped]
        for column, code, n in tests:
            if column in made:
                n_made += n
            else:
                count[code] += n
        return [
            _OF_MADE / n_made if v.orig_variable in made else 1.0 / (len(count) * count[v.code])
            for v, _ in self._scored
        ]

    @cached_property
    def _twins(self) -> dict[int, int]:
        """Rows of the score frame that say what an earlier one does, which comes with them.

        The two indicators of a column of two levels are each other's complement: one test, and
        counted once. R vtreat counts both, and so does a design by its rules.
        """
        pairs: dict[Any, list[int]] = {}
        if self.options.significance != CLASSIC:
            for row, (variable, score) in enumerate(self._scored):
                if variable.slot is not None:
                    key = variable.orig_variable, variable.target, score.target
                    pairs.setdefault(key, []).append(row)
        share = {row: self._scored[row][0].mean for rows in pairs.values() for row in rows}
        two = [rows for rows in pairs.values() if len(rows) == 2]
        return {b: a for a, b in two if abs(share[a] + share[b] - 1.0) < _ROUNDING}

    @property
    def tests(self) -> Iterator[Test]:
        """All tests that were made: rows of the score frame, and codes that were dropped.

        Shapes of a column are one question, but by R's rules.
        """
        answered: set[Any] = set()
        for row, (variable, score) in enumerate(self._scored):
            is_new = row not in self._twins
            if isinstance(self._code(variable), ShapeCode):
                question = variable.orig_variable, score.target
                is_new = self.options.significance == CLASSIC or question not in answered
                answered.add(question)
            yield Test(variable.orig_variable, score.rsq, score.sig, int(is_new))
        for one in self.dropped:
            yield Test(one.column, 0.0, one.sig, one.n_tests)

    def _code(self, variable: DerivedVariable) -> Code:
        return codes.named(variable.code, self.options.own_codes)

    @property
    def limits(self) -> str:
        """The p-values below which variables are recommended, by code, in words."""
        if self.outcome_type == "unsupervised":
            return ""
        below: dict[str, list[str]] = {}
        for (variable, _), limit in zip(self._scored, self._thresholds, strict=True):
            below.setdefault(f"{limit:.3g}", []).append(variable.code)
        if len(below) == 1:
            return next(iter(below))
        return ", ".join(f"{p} ({', '.join(dict.fromkeys(of))})" for p, of in below.items())

    @cached_property
    def _passed(self) -> list[bool]:
        """For each row of the score frame, whether its p-value is below its threshold."""
        if self.outcome_type == "unsupervised":
            return [True] * len(self._scored)
        rows = zip(self._scored, self._thresholds, strict=True)
        return [score.sig < threshold for (_, score), threshold in rows]

    @cached_property
    def _adjusted(self) -> dict[str, FloatArray]:
        """By column, the p-value of each row of the score frame in view of their number."""
        rows = range(len(self._scored))
        counted = [row for row in rows if row not in self._twins]
        place = {row: i for i, row in enumerate(counted)}
        places = [place[self._twins.get(row, row)] for row in rows]
        tests = [self._scored[row][1].sig for row in counted] + [d.sig for d in self.dropped]
        found = adjusted(tests, sum(d.n_tests - 1 for d in self.dropped))
        return {column: values[places] for column, values in found.items()}

    @property
    def recommended(self) -> list[bool]:
        """For each derived variable, whether it is recommended (for at least one class)."""
        return self._with_any(self._passed)

    def _with_any(self, passed: Iterable[bool]) -> list[bool]:
        """For each derived variable, whether a row of it in the score frame has passed."""
        rows = zip(self._scored, passed, strict=True)
        names = {variable.name for (variable, _), one in rows if one}
        return [v.name in names for v in self.derived]

    @property
    def score_frame(self) -> pd.DataFrame:
        """The derived variables and their scores, as a pandas frame of a row each.

        A new frame each time; changing it does not change the plan. Its columns:

        variable
            Name of the derived variable, a column of the treated frame.
        orig_variable
            The column it comes from.
        code
            What it is: ``clean``, ``isBAD``, ``lev``, ``catP``, ``catB``, ``catN``, ``catD``,
            ``catQ``, ``text``; a shape of a number (``spline``, ``piecewise``, ``bins``,
            ``isotonic``, ``window``) or a coder of one's own; or ``kept``, of
            `design_missingness`.
        level
            The level that an indicator marks, as it is in the data; None for the missing level,
            the pool of rare levels and all other codes.
        varies
            True: variables that do not vary are not made.
        rsq, sig
            Of a regression of the outcome on this variable alone: the share of variance (of
            deviance, for classes) that it explains, and the p-value. With
            ``significance="calibrated"`` that is of a test of what the code says: of ``clean``
            whether the outcome changes with it in any shape: one that only trees, or shapes, can
            use has an ``rsq`` near 0 and a small ``sig``. All shapes of a column are one question,
            and share the answer. Without outcome 0 and 1.
        sig_fdr, sig_fwer
            ``sig`` adjusted for the number of rows of this table: by Benjamini and Hochberg [1]_
            and by Holm [2]_. See the notes.
        needs_split
            Whether rows must be coded out of fold; ``rsq`` and ``sig`` are then those of the
            cross-frame.
        extra_model_degrees
            Degrees of freedom that building it has spent: the number of levels less one, of a
            shape the number of bins.
        default_threshold
            1 / (number of different codes x rows of the same code): if all variables were noise,
            one would be expected to score below its threshold. The two indicators of a column of
            two levels say the same, and count as one row, here and in the adjusted p-values, and
            codes that were dropped because of the outcome count too (``plan.dropped``); unless
            ``significance="classic"`` asks for R's numbers. Variables of columns that were made
            of dates (``plan.made``) are counted by themselves: of all those together, were they
            noise, 0.05 would be expected to score below ``0.05 / their number``.
        recommended
            Whether ``sig`` is below that threshold; always, without outcome.
        outcome_target
            With several classes only: the class that the scores are for, against all others.
            A variable has a row for each class it is scored for; codes that are built once for
            each class are scored for their own.

        See Also
        --------
        prepare : Its options ``prune_sig`` and ``prune_by`` select variables by these columns.

        Notes
        -----
        With many variables some noise has a small ``sig``: of 1,000 noise variables about 50 are
        below 0.05. Three rules reckon with that:

        * ``sig_fdr <= q`` bounds a share, the false discovery rate: of the rows that pass, a share
          of at most q is expected to be noise. Where more is found, more noise is let in beside
          it. (A row is a variable; with several classes it is a variable and a class.) Models
          stand some noise, and miss what is left out: the treatments keep q = 0.7 by default
          (``prune_sig="plausible"``), which throws out most of the noise where there is much.
          For an outcome of two classes that also leaves out, of columns with an impact code and
          more than two levels, indicators of rows among which less than 20 of the rarer class are
          expected (``few_events`` of the variable): what a model would learn of them is off [3]_.
        * ``recommended`` bounds a number: at most one noise variable is expected to pass, however
          many there are. For few variables that people look at.
        * ``sig_fwer <= a`` bounds a probability, the family-wise error: that even one noise
          variable passes has a probability of at most a. Where each variable is a claim that must
          stand by itself.

        The second bound is proven for p-values that are independent or positively dependent; those
        of codes of one column rise and fall together, which is of the latter kind. The third holds
        for any dependence. All of them hold only as far as the p-values do: they must call noise
        significant as often as they say (see ``significance`` of `design_treatments`).

        References
        ----------
        .. [1] Y. Benjamini and Y. Hochberg (1995). "Controlling the False Discovery Rate: A
           Practical and Powerful Approach to Multiple Testing". Journal of the Royal Statistical
           Society, Series B, 57(1), 289-300.
        .. [2] S. Holm (1979). "A Simple Sequentially Rejective Multiple Test Procedure".
           Scandinavian Journal of Statistics, 6(2), 65-70.
        .. [3] E. Ogundimu, D. Altman and G. Collins (2016). "Adequate sample size for developing
           prediction models is not simply related to events per variable". Journal of Clinical
           Epidemiology, 76, 175-182.
        """
        frame = self._score_table
        for place, column in enumerate(self._adjusted, start=list(frame).index(SIG) + 1):
            frame.insert(place, column, self._adjusted[column])
        return frame

    @property
    def _score_table(self) -> pd.DataFrame:
        """The score frame without adjusted p-values, for those who do not look at them."""
        rows = self._scored
        columns: dict[str, tuple[type, list[Any]]] = {  # objects, or None in text would be NaN
            "variable": (object, [v.name for v, _ in rows]),
            "orig_variable": (object, [v.orig_variable for v, _ in rows]),
            "code": (object, [v.code for v, _ in rows]),
            "level": (object, [v.level for v, _ in rows]),
            "varies": (bool, [True] * len(rows)),
            "rsq": (float, [score.rsq for _, score in rows]),
            "sig": (float, [score.sig for _, score in rows]),
            "needs_split": (bool, [v.needs_split for v, _ in rows]),
            "extra_model_degrees": (float, [v.extra_model_degrees for v, _ in rows]),
            "default_threshold": (float, self._thresholds),
            "recommended": (bool, self._passed),
        }
        if self.classes:
            columns["outcome_target"] = (object, [score.target for _, score in rows])
        index = pd.RangeIndex(len(rows))
        return pd.DataFrame(
            {name: pd.Series(v, index, dtype) for name, (dtype, v) in columns.items()}
        )
