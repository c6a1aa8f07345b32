"""Null distributions of paired scores whose members change places: all patterns, or random ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.jobs import run_jobs
from vtreat_py.evaluation._refusals import refused_as

# Roundings that a signed sum of weighted differences owes to things other than sums within
# groups: both scores, the weight, the difference, the product, and a few for how the scores
# were computed.
_ROUNDINGS = 8
# The same for a statistic of which nothing is known, relative to its largest value.
_ROUNDINGS_OF_CALLABLE = 100
_EPS = float(np.finfo(np.float64).eps)
# Sums of magnitudes stay below 2 to this power as 64-bit integers, with room for their rounding.
_BITS = 61
_WORD, _BYTE = 64, 8
# Sums that are added to in one go, and values of resampled pairs that are held at a time.
_SUMS_AT_ONCE = 8192
_VALUES_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """A statistic, its values under patterns of changes, and whether these are all there are.

    Values that tie with the statistic, or with its negative, are exactly equal to it.
    """

    statistic: float
    values: FloatArray
    exact: bool

    @classmethod
    def of(
        cls, statistic: float, values: FloatArray, tolerance: float, exact: bool
    ) -> NullDistribution:
        """Make values equal that differ by no more than a tolerance."""
        for target in (-statistic, statistic):
            values = np.where(np.abs(values - target) <= tolerance, target, values)
        return cls(statistic, values, exact)

    def chance(self, reached: BoolArray) -> float:
        """Probability, by chance alone, of a pattern like some of those that are here."""
        one = 0 if self.exact else 1  # the observed pattern is one of the random ones
        return float((reached.sum() + one) / (len(reached) + one))


def null_of_mean(
    a: FloatArray,
    b: FloatArray,
    weight: FloatArray,
    unit: IntArray,
    n_resamples: int,
    random: np.random.Generator,
) -> NullDistribution:
    """Find the weighted mean of a - b, when the pairs of a unit change places together.

    Sums over units are rounded to multiples of a power of two, so small that this is of no
    account, and added as integers: in any order the result is the same. What is left is the
    rounding of what is summed. A sum of s terms with r roundings each is off by at most (s + r)
    times half the machine epsilon times the sum of magnitudes (N. Higham, Accuracy and Stability
    of Numerical Algorithms, 2002, section 4.2). Two sums that should be equal may differ by twice
    that. A unit whose sum may be 0 within that bound has no part in any pattern.
    """
    rows = np.bincount(unit)
    every = np.bincount(unit, weight * (a - b))
    slack = _EPS * (_ROUNDINGS + rows) * np.bincount(unit, weight * (np.abs(a) + np.abs(b)))
    sums = every[np.abs(every) > slack]
    shift = _BITS - int(np.frexp(np.abs(sums).sum())[1])
    multiples = np.rint(np.ldexp(sums, shift)).astype(np.int64)
    exact = can_be_listed(len(sums), n_resamples)
    totals = signed_sums(multiples) if exact else drawn_sums(multiples, n_resamples, random)
    values = np.ldexp(totals.astype(np.float64), -shift)
    tolerance = slack.sum() + len(sums) * np.ldexp(1.0, -shift)
    mass = weight.sum()
    return NullDistribution.of(float(every.sum() / mass), values / mass, tolerance / mass, exact)


def signed_sums(values: IntArray) -> IntArray:
    """Sum the last axis under each pattern of signs; bit j of a pattern's number: + to value j."""
    sums = np.zeros((*values.shape[:-1], 1), dtype=np.int64)
    for j in range(values.shape[-1]):
        value = values[..., j, None]
        sums = np.concatenate([sums - value, sums + value], axis=-1)
    return sums


