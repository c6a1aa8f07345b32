"""Whether a query gives what `prepare` gives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.errors import FrameError, counted, listed
from vtreat_py.frames.frame import InputFrame
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.sql.coding_tables import coding_tables
from vtreat_py.sql.connections import Connection
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.query import plan_to_sql


@dataclass(frozen=True, eq=False)
class SqlCheck:
    """How a query compares with `prepare`, row by row.

    Attributes
    ----------
    dialect : str
    n_rows : int
        Rows of the frame.
    n_rows_returned : int
        Rows that the query returned.
    differences : pandas.DataFrame
        A row for each derived variable: ``variable``, ``largest_difference`` (absolute; infinite
        where the query returned NULL) and ``rows_that_differ`` by more than the tolerance.
    rows_that_differ : int
        Rows of the frame that differ in some variable, or were not returned.
    tolerance : float
    """

    dialect: str
    n_rows: int
    n_rows_returned: int
    differences: pd.DataFrame
    rows_that_differ: int
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether each row came back once, and no number differs by more than the tolerance."""
        return self.n_rows == self.n_rows_returned and self.rows_that_differ == 0

    @property
    def largest_difference(self) -> float:
        """The largest absolute difference of all variables; 0 without any."""
        return float(self.differences["largest_difference"].max()) if len(self.differences) else 0.0

    def __repr__(self) -> str:
        lines = [
            f"SqlCheck: {self.dialect} {'passed' if self.passed else 'FAILED'}, "
            f"{counted(self.n_rows, 'row')} x {counted(len(self.differences), 'variable')}, "
            f"largest difference {self.largest_difference:.3g}, "
            f"{counted(self.rows_that_differ, 'row')} that differ"
        ]
        if self.n_rows_returned != self.n_rows:
            lines.append(f"the query returned {counted(self.n_rows_returned, 'row')}")
        worst = self.differences[self.differences["rows_that_differ"] > 0]
        if len(worst):
            worst = worst.sort_values("largest_difference", ascending=False, kind="stable")
            lines.append(worst.head(12).to_string(index=False, float_format=lambda x: f"{x:.3g}"))
        return "\n".join(lines)


def check_sql(
    plan: Plan,
    connection: Connection,
    source: InputFrame,
    treated: Any,
    choice: Choice,
    tolerance: float,
) -> SqlCheck:
    """Run a query on the rows of a treated frame; see `TreatmentPlan.check_sql`."""
    names = choice.names
    if not isinstance(treated, np.ndarray):
        treated = nw.from_native(treated, eager_only=True).to_numpy()
    expected = np.asarray(treated, dtype=np.float64).reshape(source.n_rows, len(names))
    treatments = choice.treatments(plan)
    columns = _arrow(source, [t.column for t in treatments])
    table, row_id = _with_row_id(columns, plan.feature_names)
    _check_held(table, connection.dialect)
    name = f"vtreat_check_{uuid4().hex}"
    query = plan_to_sql(plan, (name,), choice, connection.dialect.name, row_id)
    with connection.passing():
        connection.load(name, table)
        for coding in coding_tables(plan, treatments):
            connection.load(coding.name, coding.to_arrow(connection.dialect))
        found = connection.numbers(query).reshape(-1, len(names) + 1)
    return _compared(connection.dialect.name, names, found, expected, tolerance)


def _compared(
    dialect: str, names: Sequence[str], found: FloatArray, expected: FloatArray, tolerance: float
) -> SqlCheck:
    rows = found[:, 0].astype(np.intp)
    difference = np.abs(found[:, 1:] - expected[rows])
    difference[np.isnan(difference)] = np.inf
    differs = difference > tolerance
    wrong = np.ones(len(expected), dtype=bool)
    wrong[rows] = False
    wrong[rows[differs.any(axis=1)]] = True
    table = pd.DataFrame(
        {
            "variable": pd.Series(names, dtype=object),
            "largest_difference": difference.max(axis=0, initial=0.0),
            "rows_that_differ": differs.sum(axis=0),
        }
    )
    return SqlCheck(dialect, len(expected), len(rows), table, int(wrong.sum()), tolerance)


def _with_row_id(table: pa.Table, derived: Sequence[str]) -> tuple[pa.Table, str]:
    name = "vtreat_row"
    taken = {column.lower() for column in [*table.column_names, *derived]}
    while name in taken:
        name += "_"
    return table.add_column(0, name, pa.array(np.arange(table.num_rows))), name


def _arrow(source: InputFrame, columns: list[Hashable]) -> pa.Table:
    """Return columns as an Arrow table of plain types; NaN stays NaN."""
    arrays = []
    for column in columns:
        series = source.frame.get_column(column)  # type: ignore[arg-type]
        try:
            arrays.append(_plain(_as_arrow(series)))
        except (pa.ArrowException, UnicodeEncodeError) as reason:
            raise FrameError(
                f"column {column!r} cannot be loaded into a table: {reason}. Leave it out of the "
                "comparison with variables="
            ) from reason
    names = [str(column) for column in columns]
    if not arrays:
        return pa.table({"nothing": pa.nulls(source.n_rows, pa.float64())})
    return pa.table(arrays, names=names)


def _as_arrow(series: nw.Series[Any]) -> pa.Array:
    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, np.dtype):
        return pa.array(native.to_numpy(), from_pandas=native.dtype.kind == "O")
    return series.to_arrow()


def _plain(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Use one type for text, one for bytes, and microseconds, which Python's own types have."""
    t = pa.types
    if t.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    kind = plain = values.type
    if t.is_string(kind) or t.is_string_view(kind):
        plain = pa.large_string()
    elif t.is_binary(kind) or t.is_binary_view(kind) or t.is_fixed_size_binary(kind):
        plain = pa.large_binary()
    elif t.is_null(kind):
        plain = pa.float64()
    elif t.is_float16(kind):  # DuckDB has no such type
        plain = pa.float32()
    elif t.is_timestamp(kind) or t.is_duration(kind):
        coarse = pa.duration("us") if t.is_duration(kind) else pa.timestamp("us", kind.tz)
        with suppress(pa.ArrowInvalid):  # there are nanoseconds
            return values.cast(coarse)
    return values if plain == kind else values.cast(plain)


def _check_held(table: pa.Table, dialect: Dialect) -> None:
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_large_string(field.type):
            lost = [v for v in column.unique().to_pylist() if v and not dialect.holds(v)]
            if lost:
                raise FrameError(
                    f"column {field.name!r} holds {listed(lost)}, which {dialect.name} cannot hold "
                    "in text; compare without these rows, or leave the column out with variables="
                )
