"""Tables of results, as text, CSV, JSON or a file."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from vtreat_py.base.files import write_whole
from vtreat_py.base.markup import visible
from vtreat_py.command_line.errors import about
from vtreat_py.command_line.writing import check_output, write_table
from vtreat_py.frames.lazy_frames import CSV, PARQUET

_ENDS = (".json", *CSV, *PARQUET)


def check_asked(options: Any) -> None:
    """Refuse a file that cannot be written; see `show`."""
    check_output(options.output, _ENDS)


def show(frame: pd.DataFrame, options: Any, text: str | None = None) -> None:
    """Show a table as the options ask for.

    Parameters
    ----------
    frame : pandas.DataFrame
    options : argparse.Namespace
        With ``form`` (``"csv"``, ``"json"`` or None) and ``output``.
    text : str or None
        What is shown without options; None: the table.
    """
    path = options.output or "-"
    if path.lower().endswith(".json"):
        with about(path):
            write_whole(path, _as_json(frame).encode())
    elif path != "-":
        write_table(path, _as_arrow(frame).to_batches())
    elif options.form == "json":
        sys.stdout.write(_as_json(frame))
    elif options.form == "csv":
        sys.stdout.flush()
        write_table("-", _as_arrow(frame).to_batches())
    else:
        lines = (as_text(frame) if text is None else text).split("\n")
        print("\n".join(visible(line) for line in lines))


def as_text(frame: pd.DataFrame) -> str:
    """Write a table as it is shown on a terminal; nothing where a value is missing."""
    if frame.empty:
        return f"no rows; columns: {', '.join(frame.columns)}"
    shown = frame.astype(object).where(frame.notna(), "")
    return shown.to_string(index=False, float_format=lambda x: f"{x:.4g}")


def _as_arrow(frame: pd.DataFrame) -> pa.Table:
    """As Arrow, with text in place of what is of several types."""
    plain = {
        name: [None if one is None else str(one) for one in column]
        if column.dtype == object
        else column
        for name, column in frame.items()
    }
    table = pa.Table.from_pydict(
        {
            str(name): pa.array(column, pa.string() if isinstance(column, list) else None,
                                from_pandas=True)
            for name, column in plain.items()
        }
    )  # fmt: skip
    return table if len(table) else pa.Table.from_batches([_empty(table.schema)])


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=schema)


def _as_json(frame: pd.DataFrame) -> str:
    records = ({name: _plain(one) for name, one in row.items()} for row in frame.to_dict("records"))
    lines = ",\n".join(json.dumps({str(k): v for k, v in one.items()}) for one in records)
    return f"[{lines}]\n"


def _plain(value: Any) -> Any:
    """A value as JSON has it: no NaN, no infinity; what it does not know is text."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)
