"""What the package says, in the words of the command line, on one line."""

from __future__ import annotations

import re

from vtreat_py.command_line.options import CHOICE, DESIGN

_OPTIONS = {one.name: one.flag for one in (*DESIGN, *CHOICE)} | {"extra_columns": "--keep"}
# An option in a message: at once with its value, or as what the message begins with.
_WITH_VALUE = re.compile(rf"\b({'|'.join(_OPTIONS)})=(\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\w[\w.+-]*|)")
_AT_THE_START = re.compile(rf"^({'|'.join(_OPTIONS)})(?= (?:names|holds|has|must|is)\b)")
_JOINED = re.compile(rf"\b({'|'.join(name for name in _OPTIONS if '_' in name)})\b")
# What there is in Python alone.
_OTHERS = {
    "the frame": "the table",
    "The frame": "The table",
    "a data frame": "a table",
    "give a column name or an array": "name a column by --outcome",
    " (BinomialOutcomeTreatment, MultinomialOutcomeTreatment)": " by --outcome-type",
    " (MultinomialOutcomeTreatment, NumericOutcomeTreatment)": " by --outcome-type",
    " (NumericOutcomeTreatment)": " by --outcome-type numeric",
    "plan.score_frame": "`vtreat_py scores`",
    "plan.feature_names": "`vtreat_py scores`",
    "report.frame": "`vtreat_py audit --csv`",
    "or prepare a frame in memory": "or leave --lazy out",
    ' (pandas.to_numeric(..., errors="coerce"))': "",
    ' (pandas.to_datetime(..., errors="coerce"))': "",
    "=True": "",
    " or None, ": " or leaving it out, ",
    "Train on fit_transform (or cross_frame_experiment)": "Train on cross_frame_experiment",
    "cross_frame_experiment": "`vtreat_py cross-frame`",
}


def in_words(message: str) -> str:
    """Say a message of the package in the words of the command line.

    Examples
    --------
    >>> in_words("outcome='prize' is not a column of the frame; did you mean 'price'?")
    "--outcome prize is not a column of the table; did you mean 'price'?"
    """
    said = _WITH_VALUE.sub(_with_value, message)
    said = _AT_THE_START.sub(lambda found: _OPTIONS[found[1]], said)
    said = _JOINED.sub(lambda found: _OPTIONS[found[1]], said)
    for name, here in _OTHERS.items():
        said = said.replace(name, here)
    return " ".join(said.split())


def _with_value(found: re.Match[str]) -> str:
    flag, value = _OPTIONS[found[1]], found[2]
    if not value or value in ("True", "False", "None"):
        return flag
    if value[0] in "\"'" and " " not in value:
        value = value[1:-1]
    if value.startswith("["):
        value = value[1:-1].replace("'", "").replace('"', "").replace(", ", ",")
    return f"{flag} {value}"
