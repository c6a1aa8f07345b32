"""The ``params`` of the treatments: their keys, defaults and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_flag, check_number
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.coders.clean import Imputer
from vtreat_py.compat._codes import CODE_OF_TREATMENT
from vtreat_py.compat.cross_plan import KWayCrossPlanYStratified

_Y_AWARE = {"impact_code", "deviation_code", "logit_code"}
# Options of `vtreat_py.design_treatments` that may be given, and that no default mentions.
OF_THIS_PACKAGE = ("categorical", "missing_values", "weight_kind")
_COUNTS = (
    ("indicator_max_levels", 0, ""),
    ("cross_validation_k", 2, ": with one fold each row would be coded by its own outcome"),
)


def vtreat_parameters(user_params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the parameters of the treatments with an outcome, some of them changed.

    Parameters
    ----------
    user_params : dict, default=None
        What is to differ from the defaults; a key that is not known is an error.

    Returns
    -------
    dict
        ``use_hierarchical_estimate`` (shrink impact codes), ``coders`` (names of treatments),
        ``filter_to_recommended``, ``indicator_min_fraction``, ``cross_validation_plan``,
        ``cross_validation_k``, ``user_transforms``, ``sparse_indicators``,
        ``missingness_imputation`` (a number or a function of the good values),
        ``check_for_duplicate_frames``, ``error_on_duplicate_frames``, ``retain_cross_plan``,
        ``tunable_params`` (those that ``get_params`` and ``set_params`` show). ``categorical``,
        ``missing_values`` and ``weight_kind`` of `vtreat_py.design_treatments` may be given, too.

    Raises
    ------
    InvalidOptionError
        If a key is not known, or a value not allowed.
    OptionTypeError
        If a value, or ``user_params`` itself, is of a type that is not allowed.

    Examples
    --------
    >>> import vtreat_py.compat as vtreat
    >>> vtreat.vtreat_parameters({"filter_to_recommended": False})["cross_validation_k"]
    5
    >>> vtreat.vtreat_parameters({"cross_validation_kk": 3})
    Traceback (most recent call last):
    vtreat_py.base.errors.InvalidOptionError: params has the unknown key 'cross_validation_kk'; ...
    """
    defaults = {
        "use_hierarchical_estimate": True,
        "coders": set(CODE_OF_TREATMENT),
        "filter_to_recommended": True,
        "indicator_min_fraction": 0.02,
        "cross_validation_plan": KWayCrossPlanYStratified(),
        "cross_validation_k": 5,
        "user_transforms": [],
        "sparse_indicators": False,
        "missingness_imputation": np.mean,
        "check_for_duplicate_frames": True,
        "error_on_duplicate_frames": False,
        "retain_cross_plan": True,
        "tunable_params": ["indicator_min_fraction"],
    }
    return _merged(user_params, defaults)


def unsupervised_parameters(user_params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the parameters of the treatment without an outcome, some of them changed.

    Parameters
    ----------
    user_params : dict, default=None
        What is to differ from the defaults; a key that is not known is an error.

    Returns
    -------
    dict
        ``coders``, ``indicator_min_fraction``, ``indicator_max_levels`` (indicators a column
        may have, of its most common levels), ``user_transforms``, ``sparse_indicators``,
        ``missingness_imputation``, ``tunable_params``. ``categorical``, ``missing_values`` and
        ``weight_kind`` of `vtreat_py.design_treatments` may be given, too.

    Raises
    ------
    InvalidOptionError
        If a key is not known, or a value not allowed.
    OptionTypeError
        If a value, or ``user_params`` itself, is of a type that is not allowed.

    Examples
    --------
    >>> import vtreat_py.compat as vtreat
    >>> vtreat.unsupervised_parameters()["indicator_max_levels"]
    1000
    """
    defaults = {
        "coders": set(CODE_OF_TREATMENT) - _Y_AWARE,
        "indicator_min_fraction": 0.0,
        "indicator_max_levels": 1000,
        "user_transforms": [],
        "sparse_indicators": False,
        "missingness_imputation": np.mean,
        "tunable_params": ["indicator_min_fraction", "indicator_max_levels"],
    }
    return _merged(user_params, defaults)


def _merged(params: Mapping[str, Any] | None, defaults: dict[str, Any]) -> dict[str, Any]:
    """Put the caller's parameters over the defaults, and check every value."""
    if params is None:
        return defaults
    if not isinstance(params, Mapping):
        raise OptionTypeError(f"params must be a dict; found {type(params).__name__}")
    unknown = [key for key in params if key not in defaults and key not in OF_THIS_PACKAGE]
    if unknown:
        many = "s" if len(unknown) > 1 else ""
        raise InvalidOptionError(
            f"params has the unknown key{many} {', '.join(map(repr, unknown))}; "
            f"known are {', '.join(defaults)}"
        )
    result = {**defaults, **params}
    for name, default in defaults.items():
        if isinstance(default, bool):
            check_flag(name, result[name])
    check_number("indicator_min_fraction", result["indicator_min_fraction"], 0, 1)
    for name, least, why in _COUNTS:
        number = result.get(name, least)
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise OptionTypeError(f"{name}={number!r} must be a whole number")
        if number < least:
            raise InvalidOptionError(f"{name}={number!r} must be at least {least}{why}")
    plan = result.get("cross_validation_plan")
    if "cross_validation_plan" in result and not hasattr(plan, "split_plan"):
        raise OptionTypeError(
            f"cross_validation_plan={plan!r} must be a CrossValidationPlan (see cross_plan)"
        )
    for name in ("coders", "user_transforms", "tunable_params"):
        if isinstance(result[name], str) or not isinstance(result[name], Iterable):
            raise OptionTypeError(f"{name}={result[name]!r} must be a list")
    known = sorted(defaults["coders"])
    strange = sorted(str(coder) for coder in result["coders"] if coder not in known)
    if strange:
        raise InvalidOptionError(f"coders holds unknown {strange}; known are {known}")
    if not list(result["coders"]):
        raise InvalidOptionError(f"coders is empty; name at least one of {known}")
    for transform in result["user_transforms"]:
        made = not isinstance(transform, type)
        if not (made and hasattr(transform, "fit") and hasattr(transform, "transform")):
            raise OptionTypeError(
                f"user_transforms holds {transform!r}, which is no UserTransform (see transform)"
                + ("" if made else "; make one of the class")
            )
    strange = [name for name in result["tunable_params"] if name not in defaults]
    if strange:
        raise InvalidOptionError(f"tunable_params names {strange}, which are no parameters")
    return result


def tunable(params: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    """Return the tunable parameters, unchecked until they are used."""
    given = {**defaults, **(params if isinstance(params, Mapping) else {})}
    return {name: given[name] for name in given["tunable_params"] if name in given}


def native_imputer(given: Any) -> Imputer:
    """Turn a function of the good values, or a number, into an imputer of the plan."""
    if given is np.mean:
        return "mean"
    if given is np.median:
        return "median"
    return partial(_unweighted, given) if callable(given) else given


def _unweighted(function: Callable[[FloatArray], float], values: FloatArray, weights: Any) -> float:  # noqa: ARG001
    return function(values)
