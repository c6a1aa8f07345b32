"""A plan as a model of ONNX gives what `prepare` gives."""

from __future__ import annotations

from random import Random

import numpy as np

import vtreat_py as vt
from tests.laws import designs, frames
from tests.laws.designs import refusable
from tests.laws.options import choice_options

# Which no drawn text is.
_MARK = "\ue000"


def models(random: Random) -> None:
    """The same numbers come out of onnxruntime, bit for bit but for the sign of zero."""
    from tests.onnx_graph.runtime import bits, treated

    case = designs.case(random)
    plan = case.design()
    new = case.new_rows(random, random.choice([1, 2, 3, 9]))
    choice = choice_options(random, case.outcome_kind)
    model = refusable(lambda: plan.to_onnx(missing_text=_MARK, **choice))
    expected = frames.treated_values(refusable(lambda: vt.prepare(plan, new, **choice)))
    found = refusable(lambda: treated(model, new))
    np.testing.assert_array_equal(bits(found), bits(expected))
