"""The plan as data: everything that was learned, and what can be said of it without a frame."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from vtreat_py.base.checks import check_list
from vtreat_py.base.errors import InvalidOptionError, meant
from vtreat_py.coders import codes
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.made import MadeColumn
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.options import DesignOptions, NamedFunction, check_coders, function_name
from vtreat_py.plan.pruning import PLAUSIBLE, SIG, PruneBy, PruneSig, check_pruning
from vtreat_py.plan.scores import PlanScores
from vtreat_py.plan.scoring_only import ScoringOnly
from vtreat_py.plan.training_marks import TrainingMarks
from vtreat_py.plan.treatments import Treatment
from vtreat_py.plan.variables import DerivedVariable, DroppedCode

# A column, and why it, or some code of it, is not there.
Told = tuple[Hashable, str]


@dataclass(frozen=True, eq=False)
class Plan(PlanScores):
    """What was learned, and what can be said of it without a frame.

    `TreatmentPlan` is the same with verbs, and says what the fields are.
    """

    outcome_type: str
    outcome_name: Hashable | None
    target: Any
    note: str
    variables: tuple[Hashable, ...]
    treatments: tuple[Treatment, ...]
    unused: tuple[tuple[Hashable, str], ...]
    derived: tuple[DerivedVariable, ...]
    options: DesignOptions
    n_rows: int
    version: str
    classes: tuple[Any, ...] = ()
    level_statistics: tuple[LevelStatistics, ...] = ()
    hints: tuple[tuple[Hashable, str], ...] = field(default=(), compare=False)
    marks: TrainingMarks | None = field(default=None, compare=False)
    dropped: tuple[DroppedCode, ...] = ()
    made: tuple[MadeColumn, ...] = ()
    weighs: bool = field(default=False, compare=False)
    scoring: ScoringOnly | None = None
    privacy: DifferentialPrivacy | None = None

    def select(
        self,
        prune_sig: PruneSig = None,
        variables: Iterable[str] | None = None,
        coders: Any = None,
        prune_by: PruneBy = SIG,
    ) -> list[DerivedVariable]:
        """Choose derived variables by p-value, name and code, in the order of the treated frame.

        Parameters
        ----------
        prune_sig, variables, coders, prune_by
            As for `prepare`.

        Returns
        -------
        list of DerivedVariable

        Raises
        ------
        InvalidOptionError
            If a name or a code is unknown, ``prune_sig`` is no probability, or ``prune_by`` does
            not go with it.

        Examples
        --------
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({"x": ["a", "b", None, "c"] * 5, "y": [2, 3, 7, 8] * 5})
        >>> plan = vt.design_treatments(frame, outcome="y", random_state=0)
        >>> [variable.name for variable in plan.select(0.05, coders=["catN", "lev"])]
        ['x_catN', 'x_lev_NA', 'x_lev_x_a', 'x_lev_x_b', 'x_lev_x_c']
        """
        keep = self._kept_by_sig(prune_sig, prune_by)
        if variables is not None:
            wanted = dict.fromkeys(check_list("variables", variables, "names"))
            known = set(self.feature_names)
            unknown = [v for v in wanted if v not in known]
            if unknown:
                raise InvalidOptionError(
                    f"variables names {unknown}, which the plan does not derive; "
                    f"plan.feature_names lists what it does{meant(unknown[0], known)}"
                )
            keep = [k and v.name in wanted for k, v in zip(keep, self.derived, strict=True)]
        wanted_codes = check_coders("coders", coders, codes.names_in_plans(self.options.own_codes))
        return [v for k, v in zip(keep, self.derived, strict=True) if k and v.code in wanted_codes]

    @property
    def slopes_have_link(self) -> bool:
        """Whether y-aware slopes are in log odds, or logarithms of rates."""
        if self.outcome_type in ("rate", "survival"):
            return True
        return self.outcome_type != "numeric" and self.options.cat_scaling

    def _kept_by_sig(self, prune_sig: PruneSig, prune_by: PruneBy) -> list[bool]:
        limit, column = check_pruning(prune_sig, prune_by)
        if limit is None or self.outcome_type == "unsupervised":
            return [True] * len(self.derived)
        if isinstance(limit, str):
            return self.recommended
        if column == SIG:
            return [v.sig <= limit for v in self.derived]
        kept = self._with_any(self._adjusted[column] <= limit)
        if prune_sig != PLAUSIBLE:
            return kept
        impact = codes.names_of_impact()
        coded = {v.orig_variable for v in self.derived if v.code in impact}
        return [
            k and not (v.few_events and v.orig_variable in coded)
            for k, v in zip(kept, self.derived, strict=True)
        ]

    def __eq__(self, other: object) -> bool:
        return same(self, other)

    __hash__ = None  # type: ignore[assignment]


def unused_and_declined(plan: Plan) -> tuple[list[Told], list[Told]]:
    """Tell columns that are not used from those of which only some code was not made."""
    used = {one.column for one in plan.treatments}
    unused = [told for told in plan.unused if told[0] not in used]
    return unused, [told for told in plan.unused if told[0] in used]


def check_is_whole(plan: Plan, what: str) -> None:
    """Refuse what a plan that only treats rows cannot do; ``what`` says what it would need."""
    if plan.scoring is not None:
        raise InvalidOptionError(
            f"{what} a plan for scoring does not hold; take the plan of the design, which "
            "for_scoring was made of"
        )
    if plan.privacy is not None:
        raise InvalidOptionError(f"{what} a private plan does not hold")


def same(a: Any, b: Any) -> bool:
    """Equality of plain data that may hold arrays."""
    if isinstance(a, NamedFunction) or isinstance(b, NamedFunction):
        return function_name(a) == function_name(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Levels):
        return bool(a == b)
    if is_dataclass(a):
        compared = [f.name for f in fields(a) if f.compare]
        return all(same(getattr(a, name), getattr(b, name)) for name in compared)
    return bool(a == b)
