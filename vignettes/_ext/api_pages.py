"""A page for each public name, in ``api/generated``: written anew at each build, never kept."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.ext.autosummary import Autosummary

MODULES = ["", ".evaluation", ".onnx_models", ".plots", ".compat", ".split_plans", ".testing"]
UNDERLINED = "{title}\n{line}\n\n"


def public_names() -> dict[str, Any]:
    """Return what is public, by the full names that users write."""
    named = {}
    for place in MODULES:
        module = import_module(f"vtreat_py{place}")
        for name in module.__all__:
            full = f"{module.__name__}.{name}"
            if name != "__version__" and full.removeprefix("vtreat_py") not in MODULES:
                named[full] = getattr(module, name)
    return named


def is_ours(member: Any) -> bool:
    """Whether a class's member was written here, and not by a base class of another package."""
    member = getattr(member, "fget", None) or getattr(member, "func", None) or member
    member = inspect.unwrap(getattr(member, "__func__", member))
    return str(getattr(member, "__module__", "")).startswith("vtreat_py")


def members(thing: type) -> tuple[list[str], list[str], list[str]]:
    """Return the names of a class's properties, of its methods, and of what it inherits."""
    properties, methods, inherited = [], [], []
    for name in dir(thing):
        member = inspect.getattr_static(thing, name)
        is_property = isinstance(member, property) or hasattr(member, "func")
        if name.startswith("_") or not (is_property or callable(getattr(thing, name))):
            continue
        if not is_ours(member):
            inherited.append(name)
        elif is_property:
            properties.append(name)
        else:
            methods.append(name)
    return properties, methods, inherited


def page(full: str, thing: Any) -> str:
    """Return the reStructuredText of a name's page."""
    module, _, name = full.rpartition(".")
    title = full.removeprefix("vtreat_py.")
    text = UNDERLINED.format(title=title, line="=" * len(title))
    if inspect.ismodule(thing):
        return text + _of_module(full, thing)
    text += f".. currentmodule:: {module}\n\n"
    if not inspect.isclass(thing):
        return f"{text}.. autofunction:: {name}\n"
    kind = "exception" if issubclass(thing, BaseException) else "class"
    text += f".. auto{kind}:: {name}\n\n"
    return text if kind == "exception" else text + _of_class(name, thing)


def _of_module(full: str, module: Any) -> str:
    """Return what a module has: links to names that have a page, and all else in full."""
    text = f".. automodule:: {full}\n\n.. currentmodule:: {full}\n\n"
    linked = []
    for name in getattr(module, "__all__", _written_in(full, module)):
        thing, public = getattr(module, name), f"{full.rpartition('.')[0]}.{name}"
        if public in public_names():
            linked.append(f"`{public}`")
            continue
        kind = "autoclass" if inspect.isclass(thing) else "autofunction"
        text += f".. {kind}:: {name}\n\n"
        if inspect.isclass(thing):
            text += "".join(f"   .. automethod:: {method}\n\n" for method in members(thing)[1])
    return text + (f"It has {', '.join(linked)}.\n" if linked else "")


def _written_in(full: str, module: Any) -> list[str]:
    """Return the public functions and classes that were written in a module."""
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == full
    ]


def _of_class(name: str, thing: type) -> str:
    """Return tables of a class's members, each with its documentation, and a line on the rest."""
    properties, methods, inherited = members(thing)
    text = ""
    for title, directive, names in (
        ("Properties", "autoattribute", properties),
        ("Methods", "automethod", methods),
    ):
        if names:
            text += UNDERLINED.format(title=title, line="-" * len(title))
            text += ".. autosummary::\n\n"
            text += "".join(f"   {name}.{member}\n" for member in names) + "\n"
            text += "".join(f".. {directive}:: {name}.{member}\n\n" for member in names)
    if inherited:
        title = "Inherited"
        text += UNDERLINED.format(title=title, line="-" * len(title))
        text += ", ".join(f"``{member}``" for member in inherited)
        text += ": as all estimators of scikit-learn have them.\n" if _estimates(thing) else ".\n"
    return text


def _estimates(thing: type) -> bool:
    return hasattr(thing, "get_params")


def write_pages(app: Any) -> None:
    """Write the pages that have changed, and remove those of names that are gone."""
    folder = Path(app.srcdir, "api", "generated")
    folder.mkdir(exist_ok=True)
    pages = {f"{full}.rst": page(full, thing) for full, thing in public_names().items()}
    for old in folder.glob("*.rst"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


class PublicNames(Autosummary):
    """A table of names with their pages: those listed, or all of a module."""

    option_spec = Autosummary.option_spec | {"module": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the table, each name of which has a page."""
        module = self.options.pop("module", None)
        if module is not None:
            names = [name for name in public_names() if name.rpartition(".")[0] == module]
            self.content = StringList([f"~{name}" for name in names], self.get_source_info()[0])
        self.options |= {"toctree": "generated", "nosignatures": True}
        return super().run()


def escape_names(
    _app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]
) -> None:
    """Names that end in an underscore, in types of parameters, are no references."""
    for number, line in enumerate(lines):
        head, colon, kind = line.partition(" : ")
        if colon and head.replace(", ", "").replace("*", "").isidentifier():
            lines[number] = head + colon + re.sub(r"(?<=\w)_(?=[\s,)]|$)", r"\\_", kind)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-docstring", escape_names, priority=400)  # before numpydoc
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
