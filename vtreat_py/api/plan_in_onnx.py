"""What a plan can do where there is a runtime of ONNX."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vtreat_py.base.files import write_whole
from vtreat_py.plan.choice import Choice
from vtreat_py.plan.data import Plan
from vtreat_py.plan.pruning import SIG, PruneBy, PruneSig

if TYPE_CHECKING:  # onnx is imported on use
    from onnx import ModelProto

    from vtreat_py.onnx_graph.model import Precision


@dataclass(frozen=True, eq=False)
class PlanInOnnx(Plan):
    """The method of a `TreatmentPlan` that writes a model of ONNX."""

    def to_onnx(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        missing_text: str = "",
        dtype: Precision = "float64",
        prune_sig: PruneSig = None,
        prune_by: PruneBy = SIG,
        scale: bool = False,
        collar: bool = False,
        variables: Iterable[str] | None = None,
        coders: Iterable[str] | None = None,
    ) -> ModelProto:
        """Write the plan as an ONNX model that treats rows as `prepare` treats a frame.

        For services that are not in Python: whatever runs ONNX treats rows by the model alone.

        Parameters
        ----------
        path : str or path, default=None
            A file to write the model to, or to replace as a whole.
        missing_text : str, default=""
            What stands for missing text, as ONNX has no text that is missing. It must be no level
            of the design. The ``missing_values`` of the design mean missing, too.
        dtype : {"float64", "float32"}, default="float64"
            Of the output. Numbers beyond the range of float32 stay at its end.
        prune_sig, prune_by, scale, collar, variables, coders
            As for `prepare`.

        Returns
        -------
        onnx.ModelProto
            One input of shape (rows, 1) for each column that the chosen variables are read from,
            of its name: text, or doubles. One output, ``treated``, of shape (rows, variables).

        Raises
        ------
        InvalidOptionError, OptionTypeError
            If an option cannot be used, or a column holds what ONNX cannot say, see the notes. The
            column is named.
        DependencyError
            If onnx is not installed, or too old.

        See Also
        --------
        vtreat_py.onnx_models.inputs : What to hand a runtime, made of a frame.
        vtreat_py.onnx_models.register_converters : Whole pipelines of scikit-learn.

        Notes
        -----
        The model is of opset 17 and ``ai.onnx.ml`` 3, which runtimes of 2022 have. Everything is
        computed in doubles, in the order in which `prepare` computes it: in onnxruntime the results
        are the same, bit for bit (but for the sign of zero), and with ``dtype="float32"`` the same
        rounded.

        Numbers come as doubles: booleans as 0 and 1, dates as days since 1970, points in time as
        seconds since 1970 (UTC), durations as seconds, times of day as seconds since midnight. NaN
        is a missing value, and infinite numbers are bad ones, as for `prepare`. Levels that are
        numbers come as doubles, too, so that they must be exact in them.

        Runtimes may turn what is no text into text: onnxruntime makes ``"None"`` of None, and
        ``"nan"`` of NaN, which are levels never seen. Put ``missing_text`` in their place, as
        `vtreat_py.onnx_models.inputs` does. A text that equals it is a missing value.

        The model's metadata have, as JSON, ``variables``, the names of the columns of the output;
        ``inputs``, what each column holds (``"text"``, or what its numbers stand for); and
        ``missing_text``. The inputs have the same in words.

        What ONNX cannot say: codes of texts never seen (code ``text``), columns that are kept as
        text, levels that are bytes, of several types, or whole numbers from 2**53 on. Clocks with
        summer time are written as this machine knows them, and hold for all years to come.

        Examples
        --------
        >>> import numpy as np
        >>> import onnxruntime
        >>> import pandas as pd
        >>> import vtreat_py as vt
        >>> frame = pd.DataFrame({
        ...     "town": ["Ayr", "Ayr", "Cork", None] * 10,
        ...     "size": [1.0, None, 3.0, 4.0, 5.0] * 8, "price": [3, 6, 4, 5, 1, 8, 5, 2] * 5})
        >>> plan = vt.design_treatments(frame, outcome="price", random_state=0)
        >>> model = plan.to_onnx(coders=["clean", "isBAD", "catP"])
        >>> session = onnxruntime.InferenceSession(model.SerializeToString())
        >>> rows = {"town": np.array([["Ayr"], [""]], dtype=object), "size": [[np.nan], [2.0]]}
        >>> session.run(None, rows | {"size": np.array(rows["size"])})[0].tolist()
        [[0.5, 3.25, 1.0], [0.25, 2.0, 0.0]]
        """
        from vtreat_py.onnx_graph.model import plan_to_model

        choice = Choice.of(self, prune_sig, prune_by, scale, collar, variables, coders)
        model: ModelProto = plan_to_model(self, choice, missing_text, dtype)
        if path is not None:
            write_whole(path, model.SerializeToString())
        return model
