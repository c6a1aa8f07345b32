"""Checks of what every evaluation is given: values in one dimension, weights, lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from vtreat_py.base.arrays import EXACT_INTEGERS, FloatArray, objects, unmasked
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.evaluation._refusals import refused_as, shortened, shown

# Products of four numbers up to 2 to this power, or of their reciprocals, are floats.
_EXPONENTS_NEAR_ONE = 200
# Weights outside of these can neither be added nor multiplied with scores.
_LIGHTEST, _HEAVIEST = 1e-290, 1e300
# Squares of numbers outside of these are 0, or infinite, or have lost digits.
_SMALLEST_SQUARED, _GREATEST_SQUARED = 1e-150, 1e150


def one_dimensional(values: Any, name: str) -> Any:
    """Read values as an array of one dimension; a single column counts as one."""
    with refused_as(f"{name} cannot be read as an array"):
        array = unmasked(values)
        if array.ndim == 1 and isinstance(values, list | tuple) and _is_changed(values, array):
            array = objects(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InvalidOptionError(
            f"{name} has shape {array.shape}; one value a row is wanted, in one dimension"
        )
    return array


def _is_changed(values: Sequence[Any], array: Any) -> bool:
    """Whether numpy made other values of some of several types, or shorter texts."""
    if array.dtype.kind == "f":
        return any(isinstance(one, Integral) and abs(int(one)) > EXACT_INTEGERS for one in values)
    return array.dtype.kind in "US" and array.tolist() != list(values)


def finite_numbers(values: Any, name: str) -> FloatArray:
    """Read numbers in one dimension, all of them finite."""
    array = one_dimensional(values, name)
    if array.dtype.kind == "c":
        raise OptionTypeError(f"{name} must hold real numbers, and holds complex ones")
    try:
        numbers: FloatArray = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, ArithmeticError) as reason:
        raise OptionTypeError(f"{name} must hold numbers: {shortened(str(reason))}") from reason
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise InvalidOptionError(
            f"{name} has {len(bad)} values that are missing or infinite, the first in row "
            f"{bad[0]} ({numbers[bad[0]]}); leave those rows out, or fill them in"
        )
    return numbers


def one_or_several(values: Any, name: str) -> FloatArray:
    """Read a finite number, or several of them."""
    is_one = not isinstance(values, Iterable) or isinstance(values, str | bytes)
    with refused_as(f"{name} must be a number, or several"):
        numbers = [values] if is_one or getattr(values, "ndim", 1) == 0 else list(values)
    return finite_numbers(numbers, name)


def checked_weight(sample_weight: Any, n_rows: int) -> FloatArray:
    """Read one weight a row, none negative, not all 0; None: 1 for each row."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = non_negative_weight(sample_weight, n_rows)
    if not weight.any():
        raise InvalidOptionError(
            "sample_weight is 0 in every row; the weights must not all be zero"
        )
    return weight


def non_negative_weight(sample_weight: Any, n_rows: int) -> FloatArray:
    """Read one weight a row, none negative."""
    weight = finite_numbers(sample_weight, "sample_weight")
    check_length(weight, n_rows, "sample_weight")
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise InvalidOptionError(
            f"sample_weight is {weight[row]:g} in row {row}; weights must be 0 or more"
        )
    check_size(weight)
    return weight


def check_size(weight: FloatArray) -> None:
    """Refuse weights whose size is beyond what floats can add up, or multiply by a score."""
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total > _HEAVIEST or 0 < total < _LIGHTEST:
        raise InvalidOptionError(
            f"the weights sum to {total:g}, with which floats cannot reckon (sums from "
            f"{_LIGHTEST:g} to {_HEAVIEST:g} are taken); multiply all weights by one number"
        )


def difference(values: FloatArray, others: Any, what: str) -> FloatArray:
    """Subtract; refuse differences that floats cannot hold, or whose squares they cannot."""
    with np.errstate(over="ignore"):
        found: FloatArray = values - others
    largest = float(np.abs(found).max(initial=0.0))
    if largest and not _SMALLEST_SQUARED <= largest <= _GREATEST_SQUARED:
        raise InvalidOptionError(
            f"{what}: off by {largest:g} at most, whose square floats cannot hold; multiply "
            "predictions, and what they are compared with, by one number"
        )
    return found


def near_one(numbers: FloatArray, axis: int | None = None) -> tuple[FloatArray, Any]:
    """Divide numbers by a power of two, if floats might not hold their products; and say which.

    Along an axis, each line of numbers has a power of its own.
    """
    greatest = np.abs(numbers).max(axis=axis, initial=0.0, keepdims=axis is not None)
    exponent = np.frexp(greatest)[1]
    exponent = np.where(np.abs(exponent) > _EXPONENTS_NEAR_ONE, exponent, 0)
    return (np.ldexp(numbers, -exponent) if exponent.any() else numbers), exponent


def times_power(values: Any, exponent: Any) -> Any:
    """Multiply by a power of two what `near_one` has divided; it may be beyond floats again."""
    with np.errstate(over="ignore"):
        return np.ldexp(values, exponent)


def check_length(values: Any, n_rows: int, name: str) -> None:
    """Refuse values that are not one a row."""
    if len(values) != n_rows:
        raise InvalidOptionError(f"{name} has {len(values)} values, for {n_rows} rows")


def whole_number(value: Any, name: str, least: int) -> int:
    """Read a whole number that is no smaller than the least one allowed."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OptionTypeError(f"{name}={shown(value)} must be a whole number")
    if value < least:
        raise InvalidOptionError(f"{name}={value}; it must be >= {least}")
    return int(value)


def check_one_of(allowed: Sequence[Any], name: str, value: Any) -> None:
    """Refuse a value that is none of those allowed."""
    if not any(isinstance(value, type(one)) and value == one for one in allowed):
        raise InvalidOptionError(f"{name}={shown(value)}; it must be one of {list(allowed)}")


def random_numbers(random_state: Any) -> np.random.Generator:
    """Return a source of random numbers, from a seed, a source of either of numpy's kinds, None."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    with refused_as(f"random_state={shown(random_state)} is no source of random numbers"):
        return np.random.default_rng(random_state)


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of workers."""
    if n_jobs is None:
        return
    if not isinstance(n_jobs, Integral):
        raise OptionTypeError(f"n_jobs={shown(n_jobs)} must be a whole number, or None")
    if n_jobs == 0:
        raise InvalidOptionError(
            "n_jobs=0 leaves no one to do the work; it must be 1 or more, "
            "-1 for all processors, or None"
        )


def counted_rows(number: int) -> str:
    """Text such as "12,345 rows"."""
    return f"{number:,} row{'' if number == 1 else 's'}"
