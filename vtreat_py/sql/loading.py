"""Coding tables, loaded into an engine."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from vtreat_py.plan.data import Plan
from vtreat_py.sql.coding_tables import CodingTable, coding_tables
from vtreat_py.sql.connections import Connection
from vtreat_py.sql.dialect import Dialect
from vtreat_py.sql.level_codes import held_codes


def load_coding_tables(plan: Plan, connection: Connection) -> list[str]:
    """Make the coding tables of a plan; see `TreatmentPlan.load_coding_tables`."""
    tables = coding_tables(plan, plan.treatments)
    for table in tables:
        connection.create(table.name, held_table(table, connection.dialect))
    return [table.name for table in tables]


def held_table(table: CodingTable, dialect: Dialect) -> pa.Table:
    """Return a coding table of the levels that a table of the engine can hold."""
    return replace(table, codes=held_codes(table.codes, dialect)).to_arrow()
