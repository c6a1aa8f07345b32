"""How skl2onnx converts the treatments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from vtreat_py.base.dependencies import optional_module
from vtreat_py.base.errors import OptionTypeError, listed
from vtreat_py.estimators.onnx_steps import (
    ALLOWED,
    DEFAULTS,
    WHAT_FOR,
    StepInputs,
    register_step,
)
from vtreat_py.estimators.treatment import Treatment
from vtreat_py.estimators.treatments import (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
)
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.inputs import TEXT, kinds_of_inputs
from vtreat_py.onnx_graph.model import check_missing_text, graph_of_plan
from vtreat_py.onnx_graph.variables import check_sayable
from vtreat_py.plan.choice import Choice

TREATMENTS = (
    BinomialOutcomeTreatment,
    MultinomialOutcomeTreatment,
    NumericOutcomeTreatment,
    UnsupervisedTreatment,
)


def register_treatments() -> None:
    """Tell skl2onnx how the treatments are converted."""
    for treatment in TREATMENTS:
        register_step(
            treatment,
            _write,
            lambda one: len(_chosen(one).variables),
            ALLOWED | {"missing_text": None},  # any
            DEFAULTS | {"missing_text": ""},
        )


def initial_types(treatment: Any) -> list[tuple[str, Any]]:
    """Types of the columns that a treatment reads; see `vtreat_py.onnx_models.initial_types`."""
    types = optional_module("skl2onnx.common.data_types", WHAT_FOR)
    if not isinstance(treatment, Treatment):
        raise OptionTypeError(
            f"treatment is of type {type(treatment).__name__}; give one of "
            f"{listed([one.__name__ for one in TREATMENTS])}, such as the first step of a pipeline"
        )
    check_is_fitted(treatment)
    kinds = kinds_of_inputs(treatment.plan_, _chosen(treatment))
    text, number = types.StringTensorType, types.DoubleTensorType
    return [(str(c), (text if kind == TEXT else number)([None, 1])) for c, kind in kinds.items()]


def _chosen(treatment: Any) -> Choice:
    """What transform gives; a dense matrix has the numbers of a sparse one."""
    choice = Choice.of(treatment.plan_, **treatment._wanted(treatment.plan_))
    check_sayable(treatment.plan_, choice)
    return choice


def _write(graph: Graph, treatment: Any, inputs: StepInputs, options: Mapping[str, Any]) -> str:
    """Write the nodes of a treatment."""
    plan, choice = treatment.plan_, _chosen(treatment)
    sources = {c: inputs.column(c, kind) for c, kind in kinds_of_inputs(plan, choice).items()}
    missing_text = check_missing_text(options["missing_text"])
    return graph_of_plan(graph, plan, choice, sources, missing_text, options["dtype"])
