"""Databases that queries run on: without one tests are skipped, with a reason."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def sqlite() -> Iterator[sqlite3.Connection]:
    """An empty database of SQLite."""
    with closing(sqlite3.connect(":memory:")) as connection:
        yield connection


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
            " -c jit=off"
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


@pytest.fixture(scope="session")
def mysql() -> Iterator[Any]:
    """A connection to a MariaDB server of our own behind a socket, each statement committed."""
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    with running_mariadb() as socket_path:
        connection = pymysql.connect(unix_socket=socket_path, user="root", autocommit=True)
        with closing(connection), closing(connection.cursor()) as cursor:
            cursor.execute("CREATE DATABASE tests")
            cursor.execute("USE tests")
            yield connection


class running_mariadb:  # noqa: N801 (used as a function)
    """Start a server in a directory that is removed with it; the value is its socket."""

    def __enter__(self) -> str:
        install, server = (
            shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
            for name in ("mariadb-install-db", "mariadbd")
        )
        if install is None or server is None:
            pytest.skip("MariaDB's mariadb-install-db and mariadbd are not installed")
        self.home = Path(tempfile.mkdtemp(prefix="vtreat_my_"))
        user = f"--user={getpass.getuser()}"  # as root it would not start without
        data = f"--datadir={self.home / 'data'}"
        subprocess.run(
            [install, "--no-defaults", data, user, "--auth-root-authentication-method=normal",
             "--skip-test-db"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        path = self.home / "socket"
        self.server = subprocess.Popen(
            [server, "--no-defaults", data, user, "--skip-networking", f"--socket={path}",
             f"--pid-file={self.home / 'pid'}", "--innodb-flush-log-at-trx-commit=0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + 60
        while not path.exists():
            if time.monotonic() > end or self.server.poll() is not None:
                pytest.skip("MariaDB does not start here")
            time.sleep(0.05)
        return str(path)

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait(60)
        shutil.rmtree(self.home)


@pytest.fixture(scope="session")
def clickhouse() -> Iterator[Any]:
    """A session of ClickHouse in this process."""
    session = pytest.importorskip("chdb.session", reason="chdb is not installed")
    with session.Session() as made:
        yield made
