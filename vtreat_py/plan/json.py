"""A plan as JSON: the schema, version 3; `vignettes/guide/plan_json.md` describes it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any, NoReturn, get_args

from vtreat_py.base.errors import PlanFormatError, VtreatError
from vtreat_py.base.files import text_of
from vtreat_py.base.version import __version__
from vtreat_py.coders import codes
from vtreat_py.coders.code import Code
from vtreat_py.coders.curve import METHODS, Curve
from vtreat_py.coders.custom import ROWS, TABLE, CustomCoder, LevelCoder, NumberCoder, Of
from vtreat_py.coders.prior import BY_LIKELIHOOD
from vtreat_py.frames.calendar import PARTS, CalendarPart
from vtreat_py.frames.columns import Kind
from vtreat_py.frames.joint import JOINT, NAMES, JointColumn, JointPart
from vtreat_py.frames.joint import TEXT as TEXT_KIND
from vtreat_py.plan.data import Plan
from vtreat_py.plan.differential_privacy import DifferentialPrivacy
from vtreat_py.plan.json_arrays import is_long
from vtreat_py.plan.json_checks import check_plan, levels_of
from vtreat_py.plan.json_schema import (
    FLAG,
    IMPUTER,
    LEVELS,
    NUMBERS,
    TEXT,
    VALUE,
    WHOLE,
    Part,
    distinct,
    fields_of,
    maybe,
    number,
    one_of_records,
    pairs,
    pairs_in_order,
    read,
    record,
    several,
    tables,
    text,
)
from vtreat_py.plan.json_values import described
from vtreat_py.plan.level_statistics import LevelOutcome, LevelStatistics
from vtreat_py.plan.options import (
    OUTCOME_TYPES,
    SIGNIFICANCE,
    DesignOptions,
    NamedFunction,
    function_name,
)
from vtreat_py.plan.range_statistics import RangeOutcome, RangeStatistics
from vtreat_py.plan.scoring_only import ScoringOnly
from vtreat_py.plan.training_marks import TrainingMarks
from vtreat_py.plan.treatments import (
    CurveCodes,
    LevelCodes,
    LevelTreatment,
    NumericTreatment,
    RangeCodes,
    TextTreatment,
)
from vtreat_py.plan.variables import DerivedVariable, DroppedCode, OutcomeScore
from vtreat_py.statistics.number_profile import NumberProfile

FORMAT, FORMAT_VERSION = "vtreat_py plan", 3
# Levels of a column are written once, with its treatment; its statistics then have null.
_SHARED: Any = None


def _options(**given: Any) -> DesignOptions:
    try:
        return DesignOptions(**given)
    except VtreatError as reason:
        raise PlanFormatError(f"options: {reason}") from reason


def _text_treatment(**given: Any) -> TextTreatment:
    del given["kind"]
    return TextTreatment.of(**given)


def _curve(**given: Any) -> Curve:
    try:
        return Curve(**given)
    except VtreatError as reason:
        raise PlanFormatError(f"treatments: {reason}") from reason


def _coder(kind: str, function: NamedFunction, of: Of = ROWS, center: bool = False) -> CustomCoder:
    if kind == NumberCoder.kind:
        return NumberCoder(function, center=center)
    return LevelCoder(function, of=of, center=center)


_FUNCTION = Part(
    lambda value, _: function_name(value),
    lambda found, where: NamedFunction(TEXT.from_json(found, where)),
)
_CODER = {
    "kind": text((LevelCoder.kind, NumberCoder.kind)),
    "function": _FUNCTION,
    "center": FLAG,
}
_CUSTOM = pairs(
    dict,
    name=TEXT,
    coder=one_of_records(
        "kind",
        {
            LevelCoder.kind: record(_coder, **_CODER, of=text((ROWS, TABLE))),
            NumberCoder.kind: record(_coder, **_CODER),
        },
    ),
)
_UNBOUNDED = number(infinite=True)
_OUTCOME = fields_of(
    LevelOutcome, prior_weight=_UNBOUNDED, within=maybe(_UNBOUNDED), worth=maybe(NUMBERS)
)
_STATISTICS = fields_of(
    LevelStatistics,
    levels=maybe(LEVELS),
    rows=maybe(NUMBERS),
    outcomes=several(record(LevelOutcome, ("per_exposure", "worth"), **_OUTCOME)),
)

_BY_RANGE = record(
    RangeStatistics,
    **fields_of(
        RangeStatistics,
        outcomes=several(record(RangeOutcome, **fields_of(RangeOutcome, within=maybe(NUMBERS)))),
    ),
)


_SCORING = record(
    ScoringOnly,
    ("unscaled", "uncut", "renewed"),
    min_rows=WHOLE,
    unscaled=several(TEXT),
    uncut=several(VALUE),
    renewed=several(TEXT),
)


def _privacy(**given: Any) -> DifferentialPrivacy:
    try:
        return DifferentialPrivacy(**given)
    except VtreatError as reason:
        raise PlanFormatError(f"privacy: {reason}") from reason


_RANGE = several(number())
_PRIVACY = record(
    _privacy,
    ("outcome_range", "number_ranges"),
    epsilon=number(),
    delta=number(),
    outcome_range=_RANGE,
    number_ranges=pairs(dict, column=VALUE, range=_RANGE),
)


def _options_with(names: Sequence[str] | Callable[[], Sequence[str]]) -> Part:
    """Describe options, in a plan of codes of these names."""
    return record(
        _options,
        {"categorical": (), "missing_values": (), "quantile": 0.5, "custom_coders": ()},
        **fields_of(
            DesignOptions,
            smoothing=number(BY_LIKELIHOOD),
            coders=several(text(names)),
            imputation=IMPUTER,
            imputation_map=pairs(dict, column=VALUE, imputer=IMPUTER),
            significance=text(SIGNIFICANCE),
            y_dependent_coders=several(text(names)),
            categorical=distinct(several(VALUE)),
            missing_values=several(TEXT),
            custom_coders=_CUSTOM,
        ),
    )


def _plan_with(own: Sequence[Code] = ()) -> Part:
    """Describe a plan, of the codes that there are and one's own."""
    names, of_levels = codes.names(codes.every(own)), codes.names_of_levels(own)
    score = record(OutcomeScore, **fields_of(OutcomeScore))

    def variable(code: Part) -> Part:
        """Describe a variable of some codes."""
        held = fields_of(DerivedVariable, code=code, scores=several(score))
        return record(DerivedVariable, ("few_events",), **held)

    variables = several(variable(text(names)))
    curve = record(_curve, **fields_of(Curve, method=text(METHODS)))
    numeric = record(
        NumericTreatment,
        ("ranges", "curves", "by_range", "profile"),
        **fields_of(
            NumericTreatment,
            kind=text(get_args(Kind)),
            variables=variables,
            profile=record(NumberProfile, **fields_of(NumberProfile)),
            ranges=several(record(RangeCodes, **fields_of(RangeCodes, code=text(names)))),
            curves=several(
                record(CurveCodes, **fields_of(CurveCodes, code=text(names), curve=curve))
            ),
            by_range=_BY_RANGE,
        ),
    )
    of_target = fields_of(
        LevelCodes,
        tables=tables(of_levels),
        variables=variables,
        texts=tables(codes.names_of_texts()),
        sums=tables(codes.names_of_impact(), several(NUMBERS)),
    )
    levels = record(
        LevelTreatment,
        ("keys",),
        column=VALUE,
        kind=text(("levels",)),
        levels=LEVELS,
        parts=several(record(LevelCodes, ("texts", "sums"), **of_target)),
        sample=TEXT,
        keys=several(LEVELS),
    )
    kept_text = record(
        _text_treatment,
        column=VALUE,
        kind=text(("text",)),
        levels=LEVELS,
        variable=variable(text((codes.KEPT.name,))),
        sample=TEXT,
        mark=TEXT,
    )
    return record(
        dict,
        ("hints", "marks", "dropped", "made", "weighs", "scoring", "privacy"),
        format=text((FORMAT,)),
        format_version=WHOLE,
        version=TEXT,
        outcome_type=text(OUTCOME_TYPES),
        outcome_name=VALUE,
        target=VALUE,
        classes=several(VALUE),
        note=TEXT,
        n_rows=WHOLE,
        options=_options_with(names),
        variables=several(VALUE),
        unused=pairs(column=VALUE, reason=TEXT),
        derived=several(TEXT),
        treatments=several(
            one_of_records(
                "kind",
                {"levels": levels, "text": kept_text} | dict.fromkeys(get_args(Kind), numeric),
            )
        ),
        level_statistics=several(record(LevelStatistics, ("rows",), **_STATISTICS)),
        hints=pairs_in_order(column=VALUE, hint=TEXT),
        made=MADE,
        dropped=several(record(DroppedCode, **fields_of(DroppedCode, code=text(names)))),
        marks=record(TrainingMarks, column=VALUE, keys=several(WHOLE), rows=several(WHOLE)),
        weighs=FLAG,
        scoring=_SCORING,
        privacy=_PRIVACY,
    )


