"""What `help` says of everything public is complete, in order, and true of the signature."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, get_overloads

import pytest

PLACES = ["", ".plots", ".compat", ".compat.cross_plan", ".compat.effect_scaler",
          ".compat.partial_pooling_estimator", ".compat.stats_utils", ".compat.transform",
          ".compat.util", ".evaluation", ".onnx_models", ".split_plans", ".testing"]  # fmt: skip
BESIDE = [".compat", ".evaluation", ".split_plans"]  # where names are looked for, too
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (?P<type>.*))?$")
DEFAULT = re.compile(r", default=(.*)$")
AS_FOR = re.compile(r"As (?:for|in) `{1,2}([\w.]+)`|As there")
STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
# What is theirs is not looked for here.
OF_OTHERS = ("sklearn.", "scipy.", "numpy.", "statsmodels.")


@dataclass
class Entry:
    """A parameter, or several, of a docstring."""

    names: list[str]
    type: str | None
    text: list[str] = field(default_factory=list)

    @cached_property
    def default(self) -> str | None:
        found = DEFAULT.search(self.type or "")
        return found and found[1]


@dataclass(eq=False)
class Told:
    """A public thing, by its full name, and its docstring."""

    name: str
    thing: Any
    owner: type | None = None

    @cached_property
    def doc(self) -> str:
        return inspect.getdoc(self.thing) or ""

    @cached_property
    def sections(self) -> dict[str, str]:
        marks = [*SECTION.finditer(self.doc)]
        ends = [mark.start() for mark in marks[1:]] + [len(self.doc)] * bool(marks)
        return {
            mark[1]: self.doc[mark.end() : end].strip("\n")
            for mark, end in zip(marks, ends, strict=True)
        }

    @cached_property
    def is_property(self) -> bool:
        return hasattr(self.thing, "fget") or hasattr(self.thing, "func")

    @cached_property
    def is_error(self) -> bool:
        return inspect.isclass(self.thing) and issubclass(self.thing, BaseException)

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Those that are to be described, by the names that docstrings have."""
        if self.is_property or self.is_error:
            return {}
        signature = inspect.signature(self.function)
        if all(p.kind in STARS for p in signature.parameters.values()):  # one function for several
            forms = [*map(inspect.signature, get_overloads(self.function))] or [signature]
        else:
            forms = [signature]
        found = [p for form in forms for p in form.parameters.values()]
        return {STARS.get(p.kind, "") + p.name: p for p in found if p.name not in ("self", "cls")}

    @cached_property
    def function(self) -> Any:
        """What is called: not the method of a class, nor one that is there for some models only."""
        return getattr(self.thing, "__func__", getattr(self.thing, "fn", self.thing))

    def entries(self, section: str) -> list[Entry]:
        """What a section describes."""
        entries: list[Entry] = []
        for line in self.sections.get(section, "").splitlines():
            if line.startswith(" ") or not line:
                if entries:
                    entries[-1].text.append(line.strip())
            elif found := ENTRY.match(line):
                entries.append(Entry(found["names"].split(", "), found["type"]))
        return entries


def is_ours(thing: Any) -> bool:
    """Whether a class, function or property was written here."""
    thing = getattr(thing, "fget", None) or getattr(thing, "func", None) or inspect.unwrap(thing)
    thing = getattr(thing, "__func__", thing)
    return (getattr(thing, "__module__", None) or "").startswith("vtreat_py")


def everything() -> Iterator[Told]:
    """All that is public, with the public parts of classes."""
    for place in PLACES:
        module = import_module(f"vtreat_py{place}")
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, ModuleType) or not is_ours(thing):
                continue
            yield Told(f"{module.__name__}.{name}", thing)
            if inspect.isclass(thing):
                for part, found in parts_of(thing):
                    yield Told(f"{module.__name__}.{name}.{part}", found, thing)


