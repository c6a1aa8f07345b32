"""Models in onnxruntime, and what is to come out of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import vtreat_py as vt

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def outputs(model: Any, feeds: dict[str, Any]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    found: list[Any] = session.run(None, feeds)
    return found


def treated(model: Any, frame: Any) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = outputs(model, vt.onnx_models.inputs(model, frame))[0]
    return found


def bits(numbers: Any) -> npt.NDArray[np.int64]:
    """Floats as integers, zero without a sign."""
    return (np.asarray(numbers, dtype=np.float64) + 0.0).view(np.int64)


def assert_as_prepared(
    plan: vt.TreatmentPlan, frame: Any, missing_text: str = "", **choice: Any
) -> Any:
    """A model gives the bits of `prepare`."""
    expected = vt.prepare(plan, frame, **choice)
    model = plan.to_onnx(missing_text=missing_text, **choice)
    onnx.checker.check_model(model, full_check=True)
    np.testing.assert_array_equal(bits(treated(model, frame)), bits(expected))
    return model
