"""A graph of ONNX as it is put together: its nodes, and the arrays that they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vtreat_py.base.dependencies import optional_module

# What is used is the same from these versions of the operators up. Runtimes of 2022 have them.
OPSET, ML_OPSET = 17, 3
LEAST_OPSET, LEAST_ML_OPSET = 13, 2
ML = "ai.onnx.ml"


class Graph:
    """Nodes and constants; what is computed once is not computed again.

    Parameters
    ----------
    fresh : callable
        Makes a name that nothing else in the model has, of one that would be good.

    Attributes
    ----------
    nodes : list of onnx.NodeProto
    constants : list of onnx.TensorProto
    """

    def __init__(self, fresh: Callable[[str], str]) -> None:
        self._onnx = optional_module("onnx", "ONNX models")
        self._helper = optional_module("onnx.helper", "ONNX models")
        self._arrays = optional_module("onnx.numpy_helper", "ONNX models")
        self._fresh = fresh
        self._known: dict[Any, str] = {}
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of one output, and return its name."""
        key = (operator, inputs, tuple(attributes.items()))
        if key not in self._known:
            self._known[key] = self._add(operator, inputs, attributes)
        return self._known[key]

    def lookup(self, name: str, places: Mapping[Any, int], novel: int) -> str:
        """Look texts, or whole numbers, up; those that are no key have the place ``novel``."""
        keys = list(places)
        kind = "int64s" if keys and isinstance(keys[0], int) else "strings"
        values = {f"keys_{kind}": keys, "values_int64s": list(places.values())}
        return self._add("LabelEncoder", (name,), values | {"default_int64": novel, "domain": ML})

    def _add(self, operator: str, inputs: tuple[str, ...], attributes: Mapping[str, Any]) -> str:
        name = self._fresh(f"vtreat_{operator.lower()}")
        self.nodes.append(self._helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    def give_out(self, name: str, called: str) -> None:
        """Give an array out under another name."""
        self.nodes.append(self._helper.make_node("Identity", [name], [called], called))

    def constant(self, values: Any, dtype: type[np.generic] = np.float64) -> str:
        """Add an array, and return its name."""
        array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype).reshape(np.shape(values))
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            name = self._known[key] = self._fresh("vtreat_constant")
            self.constants.append(self._arrays.from_array(array, name))
        return self._known[key]

    def cast(self, name: str, to: str) -> str:
        """Turn the numbers of an array into those of another type, such as ``"INT64"``."""
        return self.node("Cast", name, to=getattr(self._onnx.TensorProto, to))

    def together(self, names: list[str]) -> str:
        """Put columns beside each other."""
        return names[0] if len(names) == 1 else self.node("Concat", *names, axis=1)

    def columns(self, name: str, places: list[int], n_columns: int) -> str:
        """Take columns of a matrix of so many."""
        if places == list(range(n_columns)):
            return name
        return self.node("Gather", name, self.constant(places, np.int64), axis=1)

    def rows_of(self, table: NDArray[Any], places: str) -> str:
        """Look rows of a table up; ``places`` is of shape (n, 1)."""
        return self.node("GatherND", self.constant(table, table.dtype.type), places)
