"""Files that hold plans, or the statistics of plans."""

from __future__ import annotations

import errno
import gzip
import json
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from vtreat_py.base.errors import OptionTypeError, PlanFormatError

_MARK = "\ufeff"  # that some editors put before a text
_GZIP = b"\x1f\x8b"


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write such that a reader finds the old one or the new one, never a part of it.

    What is no file, such as a pipe, is written to as it is.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            yield stream
        return
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder; make it first, or correct the path", folder
        )
    aside = os.path.join(folder, f".{os.path.basename(path)[:100]}.{secrets.token_hex(8)}")
    try:
        with open(aside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        if os.path.exists(aside):
            os.unlink(aside)
        raise


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file as `whole_file` does."""
    with whole_file(path) as file:
        file.write(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as a file; one whose name ends with .gz is compressed, the same at all times."""
    content = text.encode("ascii")
    if os.fspath(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=1, mtime=0)  # others take far longer
    write_whole(path, content)


def no_file(path: str, way: str) -> FileNotFoundError:
    """Error for a path that is none of a file; ``way`` says what to do."""
    shown = repr(path[:200])
    what = (
        f"{shown} is a folder, not a file" if os.path.isdir(path) else f"there is no file {shown}"
    )
    return FileNotFoundError(f"{what}; {way}")


def text_of(text_or_path: Any) -> str:
    """Text, or that of a file, which may be compressed; a plan's text starts with a brace."""
    if isinstance(text_or_path, str):
        text = text_or_path.removeprefix(_MARK)
        start = text.lstrip()[:1]
        if not start:
            raise PlanFormatError("the text is empty; a plan starts with {")
        if start in "{[" or "\n" in text:
            return text
    elif not isinstance(text_or_path, os.PathLike):
        raise OptionTypeError(
            f"text_or_path is of type {type(text_or_path).__name__}; give the text that to_json "
            "returned, or the path of a file that it wrote"
        )
    if not os.path.isfile(text_or_path):
        if isinstance(text_or_path, str):
            with suppress(ValueError):
                json.loads(text_or_path)  # a word or a number: no plan, but no path either
                return text_or_path
        way = "give its path, or the text itself, which starts with {"
        raise no_file(os.fspath(text_or_path), way)
    with open(text_or_path, "rb") as file:
        content = file.read()
    try:
        if content.startswith(_GZIP):
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
    except (UnicodeDecodeError, gzip.BadGzipFile, zlib.error, EOFError) as reason:
        raise PlanFormatError(f"{text_or_path}: the file holds no text: {reason}") from reason
    if not text.strip():
        raise PlanFormatError(f"{text_or_path}: the file is empty; a plan starts with {{")
    return text
