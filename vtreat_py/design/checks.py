"""Checks of a design's arguments, the same wherever the rows are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal

from vtreat_py.base.checks import check_list, is_one_of
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, meant
from vtreat_py.base.names import is_itself, is_name
from vtreat_py.frames.calendar import PARTS, Part
from vtreat_py.frames.columns import is_utf8
from vtreat_py.outcome.outcome import Outcome
from vtreat_py.outcome.weights import FREQUENCY, IMPORTANCE, WEIGHT_KINDS
from vtreat_py.plan.options import OUTCOME_TYPES, DesignOptions

_LEAST_CLASSES = 2
AUTO_CALENDAR = "auto"
Calendar = Literal["auto"] | Sequence[Part] | None


def check_outcome_type(outcome_type: Any) -> None:
    """Refuse a type of outcome that there is not."""
    if not (outcome_type is None or is_one_of(outcome_type, OUTCOME_TYPES)):
        raise InvalidOptionError(
            f"outcome_type={outcome_type!r}; it must be one of {list(OUTCOME_TYPES)} or None"
        )


def check_weight_kind(weight_kind: Any) -> None:
    """Refuse a kind of weights that there is not."""
    if not is_one_of(weight_kind, WEIGHT_KINDS):
        raise InvalidOptionError(
            f"weight_kind={weight_kind!r}; it must be {FREQUENCY!r} or {IMPORTANCE!r}"
        )


def check_most_classes(max_classes: Any) -> None:
    """Refuse a bound on classes that is no number of classes."""
    if type(max_classes) is bool or not isinstance(max_classes, Integral):
        raise OptionTypeError(f"max_classes={max_classes!r} must be a whole number")
    if max_classes < _LEAST_CLASSES:
        raise InvalidOptionError(f"max_classes={max_classes}; it must be >= {_LEAST_CLASSES}")


def check_invalid_mark(mark: Any) -> None:
    """Refuse a mark that some frame or engine cannot hold as text."""
    if not isinstance(mark, str):
        raise OptionTypeError(f"invalid_mark={mark!r} must be text")
    if "\0" in mark or not is_utf8(mark):
        raise InvalidOptionError(
            f"invalid_mark={mark!r} holds NUL or a lone surrogate, which no database holds in "
            "text; give another mark"
        )


def check_row_id(row_id: Any) -> None:
    """Refuse a row id that is no name."""
    if not is_name(row_id):
        raise OptionTypeError(
            f"row_id is of type {type(row_id).__name__}; it must be the name of a column"
        )


def check_class_coders(outcome: Outcome) -> None:
    """Refuse codes of each class where there are not several classes."""
    if outcome.kind != "multinomial":
        raise InvalidOptionError(
            f"y_dependent_coders= is for outcomes of several classes; this one is {outcome.note}"
        )


def choose_variables(
    columns: Sequence[Hashable], variables: Sequence[Hashable] | None, aside: list[Hashable]
) -> tuple[Hashable, ...]:
    """Return the columns to treat: those that are named, or all but the ones set aside."""
    set_aside = set(aside)  # in which a name that is a missing value is looked up, too
    if variables is None:
        chosen = tuple(c for c in columns if c not in set_aside)
        if not chosen:
            raise InvalidOptionError("the frame has no column to treat beside the outcome")
        _check_names(chosen)
        return chosen
    chosen = tuple(check_list("variables", variables, "column names"))
    if not chosen:
        raise InvalidOptionError("variables is empty; name at least one column")
    _check_names(chosen)
    repeated = [v for v, times in Counter(chosen).items() if times > 1]
    if repeated:
        raise InvalidOptionError(f"variables names {repeated} more than once")
    check_named("variables", chosen, columns, aside)
    return chosen


def check_named(
    option: str, named: Sequence[Hashable], columns: Sequence[Hashable], aside: Sequence[Hashable]
) -> None:
    """Refuse columns that the frame does not have, or that are the outcome and the like."""
    known, set_aside = set(columns), set(aside)
    unknown = [name for name in named if name not in known]
    if unknown:
        raise InvalidOptionError(
            f"{option} names {unknown}, which the frame does not have{meant(unknown[0], known)}"
        )
    misused = [name for name in named if name in set_aside]
    if misused:
        raise InvalidOptionError(
            f"{option} names {misused}, which is the outcome, or the column of exposures, weights, "
            "groups, folds or row ids"
        )


def _check_names(chosen: Sequence[Hashable]) -> None:
    """Refuse names that no plan finds again."""
    lost = [name for name in chosen if not is_itself(name)]
    if lost:
        raise InvalidOptionError(
            f"a column is called {lost[0]!r}, a missing value, which no later frame can be asked "
            "for: rename it, or name the columns to treat with variables="
        )


def no_names(column: Hashable, kind: str) -> InvalidOptionError:
    """Error for columns that are to be names, and hold neither numbers nor levels."""
    return InvalidOptionError(
        f"categorical names {column!r}, which holds values of type {kind}; it is for numbers that "
        "are names, such as zip codes and ids. Convert the column to text"
    )


def check_calendar(given: Any) -> str | tuple[Part, ...]:
    """Return the parts of dates to make, or that the rows are to say which."""
    if is_one_of(given, (AUTO_CALENDAR,)):
        return AUTO_CALENDAR
    asked = () if given is None else check_list("calendar", given, "parts")
    unknown = [one for one in asked if not is_one_of(one, PARTS)]
    if unknown:
        raise InvalidOptionError(
            f'calendar holds {unknown[0]!r}; give "{AUTO_CALENDAR}", None (numbers only), or some '
            f"of {list(PARTS)}"
        )
    return tuple(part for part in PARTS if part in asked)


def check_composites(given: Any) -> tuple[tuple[Hashable, ...], ...]:
    """Return the columns that are to be coded together."""
    found = []
    for one in check_list("composites", given, "tuples of column names"):
        columns = tuple(one) if isinstance(one, tuple | list) else ()
        if len(columns) < 2 or not all(map(is_name, columns)) or len(set(columns)) < len(columns):
            raise InvalidOptionError(
                f"composites holds {one!r}; it takes tuples of two or more different columns, such "
                'as [("town", "shop")]'
            )
        if columns in found:
            raise InvalidOptionError(f"composites names {columns!r} more than once")
        found.append(columns)
    return tuple(found)


def check_hierarchies(given: Any) -> tuple[tuple[Hashable, ...], ...]:
    """Return for each child the columns that it is inside, the outermost first, and the child."""
    if given is None:
        return ()
    names = isinstance(given, Mapping) and all(map(is_name, [*given, *given.values()]))
    if not names:
        raise OptionTypeError(
            f"hierarchies={given!r} must be a dict from the column of a child to that of its "
            'parent, such as {"zip": "county", "county": "state"}'
        )
    return tuple(_chain(child, given) for child in given)


def _chain(child: Hashable, parents: Mapping[Hashable, Hashable]) -> tuple[Hashable, ...]:
    chain = [child]
    while chain[0] in parents:
        parent = parents[chain[0]]
        if parent in chain:
            inner = f"{chain[0]!r} is inside {parent!r}"
            raise InvalidOptionError(f"hierarchies goes in a circle: {inner}, which is inside it")
        chain.insert(0, parent)
    return tuple(chain)


def check_unused(**given: Any) -> None:
    """Refuse what an unsupervised design has no use for."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise InvalidOptionError(
            f"an unsupervised design takes no {' or '.join(names)}; there is no outcome to predict"
        )


