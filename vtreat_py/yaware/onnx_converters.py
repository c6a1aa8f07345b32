"""How skl2onnx converts y-aware scaling and components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vtreat_py.estimators.onnx_steps import StepInputs, register_step
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.model import in_precision
from vtreat_py.onnx_graph.numbers import scaled_by
from vtreat_py.yaware.pca import YAwarePCA
from vtreat_py.yaware.scaler import YAwareScaler


def register_yaware() -> None:
    """Tell skl2onnx how they are converted."""
    register_step(YAwareScaler, _scale, lambda one: one.n_features_in_)
    register_step(YAwarePCA, _turn, lambda one: one.n_components_)


def _scale(
    graph: Graph, scaler: YAwareScaler, inputs: StepInputs, options: Mapping[str, Any]
) -> str:
    matrix = scaled_by(graph, inputs.matrix(), scaler.scale_, scaler.mean_)
    return in_precision(graph, matrix, options["dtype"])


def _turn(graph: Graph, pca: YAwarePCA, inputs: StepInputs, options: Mapping[str, Any]) -> str:
    centred = graph.node("Sub", inputs.matrix(), graph.constant(pca.mean_))
    turned = graph.node("MatMul", centred, graph.constant((pca.components_ * pca.scale_).T))
    return in_precision(graph, turned, options["dtype"])
