"""The package works without its optional neighbours, and does not load what it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import vtreat_py

WITHOUT_POLARS = """
import sys

class NoPolars:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("polars", "_polars_runtime_32"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoPolars())
"""

EVERY_JOB = """
import json
import pandas as pd
import pyarrow as pa
import vtreat_py as vt

columns = {
    "x": (["a", "b", None, "b", "c"] * 12),
    "z": [None if i % 7 == 0 else float(i % 11) for i in range(60)],
    "y": [float(i % 5 + i % 3) for i in range(60)],
}
results = {}
for name, frame in {"pandas": pd.DataFrame(columns), "pyarrow": pa.table(columns)}.items():
    made = vt.cross_frame_experiment(frame, outcome="y", random_state=0)
    assert vt.design_treatments(frame, outcome="y", random_state=0) == made.plan
    treated = vt.prepare(made.plan, frame[:9], extra_columns=["y"])
    fitted = vt.NumericOutcomeTreatment(random_state=0, prune_sig=None).fit_transform(frame, "y")
    assert type(made.cross_frame) is type(treated) is type(fitted) is type(frame)
    results[name] = [
        {c: list(map(float, f[c].to_numpy())) for c in made.plan.feature_names}
        for f in (made.cross_frame, treated, fitted)
    ]
assert results["pandas"] == results["pyarrow"]
"""


def run(program: str) -> Any:
    """What a fresh interpreter prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def jobs() -> Any:
    """What one interpreter has loaded after more and more work, and results with polars loaded."""
    return run(f"""
import sys
{EVERY_JOB}
told = {{"treated": list(sys.modules)}}

for dialect in ("duckdb", "sqlite", "postgres", "spark"):
    made.plan.to_sql("t", dialect=dialect)
told["written"] = list(sys.modules)

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import vtreat_py.compat

x, y = pd.DataFrame(columns)[["x", "z"]], columns["y"]
for prune_sig in ("plausible", "recommended", 0.5):
    treatment = vt.NumericOutcomeTreatment(random_state=0, prune_sig=prune_sig)
    fitted = make_pipeline(treatment, StandardScaler()).fit(x, y)
    fitted.transform(x.head(3))
vtreat_py.compat.NumericOutcomeTreatment(outcome_name="y").fit(pd.DataFrame(columns), y)
repr(made.plan), made.plan._repr_html_()
vt.prepare(made.plan, x.head(3), prune_sig=0.5, prune_by="sig_fdr")
made.plan.score_frame
told["chosen"] = list(sys.modules)

import polars
{EVERY_JOB}
print(json.dumps(told | {{"results with polars": results["pandas"]}}))
""")


def packages(modules: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_the_package_works_when_polars_is_missing(jobs: dict[str, Any]) -> None:
    say = 'print(json.dumps([results["pandas"], "polars" in sys.modules]))'
    without, loaded = run(f"{WITHOUT_POLARS}\n{EVERY_JOB}\n{say}")
    assert not loaded
    assert without == jobs["results with polars"]


def test_frames_of_other_kinds_do_not_load_polars(jobs: dict[str, Any]) -> None:
    assert "pandas" in packages(jobs["treated"])
    assert "polars" not in packages(jobs["treated"])


def test_queries_of_the_tested_dialects_need_no_engine(jobs: dict[str, Any]) -> None:
    engines = {"duckdb", "chdb", "pymysql", "psycopg", "pyspark", "sqlite3"}
    assert not packages(jobs["written"]) & engines


def test_no_treatment_loads_statsmodels(jobs: dict[str, Any]) -> None:
    assert "statsmodels" not in packages(jobs["chosen"])


@pytest.fixture(scope="module")
def names() -> Any:
    """What one interpreter has loaded and lists when it imports one thing after another."""
    return run(
        """
import json, sys
import vtreat_py
told = {"package": list(sys.modules)}
import vtreat_py.api.plan
told["plan"] = list(sys.modules)
vtreat_py.prepare
told["dir"] = dir(vtreat_py)
told["listed"] = [name for name in vtreat_py.__all__ if name in dir(vtreat_py)]
told["found"] = [name for name in vtreat_py.__all__ if getattr(vtreat_py, name) is not None]
from vtreat_py import *
assert TreatmentPlan is vtreat_py.TreatmentPlan and split_plans is vtreat_py.split_plans
print(json.dumps(told))
"""
    )


def test_importing_the_package_loads_no_optional_or_slow_module(names: dict[str, Any]) -> None:
    avoided = {"polars", "statsmodels", "matplotlib", "sympy", "duckdb", "tqdm", "rich", "pyspark"}
    heavy = {"numpy", "pandas", "sklearn", "scipy"}
    assert "vtreat_py" in packages(names["package"])
    assert not packages(names["package"]) & (avoided | heavy)


def test_plans_do_not_load_what_writes_queries_and_models(names: dict[str, Any]) -> None:
    left = ("vtreat_py.sql", "vtreat_py.onnx_graph", "onnx", "skl2onnx")
    assert "vtreat_py.api.plan" in names["plan"]
    assert not [name for name in names["plan"] if name.startswith(left)]


def test_public_names_are_imported_on_use(names: dict[str, Any]) -> None:
    assert names["found"] == names["listed"] == vtreat_py.__all__


def test_the_names_that_are_listed_are_the_public_ones(names: dict[str, Any]) -> None:
    public = [name for name in names["dir"] if not name.startswith("__")]
    assert public == [name for name in vtreat_py.__all__ if name != "__version__"]


PACKAGES = ["vtreat_py", "vtreat_py.evaluation"]


@pytest.mark.parametrize(
    ("asked", "modules_first"), [(PACKAGES[:1], False), (PACKAGES[1:], False), (PACKAGES, True)]
)
def test_public_names_are_what_they_say_whatever_is_imported_first(
    asked: list[str], modules_first: bool
) -> None:
    """A function must not give way to a module of its name."""
    program = f"""
import json
from importlib import import_module
from inspect import getclosurevars, ismodule
from pkgutil import iter_modules

packages = [import_module(name) for name in {asked}]
for package in packages if {modules_first} else []:
    for module in iter_modules(package.__path__):
        if module.name != "__main__":
            import_module(f"{{package.__name__}}.{{module.name}}")
told = []
for package in packages:
    module_of = getclosurevars(package.__getattr__).nonlocals["module_of"]
    wrong = [
        name
        for name, module in module_of.items()
        if ismodule(getattr(package, name)) != (name == module)
        or getattr(package, name).__name__.rpartition(".")[2] != name
        or name not in dir(package)
    ]
    public = [name for name in package.__all__ if getattr(package, name) is not None]
    told.append([sorted(public), sorted(module_of), wrong])
print(json.dumps(told))
"""
    for public, on_use, wrong in run(program):
        assert wrong == []
        assert sorted({*public} - {"__version__"}) == on_use


def test_unknown_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="module 'vtreat_py' has no attribute 'treatments'"):
        vtreat_py.treatments  # noqa: B018
