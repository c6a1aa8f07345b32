"""What the two public functions are asked for arrives in the request under its own name."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import Any

import pandas as pd
import pytest

import vtreat_py as vt
from vtreat_py.api import design as api
from vtreat_py.design.request import DesignRequest

FRAME = pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]})
BESIDE = {"frame", "keep_statistics", "collar", "prune_sig", "prune_by", "sparse_output"}


class AskedError(Exception):
    """Carries what a request was made of."""


@pytest.mark.parametrize("function", [vt.design_treatments, vt.cross_frame_experiment])
def test_each_argument_arrives_under_its_own_name(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f.name for f in fields(DesignRequest) if f.init]

    def asked(*given: Any, **by_name: Any) -> None:
        raise AskedError({**dict(zip(names, given, strict=False)), **by_name})

    monkeypatch.setattr(api, "DesignRequest", asked)
    parameters = set(inspect.signature(function).parameters) - BESIDE
    given = {name: object() for name in parameters - {"scale"}}
    if "scale" in parameters:
        given["scale"] = True  # type: ignore[assignment]
    with pytest.raises(AskedError) as caught:
        function(FRAME, **given)
    (found,) = caught.value.args
    expected = {"scaled" if name == "scale" else name: value for name, value in given.items()}
    assert found == expected
    assert set(names) - {"scaled"} <= set(found)


def test_defaults_are_those_of_the_public_functions() -> None:
    parameters = inspect.signature(vt.design_treatments).parameters
    for field in fields(DesignRequest):
        if field.name in parameters:
            assert field.default == parameters[field.name].default
