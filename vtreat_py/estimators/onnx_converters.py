"""How skl2onnx converts the treatments."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import InvalidOptionError, OptionTypeError, listed
from vtreat_py.estimators.treatment import Treatment
from vtreat_py.estimators.treatments import (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
)
from vtreat_py.onnx_graph.graph import LEAST_ML_OPSET, LEAST_OPSET, Graph
from vtreat_py.onnx_graph.inputs import TEXT, kinds_of_inputs
from vtreat_py.onnx_graph.model import PRECISIONS, check_missing_text, graph_of_plan
from vtreat_py.onnx_graph.variables import check_sayable
from vtreat_py.plan.choice import Choice

TREATMENTS = (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
)
_WHAT_FOR = "conversions of pipelines"
_OPTIONS = {"missing_text": None, "dtype": list(PRECISIONS)}
# Not all models that skl2onnx converts take doubles.
_DEFAULTS = {"missing_text": "", "dtype": "float32"}


def register() -> None:
    """Tell skl2onnx how the treatments are converted."""
    skl2onnx = optional_module("skl2onnx", _WHAT_FOR)
    for treatment in TREATMENTS:
        skl2onnx.update_registered_converter(
            treatment,
            f"VtreatPy{treatment.__name__}",
            _set_shape,
            _convert,
            parser=_parse,
            options=_OPTIONS,
        )


def initial_types(treatment: Any) -> list[tuple[str, Any]]:
    """Types of the columns that a treatment reads; see `vtreat_py.onnx_models.initial_types`."""
    types = optional_module("skl2onnx.common.data_types", _WHAT_FOR)
    check_treatment(treatment)
    kinds = kinds_of_inputs(treatment.plan_, _chosen(treatment))
    text, number = types.StringTensorType, types.DoubleTensorType
    return [(str(c), (text if kind == TEXT else number)([None, 1])) for c, kind in kinds.items()]


def check_treatment(treatment: Any) -> None:
    """Refuse what is no fitted treatment."""
    if not isinstance(treatment, Treatment):
        raise OptionTypeError(
            f"treatment is of type {type(treatment).__name__}; give one of "
            f"{listed([one.__name__ for one in TREATMENTS])}, such as the first step of a pipeline"
        )
    check_is_fitted(treatment)


def _chosen(treatment: Any) -> Choice:
    """What transform gives; a dense matrix has the numbers of a sparse one."""
    choice = Choice.of(treatment.plan_, **treatment._wanted(treatment.plan_))
    check_sayable(treatment.plan_, choice)
    return choice


def _parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:  # noqa: ARG001
    """Declare the one output, of its own type whatever the inputs are."""
    types = optional_module("skl2onnx.common.data_types", _WHAT_FOR)
    operator = scope.declare_local_operator(f"VtreatPy{type(model).__name__}", model)
    operator.inputs = inputs
    single = scope.get_options(model, dict(_DEFAULTS))["dtype"] == "float32"
    kind = types.FloatTensorType if single else types.DoubleTensorType
    operator.outputs.append(scope.declare_local_variable("treated", kind()))
    return list(operator.outputs)


def _set_shape(operator: Any) -> None:
    operator.outputs[0].type.shape = [None, len(_chosen(operator.raw_operator).variables)]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes of a treatment into the model of a pipeline."""
    treatment = operator.raw_operator
    options: dict[str, Any] = container.get_options(treatment, dict(_DEFAULTS))
    choice = _chosen(treatment)
    graph = Graph(scope.get_unique_variable_name)
    sources = _Sources(graph, treatment, operator.inputs)
    named = {c: sources.of(c, kind) for c, kind in kinds_of_inputs(treatment.plan_, choice).items()}
    missing_text = check_missing_text(options["missing_text"])
    matrix = graph_of_plan(graph, treatment.plan_, choice, named, missing_text, options["dtype"])
    graph.give_out(matrix, operator.outputs[0].full_name)
    _add(graph, container)


def _add(graph: Graph, container: Any) -> None:
    helper = optional_module("onnx.helper", _WHAT_FOR)
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


class _Sources:
    """Finds the columns of a treatment among the inputs of its step."""

    def __init__(self, graph: Graph, treatment: Any, inputs: list[Any]) -> None:
        self.graph, self.treatment, self.inputs = graph, treatment, inputs

    def of(self, column: Hashable, kind: str) -> str:
        """Text or doubles of a column, of shape (n, 1)."""
        variable, place, width = self._find(column)
        name = variable.full_name
        is_text = type(variable.type).__name__ == "StringTensorType"
        if is_text != (kind == TEXT):
            found, wanted = ("text", "numbers") if is_text else ("numbers", "text")
            raise InvalidOptionError(
                f"column {column!r} is given as {found} ({variable.type!r}), but was designed on "
                f"{wanted}; vtreat_py.onnx_models.initial_types says the types of all columns"
            )
        if width > 1:
            name = self.graph.columns(name, [place], width)
        is_double = type(variable.type).__name__ == "DoubleTensorType"
        return name if is_text or is_double else self.graph.cast(name, "DOUBLE")

    def _find(self, column: Hashable) -> tuple[Any, int, int]:
        """The input that has a column: by its name, or where there is one matrix, by its place."""
        if len(self.inputs) == 1 and (width := _width(self.inputs[0])) != 1:
            place = list(self.treatment._fitted_columns.columns).index(column)
            return self.inputs[0], place, width or self.treatment.n_features_in_
        named = {one.raw_name: one for one in self.inputs}
        if str(column) not in named:
            raise InvalidOptionError(
                f"column {column!r} is not among the inputs {listed(list(named))}; "
                "vtreat_py.onnx_models.initial_types says which are needed"
            )
        return named[str(column)], 0, 1


def _width(variable: Any) -> Any:
    """Number of columns of an input; None where it is not said."""
    shape = variable.type.shape
    return shape[1] if len(shape) > 1 else None
