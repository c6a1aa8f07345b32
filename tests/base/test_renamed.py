"""Old names of parameters are taken, with a warning; new names are the signature."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pickle
import sys
import warnings
from typing import Any

import pytest

from vtreat_py.base.errors import OptionTypeError
from vtreat_py.base.renamed import renamed


@renamed(colour="color", grey="gray")
def paint(wall: str, *, color: str = "red", gray: float = 0.0) -> tuple[str, str, float]:
    """Paint a wall.

    >>> paint("north")
    ('north', 'red', 0.0)
    """
    return wall, color, gray


class Brush:
    @renamed(colour="color")
    def paint(self, color: str = "red") -> str:
        return color


def test_the_old_name_is_taken_and_warns() -> None:
    with pytest.warns(FutureWarning) as said:
        assert paint("north", colour="blue") == ("north", "blue", 0.0)  # type: ignore[call-arg]
    assert [str(one.message) for one in said] == [
        "paint: colour is called color now; the old name is taken for one more release"
    ]


def test_each_old_name_warns() -> None:
    with pytest.warns(FutureWarning) as said:
        found = paint("north", colour="blue", grey=1.0)  # type: ignore[call-arg]
    assert found == ("north", "blue", 1.0)
    assert [str(one.message).partition(" is")[0] for one in said] == [
        "paint: colour",
        "paint: grey",
    ]


def test_new_names_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert paint("north", color="blue", gray=0.5) == ("north", "blue", 0.5)
        assert Brush().paint("blue") == "blue"


def test_methods() -> None:
    with pytest.warns(FutureWarning, match="paint: colour is called color now"):
        assert Brush().paint(colour="blue") == "blue"  # type: ignore[call-arg]


def test_both_names_are_refused() -> None:
    with pytest.raises(OptionTypeError, match="colour is the old name of color; give color alone"):
        paint("north", colour="blue", color="blue")  # type: ignore[call-arg]


def test_other_names_are_refused_as_ever() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'hue'"):
        paint("north", hue="blue")  # type: ignore[call-arg]


def test_the_function_is_as_it_was_written() -> None:
    assert list(inspect.signature(paint).parameters) == ["wall", "color", "gray"]
    assert (paint.__name__, paint.__module__) == ("paint", __name__)
    assert pickle.loads(pickle.dumps(paint)) is paint
    found = doctest.DocTestFinder().find(sys.modules[__name__])
    assert [test.name for test in found if test.examples] == [f"{__name__}.paint"]


@pytest.mark.parametrize(
    ("module", "function", "old", "new"),
    [
        ("randomization", "randomization_test", "rng", "random_state"),
        ("repeated_prediction", "repeated_cross_val_predict", "rng", "random_state"),
        ("error_decomposition", "bias_variance", "rng", "random_state"),
        ("coverage", "coverage_study", "estimators", "estimator"),
        ("paired_scores", "per_row_loss", "loss", "metric"),
    ],
)
def test_functions_of_evaluation(module: str, function: str, old: str, new: str) -> None:
    found: Any = getattr(importlib.import_module(f"vtreat_py.evaluation.{module}"), function)
    parameters = inspect.signature(found).parameters
    assert new in parameters
    assert old not in parameters
    with (
        pytest.warns(FutureWarning, match=f"{function}: {old} is called {new} now") as said,
        pytest.raises(TypeError),
    ):
        found(**{old: None})
    assert said[0].filename == __file__  # the line of the caller
