"""Coding tables, loaded into an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from vtreat_py.engines.sql.coding_tables import CodingTable, coding_tables
from vtreat_py.engines.sql.connections import Connection
from vtreat_py.engines.sql.dialect import Dialect
from vtreat_py.engines.sql.query import warn_of_lost

if TYPE_CHECKING:  # the plan answers by this module
    from vtreat_py._plan import TreatmentPlan


def load_coding_tables(plan: TreatmentPlan, connection: Connection) -> list[str]:
    """Make the coding tables of a plan; see `TreatmentPlan.load_coding_tables`."""
    tables = coding_tables(plan)
    for table in tables:
        connection.create(table.name, held_table(table, connection.dialect))
    return [table.name for table in tables]


def held_table(table: CodingTable, dialect: Dialect) -> pa.Table:
    """Return a coding table without levels that no table of the engine can hold."""
    held = np.array([dialect.holds(key) for key in table.codes.keys], dtype=bool)
    if held.all():
        return table.to_arrow()
    warn_of_lost(table.codes, held, dialect)
    return table.to_arrow(held)
