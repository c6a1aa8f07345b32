"""The words of the Python package ``vtreat`` for what this package derives."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

TREATMENT_OF_CODE = {
    "clean": "clean_copy",
    "isBAD": "missing_indicator",
    "lev": "indicator_code",
    "catP": "prevalence_code",
    "catB": "logit_code",
    "catN": "impact_code",
    "catD": "deviation_code",
}
CODE_OF_TREATMENT = {treatment: code for code, treatment in TREATMENT_OF_CODE.items()}
MISSING = "_NA_"

_SPELLED = str.maketrans(
    {"(": "_op_", ")": "_cp_", "[": "_osq_", "]": "_csq_", "<": "_lt_", ">": "_gt_", ".": "_"}
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Variable:
    """A derived variable: its name here and in the plan, and what the score frame says of it.

    Also a column that is added to the frame before there is a plan, which its ``native`` names.
    """

    name: str
    native: str
    orig_variable: Hashable
    treatment: str
    y_aware: bool = False


def clean_string(text: str) -> str:
    """Return a level as it stands in the name of its indicator.

    Brackets and comparison signs become words, dots and runs of white space an underscore;
    all else stays.

    Examples
    --------
    >>> clean_string("[40-50)"), clean_string("> 8"), clean_string("St. Ives")
    ('_osq_40-50_cp_', '_gt__8', 'St__Ives')
    """
    return _SPACE.sub("_", str(text).strip().translate(_SPELLED))


def derived_name(column: Hashable, code: str, level: Any = None, target: Any = None) -> str:
    """Name of a derived variable in the Python package.

    Examples
    --------
    >>> derived_name("x", "isBAD"), derived_name("x", "lev", "a b"), derived_name("x", "lev")
    ('x_is_bad', 'x_lev_a_b', 'x_lev__NA_')
    >>> derived_name("x", "catB"), derived_name("x", "catB", target="red")
    ('x_logit_code', 'x_logit_code_red')
    """
    if code == "clean":
        return str(column)
    if code == "isBAD":
        return f"{column}_is_bad"
    if code == "lev":
        return f"{column}_lev_{MISSING if level is None else clean_string(level)}"
    name = f"{column}_{TREATMENT_OF_CODE[code]}"
    return name if target is None else f"{name}_{target}"
