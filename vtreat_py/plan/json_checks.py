"""Whether the parts of a plan that was read fit together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, ascend
from vtreat_py.base.errors import PlanFormatError, counted, listed
from vtreat_py.base.names import is_itself
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code
from vtreat_py.coders.curve_code import CurveCode
from vtreat_py.coders.ngrams import BUCKETS
from vtreat_py.coders.shape_code import ShapeCode
from vtreat_py.coders.step_code import StepCode
from vtreat_py.frames.calendar import LABELS, CalendarPart
from vtreat_py.frames.joint import BETWEEN, JointColumn, LevelParts
from vtreat_py.frames.levels import Levels
from vtreat_py.frames.made import calendar_parts, joint_columns
from vtreat_py.outcome.reading import GREATEST_NUMBER
from vtreat_py.outcome.weights import GREATEST_WEIGHT, SMALLEST_WEIGHT
from vtreat_py.plan.json_schema import check_distinct
from vtreat_py.plan.level_statistics import LevelOutcome, LevelStatistics
from vtreat_py.plan.range_statistics import RangeStatistics
from vtreat_py.plan.training_marks import KEY_BITS, TrainingMarks
from vtreat_py.plan.treatments import (
    CurveCodes,
    LevelCodes,
    LevelTreatment,
    NumericTreatment,
    RangeCodes,
    TextTreatment,
    Treatment,
)
from vtreat_py.plan.variables import DerivedVariable, DroppedCode
from vtreat_py.statistics.number_profile import NumberProfile

# Rates are between 0 and 1 up to this.
_ROUNDING = 1e-9

# What a plan holds of codes of numbers, beside what it knows of the column.
_HELD: dict[str, tuple[type, ...]] = {"ranges": (StepCode,), "curves": (CurveCode, ShapeCode)}

# Floats can count these.
_MOST_TESTS = 2**53


def check_plan(held: dict[str, Any]) -> None:
    """Check the fields of a plan against each other; an error names the first that is off."""
    _check_classes(held["outcome_type"], held["classes"])
    for part in ("outcome_name", "target", "variables", "classes"):
        if not is_itself(held[part]):
            raise PlanFormatError(f"{part}: a missing value, which does not equal itself")
    check_distinct(held["variables"], "variables")
    for part in ("unused", "treatments", "level_statistics"):
        _check_columns(held, part)
    _check_made(held)
    classes, own = held["classes"], held["options"].own_codes
    _check_scoring(held)
    for i, treatment in enumerate(held["treatments"]):
        _CHECKS[type(treatment)](treatment, classes, own, f"treatments[{i}]")
    levels = levels_of(held["treatments"])
    for i, statistics in enumerate(held["level_statistics"]):
        _check_statistics(statistics, levels, classes, f"level_statistics[{i}]")
    counted_columns = {s.column for s in held["level_statistics"]}
    lacking = [column for column in levels if column not in counted_columns]
    if lacking and not _only_treats(held):
        raise PlanFormatError(
            f"level_statistics: it lacks {listed(lacking)}, which a treatment is of"
        )
    _check_derived(held)
    known = set(held["variables"])
    for i, one in enumerate(held.get("dropped", ())):
        _check_dropped(one, known, classes, f"dropped[{i}]")
    if held.get("marks") is not None:
        _check_marks(held["marks"], held["treatments"], held["n_rows"])


def _only_treats(held: dict[str, Any]) -> bool:
    """Whether a plan holds nothing of what was seen of rows."""
    return held.get("scoring") is not None or held.get("privacy") is not None


def _check_scoring(held: dict[str, Any]) -> None:
    """A plan that only treats rows holds nothing of what was seen of them; all others do."""
    numbers = [t for t in held["treatments"] if isinstance(t, NumericTreatment)]
    if not _only_treats(held):
        for i, treatment in enumerate(held["treatments"]):
            if isinstance(treatment, NumericTreatment) and treatment.profile is None:
                raise PlanFormatError(f"treatments[{i}].profile is missing")
        return
    if any(t.profile is not None or t.by_range is not None for t in numbers):
        raise PlanFormatError("treatments: a plan that only treats rows has no profiles of numbers")
    for part in ("level_statistics", "hints", "marks"):
        if held.get(part):
            raise PlanFormatError(f"{part}: a plan that only treats rows has none")
    scoring = held.get("scoring")
    if scoring is None:
        return
    if scoring.min_rows < 1:
        raise PlanFormatError("scoring.min_rows: expected 1 or more, found 0")
    derived, columns = set(held["derived"]), {t.column for t in held["treatments"]}
    for part, known in (("unscaled", derived), ("uncut", columns), ("renewed", derived)):
        found = getattr(scoring, part)
        check_distinct(found, f"scoring.{part}")
        unknown = [one for one in found if one not in known]
        if unknown:
            raise PlanFormatError(f"scoring.{part}: {unknown[0]!r} is not in the plan")


def _check_made(held: dict[str, Any]) -> None:
    """Columns that are made of others are treated as levels, of dates as the calendar has them."""
    made = {one.name: one for one in held.get("made", ())}
    dates = {one.name: one for one in calendar_parts(made.values())}
    check_distinct([one.name for one in held.get("made", ())], "made")
    joint = {one.name: one for one in joint_columns(made.values())}
    pairs = {name for name, one in joint.items() if not one.nested}
    known = set(held["variables"])
    for i, one in enumerate(made.values()):
        if one.name not in known:
            raise PlanFormatError(f"made[{i}].name: {one.name!r} is not among the variables")
        if isinstance(one, CalendarPart):
            if one.column in made or not is_itself(one.column):
                raise PlanFormatError(f"made[{i}].column: {one.column!r} is no column of a frame")
        else:
            _check_joint(one, pairs, f"made[{i}]")
    for i, treatment in enumerate(held["treatments"]):
        if isinstance(treatment, LevelTreatment) and (treatment.keys or treatment.column in joint):
            made_of, scores = joint.get(treatment.column), bool(held.get("scoring"))
            _check_keys(treatment, made_of, f"treatments[{i}]", of_more_levels=scores)
        if treatment.column in joint and type(treatment) is not LevelTreatment:
            raise PlanFormatError(
                f"treatments[{i}]: {treatment.column!r} is made of several columns; it is treated "
                "as levels"
            )
        if treatment.column not in dates:
            continue
        labels = LABELS[dates[treatment.column].part]
        if type(treatment) is not LevelTreatment or set(treatment.levels.to_list()) - {*labels}:
            raise PlanFormatError(
                f"treatments[{i}]: {treatment.column!r} is made of dates; it is treated as levels, "
                f"some of {listed(list(dict.fromkeys(labels)))}"
            )


def _check_joint(one: JointColumn, pairs: set[Hashable], where: str) -> None:
    check_distinct(one.columns, f"{where}.parts")
    if len(one.parts) < 2:
        raise PlanFormatError(f"{where}.parts: expected two or more, found {len(one.parts)}")
    if one.nested != (one.name == one.columns[-1]):
        raise PlanFormatError(
            f"{where}.name: {one.name!r}; a nested column has the name of its last part, and no "
            "other has that of a part"
        )
    for k, part in enumerate(one.parts):
        if not is_itself(part.column) or (part.column in pairs and not one.nested):
            raise PlanFormatError(f"{where}.parts[{k}].column: {part.column!r} is no column")
        if one.nested and part.is_cut:
            raise PlanFormatError(f"{where}.parts[{k}].kind: numbers are inside nothing")
        if not ascend(np.array(part.edges)) or bool(part.edges) != part.is_cut:
            raise PlanFormatError(
                f"{where}.parts[{k}].edges: expected ascending numbers, of parts that are numbers"
            )


def _check_keys(
    treatment: LevelTreatment, joint: JointColumn | None, where: str, *, of_more_levels: bool
) -> None:
    """Keys are those of the parts of the levels; or of more, of which some are not told."""
    expected = 0 if joint is None else len(joint.parts) - joint.nested
    if joint is None or len(treatment.keys) != expected:
        raise PlanFormatError(f"{where}.keys: expected {expected}, found {len(treatment.keys)}")
    parts = len(joint.parts)
    levels = treatment.levels.to_list()
    off = [v for v in levels if not isinstance(v, str) or v.count(BETWEEN) != parts - 1]
    if off:
        raise PlanFormatError(f"{where}.levels: {off[0]!r} has not {parts} parts")
    for number, (key, of) in enumerate(
        zip(treatment.keys, LevelParts.of(treatment.levels, joint).keys, strict=True)
    ):
        unknown = key.codes_of_levels(of) == key.novel if of_more_levels else key != of
        if np.any(unknown):
            raise PlanFormatError(f"{where}.keys[{number}]: they are not those of the levels")
    impact = set(codes.names_of_impact())
    for i, part in enumerate(treatment.parts):
        if set(part.sums) != {v.code for v in part.variables} & impact:
            raise PlanFormatError(f"{where}.parts[{i}].sums: expected those of impact codes")
        for code, sums in part.sums.items():
            at = f"{where}.parts[{i}].sums.{code}"
            if len(sums) != 1 + len(treatment.keys):
                raise PlanFormatError(f"{at}: expected {1 + len(treatment.keys)} arrays")
            base, *effects = sums
            _check_length(base, 1, "one number", f"{at}[0]")
            for number, (effect, key) in enumerate(zip(effects, treatment.keys, strict=True)):
                _check_length(effect, len(key), "one a key", f"{at}[{number + 1}]")


def _check_dropped(
    one: DroppedCode, known: set[Hashable], classes: tuple[Any, ...], where: str
) -> None:
    if one.column not in known:
        raise PlanFormatError(f"{where}.column: {one.column!r} is not among the variables")
    _check_target(one.target, classes, f"{where}.target")
    if not 0.0 <= one.sig <= 1.0:
        raise PlanFormatError(f"{where}.sig: expected a p-value from 0 to 1, found {one.sig!r}")
    if not 1 <= one.n_tests <= _MOST_TESTS:
        raise PlanFormatError(f"{where}.n_tests: expected 1 to {_MOST_TESTS}, found {one.n_tests}")


def _check_marks(marks: TrainingMarks, treatments: tuple[Treatment, ...], n_rows: int) -> None:
    if n_rows < 1:
        raise PlanFormatError("n_rows: expected 1 or more, as rows are marked, found 0")
    if marks.column not in [t.column for t in treatments]:
        raise PlanFormatError(f"marks.column: {marks.column!r} is not treated")
    wrong = [key for key in (*marks.keys, *marks.rows) if not 0 <= key < 2**KEY_BITS]
    if wrong:
        raise PlanFormatError(
            f"marks: expected whole numbers below 2**{KEY_BITS}, found {wrong[:1]}"
        )


def levels_of(treatments: tuple[Treatment, ...]) -> dict[Hashable, Levels]:
    """Return the levels of each categorical column."""
    return {t.column: t.levels for t in treatments if isinstance(t, LevelTreatment)}


def _check_classes(outcome_type: str, classes: tuple[Any, ...]) -> None:
    check_distinct(classes, "classes")
    if (outcome_type == "multinomial") != (len(classes) > 1) or len(classes) == 1:
        raise PlanFormatError(
            f"classes: a list of {len(classes)} does not go with a {outcome_type} outcome; "
            "a multinomial one has two classes or more, all others none"
        )


def _check_columns(held: dict[str, Any], part: str) -> None:
    columns = [one[0] if part == "unused" else one.column for one in held[part]]
    check_distinct(columns, part)
    known, unused = set(held["variables"]), dict(held["unused"])
    # A shape, or a code of a coder of one's own, may not be made, but others of the column.
    asked = held["options"].coders or ()
    shapes = [one for one in codes.every() if isinstance(one, ShapeCode) and one.name in asked]
    some_declined = bool(held["options"].custom_coders or shapes or _only_treats(held))
    for i, column in enumerate(columns):
        if column not in known:
            raise PlanFormatError(f"{part}[{i}].column: {column!r} is not among the variables")
        if part == "treatments" and column in unused and not some_declined:
            raise PlanFormatError(f"treatments[{i}].column: {column!r} is listed as unused, too")


def _check_numbers(
    treatment: NumericTreatment, classes: tuple[Any, ...], own: Sequence[Code], where: str
) -> None:
    if treatment.lower > treatment.upper:
        raise PlanFormatError(f"{where}.lower: it is greater than upper")
    if treatment.profile is not None:
        _check_profile(treatment.profile, f"{where}.profile")
    if treatment.by_range is not None:
        _check_by_range(treatment.by_range, treatment.spread, classes, f"{where}.by_range")
    if not treatment.variables:
        raise PlanFormatError(f"{where}.variables is empty")
    check_distinct([(v.code, v.target) for v in treatment.variables], f"{where}.variables")
    for i, ranges in enumerate(treatment.ranges):
        place = f"{where}.ranges[{i}]"
        _check_target(ranges.target, classes, f"{place}.target")
        if not ascend(ranges.edges):
            raise PlanFormatError(f"{place}.edges: expected ascending numbers")
        _check_length(
            ranges.values, len(ranges.edges) + 2, "two more than edges", f"{place}.values"
        )
    for i, curve in enumerate(treatment.curves):
        _check_target(curve.target, classes, f"{where}.curves[{i}].target")
    left = {name: _by_code(getattr(treatment, name), f"{where}.{name}") for name in _HELD}
    for i, variable in enumerate(treatment.variables):
        place, code = f"{where}.variables[{i}]", codes.named(variable.code, own)
        if code.reads != "numbers":
            raise PlanFormatError(
                f"{place}.code: {variable.code!r} is a code of levels, but the column holds numbers"
            )
        target = None
        for name, kind in _HELD.items():
            has_some = (variable.code, variable.target) in left[name]
            if isinstance(code, kind) != has_some:
                found = name if has_some else f"no {name}"
                raise PlanFormatError(f"{place}.code: there are {found} of {variable.code!r}")
            left[name].discard((variable.code, variable.target))
            target = variable.target if has_some else target
        _expect(variable.level, None, f"{place}.level")
        _expect(variable.slot, None, f"{place}.slot")
        _check_variable(variable, treatment.column, target, classes, place)
    for name, without in left.items():
        if without:
            raise PlanFormatError(
                f"{where}.{name}: there is no variable of {next(iter(without))!r}"
            )


def _by_code(held: Sequence[RangeCodes | CurveCodes], where: str) -> set[tuple[str, Any]]:
    each = [(one.code, one.target) for one in held]
    check_distinct(each, where)
    return set(each)


def _check_profile(profile: NumberProfile, where: str) -> None:
    edges, counts = profile.edges, profile.counts
    if profile.low > profile.high:
        raise PlanFormatError(f"{where}.low: it is greater than high")
    if not 0.0 <= profile.bad_share < 1.0:
        raise PlanFormatError(
            f"{where}.bad_share: expected a share below 1, found {profile.bad_share!r}"
        )
    if not ascend(np.concatenate([[-np.inf], edges, [profile.high]])):
        raise PlanFormatError(f"{where}.edges: expected ascending numbers, all below high")
    _check_length(counts, len(edges) + 1, "one more than edges", f"{where}.counts")
    if not (counts > 0).all():
        least = float(counts.min())
        raise PlanFormatError(f"{where}.counts: expected weights above 0, found {least!r}")
    _check_weights(counts, f"{where}.counts")


def _check_by_range(
    seen: RangeStatistics, profile: NumberProfile, classes: tuple[Any, ...], where: str
) -> None:
    length, why = len(profile.edges) + 2, "two more than edges of the profile"
    _check_length(seen.count, length, why, f"{where}.count")
    _check_seen(seen.count, f"{where}.count")
    _check_targets([one.target for one in seen.outcomes], classes, f"{where}.outcomes")
    for i, outcome in enumerate(seen.outcomes):
        place = f"{where}.outcomes[{i}]"
        _check_length(outcome.mean, length, why, f"{place}.mean")
        _check_means(outcome.mean, f"{place}.mean", is_rate=outcome.within is None)
        if outcome.within is not None:
            _check_length(outcome.within, length, why, f"{place}.within")
            _check_variances(outcome.within, f"{place}.within")


def _check_levels(
    treatment: LevelTreatment, classes: tuple[Any, ...], own: Sequence[Code], where: str
) -> None:
    check_distinct([part.target for part in treatment.parts], f"{where}.parts")
    if not treatment.variables:
        raise PlanFormatError(f"{where}.parts has no variables")
    for i, part in enumerate(treatment.parts):
        place = f"{where}.parts[{i}]"
        _check_target(part.target, classes, f"{place}.target")
        _check_by_level(part.slots, treatment.levels, f"{place}.slots")
        for code, table in part.tables.items():
            _check_by_level(table, treatment.levels, f"{place}.tables.{code}")
        if part.sums and not treatment.keys:
            raise PlanFormatError(f"{place}.sums: there are no keys that they are of")
        for code, weights in part.texts.items():
            _check_length(weights, BUCKETS + 1, "one and one a place", f"{place}.texts.{code}")
        for j, variable in enumerate(part.variables):
            at = f"{place}.variables[{j}]"
            _check_code(variable, part, treatment.levels, own, at)
            _check_variable(variable, treatment.column, part.target, classes, at)


def _check_text(
    treatment: TextTreatment, classes: tuple[Any, ...], _: Sequence[Code], where: str
) -> None:
    place, variable = f"{where}.variable", treatment.variable
    _expect(variable.level, None, f"{place}.level")
    _expect(variable.slot, None, f"{place}.slot")
    _check_variable(variable, treatment.column, None, classes, place)
    if treatment.holds_mark:
        raise PlanFormatError(f"{where}.mark: {treatment.mark!r} is a level, too")


_CHECKS: dict[type, Callable[..., None]] = {
    NumericTreatment: _check_numbers,
    LevelTreatment: _check_levels,
    TextTreatment: _check_text,
}


def _check_code(
    variable: DerivedVariable, part: LevelCodes, levels: Levels, own: Sequence[Code], where: str
) -> None:
    code = codes.named(variable.code, own)
    if code.reads != "levels":
        raise PlanFormatError(
            f"{where}.code: {variable.code!r} is a code of numbers, but the column holds levels"
        )
    if code.is_table:
        if variable.code not in part.tables:
            raise PlanFormatError(f"{where}.code: there is no table of {variable.code!r}")
        reads_text = variable.code in codes.names_of_texts()
        if reads_text != (variable.code in part.texts):
            found = "no weights" if reads_text else "weights"
            raise PlanFormatError(f"{where}.code: there are {found} of texts of {variable.code!r}")
        _expect(variable.slot, None, f"{where}.slot")
        _expect(variable.level, None, f"{where}.level")
        return
    if variable.slot is None or variable.slot > levels.novel:
        raise PlanFormatError(
            f"{where}.slot: expected a code of one of {counted(len(levels), 'level')}, of missing "
            f"values or the pool (up to {levels.novel}), found {variable.slot}"
        )
    level = levels[variable.slot] if variable.slot < len(levels) else None
    _expect(variable.level, level, f"{where}.level")


def _check_variable(
    variable: DerivedVariable, column: Any, target: Any, classes: tuple[Any, ...], where: str
) -> None:
    """Check what holds for the derived variables of all columns."""
    _expect(variable.orig_variable, column, f"{where}.orig_variable")
    _expect(variable.target, target, f"{where}.target")
    expected = [target] if target is not None or not classes else list(classes)
    found = [score.target for score in variable.scores]
    if found != expected:
        raise PlanFormatError(
            f"{where}.scores: expected scores for {listed(expected)}, found {listed(found)}"
        )
    for i, score in enumerate(variable.scores):
        if not 0.0 <= score.sig <= 1.0:
            raise PlanFormatError(
                f"{where}.scores[{i}].sig: expected a probability, found {score.sig!r}"
            )


def _check_statistics(
    statistics: LevelStatistics,
    of_treatments: dict[Hashable, Levels],
    classes: tuple[Any, ...],
    where: str,
) -> None:
    levels: Levels | None = statistics.levels  # None stands for those of the treatment
    if levels is None:
        levels = of_treatments.get(statistics.column)
    if levels is None:
        raise PlanFormatError(
            f"{where}.levels: expected a list, found null, which stands for the levels of the "
            "column's treatment; there is no such treatment"
        )
    if levels != of_treatments.get(statistics.column, levels):
        raise PlanFormatError(f"{where}.levels: they are not those of the column's treatment")
    _check_by_level(statistics.count, levels, f"{where}.count")
    _check_seen(statistics.count, f"{where}.count")
    if statistics.rows is not None:
        _check_by_level(statistics.rows, levels, f"{where}.rows")
        _check_seen(statistics.rows, f"{where}.rows")
    if statistics.outcomes:
        _check_targets([one.target for one in statistics.outcomes], classes, f"{where}.outcomes")
    for i, outcome in enumerate(statistics.outcomes):
        place = f"{where}.outcomes[{i}]"
        for name in ("prior_weight", "within"):
            value = getattr(outcome, name)
            if value is not None and not value >= 0:
                raise PlanFormatError(f"{place}.{name}: expected 0 or more, found {value!r}")
        is_rate, overall = outcome.within is None, np.array([outcome.overall])
        if outcome.within is not None and np.isfinite(outcome.within):
            _check_variances(np.array([outcome.within]), f"{place}.within")
        _check_means(overall, f"{place}.overall", is_rate=is_rate)
        _check_means(outcome.mean, f"{place}.mean", is_rate=is_rate)
        for name in ("mean", "effect", "slots"):
            _check_by_level(getattr(outcome, name), levels, f"{place}.{name}")
        if outcome.per_exposure:
            _check_rates(outcome, place)
        if outcome.worth is not None:
            _check_by_level(outcome.worth, levels, f"{place}.worth")
            _check_worth(outcome.worth, statistics.count, f"{place}.worth")


def _check_seen(count: FloatArray, where: str) -> None:
    """Some rows were seen, of missing values perhaps none."""
    if not (count >= 0).all() or not count[:-1].any():
        raise PlanFormatError(f"{where}: expected weights, 0 or more, and one above 0")
    _check_weights(count[count > 0], where)


def _check_worth(worth: FloatArray, count: FloatArray, where: str) -> None:
    """Rows of groups are worth no more rows than they are, and some if there are any."""
    off = np.flatnonzero(~((worth <= count * (1.0 + _ROUNDING)) & ((worth > 0) == (count > 0))))
    if len(off):
        raise PlanFormatError(
            f"{where}: expected as much as count, or less, and more than 0 where that is, found "
            f"{float(worth[off[0]])!r} of {float(count[off[0]])!r}"
        )
    _check_weights(worth[worth > 0], where)


def _check_targets(found: list[Any], classes: tuple[Any, ...], where: str) -> None:
    """The outcome was seen of each class, or there are none."""
    expected = list(classes) or [None]
    if found != expected:
        raise PlanFormatError(
            f"{where}: expected outcomes for {listed(expected)}, found {listed(found)}"
        )


def _check_means(values: FloatArray, where: str, *, is_rate: bool) -> None:
    """Means of numbers are such as a design takes; those of a class are rates, but for rounding."""
    least, most, what = -GREATEST_NUMBER, GREATEST_NUMBER, "a number that can be squared"
    if is_rate:
        least, most, what = -_ROUNDING, 1.0 + _ROUNDING, "the rate of a class"
    off = np.flatnonzero(~((least <= values) & (values <= most)))
    if len(off):
        raise PlanFormatError(f"{where}: expected {what}, found {float(values[off[0]])!r}")


def _check_rates(outcome: LevelOutcome, where: str) -> None:
    """Rates are 0 or more, but for rounding, and that of all rows is above it."""
    if not outcome.overall > 0:
        raise PlanFormatError(f"{where}.overall: expected a rate above 0, found {outcome.overall}")
    off = outcome.mean < -_ROUNDING * outcome.overall
    if off.any():
        found = float(outcome.mean[off][0])
        raise PlanFormatError(f"{where}.mean: expected rates, found {found!r}")


def _check_variances(values: FloatArray, where: str) -> None:
    off = np.flatnonzero(~((values >= 0) & (values <= GREATEST_NUMBER**2)))
    if len(off):
        raise PlanFormatError(f"{where}: {float(values[off[0]])!r} is no variance of such numbers")


def _check_derived(held: dict[str, Any]) -> None:
    names = [v.name for t in held["treatments"] for v in t.variables]
    derived, named = set(held["derived"]), set(names)
    check_distinct(names, "treatments: names of variables")
    check_distinct(held["derived"], "derived")
    for i, name in enumerate(held["derived"]):
        if name not in named:
            raise PlanFormatError(f"derived[{i}]: no treatment has a variable {name!r}")
    lacking = [name for name in names if name not in derived]
    if lacking:
        raise PlanFormatError(f"derived: it lacks {listed(lacking)}, which a treatment has")


def _check_target(target: Any, classes: tuple[Any, ...], where: str) -> None:
    if target is not None and target not in classes:
        raise PlanFormatError(f"{where}: {target!r} is not among the classes {listed(classes)}")


def _check_by_level(array: np.ndarray[Any, Any], levels: Levels, where: str) -> None:
    why = f"for {counted(len(levels), 'level')}, missing values and the pool"
    _check_length(array, len(levels) + 2, why, where)


def _check_length(array: np.ndarray[Any, Any], length: int, why: str, where: str) -> None:
    if len(array) != length:
        raise PlanFormatError(f"{where}: expected {length} entries, {why}, found {len(array)}")


def _check_weights(weight: FloatArray, where: str) -> None:
    beyond = weight[(weight < SMALLEST_WEIGHT) | (weight > GREATEST_WEIGHT)]
    if len(beyond):
        raise PlanFormatError(
            f"{where}: expected weights from {SMALLEST_WEIGHT:g} to {GREATEST_WEIGHT:g}, found "
            f"{beyond[0]:g}"
        )


def _expect(found: Any, expected: Any, where: str) -> None:
    if found != expected:
        raise PlanFormatError(f"{where}: expected {expected!r}, found {found!r}")
