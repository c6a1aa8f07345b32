"""How the house is laid out: who may import whom, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import vtreat_py

HOME = Path(vtreat_py.__file__).parent
GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
PICTURE = "<!-- The picture, which `python -m tests.test_house` writes -->"
END = "<!-- End of the picture -->"
# A file imports its own folder and those before it, also inside functions and under TYPE_CHECKING.
FLOORS = [
    "base", "statistics", "significance", "frames", "outcome", "folds", "coders", "plan", "design",
    "audit", "sql", "onnx_graph", "report", "memory", "private", "lazy", "kept", "api",
    "estimators", "yaware",
]  # fmt: skip
# The roof, which uses what users use.
ROOF = {
    "__init__", "__main__", "command_line", "plots", "compat", "testing", "split_plans",
    "onnx_models",
}  # fmt: skip
BESIDE = "evaluation"
NEVER_TOGETHER = [
    ("memory", "lazy"),
    ("audit", "sql"),
    ("sql", "lazy"),
    ("sql", "onnx_graph"),
    ("report", "audit"),
    ("report", "sql"),
]


@cache
def modules() -> dict[str, Path]:
    """Each file of the package by its dotted name below it; a folder's own by the folder's."""
    named = {}
    for path in HOME.rglob("*.py"):
        parts = path.relative_to(HOME).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"] = path
    return named


def imported(name: str) -> Iterator[str]:
    """The files of the package that one imports."""
    for node in ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            wanted = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        else:
            continue
        for one in wanted:
            top, _, below = one.partition(".")
            if top == "vtreat_py":
                parent = below.rpartition(".")[0]
                yield below if below in modules() else parent or "__init__"


def folder(name: str) -> str:
    return name.partition(".")[0]


@cache
def imports() -> dict[str, set[str]]:
    return {name: set(imported(name)) - {name} for name in modules()}


def picture() -> str:
    """Folders as a flowchart of Mermaid, with arrows to those that they import.

    An arrow is left out where others lead to the same folder.
    """
    wanted: dict[str, set[str]] = {folder(name): set() for name in modules()}
    for name, known in imports().items():
        wanted[folder(name)] |= {folder(one) for one in known} - {folder(name)}
    below: dict[str, set[str]] = {}  # all that is reached from a folder
    for name in TopologicalSorter(wanted).static_order():
        below[name] = wanted[name].union(*(below[one] for one in wanted[name]))
    arrows = [
        f"    {name} --> {one}"
        for name in [*sorted(ROOF), BESIDE, *reversed(FLOORS)]
        for one in sorted(wanted[name])
        if not any(one in below[other] for other in wanted[name])
    ]
    roof = [f"        {name}" for name in sorted(ROOF)]
    chart = ["flowchart TD", "    subgraph roof", *roof, "    end", *arrows]
    return "\n".join(["```mermaid", *chart, "```"]).replace("__init__", "vtreat_py")


def drawn_anew(text: str) -> str:
    """A text with the picture of today between its marks."""
    before, _, rest = text.partition(PICTURE)
    return f"{before}{PICTURE}\n{picture()}\n{END}{rest.partition(END)[2]}"


def test_each_file_is_at_home_somewhere() -> None:
    assert {folder(name) for name in modules()} == {*FLOORS, *ROOF, BESIDE}


def test_no_file_imports_what_stands_above_it() -> None:
    floor = {name: i for i, name in enumerate(FLOORS)}
    upward = [
        f"{name} imports {one}"
        for name, wanted in imports().items()
        if folder(name) in floor
        for one in wanted
        if floor.get(folder(one), len(FLOORS)) > floor[folder(name)]
    ]
    assert upward == []


def test_no_files_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        pytest.fail(f"in a circle: {' imports '.join(error.args[1])}")


@pytest.mark.parametrize(("one", "other"), NEVER_TOGETHER)
def test_neighbours_do_not_know_each_other(one: str, other: str) -> None:
    found = [
        f"{name} imports {wanted}"
        for name in modules()
        for wanted in imports()[name]
        if {folder(name), folder(wanted)} == {one, other}
    ]
    assert found == []


def test_evaluation_stands_on_the_ground() -> None:
    known = {folder(one) for name in modules() if folder(name) == BESIDE for one in imports()[name]}
    assert known <= {BESIDE, "base"}


@pytest.mark.skipif(not GUIDE.exists(), reason="CONTRIBUTING.md is not in what is distributed")
def test_the_picture_is_that_of_the_source() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert text.count(PICTURE) == text.count(END) == 1
    assert text == drawn_anew(text), "write it anew with: python -m tests.test_house"


if __name__ == "__main__":
    GUIDE.write_text(drawn_anew(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
