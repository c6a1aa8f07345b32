"""What the package needs is stated once, and an older version is an error that names it."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import vtreat_py as vt
from vtreat_py.base import dependencies as _dependencies
from vtreat_py.base.dependencies import OPTIONAL, REQUIRED, check_optional, check_required
from vtreat_py.base.errors import DependencyError
from vtreat_py.base.figures import new_figure
from vtreat_py.evaluation import score_formulas

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
NOT_OF_USERS = {"test", "dev", "doc", "benchmark", "warehouse"}


def floors(requirements: list[str]) -> dict[str, str]:
    stated = re.compile(r"^([\w-]+)(?:\[\w+\])?>=([\d.]+)$", re.MULTILINE)
    return dict(stated.findall("\n".join(requirements)))


def test_the_project_states_the_same_versions() -> None:
    assert floors(PROJECT["dependencies"]) == REQUIRED
    extras = PROJECT["optional-dependencies"]
    of_users = [r for extra in extras.keys() - NOT_OF_USERS for r in extras[extra]]
    assert floors(of_users) == OPTIONAL


@pytest.mark.parametrize("package", OPTIONAL)
def test_advice_names_the_extra(package: str) -> None:
    (extra,) = re.findall(r"'vtreat_py\[(\w+)\]'", _dependencies._advice(package))
    assert package in floors(PROJECT["optional-dependencies"][extra])


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Make a package look as if another version of it were installed."""
    versions: dict[str, str] = {}
    plain = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda p: versions.get(p) or plain(p))
    caches = (_dependencies.check_required, _dependencies._check_version)
    for cached in caches:
        cached.cache_clear()
    yield versions.__setitem__
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize("package", REQUIRED)
def test_each_required_package_is_checked(
    package: str, installed: Callable[[str, str], None]
) -> None:
    check_required()
    check_required.cache_clear()
    _dependencies._check_version.cache_clear()
    installed(package, "0.9.rc1")
    told = rf"{package} 0\.9\.rc1 is installed, but vtreat_py works with {REQUIRED[package]} and"
    with pytest.raises(DependencyError, match=told):
        check_required()


USES = {
    "polars": lambda: vt.design_treatments(pl.DataFrame({"x": [1, 2]}), outcome=[1, 2]),
    "duckdb": lambda: vt.design_treatments("rows.parquet", outcome="y"),
    "matplotlib": lambda: new_figure(1, 1),
    "scikit-survival": lambda: check_optional("sksurv.metrics"),
    "sympy": score_formulas,
    "onnx": lambda: plan().to_onnx(),
    "skl2onnx": vt.onnx_models.register_converters,
    "dask": lambda: check_optional("dask.dataframe.dask_expr._collection"),
    "ibis-framework": lambda: check_optional("ibis.expr.types.relations"),
    "pyspark": lambda: check_optional("pyspark.sql.classic.dataframe"),
}


def plan() -> vt.TreatmentPlan:
    return vt.design_treatments(pd.DataFrame({"x": [1.0, 2.0]}), outcome_type="unsupervised")


@pytest.mark.parametrize("package", OPTIONAL)
def test_an_optional_package_is_checked_on_use(
    package: str, installed: Callable[[str, str], None]
) -> None:
    installed(package, "0.9")
    told = rf"{package} 0\.9 is installed, but .*{OPTIONAL[package]} and newer: pip install "
    with pytest.raises(DependencyError, match=told):
        USES[package]()
    assert issubclass(DependencyError, vt.VtreatError)


@pytest.mark.parametrize(
    ("found", "old"),
    [("1.20.0", True), ("1.21", False), ("1.21.0rc1", False), ("1.3", True), ("2", False),
     ("1.20.9+local.5", True), ("1.21.dev0", False)],
)  # fmt: skip
def test_versions_are_compared_by_their_numbers(
    found: str, old: bool, installed: Callable[[str, str], None]
) -> None:
    installed("polars", found)
    if old:
        with pytest.raises(DependencyError):
            check_optional("polars")
    else:
        check_optional("polars")


def test_a_bundle_that_does_not_say_what_it_holds_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", unknown)
    _dependencies._check_version.cache_clear()
    check_optional("polars")
    _dependencies._check_version.cache_clear()


def test_the_error_comes_before_anything_fails_deep_inside() -> None:
    program = """
import importlib.metadata
plain = importlib.metadata.version
importlib.metadata.version = lambda package: "1.3" if package == "narwhals" else plain(package)
import vtreat_py
vtreat_py.design_treatments
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1]
    assert "DependencyError: narwhals 1.3 is installed, but vtreat_py works with 2.11 and" in last
