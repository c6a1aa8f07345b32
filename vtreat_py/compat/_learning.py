"""From a training frame to what a treatment learns: the steps, in the order they are taken."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.api.design import cross_frame_experiment, design_treatments
from vtreat_py.api.experiment import CrossFrameExperiment
from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.names import NameRegister
from vtreat_py.base.warn import warn
from vtreat_py.compat._codes import CODE_OF_TREATMENT, name_variables
from vtreat_py.compat._extra_columns import Claim, Extra, Pairs, fit_transform_of_user, mark_missing
from vtreat_py.compat._frames import extended, holds_levels, is_identifier
from vtreat_py.compat._learned import Learned
from vtreat_py.compat._parameters import OF_THIS_PACKAGE, native_imputer
from vtreat_py.compat._scores import score_frame, unsupervised_score_frame
from vtreat_py.compat.cross_plan import index_pairs
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.options import OutcomeType


@dataclass(frozen=True, eq=False)
class Request:
    """The arguments of a treatment, and its training data; ``y`` has the outcome's values."""

    source: InputFrame
    outcome_type: OutcomeType
    y: Any
    outcome: Any
    weight: Any
    var_list: Iterable[Hashable] | None
    cols_to_copy: Iterable[Hashable] | None
    params: Mapping[str, Any]
    imputation_map: Mapping[Hashable, Any] | None
    outcome_name: Hashable | None = None
    outcome_target: Any = None

    @property
    def supervised(self) -> bool:
        """Whether there is an outcome."""
        return self.outcome_type != "unsupervised"


def learn(request: Request) -> tuple[Learned, Any]:
    """Learn a plan; its variables for the training rows come with it, out of fold."""
    source, params = request.source, request.params
    copied = _names("cols_to_copy", request.cols_to_copy)
    variables = _without_identifiers(source, _choose_variables(request, copied))
    register = NameRegister(map(str, [*source.columns, request.outcome_name, *copied]))
    folds = _split(request)
    pairs = [] if folds is None else index_pairs(folds, source.n_rows)
    extra, added = _extra_columns(request, variables, pairs, register.claim)
    experiment, plan = _design(request, extended(source, variables, added), variables, pairs)
    added_columns = [column for one in extra for column in one.columns]
    named = name_variables(plan, added_columns, params, register)
    crossed = None if experiment is None else experiment.cross_frame
    if experiment is None:
        scores = unsupervised_score_frame(named)
    else:
        y = request.y[np.sort(np.concatenate([app for _, app in pairs]))]
        scores = score_frame(plan, named, crossed, y, experiment.cross_weights)
    learned = Learned(
        plan,
        tuple(variables),
        tuple(extra),
        tuple(named),
        scores,
        _kept(copied, request.outcome_name),
        folds if params.get("retain_cross_plan") else None,
    )
    return learned, crossed


def _kept(copied: Sequence[Hashable], outcome_name: Hashable | None) -> tuple[Hashable, ...]:
    """Columns that come out as they are: the outcome is last, unless it is named to be copied."""
    outcome = () if outcome_name is None else (outcome_name,)
    return tuple(dict.fromkeys([*copied, *outcome]))


def _names(what: str, given: Iterable[Hashable] | None) -> list[Hashable]:
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise OptionTypeError(f"{what}={given!r} must be a list of column names")
    return list(dict.fromkeys(given))


def _check_known(what: str, given: Iterable[Hashable], source: InputFrame) -> None:
    unknown = [c for c in given if c not in source.columns]
    if unknown:
        raise InvalidOptionError(f"{what} names {unknown}, which the frame does not have")


