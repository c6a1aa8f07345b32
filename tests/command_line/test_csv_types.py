"""What fields of CSV are taken for."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from vtreat_py.command_line.csv_types import SeenFields, typed, typed_by_plan
from vtreat_py.command_line.errors import CommandLineError


def kind(*parts: list[str | None], missing: tuple[str, ...] = ()) -> str:
    seen = SeenFields(missing)
    for part in parts:
        seen.look(pa.array(part, pa.string()))
    return seen.kind.name


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["1", "-2", "+3", " 4 "], "whole number"),
        (["1", "2.5", ".5", "3.", "1e-3", "inf", "-Infinity"], "number"),
        (["1", "NA", "NaN", "null", "", None], "whole number"),
        (["01", "2"], "text"),
        (["0", "10", "-0"], "whole number"),
        (["0.5", "00.5"], "text"),
        (["1234567890123456701", "-9223372036854775808"], "whole number"),
        (["9999999999999999999", "1"], "text"),
        (["9999999999999999999", "1.5"], "number"),
        (["0x1F"], "text"),
        (["1,5"], "text"),
        (["true", "False", "TRUE", "NA"], "boolean"),
        (["true", "1"], "text"),
        (["2024-02-29"], "date"),
        (["2023-02-29"], "text"),
        (["29.02.2024"], "text"),
        (["2024-02-29 13:30", "2024-02-29T13:30:00.5"], "point in time"),
        (["2024-02-29T13:30Z", "2024-02-29 13:30:00+02:00"], "point in time with a zone"),
        (["2024-02-29", "2024-02-29 13:30"], "text"),
        (["NA", "NA"], "text"),
        ([None, ""], "text"),
        (["a", "1"], "text"),
        (["a\nb"], "text"),
        (["1\n"], "whole number"),
    ],
)
def test_fields_say_what_a_column_is(fields: list[str | None], expected: str) -> None:
    assert kind(fields) == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([["1"], ["2.5"]], "number"),
        ([["2.5"], ["1"]], "number"),
        ([["1"], [None], ["01"]], "text"),
        ([["1"], ["2024-02-29"], ["1"]], "text"),
        ([[None], ["1"]], "whole number"),
    ],
)
def test_all_parts_of_a_column_are_looked_at(parts: list[list[str | None]], expected: str) -> None:
    assert kind(*parts) == expected


def test_texts_that_mean_missing_leave_numbers_what_they_are() -> None:
    assert kind(["1", "?"]) == "text"
    assert kind(["1", "?"], missing=("?",)) == "whole number"


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["1", "+2", "NA"], [1, 2, None]),
        (["0.1", "1e400"], [0.1, float("inf")]),
        (["TRUE", "false"], [True, False]),
        (["NA", "a", " b"], ["NA", "a", " b"]),
    ],
)
def test_values_are_those_that_were_written(fields: list[str], values: list[Any]) -> None:
    seen, text = SeenFields(), pa.array(fields)
    seen.look(text)
    assert typed(text, seen.kind).to_pylist() == values


@pytest.mark.parametrize(
    ("word", "fields", "values"),
    [
        ("text", ["12", "007", "NA"], ["12", "007", "NA"]),
        ("number", ["007", "2", "NA"], [7.0, 2.0, None]),
        ("number", ["true", "False"], [1.0, 0.0]),
        ("names", ["12", "3"], [12, 3]),
        ("names", ["12.0", "3"], [12.0, 3.0]),
        ("number", [None, None], [None, None]),
    ],
)
def test_a_plan_says_what_a_column_is(word: str, fields: list[str], values: list[Any]) -> None:
    found = typed_by_plan("x", pa.array(fields, pa.string()), word, 0).to_pylist()
    assert found == values
    assert [*map(type, found)] == [*map(type, values)]


@pytest.mark.parametrize(
    ("word", "fields", "match"),
    [
        ("number", ["1", "old"], "column 'x' holds 'old' in row 12, .* designed on numbers"),
        ("date", ["2024-02-29 10:00"], "holds '2024-02-29 10:00' in row 11, .* on dates"),
        ("datetime", ["2024-02-29 10:00", "2024-02-29 10:00Z"], "mixes fields"),
        ("date", ["2024-02-30"], "holds '2024-02-30' in row 11, .* on dates"),
        ("date", ["2024-02-29", None, "2024-02-30", "2023-02-29"], "holds '2024-02-30' in row 13"),
        ("datetime", ["2024-02-29 10:00Z", "2023-02-29 10:00Z"], "holds '2023-02-29 10:00Z' in ro"),
        ("duration", ["1"], "holds a duration in the plan, which CSV does not tell"),
    ],
)
def test_what_does_not_fit_a_plan_is_named(word: str, fields: list[str], match: str) -> None:
    with pytest.raises(CommandLineError, match=match):
        typed_by_plan("x", pa.array(fields, pa.string()), word, 10)
