"""Streamed evaluation of files and of iterables of frames, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, listed
from vtreat_py.base.progress import progress_line
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_BYTES_A_BLOCK = 2**20
_ROWS_A_BATCH = 2**18
_MEGABYTE = 10**6
# Chunks, each with how far the progress line goes on after it; the whole way; the line's unit.
_Source: TypeAlias = tuple[Iterator[tuple[Any, int]], int | None, str]


def evaluate_stream(
    source: Any,
    *,
    label: Any,
    score: Any,
    sample_weight: Any = None,
    progress: bool = False,
    **options: Any,
) -> StreamingBinaryEvaluator:
    """Evaluate the rows of a file, or of an iterable of frames, without holding them all.

    Parameters
    ----------
    source : path, frame or iterable of frames
        Path of a file: CSV (``.csv``), tab-separated (``.tsv``), both with a line of names and
        possibly compressed (``.gz``), or Parquet (``.parquet``, ``.pq``). Frames, such as those of
        ``pandas.read_csv(chunksize=...)``, ``polars.LazyFrame.collect_batches()`` or
        ``pyarrow.dataset.Dataset.to_batches()``: of pandas, polars or pyarrow, dicts of columns,
        or numpy arrays, structured or of two dimensions.
    label, score : column
        Names of the columns; their numbers in arrays of two dimensions.
    sample_weight : column or None
    progress : bool
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.
    **options
        Options of :class:`StreamingBinaryEvaluator`.

    Returns
    -------
    StreamingBinaryEvaluator

    Raises
    ------
    FrameError
        If a column is missing, or a file cannot be read as what its name says.
    InvalidOptionError, OptionTypeError
        If the source is of another kind, or a chunk is refused by the evaluator.

    Examples
    --------
    >>> import pandas as pd
    >>> from vtreat_py.evaluation.stream_reading import evaluate_stream
    >>> frame = pd.DataFrame({"bought": [0, 1, 0, 1], "chance": [0.1, 0.4, 0.3, 0.8]})
    >>> evaluate_stream([frame.head(2), frame.tail(2)], label="bought", score="chance").auc()
    1.0
    """
    evaluator = StreamingBinaryEvaluator(**options)
    columns = [label, score] if sample_weight is None else [label, score, sample_weight]
    chunks, total, unit = _opened(source, columns)
    with progress_line(total, progress, unit) as go_on:
        for chunk, advance in chunks:
            evaluator.update(*(_column(chunk, name) for name in columns))
            go_on(advance)
    return evaluator


def _opened(source: Any, columns: list[Any]) -> _Source:
    if isinstance(source, str | PathLike):
        return _opened_file(Path(source), columns)
    if _is_frame(source):
        source = [source]
    if not isinstance(source, Iterable):
        raise OptionTypeError(
            f"source is of type {type(source).__name__}; give a path, or an iterable of frames, "
            "such as .collect_batches() of a polars LazyFrame or .to_batches() of a pyarrow Dataset"
        )
    total = len(source) if isinstance(source, Sized) else None
    return ((chunk, 1) for chunk in source), total, "chunk"


def _is_frame(source: Any) -> bool:
    if isinstance(source, np.ndarray | Mapping):
        return True
    return hasattr(type(source), "columns") and hasattr(type(source), "__len__")


def _column(chunk: Any, name: Any) -> Any:
    names = _names(chunk)
    _check_names([name], names)
    return chunk[:, name] if isinstance(names, range) else chunk[name]


def _names(chunk: Any) -> Sequence[Any]:
    if isinstance(chunk, pa.Table | pa.RecordBatch):
        return chunk.schema.names  # type: ignore[no-any-return]
    if isinstance(chunk, np.ndarray):
        if chunk.dtype.names is not None:
            return tuple(chunk.dtype.names)
        if chunk.ndim != 2:
            raise FrameError(
                f"a chunk is an array of shape {chunk.shape}; it must be rows x columns"
            )
        return range(chunk.shape[1])
    if isinstance(chunk, Mapping) or hasattr(chunk, "columns"):
        return list(chunk if isinstance(chunk, Mapping) else chunk.columns)
    raise OptionTypeError(
        f"a chunk is of type {type(chunk).__name__}; it must be a frame of pandas, polars or "
        "pyarrow, a dict of columns or an array"
    )


def _check_names(names: Sequence[Any], known: Sequence[Any]) -> None:
    for name in names:
        if name not in known:
            raise FrameError(f"column {name!r} is missing; columns are {listed(known)}")


def _opened_file(path: Path, columns: list[Any]) -> _Source:
    if path.suffix in _PARQUET:
        import pyarrow.parquet as pq

        return _parquet_batches(path, columns), pq.read_metadata(path).num_rows, "row"
    format_name = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if format_name not in _DELIMITERS:
        raise InvalidOptionError(
            f"source {str(path)!r} is of an unknown format; names of files end in "
            f"{', '.join([*_DELIMITERS, *(f'{name}.gz' for name in _DELIMITERS), *_PARQUET])}"
        )
    megabytes = _in_megabytes(path.stat().st_size)
    return _csv_batches(path, columns, _DELIMITERS[format_name]), megabytes, "megabyte"


def _parquet_batches(path: Path, columns: list[Any]) -> Iterator[tuple[Any, int]]:
    import pyarrow.parquet as pq

    # Read as it is decoded, or else whole columns of the file would be held.
    with pq.ParquetFile(path, pre_buffer=False, buffer_size=_BYTES_A_BLOCK) as file:
        _check_names(columns, file.schema_arrow.names)
        for batch in file.iter_batches(_ROWS_A_BATCH, columns=columns):
            yield batch, len(batch)


def _csv_batches(path: Path, columns: list[Any], delimiter: str) -> Iterator[tuple[Any, int]]:
    from pyarrow import csv

    numbers = dict.fromkeys(columns[1:], pa.float64())
    done = 0
    try:
        with pa.OSFile(str(path)) as file:
            text = pa.CompressedInputStream(file, "gzip") if path.suffix == ".gz" else file
            batches = csv.open_csv(
                text,
                read_options=csv.ReadOptions(block_size=_BYTES_A_BLOCK),
                parse_options=csv.ParseOptions(delimiter=delimiter),
                convert_options=csv.ConvertOptions(
                    include_columns=columns, column_types=numbers, strings_can_be_null=True
                ),
            )
            for batch in batches:
                read = _in_megabytes(file.tell())
                yield batch, read - done
                done = read
    except (pa.ArrowInvalid, KeyError) as reason:
        raise FrameError(f"{path} cannot be read: {reason}") from reason


def _in_megabytes(n_bytes: int) -> int:
    """Megabytes, those begun counted as whole ones."""
    return -(-n_bytes // _MEGABYTE)
