"""What mypy knows of calls, as an editor does: kinds of frames, and words that there are not."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest

import vtreat_py as vt
from vtreat_py.api.options import CrossFrameOptions, KeptFrameOptions, PrepareOptions

CALLS = Path(__file__).with_name("what_users_get.py")
HOME = Path(vt.__file__).parents[1]
CONFIG = HOME / "pyproject.toml"
EXPECTED = re.compile(r"# error: ([\w-]+)$")


def found_by_mypy(path: Path) -> dict[int, str]:
    """The code of the error of each line that has one; the cache is that of the lint."""
    for needed in ("mypy", "pandas-stubs", "polars", "matplotlib"):
        try:
            distribution(needed)
        except PackageNotFoundError:
            pytest.skip(f"{needed} is not installed")
    from mypy import api

    cache = f"--cache-dir={HOME / '.mypy_cache'}"
    report, trouble, _ = api.run(
        [f"--config-file={CONFIG}", cache, "--no-pretty", "--hide-error-context", str(path)]
    )
    assert not trouble
    lines = re.findall(rf"{path.name}:(\d+): error: .*\[([\w-]+)\]$", report, re.MULTILINE)
    return {int(line): code for line, code in lines}


@pytest.mark.long
@pytest.mark.skipif(not CONFIG.exists(), reason="the package is not that of a checkout")
def test_mypy_finds_what_is_wrong_and_nothing_else() -> None:
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    wrong = {n: code[1] for n, line in enumerate(lines, 1) if (code := EXPECTED.search(line))}
    assert len(wrong) > 20
    assert found_by_mypy(CALLS) == wrong


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (vt.prepare, PrepareOptions),
        (vt.cross_frame_experiment, CrossFrameOptions),
        (vt.DesignStatistics.cross_frame, KeptFrameOptions),
    ],
)
def test_options_of_overloads_are_those_of_the_function(
    function: Callable[..., Any], options: Any
) -> None:
    parameters = inspect.signature(function).parameters.values()
    named = {
        p.name: str(p.annotation)
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.name not in ("sparse_output", "folds")
    }
    told = {name: kind.__forward_arg__ for name, kind in options.__annotations__.items()}
    assert told == named
