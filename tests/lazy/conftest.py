"""Engines that lazy frames are of: without one tests are skipped, with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

LAZY_ENGINES = ["polars", "duckdb", "spark", "dask", "ibis"]


@pytest.fixture(params=LAZY_ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Name of an engine."""
    return request.param


@pytest.fixture
def lazy(
    engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[pa.Table], Any]:
    """Make a lazy frame of the engine from an Arrow table."""
    if engine == "polars":
        polars = pytest.importorskip("polars")
        return lambda table: polars.from_arrow(table).lazy()
    if engine == "duckdb":
        connection = pytest.importorskip("duckdb").connect()  # to be held while relations are used
        return lambda table: connection.from_arrow(table)
    if engine == "spark":
        session = request.getfixturevalue("spark")
        return session.createDataFrame
    if engine == "dask":
        frames = pytest.importorskip("dask.dataframe")
        pandas = pytest.importorskip("pandas")
        # Threads share Python's filters of warnings: what one silences another lets through.
        config = pytest.importorskip("dask").config.config
        monkeypatch.setitem(config, "scheduler", "synchronous")
        return lambda table: frames.from_pandas(
            table.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=3
        )
    ibis = pytest.importorskip("ibis")
    return ibis.memtable
