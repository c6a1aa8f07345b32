"""A step of a pipeline as skl2onnx has it: what comes in, what goes out, and the nodes between."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError, listed
from vtreat_py.estimators.base import FrameTransformer
from vtreat_py.onnx_graph.graph import LEAST_ML_OPSET, LEAST_OPSET, Graph
from vtreat_py.onnx_graph.inputs import TEXT
from vtreat_py.onnx_graph.model import PRECISIONS

WHAT_FOR = "conversions of pipelines"
# What users may set, and what it is else. Not all models that skl2onnx converts take doubles.
ALLOWED: dict[str, Any] = {"dtype": list(PRECISIONS)}
DEFAULTS: dict[str, Any] = {"dtype": "float32"}

# Writes the nodes of a step, given its inputs and options; returns the name of a matrix.
Writer = Callable[[Graph, Any, "StepInputs", Mapping[str, Any]], str]


def register_step(
    transformer: type[FrameTransformer],
    write: Writer,
    n_columns: Callable[[Any], int],
    allowed: Mapping[str, Any] = ALLOWED,
    defaults: Mapping[str, Any] = DEFAULTS,
) -> None:
    """Tell skl2onnx how a transformer is converted that gives a matrix of so many columns."""
    alias = f"VtreatPy{transformer.__name__}"

    def parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:  # noqa: ARG001
        types = optional_module("skl2onnx.common.data_types", WHAT_FOR)
        operator = scope.declare_local_operator(alias, model)
        operator.inputs = inputs
        single = scope.get_options(model, dict(defaults))["dtype"] == "float32"
        kind = types.FloatTensorType if single else types.DoubleTensorType
        operator.outputs.append(scope.declare_local_variable("treated", kind()))
        return list(operator.outputs)

    def set_shape(operator: Any) -> None:
        operator.outputs[0].type.shape = [None, n_columns(operator.raw_operator)]

    def convert(scope: Any, operator: Any, container: Any) -> None:
        model, graph = operator.raw_operator, Graph(scope.get_unique_variable_name)
        options = container.get_options(model, dict(defaults))
        matrix = write(graph, model, StepInputs(graph, model, operator.inputs), options)
        graph.give_out(matrix, operator.outputs[0].full_name)
        _add(graph, container)

    optional_module("skl2onnx", WHAT_FOR).update_registered_converter(
        transformer, alias, set_shape, convert, parser=parse, options=dict(allowed)
    )


def _add(graph: Graph, container: Any) -> None:
    """Hand constants and nodes over."""
    helper = optional_module("onnx.helper", WHAT_FOR)
    for one in graph.constants:
        container.add_initializer(one.name, one.data_type, None, one)
    for node in graph.nodes:
        container.add_node(
            node.op_type,
            list(node.input),
            list(node.output),
            op_domain=node.domain,
            op_version=LEAST_ML_OPSET if node.domain else LEAST_OPSET,
            name=node.name,
            **{one.name: helper.get_attribute_value(one) for one in node.attribute},
        )


class StepInputs:
    """Finds the columns of a transformer among the inputs of its step."""

    def __init__(self, graph: Graph, transformer: Any, inputs: list[Any]) -> None:
        self.graph, self.inputs = graph, inputs
        self.columns: Sequence[Hashable] = transformer._fitted_columns.columns

    def column(self, column: Hashable, kind: str) -> str:
        """Text or doubles of a column, of shape (n, 1)."""
        if self._is_matrix:
            place = list(self.columns).index(column)
            name = self._typed(self.inputs[0], column, kind)
            return self.graph.columns(name, [place], len(self.columns))
        named = {one.raw_name: one for one in self.inputs}
        if str(column) not in named:
            raise InvalidOptionError(
                f"column {column!r} is not among the inputs {listed(list(named))}; "
                "vtreat_py.onnx_models.initial_types says which are needed"
            )
        return self._typed(named[str(column)], column, kind)

    def matrix(self) -> str:
        """All columns as doubles beside each other."""
        if self._is_matrix:
            return self._typed(self.inputs[0], self.columns[0], "number")
        return self.graph.together([self.column(one, "number") for one in self.columns])

    @property
    def _is_matrix(self) -> bool:
        """Whether all columns come as one input."""
        shape = self.inputs[0].type.shape
        return len(self.inputs) == 1 and len(shape) > 1 and shape[1] != 1

    def _typed(self, variable: Any, column: Hashable, kind: str) -> str:
        given, name = type(variable.type).__name__, variable.full_name
        is_text = given == "StringTensorType"
        if is_text != (kind == TEXT):
            found, wanted = ("text", "numbers") if is_text else ("numbers", "text")
            if self._is_matrix:
                raise InvalidOptionError(
                    f"column {column!r} is handed on as {found} in one matrix with others, as a "
                    "ColumnTransformer does with columns of text and numbers: put the treatment "
                    "before it, and let variables= name its columns"
                )
            raise InvalidOptionError(
                f"column {column!r} is given as {found} ({variable.type!r}), but was designed on "
                f"{wanted}; vtreat_py.onnx_models.initial_types says the types of all columns"
            )
        return name if given in ("StringTensorType", "DoubleTensorType") else self._doubles(name)

    def _doubles(self, name: str) -> str:
        return self.graph.cast(name, "DOUBLE")
