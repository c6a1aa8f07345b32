"""The options of a design, checked in one place."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_flag, check_list, check_number, is_one_of
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, meant
from vtreat_py.coders import codes
from vtreat_py.coders.clean import Imputer, ImputerName
from vtreat_py.coders.code import Code
from vtreat_py.coders.custom import CustomCoder, LevelCoder, check_custom_coders
from vtreat_py.coders.own_levels import OwnLevelCode
from vtreat_py.coders.own_numbers import OwnNumberCode
from vtreat_py.coders.prior import AUTO, BY_LIKELIHOOD, BY_MOMENTS, Smoothing

# Greater numbers cannot be multiplied.
_MOST_SMOOTHING = 1e100
# Farther out no level has the rows to tell a quantile.
_QUANTILES = 0.001, 0.999
# Sums that differ by this share are equal but for rounding.
_ROUNDING = 1e-12
Significance = Literal["calibrated", "classic", "ordered"]
SIGNIFICANCE: tuple[Significance, ...] = get_args(Significance)
CALIBRATED, CLASSIC, ORDERED = SIGNIFICANCE
OutcomeType = Literal["numeric", "binomial", "multinomial", "rate", "survival", "unsupervised"]
OUTCOME_TYPES: tuple[OutcomeType, ...] = get_args(OutcomeType)
IMPUTERS: tuple[ImputerName, ...] = get_args(ImputerName)


@dataclass(frozen=True)
class NamedFunction:
    """Stands for a function of the user's in a plan, which holds no code.

    The plan has the numbers that the function gave, so that it prepares frames without it.
    """

    function: str

    def __call__(self, *_: FloatArray) -> float:
        """Refuse: only a design calls functions."""
        raise InvalidOptionError(
            f"the function {self.function} is known by name only, because the options come from a "
            "plan or a file, which hold no code; give the function itself"
        )


def function_name(imputer: object) -> str | None:
    """Return the name that a function goes by in JSON; None for other imputers."""
    if isinstance(imputer, NamedFunction):
        return imputer.function
    return _full_name(imputer) if callable(imputer) else None


def without_function(coder: CustomCoder) -> CustomCoder:
    """Return a coder that has the name of its function alone."""
    function = coder.function
    if isinstance(function, NamedFunction):
        return coder
    return replace(coder, function=NamedFunction(_full_name(function)))


def _full_name(function: object) -> str:
    """Name of a function, or of the type of an object that stands for one."""
    named: Any = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


@dataclass(frozen=True)
class DesignOptions:
    """Options of `vtreat_py.design_treatments` that the coders and scores use."""

    min_fraction: float = 0.02
    smoothing: Smoothing = "auto"
    rare_count: float = 0
    rare_sig: float | None = None
    collar_prob: float = 0.0
    coders: Any = None  # what may be written in several ways is a tuple, or a dict, once checked
    cat_scaling: bool = False
    imputation: Imputer = "mean"
    imputation_map: Any = None
    significance: Significance = CALIBRATED
    force_split: bool = False
    y_dependent_coders: Any = None
    categorical: Any = ()
    missing_values: Any = ()
    quantile: float = 0.5
    custom_coders: Any = None

    def __post_init__(self) -> None:
        for name, value in self._checked().items():
            object.__setattr__(self, name, value)

    @property
    def is_classic(self) -> bool:
        """Whether tests are the classic ones: then numbers remain what they were."""
        return self.significance == CLASSIC

    @property
    def follows_r(self) -> bool:
        """Whether to do exactly what R vtreat does: classic tests and smoothing by a number.

        The one difference beside the numbers themselves: where a fold's training rows cannot
        support a y-aware code or slope, R takes those of the whole data, a small documented
        leak. Otherwise such rows get what the fold knows, which is next to nothing.
        """
        return self.is_classic and not isinstance(self.smoothing, str)

    @property
    def own_codes(self) -> list[Code]:
        """The codes of one's own."""
        return _own_codes(self.custom_coders)

    def without_functions(self) -> DesignOptions:
        """Return the same options with coders of one's own by name, as plans have them."""
        coders = {name: without_function(coder) for name, coder in self.custom_coders.items()}
        return replace(self, custom_coders=coders)

    @property
    def rare_weight(self) -> float:
        """Weight up to which a level is rare: sums of fractions may be a little more."""
        return self.rare_count * (1.0 + _ROUNDING)

    @property
    def shrinkage(self) -> float | str:
        """Shrinkage of impact codes: rows; or empirical Bayes, by moments with classic tests.

        Classic designs remain what they were in all versions.
        """
        if self.smoothing == AUTO and self.is_classic:
            return BY_MOMENTS
        return self.smoothing

    def imputer(self, column: Hashable) -> Imputer:
        """Return what fills the bad values of a column."""
        imputer: Imputer = self.imputation_map.get(column, self.imputation)
        return imputer

    def _checked(self) -> dict[str, Any]:
        """Check every option; what may be written in several ways comes out in one."""
        smoothing, rare_sig = self.smoothing, self.rare_sig
        most = _MOST_SMOOTHING
        imputation_map = {} if self.imputation_map is None else self.imputation_map
        custom_coders = check_custom_coders(self.custom_coders)
        own = _own_codes(custom_coders)
        coders = self._asked_coders(own)
        is_named = isinstance(smoothing, str)
        if is_named and smoothing not in BY_LIKELIHOOD:
            raise InvalidOptionError(
                f'smoothing={smoothing!r}; give a number >= 0, "auto" or "mixed"'
            )
        if not is_one_of(self.significance, SIGNIFICANCE):
            raise InvalidOptionError(
                f"significance={self.significance!r}; it must be one of {list(SIGNIFICANCE)}"
            )
        if not isinstance(imputation_map, Mapping):
            raise OptionTypeError(
                f"imputation_map must be a dict from column to imputer; found "
                f"{type(imputation_map).__name__}"
            )
        return {
            "min_fraction": check_number("min_fraction", self.min_fraction, 0, 1),
            "smoothing": smoothing if is_named else check_number("smoothing", smoothing, 0, most),
            "rare_count": check_number("rare_count", self.rare_count, 0),
            "rare_sig": rare_sig if rare_sig is None else check_number("rare_sig", rare_sig, 0, 1),
            "collar_prob": check_number("collar_prob", self.collar_prob, 0, 0.5, below=True),
            "coders": coders,
            "cat_scaling": check_flag("cat_scaling", self.cat_scaling),
            "imputation": _check_imputer("imputation", self.imputation),
            "imputation_map": {
                column: _check_imputer(f"imputation_map[{column!r}]", imputer)
                for column, imputer in imputation_map.items()
            },
            "force_split": check_flag("force_split", self.force_split),
            "y_dependent_coders": _check_class_coders(self.y_dependent_coders, own, coders),
            "categorical": tuple(
                dict.fromkeys(check_list("categorical", self.categorical, "column names"))
            ),
            "missing_values": _check_missing_values(self.missing_values),
            "quantile": check_number("quantile", self.quantile, *_QUANTILES),
            "custom_coders": custom_coders,
        }

    def _asked_coders(self, own: Sequence[Code]) -> tuple[str, ...]:
        """Return the codes to build; None means those that are built by default."""
        known = codes.every(own)
        if self.coders is None:
            return codes.names(code for code in known if code.by_default)
        return check_coders("coders", self.coders, codes.names(known))

    def coders_for(self, outcome_type: str) -> tuple[str, ...]:
        """Return the codes asked for that apply to an outcome type; there must be one."""
        apply = codes.names(codes.for_outcome(outcome_type, self.own_codes))
        own = [code.name for code in self.own_codes if code.name in self.coders]
        if without := [name for name in own if name not in apply]:
            raise InvalidOptionError(
                f"custom_coders={without}: coders of one's own are for outcomes of numbers and "
                f"classes, not for one of type {outcome_type!r}; leave them out"
            )
        asked = tuple(c for c in apply if c in self.coders)
        if not asked:
            raise InvalidOptionError(
                f"coders={list(self.coders)} has no code for an outcome of type {outcome_type!r}; "
                f"those are {list(apply)}"
            )
        return asked

    def class_coders(self) -> tuple[str, ...]:
        """Return the codes that are built once for each of several classes."""
        return tuple(c for c in self.y_dependent_coders if c in self.coders)


