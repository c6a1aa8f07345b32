"""Folds by columns: the same wherever the frame is, balanced, and unrelated to patterns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vtreat_py as vt
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError, OutcomeError
from vtreat_py.folds.named import deal_groups
from vtreat_py.folds.row_ids import PRIME, RowIdFolds
from vtreat_py.lazy.columns import kept_column, typed_frame
from vtreat_py.lazy.folds import lazy_folds
from vtreat_py.lazy.source import LazySource, collect

Lazy = Callable[[pa.Table], Any]
ENDS = [-(2**63), 2**63 - 1, 2**53 + 1, -(2**53) - 1, 0, -1, PRIME, -PRIME, PRIME - 1, 2**62]


def table_of_ids() -> pa.Table:
    random = np.random.default_rng(0)
    ids = np.array([*ENDS, *random.integers(-(2**63), 2**63 - 1, 190)])
    return pa.table(
        {
            "id": ids,
            "row": np.arange(200),
            "part": np.array(["b", "ä", "B", "a\u0308"])[np.arange(200) % 4],
            "block": pa.array(np.arange(200) % 3 * 7 - 9, pa.int16()),
            "group": pa.array(np.where(np.arange(200) < 90, 0.5, np.arange(200) // 6)),
            "town": [f"town {i % 17}" for i in range(200)],
            "y": random.normal(size=200),
            "z": random.normal(size=200),
            "x": random.normal(size=200),
        }
    )


def in_memory(table: pa.Table, **options: Any) -> np.ndarray:
    chosen = {"outcome": "y", "variables": ["x"], "random_state": 3}
    return vt.cross_frame_experiment(table, **chosen, **options).fold_plan.fold


def on_engine(frame: Any, **options: Any) -> np.ndarray:
    source = LazySource.of(frame)
    folds = lazy_folds(source, random_state=3, **options)
    row = kept_column(source, "row")
    rows = folds.attached(typed_frame(source, [folds.column, row]))
    found = collect(rows.select(row.value, "fold")).sort_by(row.alias)["fold"].to_numpy()
    np.testing.assert_array_equal(np.bincount(found, minlength=folds.n_folds), folds.n_rows)
    return found


@pytest.mark.parametrize(
    "options",
    [
        {"row_id": "id"},
        {"row_id": "id", "cv": 2},
        {"cv": "part"},
        {"cv": "block", "row_id": "id"},
        {"groups": "group", "row_id": "id"},
        {"groups": "town", "row_id": "id", "cv": 4},
    ],
    ids=str,
)
def test_folds_are_those_of_memory(options: dict[str, Any], engine: str, lazy: Lazy) -> None:
    table = table_of_ids()
    expected = in_memory(table, **options)
    np.testing.assert_array_equal(on_engine(lazy(table), **options), expected)
    assert len(np.unique(expected)) == {None: 5}.get(options.get("cv"), expected.max() + 1)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.integers(2, 1000),
    st.integers(0, 2**32 - 1),
)
def test_arithmetic_is_that_of_whole_numbers(ids: list[int], n_folds: int, seed: int) -> None:
    folds = RowIdFolds.seeded(n_folds, seed)

    def fold(x: int) -> int:
        for multiplier, addend in zip(folds.multipliers, folds.addends, strict=True):
            x = pow(multiplier * x + addend, 3, PRIME)
        return x % n_folds

    assert folds.of(np.array(ids)).tolist() == [fold(x) for x in ids]


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7, 10, 60, 2**20, 10**9, 2**31, -86_400])
@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_folds_are_balanced_and_know_no_period(step: int, n_folds: int) -> None:
    ids = np.arange(100_000) * step + 17
    fold = RowIdFolds.seeded(n_folds, 5).of(ids)
    place = np.arange(len(ids))
    for other in (np.zeros_like(fold), place % n_folds, place % 7, np.roll(fold, 1), place // 9973):
        counts = np.bincount(other * n_folds + fold, minlength=(other.max() + 1) * n_folds)
        mean = np.bincount(other) / n_folds
        counts = counts.reshape(-1, n_folds)
        chi = ((counts - mean[:, None]) ** 2 / mean[:, None]).sum()
        degrees = counts.size - len(counts)
        assert abs(chi - degrees) < 6 * np.sqrt(2 * degrees)


def test_another_seed_gives_other_folds() -> None:
    ids = np.arange(10_000)
    first, second = (RowIdFolds.seeded(5, seed).of(ids) for seed in (0, 1))
    assert 0.15 < (first == second).mean() < 0.25
    np.testing.assert_array_equal(first, RowIdFolds.seeded(5, 0).of(ids))


def test_rounds_are_permutations() -> None:
    cubes = {pow(x, 3, PRIME) for x in range(-500, 500)}
    assert len(cubes) == 1000
    assert PRIME % 3 == 2
    assert all(PRIME % divisor for divisor in range(2, int(PRIME**0.5) + 1))


@given(st.lists(st.integers(1, 50), min_size=6, max_size=60), st.integers(2, 6))
def test_groups_are_dealt_evenly(sizes: list[int], n_folds: int) -> None:
    fold = deal_groups(np.array(sizes), n_folds, 0)
    rows = np.bincount(fold, sizes, n_folds)
    assert rows.max() - rows.min() <= max(sizes)
    assert (rows > 0).all()


def test_columns_that_tell_folds_are_no_variables() -> None:
    table = table_of_ids().select(["id", "part", "block", "y", "z"])
    plan = vt.design_treatments(table, outcome="y", cv="part", row_id="id", random_state=0)
    assert plan.variables == ("block", "z")
    frame = table.drop_columns(["id"]).to_pandas()
    treatment = vt.NumericOutcomeTreatment(cv="part", prune_sig=None)
    out = treatment.fit_transform(frame.drop(columns="y"), frame["y"])
    assert [name for name in out if name.startswith("part")] == []
    treatment.transform(frame[["block", "z"]])
    scaler = vt.YAwareScaler(cv="part").fit(frame[["part", "block", "z"]], frame["y"])
    assert scaler.feature_names_in_.tolist() == ["block", "z"]
    with pytest.raises(InvalidOptionError, match=r"variables names \['part'\], which is"):
        vt.design_treatments(table, outcome="y", cv="part", variables=["part", "z"])


def test_a_fold_column_gives_the_codes_of_its_pairs() -> None:
    table = table_of_ids()
    block = table["block"].to_numpy()
    pairs = [(np.flatnonzero(block != v), np.flatnonzero(block == v)) for v in np.unique(block)]
    by_name, by_pairs = (
        vt.cross_frame_experiment(table, outcome="y", variables=["town", "z"], cv=cv).cross_frame
        for cv in ("block", pairs)
    )
    assert by_name.equals(by_pairs)


BAD = {
    "an unknown id": ({"row_id": "nope"}, InvalidOptionError, "row_id='nope' names no column"),
    "an id that is a fraction": ({"row_id": "z"}, InvalidOptionError, "integers, text or UUIDs"),
    "missing ids": ({"row_id": "gaps"}, FrameError, "row_id='gaps' has 2 missing values"),
    "one fold": ({"row_id": "id", "cv": 1}, InvalidOptionError, "at least 2 folds are needed"),
    "an empty fold": ({"row_id": "id", "cv": 999}, InvalidOptionError, "no row id falls into"),
    "an unknown column": ({"cv": "nope"}, InvalidOptionError, "cv='nope' names no column"),
    "fractions": ({"cv": "z"}, InvalidOptionError, "cv='z' is of type .* integers or text"),
    "missing folds": ({"cv": "gaps"}, FrameError, "cv='gaps' has missing values"),
    "missing text": ({"cv": "holes"}, FrameError, "cv='holes' has missing values"),
    "one value": ({"cv": "same"}, InvalidOptionError, "cv='same' holds 'all' only: at least 2"),
    "missing groups": (
        {"groups": "holes", "row_id": "id"},
        OutcomeError,
        "groups has missing values; each row needs a group",
    ),
    "missing numbers of groups": (
        {"groups": "gaps", "row_id": "id"},
        OutcomeError,
        "groups has missing values",
    ),
    "few groups": (
        {"groups": "same", "row_id": "id"},
        InvalidOptionError,
        "cv=5 folds need as many groups, but groups= holds 1",
    ),
}


@pytest.mark.parametrize(("options", "error", "told"), BAD.values(), ids=list(BAD))
@pytest.mark.parametrize("lazily", [True, False])
def test_what_tells_no_folds(options: Any, error: Any, told: str, lazily: bool) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = table_of_ids()
    gaps = pa.array([None, None, *range(198)], pa.int64())
    holes = pa.array([None, *["x"] * 199])
    table = table.append_column("gaps", gaps).append_column("holes", holes)
    table = table.append_column("same", pa.array(["all"] * 200))
    source = LazySource.of(duckdb.from_arrow(table))
    with pytest.raises(error, match=told):
        lazy_folds(source, **options) if lazily else in_memory(table, **options)


def test_what_lazy_frames_cannot_have() -> None:
    source = LazySource.of(pytest.importorskip("polars").LazyFrame({"x": ["a"], "id": [1]}))
    with pytest.raises(InvalidOptionError, match="have no order that folds could go by: name"):
        lazy_folds(source, cv=5)
    with pytest.raises(InvalidOptionError, match='cv="ordered" goes by the order of the rows'):
        lazy_folds(source, cv="ordered", row_id="id")
    with pytest.raises(OptionTypeError, match=r"cv=\[\] cannot be used on a lazy frame"):
        lazy_folds(source, cv=[], row_id="id")
    with pytest.raises(OptionTypeError, match="groups is of type list; on a lazy frame it must"):
        lazy_folds(source, groups=[1], row_id="id")


def test_folds_of_several_types() -> None:
    frame = pd.DataFrame({"fold": [1, "a"] * 3, "x": range(6), "y": [1.5, 2, 3, 4, 1, 0]})
    with pytest.raises(InvalidOptionError, match="cv='fold' is of type several, such as 1, 'a'"):
        vt.design_treatments(frame, outcome="y", cv="fold")


def test_ids_beyond_64_bits_with_a_sign() -> None:
    frame = pd.DataFrame({"id": np.array([2**63, 1, 2, 3], np.uint64), "z": [1, 2, 3, 4]})
    with pytest.raises(InvalidOptionError, match="holds 9223372036854775808, which is beyond"):
        vt.design_treatments(frame.assign(y=[1.5, 2, 3, 4]), outcome="y", row_id="id", cv=2)


def test_ids_of_128_bits() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"z": range(40), "y": [1.5, 2, 3, 4] * 10, "id": range(-20, 20)})
    options: dict[str, Any] = {"outcome": "y", "row_id": "id", "cv": 2, "random_state": 0}
    wide = frame.with_columns(pl.col("id").cast(pl.Int128))
    folds = [vt.cross_frame_experiment(f, **options).fold_numbers for f in (frame, wide)]
    np.testing.assert_array_equal(*folds)
    with pytest.raises(InvalidOptionError, match="holds -9223372036854775828, which is beyond"):
        vt.cross_frame_experiment(wide.with_columns(pl.col("id") - 2**63), **options)


@pytest.mark.parametrize("option", ["row_id", "cv", "groups"])
def test_the_outcome_tells_no_folds(option: str) -> None:
    frame = pd.DataFrame({"z": range(40), "y": [1, 2, 3, 4] * 10})
    with pytest.raises(InvalidOptionError, match=f"{option}='y' is the outcome: folds must not"):
        vt.design_treatments(frame, outcome="y", **{option: "y"})
