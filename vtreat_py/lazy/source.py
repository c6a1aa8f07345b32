"""Lazy frames of any engine, and files, as one kind of thing: a schema and a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, listed
from vtreat_py.base.log import query
from vtreat_py.base.names import told_apart
from vtreat_py.base.warn import warn
from vtreat_py.frames.lazy_frames import is_list_of_paths, wrapped_or_not
from vtreat_py.frames.made import MadeColumn
from vtreat_py.lazy.files import check_readable, open_path, open_paths, read_first

_ENGINES = {
    nw.Implementation.POLARS: "polars",
    nw.Implementation.DUCKDB: "duckdb",
    nw.Implementation.PYSPARK: "spark",
    nw.Implementation.PYSPARK_CONNECT: "spark",
    nw.Implementation.DASK: "dask",
    nw.Implementation.IBIS: "ibis",
}
# Engines to which x and X are one column.
_BLIND_TO_CASE = ("duckdb", "spark", "ibis")


@dataclass(frozen=True, eq=False)
class LazySource:
    """A lazy frame of the caller's: its schema, and where to ask for more. It holds no data.

    Attributes
    ----------
    frame : narwhals.LazyFrame
        Only names and types are taken from it: its columns may have names that an engine's
        expressions stumble over. `typed_frame` gives columns to compute with.
    columns : tuple of str
        Column names, all different.
    dtypes : dict from column name to narwhals dtype
    engine : str
        ``"polars"``, ``"duckdb"``, ``"spark"``, ``"dask"`` or ``"ibis"``.
    categorical : frozenset of str
        Columns of integers that are read as levels.
    missing_values : tuple of str
        Texts that mean missing.
    made : dict from name to CalendarPart or JointColumn
        Columns that are made of others when they are read.

    Examples
    --------
    >>> import polars as pl
    >>> source = LazySource.of(pl.LazyFrame({"town": ["Ayr", None], "size": [1, 2]}))
    >>> source.engine, source.columns
    ('polars', ('town', 'size'))
    """

    frame: nw.LazyFrame[Any]
    columns: tuple[str, ...]
    dtypes: dict[str, Any]
    engine: str
    categorical: frozenset[Hashable] = frozenset()
    missing_values: tuple[str, ...] = ()
    made: Mapping[Hashable, MadeColumn] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: Any) -> LazySource:
        """Wrap a lazy frame, or open a file with DuckDB; reads the schema only.

        Parameters
        ----------
        frame : polars LazyFrame, DuckDB relation, Spark DataFrame, Dask DataFrame, Ibis table, path
            A path (str or Path, ``*`` stands for anything) to Parquet or CSV files, a folder of
            Parquet files, or a list of paths is opened on DuckDB's default connection; pass a
            relation to choose another, or how CSV is read.

        Raises
        ------
        OptionTypeError
            If it is no lazy frame, or one of an engine that is not known here.
        InvalidOptionError
            If a path does not end like Parquet or CSV, or a list mixes the two.
        DependencyError
            If the engine is too old, or a path is given and DuckDB is not installed.
        FrameError
            If a file cannot be opened, a relation cannot be read, or two columns share a name.
        """
        if isinstance(frame, cls):
            return frame
        if isinstance(frame, str | Path):
            frame = open_path(str(frame))
        elif is_list_of_paths(frame):
            frame = open_paths([str(path) for path in frame])
        wrapped = wrapped_or_not(frame)
        engine = isinstance(wrapped, nw.LazyFrame) and _ENGINES.get(wrapped.implementation)
        if not engine:
            raise OptionTypeError(
                f"frame is of type {type(frame).__name__}; lazy frames are those of polars, "
                "DuckDB, Spark, Dask and Ibis, and paths to Parquet or CSV files"
            )
        if engine == "duckdb":
            check_readable(wrapped.to_native())
        schema = wrapped.collect_schema()
        # A schema has no two columns of a name. Nor has polars, which wants to be asked for it.
        names = tuple(schema if engine == "polars" else wrapped.columns)
        repeated = [name for name, n in Counter(names).items() if n > 1]
        if repeated:
            raise FrameError(
                f"several columns share a name: {listed(repeated)}; rename them, so that each "
                "column has a name of its own"
            )
        if engine == "duckdb":
            wrapped = nw.from_native(read_first(wrapped.to_native()))
        return cls(wrapped, names, dict(schema), engine)

    def read_by(
        self, missing_values: tuple[str, ...], categorical: Iterable[Hashable] = ()
    ) -> LazySource:
        """Read the columns by options of a design."""
        return replace(self, missing_values=missing_values, categorical=frozenset(categorical))

    def making(self, made: Iterable[MadeColumn]) -> LazySource:
        """Make columns of others when they are read."""
        return replace(self, made={one.name: one for one in made})

    @property
    def native(self) -> Any:
        """The frame as the engine knows it."""
        return self.frame.to_native()

    def count_rows(self) -> int:
        """Number of rows, by a query."""
        return int(collect(self.frame.select(n=nw.len()))["n"][0].as_py())

    def output_names(
        self, feature_names: Sequence[str], chosen: Sequence[str], kept: Sequence[str]
    ) -> list[str]:
        """Name the chosen variables so that the engine can tell them apart, with a warning.

        The name of one depends on all variables of the plan, not on which are chosen; ``kept`` are
        columns of this frame that are beside them.

        Raises
        ------
        FrameError
            If one of ``kept`` is a derived variable's name, to the engine.
        InvalidOptionError
            If the result would have no column.
        """
        if not (chosen or kept):
            raise InvalidOptionError(
                "no derived variable is left, and a lazy frame cannot be without columns; name "
                "row_id=, or keep more (see plan.score_frame)"
            )
        if self.engine not in _BLIND_TO_CASE:
            return list(chosen)
        apart = told_apart(feature_names)
        names = [apart[name] for name in chosen]
        lower = {name.lower(): name for name in names}
        taken = [(name, lower[name.lower()]) for name in kept if name.lower() in lower]
        if taken:
            raise FrameError(
                f"the column {taken[0][0]!r} and the derived variable {taken[0][1]!r} are one name "
                f"to {self.engine}, which does not tell upper from lower case; rename the column"
            )
        renamed = [f"{a!r} is called {b!r}" for a, b in zip(chosen, names, strict=True) if a != b]
        if renamed:
            warn(
                f"{self.engine} does not tell upper from lower case in names of columns: "
                f"{', '.join(renamed)} in its frames"
            )
        return names


def collect(frame: nw.LazyFrame[Any]) -> pa.Table:
    """Run a query, whose answer must fit into memory."""
    with query(frame.implementation.value):
        table: pa.Table = frame.collect("pyarrow").to_native()
    return table.select(list(frame.collect_schema()))  # Dask adds its index


def with_columns(frame: nw.LazyFrame[Any], wanted: Mapping[str, nw.Expr]) -> nw.LazyFrame[Any]:
    """Compute columns beside those that there are."""
    if frame.implementation is not nw.Implementation.DASK:
        return frame.with_columns(**wanted)
    return selected(frame, {name: nw.col(name) for name in frame.columns} | dict(wanted))


def selected(frame: nw.LazyFrame[Any], wanted: Mapping[str, nw.Expr]) -> nw.LazyFrame[Any]:
    """Compute columns, and leave out all others.

    Those of a Dask frame are computed together, partition by partition. Dask would add one to the
    other, which pandas calls slow, in a warning, if there are a hundred.
    """
    if frame.implementation is not nw.Implementation.DASK:
        return frame.select(*(value.alias(name) for name, value in wanted.items()))
    native = frame.to_native()
    found: nw.LazyFrame[Any] = nw.from_native(
        native.map_partitions(_selected, wanted, meta=_selected(native._meta, wanted))
    )
    return found


def _selected(part: Any, wanted: Mapping[str, nw.Expr]) -> Any:
    frame = nw.from_native(part, eager_only=True).with_columns(**wanted)
    return frame.select(*wanted).to_native()
