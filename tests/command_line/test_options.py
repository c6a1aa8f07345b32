"""Options are those of the functions, and each value is read."""

from __future__ import annotations

import inspect
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

import pytest

import vtreat_py as vt
from vtreat_py.command_line import values
from vtreat_py.command_line.options import CHOICE, DESIGN, NOT_OF_DESIGN, PRUNING, Option
from vtreat_py.command_line.parser import parser
from vtreat_py.command_line.words import in_words


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    return {name: one.default for name, one in inspect.signature(function).parameters.items()}


def test_every_option_of_a_design_is_there() -> None:
    known = [name for name in parameters(vt.design_treatments) if name not in NOT_OF_DESIGN]
    assert [option.name for option in DESIGN] == known


def test_every_option_of_prepare_is_there() -> None:
    others = {"plan", "frame", "extra_columns", "row_id", "sparse_output"}
    assert {option.name for option in CHOICE} == {*parameters(vt.prepare)} - others
    assert {option.name for option in PRUNING} <= {*parameters(vt.cross_frame_experiment)}


@pytest.mark.parametrize("option", [*DESIGN, *CHOICE], ids=lambda option: option.flag)
def test_defaults_are_those_of_the_functions(option: Option) -> None:
    told = re.search(r"\(default: ([\w.]+)\)", option.help)
    default = (parameters(vt.design_treatments) | parameters(vt.prepare))[option.name]
    if option.name == "cv":
        assert told is not None
        assert (told[1], default) == ("5", None)
    elif told is None:
        assert default in (None, (), False)
    elif told[1] == "all":
        assert default is None
    else:
        assert told[1] == str(default)


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (values.names, "a,b", ["a", "b"]),
        (values.names, '"a,b","c ""d"""', ["a,b", 'c "d"']),
        (values.names, "ä ö,-x", ["ä ö", "-x"]),
        (values.composites, "a:b,c:d:e", [("a", "b"), ("c", "d", "e")]),
        (values.composites, '"a:b":c', [("a:b", "c")]),
        (values.pairs, 'zip=county,"a=b"=0', [("zip", "county"), ("a=b", "0")]),
        (values.number_or_word, "3", 3),
        (values.number_or_word, "0.5", 0.5),
        (values.number_or_word, "auto", "auto"),
        (values.number_or_word, "none", None),
        (values.calendar, "none", None),
        (values.calendar, "month,hour", ["month", "hour"]),
        (values.sign, ";", ";"),
        (values.sign, r"\t", "\t"),
        (values.table_name, "a.b", ["a", "b"]),
        (values.table_name, '"a.b"', ["a.b"]),
        (values.table_name, "(SELECT 1)", "(SELECT 1)"),
        (values.table_name, "selected", ["selected"]),
    ],
)
def test_values_are_read(read: Callable[[str], Any], text: str, expected: Any) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (values.names, "a,,b"),
        (values.names, '"a'),
        (values.pairs, "a"),
        (values.pairs, "a=b=c"),
        (values.number, "x"),
        (values.whole_number, "1.5"),
        (values.sign, ";;"),
        (values.sign, ""),
        (values.sign, "§"),
    ],
)
def test_what_cannot_be_read_is_refused(read: Callable[[str], Any], text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        read(text)


def test_lists_may_be_given_in_several_options() -> None:
    arguments = ["design", "t.csv", "--plan", "p.json", "--variables", "a,b", "--variables=-c"]
    assert parser().parse_args(arguments).variables == ["a", "b", "-c"]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("sample_weight='w' is not a column", "--sample-weight w is not a column"),
        ("leave the column out with variables=", "leave the column out with --variables"),
        ("coders=['lev', 'catB'] has no code", "--coders lev,catB has no code"),
        ('significance="ordered" reckons', "--significance ordered reckons"),
        ("target='a b' is", "--target 'a b' is"),
        ("the outcome has two\nclasses", "the outcome has two classes"),
        ("variables names ['z']", "--variables names ['z']"),
        ("scale=True needs an outcome", "--scale needs an outcome"),
    ],
)
def test_messages_are_in_the_words_of_the_command_line(message: str, said: str) -> None:
    assert in_words(message) == said
