"""Files and folders as DuckDB relations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import FrameError, InvalidOptionError, listed
from vtreat_py.frames.lazy_frames import CSV, PARQUET


def open_path(path: str) -> Any:
    """Open a file, several by a pattern, or a folder of Parquet files."""
    if os.path.isdir(path):
        return open_paths([path])
    if not path.lower().endswith((*PARQUET, *CSV)):
        raise InvalidOptionError(
            f"frame={path!r} is a path that ends neither like Parquet {listed(PARQUET)} nor like "
            f"CSV {listed(CSV)}, and no folder"
        )
    return _opened(path, path)


def open_paths(paths: Sequence[str]) -> Any:
    """Open several files as one; what one of them lacks is missing there."""
    files = [file for path in paths for file in _files_of(path)]
    if len({_is_parquet(file) for file in files}) > 1:
        raise InvalidOptionError(
            f"frame={listed(paths)}: some are Parquet and some CSV; give those of one kind, or a "
            "DuckDB relation that joins both"
        )
    return _opened(files, listed(paths), union_by_name=True)


def _files_of(path: str) -> list[str]:
    """List the Parquet files of a folder and those in it; a file is one itself."""
    if not os.path.isdir(path):
        return [path]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        kept = (name for name in sorted(names) if not name.startswith((".", "_")))
        found += [os.path.join(folder, name) for name in kept if _is_parquet(name)]
    if not found:
        raise FrameError(
            f"frame={path!r} is a folder without Parquet files {listed(PARQUET)}; CSV files are "
            "given as 'folder/*.csv'"
        )
    return found


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(PARQUET)


def _opened(files: str | list[str], shown: str, **options: Any) -> Any:
    """Open files as a relation on DuckDB's default connection."""
    first = files if isinstance(files, str) else files[0]
    duckdb = optional_module("duckdb", f"paths to files (frame={shown!r})")
    read = duckdb.read_parquet if _is_parquet(first) else duckdb.read_csv
    try:
        return read(files, **options)
    except duckdb.Error as reason:
        raise FrameError(f"frame={shown!r} cannot be opened: {reason}") from reason


def check_readable(relation: Any) -> None:
    """Refuse a relation whose connection is closed, or busy with a result that is not read yet."""
    duckdb = optional_module("duckdb", "relations")
    try:
        relation.limit(0).fetchall()
    except duckdb.Error as reason:
        raise FrameError(f"the DuckDB relation cannot be read: {reason}") from reason


def read_first(relation: Any) -> Any:
    """Return a relation of the same rows that are read before they are computed with.

    DuckDB reads files of CSV as the types that they are cast to, where a relation is one: the text
    of a number then has the spaces of its field, and truth values are no numbers.
    """
    return relation.project("*")
