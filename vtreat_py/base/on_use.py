"""Public names: of a package, imported when they are first used (PEP 562), and of a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_on_use(
    namespace: dict[str, Any], module_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    namespace : dict
        The ``globals()`` of the package.
    module_of : mapping of str to str
        The module of the package that each name is in; a name in itself is that module.
    """
    package = namespace["__name__"]

    def get_attribute(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from vtreat_py.base.dependencies import check_required  # not when nothing is used

        check_required()
        module = import_module(f"{package}.{module_of[name]}")
        namespace[name] = module if module_of[name] == name else getattr(module, name)
        return namespace[name]

    def list_names() -> list[str]:
        return sorted({*module_of, *(name for name in namespace if name.startswith("__"))})

    return get_attribute, list_names


def public_names(namespace: dict[str, Any]) -> Callable[[], list[str]]:
    """Make ``__dir__`` of a module: what it exports, and not what it imports.

    Parameters
    ----------
    namespace : dict
        The ``globals()`` of the module, with its ``__all__``.
    """

    def list_names() -> list[str]:
        return sorted({*namespace["__all__"], *(n for n in namespace if n.startswith("__"))})

    return list_names
