"""Streamed evaluation of files and of iterables of frames, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa

from vtreat_py.base.errors import FrameError, OptionTypeError
from vtreat_py.base.progress import progress_line
from vtreat_py.evaluation._stream_files import (
    GoOn,
    Source,
    check_names,
    evaluate_bytes,
    opened_file,
)
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

if TYPE_CHECKING:
    from vtreat_py.evaluation.streaming_multiclass import StreamingMulticlassEvaluator


@overload
def evaluate_stream(
    source: Any,
    *,
    label: Any,
    score: Mapping[Any, Any],
    sample_weight: Any = None,
    progress: bool = False,
    **options: Any,
) -> StreamingMulticlassEvaluator: ...


@overload
def evaluate_stream(
    source: Any,
    *,
    label: Any,
    score: str | int,
    sample_weight: Any = None,
    progress: bool = False,
    **options: Any,
) -> StreamingBinaryEvaluator: ...


def evaluate_stream(
    source: Any,
    *,
    label: Any,
    score: Any,
    sample_weight: Any = None,
    progress: bool = False,
    **options: Any,
) -> Any:
    """Evaluate the rows of a file, or of an iterable of frames, without holding them all.

    Parameters
    ----------
    source : path, binary file, frame or iterable of frames
        Path of a file: text, possibly compressed by gzip, or Parquet. Columns of text are named
        in its first line, with commas (``.csv``), tabs (``.tsv``), or, in files of other names,
        what the first line has between them. If ``label`` and ``score`` are numbers, each line is
        a row, and holds only what is asked for, as numbers, with commas or white space between.
        An open file, or a pipe, gives bytes of such text.
        Frames, such as those of
        ``pandas.read_csv(chunksize=...)``, ``polars.LazyFrame.collect_batches()`` or
        ``pyarrow.dataset.Dataset.to_batches()``: of pandas, polars or pyarrow, dicts of columns,
        or numpy arrays, structured or of two dimensions.
    label, score : column
        Names of the columns; their numbers, from 0, in arrays of two dimensions and in text
        without a line of names. Of several classes, ``score`` is a dict: the column of scores of
        each class, by its label.
    sample_weight : column, default=None
    progress : bool, default=False
        Show a progress line on standard error: of tqdm or rich where installed, else a plain one.
    **options
        Options of :class:`StreamingBinaryEvaluator`.

    Returns
    -------
    StreamingBinaryEvaluator or StreamingMulticlassEvaluator
        The latter if ``score`` is a dict.

    Raises
    ------
    FrameError
        If a column is missing, or a file cannot be read; of lines without names, the first bad
        one is named.
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
    evaluator = _evaluator(score, options)
    scores = list(score.values()) if isinstance(score, Mapping) else [score]
    columns = [label, *scores] if sample_weight is None else [label, *scores, sample_weight]
    evaluate, total, unit = _opened(source, columns)
    with progress_line(total, progress, unit) as go_on:
        evaluate(_updated_by(evaluator, score), go_on)
    return evaluator


def _evaluator(score: Any, options: dict[str, Any]) -> Any:
    if not isinstance(score, Mapping):
        return StreamingBinaryEvaluator(**options)
    from vtreat_py.evaluation.streaming_multiclass import StreamingMulticlassEvaluator

    return StreamingMulticlassEvaluator(list(score), **options)


def _updated_by(evaluator: Any, score: Any) -> Any:
    return _OfColumns(evaluator) if isinstance(score, Mapping) else evaluator


class _OfColumns:
    """Takes the scores of several classes as columns."""

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator

    def update(self, y: Any, *columns: Any) -> None:
        n = len(self._evaluator.classes)
        scores = np.column_stack([np.asarray(column) for column in columns[:n]])
        self._evaluator.update(y, scores, *columns[n:])


def _opened(source: Any, columns: list[Any]) -> Source:
    if isinstance(source, str | PathLike):
        return opened_file(Path(source), columns)
    if hasattr(source, "readinto"):
        return partial(evaluate_bytes, source, columns), None, "block"
    if _is_frame(source):
        source = [source]
    if not isinstance(source, Iterable):
        raise OptionTypeError(
            f"source is of type {type(source).__name__}; give a path, or an iterable of frames, "
            "such as .collect_batches() of a polars LazyFrame or .to_batches() of a pyarrow Dataset"
        )
    total = len(source) if isinstance(source, Sized) else None
    return partial(_evaluate_frames, source, columns), total, "chunk"


def _evaluate_frames(
    chunks: Iterable[Any], columns: list[Any], evaluator: StreamingBinaryEvaluator, go_on: GoOn
) -> None:
    for chunk in chunks:
        evaluator.update(*(_column(chunk, name) for name in columns))
        go_on(1)


def _is_frame(source: Any) -> bool:
    if isinstance(source, np.ndarray | Mapping):
        return True
    return hasattr(type(source), "columns") and hasattr(type(source), "__len__")


def _column(chunk: Any, name: Any) -> Any:
    names = _names(chunk)
    check_names([name], names)
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
