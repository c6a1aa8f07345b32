"""Codes of very many levels are scored by sums over narrow bins of their values."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import vtreat_py as vt
from vtreat_py.design import scoring

N, N_LEVELS = 150_000, 50_000


@pytest.mark.halved
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [0.0, 1.0, 12.0])
@pytest.mark.parametrize("kind", ["class", "rate"])
def test_scores_are_those_of_all_values(
    kind: str, size: float, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(7)
    level = random.integers(0, N_LEVELS, N)
    along = -1.0 + size * random.normal(size=N_LEVELS)[level]
    given = {"random_state": 0, "sample_weight": random.integers(0, 3, N) if weighted else None}
    if kind == "class":
        given["outcome"] = random.random(N) < expit(along)
    else:
        exposure = random.random(N) + 0.1
        given |= {"outcome": random.poisson(exposure * np.exp(along.clip(max=3.0)))}
        given |= {"exposure": exposure}
    frame = pd.DataFrame({"level": level.astype(str)})

    looked_at = []
    by_bins = scoring._binned_fit

    def noted(*given: Any) -> Any:
        looked_at.append(by_bins(*given))
        return looked_at[-1]

    monkeypatch.setattr(scoring, "_binned_fit", noted)
    binned = vt.cross_frame_experiment(frame, **given).plan.score_frame
    monkeypatch.setattr(scoring, "_binned_fit", lambda *_: None)
    exact = vt.cross_frame_experiment(frame, **given).plan.score_frame

    assert any(found is not None for found in looked_at)
    assert list(binned["variable"]) == list(exact["variable"])
    np.testing.assert_allclose(binned["rsq"], exact["rsq"], rtol=1e-7)
    np.testing.assert_allclose(binned["sig"], exact["sig"], rtol=1e-7, atol=1e-300)
