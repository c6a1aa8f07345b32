"""Engines that tests run on: each is started once; without it tests are skipped, with a reason."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

LAZY_ENGINES = ["polars", "duckdb", "spark", "dask", "ibis"]


@pytest.fixture
def sqlite() -> Iterator[sqlite3.Connection]:
    """An empty database of SQLite."""
    with closing(sqlite3.connect(":memory:")) as connection:
        yield connection


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
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A connection to a PostgreSQL server of our own on the loopback, each statement committed."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    with running_postgres() as address, psycopg.connect(address, autocommit=True) as connection:
        yield connection


class running_postgres:  # noqa: N801 (used as a function)
    """Start a server in a directory that is removed with it; the value is its address."""

    def __enter__(self) -> str:
        programs = postgres_programs()
        if programs is None:
            pytest.skip("PostgreSQL's initdb and pg_ctl are not installed")
        self.pg_ctl = str(programs / "pg_ctl")
        self.home = Path(tempfile.mkdtemp(prefix="vtreat_pg_"))
        self.home.chmod(0o755)
        self.data = self.home / "data"
        self.data.mkdir(mode=0o700)
        if os.getuid() == 0:  # the server refuses to run as root
            shutil.chown(self.data, "nobody")
        initdb = str(programs / "initdb")
        self._run(initdb, "-D", str(self.data), "-U", "tester", "-A", "trust", "-E", "UTF8",
                  "--locale=C", "--no-sync")  # fmt: skip
        port = free_port()
        options = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        )
        log = str(self.data / "log")
        self._run(self.pg_ctl, "-D", str(self.data), "-w", "-l", log, "-o", options, "start")
        return f"host=127.0.0.1 port={port} user=tester dbname=postgres"

    def __exit__(self, *_: object) -> None:
        self._run(self.pg_ctl, "-D", str(self.data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.home)

    def _run(self, *command: str) -> None:
        subprocess.run(
            command,
            check=True,
            cwd="/",
            user="nobody" if os.getuid() == 0 else None,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def postgres_programs() -> Path | None:
    """Find the newest server that Debian has installed, or else the one on the PATH."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found = sorted(installed, key=lambda p: int(p.parts[-3]) if p.parts[-3].isdigit() else 0)
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return None if on_path is None else Path(on_path).resolve().parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(params=LAZY_ENGINES)
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
        connection = pytest.importorskip("duckdb").connect()  # to be held while relations are used
        return lambda table: connection.from_arrow(table)
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
