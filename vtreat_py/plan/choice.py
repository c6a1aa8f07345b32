"""What is to come out of a plan: the options of `prepare`, checked once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vtreat_py.base.checks import check_flag, check_list
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, PlanFormatError, listed
from vtreat_py.base.names import is_name
from vtreat_py.base.warn import warn
from vtreat_py.coders import codes
from vtreat_py.plan.data import Plan
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig
from vtreat_py.plan.treatments import LevelTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable

_SHOWN = 5


@dataclass(frozen=True)
class Choice:
    """What is to be derived, by the options of `prepare`."""

    variables: list[DerivedVariable]
    scale: bool
    collar: bool
    extra: list[Hashable]
    first: list[Hashable]
    sparse: bool

    @classmethod
    def of(
        cls,
        plan: Plan,
        prune_sig: PruneSig = None,
        prune_by: PruneBy = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
        extra_columns: Iterable[Hashable] = (),
        row_id: Hashable | None = None,
        sparse_output: bool = False,
    ) -> Choice:
        """Check the options of `prepare`; it warns if no variable is left."""
        scale, collar = check_flag("scale", scale), check_flag("collar", collar)
        sparse = check_flag("sparse_output", sparse_output)
        if scale and plan.outcome_type == "unsupervised":
            raise InvalidOptionError("scale=True needs an outcome; this plan is unsupervised")
        chosen = plan.select(prune_sig, variables, coders, prune_by)
        _check_scoring(plan, chosen, scale, collar)
        names = [v.name for v in chosen]
        extra, first = _beside(extra_columns, row_id, names)
        if sparse:
            check_sparse_options(scale, extra, row_id)
            _check_sparse_variables(plan, chosen)
        if not chosen:
            reason = "" if prune_sig is None else f" at prune_sig={prune_sig!r}"
            reason += "" if prune_by == SIG else f", prune_by={prune_by!r}"
            warn(
                f"no derived variable is left{reason}: the treated frame has no columns. "
                "See plan.score_frame; a larger prune_sig, or None, keeps more",
            )
        return cls(chosen, scale, collar, extra, first, sparse)

    @property
    def names(self) -> list[str]:
        """Names of the variables."""
        return [v.name for v in self.variables]

    @cached_property
    def by_column(self) -> dict[Hashable, list[tuple[int, DerivedVariable]]]:
        """The variables of each column, with their places among all that come out."""
        found: dict[Hashable, list[tuple[int, DerivedVariable]]] = {}
        for place, variable in enumerate(self.variables):
            found.setdefault(variable.orig_variable, []).append((place, variable))
        return found

    def treatments(self, plan: Plan) -> list[Treatment]:
        """Return the treatments that are needed."""
        found, wanted = {t.column: t for t in plan.treatments}, self.by_column
        lacking = [name for name in wanted if name not in found]
        if lacking:  # their places in the frame would stay as they were
            raise PlanFormatError(f"the plan has variables of {listed(lacking)}, but no treatment")
        return [t for name, t in found.items() if name in wanted]


def check_reads_no_text(plan: Plan, choice: Choice, where: str) -> None:
    """Refuse variables that rest on texts of levels never seen; ``where`` does not read them."""
    known = {t.column: t for t in choice.treatments(plan) if isinstance(t, LevelTreatment)}
    reading = [
        v.name
        for v in choice.variables
        if v.orig_variable in known and known[v.orig_variable].reads_text(v)
    ]
    if reading:
        raise InvalidOptionError(
            f"{listed(reading)} rest on the texts of levels never seen (code text), which {where} "
            "does not read. Leave them out with variables= or coders=, or prepare a frame in memory"
        )


def _check_scoring(
    plan: Plan, variables: Sequence[DerivedVariable], scale: bool, collar: bool
) -> None:
    """Refuse slopes and cuts that a plan for scoring does not hold."""
    if plan.scoring is None:
        return
    few = f"fewer than {plan.scoring.min_rows} rows, and which a plan for scoring does not hold"
    unscaled = [v.name for v in variables if v.name in plan.scoring.unscaled]
    if scale and unscaled:
        raise InvalidOptionError(
            f"scale=True needs the slopes of {listed(unscaled)}, which would tell the outcomes of "
            f"{few}; leave these out with variables=, or prepare by the plan of the design"
        )
    uncut = [v.name for v in variables if v.orig_variable in plan.scoring.uncut]
    if collar and uncut:
        raise InvalidOptionError(
            f"collar=True cuts {listed(uncut)} at numbers that are beyond all but {few}; leave "
            "these out with variables=, or design with a larger collar_prob"
        )


def _beside(
    extra_columns: Iterable[Hashable], row_id: Hashable | None, names: Sequence[str]
) -> tuple[list[Hashable], list[Hashable]]:
    """Columns to append and one, or none, to put in front: none is called as a derived variable."""
    extra, derived = check_list("extra_columns", extra_columns, "column names"), set(names)
    if not is_name(row_id):
        raise OptionTypeError(f"row_id={row_id!r} must be the name of a column")
    taken = [name for name in extra if name in derived]
    if taken:
        raise InvalidOptionError(
            f"extra_columns names {listed(taken)}, which are derived variables too; rename "
            "them, or leave the derived ones out with variables="
        )
    if row_id is None:
        return extra, []
    if row_id in derived:
        raise InvalidOptionError(
            f"row_id={row_id!r} is the name of a derived variable, too; rename the column, or "
            "leave the derived one out with variables="
        )
    if row_id in extra:
        raise InvalidOptionError(f"extra_columns names {row_id!r}, which row_id= puts in front")
    return extra, [row_id]


def check_sparse_options(scale: bool, extra: Sequence[Any] = (), row_id: Any = None) -> None:
    """Refuse options that a sparse matrix cannot serve."""
    if scale:
        raise InvalidOptionError(
            "sparse_output=True and scale=True exclude each other: a scaled indicator is 0 "
            "nowhere; leave one of the two out"
        )
    if row_id is not None:
        raise InvalidOptionError(
            f"sparse_output=True returns a matrix of derived variables only, which has no room for "
            f"row_id={row_id!r}; leave one of the two out"
        )
    if extra:
        raise InvalidOptionError(
            f"sparse_output=True returns a matrix of derived variables only, but extra_columns "
            f"names {list(extra)}; take those from the frame yourself"
        )


def check_sparse_in_memory(sparse: bool) -> None:
    """Refuse a sparse matrix of a lazy frame."""
    if sparse:
        raise InvalidOptionError(
            "sparse_output=True returns a matrix in memory, which a lazy frame is not; collect "
            "it first, or leave the option out"
        )


def _check_sparse_variables(plan: Plan, variables: Sequence[DerivedVariable]) -> None:
    """Refuse variables that are not mostly 0."""
    own = plan.options.own_codes
    dense = [v for v in variables if not codes.named(v.code, own).is_sparse]
    if dense:
        shown = ", ".join(f"{v.name!r} ({v.code})" for v in dense[:_SHOWN])
        more = f" and {len(dense) - _SHOWN} more" if len(dense) > _SHOWN else ""
        names = ", ".join(f'"{c.name}"' for c in reversed(codes.CODES) if c.is_sparse)
        raise InvalidOptionError(
            f"sparse_output=True, but {len(dense)} of the {len(variables)} chosen variables are "
            f"dense: {shown}{more}. Only indicators and marks of bad values are sparse; choose "
            f"them with coders=[{names}], or leave sparse_output out"
        )