def _calendar_part(**given: Any) -> CalendarPart:
    try:
        return CalendarPart(**given)
    except VtreatError as reason:
        raise PlanFormatError(f"made: {reason}") from reason


_JOINT_PART = record(
    JointPart,
    {"edges": ()},
    column=VALUE,
    kind=text((TEXT_KIND, NAMES, *get_args(Kind))),
    edges=several(number()),
)
# Columns that are made of others: of dates, or of several.
MADE = several(
    one_of_records(
        "kind",
        {
            JOINT: record(
                JointColumn,
                name=VALUE,
                kind=text((JOINT,)),
                parts=several(_JOINT_PART),
                nested=FLAG,
            )
        }
        | dict.fromkeys(
            ("date", "datetime"),
            record(
                _calendar_part,
                **fields_of(CalendarPart, kind=text(("date", "datetime")), part=text(PARTS)),
            ),
        ),
    )
)
# The options of a design without codes of one's own.
OPTIONS = _options_with(codes.names)


def plan_to_json(plan: Plan) -> str:
    """Write a plan as text; see `TreatmentPlan.to_json`."""
    levels = levels_of(plan.treatments)
    held = {field.name: getattr(plan, field.name) for field in fields(plan)}
    held |= {
        "format": FORMAT,
        "format_version": _version_of(plan),
        "derived": plan.feature_names,
        "level_statistics": [
            replace(s, levels=_SHARED) if levels.get(s.column) == s.levels else s
            for s in plan.level_statistics
        ],
    }
    return json.dumps(_plan_with().to_json(SimpleNamespace(**held), ""), allow_nan=False)


