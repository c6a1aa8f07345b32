"""Pictures show what was computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import vtreat_py as vt
from tests.yaware.data import classes, noise, shared_causes
from vtreat_py import plots
from vtreat_py.base.errors import FrameError, InvalidOptionError, OptionTypeError

X, Y = shared_causes(300, 3, np.random.default_rng(6))
PCA = vt.YAwarePCA(random_state=0).fit(X, Y)


@pytest.fixture(autouse=True)
def screenless() -> Iterator[None]:
    before = mpl.get_backend()
    plt.close("all")
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


def points(ax: Any) -> np.ndarray:
    """All points of the scatters of a picture."""
    return np.vstack([np.asarray(c.get_offsets()) for c in ax.collections if len(c.get_offsets())])


def test_scree_shows_every_component_and_what_chance_gives() -> None:
    ax = plots.scree(PCA, most=9)
    bar, line = (drawn.get_ydata() for drawn in ax.lines)
    np.testing.assert_array_equal(line, PCA.all_singular_values_[:9])
    hollow, filled = ax.collections[1].get_offsets(), ax.collections[2].get_offsets()
    np.testing.assert_array_equal(filled[:, 0] - 1, PCA.selected_)
    assert len(hollow) + len(filled) == 9
    top = ax.collections[0].get_paths()[0].vertices[:, 1].max()
    assert top == np.quantile(PCA.null_singular_values_[:, 0], 0.95)
    above = (PCA.null_singular_values_[:, 0] > bar[0]).sum()
    assert (above + 1) / 101 <= 1 / 15 < (above + 2) / 101
    assert ax.get_title() == f"{PCA.n_components_} of 15 components kept"
    assert len(plots.scree(vt.YAwarePCA(2).fit(X, Y)).collections) == 2


def test_loadings_have_a_row_a_column() -> None:
    ax = plots.loadings(PCA)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(X)
    drawn = [line.get_xdata() for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(drawn, PCA.components_[:2])


def test_ranges_before_and_after() -> None:
    after = vt.YAwareScaler().fit(X, Y).transform(X)
    ax = plots.ranges(X, after)
    reach = [
        np.array([path.vertices[:, 0] for path in lines.get_paths()]) for lines in ax.collections
    ]
    for frame, drawn in zip((X, after), reach, strict=True):
        ends = frame.quantile([0.05, 0.95]).T - frame.mean().to_numpy()[:, None]
        np.testing.assert_allclose(drawn, ends / ends.abs().to_numpy().max(), rtol=1e-9)
    assert reach[0][:5].max() < reach[0][5:].max()
    assert reach[1][:5].max() > 2 * reach[1][5:].max()
    with pytest.raises(InvalidOptionError, match="the same columns, in the same order"):
        plots.ranges(X, after.iloc[:, 1:])
    with pytest.raises(FrameError, match="missing values"):
        plots.ranges(X.where(X > 0), X)


def test_projection_colours_numbers_and_classes() -> None:
    scores = PCA.transform(X)
    ax = plots.projection(scores, Y)
    np.testing.assert_array_equal(points(ax), scores.iloc[:, :2])
    np.testing.assert_array_equal(ax.collections[0].get_array(), Y)
    own = plt.figure().add_subplot()
    assert plots.projection(scores, classes(Y, "multinomial"), own) is own
    assert [t.get_text() for t in own.get_legend().get_texts()] == ["high", "low", "mid"]
    one = plots.projection(scores.iloc[:, :1], Y)
    assert (points(one)[:, 1] == 0).all()
    with pytest.raises(InvalidOptionError, match=r"y has shape \(3,\), but there are 300 rows"):
        plots.projection(scores, Y[:3])
    with pytest.raises(InvalidOptionError, match="y has more than 6 classes"):
        plots.projection(scores, [f"class {k % 7}" for k in range(300)])
    with pytest.raises(InvalidOptionError, match="y is missing in 1 row, the first in row 299"):
        plots.projection(scores, [*Y[:299], np.nan])
    with pytest.raises(OptionTypeError, match="give a YAwarePCA, such as pca_ of a YAwarePCR"):
        plots.scree(vt.YAwarePCR(2).fit(X, Y))
    frame, y = noise(300, 3, np.random.default_rng(0))
    with pytest.warns(vt.VtreatWarning, match="no component stands out"):
        nothing = vt.YAwarePCA(random_state=0).fit(frame, y)
    with pytest.raises(InvalidOptionError, match="no component was kept"):
        plots.projection(nothing.transform(frame), y)
    assert not plots.loadings(nothing).get_legend()


def test_importance_has_a_row_a_column_and_fills_those_that_stand_out() -> None:
    table = vt.variable_importance(X, outcome=Y, random_state=0)
    ax = plots.importance(table, most=12)
    assert [label.get_text() for label in ax.get_yticklabels()] == table["variable"].to_list()[:12]
    filled, hollow = (np.asarray(drawn.get_offsets()) for drawn in ax.collections[1:])
    drawn = np.vstack([filled, hollow])
    np.testing.assert_array_equal(drawn[drawn[:, 1].argsort(), 0], table["rsq"][:12])
    assert 0 < len(filled) == (table["sig"][:12] <= 0.05 / len(table)).sum() < 12
    assert ax.get_title() == "Importance of 15 columns"
    with pytest.raises(OptionTypeError, match="give what variable_importance returns"):
        plots.importance(X)
    with pytest.raises(InvalidOptionError, match="sig=2"):
        plots.importance(table, sig=2)
    with pytest.raises(InvalidOptionError, match="most=0; it must be a whole number, 1 or more"):
        plots.importance(table, most=0)
