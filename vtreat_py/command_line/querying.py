"""The verb that writes a plan as a query."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

import pyarrow as pa
from pyarrow import parquet

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.files import whole_file
from vtreat_py.command_line.errors import about
from vtreat_py.command_line.options import CHOICE, given
from vtreat_py.command_line.plans import read_plan, say
from vtreat_py.command_line.writing import check_output


def run(options: Namespace) -> int:
    """Write the query, and the tables that it joins."""
    check_output(options.output, ends=())
    plan = read_plan(options.plan)
    dialect = {"dialect": options.dialect} if hasattr(options, "dialect") else {}
    with about(options.plan):
        query = plan.to_sql(
            options.table,
            row_id=options.row_id,
            extra_columns=options.keep,
            **dialect,
            **given(options, CHOICE),
        )
        _write_coding_tables(plan, query, options.coding_tables)
    if options.output == "-":
        sys.stdout.write(f"{query}\n")
    else:
        with about(options.output), whole_file(options.output) as file:
            file.write(f"{query}\n".encode())
    return 0


def _write_coding_tables(plan: TreatmentPlan, query: str, folder: str | None) -> None:
    """Write the tables that a query joins, or say that it does."""
    tables = {name: table for name, table in plan.coding_tables().items() if name in query}
    if folder is None:
        if tables:
            say(
                "vtreat_py",
                f"the query joins {', '.join(tables)}; --coding-tables FOLDER writes "
                "what is to be loaded under these names",
            )
        return
    with about(folder):
        os.makedirs(folder, exist_ok=True)
        for name, table in tables.items():
            with whole_file(os.path.join(folder, f"{name}.parquet")) as file:
                parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), file)
    say(folder, f"{len(tables)} coding tables")