def check_options_of_columns(options: DesignOptions, variables: tuple[Hashable, ...]) -> None:
    """Refuse options of columns that are not treated."""
    treated = set(variables)
    others = [c for c in options.categorical if c not in treated]
    if others:
        raise InvalidOptionError(
            f"categorical names {others}, which are not treated{meant(others[0], variables)}"
        )
    unknown = [c for c in options.imputation_map if c not in treated]
    if unknown:
        raise InvalidOptionError(f"imputation_map names {unknown}, which are not treated")


def no_cross_frame() -> InvalidOptionError:
    """Error for a cross-frame without outcome."""
    return InvalidOptionError(
        "an unsupervised design has no cross-frame: no code sees an outcome; use prepare"
    )


def check_outcome_tells_no_fold(outcome: Hashable | None, **tells: Hashable | None) -> None:
    """Refuse folds by the outcome: what all other folds say of a row would tell its own outcome.

    Parameters
    ----------
    outcome : hashable or None
        The outcome's column, if it has a name.
    **tells : hashable or None
        The columns that tell the folds, by the options that name them.
    """
    for option, name in tells.items():
        if name is not None and is_name(name) and {name} == {outcome}:
            raise InvalidOptionError(
                f"{option}={name!r} is the outcome: folds must not depend on it, because then the "
                "code of each row would tell its outcome"
            )
