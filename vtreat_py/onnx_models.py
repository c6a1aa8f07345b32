"""Models of ONNX, and whole pipelines of scikit-learn with a treatment in them.

`TreatmentPlan.to_onnx` writes a plan alone.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from vtreat_py.base.on_use import public_names

__all__ = ["initial_types", "inputs", "register_converters"]

__dir__ = public_names(globals())


def inputs(
    model: Any, frame: Any, *, missing_text: str | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Make what a runtime is handed of a frame.

    Parameters
    ----------
    model : onnx.ModelProto
        What `TreatmentPlan.to_onnx` or skl2onnx returned; or a file of it, read by ``onnx.load``.
    frame : pandas, polars or pyarrow data frame, or list of dicts, of n rows
        With the columns that the model asks for, among others. Columns are found by name, also
        where skl2onnx calls them otherwise (``"my_town"`` in place of ``"my town"``).
    missing_text : str, default=None
        What stands for missing text; None: what the model says, or ``""`` where it says nothing.

    Returns
    -------
    dict from str to ndarray of shape (n, 1)
        Text as objects, and all else as the numbers that the model asks for: dates as days since
        1970, points in time as seconds since 1970 (UTC), durations as seconds, booleans as 0 and 1,
        missing ones as NaN.

    Raises
    ------
    SchemaError
        If columns are missing (all are named), or hold another type than the model asks for.
    FrameError
        If a column has missing values, and the model asks for whole numbers there; or if
        skl2onnx calls columns alike, and the model asks for one of them.
    OptionTypeError
        If it is no model.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> frame = pd.DataFrame({"town": ["Ayr", None, "Cork"] * 9, "size": [1.5, 2.5, None] * 9})
    >>> model = vt.design_treatments(frame, outcome_type="unsupervised").to_onnx()
    >>> vt.onnx_models.inputs(model, [{"town": None, "size": 7}])
    {'town': array([['']], dtype=object), 'size': array([[7.]])}
    """
    from vtreat_py.onnx_graph.feeds import feeds_of_frame

    return feeds_of_frame(model, frame, missing_text)


def register_converters() -> None:
    """Tell skl2onnx how the treatments are converted, so that pipelines with one convert.

    To be called once. The converters have two options, which ``options=`` of skl2onnx sets by
    step: ``missing_text``, as for `TreatmentPlan.to_onnx`, and ``dtype`` of what goes on to the
    next step, ``"float32"`` or ``"float64"``. The default is ``"float32"``, which all models take;
    of those in skl2onnx, trees take nothing else. Treatments compute in doubles in any case.

    Raises
    ------
    DependencyError
        If skl2onnx is not installed, or too old.

    See Also
    --------
    initial_types : What to tell skl2onnx of the data.
    inputs : What to hand the runtime.

    Notes
    -----
    They are `BinomialOutcomeTreatment`, `MultinomialOutcomeTreatment`, `NumericOutcomeTreatment`
    and `UnsupervisedTreatment`, in a pipeline or alone. A target opset of 13 or more is needed.
    What ONNX cannot say is refused, as by `TreatmentPlan.to_onnx`.

    `YAwareScaler` and `YAwarePCA` are converted, too. They have no ``missing_text``, and make NaN
    of missing numbers, which they refuse in Python.

    Examples
    --------
    >>> import onnxruntime
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> from skl2onnx import to_onnx
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> X = pd.DataFrame({"town": ["Ayr", "Bath", "Cork", None] * 10, "size": range(40)})
    >>> y = [size + 10.0 * (town == "Bath") for town, size in X.itertuples(index=False)]
    >>> pipeline = make_pipeline(vt.NumericOutcomeTreatment(random_state=0), LinearRegression())
    >>> pipeline = pipeline.fit(X, y)
    >>> vt.onnx_models.register_converters()
    >>> model = to_onnx(pipeline, initial_types=vt.onnx_models.initial_types(pipeline[0]))
    >>> session = onnxruntime.InferenceSession(model.SerializeToString())
    >>> rows = pd.DataFrame({"town": ["Bath", None, "Deal"], "size": [7, 8, 9]})
    >>> session.run(None, vt.onnx_models.inputs(model, rows))[0].ravel().round(1).tolist()
    [17.0, 8.0, 9.0]
    """
    from vtreat_py.estimators.onnx_converters import register_treatments
    from vtreat_py.yaware.onnx_converters import register_yaware

    register_treatments()
    register_yaware()


def initial_types(treatment: Any) -> list[tuple[str, Any]]:
    """Types of the columns that a fitted treatment reads, as skl2onnx takes them.

    Parameters
    ----------
    treatment : fitted treatment
        Such as the first step of a pipeline.

    Returns
    -------
    list of (str, type)
        For each column its name, and ``StringTensorType([None, 1])`` or
        ``DoubleTensorType([None, 1])``. Columns that nothing is read from are left out.

    Raises
    ------
    InvalidOptionError
        If a column holds what ONNX has no type for.
    OptionTypeError
        If it is no treatment.
    DependencyError
        If skl2onnx is not installed, or too old.

    Examples
    --------
    >>> import pandas as pd
    >>> import vtreat_py as vt
    >>> X = pd.DataFrame({"town": ["Ayr", "Bath"] * 9, "size": range(18)})
    >>> vt.onnx_models.initial_types(vt.UnsupervisedTreatment().fit(X))
    [('town', StringTensorType(shape=[None, 1])), ('size', DoubleTensorType(shape=[None, 1]))]
    >>> vt.onnx_models.initial_types(vt.UnsupervisedTreatment(coders=["clean"]).fit(X))
    [('size', DoubleTensorType(shape=[None, 1]))]
    """
    from vtreat_py.estimators.onnx_converters import initial_types as types_of

    return types_of(treatment)
