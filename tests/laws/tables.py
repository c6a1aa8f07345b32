"""Plain tables, whose rows any engine can hold: for laws that compare two ways to one result."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa

import vtreat_py as vt
from tests.laws.designs import events, exposures, outcome
from tests.laws.options import design_options
from tests.laws.values import BAD, FAMILIES, family

_SHARES = {"numbers": 6, "small": 3, "flags": 2, "words": 8, "texts": 2, "moments": 1, "dates": 1}
_FUNCTIONS = ("imputation", "imputation_map")


@dataclass
class Table:
    """Columns of plain values, an outcome, what stands beside, and the options of a design."""

    outcome_kind: str
    columns: dict[str, list[Any]]
    y: list[Any]
    weight: list[float] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    exposure: list[float] | None = None
    event: list[Any] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.y)

    def arrow(self) -> pa.Table:
        """All of it as an Arrow table, with row ids and folds."""
        held: dict[str, Any] = {"id": range(self.n_rows), "fold": self.folds}
        held |= self.columns | {"y": self.y}
        if self.exposure is not None:
            held["exposure"] = self.exposure
        held |= {} if self.event is None else {"event": self.event}
        return pa.table(held if self.weight is None else held | {"weight": self.weight})

    def pandas(self) -> pd.DataFrame:
        """All of it as a pandas frame."""
        return self.arrow().to_pandas()

    @property
    def folds(self) -> list[int]:
        return [i % 3 for i in range(self.n_rows)]

    @property
    def given(self) -> dict[str, Any]:
        """Arguments of a design on the table, the folds being a column."""
        given: dict[str, Any] = {"variables": list(self.columns), "outcome": "y", "cv": "fold"}
        given["outcome_type"] = self.outcome_kind
        if self.outcome_kind == "unsupervised":
            del given["outcome"], given["cv"]
        if self.event is not None:
            given["outcome"] = "y", "event"
        if self.weight is not None:
            given["sample_weight"] = "weight"
        if self.exposure is not None:
            given["exposure"] = "exposure"
        return self.options | given

    def taken(self, rows: list[int]) -> Table:
        """Some of the rows, in this order, without weights."""
        columns = {name: [values[i] for i in rows] for name, values in self.columns.items()}
        per = None if self.exposure is None else [self.exposure[i] for i in rows]
        y = [self.y[i] for i in rows]
        return Table(self.outcome_kind, columns, y, None, self.options, per)

    def new_rows(self, random: Random, n: int, *, with_id: bool = False) -> pa.Table:
        """Rows of the same values, and of some that are new."""
        more: dict[str, Any] = {}
        for name, values in self.columns.items():
            drawn = [random.choice(values) for _ in range(n)]
            if all(isinstance(v, str | None) for v in values):
                drawn = [v if random.random() < 0.8 else "never seen" for v in drawn]
            more[name] = pa.array(drawn, self.arrow().schema.field(name).type)
        return pa.table(more | ({"id": range(n)} if with_id else {}))


def table(
    random: Random, kind: str, *, functions: bool = False, share: float = 0.15, **shares: float
) -> Table:
    """Draw a table; the shares are those of the families of its columns."""
    n = random.choice([*range(9, 60), 150])
    columns = {}
    for i in range(random.choice([1, 1, 2, 3, 5])):
        columns[f"x{i}"] = column(random, family(random, shares or _SHARES), n)
    drawn = Table(kind, columns, [0.0] * n)
    if kind != "unsupervised":
        drawn.y = outcome(random, kind, n)
    if kind == "rate" and random.random() < 0.8:
        drawn.exposure = exposures(random, n)
        if max(drawn.exposure) > 1e6 * min(drawn.exposure):  # sums would lose the small ones
            drawn.exposure = [0.01 + random.random() for _ in range(n)]
    if kind == "survival":
        drawn.event = events(random, n)
    drawn.options = design_options(random, list(columns), kind, share)
    drawn.options.pop("variables", None)
    if not functions:
        for option in _FUNCTIONS:
            if "function" in repr(drawn.options.get(option)):
                del drawn.options[option]
        own = drawn.options.pop("custom_coders", ())
        if own and "coders" in drawn.options:
            kept = [code for code in drawn.options["coders"] if code not in own]
            drawn.options["coders"] = kept
    return drawn


def column(random: Random, of: str, n: int) -> list[Any]:
    """Draw a column that has a value in the first row, so that its type is known."""
    pool = FAMILIES[of](random)
    if of == "moments":  # not all containers hold all zones
        pool = [moment.replace(tzinfo=None) for moment in pool]
    missing = random.choice([0.0, 0.0, 0.1, 0.4])
    if of == "numbers" and random.random() < 0.5:
        pool = [value for value in pool if abs(value) < 1e100] or [1.5, 2.5]
        if random.random() < 0.7:
            pool = [random.gauss(0, 1) for _ in range(n)]
    drawn = [None if random.random() < missing else random.choice(pool) for _ in range(n)]
    if all(value is None or value in BAD for value in drawn):
        drawn[0] = next((value for value in pool if value not in BAD), 1.0)
    return drawn


def counts(random: Random, n: int) -> list[float]:
    """Weights that count rows, 0 among them."""
    drawn = [float(random.choice([0, 1, 1, 1, 2, 3])) for _ in range(n)]
    return drawn if sum(drawn) else [1.0] * n


def design(frame: Any, given: dict[str, Any], **more: Any) -> vt.TreatmentPlan:
    """Make a plan."""
    return vt.design_treatments(frame, **given | more)
