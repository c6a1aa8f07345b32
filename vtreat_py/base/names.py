"""Names of derived variables: R vtreat's, without its collisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

_WORDS = {
    "!": "bang", "@": "at", "#": "hash", "$": "dollar", "%": "percent", "^": "pow",
    "&": "amp", "*": "star", "(": "oparen", ")": "cparen", "-": "minus", "+": "plus",
    "=": "eq", "<": "lt", ">": "gt", ":": "colon", ";": "semi", "'": "tick", "`": "btick",
    "~": "tilde", '"': "quote", ",": "comma", "?": "qmark", "/": "slash", "\\": "bslash",
    "|": "bar", "{": "obrace", "}": "cbrace", "[": "obrack", "]": "cbrack",
}  # fmt: skip
_SPELLED = str.maketrans({sign: f"_{word}_" for sign, word in _WORDS.items()})
_SEPARATORS = re.compile(r"[\W_]+")
_RESERVED = frozenset(
    """if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA
    NA_integer_ NA_real_ NA_character_ NA_complex_""".split()  # noqa: SIM905 (a list of words)
)


def is_itself(name: Any) -> bool:
    """Whether a name equals itself, so that it can be looked up: NaN, NaT and NA do not."""
    if isinstance(name, tuple):
        return all(map(is_itself, name))
    try:
        return bool(name == name)
    except TypeError:  # NA is neither
        return False


def is_name(value: Any) -> bool:
    """Whether it can be looked up, as a missing value or a tuple with a list in it cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return is_itself(value)


def munge(proposed: Sequence[str]) -> list[str]:
    """Turn proposed names into plain ones, unique among themselves, by R vtreat's rules.

    Signs become words, other runs of non-alphanumeric characters one underscore, a name
    starts with a letter, and repeats get ``_1``, ``_2``, ...

    Examples
    --------
    >>> munge(["hours-per-week", "a%", "1abc", "a b", "a_b"])
    ['hours_minus_per_minus_week', 'a_percent_', 'X1abc', 'a_b', 'a_b_1']
    """
    plain = [_SEPARATORS.sub("_", name.translate(_SPELLED)) for name in proposed]
    syntactic = [_syntactic(name) for name in plain]
    unchanged = {new for old, new in zip(plain, syntactic, strict=True) if old == new}
    given: set[str] = set()
    names = []
    for old, new in zip(plain, syntactic, strict=True):
        name, count = new, 0
        while name in given or (name in unchanged and not (name == new == old)):
            count += 1
            name = f"{new}.{count}"
        given.add(name)
        names.append(name.replace(".", "_"))
    return names


def _syntactic(name: str) -> str:
    if not name:
        return "X"
    if not name[0].isalpha():
        name = f"X{name}"
    return f"{name}." if name in _RESERVED else name


def told_apart(names: Sequence[str]) -> dict[str, str]:
    """Names for systems that take ``a`` and ``A`` for one name, as most databases do.

    A name that differs from an earlier one in case only gets ``_2``, ``_3``, ... appended, the
    first that is free; all others stay.

    Examples
    --------
    >>> told_apart(["x_lev_x_a", "x_lev_x_A", "x_catB"])
    {'x_lev_x_a': 'x_lev_x_a', 'x_lev_x_A': 'x_lev_x_A_2', 'x_catB': 'x_catB'}
    """
    lower = {name.lower() for name in names}
    given: set[str] = set()
    apart = {}
    for name in names:
        free, count = name, 1
        while free.lower() in given or (free != name and free.lower() in lower):
            count += 1
            free = f"{name}_{count}"
        given.add(free.lower())
        apart[name] = free
    return apart


class NameRegister:
    """Gives derived variables names that nothing else has.

    A derived variable keeps R vtreat's name unless an input column, the outcome or an earlier
    derived variable has it; then ``_2``, ``_3``, ... is appended, the first that is free. Only
    the clean copy of a column may carry that column's own name.
    """

    def __init__(self, reserved: Iterable[str]) -> None:
        self._reserved = frozenset(reserved)
        self._given: set[str] = set()

    def claim(self, name: str, column: str | None = None) -> str:
        """Give out ``name``, or the first numbered variant of it that is free."""
        free, count = name, 1
        while free in self._given or (free in self._reserved and free != column):
            count += 1
            free = f"{name}_{count}"
        self._given.add(free)
        return free
