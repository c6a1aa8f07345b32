"""Where numbers lie among others, as nodes."""

from __future__ import annotations

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.onnx_graph.graph import Graph

# Up to so many edges each is compared with each row; of more, blocks are looked at first.
_FEW = 64
BELOW, UP_TO = "Greater", "GreaterOrEqual"


def places_among(graph: Graph, edges: FloatArray, numbers: str, counted: str = BELOW) -> str:
    """Count the edges, which are ascending, below each number; or those up to it (`UP_TO`).

    Numbers are of shape (n, 1), and so are the places. None of them is NaN, nor is one infinite
    where those up to it are counted.
    """
    if not len(edges):
        edges = np.array([np.inf])
    if len(edges) <= _FEW:
        return _counted(graph, graph.constant(edges), numbers, counted)
    width = int(np.ceil(np.sqrt(len(edges))))
    n_blocks = -(-len(edges) // width)
    padded = np.append(edges, np.full(n_blocks * width - len(edges), np.inf))
    blocks = padded.reshape(n_blocks, width)
    block = _counted(graph, graph.constant(blocks[:-1, -1]), numbers, counted)
    inside = _counted(graph, graph.rows_of(blocks, block), numbers, counted)
    before = graph.node("Mul", block, graph.constant(width, np.int64))
    return graph.node("Add", before, inside)


def _counted(graph: Graph, edges: str, numbers: str, counted: str) -> str:
    """Count the edges of each row."""
    passed = graph.cast(graph.node(counted, numbers, edges), "INT64")
    return graph.node("ReduceSum", passed, graph.constant([1], np.int64), keepdims=1)
