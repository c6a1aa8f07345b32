"""What differs between two plans."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import OptionTypeError
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.made import calendar_parts, joint_columns
from vtreat_py.plan.data import Plan
from vtreat_py.plan.level_statistics import LevelStatistics
from vtreat_py.plan.options import DesignOptions, function_name
from vtreat_py.plan.range_statistics import RangeStatistics
from vtreat_py.plan.treatments import LevelTreatment, NumericTreatment, TextTreatment
from vtreat_py.plan.variables import DerivedVariable

PRESENT, ABSENT = "present", "absent"
Values = FloatArray | NDArray[np.object_]


def plan_diff(plan: Plan, other: Plan) -> pd.DataFrame:
    """List what differs; see `TreatmentPlan.diff`."""
    if type(other) is not type(plan):
        raise OptionTypeError(f"other is of type {type(other).__name__}; give a TreatmentPlan")
    found = _Differences()
    found.walk("", _tree(plan), _tree(other))
    if not found.where and plan != other:
        found.add("order of columns, variables or levels, or rows of the sample", "one", "another")
    columns = {"where": found.where, "self": found.ours, "other": found.theirs}
    return pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})


@dataclass
class _LevelTable:
    """What is known of each level of a column: by name, values in the order of the codes."""

    levels: Levels
    columns: dict[str, Values] = field(default_factory=dict)

    def column(self, name: str) -> Values:
        """Return values that may be unknown."""
        if name in self.columns:
            return self.columns[name]
        return np.full(len(self.levels) + 2, ABSENT, dtype=object)


@dataclass
class _Differences:
    """What was found to differ, in three lists: there may be millions of levels."""

    where: list[str] = field(default_factory=list)
    ours: list[Any] = field(default_factory=list)
    theirs: list[Any] = field(default_factory=list)

    def add(self, where: str, ours: Any, theirs: Any) -> None:
        """Add one."""
        self.where.append(where)
        self.ours.append(ours)
        self.theirs.append(theirs)

    def walk(self, where: str, ours: Any, theirs: Any) -> None:
        """Walk two trees of dicts; what only one of them has is one, whatever is in it."""
        if isinstance(ours, _LevelTable) and isinstance(theirs, _LevelTable):
            self._compare_levels(where, ours, theirs)
        elif isinstance(ours, dict) and isinstance(theirs, dict):
            for key in ours | theirs:
                self.walk(f"{where}{key}", ours.get(key, ABSENT), theirs.get(key, ABSENT))
        elif type(ours) is not type(theirs) or ours != theirs:
            self.add(where, _shown(ours), _shown(theirs))

    def _compare_levels(self, where: str, ours: _LevelTable, theirs: _LevelTable) -> None:
        """Levels that came or went, then what moved, number by number, most first."""
        code = theirs.levels.codes_of_levels(ours.levels)
        is_common = code < theirs.levels.missing
        for level in ours.levels.take(np.flatnonzero(~is_common)).to_list():
            self.add(f"{where}[{level!r}]", PRESENT, ABSENT)
        came = np.delete(np.arange(len(theirs.levels)), code[is_common])
        for level in theirs.levels.take(came).to_list():
            self.add(f"{where}[{level!r}]", ABSENT, PRESENT)
        common = np.flatnonzero(is_common)
        at = np.append(common, [ours.levels.missing, ours.levels.novel])
        their_at = np.append(code[is_common], [theirs.levels.missing, theirs.levels.novel])
        ends = [f"[{level!r}]" for level in ours.levels.take(common).to_list()]
        ends += [".missing", ".pool_or_novel"]
        for name in ours.columns | theirs.columns:
            one, other = ours.column(name)[at], theirs.column(name)[their_at]
            moved = np.flatnonzero(one != other)
            one, other = one[moved], other[moved]
            paths = np.array([f"{where}{ends[i]}{name}" for i in moved.tolist()], dtype=object)
            order = _most_first(one, other)
            self.where += paths[order].tolist()
            self.ours += one[order].tolist()
            self.theirs += other[order].tolist()


def _shown(value: Any) -> Any:
    return PRESENT if isinstance(value, dict | _LevelTable) else value


def _most_first(ours: Values, theirs: Values) -> IntArray:
    """Put numbers that moved most first; others stay in their order."""
    if object in (ours.dtype, theirs.dtype):
        return np.arange(len(ours))
    with np.errstate(over="ignore"):
        return np.argsort(-np.abs(ours - theirs), kind="stable")


def _tree(plan: Plan) -> dict[str, Any]:
    """A plan by the paths of its parts; columns, variables and levels go by name."""
    plain = ("outcome_type", "outcome_name", "target", "classes", "note", "n_rows", "version")
    tree = {name: getattr(plan, name) for name in plain}
    tree["options"] = _options_tree(plan.options)
    if plan.scoring is not None:
        tree["scoring"] = {f".{name}": value for name, value in vars(plan.scoring).items()}
    if plan.privacy is not None:
        tree["privacy"] = {f".{name}": value for name, value in vars(plan.privacy).items()}
    treatments = {t.column: t for t in plan.treatments}
    statistics = {s.column: s for s in plan.level_statistics}
    reasons = dict(plan.unused)
    dates = {one.name: one for one in calendar_parts(plan.made)}
    joint = {one.name: one for one in joint_columns(plan.made)}
    for column in plan.variables:
        known: dict[str, Any] = {".unused": reasons[column]} if column in reasons else {}
        if column in dates:
            known |= {".part": dates[column].part, ".zone": dates[column].zone}
        if column in joint:
            known[".nested"] = joint[column].nested
            for part in joint[column].parts:
                known |= {f".made_of[{_quoted(part.column)}]": (part.kind, *part.edges)}
        if column in treatments:
            known |= _treatment_tree(treatments[column])
        if column in statistics:
            _add_statistics(known, statistics[column])
        tree[f"columns[{_quoted(column)}]"] = known
    for one in plan.dropped:
        of_code = f".dropped.{one.code}{_of_class(one.target)}"
        tree[f"columns[{_quoted(one.column)}]"] |= {
            f"{of_code}.{name}": getattr(one, name) for name in ("sig", "n_tests")
        }
    return tree


def _quoted(name: Hashable) -> str:
    """A name, alike whether numpy or Python holds it: the two are one name."""
    return repr(name.item() if isinstance(name, np.generic) else name)


def _options_tree(options: DesignOptions) -> dict[str, Any]:
    tree = {f".{name}": value for name, value in vars(options).items()}
    tree[".imputation"] = function_name(options.imputation) or options.imputation
    tree[".imputation_map"] = {
        f"[{_quoted(column)}]": function_name(one) or one
        for column, one in options.imputation_map.items()
    }
    tree[".custom_coders"] = {
        f"[{name!r}]": {".kind": coder.kind, ".function": function_name(coder.function)}
        | {f".{part}": value for part, value in vars(coder).items() if part != "function"}
        for name, coder in options.custom_coders.items()
    }
    return tree


def _treatment_tree(treatment: NumericTreatment | LevelTreatment) -> dict[str, Any]:
    tree: dict[str, Any] = {".kind": treatment.kind}
    if isinstance(treatment, NumericTreatment):
        profile = treatment.profile
        tree |= {f".{name}": getattr(treatment, name) for name in ("imputed", "lower", "upper")}
        if profile is not None:
            tree |= {f".{name}": getattr(profile, name) for name in ("low", "high", "bad_share")}
            tree |= {f".{name}": getattr(profile, name).tolist() for name in ("edges", "counts")}
        if treatment.by_range is not None:
            tree |= _ranges_tree(treatment.by_range)
        for one in treatment.ranges:
            of_code = f".{one.code}{_of_class(one.target)}"
            tree[f"{of_code}.edges"] = one.edges.tolist()
            tree[f"{of_code}.values"] = one.values.tolist()
        for held in treatment.curves:
            of_code, curve = f".{held.code}{_of_class(held.target)}", held.curve
            tree |= {f"{of_code}.{name}": getattr(curve, name).tolist() for name in ("x", "y")}
            tree |= {f"{of_code}.method": curve.method, f"{of_code}.bad": held.bad}
    for variable in treatment.variables:
        tree[f".variables[{variable.name!r}]"] = _variable_tree(variable)
    if isinstance(treatment, TextTreatment):
        tree[".mark"] = treatment.mark
    if isinstance(treatment, LevelTreatment):
        tree[".levels"] = _LevelTable(treatment.levels)
        columns = tree[".levels"].columns
        for part in treatment.parts:
            of_class = _of_class(part.target)
            columns[f".taken_for{of_class}"] = _taken_for(part.slots)
            columns |= {f".{code}{of_class}": table for code, table in part.tables.items()}
            for code, weights in part.texts.items():
                tree[f".{code}{of_class}.weights"] = weights.tolist()
            for code, effects in part.sums.items():
                for number, effect in enumerate(effects):
                    tree[f".{code}{of_class}.effects[{number}]"] = effect.tolist()
        for number, key in enumerate(treatment.keys):
            tree[f".keys[{number}]"] = key.to_list()
    return tree


def _ranges_tree(seen: RangeStatistics) -> dict[str, Any]:
    """What was seen of the outcome in each range."""
    tree: dict[str, Any] = {".by_range.count": seen.count.tolist()}
    for outcome in seen.outcomes:
        of_class = _of_class(outcome.target)
        tree[f".by_range.mean{of_class}"] = outcome.mean.tolist()
        if outcome.within is not None:
            tree[f".by_range.within{of_class}"] = outcome.within.tolist()
    return tree


def _variable_tree(variable: DerivedVariable) -> dict[str, Any]:
    apart = ("name", "orig_variable", "slot", "scores")
    names = [one.name for one in fields(variable) if one.name not in apart]
    tree = {f".{name}": getattr(variable, name) for name in names}
    for score in variable.scores:
        tree[f".rsq{_of_class(score.target)}"] = score.rsq
        tree[f".sig{_of_class(score.target)}"] = score.sig
    return tree


def _add_statistics(tree: dict[str, Any], statistics: LevelStatistics) -> None:
    """Add what was seen of the outcome; an effect is an impact code, derived or not."""
    columns = tree.setdefault(".levels", _LevelTable(statistics.levels)).columns
    columns[".count"] = statistics.count
    for outcome in statistics.outcomes:
        of_class = _of_class(outcome.target)
        for name in ("overall", "prior_weight", "within"):
            tree[f".{name}{of_class}"] = getattr(outcome, name)
        columns[f".mean{of_class}"] = outcome.mean
        if outcome.worth is not None:
            columns[f".worth{of_class}"] = outcome.worth
        columns[f".{outcome.code.name}{of_class}"] = outcome.effect
        columns[f".taken_for{of_class}"] = _taken_for(outcome.slots)


def _taken_for(slots: IntArray) -> NDArray[np.object_]:
    words = np.array(["itself", "the pool", "nothing"], dtype=object)
    return words[np.where(slots == len(slots) - 1, 1, np.where(slots == -1, 2, 0))]


def _of_class(target: Any) -> str:
    return "" if target is None else f"[{target!r}]"
