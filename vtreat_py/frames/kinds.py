"""Kinds of frames by their types: what goes in comes out, so that editors know its methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy.typing as npt

# A frame that comes back as the same kind, whatever it is.
FrameT = TypeVar("FrameT")

Array: TypeAlias = npt.NDArray[Any]
# A list of dicts, which is a pandas frame.
DictRows: TypeAlias = Sequence[Mapping[Any, Any]]
# Rows as lists, which are an array, or a list of paths, which is a relation of DuckDB.
Listed: TypeAlias = Sequence[Any]
# Files, which are a relation of DuckDB.
Files: TypeAlias = str | Path


class _Collects(Protocol):
    """Lazy frames of polars and Spark."""

    def collect(self, *args: Any, **options: Any) -> Any: ...


class _Computes(Protocol):
    """Frames of Dask."""

    def compute(self, *args: Any, **options: Any) -> Any: ...


class _Executes(Protocol):
    """Tables of Ibis and relations of DuckDB."""

    def execute(self, *args: Any, **options: Any) -> Any: ...


LazyT = TypeVar("LazyT", bound=_Collects | _Computes | _Executes)
