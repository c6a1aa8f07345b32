"""The page for users of the Python package names what is here, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vtreat_py.compat as vtreat
from tests.compat.data import example

PAGE = Path(__file__).parents[2] / "vignettes" / "moving" / "from_python_vtreat.md"


def section(title: str) -> list[list[str]]:
    """Rows of the first table of a section."""
    text = PAGE.read_text(encoding="utf-8")
    (body,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    table = re.findall(r"(?:^\|.*\n)+", body, flags=re.MULTILINE)[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_key_of_params_is_on_the_page() -> None:
    listed = [word for row in section("Parameters") for word in words(row[0])]
    assert len(listed) == len(set(listed))
    assert set(listed) == {*vtreat.vtreat_parameters(), *vtreat.unsupervised_parameters()}


@pytest.mark.parametrize("module", ["util", "stats_utils", "partial_pooling_estimator"])
def test_the_functions_of_a_module_are_those_on_the_page(module: str) -> None:
    (names,) = (row[0] for row in section("Names") if row[0].startswith(f"`{module}`"))
    here = vars(getattr(vtreat, module))
    for name in words(names)[1:]:
        assert callable(here[name])
    own = {
        name
        for name, value in here.items()
        if getattr(value, "__module__", "") == f"vtreat_py.compat.{module}"
        and not name.startswith("_")
    }
    assert own <= set(words(names)[1:])


def test_everything_else_named_on_the_page_is_here() -> None:
    """Classes, methods, attributes, arguments."""
    treatment = vtreat.BinomialOutcomeTreatment(outcome_name="yc").fit(example())
    rows = [row[0] for row in section("Names")]
    for name in [*words(rows[0]), *words(rows[5]), *words(rows[-1])]:
        assert hasattr(vtreat, name)
    assert set(words(rows[1])) == set(treatment.get_params(deep=False))
    for name in [*words(rows[2]), *words(rows[3]), "result_restriction_"]:
        assert hasattr(treatment, name)
    for row in rows:
        for name in words(row):
            if "." in name:
                module, member = name.split(".")
                assert hasattr(getattr(vtreat, module), member)


def test_all_public_names_are_exported() -> None:
    listed = set(vtreat.__all__)
    assert {name for name in dir(vtreat) if not name.startswith("_")} == listed