def parts_of(owner: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class; fields are in its own docstring."""
    for part in dir(owner):
        found = inspect.getattr_static(owner, part)
        if not part.startswith("_") and is_ours(found):
            yield part, found


ALL = {told.name: told for told in everything()}
DELEGATE = [ALL["vtreat_py.evaluation.FoldWeightedSearchCV"].thing]  # calls those of a model
CALLABLE = {name: told for name, told in ALL.items() if not (told.is_property or told.is_error)}


def named(reference: str, told: Told) -> Told:
    """The thing that a docstring refers to."""
    above = told.name.rpartition(".")[0]
    places = (above, "vtreat_py", *(f"vtreat_py{place}" for place in BESIDE))
    return next(ALL[full] for place in places if (full := f"{place}.{reference}") in ALL)


@pytest.mark.parametrize("told", ALL.values(), ids=ALL)
def test_starts_with_a_sentence(told: Told) -> None:
    assert told.doc, "there is no docstring"
    first = told.doc.splitlines()[0]
    assert re.search(r"[.?:]$", first), first
    assert not first.startswith(" ")


def problems_of_parameters(told: Told) -> Iterator[str]:
    described = told.entries("Parameters")
    names, wanted = [name for entry in described for name in entry.names], list(told.parameters)
    if inspect.isclass(told.thing):  # constructors take options by name; pages have them by topic
        names, wanted = sorted(names), sorted(wanted)
    if names != wanted:
        yield f"describes {names}, the signature has {wanted}"
        return
    there = None
    for entry in described:
        refers = AS_FOR.match(" ".join(entry.text))
        if refers and entry.type is None:
            there = named(refers[1], told) if refers[1] else there
            yield from problems_of_reference(told, entry, there)
        elif entry.type is None and not entry.names[0].startswith("**"):
            yield f"does not say the type of {entry.names}"
        elif entry.type is not None:
            yield from problems_of_defaults(told, entry)


def problems_of_reference(told: Told, entry: Entry, there: Told | None) -> Iterator[str]:
    assert there is not None
    for name in entry.names:
        if name not in there.parameters:
            yield f"{name} is no parameter of {there.name}"
        elif there.parameters[name].default != told.parameters[name].default:
            yield f"{name} has another default than in {there.name}"


def problems_of_defaults(told: Told, entry: Entry) -> Iterator[str]:
    for name in entry.names:
        parameter = told.parameters[name]
        is_given = parameter.default is not parameter.empty
        if is_given != (entry.default is not None):
            yield f"{name} : {entry.type}, and the default is {parameter.default!r}"
        elif is_given and not says(entry.default or "", parameter.default):
            yield f"the default of {name} is {parameter.default!r}, not {entry.default}"


def says(text: str, default: Any) -> bool:
    """Whether a text is that of a default: a literal, NaN, or the name of a function."""
    if isinstance(default, float) and math.isnan(default):
        return text == "nan"
    try:
        told = ast.literal_eval(text)
        return bool(told == default) and isinstance(told, bool) == isinstance(default, bool)
    except (ValueError, SyntaxError):
        return text.rpartition(".")[2] == getattr(default, "__name__", None)


@pytest.mark.parametrize("told", CALLABLE.values(), ids=CALLABLE)
def test_describes_its_parameters_with_their_defaults(told: Told) -> None:
    if inspect.isclass(told.thing) and "Parameters" not in told.sections:
        assert "Attributes" in told.sections or not told.parameters
        return  # what users get, and do not make
    problems = list(problems_of_parameters(told))
    assert problems == []


@pytest.mark.parametrize("told", CALLABLE.values(), ids=CALLABLE)
def test_says_what_is_returned(told: Told) -> None:
    if inspect.isclass(told.thing):
        return
    returned = told.function.__annotations__.get("return", "None")
    assert ("Returns" in told.sections) == (str(returned) not in ("None", "NoReturn"))


@pytest.mark.parametrize("told", CALLABLE.values(), ids=CALLABLE)
def test_is_shown_in_an_example(told: Told) -> None:
    if told.owner in DELEGATE and told.doc.startswith("Call "):
        return
    own, name = told.sections.get("Examples", ""), told.name.rpartition(".")[2]
    of_class = inspect.getdoc(told.owner) or "" if told.owner else ""
    assert ">>> " in own or re.search(rf"(>>>|\.\.\.) .*\.{name}\(", of_class)


def exists(name: str, told: Told) -> bool:
    """Whether something in backticks is there: public, a parameter, or beside the thing."""
    if name.startswith(OF_OTHERS) or name in told.parameters:
        return True
    unwrapped = getattr(told.thing, "fget", None) or getattr(told.thing, "func", None)
    home = inspect.getmodule(unwrapped or told.function)
    public = map(import_module, ("vtreat_py", *(f"vtreat_py{place}" for place in BESIDE)))
    return any(
        reached(root, name.removeprefix("vtreat_py."))
        for root in (told.owner, told.thing, home, *public)
    )


def reached(root: Any, name: str) -> bool:
    """Whether a name with dots leads somewhere, submodules and fields of dataclasses included."""
    for part in name.split("."):
        if isinstance(root, ModuleType) and root.__name__.startswith("vtreat_py"):
            try:
                root = getattr(root, part, None) or import_module(f"{root.__name__}.{part}")
            except ModuleNotFoundError:
                return False
        else:
            fields = getattr(root, "__dataclass_fields__", {})
            root = getattr(root, part, None) or fields.get(part)
        if root is None:
            return False
    return True


@pytest.mark.parametrize("told", ALL.values(), ids=ALL)
def test_names_what_there_is(told: Told) -> None:
    single = re.findall(r"(?<![`:])`([A-Za-z_][\w.]*)`(?!`)", told.doc)
    ours = re.findall(r"``(vtreat_py\.[\w.]+)``", told.doc)
    absent = [name for name in [*single, *ours] if not exists(name, told)]
    assert absent == []


@pytest.mark.parametrize("place", PLACES)
def test_dir_lists_what_is_public_and_nothing_else(place: str) -> None:
    module = import_module(f"vtreat_py{place}")
    listed = {name for name in dir(module) if not name.startswith("__")}
    assert listed == {name for name in module.__all__ if not name.startswith("__")}
    assert {"__name__", "__doc__"} <= set(dir(module))
