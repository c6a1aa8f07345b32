"""Databases that queries run on: without one tests are skipped, with a reason."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
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
