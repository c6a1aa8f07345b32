"""What a treatment learned: a plan, extra columns, and the names of it all."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.api.prepare import prepare
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import SchemaError, VtreatWarning, counted
from vtreat_py.base.warn import warn
from vtreat_py.compat._codes import Variable
from vtreat_py.compat._conversions import as_designed
from vtreat_py.compat._extra_columns import Extra
from vtreat_py.compat._frames import extended, output
from vtreat_py.frames.digest import digest
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment

_CLASS = {
    "missing_indicator": "IndicateMissingTransform",
    "clean_copy": "CleanNumericTransform",
    "indicator_code": "IndicatorCodeTransform",
}
_DESCRIBED = [
    "treatment_class",
    "treatment",
    "orig_var",
    "orig_was_numeric",
    "variable",
    "value",
    "replacement",
]


@dataclass(frozen=True, eq=False)
class Learned:
    """Everything `fit` learned.

    The plan is designed on ``variables_in``, the treated columns of the input, and the extra ones.
    The derived variables are in the order of the output. ``copied`` has the columns that come out
    as they are, the outcome's among them; frames need not have them.
    """

    plan: TreatmentPlan
    variables_in: tuple[Hashable, ...]
    extra: tuple[Extra, ...]
    variables: tuple[Variable, ...]
    score_frame: pd.DataFrame
    copied: tuple[Hashable, ...]
    cross_plan: list[dict[str, Any]] | None

    @property
    def read_in(self) -> set[Hashable]:
        """Names of all columns of frames that matter."""
        return {*self.variables_in, *self.copied}

    def treat(self, source: InputFrame, variables: Sequence[Variable]) -> Any:
        """Treat the rows of a new frame, under the plan's names."""
        origin = {v.name: v.orig_variable for v in self.plan.derived}
        wanted = [v.native for v in variables]
        inputs = {origin[name] for name in wanted}
        needed = [e for e in self.extra if inputs & {c.name for c in e.columns}]
        read = [c for c in self.variables_in if c in inputs]
        read = list(dict.fromkeys([*read, *(c for e in needed for c in e.inputs)]))
        present = set(source.columns)
        missing = [c for c in read if c not in present]
        if missing:
            raise SchemaError(
                f"the frame lacks {counted(len(missing), 'column')}: "
                f"{', '.join(map(repr, missing))}. Add them (missing values are fine)"
            )
        source = as_designed(source, self.plan, read)
        added: dict[str, FloatArray] = {}
        for extra in needed:
            added |= extra.values(source)
        with warnings.catch_warnings():
            for told in (
                "th.* looks? like .*the frame the plan was",
                "no derived variable is left",
            ):
                warnings.filterwarnings("ignore", told, VtreatWarning)
            return prepare(self.plan, extended(source, read, added), variables=wanted)

    def finish(
        self, source: InputFrame, treated: Any, variables: Sequence[Variable], sparse: bool
    ) -> Any:
        """Name, order and copy: from a frame of the plan's variables to the output."""
        if not variables:
            warn(
                "no derived variable is left: the treated frame has no columns but the outcome's "
                "and those of cols_to_copy. See score_frame_; filter_to_recommended=False, or "
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
        options = self.plan.options
        source = source.read_by(options.missing_values, options.categorical)
        return bool(own) and all(digest(source.read(t.column)) == t.sample for t in own)

    def described(self) -> pd.DataFrame:
        """Lay out the variables as one table, a row for each value that is replaced."""
        by_column = {t.column: t for t in self.plan.treatments}
        native = {v.name: v for v in self.plan.derived}
        marks = {extra.columns[0].name for extra in self.extra if extra.transform is None}
        rows: list[tuple[Any, ...]] = []
        for variable in self.variables:
            derived = native[variable.native]
            treatment = by_column[derived.orig_variable]
            replaced: list[tuple[Any, float]] = [(None, 1.0)]
            numeric = isinstance(treatment, NumericTreatment) and variable.name not in marks
            if variable.name not in marks and derived.orig_variable not in self.variables_in:
                continue  # a user transform is code, not a table
            if derived.code == "lev":
                replaced = [(derived.level, 1.0)]
            elif isinstance(treatment, LevelTreatment):
                values = [*treatment.levels.to_list(), None]
                replaced = list(zip(values, treatment.table(derived).tolist(), strict=False))
            elif numeric and derived.code == "clean":
                replaced = [(None, treatment.imputed)]
            kind, origin = variable.treatment, variable.orig_variable
            what = (_CLASS.get(kind, "MappedCodeTransform"), kind, origin, numeric, variable.name)
            rows += [(*what, value, number) for value, number in replaced]
        table = pd.DataFrame(rows, columns=_DESCRIBED, dtype=object)
        return table.astype({"orig_was_numeric": bool, "replacement": float})