def _version_of(plan: Plan) -> int:
    """Tell the format: the first that knows what is in the plan, which older versions read."""
    new_codes = set(plan.options.coders) - set(codes.names(c for c in codes.CODES if c.by_default))
    if new_codes or plan.made or any(isinstance(t, TextTreatment) for t in plan.treatments):
        return FORMAT_VERSION
    if plan.weighs or plan.scoring is not None or plan.privacy is not None:
        return FORMAT_VERSION
    return 2 if any(is_long(s.count) for s in plan.level_statistics) else 1


def plan_from_json(text_or_path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the fields of a plan; see `TreatmentPlan.from_json`."""
    found = parsed(text_of(text_or_path))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        other = found.get("format") if isinstance(found, dict) else found
        raise PlanFormatError(
            f'format: expected "{FORMAT}", found {described(other)}; this is JSON, but no plan '
            "that to_json has written"
        )
    check_version(found, FORMAT_VERSION, "plan")
    held: dict[str, Any] = read(_plan_with(_own_codes(found.get("options"))), found)
    check_plan(held)
    by_name = {v.name: v for t in held["treatments"] for v in t.variables}
    levels = levels_of(held["treatments"])
    held["derived"] = tuple(by_name[name] for name in held["derived"])
    held["level_statistics"] = tuple(
        replace(s, levels=levels[s.column]) if s.levels is _SHARED else s
        for s in held["level_statistics"]
    )
    del held["format"], held["format_version"]
    return held


def _own_codes(options: Any) -> list[Code]:
    """The codes of one's own that options name, which the rest of a plan may be of."""
    if not isinstance(options, dict) or "custom_coders" not in options:
        return []
    coders = read(_CUSTOM, options["custom_coders"], "options.custom_coders")
    return _options(custom_coders=coders).own_codes


def parsed(text: str) -> Any:
    """Read JSON as strictly as it was written."""
    try:
        return json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_no_constant)
    except PlanFormatError:
        raise
    except (ValueError, RecursionError) as reason:
        message = f"the text is not JSON, or not all of it is there: {reason}"
        raise PlanFormatError(message) from reason


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        repeated = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise PlanFormatError(f"the field {repeated!r} is given twice in one object")
    return found


def _no_constant(word: str) -> NoReturn:
    raise PlanFormatError(f"the text is not JSON: {word} is no number of JSON")


def check_version(found: dict[str, Any], newest: int, what: str) -> None:
    """Refuse a format that this version of the package does not know."""
    if "format_version" not in found:
        raise PlanFormatError("format_version is missing")
    version = found["format_version"]
    if type(version) is int and version > newest:
        raise PlanFormatError(
            f"format_version: the {what} is of format {version}, written by vtreat_py "
            f"{found.get('version')}; vtreat_py {__version__} reads formats up to "
            f"{newest}. Upgrade vtreat_py here, or design with this version"
        )
    if type(version) is not int or version < 1:
        raise PlanFormatError(
            f"format_version: expected a whole number, 1 or more, found {described(version)}"
        )
