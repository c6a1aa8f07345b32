"""The codes of levels, as ONNX can say them."""

from __future__ import annotations

from dataclasses import dataclass

from vtreat_py.plan.keyed_codes import KeyedCodes


@dataclass(frozen=True, eq=False)
class OnnxCodes(KeyedCodes):
    """The codes of a column's levels in ONNX."""

    language = "ONNX"
