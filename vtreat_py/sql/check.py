"""Whether a query gives what `prepare` gives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import FrameError, counted, listed
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.columns import EmptyColumn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.joint import NAMES, JointPart
from vtreat_py.frames.made import calendar_parts, joint_columns
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, Treatment
from vtreat_py.sql.coding_tables import coding_tables
from vtreat_py.sql.connection import Connection, numbers_or_text
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.level_codes import sql_keys
from vtreat_py.sql.plain_types import TYPES, plain_array
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
        where the query returned NULL, or another text) and ``rows_that_differ`` by more than the
        tolerance.
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
    names, source = choice.names, source.making(plan.made)
    expected = _columns_of(treated, names)
    treatments = choice.treatments(plan)
    name, row_id = f"vtreat_check_{uuid4().hex}", _row_id(plan)
    query = plan_to_sql(plan, (name,), choice, connection.dialect.name, row_id)
    table = _arrow(source, treatments).add_column(0, row_id, pa.array(np.arange(source.n_rows)))
    _check_held(table, connection.dialect)
    with connection.passing():
        connection.load(name, table)
        for coding in coding_tables(plan, treatments, query):
            connection.load(coding.name, coding.to_arrow(connection.dialect))
        found = connection.columns(query) or [np.empty(0)] * (len(names) + 1)
    rows = found[0].astype(np.intp)
    difference = np.zeros((len(rows), len(names)))
    for place, (ours, theirs) in enumerate(zip(expected, found[1:], strict=True)):
        difference[:, place] = _difference(theirs, ours[rows])
    return _compared(connection.dialect.name, names, rows, difference, source.n_rows, tolerance)


def _columns_of(treated: Any, names: Sequence[str]) -> list[NDArray[Any]]:
    if isinstance(treated, np.ndarray):
        return [numbers_or_text(column) for column in treated.T]
    frame = nw.from_native(treated, eager_only=True)
    columns = map(frame.get_column, names)
    # numpy's own text would lose a NUL at its end.
    return [c.to_numpy() if c.dtype.is_numeric() else numbers_or_text(c.to_list()) for c in columns]


def _difference(found: NDArray[Any], expected: NDArray[Any]) -> FloatArray:
    if object in (found.dtype, expected.dtype):
        return np.where(found == expected, 0.0, np.inf)
    difference = np.abs(found - expected)
    return np.where(np.isnan(difference), np.inf, difference)


def _compared(
    dialect: str,
    names: Sequence[str],
    rows: IntArray,
    difference: FloatArray,
    n_rows: int,
    tolerance: float,
) -> SqlCheck:
    differs = difference > tolerance
    wrong = np.ones(n_rows, dtype=bool)
    wrong[rows] = False
    wrong[rows[differs.any(axis=1)]] = True
    table = pd.DataFrame(
        {
            "variable": pd.Series(names, dtype=object),
            "largest_difference": difference.max(axis=0, initial=0.0),
            "rows_that_differ": differs.sum(axis=0),
        }
    )
    return SqlCheck(dialect, n_rows, len(rows), table, int(wrong.sum()), tolerance)


def _row_id(plan: Plan) -> str:
    name = "vtreat_row"
    taken = {str(column).lower() for column in [*plan.variables, *plan.feature_names]}
    while name in taken:
        name += "_"
    return name


def _arrow(source: InputFrame, treatments: Sequence[Treatment]) -> pa.Table:
    """Return treated columns as an Arrow table of types that engines have; NaN stays NaN."""
    arrays, made = [], source.made
    types = {t.column: _type_of(t) for t in treatments if t.column not in made}
    chosen = [made[t.column] for t in treatments if t.column in made]
    joint = [part for one in joint_columns(chosen) for part in one.parts]
    dates = calendar_parts([*chosen, *(made[p.column] for p in joint if p.column in made)])
    types |= {part.column: TYPES["date" if part.kind == "date" else "datetime"] for part in dates}
    types |= {p.column: _type_of_part(p) for p in joint if p.column not in _names(dates)}
    for column, type_ in types.items():
        try:
            if isinstance(source.making(()).read(column), EmptyColumn):
                arrays.append(pa.nulls(source.n_rows, type_))
            else:
                arrays.append(plain_array(_as_arrow(source.series(column))))
        except (pa.ArrowException, UnicodeEncodeError, OverflowError) as reason:
            raise FrameError(
                f"column {column!r} cannot be loaded into a table: {reason}. Leave it out of the "
                "comparison with variables="
            ) from reason
    if not arrays:
        return pa.table({"nothing": pa.nulls(source.n_rows, pa.float64())})
    return pa.table(arrays, names=[*map(str, types)])


def _names(parts: Sequence[CalendarPart]) -> set[Hashable]:
    return {part.name for part in parts}


def _type_of_part(part: JointPart) -> pa.DataType:
    return TYPES["number" if part.kind == NAMES else part.kind]


def _type_of(treatment: Treatment) -> pa.DataType:
    """Tell the type of a column of which the rows at hand say none, as they are all missing."""
    if isinstance(treatment, LevelTreatment):
        return TYPES[sql_keys(treatment.column, treatment.levels)[0]]
    return TYPES[treatment.kind]


def _as_arrow(series: nw.Series[Any]) -> pa.Array:
    native = series.to_native()
    if isinstance(native, pd.Series) and isinstance(native.dtype, np.dtype):
        return pa.array(native.to_numpy(), from_pandas=native.dtype.kind == "O")
    return series.to_arrow()


def _check_held(table: pa.Table, dialect: Dialect) -> None:
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_large_string(field.type):
            lost = [v for v in column.unique().to_pylist() if v and not dialect.holds(v)]
            if lost:
                raise FrameError(
                    f"column {field.name!r} holds {listed(lost)}, which {dialect.name} cannot hold "
                    "in text; compare without these rows, or leave the column out with variables="
                )
