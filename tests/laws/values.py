"""Values that columns are filled with, by the family that they are of."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import math
import uuid
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd

EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 5e-324, -5e-324, 2.3e-308, 1e-300, 1e-162, 1e-154, 1e154,
    1e155, 1e300, 1e304, 1e308, -1e308, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 2.0**63,
]  # fmt: skip
BAD = [math.nan, math.inf, -math.inf]
TEXTS = [
    "", " ", "a", "A", "a ", " a", "é", "e\u0301", "É", "😀", "日本", "nul\0in", "it's \"q\"",
    "'; DROP TABLE t; --", "new\nline", "back\\slash", "NaN", "nan", "NULL", "NA", "None", "rare",
    "1", "1.0", "01", "True", "inf", "2024-02-29", "level", "x" * 300,
]  # fmt: skip
_START = dt.datetime(1969, 12, 30, 6)


def few_or_many(random: Random) -> int:
    """How many different values a column has."""
    return random.choice([1, 2, 2, 3, 4, 6, 10, 40])


def numbers(random: Random) -> list[Any]:
    """Floats: like those of most columns, or at the edges of what floats hold."""
    n, how = few_or_many(random), random.random()
    if how < 0.55:
        scale = random.choice([1.0, 1.0, 1.0, 1e-3, 1e6])
        return [random.gauss(0, scale) for _ in range(3 * n)]
    if how < 0.65:
        return [random.choice([0.0, 1.0]) for _ in range(2)] + [1.0]
    if how < 0.75:
        shift = random.choice([1e6, 1e9, -1e12, 1e15])
        return [shift + random.gauss(0, 1) for _ in range(n)]
    if how < 0.85:
        return [2.0 ** random.randint(-1070, 1020) * random.choice([1, -1, 3]) for _ in range(n)]
    pool = [*random.choices(EDGES, k=n), random.gauss(0, 1)]
    return pool + random.choices(BAD, k=random.randrange(3))


def integers(random: Random) -> list[Any]:
    """Integers of all lengths."""
    widest = random.choice([1, 3, 7, 7, 8, 15, 31, 32, 52, 53, 63, 64, 70, 1100])
    low = random.choice([0, 0, -(2 ** max(widest - 1, 0))])
    return [random.randint(low, 2**widest - 1) for _ in range(few_or_many(random))]


def small_integers(random: Random) -> list[Any]:
    """Integers such as counts."""
    return [random.randint(-3, 20) for _ in range(few_or_many(random))]


def flags(random: Random) -> list[Any]:
    """True and false."""
    return random.choice([[True, False], [True, False], [True], [False]])


def texts(random: Random) -> list[Any]:
    """Text: awkward, or like that of most columns."""
    n = few_or_many(random)
    return random.sample(TEXTS, min(n, len(TEXTS))) if random.random() < 0.4 else words(random)


def words(random: Random) -> list[Any]:
    """Ordinary names of levels."""
    return [f"{random.choice('abcdefghij')}{i}" for i in range(few_or_many(random))]


def many_words(random: Random) -> list[Any]:
    """Names of many levels."""
    return [f"{random.choice('abcdefghij')}{i}" for i in range(40)]


def broken_texts(random: Random) -> list[Any]:
    """Python's text that is no Unicode, among other text."""
    return [*random.choices(TEXTS, k=4), "a\ud800", "\udfff\ud800", "\ud83d\ude00"]


def binaries(random: Random) -> list[Any]:
    """Bytes."""
    return [bytes([random.randrange(256), 0][: random.randrange(3)]) for _ in range(4)]


def dates(random: Random) -> list[Any]:
    """Days."""
    day = dt.date(1970, 1, 1)
    pool = [day + dt.timedelta(days=random.randint(-9000, 20000)) for _ in range(6)]
    return pool + random.choices([dt.date.min, dt.date.max], k=random.choice([0, 0, 1]))


def moments(random: Random) -> list[Any]:
    """Points in time, with or without a zone."""
    steps = [random.randint(-(10**15), 10**15) for _ in range(6)]
    pool = [_START + dt.timedelta(microseconds=step) for step in steps]
    zone = random.choice([None, None, dt.UTC, dt.timezone(dt.timedelta(hours=-3, minutes=-30))])
    far = random.choices([dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)], k=random.choice([0, 1]))
    return [moment.replace(tzinfo=zone) for moment in pool + (far if zone is None else [])]


def spans(random: Random) -> list[Any]:
    """Durations."""
    pool = [dt.timedelta(microseconds=random.randint(-(10**14), 10**14)) for _ in range(6)]
    return pool + random.choices([dt.timedelta.max, dt.timedelta.min], k=random.choice([0, 0, 1]))


def times(random: Random) -> list[Any]:
    """Times of day."""
    return [dt.time(random.randrange(24), 7, 1, random.randrange(10**6)) for _ in range(5)]


def decimals(random: Random) -> list[Any]:
    """Numbers in decimal digits."""
    digits = [random.randint(-(10**6), 10**6) for _ in range(5)]
    return [decimal.Decimal(number).scaleb(-random.choice([0, 2, 4])) for number in digits]


def mixed(random: Random) -> list[Any]:
    """Python objects of several types: levels, if they are not one kind of number after all."""
    return [*random.choices(_ODD, k=few_or_many(random)), "text", 7]


def unlike(random: Random) -> list[Any]:
    """Objects that no code is made of, among others."""
    wrong: list[Any] = [[1, 2], {"a": 1}, {1, 2}, np.arange(2), 1j, pd.Interval(0, 1), object()]
    return [*random.choices(_ODD, k=2), random.choice(wrong)]


_ODD: list[Any] = [
    0, 1, -1, 1.0, 0.5, True, False, 2**70, -(2**63), "1", "a", "", "NaN", b"a", b"", (1, "a"), (),
    dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 1), dt.timedelta(1), dt.time(1, 2),
    decimal.Decimal("1.5"), decimal.Decimal("NaN"), fractions.Fraction(1, 3), uuid.UUID(int=5),
    pd.Timestamp("2024-02-29", tz="UTC"), pd.Timedelta(5, "ns"), pd.Period("2024-02", "M"),
    np.float32(0.1), np.int8(3), np.str_("np"), np.bool_(True), np.datetime64("2024-02-29"),
    np.timedelta64(5, "D"), math.inf, math.nan, None, pd.NA, pd.NaT, "a\ud800",
    np.float64("nan"), np.bytes_(b"z"),
]  # fmt: skip

Values = Callable[[Random], list[Any]]
FAMILIES: dict[str, Values] = {
    "numbers": numbers, "integers": integers, "small": small_integers, "flags": flags,
    "texts": texts, "words": words, "broken": broken_texts, "bytes": binaries, "dates": dates,
    "moments": moments, "spans": spans, "times": times, "decimals": decimals, "mixed": mixed,
    "unlike": unlike, "nothing": lambda _: [None], "many": many_words,
}  # fmt: skip
_USUAL = {
    "numbers": 8, "integers": 2, "small": 3, "flags": 2, "texts": 4, "words": 6, "broken": 0.3,
    "bytes": 1, "dates": 1, "moments": 1.5, "spans": 1, "times": 1, "decimals": 1, "mixed": 1.5,
    "unlike": 0.1, "nothing": 0.7,
}  # fmt: skip


def family(random: Random, shares: dict[str, float] | None = None) -> str:
    """Draw a family, most often a usual one."""
    given = _USUAL if shares is None else shares
    return random.choices(list(given), list(given.values()))[0]
