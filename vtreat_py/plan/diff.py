"""What differs between two plans."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from vtreat_py.base.arrays import IntArray
from vtreat_py.base.errors import OptionTypeError
from vtreat_py.frames.levels import Levels
from vtreat_py.plan.data import Plan
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.options import DesignOptions, function_name
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment
from vtreat_py.plan.variables import DerivedVariable

PRESENT, ABSENT = "present", "absent"
Difference = tuple[str, Any, Any]


def plan_diff(plan: Plan, other: Plan) -> pd.DataFrame:
    """List what differs; see `TreatmentPlan.diff`."""
    if type(other) is not type(plan):
        raise OptionTypeError(f"other is of type {type(other).__name__}; give a TreatmentPlan")
    found = list(_differences("", _tree(plan), _tree(other)))
    if not found and plan != other:
        found = [("order of columns, variables or levels, or rows of the sample", "one", "another")]
    return pd.DataFrame(found, columns=["where", "self", "other"], dtype=object)


class _LevelTree(dict[str, dict[str, Any]]):
    """What is known of each level of a column, by the level."""


def _differences(where: str, ours: Any, theirs: Any) -> Iterator[Difference]:
    """Walk two trees of dicts; what only one of them has is one difference, whatever is in it."""
    if isinstance(ours, _LevelTree) and isinstance(theirs, _LevelTree):
        yield from _level_differences(where, ours, theirs)
    elif isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours | theirs:
            yield from _differences(f"{where}{key}", ours.get(key, ABSENT), theirs.get(key, ABSENT))
    elif type(ours) is not type(theirs) or ours != theirs:
        ours, theirs = (PRESENT if isinstance(v, dict) else v for v in (ours, theirs))
        yield where, ours, theirs


def _level_differences(where: str, ours: _LevelTree, theirs: _LevelTree) -> Iterator[Difference]:
    """Levels that came or went, then what moved, number by number, most first."""
    moved: dict[str, list[Difference]] = {}
    for level in ours | theirs:
        if level not in ours or level not in theirs:
            pair = ours.get(level, ABSENT), theirs.get(level, ABSENT)
            yield from _differences(f"{where}{level}", *pair)
            continue
        for name in ours[level] | theirs[level]:
            pair = ours[level].get(name, ABSENT), theirs[level].get(name, ABSENT)
            moved.setdefault(name, []).extend(_differences(f"{where}{level}{name}", *pair))
    for differences in moved.values():
        yield from sorted(differences, key=_smallness)


def _smallness(difference: Difference) -> float:
    _, ours, theirs = difference
    are_numbers = isinstance(ours, float) and isinstance(theirs, float)
    return -abs(ours - theirs) if are_numbers else -math.inf


def _tree(plan: Plan) -> dict[str, Any]:
    """A plan by the paths of its parts; columns, variables and levels go by name."""
    plain = ("outcome_type", "outcome_name", "target", "classes", "note", "n_rows", "version")
    tree = {name: getattr(plan, name) for name in plain}
    tree["options"] = _options_tree(plan.options)
    treatments = {t.column: t for t in plan.treatments}
    statistics = {s.column: s for s in plan.level_statistics}
    reasons = dict(plan.unused)
    for column in plan.variables:
        known = {".unused": reasons[column]} if column in reasons else {}
        if column in treatments:
            known |= _treatment_tree(treatments[column])
        if column in statistics:
            _add_statistics(known, statistics[column])
        tree[f"columns[{column!r}]"] = known
    return tree


def _options_tree(options: DesignOptions) -> dict[str, Any]:
    tree = {f".{name}": value for name, value in vars(options).items()}
    tree[".imputation"] = function_name(options.imputation) or options.imputation
    tree[".imputation_map"] = {
        f"[{column!r}]": function_name(one) or one for column, one in options.imputation_map.items()
    }
    return tree


def _treatment_tree(treatment: NumericTreatment | LevelTreatment) -> dict[str, Any]:
    tree: dict[str, Any] = {".kind": treatment.kind}
    if isinstance(treatment, NumericTreatment):
        profile = treatment.profile
        tree |= {f".{name}": getattr(treatment, name) for name in ("imputed", "lower", "upper")}
        tree |= {f".{name}": getattr(profile, name) for name in ("low", "high", "bad_share")}
        tree |= {f".{name}": getattr(profile, name).tolist() for name in ("edges", "counts")}
        for one in treatment.ranges:
            of_code = f".{one.code}{_of_class(one.target)}"
            tree[f"{of_code}.edges"] = one.edges.tolist()
            tree[f"{of_code}.values"] = one.values.tolist()
    for variable in treatment.variables:
        tree[f".variables[{variable.name!r}]"] = _variable_tree(variable)
    if isinstance(treatment, LevelTreatment):
        levels = _by_level(tree, treatment.levels)
        for part in treatment.parts:
            _add_to_levels(levels, ".taken_for", part.target, _taken_for(part.slots))
            for code, table in part.tables.items():
                _add_to_levels(levels, f".{code}", part.target, table.tolist())
    return tree


def _variable_tree(variable: DerivedVariable) -> dict[str, Any]:
    names = ("code", "level", "target", "needs_split", "extra_model_degrees", "slope", "mean")
    tree = {f".{name}": getattr(variable, name) for name in names}
    for score in variable.scores:
        tree[f".rsq{_of_class(score.target)}"] = score.rsq
        tree[f".sig{_of_class(score.target)}"] = score.sig
    return tree


def _add_statistics(tree: dict[str, Any], statistics: LevelStatistics) -> None:
    """Add what was seen of the outcome; an effect is an impact code, derived or not."""
    levels = _by_level(tree, statistics.levels)
    _add_to_levels(levels, ".count", None, statistics.count.tolist())
    for outcome in statistics.outcomes:
        of_class = _of_class(outcome.target)
        for name in ("overall", "prior_weight", "within"):
            tree[f".{name}{of_class}"] = getattr(outcome, name)
        _add_to_levels(levels, ".mean", outcome.target, outcome.mean.tolist())
        _add_to_levels(levels, f".{outcome.code.name}", outcome.target, outcome.effect.tolist())
        _add_to_levels(levels, ".taken_for", outcome.target, _taken_for(outcome.slots))


def _by_level(tree: dict[str, Any], levels: Levels) -> list[dict[str, Any]]:
    """Entries for each level, for missing values and for the pool, in the order of the codes."""
    entries = tree.setdefault(".levels", _LevelTree())
    keys = [f"[{level!r}]" for level in levels.to_list()] + [".missing", ".pool_or_novel"]
    return [entries.setdefault(key, {}) for key in keys]


def _add_to_levels(levels: list[dict[str, Any]], name: str, target: Any, values: list[Any]) -> None:
    for level, value in zip(levels, values, strict=True):
        level[f"{name}{_of_class(target)}"] = value


def _taken_for(slots: IntArray) -> list[str]:
    words = {-1: "nothing", len(slots) - 1: "the pool"}
    return [words.get(slot, "itself") for slot in slots.tolist()]


def _of_class(target: Any) -> str:
    return "" if target is None else f"[{target!r}]"
