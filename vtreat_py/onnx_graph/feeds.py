"""What a runtime is handed, made of a frame."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtreat_py.base.arrays import NumberArray, ObjectArray
from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import FrameError, OptionTypeError, listed
from vtreat_py.frames.columns import Column, EmptyColumn, NumericColumn, is_utf8, kind_of
from vtreat_py.frames.frame import InputFrame
from vtreat_py.frames.schema import check_kinds, check_present
from vtreat_py.onnx_graph.inputs import TEXT
from vtreat_py.onnx_graph.model import check_missing_text
from vtreat_py.plan.keyed_codes import level_keys

_SIGN = re.compile(r"[^\w+]")


def feeds_of_frame(model: Any, frame: Any, missing_text: str | None) -> dict[str, NDArray[Any]]:
    """Make the inputs of a model; see `vtreat_py.onnx_models.inputs`."""
    onnx = optional_module("onnx", "ONNX models")
    if not isinstance(model, onnx.ModelProto):
        raise OptionTypeError(
            f"model is of type {type(model).__name__}; give the ModelProto that to_onnx returned, "
            "or that onnx.load reads"
        )
    told = {prop.key: prop.value for prop in model.metadata_props}
    if missing_text is None:
        missing_text = json.loads(told.get("missing_text", '""'))
    mark, kinds = check_missing_text(missing_text), json.loads(told.get("inputs", "{}"))
    source = InputFrame.of(frame)
    is_plan = "inputs" in told  # others are of skl2onnx
    wanted = {one.name: one.type.tensor_type.elem_type for one in model.graph.input}
    column_of = _by_name(source.columns, () if is_plan else wanted)
    check_present(list(wanted), column_of, source.is_array)
    feeds: dict[str, NDArray[Any]] = {}
    for name, of in wanted.items():
        column = source.read(column_of[name])
        if of == onnx.TensorProto.STRING:
            values: NDArray[Any] = _texts(column, mark)
        else:
            dtype = onnx.helper.tensor_dtype_to_np_dtype(of)
            values = _typed(name, _numbers(column, kinds), dtype)
        feeds[name] = values.reshape(-1, 1)
    return feeds


def _by_name(columns: Sequence[Hashable], renamed: Collection[str]) -> dict[str, Hashable]:
    """Columns by the names that inputs have: their own, or those that skl2onnx makes of them.

    It puts ``_`` in place of signs, and before a digit. Which of two columns an input of its own
    is of, ``renamed`` does not say.
    """
    found = {str(name): name for name in columns}
    made: dict[str, list[Hashable]] = {}
    for name in columns:
        plain = _SIGN.sub("_", str(name))
        plain = f"_{plain}" if plain[:1].isdigit() else plain
        made.setdefault(plain, []).append(name)
    for plain in renamed:
        of_it = made.get(plain, [])
        if len(of_it) > 1:
            raise FrameError(
                f"the input {plain!r} may be of any of the columns {listed(of_it)}, which skl2onnx "
                "calls alike; hand over the one that the pipeline reads, without the others"
            )
        if of_it:
            found[plain] = of_it[0]
    return found


def _texts(column: Column, mark: str) -> ObjectArray:
    """Texts of the rows, the mark where they are missing."""
    if isinstance(column, EmptyColumn):
        return np.array([mark] * len(column), dtype=object)  # numpy's own text loses a NUL
    if isinstance(column, NumericColumn):
        check_kinds([(column.name, TEXT, kind_of(column))])
    assert not isinstance(column, NumericColumn)
    codes, levels = column.encode()
    texts = levels.to_list()
    if not all(isinstance(level, str) for level in texts):
        check_kinds([(column.name, TEXT, "levels that are no text")])
    unsayable = [level for level in texts if not is_utf8(level)]
    if unsayable:
        raise FrameError(
            f"column {column.name!r} holds {listed(unsayable)}, which is no text that "
            "UTF-8 can write, as ONNX does. Leave these rows out"
        )
    return np.array([*texts, mark], dtype=object)[codes]


def _numbers(column: Column, kinds: Mapping[str, str]) -> NumberArray:
    """Numbers of the rows, NaN where they are missing."""
    if isinstance(column, EmptyColumn):
        return np.full(len(column), np.nan)
    kind: str
    if isinstance(column, NumericColumn):
        kind, numbers = column.kind, column.values
    else:
        codes, levels = column.encode()
        found, keys = level_keys(column.name, levels, "ONNX")
        if found in (TEXT, "bytes"):
            check_kinds([(column.name, kinds.get(str(column.name), "number"), found)])
        kind, numbers = found, np.array([*keys, np.nan])[codes]
    expected = kinds.get(str(column.name), kind)
    if kind != expected:
        check_kinds([(column.name, expected, kind)])
    return numbers


def _typed(name: str, numbers: NumberArray, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers of the type of an input."""
    if dtype.kind != "f" and not np.isfinite(numbers).all():
        raise FrameError(
            f"column {name!r} has missing values, which an input of type {dtype} cannot hold; "
            "convert the pipeline with an input of doubles (DoubleTensorType)"
        )
    return numbers.astype(dtype)
