"""Designs on drawn frames: a frame, an outcome, what stands beside, options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import vtreat_py as vt
from tests.laws import frames
from tests.laws.options import design_options, folds, folds_of_groups
from tests.laws.values import EDGES

T = TypeVar("T")
KINDS = [
    "numeric", "numeric", "binomial", "binomial", "multinomial", "rate", "survival", "unsupervised",
]  # fmt: skip


class RefusedError(Exception):
    """A case was refused by an error of ours: there is nothing more to try."""


def refusable(call: Callable[[], T]) -> T:
    """Do what may be refused, in words for people."""
    try:
        return call()
    except vt.VtreatError as error:
        check_words(error)
        raise RefusedError(str(error)) from error


def perhaps_for_scoring(random: Random, plan: vt.TreatmentPlan) -> vt.TreatmentPlan:
    """Take what would tell of few rows out of some plans, where that can be."""
    if random.random() < 0.75:
        return plan
    try:
        return plan.for_scoring(min_rows=random.choice([1, 2, 3]))
    except vt.VtreatError as error:
        check_words(error)
        return plan


def check_words(error: Exception) -> None:
    """An error says something."""
    assert len(str(error)) > 10, error


@dataclass
class Case:
    """What a design is given, and what its frames are drawn from."""

    kind: frames.Kind
    outcome_kind: str
    frame: Any
    options: dict[str, Any] = field(default_factory=dict)

    def design(self, **more: Any) -> vt.TreatmentPlan:
        """Make the plan; what is refused ends the case."""
        return refusable(lambda: vt.design_treatments(self.frame, **self.options | more))

    def new_rows(self, random: Random, n: int | None = None) -> Any:
        """More rows of the same columns, with values that may be new."""
        n = random.choice([0, 1, 2, 3, 5, 12]) if n is None else n
        return self.kind.frame(random, n, novel=random.choice([0.0, 0.2, 1.0]))


def case(
    random: Random,
    n_columns: int | None = None,
    share: float = 0.15,
    shares: dict[str, float] | None = None,
) -> Case:
    """Draw a design: everything at random."""
    kind = frames.kind(random, n_columns, shares)
    n = frames.some_rows(random)
    outcome_kind = random.choice(KINDS)
    drawn = Case(kind, outcome_kind, kind.frame(random, n))
    drawn.options = design_options(random, kind.names, outcome_kind, share)
    drawn.options["random_state"] = random.choice([0, 1, 2**32 - 1])
    if outcome_kind == "unsupervised":
        drawn.options["outcome_type"] = "unsupervised"
    else:
        _give(random, drawn, "outcome", outcome(random, outcome_kind, n))
        drawn.options |= asked(random, outcome_kind, drawn)
    if outcome_kind == "rate" and random.random() < 0.8:
        _give(random, drawn, "exposure", exposures(random, n))
    if outcome_kind == "survival" and random.random() < 0.9:
        _give(random, drawn, "event", events(random, n))
        drawn.options["outcome"] = drawn.options["outcome"], drawn.options.pop("event")
    if random.random() < 0.25:
        _give(random, drawn, "sample_weight", weights(random, n))
    if outcome_kind != "unsupervised":
        _give_folds(random, drawn, n)
    return drawn


def asked(random: Random, kind: str, drawn: Case) -> dict[str, Any]:
    """Name the type of the outcome, which most need not."""
    must = kind in ("multinomial", "rate", "survival")
    return {"outcome_type": kind} if must or random.random() < 0.3 else {}


def outcome(random: Random, kind: str, n: int) -> list[Any]:
    """Draw an outcome that varies, where there are rows enough."""
    if kind == "numeric":
        return _numbers(random, n)
    if kind == "rate":
        return _counts(random, n)
    if kind == "survival":
        return _times(random, n)
    if kind == "binomial":
        classes = random.choice([["no", "yes"], [False, True], [0, 1], [0.0, 1.0], ["", "é"]])
    else:
        n_classes = random.choice([3, 3, 4, 6])
        classes = random.choice([[f"c{i}" for i in range(n_classes)], list(range(5, 8))])
    rate = random.choice([0.5, 0.3, 0.05])
    drawn = [classes[0] if random.random() < rate else random.choice(classes) for _ in range(n)]
    for place, one in zip(range(n), classes, strict=False):
        drawn[place] = one
    random.shuffle(drawn)
    return drawn


def _counts(random: Random, n: int) -> list[float]:
    most = random.choice([1, 2, 5, 1000, 10**15])
    scale = random.choice([1.0, 1.0, 0.3, 1e-9])
    drawn = [scale * random.randint(0, most) for _ in range(n)]
    return [scale, *drawn[1:]] if n and not any(drawn) else drawn


def _times(random: Random, n: int) -> list[float]:
    """Draw times: tied, of any size, of 0; rarely impossible."""
    how = random.random()
    if how < 0.4:
        return [float(random.randrange(random.choice([2, 5, 30]))) for _ in range(n)]
    if how < 0.8:
        scale = random.choice([1.0, 1.0, 1e-300, 1e300])
        return [scale * random.expovariate(1.0) for _ in range(n)]
    if how < 0.95:
        return [random.choice([0.0, 1.0, 5e-324, 1e308, 3.0]) for _ in range(n)]
    return [random.choice([1.0, 0.0, -1.0, float("nan"), float("inf")]) for _ in range(n)]


def events(random: Random, n: int) -> list[Any]:
    """Draw whether times ended in an event: many of them, few, all; rarely impossible."""
    if random.random() < 0.05:
        return [random.choice([0.0, 1.0, 1.0, 2.0, float("nan")]) for _ in range(n)]
    seen, rate = random.choice([(False, True), (0, 1), (0.0, 1.0)]), random.choice([0.7, 0.1, 1.0])
    drawn = [seen[random.random() < rate] for _ in range(n)]
    return [seen[1], *drawn[1:]] if n and random.random() < 0.8 else drawn


def exposures(random: Random, n: int) -> list[float]:
    """Draw what counts are per: of one size, of very different sizes; rarely impossible."""
    how = random.random()
    if how < 0.7:
        scale = random.choice([1.0, 1.0, 1e-9, 1e9])
        return [scale * (0.01 + random.random()) for _ in range(n)]
    if how < 0.85:
        return [random.choice([1.0, 1e-12, 1e12, 3.0]) for _ in range(n)]
    if how < 0.95:
        return [2.0] * n
    return [random.choice([1.0, 0.0, -1.0, float("nan"), 1e300, 5e-324]) for _ in range(n)]


def _numbers(random: Random, n: int) -> list[float]:
    how = random.random()
    if how < 0.6:
        scale = random.choice([1.0, 1.0, 1e-6, 1e9])
        drawn = [random.gauss(0, scale) for _ in range(n)]
    elif how < 0.75:
        drawn = [float(random.randrange(random.choice([3, 9]))) for _ in range(n)]
    elif how < 0.85:
        shift = random.choice([1e6, 1e12, -1e15])
        drawn = [shift + random.gauss(0, 1) for _ in range(n)]
    elif how < 0.95:
        power = 2.0 ** random.choice([random.randint(-1060, 1015), random.randint(-390, 390)])
        drawn = [power * random.randint(-9, 9) for _ in range(n)]
    else:
        drawn = [random.choice(EDGES) for _ in range(n)]
    if n > 1 and len(set(drawn)) == 1:
        drawn[0] = drawn[0] * 2 + 1.5
    return drawn


def weights(random: Random, n: int) -> list[float]:
    """Draw weights: counts, shares, tiny, huge, of very different sizes; rarely impossible."""
    how = random.random()
    if how < 0.35:
        return [float(random.choice([0, 1, 1, 2, 3])) for _ in range(n)]
    if how < 0.65:
        scale = random.choice([1.0, 1.0, 1 / max(n, 1), 1e-9, 1e9, 2.0**-200, 2.0**200])
        return [random.random() * scale for _ in range(n)]
    if how < 0.75:
        return [random.choice([1.0, 1e-12, 1e12, 0.0]) for _ in range(n)]
    if how < 0.85:
        return [1e17 if i == 0 else 1.0 for i in range(n)]
    if how < 0.93:
        return [random.choice([1e-20, 1e24, 1.0]) for _ in range(n)]
    return [random.choice([1.0, -1.0, 0.0, float("nan"), 1e300, 5e-324]) for _ in range(n)]


def _give(random: Random, drawn: Case, option: str, values: list[Any]) -> None:
    """Give what runs along the rows: as an array, a list, a series, or a column of the frame."""
    how = random.choice(["array", "list", "series", "column"])
    frame, name = drawn.frame, {"outcome": "y", "sample_weight": "weight"}.get(option, option)
    can_hold = not isinstance(frame, np.ndarray) and not frames.has_column(drawn.kind, name)
    if how == "column" and can_hold:
        drawn.frame = frames.with_column(frame, name, values)
        drawn.options[option] = name
    elif how == "series":
        drawn.options[option] = _series(frame, values)
    else:
        drawn.options[option] = values if how == "list" else pd.Series(values).to_numpy()


def _series(frame: Any, values: list[Any]) -> Any:
    if isinstance(frame, pl.DataFrame):
        return pl.Series(values)
    if isinstance(frame, pa.Table):
        return pa.chunked_array([pa.array(values)])
    index = frame.index if isinstance(frame, pd.DataFrame) else None
    return pd.Series(values, index=index)


def _give_folds(random: Random, drawn: Case, n: int) -> None:
    how = random.random()
    if how < 0.1:
        n_groups = random.choice([2, 3, max(n // 2, 1)])
        _give(random, drawn, "groups", [f"g{random.randrange(n_groups)}" for _ in range(n)])
        drawn.options["cv"] = folds_of_groups(random, 2)
    elif how < 0.2 and not isinstance(drawn.frame, np.ndarray):
        drawn.frame = frames.with_column(drawn.frame, "fold", [i % 3 for i in range(n)])
        drawn.options["cv"] = "fold"
    elif how < 0.6:
        drawn.options["cv"] = folds(random, n)
    if drawn.options.get("cv", 0) is None:
        del drawn.options["cv"]
