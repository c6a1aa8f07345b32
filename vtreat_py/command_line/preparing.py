"""The verb that treats a table by a plan."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa

from vtreat_py.api.prepare import prepare
from vtreat_py.base.progress import progress_line
from vtreat_py.command_line.errors import about
from vtreat_py.command_line.options import CHOICE, given
from vtreat_py.command_line.plans import read_plan, say
from vtreat_py.command_line.tables import Table, rows
from vtreat_py.command_line.treated import columns_of
from vtreat_py.command_line.writing import check_output, write_table


def run(options: Namespace) -> int:
    """Treat the table: as a whole, so that the training rows are recognised, or part by part."""
    check_output(options.output)
    plan = read_plan(options.plan)
    kept, choice = options.keep, given(options, CHOICE)
    treat = partial(prepare, plan, extra_columns=kept, **choice)
    with about(options.table):
        missing = plan.options.missing_values
        table = Table(options.table, options.delimiter, options.lazy, missing, plan, tuple(kept))
        table.check("--keep", kept)
        columns = columns_of(plan, table, kept)
        large = table.is_large
        parts: Iterable[pa.RecordBatch | pa.Table]
        parts = table.parts(columns) if large else [table.read(columns)]
        show = options.progress and sys.stderr.isatty() and large
        with progress_line(table.count_rows() if large else None, show, "row") as advance:
            treated = _treated(treat, parts, table, advance)
            n_rows = write_table(options.output, treated)
    how = "part by part" if large else "in memory"
    say(options.output, f"{rows(n_rows)}, treated {how}")
    return 0


def _treated(
    treat: Any, parts: Iterable[pa.RecordBatch | pa.Table], table: Table, advance: Any
) -> Iterator[pa.RecordBatch]:
    """Treat each part; kept columns come first, as they are."""
    for part in parts:
        given = part if isinstance(part, pa.Table) else pa.Table.from_batches([part])
        done = treat(given)
        for name, copy in table.copies.items():
            place = done.column_names.index(name)
            done = done.set_column(place, name, given.column(copy))
        derived = [name for name in done.column_names if name not in table.kept]
        yield from done.select([*dict.fromkeys(table.kept), *derived]).to_batches()
        advance(len(given))
