"""Coding tables: the codes of columns of very many levels, to be joined by name."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import pandas as pd
import pyarrow as pa

from vtreat_py.base.checks import check_flag
from vtreat_py.base.errors import OptionTypeError
from vtreat_py.plan.data import Plan
from vtreat_py.plan.treatments import LevelTreatment, Treatment
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.level_codes import SqlCodes, held_codes

FEW_LEVELS = 20
MANY_LEVELS = 2000
LEVEL = "level"

_LONGEST = 30
_LONG = 1 << 20  # bytes of a query that most plans have room in
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, eq=False)
class CodingTable:
    """The unscaled codes of all variables of a column, by level.

    Attributes
    ----------
    name : str
        Holds a digest of the content: tables of another plan have other names.
    codes : SqlCodes
    """

    name: str
    codes: SqlCodes

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns: the level, and one for each variable of the column."""
        return [LEVEL, *(code_column(i) for i in range(self.codes.values.shape[1]))]

    def to_arrow(self, dialect: Dialect) -> pa.Table:
        """Return the levels that a table of an engine can hold as an Arrow table."""
        codes = held_codes(self.codes, dialect)
        types = {"text": pa.large_string(), "bytes": pa.large_binary()}
        level = pa.array(codes.keys, types.get(codes.kind, pa.float64()))
        kind = pa.large_string() if codes.values.dtype == object else pa.float64()
        values = [pa.array(one, kind) for one in codes.values.T]
        return pa.table([level, *values], names=self.columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a frame."""
        values = dict(zip(self.columns[1:], self.codes.values.T, strict=True))
        dtype = float if self.codes.kind not in ("text", "bytes") else None
        return pd.DataFrame({LEVEL: pd.Series(self.codes.keys, dtype=dtype), **values})


@dataclass(frozen=True)
class CodingPlace:
    """Where a query looks for coding tables, and how their names are written.

    Attributes
    ----------
    schema : tuple of str
        The parts of the name before that of the table.
    upper_case : bool
        Whether tables and their columns have their names in upper case.
    is_dbt : bool
        Whether the query is a model of dbt: coding tables without a schema are its seeds.
    """

    schema: tuple[str, ...] = ()
    upper_case: bool = False
    is_dbt: bool = False

    @classmethod
    def of(
        cls, schema: str | Sequence[str] | None, upper_case: bool = False, is_dbt: bool = False
    ) -> CodingPlace:
        """Check the options of `to_sql`."""
        parts = () if schema is None else (schema,) if isinstance(schema, str) else tuple(schema)
        if not all(isinstance(part, str) for part in parts):
            raise OptionTypeError(
                f"coding_schema={schema!r} must be the name of a schema, or a sequence of the "
                "parts of its name such as ('database', 'schema')"
            )
        return cls(parts, check_flag("coding_upper_case", upper_case), is_dbt)

    def cased(self, name: str) -> str:
        """Write a name of ours in the case that it is to have."""
        return name.upper() if self.upper_case else name

    def column(self, name: str, dialect: Dialect) -> str:
        """Write the name of a column of a table."""
        return dialect.quoted(name.upper()) if self.upper_case else dialect.own(name)


def code_column(place: int) -> str:
    """Name the column of a coding table that holds a variable, by its place in the column."""
    return f"code_{place + 1}"


def coding_table(plan: Plan, treatment: LevelTreatment, many: int) -> CodingTable | None:
    """Make the coding table of a column of a plan; None if it has not so many levels."""
    if len(treatment.levels) + len(plan.options.missing_values) <= many:
        return None
    codes = SqlCodes.of(treatment, variables_of(plan, treatment), plan.options.missing_values)
    return CodingTable(_table_name(codes), codes) if len(codes) > many else None


def variables_of(plan: Plan, treatment: LevelTreatment) -> list[DerivedVariable]:
    """Return the variables of a column, in the order of the plan."""
    return [v for v in plan.derived if v.orig_variable == treatment.column]


def coding_tables(
    plan: Plan, treatments: Iterable[Treatment], query: str | None, dialect: Dialect | None = None
) -> list[CodingTable]:
    """Make the coding tables of some columns of a plan.

    Those that a query joins; or without one those of many levels, or of more than a few where a
    dialect takes short queries only.
    """
    is_short = dialect is not None and (dialect.most_text or _LONG) < _LONG
    many = FEW_LEVELS if is_short else MANY_LEVELS
    chosen = [t for t in treatments if isinstance(t, LevelTreatment)]
    if query is not None:
        many, query = min(FEW_LEVELS, MANY_LEVELS), query.lower()
        chosen = [t for t in chosen if _prefix(t.column) in query]
    made = [coding_table(plan, t, many) for t in chosen]
    found = [table for table in made if table is not None]
    return found if query is None else [table for table in found if table.name in query]


def _table_name(codes: SqlCodes) -> str:
    digest = blake2b(digest_size=8)
    keys = [key.hex() if isinstance(key, bytes) else key for key in codes.keys]
    digest.update(json.dumps([codes.kind, keys]).encode())
    if codes.values.dtype == object:
        digest.update(json.dumps(codes.values.tolist()).encode())
    else:
        digest.update(np.ascontiguousarray(codes.values, dtype="<f8").tobytes())
    return f"{_prefix(codes.column)}{digest.hexdigest()}"


def _prefix(column: Hashable) -> str:
    plain = _NOT_PLAIN.sub("_", str(column).lower())[:_LONGEST].strip("_") or "column"
    return f"vtreat_{plain}_"
