"""Arrays as JSON: lists to be looked at, but long ones as their bytes, which are read at once."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import PlanFormatError
from vtreat_py.plan.json_values import number_from_json, unexpected

_MOST_LISTED = 10_000  # entries; nobody looks at more, and decimals take ten times as long
_NUMBERS, _SLOTS = np.dtype("<f8"), np.dtype("<i4")


def is_long(array: FloatArray | IntArray) -> bool:
    """Whether an array is written as bytes."""
    return len(array) > _MOST_LISTED


def numbers_to_json(array: FloatArray, _: str) -> Any:
    """Write floats."""
    return _packed(array, _NUMBERS) if is_long(array) else array.tolist()


def slots_to_json(array: IntArray, _: str) -> Any:
    """Write codes of levels."""
    return _packed(array, _SLOTS) if is_long(array) else array.tolist()


def numbers_from_json(found: Any, where: str) -> FloatArray:
    """Read finite floats."""
    if isinstance(found, dict):
        array: FloatArray = _unpacked(found, _NUMBERS, where)
        beyond = np.flatnonzero(~np.isfinite(array))
        if len(beyond):
            raise PlanFormatError(
                f"{where}[{beyond[0]}]: expected a finite number, found {array[beyond[0]]}"
            )
        return array
    numbers = checked_list(found, where)
    if all(type(number) is float for number in numbers):
        array = np.array(numbers, dtype=np.float64)
        if np.isfinite(array).all():
            return array
    one_by_one = [number_from_json(n, f"{where}[{i}]") for i, n in enumerate(numbers)]
    return np.array(one_by_one, dtype=np.float64)


def slots_from_json(found: Any, where: str) -> IntArray:
    """Read codes of levels, or -1."""
    is_packed = isinstance(found, dict)
    codes = _unpacked(found, _SLOTS, where).tolist() if is_packed else checked_list(found, where)
    for i, code in enumerate(codes):
        if type(code) is not int or not -1 <= code < len(codes):
            raise unexpected(f"{where}[{i}]", f"a code below {len(codes)}, or -1", code)
    return np.array(codes, dtype=np.int32)


def checked_list(found: Any, where: str) -> list[Any]:
    """Refuse what is no list."""
    if not isinstance(found, list):
        raise unexpected(where, "a list", found)
    return found


def _packed(array: FloatArray | IntArray, dtype: np.dtype[Any]) -> dict[str, str]:
    content = base64.b64encode(array.astype(dtype).tobytes()).decode("ascii")
    return {"type": dtype.name, "base64": content}


def _unpacked(found: dict[str, Any], dtype: np.dtype[Any], where: str) -> Any:
    """Read what `_packed` has written, as an array of this machine's own."""
    if set(found) != {"type", "base64"} or found["type"] != dtype.name:
        raise PlanFormatError(
            f'{where}: expected a list, or an object of "type", "{dtype.name}", and "base64"'
        )
    text, place = found["base64"], f"{where}.base64"
    if not isinstance(text, str):
        raise unexpected(place, "a string", text)
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError as reason:
        raise PlanFormatError(f"{place}: the text is not base64: {reason}") from reason
    if len(content) % dtype.itemsize:
        raise PlanFormatError(
            f"{place}: {len(content)} bytes are no whole number of {dtype.name}, or some are lost"
        )
    return np.frombuffer(content, dtype).astype(dtype.newbyteorder("="))
