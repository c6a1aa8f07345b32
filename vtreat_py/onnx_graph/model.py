"""A plan as a model of ONNX."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from vtreat_py.base.checks import is_one_of
from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError
from vtreat_py.base.version import __version__
from vtreat_py.frames.columns import is_utf8
from vtreat_py.onnx_graph.graph import ML, ML_OPSET, OPSET, Graph
from vtreat_py.onnx_graph.inputs import TEXT, input_names, kinds_of_inputs, meaning_of
from vtreat_py.onnx_graph.numbers import held
from vtreat_py.onnx_graph.reader import Reader
from vtreat_py.onnx_graph.variables import all_variables, check_sayable
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan

Precision = Literal["float64", "float32"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
# Of the operators' time, so that runtimes of then read the model.
_IR_VERSION = 8
_OUTPUT = "treated"
_LARGEST_SINGLE = float(np.finfo(np.float32).max)


def plan_to_model(plan: Plan, choice: Choice, missing_text: str, precision: Precision) -> Any:
    """Write a plan as a model; see `TreatmentPlan.to_onnx`."""
    missing_text = check_missing_text(missing_text)
    if not is_one_of(precision, PRECISIONS):
        raise InvalidOptionError(f"dtype={precision!r}; it must be one of {list(PRECISIONS)}")
    check_sayable(plan, choice)
    kinds = kinds_of_inputs(plan, choice)
    names = input_names(kinds)
    fresh = fresh_names(names.values())
    output, graph = fresh(_OUTPUT), Graph(fresh)
    matrix = graph_of_plan(graph, plan, choice, names, missing_text, precision)
    graph.give_out(matrix, output)
    return _model(graph, plan, choice, kinds, names, output, missing_text, precision)


def graph_of_plan(
    graph: Graph,
    plan: Plan,
    choice: Choice,
    sources: Mapping[Hashable, str],
    missing_text: str,
    precision: Precision,
) -> str:
    """Write the chosen variables of a plan as nodes; return the name of their matrix."""
    matrix = all_variables(Reader(graph, plan, sources, missing_text), choice)
    return in_precision(graph, matrix, precision)


def in_precision(graph: Graph, matrix: str, precision: Precision) -> str:
    """Round doubles, where they are to be of single precision."""
    if precision == "float64":
        return matrix
    return graph.cast(held(graph, matrix, _LARGEST_SINGLE), "FLOAT")


def check_missing_text(missing_text: Any) -> str:
    """Check what is to stand for missing text."""
    if not isinstance(missing_text, str):
        raise OptionTypeError(f"missing_text={missing_text!r} must be a text")
    if not is_utf8(missing_text):
        raise InvalidOptionError(f"missing_text={missing_text!r} is no text that UTF-8 can write")
    return missing_text


def fresh_names(taken: Iterable[str]) -> Callable[[str], str]:
    """Make names that are not taken."""
    given = set(taken)

    def fresh(wanted: str) -> str:
        name, count = wanted, 1
        while name in given:
            count += 1
            name = f"{wanted}_{count}"
        given.add(name)
        return name

    return fresh


def _model(
    graph: Graph,
    plan: Plan,
    choice: Choice,
    kinds: Mapping[Hashable, Any],
    names: Mapping[Hashable, str],
    output: str,
    missing_text: str,
    precision: Precision,
) -> Any:
    onnx, helper = (optional_module(name, "ONNX models") for name in ("onnx", "onnx.helper"))
    types = onnx.TensorProto

    def value(name: str, of: int, width: int, meaning: str) -> Any:
        return helper.make_tensor_value_info(name, of, ["rows", width], meaning)

    inputs = [
        value(
            names[column],
            types.STRING if kind == TEXT else types.DOUBLE,
            1,
            meaning_of(kind, missing_text),
        )
        for column, kind in kinds.items()
    ]
    of_output = types.DOUBLE if precision == "float64" else types.FLOAT
    outputs = [value(output, of_output, len(choice.variables), "the variables, in their order")]
    written = helper.make_graph(
        graph.nodes, "vtreat_py", inputs, outputs, graph.constants, plan.note
    )
    model = helper.make_model(
        written,
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
        ir_version=_IR_VERSION,
        producer_name="vtreat_py",
        producer_version=__version__,
    )
    held_by_name = {names[column]: kind for column, kind in kinds.items()}
    told = {"variables": choice.names, "inputs": held_by_name, "missing_text": missing_text}
    helper.set_model_props(model, {name: json.dumps(one) for name, one in told.items()})
    return model
