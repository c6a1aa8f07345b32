"""Files that hold plans, or the statistics of plans."""

from __future__ import annotations

import os
import secrets
from typing import Any

from vtreat_py.base.errors import OptionTypeError, PlanFormatError


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file such that a reader finds the old one or the new one, never a part of it."""
    path = os.path.realpath(path)
    aside = os.path.join(
        os.path.dirname(path), f".{os.path.basename(path)[:100]}.{secrets.token_hex(8)}"
    )
    try:
        with open(aside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        if os.path.exists(aside):
            os.unlink(aside)
        raise


def text_of(text_or_path: Any) -> str:
    """Text, or that of a file; a plan's text starts with a brace."""
    if isinstance(text_or_path, str):
        start = text_or_path.lstrip()[:1]
        if not start:
            raise PlanFormatError("the text is empty; a plan starts with {")
        if start in "{[" or "\n" in text_or_path:
            return text_or_path
    elif not isinstance(text_or_path, os.PathLike):
        raise OptionTypeError(
            f"text_or_path is of type {type(text_or_path).__name__}; give the text that to_json "
            "returned, or the path of a file that it wrote"
        )
    if not os.path.exists(text_or_path):
        raise FileNotFoundError(
            f"there is no file {os.fspath(text_or_path)[:200]!r}; give its path, or the text "
            "itself, which starts with {"
        )
    with open(text_or_path, encoding="utf-8") as file:
        try:
            text = file.read()
        except UnicodeDecodeError as reason:
            raise PlanFormatError(f"{text_or_path}: the file holds no text: {reason}") from reason
    if not text.strip():
        raise PlanFormatError(f"{text_or_path}: the file is empty; a plan starts with {{")
    return text
