"""Nodes that look levels up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vtreat_py.frames.columns import is_utf8
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.places import places_among


def place_of_text(graph: Graph, column: str, places: dict[str, int], novel: int) -> str:
    """Look texts up; unknown ones have the place ``novel``.

    Texts that are no UTF-8 cannot be sent to a model, and are in none.
    """
    known = {text.encode(): place for text, place in places.items() if is_utf8(text)}
    return graph.lookup(column, known, novel)


def place_of_number(
    graph: Graph, column: str, places: dict[float, int], lost: int, novel: int
) -> str:
    """Look numbers up; NaN has the place ``lost``, unknown ones have ``novel``."""
    is_lost = graph.node("IsNaN", column)
    number = graph.node("Where", is_lost, graph.constant(0.0), column)
    keys = np.array(sorted(places))
    rank = places_among(graph, keys, number)
    found = graph.node("Equal", number, graph.rows_of(np.append(keys, np.nan)[:, None], rank))
    ordered = np.array([*(places[key] for key in keys.tolist()), novel])
    place = graph.rows_of(ordered[:, None], rank)
    place = graph.node("Where", found, place, graph.constant(novel, np.int64))
    return graph.node("Where", is_lost, graph.constant(lost, np.int64), place)


def place_of_whole(graph: Graph, whole: str, places: Sequence[int]) -> str:
    """Look whole numbers from 0 on up."""
    return graph.rows_of(np.array(places)[:, None], whole)
