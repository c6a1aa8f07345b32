"""Look-ups as nodes, beside numpy's and dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.onnx_graph.runtime import onnx, outputs
from vtreat_py.onnx_graph.graph import OPSET, Graph
from vtreat_py.onnx_graph.lookups import place_of_number
from vtreat_py.onnx_graph.model import fresh_names
from vtreat_py.onnx_graph.places import BELOW, UP_TO, places_among

AWKWARD = [-0.0, 0.0, 5e-324, -5e-324, 1e308, -1.7e308, 0.1, 1.0, 2.0]


def computed(write: Callable[[Graph, str], str], numbers: list[float]) -> npt.NDArray[Any]:
    """What nodes make of a column of numbers."""
    graph = Graph(fresh_names(["x"]))
    graph.give_out(write(graph, "x"), "y")
    value = onnx.helper.make_tensor_value_info
    column = value("x", onnx.TensorProto.DOUBLE, [None, 1])
    written = onnx.helper.make_graph(
        graph.nodes, "g", [column], [value("y", onnx.TensorProto.INT64, [None, 1])], graph.constants
    )
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(written, opset_imports=opsets, ir_version=8)
    (found,) = outputs(model, {"x": np.array(numbers)[:, None]})
    return np.asarray(found[:, 0])


@pytest.mark.parametrize("n_edges", [0, 1, 2, 63, 64, 65, 66, 81, 1000, 10_000])
@pytest.mark.parametrize(("counted", "side"), [(BELOW, "left"), (UP_TO, "right")])
def test_places_are_those_of_numpy(n_edges: int, counted: str, side: Any) -> None:
    random = np.random.default_rng(n_edges)
    edges = np.unique([*random.normal(size=n_edges).round(3), *AWKWARD[2:6]][:n_edges])
    numbers = [*random.normal(size=300).round(3), *edges[:: 1 + len(edges) // 99], *AWKWARD]
    found = computed(lambda graph, x: places_among(graph, edges, x, counted), numbers)
    np.testing.assert_array_equal(found, np.searchsorted(edges, numbers, side=side))


@pytest.mark.parametrize("n_keys", [0, 1, 5, 200])
def test_numbers_are_found_as_in_a_dict(n_keys: int) -> None:
    random = np.random.default_rng(n_keys)
    keys = random.permutation(np.unique([*random.normal(size=n_keys), 0.0, np.inf])[-n_keys:])
    keys = keys[:n_keys]
    places = {float(key): place for place, key in enumerate(keys)}
    numbers = [*keys.tolist(), *AWKWARD, np.inf, -np.inf, np.nan, 77.5]
    found = computed(lambda graph, x: place_of_number(graph, x, places, 998, 999), numbers)
    expected = [998 if np.isnan(x) else places.get(x, 999) for x in numbers]
    assert found.tolist() == expected
