"""Lazy frames of every engine that is installed."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

ENGINES = ["polars", "duckdb", "spark", "dask", "ibis"]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local Spark session, quiet and small."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.codegen.wholeStage", "false")  # compiling costs more than running
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()
        )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Name of an engine."""
    return request.param


@pytest.fixture
def lazy(engine: str, request: pytest.FixtureRequest) -> Callable[[pa.Table], Any]:
    """Make a lazy frame of the engine from an Arrow table."""
    if engine == "polars":
        polars = pytest.importorskip("polars")
        return lambda table: polars.from_arrow(table).lazy()
    if engine == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        return lambda table: duckdb.connect().from_arrow(table)
    if engine == "spark":
        session = request.getfixturevalue("spark")
        return session.createDataFrame
    if engine == "dask":
        frames = pytest.importorskip("dask.dataframe")
        pandas = pytest.importorskip("pandas")
        return lambda table: frames.from_pandas(
            table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=3
        )
    ibis = pytest.importorskip("ibis")
    return ibis.memtable
