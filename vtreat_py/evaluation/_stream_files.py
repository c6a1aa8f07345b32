"""Files of labels and scores: text with or without names of columns, gzip, and Parquet."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeAlias, cast

import pyarrow as pa

from vtreat_py.base.errors import FrameError, listed
from vtreat_py.evaluation._lines import Lines
from vtreat_py.evaluation._refusals import shortened, shown
from vtreat_py.evaluation.streaming import StreamingBinaryEvaluator

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_PARQUET_NAMES = (".parquet", ".pq")
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_BYTES_A_BLOCK = 2**20
_BYTES_LOOKED_AT = 2**16
_ROWS_A_BATCH = 2**18
_MEGABYTE = 10**6
# What evaluates a source, and says how far it has come; the whole way, and its unit.
GoOn: TypeAlias = Callable[[int], object]
Source: TypeAlias = tuple[Callable[[StreamingBinaryEvaluator, GoOn], None], int | None, str]


def opened_file(path: Path, columns: Sequence[Any]) -> Source:
    """Return what evaluates a file: by its content, and of text by the end of its name."""
    with open(path, "rb") as file:
        is_parquet = file.read(len(_PARQUET)) == _PARQUET
        size = file.seek(0, 2)
    if is_parquet:
        return _opened_parquet(path, columns)
    if path.suffix.lower() in _PARQUET_NAMES:
        raise FrameError(f"{path} does not begin as Parquet does")
    return partial(_evaluate_text_file, path, columns), _in_megabytes(size), "megabyte"


def evaluate_bytes(
    stream: Any,
    columns: Sequence[Any],
    evaluator: StreamingBinaryEvaluator,
    go_on: GoOn = lambda _: None,
) -> None:
    """Evaluate text that comes from a pipe; say when a block of it is done."""
    raw = BufferedReader(stream, _BYTES_LOOKED_AT)
    try:
        if raw.peek().startswith(_PARQUET):
            raise FrameError("Parquet cannot be read from a pipe; give the name of the file")
        with _text_of(raw) as text:
            delimiter = _delimiter(None, text)
            _evaluate_text(text, columns, delimiter, evaluator, lambda: go_on(1))
    finally:
        if not raw.closed:
            raw.detach()  # which belongs to the caller


def _evaluate_text_file(
    path: Path, columns: Sequence[Any], evaluator: StreamingBinaryEvaluator, go_on: GoOn
) -> None:
    done = 0

    def advance() -> None:
        nonlocal done
        read = _in_megabytes(position())
        go_on(read - done)
        done = read

    with ExitStack() as stack:
        file = stack.enter_context(open(path, "rb"))
        text = stack.enter_context(_text_of(file))
        delimiter, position = _delimiter(path, text), file.tell
        source: Any = text
        if not _are_numbers(columns):  # read and decompressed beside the work, without Python
            file.seek(0)
            is_compressed = file.read(len(_GZIP)) == _GZIP
            bytes_of = stack.enter_context(pa.OSFile(str(path)))
            position = bytes_of.tell
            source = pa.CompressedInputStream(bytes_of, "gzip") if is_compressed else bytes_of
        try:
            _evaluate_text(source, columns, delimiter, evaluator, advance)
        except FrameError as reason:
            raise FrameError(f"{path} cannot be read: {reason}") from reason


def _evaluate_text(
    text: Any,
    columns: Sequence[Any],
    delimiter: str,
    evaluator: StreamingBinaryEvaluator,
    advance: Callable[[], object],
) -> None:
    """Evaluate text whose columns are named in its first line, or numbered."""
    with _reasons_of_others():
        if _are_numbers(columns):
            lines = Lines.of_columns(columns, _first_line(text))
            lines.evaluate(text, evaluator, advance)
        else:
            for batch in _named_batches(text, columns, delimiter):
                evaluator.update(*(batch[name] for name in columns))
                advance()


def _named_batches(text: Any, columns: Sequence[Any], delimiter: str) -> Iterator[Any]:
    from pyarrow import csv

    numbers = dict.fromkeys(columns[1:], pa.float64())
    yield from csv.open_csv(
        text,
        read_options=csv.ReadOptions(block_size=_BYTES_A_BLOCK),
        parse_options=csv.ParseOptions(delimiter=delimiter),
        convert_options=csv.ConvertOptions(
            include_columns=list(columns), column_types=numbers, strings_can_be_null=True
        ),
    )


@contextmanager
def _reasons_of_others() -> Iterator[None]:
    """Say in one short line why text cannot be read."""
    try:
        yield
    except (pa.ArrowInvalid, KeyError, UnicodeDecodeError) as reason:
        said = str(reason.args[0] if reason.args else reason)
        raise FrameError(shortened(" ".join(said.split()))) from reason
    except (EOFError, zlib.error, gzip.BadGzipFile) as reason:
        raise FrameError(f"its gzip is broken: {reason}") from reason
    except OSError as reason:
        if reason.errno is not None:  # of the operating system
            raise
        raise FrameError(f"its gzip is broken: {shortened(str(reason))}") from reason


@contextmanager
def _text_of(raw: BufferedReader) -> Iterator[BufferedReader]:
    """Yield text, which may come as gzip."""
    if raw.peek(len(_GZIP)).startswith(_GZIP):
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield BufferedReader(cast("Any", unpacked), _BYTES_LOOKED_AT)
    else:
        yield raw


def _first_line(text: BufferedReader) -> bytes:
    with _reasons_of_others():
        return text.peek(_BYTES_LOOKED_AT).lstrip().partition(b"\n")[0]


def _delimiter(path: Path | None, text: BufferedReader) -> str:
    """What is between named columns: by the name of the file, or else by the first line."""
    if path is not None:
        name = Path(path.name.lower())
        suffix = name.with_suffix("").suffix if name.suffix == ".gz" else name.suffix
        if suffix in _DELIMITERS:
            return _DELIMITERS[suffix]
    first = _first_line(text)
    return next((d for d in (",", "\t") if d.encode() in first), " ")


def _are_numbers(columns: Sequence[Any]) -> bool:
    return all(isinstance(name, int) for name in columns)


def _opened_parquet(path: Path, columns: Sequence[Any]) -> Source:
    import pyarrow.parquet as pq

    with _reasons_of_others():
        metadata = pq.read_metadata(path)
    return partial(_evaluate_parquet, path, columns), metadata.num_rows, "row"


def _evaluate_parquet(
    path: Path, columns: Sequence[Any], evaluator: StreamingBinaryEvaluator, go_on: GoOn
) -> None:
    import pyarrow.parquet as pq

    # Read as it is decoded, or else whole columns of the file would be held.
    with (
        _reasons_of_others(),
        pq.ParquetFile(path, pre_buffer=False, buffer_size=_BYTES_A_BLOCK) as file,
    ):
        names = _names(columns, file.schema_arrow.names)
        for batch in file.iter_batches(_ROWS_A_BATCH, columns=names):
            evaluator.update(*(batch[name] for name in names))
            go_on(len(batch))


def _names(columns: Sequence[Any], known: Sequence[str]) -> list[Any]:
    """Names of the columns asked for; by number, there must be no others."""
    if _are_numbers(columns):
        if sorted(columns) != list(range(len(known))):
            raise FrameError(f"columns are {listed(known)}; give label and score by name")
        return [known[k] for k in columns]
    check_names(columns, known)
    return list(columns)


def check_names(names: Sequence[Any], known: Sequence[Any]) -> None:
    """Refuse columns that are not there."""
    for name in names:
        if not any(type(one) is type(name) and one == name for one in known):
            raise FrameError(f"column {shown(name)} is missing; columns are {listed(known)}")


def _in_megabytes(n_bytes: int) -> int:
    """Megabytes, those begun counted as whole ones."""
    return -(-n_bytes // _MEGABYTE)