def _choose_variables(request: Request, copied: Sequence[Hashable]) -> list[Hashable]:
    columns = request.source.columns
    aside = {*copied, request.outcome_name}
    listed = _names("var_list", request.var_list)
    _check_known("var_list", listed, request.source)
    misused = [c for c in listed if c in aside]
    if misused:
        raise InvalidOptionError(
            f"var_list names {misused}, which is the outcome or in cols_to_copy; a column is "
            "treated or set aside, not both"
        )
    variables = listed or [c for c in columns if c not in aside]
    if not variables:
        raise InvalidOptionError(
            "there is no column to treat beside the outcome and those of cols_to_copy"
        )
    absent = [c for c in copied if c not in columns and c != request.outcome_name]
    if absent:
        warn(
            f"cols_to_copy names {absent}, which the training frame does not have; they are "
            "copied from frames that have them",
        )
    return variables


def _without_identifiers(source: InputFrame, variables: list[Hashable]) -> list[Hashable]:
    """Leave out columns of levels in which no value occurs twice, and say so."""
    identifiers = [c for c in variables if holds_levels(source, c) and is_identifier(source, c)]
    if not identifiers:
        return variables
    warn(
        f"nothing is derived from {identifiers}: each row has a value of its own there, as in an "
        "identifier, which tells nothing about other rows",
    )
    variables = [c for c in variables if c not in identifiers]
    if not variables:
        raise InvalidOptionError("all columns to treat are identifiers; nothing can be derived")
    return variables


def _split(request: Request) -> list[dict[str, Any]] | None:
    if not request.supervised:
        return None
    plan: Any = request.params["cross_validation_plan"].split_plan(
        n_rows=request.source.n_rows,
        k_folds=request.params["cross_validation_k"],
        data=request.source.native,
        y=request.y,
    )
    if isinstance(plan, str | Mapping) or not isinstance(plan, Iterable):
        raise OptionTypeError(
            f"the cross_validation_plan gives {plan!r}; split_plan must return a list with a dict "
            'of "train" and "app" rows for each fold'
        )
    return list(plan)


def _extra_columns(
    request: Request, variables: Sequence[Hashable], pairs: Pairs, claim: Claim
) -> tuple[list[Extra], dict[str, FloatArray]]:
    source, y = request.source, request.y
    made = []
    if "missing_indicator" in request.params["coders"]:
        made = [(mark, mark.values(source)) for mark in mark_missing(source, variables, claim)]
    for transform in request.params["user_transforms"]:
        made.append(fit_transform_of_user(transform, source, variables, y, pairs, claim))
    added = {name: column for _, values in made for name, column in values.items()}
    return [extra for extra, _ in made], added


def _design(
    request: Request, frame: Any, variables: Sequence[Hashable], pairs: Pairs
) -> tuple[CrossFrameExperiment[Any] | None, TreatmentPlan]:
    """Design on the extended frame; without an outcome there is no cross-frame."""
    options = _options(request, variables)
    if not request.supervised:
        return None, design_treatments(frame, outcome_type="unsupervised", **options)
    experiment = cross_frame_experiment(
        frame,
        outcome=request.outcome,
        outcome_type=request.outcome_type,
        target=request.outcome_target,
        cv=pairs,
        **options,
    )
    return experiment, experiment.plan


def _options(request: Request, variables: Sequence[Hashable]) -> dict[str, Any]:
    """Options of the design; those of columns that are not treated are left out."""
    params, imputers = request.params, request.imputation_map
    if imputers is not None and not isinstance(imputers, Mapping):
        raise OptionTypeError(
            f"imputation_map must be a dict from column to imputer; found {type(imputers).__name__}"
        )
    imputers = imputers or {}
    _check_known("imputation_map", imputers, request.source)
    coders = {CODE_OF_TREATMENT[treatment] for treatment in params["coders"]}
    coders.add("clean")  # extra columns are numbers
    if not request.supervised:
        coders.add("catP")  # tells which levels are common
    options = {
        "coders": sorted(coders),
        "min_fraction": params["indicator_min_fraction"],
        "imputation": native_imputer(params["missingness_imputation"]),
        "imputation_map": {c: native_imputer(i) for c, i in imputers.items() if c in variables},
        "sample_weight": request.weight,
        "calendar": None,
        **{name: params[name] for name in OF_THIS_PACKAGE if name in params},
    }
    if request.supervised and not params["use_hierarchical_estimate"]:
        options["smoothing"] = 0
    return options
