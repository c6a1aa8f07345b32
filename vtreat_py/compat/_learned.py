"""What a treatment learned: a plan, extra columns, and the names of it all."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from vtreat_py import prepare
from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import SchemaError, VtreatWarning, counted
from vtreat_py.base.warn import warn
from vtreat_py.compat._codes import Variable
from vtreat_py.compat._extra_columns import Extra
from vtreat_py.compat._frames import extended, output
from vtreat_py.frames.digest import digest
from vtreat_py.frames.frame import InputFrame

_TRAINING_FRAME = "this looks like the frame the plan was designed on"


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything `fit` learned.

    Attributes
    ----------
    plan : TreatmentPlan
        Designed on the treated columns and the extra ones.
    variables_in : tuple of column names
        The treated columns of the input.
    extra : tuple of Extra
        What makes the extra columns.
    variables : tuple of Variable
        The derived variables, in the order of the output.
    copied : tuple of column names
        Columns to copy, from frames that have them.
    cross_plan : list of dict or None
        The folds.
    """

    plan: TreatmentPlan
    variables_in: tuple[Hashable, ...]
    extra: tuple[Extra, ...]
    variables: tuple[Variable, ...]
    score_frame: pd.DataFrame
    copied: tuple[Hashable, ...]
    cross_plan: list[dict[str, Any]] | None

    @property
    def recommended(self) -> set[str]:
        """Names of the variables that are recommended (for some class)."""
        table = self.score_frame
        return set(table.loc[table["recommended"], "variable"])

    def chosen(self, restriction: Collection[str] | None) -> list[Variable]:
        """Return the variables that come out under a restriction."""
        return [v for v in self.variables if restriction is None or v.name in restriction]

    def treat(self, source: InputFrame, variables: Sequence[Variable]) -> Any:
        """Treat the rows of a new frame, under the plan's names."""
        wanted = {v.native for v in variables}
        natives = {v.name: v for v in self.plan.derived}
        inputs = {natives[name].orig_variable for name in wanted}
        needed = [e for e in self.extra if inputs & {c.name for c in e.columns}]
        read = [c for c in self.variables_in if c in inputs]
        read += [c for e in needed for c in e.inputs if c not in read]
        _check_columns(source, read)
        added: dict[str, FloatArray] = {}
        for extra in needed:
            added |= extra.values(source)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _TRAINING_FRAME, VtreatWarning)
            warnings.filterwarnings("ignore", "no derived variable is left", VtreatWarning)
            frame = extended(source, read, added)
            return prepare(self.plan, frame, variables=[v.native for v in variables])

    def finish(
        self, source: InputFrame, treated: Any, variables: Sequence[Variable], sparse: bool
    ) -> Any:
        """Name, order and copy: from a frame of the plan's variables to the output."""
        if not variables:
            warn(
                "no derived variable is left: the treated frame has no columns but those of "
                "cols_to_copy. See score_frame_; filter_to_recommended=False, or "
                "set_result_restriction, keeps more",
            )
        names = {v.native: v.name for v in variables}
        indicators = [v.name for v in variables if v.treatment == "indicator_code"]
        copied = self.copied_from(source.columns)
        return output(source, treated, names, copied, indicators if sparse else [])

    def copied_from(self, columns: Sequence[Hashable]) -> list[Hashable]:
        """Return the columns to copy that a frame of these columns has."""
        return [c for c in self.copied if c in columns]

    def was_designed_on(self, source: InputFrame) -> bool:
        """Whether a frame looks like the training frame."""
        if source.n_rows != self.plan.n_rows or not set(self.variables_in) <= set(source.columns):
            return False
        own = [t for t in self.plan.treatments if t.column in self.variables_in]
        return bool(own) and all(digest(source.read(t.column)) == t.sample for t in own)


def _check_columns(source: InputFrame, columns: Sequence[Hashable]) -> None:
    missing = [c for c in columns if c not in set(source.columns)]
    if missing:
        raise SchemaError(
            f"the frame lacks {counted(len(missing), 'column')}: {', '.join(map(repr, missing))}. "
            "Add them (missing values are fine)"
        )