def check_coders(name: str, coders: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return codes in their canonical order; None means all that are known."""
    if coders is None:
        return known
    coders = check_list(name, coders, f"codes, from {list(known)}")
    unknown = sorted({str(c) for c in coders if not is_one_of(c, known)})
    if unknown:
        raise InvalidOptionError(
            f"{name} holds unknown codes {unknown}; known are {list(known)}"
            f"{meant(unknown[0], known)}"
        )
    if not coders:
        raise InvalidOptionError(f"{name} is empty; name at least one of {list(known)}")
    return tuple(c for c in known if c in coders)


def _own_codes(custom_coders: Mapping[str, CustomCoder]) -> list[Code]:
    return [
        OwnLevelCode(name, coder) if isinstance(coder, LevelCoder) else OwnNumberCode(name, coder)
        for name, coder in custom_coders.items()
    ]


def _check_class_coders(coders: Any, own: Sequence[Code], asked: Sequence[str]) -> tuple[str, ...]:
    """Return codes to build once a class; there may be none."""
    of_classes = codes.of_classes(own)
    if coders is None:
        y_aware = [code for code in of_classes if code.y_aware]
        return codes.names(code for code in y_aware if code.by_default or code.name in asked)
    if not check_list("y_dependent_coders", coders, f"codes, from {list(codes.names())}"):
        return ()
    checked = check_coders("y_dependent_coders", coders, codes.names(codes.every(own)))
    same = [c for c in checked if c not in codes.names(of_classes)]
    if same:
        raise InvalidOptionError(
            f"y_dependent_coders holds {same}, which cannot differ from class to class; "
            f"those that can are {list(codes.names(of_classes))}"
        )
    return checked


def _check_missing_values(given: Any) -> tuple[str, ...]:
    """Return texts that mean missing."""
    texts = check_list("missing_values", given, "texts")
    others = [one for one in texts if not isinstance(one, str)]
    if others:
        raise OptionTypeError(
            f"missing_values holds {others[0]!r} of type {type(others[0]).__name__}; it is for "
            "texts that mean missing. Replace numbers that do in the frame, by NaN"
        )
    return tuple(dict.fromkeys(map(str, texts)))


def _check_imputer(name: str, imputer: Any) -> Imputer:
    if callable(imputer):
        return imputer  # type: ignore[no-any-return]
    if isinstance(imputer, str) and imputer in IMPUTERS:
        return next(one for one in IMPUTERS if one == imputer)  # numpy has texts of its own
    if type(imputer) is bool or not isinstance(imputer, numbers.Real):
        error = InvalidOptionError if isinstance(imputer, str) else OptionTypeError
        raise error(f"{name}={imputer!r}; give a number, one of {list(IMPUTERS)}, or a function")
    if not math.isfinite(imputer):
        raise InvalidOptionError(f"{name}={imputer!r}; the number must be finite")
    return float(imputer)
