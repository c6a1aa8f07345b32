"""A plan that only treats rows, and tells of no few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_whole_number
from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.base.warn import warn
from vtreat_py.coders.is_bad import IsBad
from vtreat_py.frames.made import joint_columns
from vtreat_py.plan.data import Plan, check_is_whole
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.scoring_classes import with_large_classes
from vtreat_py.plan.scoring_column import ScoringColumn
from vtreat_py.plan.scoring_levels import HiddenLevels
from vtreat_py.plan.scoring_numbers import SafeNumbers
from vtreat_py.plan.scoring_only import ScoringOnly
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable, DroppedCode, OutcomeScore

_SHOWN = 5
# A variable, and a class: whether it is recommended for that.
Passed = Mapping[tuple[str, Any], bool]


def for_scoring(plan: Plan, min_rows: Any) -> Plan:
    """Make the plan; see `TreatmentPlan.for_scoring`."""
    few = check_whole_number("min_rows", min_rows)
    check_is_whole(plan, "for_scoring counts the rows of levels, which")
    n_rows = _rows_counted(plan)
    with_classes = with_large_classes(plan, few, n_rows)
    statistics = {s.column: s for s in plan.level_statistics}
    joint = {one.name: one for one in joint_columns(plan.made)}

    def left(treatment: Treatment) -> ScoringColumn:
        if isinstance(treatment, NumericTreatment):
            return SafeNumbers(treatment, n_rows, few, plan.options).column()
        known = statistics[treatment.column], few, plan.options
        return HiddenLevels(treatment, *known, joint.get(treatment.column)).column()

    columns = {t.column: left(t) for t in with_classes.treatments}
    reasons = {name: "; ".join(one.reasons) for name, one in columns.items() if one.reasons}
    scoring = _put_together(with_classes, _passed(plan), columns, reasons, few)
    if reasons:
        _warn_of(reasons)
    told = [name for name, one in columns.items() if one.with_few and one.treatment is not None]
    if told and plan.outcome_type != "unsupervised":
        warn(
            f"few rows are hidden in all of {listed(told)}: what their outcomes add up to follows "
            "from codes and shares of the levels that stay, for one hidden row exactly. Leave the "
            "columns out (variables=), or pool rare levels with larger ones, before the design"
        )
    return replace(scoring, dropped=(*scoring.dropped, *_tests_left_out(plan, scoring)))


def counts_of(
    treatments: Iterable[Treatment], statistics: Iterable[LevelStatistics]
) -> list[FloatArray]:
    """Weights of the levels, or ranges, of each column, which add up to those of all rows."""
    ranges = [t.by_range for t in treatments if isinstance(t, NumericTreatment)]
    return [s.count[:-1] for s in statistics] + [one.count for one in ranges if one is not None]


def are_whole(counts: Iterable[FloatArray]) -> bool:
    """Whether weights may have counted rows."""
    return all((one == np.rint(one)).all() for one in counts)


def _rows_counted(plan: Plan) -> float:
    """Rows of the design: the sum of the weights, which must count rows."""
    counts = counts_of(plan.treatments, plan.level_statistics)
    if plan.weighs or not are_whole(counts):
        raise InvalidOptionError(
            "the design had weights that do not count rows (they are not whole numbers, or more "
            "than 10 million in all, or exposures of rates, or what times to an event let one "
            "expect), so that the plan does not know how many rows a level has; "
            "for_scoring is for designs without weights, or of weights that count equal rows"
        )
    return float(counts[0].sum()) if counts else float(plan.n_rows)


def _passed(plan: Plan) -> Passed:
    scores = zip(plan._scored, plan._passed, strict=True)
    return {(v.name, score.target): one for (v, score), one in scores}


def _put_together(
    plan: Plan,
    passed: Passed,
    columns: Mapping[Hashable, ScoringColumn],
    reasons: Mapping[Hashable, str],
    few: int,
) -> Plan:
    of_few, with_few = _names(columns, "of_few"), _names(columns, "with_few")
    if plan.outcome_type == "unsupervised":
        of_few = with_few = set()

    def rewritten(variable: DerivedVariable) -> DerivedVariable:
        if variable.name in of_few:
            return _unscored(variable, {})
        return _unscored(variable, passed) if variable.name in with_few else variable

    left = [one.treatment for one in columns.values() if one.treatment is not None]
    treatments = tuple(_with_variables(one, rewritten) for one in left)
    found = {v.name: v for one in treatments for v in one.variables}
    derived = tuple(found[v.name] for v in plan.derived if v.name in found)
    told = dict(plan.unused)
    unused = {
        name: "; ".join(one[name] for one in (told, reasons) if name in one)
        for name in dict.fromkeys([*told, *reasons])
    }
    return replace(
        plan,
        treatments=treatments,
        unused=tuple(unused.items()),
        derived=derived,
        level_statistics=(),
        hints=(),
        marks=None,
        dropped=tuple(
            replace(one, sig=1.0) if _has_few(columns, one.column) else one for one in plan.dropped
        ),
        scoring=ScoringOnly(
            few,
            tuple(name for name in found if name in of_few | with_few),
            tuple(one.column for one in treatments if columns[one.column].uncut),
            tuple(name for name in found if name in _names(columns, "renewed")),
        ),
    )


def _has_few(columns: Mapping[Hashable, ScoringColumn], name: Hashable) -> bool:
    return name in columns and bool(columns[name].with_few)


def _names(columns: Mapping[Hashable, ScoringColumn], field: str) -> set[str]:
    return set().union(*(getattr(one, field) for one in columns.values()))


def _with_variables(
    treatment: Treatment, changed: Callable[[DerivedVariable], DerivedVariable]
) -> Treatment:
    """A treatment whose variables are changed."""
    if isinstance(treatment, NumericTreatment):
        return replace(treatment, variables=tuple(map(changed, treatment.variables)))
    assert isinstance(treatment, LevelTreatment)
    parts = [
        replace(part, variables=tuple(map(changed, part.variables))) for part in treatment.parts
    ]
    return replace(treatment, parts=tuple(parts))


def _unscored(variable: DerivedVariable, passed: Passed) -> DerivedVariable:
    """A variable without slope and scores: at most whether it is recommended.

    The mean of an indicator stays; it is a share of the rows.
    """
    scores = tuple(
        OutcomeScore(one.target, 0.0, 0.0 if passed.get((variable.name, one.target)) else 1.0)
        for one in variable.scores
    )
    is_mark = variable.slot is not None or variable.code == IsBad.name
    mean = variable.mean if is_mark else 0.0
    return replace(variable, scores=scores, slope=0.0, mean=mean)


def _tests_left_out(plan: Plan, scoring: Plan) -> list[DroppedCode]:
    """Tests that were made and are no longer seen: p-values are still of so many."""
    if plan.outcome_type == "unsupervised":
        return []
    left = _tests(plan)
    left.subtract(_tests(scoring))
    return [DroppedCode(column, code, n_tests=n) for (column, code), n in left.items() if n > 0]


def _tests(plan: Plan) -> Counter[tuple[Hashable, str]]:
    rows = enumerate(plan._scored)
    return Counter((v.orig_variable, v.code) for row, (v, _) in rows if row not in plan._twins)


def _warn_of(reasons: Mapping[Hashable, str]) -> None:
    shown = "; ".join(f"{name!r}: {why}" for name, why in list(reasons.items())[:_SHOWN])
    more = f"; and {len(reasons) - _SHOWN} more (see plan.unused)" if len(reasons) > _SHOWN else ""
    warn(f"the plan for scoring leaves out what would tell of few rows ({shown}{more})")
