"""Frames that many tests share, in every kind of data frame; Spark, which two folders need."""

from __future__ import annotations

import gc
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

# Tests are many small problems, and workers share the cores: threads of linear algebra would wait
# for each other up to twenty times as long as they compute.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vtreat_py as vt
from vtreat_py.significance import draws

# Engines that take seconds for a query, or a server: their tests are among the long ones.
SLOW_ENGINES = {"spark", "dask", "ibis", "postgres", "mysql", "clickhouse"}

TEXT_DTYPE = "str" if int(pd.__version__.split(".")[0]) >= 3 else "string"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as long what asks for a slow engine, and about every second case of halved tests."""
    for item in items:
        asked = {*getattr(item, "fixturenames", ())}
        if hasattr(item, "callspec"):
            asked |= {v for v in item.callspec.params.values() if isinstance(v, str)}
        is_left_out = item.get_closest_marker("halved") and zlib.crc32(item.name.encode()) % 2
        if asked & SLOW_ENGINES or is_left_out:
            item.add_marker("long")


def pytest_collection_finish() -> None:
    """Let no collection of garbage look at the tests themselves, which are there to the end.

    At its first law hypothesis looks for what refers to its source of randomness, and would not
    see it among what is frozen: so that law comes first.
    """
    given(st.none())(lambda _: None)()
    gc.freeze()


def pytest_runtest_setup() -> None:
    """Deal folds without a seed the same way each time: what no test expects would come at last."""
    np.random.seed(0)  # noqa: NPY002 - what an estimator without a seed draws from


def checkered(*factors: dict[str, Any]) -> list[Any]:
    """Parameters for all combinations of factors; every second one, as on a chessboard, is long.

    Of three factors or more, any values of any two still meet in the suite that is not long.
    """
    return [
        pytest.param(
            *(value for _, value in cell),
            id="-".join(name for name, _ in cell),
            marks=pytest.mark.long if sum(places) % 2 else (),
        )
        for places in product(*(range(len(one)) for one in factors))
        for cell in [[list(one.items())[i] for one, i in zip(factors, places, strict=True)]]
    ]


def is_text(values: list[Any]) -> bool:
    return any(isinstance(v, str) for v in values)


def pandas_frame(data: dict[str, list[Any]], text: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(v, dtype=text if is_text(v) else None) for name, v in data.items()}
    )


def arrow_backed(data: dict[str, list[Any]]) -> pd.DataFrame:
    return pa.table(data).to_pandas(types_mapper=pd.ArrowDtype)


NULLABLE = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}


def nullable(data: dict[str, list[Any]]) -> pd.DataFrame:
    frame = pandas_frame(data, object)
    for name, values in data.items():
        types = {type(v) for v in values if v is not None}
        if len(types) == 1 and types <= set(NULLABLE):
            frame[name] = pd.array(values, dtype=NULLABLE[types.pop()])
    return frame


def unsorted_levels(values: list[Any]) -> list[str]:
    """Levels of a text column in an order of their own, and one that does not occur."""
    return ["no row has me", *sorted({v for v in values if v is not None}, reverse=True)]


def categorical(data: dict[str, list[Any]]) -> pd.DataFrame:
    frame = pandas_frame(data, object)
    for name, values in data.items():
        if is_text(values):
            frame[name] = pd.Categorical(values, unsorted_levels(values), ordered=True)
    return frame


def polars_categorical(data: dict[str, list[Any]]) -> pl.DataFrame:
    pl.Series(["some", "other", "levels"], dtype=pl.Categorical)  # codes need not start at 0
    text = [name for name, values in data.items() if is_text(values)]
    return pl.DataFrame(data).with_columns(pl.col(text).cast(pl.Categorical))


def polars_enum(data: dict[str, list[Any]]) -> pl.DataFrame:
    text = {name: pl.Enum(unsorted_levels(v)) for name, v in data.items() if is_text(v)}
    return pl.DataFrame(data, schema_overrides=text)


def large_text(data: dict[str, list[Any]]) -> pa.Table:
    return pa.table(
        {name: pa.array(v, pa.large_string()) if is_text(v) else v for name, v in data.items()}
    )


def dictionaries(data: dict[str, list[Any]]) -> pa.Table:
    """Text as codes into lists of levels with a null and a repeat among them."""

    def encoded(values: list[Any]) -> pa.Array:
        if not is_text(values):
            return pa.array(values)
        levels = [*unsorted_levels(values), None, values[0]]
        codes = [None if v is None else levels.index(v) for v in values]
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int16()), pa.array(levels))

    return pa.table({name: encoded(values) for name, values in data.items()})


def in_chunks(data: dict[str, list[Any]]) -> pa.Table:
    """Several chunks, one of them empty; dictionaries of text differ from chunk to chunk."""
    whole = pa.table(data)
    pieces = [whole.slice(0, 3), whole.slice(3, 0), whole.slice(3, 8), whole.slice(11)]
    text = [name for name, values in data.items() if is_text(values)]

    def chunked(name: str) -> pa.ChunkedArray:
        parts = [piece.column(name).combine_chunks() for piece in pieces]
        if name in text:
            parts = [pa.array(part.to_pylist(), part.type).dictionary_encode() for part in parts]
        return pa.chunked_array(parts)

    return pa.table({name: chunked(name) for name in data})


@dataclass(frozen=True)
class FrameKind:
    """One way to hold a table; ``make`` takes columns of Python values, None being missing."""

    name: str
    native: type
    make: Callable[[dict[str, list[Any]]], Any]


FRAME_KINDS = [
    FrameKind("pandas-numpy", pd.DataFrame, lambda data: pandas_frame(data, object)),
    FrameKind("pandas-str", pd.DataFrame, lambda data: pandas_frame(data, TEXT_DTYPE)),
    FrameKind("pandas-nullable", pd.DataFrame, nullable),
    FrameKind("pandas-arrow", pd.DataFrame, arrow_backed),
    FrameKind("pandas-category", pd.DataFrame, categorical),
    FrameKind("polars", pl.DataFrame, pl.DataFrame),
    FrameKind("polars-categorical", pl.DataFrame, polars_categorical),
    FrameKind("polars-enum", pl.DataFrame, polars_enum),
    FrameKind("pyarrow", pa.Table, pa.table),
    FrameKind("pyarrow-large", pa.Table, large_text),
    FrameKind("pyarrow-dictionary", pa.Table, dictionaries),
    FrameKind("pyarrow-chunks", pa.Table, in_chunks),
]


@pytest.fixture(params=FRAME_KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> FrameKind:
    return request.param


def arrays(frame: Any) -> dict[str, np.ndarray]:
    """Columns of any kind of frame as numpy arrays."""
    wrapped = nw.from_native(frame, eager_only=True)
    return {name: wrapped.get_column(name).to_numpy() for name in wrapped.columns}


def assert_same_values(left: Any, right: Any) -> None:
    """Two frames of any kinds have the same columns, in order, equal to the bit."""
    ours, theirs = arrays(left), arrays(right)
    assert list(ours) == list(theirs)
    for name, values in ours.items():
        np.testing.assert_array_equal(values, theirs[name], err_msg=name, strict=True)


def assert_close(left: Any, right: Any, rtol: float = 1e-9, atol: float = 1e-12) -> None:
    """Two frames of any kinds have the same columns, in order, equal to rounding."""
    ours, theirs = arrays(left), arrays(right)
    assert list(ours) == list(theirs)
    for name, values in ours.items():
        np.testing.assert_allclose(values, theirs[name], rtol, atol, err_msg=name)


def assert_same_scores(left: vt.TreatmentPlan, right: vt.TreatmentPlan) -> None:
    """Two plans have equal score frames."""
    pd.testing.assert_frame_equal(left.score_frame, right.score_frame)


def example_columns(n_rows: int = 240, seed: int = 7) -> dict[str, list[Any]]:
    """Text with signal and missing values, numbers with missing values, flags, two outcomes."""
    random = np.random.default_rng(seed)
    x = random.choice(["a", "b", "c", "d", None], n_rows, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    g = random.choice(["u", "v", "w"], n_rows)
    z = random.normal(size=n_rows).round(3)
    flag = random.random(n_rows) < 0.4
    effect = np.array([{"a": 2.0, "b": 0.5, "c": -1.0, "d": -2.0, None: 1.0}[v] for v in x])
    signal = effect + z + 0.5 * flag + random.normal(size=n_rows)
    known = random.random(n_rows) < 0.85
    return {
        "x": x.tolist(),
        "g": g.tolist(),
        "z": [float(v) if k else None for v, k in zip(z, known, strict=True)],
        "flag": flag.tolist(),
        "size": [int(v) for v in random.integers(0, 9, n_rows)],
        "y": [float(v) for v in signal.round(3)],
        "c": ["yes" if v > 0 else "no" for v in signal],
    }


@pytest.fixture(scope="module")
def few_draws() -> Iterator[None]:
    """p-values that are drawn rest on a tenth of the draws, for tests that do not judge them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_FIRST_DRAWS", "_DRAWS", "_SETTLED"):
            patch.setattr(draws, name, getattr(draws, name) // 10)
        yield


@pytest.fixture(scope="module")
def columns() -> dict[str, list[Any]]:
    return example_columns()


@pytest.fixture
def frame(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """The example columns as a pandas frame."""
    return pd.DataFrame(columns)


@pytest.fixture(params=["numeric", "binomial"])
def outcome(request: pytest.FixtureRequest) -> str:
    """Name of the numeric and of the binomial outcome of the example columns."""
    return {"numeric": "y", "binomial": "c"}[request.param]


TREATED = ["x", "g", "z", "flag", "size"]


@pytest.fixture
def design(frame: pd.DataFrame, outcome: str) -> Callable[..., vt.TreatmentPlan]:
    """Design on the example frame, with other options as given."""

    def make(**options: Any) -> vt.TreatmentPlan:
        given: dict[str, Any] = {"outcome": outcome, "variables": TREATED, "random_state": 0}
        return vt.design_treatments(frame, **given | options)

    return make


@pytest.fixture
def fresh() -> pd.DataFrame:
    """A frame like the example frame, of other rows."""
    return pd.DataFrame(example_columns(60, seed=8))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local Spark session, in UTC. It does not compile queries: small frames are faster so."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    session = (
        sql.SparkSession.builder.master("local[1]")
        .appName("vtreat_py tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    # narwhals looks at a session's zone once: that is to be UTC, whichever test comes first.
    nw.from_native(session.sql("SELECT TIMESTAMP'1970-01-01 00:00:00 UTC' AS t")).collect_schema()
    yield session
    session.stop()
