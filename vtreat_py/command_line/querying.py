"""The verb that writes a plan as a query."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

import pyarrow as pa
from pyarrow import parquet

from vtreat_py.api.plan import TreatmentPlan
from vtreat_py.base.files import whole_file
from vtreat_py.command_line.errors import CommandLineError, about
from vtreat_py.command_line.options import CHOICE, given
from vtreat_py.command_line.plans import read_plan, say
from vtreat_py.command_line.writing import check_output
from vtreat_py.plan.choice import Choice
from vtreat_py.sql.dbt import dbt_files


def run(options: Namespace) -> int:
    """Write the query, and the tables that it joins, or files of a dbt project."""
    plan = read_plan(options.plan)
    if options.dbt is not None:
        return _write_project(plan, options)
    check_output(options.output, ends=())
    with about(options.plan):
        query = plan.to_sql(
            options.table,
            row_id=options.row_id,
            extra_columns=options.keep,
            dialect=options.dialect,
            coding_schema=options.coding_schema,
            coding_upper_case=options.coding_upper_case,
            **given(options, CHOICE),
        )
        _write_coding_tables(plan, query, options)
    if options.output == "-":
        sys.stdout.write(f"{query}\n")
    else:
        with about(options.output), whole_file(options.output) as file:
            file.write(f"{query}\n".encode())
    return 0


def _write_project(plan: TreatmentPlan, options: Namespace) -> int:
    """Write a model of dbt, its seeds and its tests into the folder of a project."""
    if options.output != "-" or options.coding_tables or options.coding_upper_case:
        raise CommandLineError(
            "--dbt writes the query and its tables: leave out --output, --coding-tables and "
            "--coding-upper-case"
        )
    with about(options.plan):
        choice = Choice.of(plan, **given(options, CHOICE), extra_columns=options.keep)
        files = dbt_files(
            plan,
            options.table,
            choice,
            options.dialect,
            options.row_id,
            options.model or f"{_last_part(options.table)}_treated",
            options.coding_schema,
        )
    for path, text in files.items():
        whole = os.path.join(options.dbt, *path.split("/"))
        with about(whole):
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with whole_file(whole) as file:
                file.write(text.encode())
    say(options.dbt, f"wrote {', '.join(files)}")
    return 0


def _last_part(table: str | Sequence[str]) -> str:
    """Take the name of a table; a reference or a query has none."""
    name = table if isinstance(table, str) else table[-1]
    return name if name.isidentifier() else "rows"


def _write_coding_tables(plan: TreatmentPlan, query: str, options: Namespace) -> None:
    """Write the tables that a query joins, or say that it does."""
    folder = options.coding_tables
    tables = plan.coding_tables(query=query, upper_case=options.coding_upper_case)
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
