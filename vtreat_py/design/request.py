"""What a design is asked for: the options, checked once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from vtreat_py.base.checks import check_flag
from vtreat_py.base.jobs import check_jobs
from vtreat_py.design.checks import (
    check_class_coders,
    check_imputation_map,
    check_outcome_tells_no_fold,
    check_outcome_type,
    check_unused,
    choose_variables,
)
from vtreat_py.design.context import DesignContext
from vtreat_py.folds.named import names_fold_column
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.outcome.outcome import Outcome
from vtreat_py.plan.options import DesignOptions


@dataclass(frozen=True, eq=False, kw_only=True)
class DesignRequest:
    """The arguments of `vtreat_py.design_treatments`, but the frame.

    Attributes
    ----------
    scaled : bool
        Whether slopes are needed for every fold.
    options : DesignOptions
        Those that say how columns are coded, and that the plan keeps.
    """

    outcome: Any
    outcome_type: str | None
    target: Any
    variables: Sequence[Hashable] | None
    sample_weight: Any
    groups: Any
    cv: Any
    random_state: Any
    row_id: Any
    n_jobs: int | None
    progress: bool
    y_dependent_coders: Any
    scaled: bool
    options: DesignOptions

    @classmethod
    def checked(
        cls,
        *,
        outcome: Any,
        outcome_type: str | None,
        variables: Sequence[Hashable] | None,
        sample_weight: Any,
        n_jobs: int | None,
        progress: bool,
        groups: Any = None,
        target: Any = None,
        cv: Any = None,
        random_state: Any = None,
        row_id: Any = None,
        y_dependent_coders: Any = None,
        scaled: bool = False,
        **options: Any,
    ) -> DesignRequest:
        """Check what can be checked without a frame."""
        check_outcome_type(outcome_type)
        coding = DesignOptions.checked(y_dependent_coders=y_dependent_coders, **options)
        check_jobs(n_jobs)
        return cls(
            outcome=outcome,
            outcome_type=outcome_type,
            target=target,
            variables=variables,
            sample_weight=sample_weight,
            groups=groups,
            cv=cv,
            random_state=random_state,
            row_id=row_id,
            n_jobs=n_jobs,
            progress=check_flag("progress", progress),
            y_dependent_coders=y_dependent_coders,
            scaled=scaled,
            options=coding,
        )

    @property
    def fold_column(self) -> Any:
        """The column that holds each row's fold, if ``cv`` names one."""
        return self.cv if names_fold_column(self.cv) else None

    @property
    def beside(self) -> list[Any]:
        """What may run beside the columns, by name or as arrays."""
        given = (self.outcome, self.sample_weight, self.groups, self.row_id, self.fold_column)
        return [one for one in given if one is not None]

    def check_outcome(self, outcome: Outcome, groups: Hashable | None) -> None:
        """Check what rests on the outcome; ``groups`` is the column that has them, if one does."""
        self.options.coders_for(outcome.kind)
        check_class_coders(self.y_dependent_coders, outcome)
        check_outcome_tells_no_fold(
            outcome.name, groups=groups, row_id=self.row_id, cv=self.fold_column
        )

    def choose(self, columns: Sequence[Hashable], aside: list[Hashable]) -> tuple[Hashable, ...]:
        """Return the columns to treat, of those of a frame."""
        chosen = choose_variables(columns, self.variables, aside)
        check_imputation_map(self.options, chosen)
        return chosen

    def check_unsupervised(self) -> None:
        """Refuse what a design without outcome has no use for."""
        check_unused(target=self.target, groups=self.groups, cv=self.cv)

    def context(self, outcome: Outcome, folds: FoldPlan) -> DesignContext:
        """What the design of every column shares."""
        coders = self.options.coders_for(outcome.kind)
        return DesignContext(outcome, folds, self.options, coders, self.scaled)
