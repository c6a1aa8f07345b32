"""The rows of a frame, as kept statistics sum them up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vtreat_py._design_context import DesignContext
from vtreat_py._kept_design import KeptDesign
from vtreat_py._typing import FloatArray, IntArray, NumberArray


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The rows of a frame that count, that is have weight.

    Attributes
    ----------
    counted : ndarray of int or slice
        Their places in the frame.
    block : ndarray of int
        The block of each; see `KeptDesign`.
    n_blocks : int
    y : ndarray
        Outcome of each relative to ``centre``; 0 for classes, which blocks tell apart.
    weight : ndarray or None
    """

    counted: IntArray | slice
    block: IntArray
    n_blocks: int
    y: NumberArray
    weight: FloatArray | None
    centre: float

    @classmethod
    def of(cls, context: DesignContext, design: KeptDesign) -> KeptRows:
        """Look at the rows of a design in memory."""
        outcome = context.outcome
        counted: IntArray | slice = slice(None)
        if outcome.weight is not None:
            counted = np.flatnonzero(outcome.weight > 0)
        y = outcome.y[counted]
        block = design.blocks(context.folds.fold[counted], y)
        if design.counts_classes:
            y = np.zeros(len(y), dtype=np.int8)
        weight = None if outcome.weight is None else outcome.weight[counted]
        return cls(counted, block, design.n_blocks, y, weight, outcome.centre)
