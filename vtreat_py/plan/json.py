"""A plan as JSON: the schema, version 1. `vignettes/plan_json.md` describes it for readers."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable
from dataclasses import fields
from types import SimpleNamespace
from typing import Any, NoReturn, get_args

from vtreat_py.base.errors import PlanFormatError, VtreatError
from vtreat_py.base.files import text_of
from vtreat_py.base.version import __version__
from vtreat_py.coders import codes
from vtreat_py.frames.columns import Kind
from vtreat_py.plan.data import Plan
from vtreat_py.plan.json_checks import check_plan
from vtreat_py.plan.json_schema import (
    Flag,
    ImputerPart,
    LevelsPart,
    Maybe,
    Number,
    Numbers,
    OneOfRecords,
    Pairs,
    Record,
    Several,
    Slots,
    Tables,
    Text,
    Value,
    Whole,
)
from vtreat_py.plan.json_values import described
from vtreat_py.plan.level_statistics import LevelOutcome, LevelStatistics
from vtreat_py.plan.options import (
    CALIBRATED,
    CLASSIC,
    IMPUTERS,
    OUTCOME_TYPES,
    DesignOptions,
)
from vtreat_py.plan.treatments import LevelCodes, LevelTreatment, NumericTreatment, RangeCodes
from vtreat_py.plan.variables import DerivedVariable, OutcomeScore
from vtreat_py.statistics.number_profile import NumberProfile

FORMAT, FORMAT_VERSION = "vtreat_py plan", 1
# Levels of a column are written once, with its treatment; its statistics then have null.
_SHARED = None


def _options(**given: Any) -> DesignOptions:
    try:
        return DesignOptions(**given)
    except VtreatError as reason:
        raise PlanFormatError(f"options: {reason}") from reason


_IMPUTER = ImputerPart(words=IMPUTERS)
OPTIONS = Record(
    _options,
    {
        "min_fraction": Number(),
        "smoothing": Number(words=("auto",)),
        "rare_count": Number(),
        "rare_sig": Maybe(Number()),
        "collar_prob": Number(),
        "coders": Several(Text(codes.names)),
        "cat_scaling": Flag(),
        "imputation": _IMPUTER,
        "imputation_map": Pairs(("column", "imputer"), (Value(), _IMPUTER), dict),
        "significance": Text((CALIBRATED, CLASSIC)),
        "force_split": Flag(),
        "y_dependent_coders": Several(Text(codes.names)),
    },
)
_SCORE = Record(OutcomeScore, {"target": Value(), "rsq": Number(), "sig": Number()})
_VARIABLES = Several(
    Record(
        DerivedVariable,
        {
            "name": Text(),
            "orig_variable": Value(),
            "code": Text(codes.names),
            "level": Value(),
            "slot": Maybe(Whole()),
            "target": Value(),
            "scores": Several(_SCORE),
            "needs_split": Flag(),
            "extra_model_degrees": Number(),
            "slope": Number(),
            "mean": Number(),
        },
    )
)
_NUMERIC = Record(
    NumericTreatment,
    {
        "column": Value(),
        "kind": Text(get_args(Kind)),
        "imputed": Number(),
        "lower": Number(),
        "upper": Number(),
        "variables": _VARIABLES,
        "sample": Text(),
        "profile": Record(
            NumberProfile,
            {
                "low": Number(),
                "high": Number(),
                "bad_share": Number(),
                "edges": Numbers(),
                "counts": Numbers(),
            },
        ),
        "ranges": Several(
            Record(
                RangeCodes,
                {
                    "code": Text(codes.names),
                    "target": Value(),
                    "edges": Numbers(),
                    "values": Numbers(),
                },
            )
        ),
    },
    may_lack=("ranges",),
)
_CODES = Record(
    LevelCodes,
    {
        "target": Value(),
        "slots": Slots(),
        "tables": Tables(codes.names_of_levels),
        "variables": _VARIABLES,
    },
)
_LEVELS = Record(
    LevelTreatment,
    {
        "column": Value(),
        "kind": Text(("levels",)),
        "levels": LevelsPart(),
        "parts": Several(_CODES),
        "sample": Text(),
    },
)
_LEVEL_OUTCOME = Record(
    LevelOutcome,
    {
        "target": Value(),
        "mean": Numbers(),
        "effect": Numbers(),
        "slots": Slots(),
        "overall": Number(),
        "prior_weight": Number(infinite=True),
        "within": Maybe(Number()),
    },
)
_STATISTICS = Record(
    SimpleNamespace,
    {
        "column": Value(),
        "levels": Maybe(LevelsPart()),
        "count": Numbers(),
        "outcomes": Several(_LEVEL_OUTCOME),
    },
)
_PLAN = Record(
    dict,
    {
        "format": Text((FORMAT,)),
        "format_version": Whole(),
        "version": Text(),
        "outcome_type": Text(OUTCOME_TYPES),
        "outcome_name": Value(),
        "target": Value(),
        "classes": Several(Value()),
        "note": Text(),
        "n_rows": Whole(),
        "options": OPTIONS,
        "variables": Several(Value()),
        "unused": Pairs(("column", "reason"), (Value(), Text())),
        "derived": Several(Text()),
        "treatments": Several(
            OneOfRecords("kind", {"levels": _LEVELS} | dict.fromkeys(get_args(Kind), _NUMERIC))
        ),
        "level_statistics": Several(_STATISTICS),
    },
)


def plan_to_json(plan: Plan) -> str:
    """Write a plan as text; see `TreatmentPlan.to_json`."""
    levels = _levels_of(plan.treatments)
    held = {field.name: getattr(plan, field.name) for field in fields(plan)}
    held |= {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "derived": plan.feature_names,
        "level_statistics": [
            SimpleNamespace(
                **vars(s) | {"levels": _SHARED if levels.get(s.column) == s.levels else s.levels}
            )
            for s in plan.level_statistics
        ],
    }
    return json.dumps(_PLAN.to_json(SimpleNamespace(**held), ""), allow_nan=False)


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
    held: dict[str, Any] = _PLAN.from_json(found, "")
    check_plan(held)
    by_name = {v.name: v for t in held["treatments"] for v in t.variables}
    levels = _levels_of(held["treatments"])
    held["derived"] = tuple(by_name[name] for name in held["derived"])
    held["level_statistics"] = tuple(
        LevelStatistics(
            s.column, levels[s.column] if s.levels is _SHARED else s.levels, s.count, s.outcomes
        )
        for s in held["level_statistics"]
    )
    del held["format"], held["format_version"]
    return held


def _levels_of(treatments: tuple[Any, ...]) -> dict[Hashable, Any]:
    return {t.column: t.levels for t in treatments if isinstance(t, LevelTreatment)}


def parsed(text: str) -> Any:
    """Read JSON as strictly as it was written.

    Raises
    ------
    PlanFormatError
    """
    try:
        return json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_no_constant)
    except PlanFormatError:
        raise
    except (ValueError, RecursionError) as reason:
        raise PlanFormatError(
            f"the text is not JSON, or not all of it is there: {reason}"
        ) from reason


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
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
        raise PlanFormatError(f"format_version: expected {newest}, found {described(version)}")
