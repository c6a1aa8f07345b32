"""The packages that this one stands on, and the error where one is missing or too old."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from vtreat_py.base.errors import DependencyError

# The oldest versions that the tests pass with; pyproject.toml has the same.
REQUIRED = {
    "joblib": "1.4.2",
    "narwhals": "2.11",
    "numpy": "2.1",
    "pandas": "2.2.3",
    "pyarrow": "19.0",
    "scikit-learn": "1.6",
    "scipy": "1.14.1",
    "statsmodels": "0.14.4",
    "threadpoolctl": "3.5",
}
OPTIONAL = {
    "dask": "2025.1",
    "duckdb": "1.3",
    "ibis-framework": "10.0",
    "matplotlib": "3.9.2",
    "onnx": "1.17",
    "polars": "1.21",
    "pyspark": "4.0",
    "skl2onnx": "1.20",
    "scikit-survival": "0.24",
    "sympy": "1.13.3",
}
_EXTRA_OF = {
    "ibis-framework": "ibis",
    "matplotlib": "plot",
    "pyspark": "spark",
    "scikit-survival": "survival",
    "skl2onnx": "onnx",
    "sympy": "symbolic",
}
_PACKAGE_OF = {"ibis": "ibis-framework", "sksurv": "scikit-survival"}


@cache
def check_required() -> None:
    """Check the versions of all that the package needs.

    Raises
    ------
    DependencyError
        If one is too old.
    """
    for package in REQUIRED:
        _check_version(package)


def check_optional(module: str) -> None:
    """Check the version of an optional package, by the name of a module of it; others pass.

    Raises
    ------
    DependencyError
        If it is too old.
    """
    top = module.partition(".")[0]
    package = _PACKAGE_OF.get(top, top)
    if package in OPTIONAL:
        _check_version(package)


def optional_module(module: str, what_for: str) -> Any:
    """Import a module of an optional package.

    Parameters
    ----------
    module : str
    what_for : str
        What cannot be done without it, in the plural, for the message.

    Raises
    ------
    DependencyError
        If the package is not installed, or too old; it says how to install it.
    """
    check_optional(module)
    try:
        return import_module(module)
    except ModuleNotFoundError as reason:
        top = module.partition(".")[0]
        if reason.name != top:
            raise
        raise DependencyError(
            f"{what_for} need {top}, which is not installed: {_advice(top)}"
        ) from reason


@cache
def _check_version(package: str) -> None:
    from importlib.metadata import PackageNotFoundError, version

    needed = (REQUIRED | OPTIONAL)[package]
    try:
        found = version(package)
    except PackageNotFoundError:  # missing, or in a bundle that does not say what it holds
        return
    if _numbers(found) < _numbers(needed):
        raise DependencyError(
            f"{package} {found} is installed, but vtreat_py works with {needed} and newer: "
            f"{_advice(package)}"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first four numbers of a version; those that it has not are 0."""
    digits = re.match(r"[\d.]*", version)[0].split(".")  # type: ignore[index]
    return (*(int(d) for d in digits if d), 0, 0, 0, 0)[:4]


def _advice(package: str) -> str:
    """Say how to install it."""
    if package in REQUIRED:
        return f"pip install '{package}>={REQUIRED[package]}'"
    return f"pip install 'vtreat_py[{_EXTRA_OF.get(package, package)}]'"
