"""What a query is to derive: the options of `prepare`, checked as there."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vtreat_py._column_treatment import DerivedVariable, Treatment
from vtreat_py._options import check_flag
from vtreat_py._prepare import warn_of_nothing
from vtreat_py._pruning import SIG
from vtreat_py._schema import check_extra, check_scaling

if TYPE_CHECKING:  # the plan answers by this module
    from vtreat_py._plan import TreatmentPlan


@dataclass(frozen=True)
class Choice:
    """What is to be derived, by the options of `prepare`."""

    variables: list[DerivedVariable]
    scale: bool
    collar: bool
    extra: list[Hashable]

    @classmethod
    def of(
        cls,
        plan: TreatmentPlan,
        prune_sig: float | str | None = None,
        prune_by: str = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        extra_columns: Iterable[Hashable] = (),
    ) -> Choice:
        """Check the options of `prepare`, with the errors and the warning that it has."""
        scale, collar = check_flag("scale", scale), check_flag("collar", collar)
        check_scaling(plan, scale)
        chosen = plan.select(prune_sig, variables, coders, prune_by)
        extra = check_extra(extra_columns, [v.name for v in chosen])
        if not chosen:
            warn_of_nothing(prune_sig, prune_by)
        return cls(chosen, scale, collar, extra)

    def treatments(self, plan: TreatmentPlan) -> list[Treatment]:
        """Return the treatments that are needed."""
        columns = {v.orig_variable for v in self.variables}
        return [t for t in plan.treatments if t.column in columns]
