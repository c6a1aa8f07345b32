"""The progress line: what is installed shows it, and it is closed whatever happens."""

from __future__ import annotations

import io
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import KFold

import vtreat_py as vt
from tests.conftest import example_columns
from vtreat_py import evaluation
from vtreat_py.base.jobs import run_jobs
from vtreat_py.base.progress import progress_line

VARIABLES = ["x", "g", "z", "flag", "size"]


def design(**options: Any) -> vt.TreatmentPlan:
    frame = pd.DataFrame(example_columns(60))
    given: dict[str, Any] = {"outcome": "y", "variables": VARIABLES, "random_state": 0}
    return vt.design_treatments(frame, **given | options)


def failing_design(**options: Any) -> None:
    """Fail in the third column."""

    def imputer(values: Any, weights: Any) -> float:
        raise ArithmeticError("no such number")

    with pytest.raises(ArithmeticError):
        design(imputation_map={"z": imputer}, **options)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Hide packages."""

    def hide(*packages: str) -> None:
        for name in [*sys.modules]:
            if name.partition(".")[0] in packages:
                monkeypatch.delitem(sys.modules, name)
        for package in packages:
            monkeypatch.setitem(sys.modules, package, None)

    return hide


class FakeTqdm(types.ModuleType):
    """Takes the place of ``tqdm`` and of ``tqdm.auto``, and writes down what happens to bars."""

    def __init__(self) -> None:
        super().__init__("tqdm")
        self.__path__: list[str] = []
        self.auto = self
        self.events: list[Any] = []

    def tqdm(self, total: int, **options: Any) -> FakeTqdm:
        self.events.append(total)
        return self

    def update(self, n: int = 1) -> None:
        self.events.append("done")

    def close(self) -> None:
        self.events.append("closed")


@pytest.fixture
def fake_tqdm(monkeypatch: pytest.MonkeyPatch, without: Any) -> FakeTqdm:
    fake = FakeTqdm()
    without("tqdm")
    monkeypatch.setitem(sys.modules, "tqdm", fake)
    monkeypatch.setitem(sys.modules, "tqdm.auto", fake)
    return fake


class FakeRich(types.ModuleType):
    """Takes the place of ``rich`` and its parts."""

    def __init__(self) -> None:
        super().__init__("rich")
        self.__path__: list[str] = []
        self.events: list[Any] = []

    def Console(self, stderr: bool) -> bool:  # noqa: N802
        return stderr

    def Progress(self, console: bool) -> FakeRich:  # noqa: N802
        self.events.append("stderr" if console else "stdout")
        return self

    def add_task(self, description: str, total: int) -> int:
        self.events.append(total)
        return 7

    def advance(self, task: int, advance: int = 1) -> None:
        self.events.append(("done", task))

    def start(self) -> None:
        self.events.append("started")

    def stop(self) -> None:
        self.events.append("closed")


@pytest.fixture
def fake_rich(monkeypatch: pytest.MonkeyPatch, without: Any) -> FakeRich:
    fake = FakeRich()
    without("tqdm", "rich")
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, fake)
    return fake


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_tqdm_shows_the_line_where_it_is_installed(
    fake_tqdm: FakeTqdm, n_jobs: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    design(progress=True, n_jobs=n_jobs)
    assert fake_tqdm.events == [5, "done", "done", "done", "done", "done", "closed"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_rich_shows_the_line_where_tqdm_is_missing(
    fake_rich: FakeRich, n_jobs: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    design(progress=True, n_jobs=n_jobs)
    assert fake_rich.events == ["stderr", 5, "started", *[("done", 7)] * 5, "closed"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_the_line_is_closed_after_an_error(fake_tqdm: FakeTqdm, n_jobs: int | None) -> None:
    failing_design(progress=True, n_jobs=n_jobs)
    assert fake_tqdm.events[0] == 5
    assert fake_tqdm.events[-1] == "closed"
    assert fake_tqdm.events.count("done") < 5


def test_the_cross_frame_and_the_transformers_show_it_too(fake_tqdm: FakeTqdm) -> None:
    frame = pd.DataFrame(example_columns(60))
    vt.cross_frame_experiment(frame, outcome="y", variables=["x", "z"], progress=True)
    vt.NumericOutcomeTreatment(variables=["x", "z"], progress=True).fit(frame, "y")
    assert fake_tqdm.events == [2, "done", "done", "closed"] * 2


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_nothing_is_shown_unasked(
    fake_tqdm: FakeTqdm, n_jobs: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    design(n_jobs=n_jobs)
    failing_design(n_jobs=n_jobs)
    assert fake_tqdm.events == []
    assert capfd.readouterr() == ("", "")


def test_an_installed_package_that_is_broken_says_so(
    monkeypatch: pytest.MonkeyPatch, fake_tqdm: FakeTqdm
) -> None:
    def broken(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'part'", name="part")

    monkeypatch.delattr(FakeTqdm, "tqdm")
    monkeypatch.setattr(FakeTqdm, "__getattr__", lambda self, name: broken(name), raising=False)
    with pytest.raises(ModuleNotFoundError, match="part"):
        design(progress=True)


@pytest.mark.parametrize("n_jobs", [None, 3])
def test_a_plain_line_counts_columns_on_standard_error(
    without: Any, n_jobs: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    without("tqdm", "rich")
    design(progress=True, n_jobs=n_jobs)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "vtreat_py: 0 of 5 columns"
    assert err.splitlines()[-1] == "vtreat_py: 5 of 5 columns"
    assert err.endswith("\n")


def test_a_terminal_gets_one_line(without: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    without("tqdm", "rich")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    design(progress=True)
    shown = terminal.getvalue()
    assert shown.startswith("\rvtreat_py: 0 of 5 columns\r")
    assert shown.endswith("\rvtreat_py: 5 of 5 columns\n")
    assert shown.count("\n") == 1


def test_a_terminal_gets_a_whole_line_after_an_error(
    without: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("tqdm", "rich")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    failing_design(progress=True)
    assert terminal.getvalue().endswith("columns\n")


@pytest.mark.parametrize("terminal", [False, True])
def test_thousands_of_columns_are_a_few_updates(
    without: Any, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    without("tqdm", "rich")
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_line(5000, show=True) as advance:
        for _ in range(5000):
            advance()
    updates = stream.getvalue().strip().replace("\r", "\n").split("\n")
    assert len(updates) < 12
    assert updates[-1] == "vtreat_py: 5000 of 5000 columns"
    if not terminal:
        done = [0, 1250, 2500, 3750, 5000]
        assert updates == [f"vtreat_py: {n} of 5000 columns" for n in done]


def coin(size: int, rate: float, rng: np.random.Generator) -> tuple[Any, Any]:
    return rng.random((size, 1)), rng.random(size) < rate


def mean_difference(a: Any, b: Any) -> float:
    return float(np.mean(a - b))


PRIOR = DummyClassifier()
TOSSES = coin(40, 0.5, np.random.default_rng(0))
# What the evaluation does at length, and how much of what it is.
LONG_WORK: dict[str, tuple[Callable[..., Any], str]] = {
    "cv_spread": (
        lambda **options: evaluation.cv_spread(
            PRIOR, *TOSSES, strategies={"two": KFold(2), "five": KFold(5)}, **options
        ).folds,
        "7 fits",
    ),
    "coverage_study": (
        lambda **options: evaluation.coverage_study(
            coin, {"prior": PRIOR}, sizes=[40], rates=[0.5], seeds=range(3), truth_size=50,
            scoring="brier", strategies={"two": KFold(2)}, **options,
        ).table,
        "3 jobs",
    ),
    "repeated_cross_val_predict": (
        lambda **options: evaluation.repeated_cross_val_predict(
            PRIOR, *TOSSES, L=2, k=3, random_state=0, **options
        ),
        "6 fits",
    ),
    "bias_variance": (
        lambda **options: evaluation.bias_variance(
            {"one": PRIOR, "same": PRIOR}, *TOSSES, L=2, k=2, random_state=0, **options
        ),
        "8 fits",
    ),
    "weighted_cross_validate": (
        lambda **options: evaluation.weighted_cross_validate(
            PRIOR, *TOSSES, scoring="accuracy", cv=KFold(5), **options
        ).folds,
        "5 fits",
    ),
    "per_group_metric": (
        lambda **options: evaluation.per_group_metric(
            TOSSES[1], TOSSES[0][:, 0], np.arange(40) // 10, metric=brier_score_loss, **options
        ).to_frame(),
        "4 groups",
    ),
    "randomization_test": (
        lambda **options: pd.DataFrame(evaluation.randomization_test(
            np.arange(10_000.0), np.zeros(10_000), n_resamples=20, random_state=0,
            statistic=mean_difference, **options,
        ).null_distribution),
        "4 blocks",
    ),
    "run_nested": (
        lambda **options: pd.DataFrame(evaluation.run_nested(abs, [[-1, 2], [3, -4]], **options)),
        "4 tasks",
    ),
}  # fmt: skip


@pytest.mark.halved
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("name", LONG_WORK)
def test_long_work_of_the_evaluation_is_counted(
    name: str, n_jobs: int | None, without: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    without("tqdm", "rich")
    work, size = LONG_WORK[name]
    expected = work()
    assert capfd.readouterr() == ("", "")
    pd.testing.assert_frame_equal(work(progress=True, n_jobs=n_jobs), expected)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines()[0] == f"vtreat_py: 0 of {size}"
    assert err.splitlines()[-1] == f"vtreat_py: {size.split()[0]} of {size}"
    with pytest.raises(TypeError, match="progress"):
        work(progress="yes")


def slow_first(item: int) -> int:
    time.sleep(0.2 if item == 0 else 0)
    return item


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_results_keep_their_order_while_they_are_counted(backend: str, fake_tqdm: FakeTqdm) -> None:
    with joblib.parallel_config(backend=backend):
        assert run_jobs(slow_first, range(6), 2, progress=True) == list(range(6))
    assert fake_tqdm.events == [6, *["done"] * 6, "closed"]


def test_the_line_moves_while_others_work(fake_tqdm: FakeTqdm) -> None:
    def watched(item: int) -> int:
        seen.append(len(fake_tqdm.events))
        time.sleep(0.02)
        return item

    seen: list[int] = []
    with joblib.parallel_config(backend="threading"):
        run_jobs(watched, range(20), 2, progress=True)
    assert seen[-1] > 10


@pytest.mark.parametrize("package", ["tqdm", "rich"])
def test_the_real_packages_show_all_columns_done(
    package: str, without: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(package)
    if package == "rich":
        without("tqdm")
    design(progress=True, n_jobs=2)
    out, err = capfd.readouterr()
    assert out == ""
    assert "vtreat_py" in err
    assert "100%" in err
    assert "\nvtreat_py" not in err
