"""Numbers that R vtreat 1.6.5 computed on made-up data: ``tests/data/units``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

UNITS = Path(__file__).parents[1] / "data" / "units"


def read_units(name: str) -> Any:
    return json.loads((UNITS / f"{name}.json").read_text(encoding="utf-8"))


def columns_of(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Variable, outcome and weights of a case; weights of 1 where it has none."""
    x, y = np.array(case["x"], dtype=float), np.array(case["y"], dtype=float)
    return x, y, np.ones(len(x)) if case["w"] is None else np.array(case["w"], dtype=float)
