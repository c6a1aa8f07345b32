"""Warnings point at the line of the user that they are about."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import vtreat_py as vt
import vtreat_py.compat as vtreat

X = pd.DataFrame({"x": ["a", "b", "c", "a"] * 10, "z": np.arange(40.0), "flat": 1.0})
Y = [0, 1, 1, 0, 1, 0, 1, 1] * 5
SEEN = "this looks like the frame"
FLAT = "nothing is derived from"
QUIET = pytest.mark.filterwarnings("ignore:nothing is derived from:vtreat_py.VtreatWarning")


def treatment(**options: Any) -> vt.BinomialOutcomeTreatment:
    return vt.BinomialOutcomeTreatment(smoothing=0, random_state=0, prune_sig=None, **options)


def searched() -> Any:
    model = make_pipeline(treatment(variables=["x"]), LogisticRegression())
    grid = {"binomialoutcometreatment__min_fraction": [0.1]}
    return GridSearchCV(model, grid, cv=2, return_train_score=True).fit(X, Y)


LARGE = X.assign(x=2**60 + np.arange(len(X)))
CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "design": (FLAT, lambda: vt.design_treatments(X, outcome=Y)),
    "reading": ("beyond 2", lambda: vt.design_treatments(LARGE, outcome=Y)),
    "cross-frame": (FLAT, lambda: vt.cross_frame_experiment(X, outcome=Y)),
    "fit": (FLAT, lambda: treatment().fit(X, Y)),
    "fit_transform, which scikit-learn wraps": (FLAT, lambda: treatment().fit_transform(X, Y)),
    "prepare": (SEEN, lambda: vt.prepare(vt.design_treatments(X, outcome=Y, smoothing=0), X)),
    "transform": (SEEN, lambda: treatment().fit(X, Y).transform(X)),
    "a pipeline": (FLAT, lambda: make_pipeline(treatment(), LogisticRegression()).fit(X, Y)),
    "a search": (SEEN, searched),
    "names lost": ("valid feature names", lambda: treatment().fit(X, Y).transform(X.to_numpy())),
    "compat": (SEEN, lambda: vtreat.BinomialOutcomeTreatment().fit(X, Y).transform(X)),
}


@QUIET
@pytest.mark.filterwarnings("ignore:this looks like the frame:vtreat_py.VtreatWarning")
@pytest.mark.parametrize(("message", "call"), CALLS.values(), ids=CALLS)
def test_a_warning_points_at_the_line_that_called(message: str, call: Callable[[], Any]) -> None:
    with pytest.warns(UserWarning, match=message) as caught:
        call()
    wanted = [w for w in caught if message in str(w.message)]
    assert {w.filename for w in wanted} == {__file__}


@QUIET
def test_the_warning_about_training_rows_can_be_filtered_as_the_documentation_says() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "this looks like the frame", vt.VtreatWarning)
        search = searched()
    assert search.cv_results_["mean_train_score"][0] > 0