def drawn_sums(values: IntArray, n_draws: int, random: np.random.Generator) -> IntArray:
    """Sums under random signs, of which each byte of a random word looks up eight values' share.

    Words of all draws are taken for 64 values at a time, in the order of the draws: no block size
    enters the result, and memory does not grow with the number of values.
    """
    totals = np.zeros(n_draws, dtype=np.int64)
    padded = np.pad(values, (0, -len(values) % _WORD))
    for eights in padded.reshape(-1, _WORD // _BYTE, _BYTE):
        tables = signed_sums(eights)
        for start in range(0, n_draws, _SUMS_AT_ONCE):
            part = totals[start : start + _SUMS_AT_ONCE]
            bytes_of_words = _words(random, len(part)).view(np.uint8).reshape(-1, _WORD // _BYTE)
            for table, byte in zip(tables, bytes_of_words.T, strict=True):
                part += table.take(byte, mode="wrap")
    return totals


def null_of_callable(
    statistic: Callable[..., Any],
    a: FloatArray,
    b: FloatArray,
    unit: IntArray,
    n_resamples: int,
    random: np.random.Generator,
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> NullDistribution:
    """Find ``statistic(a, b)`` when the pairs of a unit change places together.

    Units of which no pair differs have no part in any pattern. A statistic with a parameter
    ``axis`` is called with many resamples at once, in blocks.
    """
    differs = np.bincount(unit, a != b) > 0
    n_units = int(differs.sum())
    moving = differs[unit]
    bit = (np.cumsum(differs) - 1)[unit[moving]]
    exact = can_be_listed(n_units, n_resamples)
    blocks = _Patterns(
        n_units, n_resamples, None if exact else random, max(1, _VALUES_AT_ONCE // len(a))
    )

    def values_of(pattern: BoolArray) -> FloatArray:
        change = np.zeros((len(pattern), len(a)), dtype=bool)
        change[:, moving] = pattern[:, bit]
        return _evaluated(statistic, np.where(change, b, a), np.where(change, a, b))

    null = np.concatenate(run_jobs(values_of, blocks, n_jobs, progress=progress, unit="block"))
    observed = float(_evaluated(statistic, a[None], b[None])[0])
    tolerance = _ROUNDINGS_OF_CALLABLE * _EPS * float(np.abs(null).max())
    return NullDistribution.of(observed, null, tolerance, exact)


def can_be_listed(n_units: int, n_patterns: int) -> bool:
    """Whether units have no more than so many patterns, 2 to the power of their number."""
    return n_units < n_patterns.bit_length()


class _Patterns:
    """Blocks of patterns: random ones, or without a source of random numbers all there are.

    They are drawn when they are asked for, so that they need not all be held; once.
    """

    def __init__(
        self, n_units: int, n_resamples: int, random: np.random.Generator | None, at_once: int
    ) -> None:
        self._n_units, self._random, self._at_once = n_units, random, at_once
        self._n_patterns = 1 << n_units if random is None else n_resamples

    def __len__(self) -> int:
        return -(-self._n_patterns // self._at_once)

    def __iter__(self) -> Iterator[BoolArray]:
        for start in range(0, self._n_patterns, self._at_once):
            stop = min(start + self._at_once, self._n_patterns)
            if self._random is None:
                words = np.arange(start, stop, dtype="<u8")[:, None]
            else:
                words = _words(self._random, stop - start, -(-self._n_units // _WORD))
            bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
            yield bits[:, : self._n_units].astype(bool)


def _words(random: np.random.Generator, *shape: int) -> Any:
    """Random 64-bit words; their bytes are in the same order on every machine."""
    words = random.integers(2**_WORD - 1, size=shape, dtype=np.uint64, endpoint=True)
    return words.astype("<u8", copy=False)


def _evaluated(statistic: Callable[..., Any], a: FloatArray, b: FloatArray) -> FloatArray:
    """Values of a statistic for each row of scores."""
    if _takes_axis(statistic):
        given = statistic(a, b, axis=-1)
    else:
        given = [statistic(x, y) for x, y in zip(a, b, strict=True)]
    with refused_as("statistic must give numbers"):
        values = np.asarray(given, dtype=np.float64)
    if values.shape != a.shape[:1]:
        raise InvalidOptionError(
            f"statistic gives values of shape {values.shape} for scores of shape {a.shape}; one "
            "number is wanted for each row of scores, along axis=-1 if it takes axis"
        )
    if not np.isfinite(values).all():
        raise InvalidOptionError(
            f"statistic is {values[~np.isfinite(values)][0]} when some pairs change places; it "
            "must be a finite number whichever do"
        )
    return values


def _takes_axis(statistic: Callable[..., Any]) -> bool:
    """Whether a function says that it takes ``axis``, as those of scipy and numpy do."""
    try:
        return "axis" in inspect.signature(statistic).parameters
    except ValueError:  # some built-in functions do not tell
        return False
