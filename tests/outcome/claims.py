"""Claims of cars, per year insured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

FOLDS = KFold(5, shuffle=True, random_state=0)


def claims(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """Claims of cars in towns, with ages of which some are missing."""
    rng = np.random.default_rng(seed)
    town, age = rng.integers(0, 25, n), rng.normal(40.0, 10.0, n)
    years = rng.gamma(1.0, size=n) + 0.05
    rate = 0.3 * np.exp(rng.normal(0.0, 0.6, 25)[town] - 0.03 * (age - 40.0))
    return pd.DataFrame(
        {
            "town": [f"t{k:02d}" for k in town],
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "fuel": rng.choice(["gas", "oil", "sun"], n),
            "claims": rng.poisson(rate * years),
            "years": years,
        }
    )


GIVEN: dict[str, Any] = {"outcome": "claims", "exposure": "years", "cv": FOLDS}
