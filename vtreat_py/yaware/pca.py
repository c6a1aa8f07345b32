"""Principal components of y-aware scaled columns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.seeds import random_numbers
from vtreat_py.base.warn import warn
from vtreat_py.frames.frame import InputFrame
from vtreat_py.outcome.outcome import OutcomeRows
from vtreat_py.statistics.cross_products import CrossProducts
from vtreat_py.yaware import selection
from vtreat_py.yaware.components import (
    MANY_COLUMNS,
    crossed_scores,
    principal_components,
    threads_for,
)
from vtreat_py.yaware.matrix import NumericMatrix
from vtreat_py.yaware.permutations import looked_at, permuted_components, squared_correlations
from vtreat_py.yaware.scaler import YAwareScaler, scaled_out_of_fold
from vtreat_py.yaware.slopes import contrasts_of, cross_products, linearised_slopes, y_aware_slopes
from vtreat_py.yaware.transformer import YAwareTransformer

_PERMUTATIONS = 100


@dataclass(eq=False, repr=False)
class YAwarePCA(ClassNamePrefixFeaturesOutMixin, YAwareTransformer):  # type: ignore[misc]
    """Principal components of the columns, each first scaled to units of the outcome.

    Plain principal components are directions in which the columns vary most. What varies most
    need not matter: a frame's units decide. Scaled by their slopes (see `YAwareScaler`), columns
    vary as far as they tell of the outcome, so that the leading components are directions that
    matter. Nothing is centred or scaled afterwards.

    Parameters
    ----------
    n_components : {"permutation", "significance"}, int or float, default="permutation"
        Which components are kept:

        * "permutation": those that are larger than the largest of permuted outcomes is, but for
          one in p of them, p being the number of columns. So noise is taken for signal with a
          probability of 1/p (which is one in five for five columns).
        * "significance": those that correlate with the outcome more than the best component of
          permuted outcomes does, but for one in p of them.
        * A whole number: so many leading ones.
        * A share: as many leading ones as it takes to explain this share of the variance of the
          scaled columns.
    outcome_type, target, link
        As for `YAwareScaler`.
    n_permutations : int, default=None
        How many permuted outcomes are looked at; None: 100, or one less than there are columns if
        that is more. Fewer than p - 1 cannot tell a chance of one in p: then the chance allowed is
        one in ``n_permutations + 1``, and a warning says so.
    cv : int, splitter, "ordered" or list of index pairs, default=None
        The folds of ``fit_transform``, as for `design_treatments`; None: 5.
    random_state : int or RandomState, default=None
        Seed of the default folds and of the permutations.
    n_jobs : int, default=None
        Threads of ``fit_transform``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Directions among the *scaled* columns, of length 1, by decreasing variance. The largest
        loading of each is positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance of each component, in squared units of the outcome.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Its share of the variance of all scaled columns.
    singular_values_ : ndarray of shape (n_components_,)
        Root of the sum of squares of each component over the rows.
    scale_, mean_ : ndarray of shape (n_features_in_,)
        Slope and mean of each column, as of `YAwareScaler`.
    spread_ : ndarray of shape (n_features_in_,)
        Standard deviation of each column before scaling.
    selected_ : ndarray of int, shape (n_components_,)
        Places of the components that were kept among all, from 0.
    all_singular_values_ : ndarray of shape (p,)
        Singular values of all components, kept or not (of more than 300 columns, with a number for
        ``n_components``, of those that were kept).
    null_singular_values_ : ndarray of shape (n_permutations, at most p) or None
        Those of permuted outcomes, of more than 300 columns only the leading ones; None unless
        ``n_components`` is "permutation" or "significance".
    n_components_ : int
    outcome_type_ : str
        Type of the outcome.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        There only when all columns have text names.

    See Also
    --------
    YAwarePCR : A regression on the components.
    vtreat_py.plots : Pictures of the singular values, loadings and scores.

    Notes
    -----
    ``fit_transform`` takes each row's components by slopes of the *other* folds, and by components
    that these slopes give, each matched with the one of ``components_`` that is most like it. (What
    columns have in common among themselves is that of all rows, with ``cv="ordered"`` too.)
    ``fit(X, y).transform(X)`` uses slopes that have seen the row's own outcome. With far more rows
    than columns the two hardly differ. With many columns of noise they do: each in-sample slope of
    noise leans to the outcomes it was learned on, and components add up what the columns have in
    common, so that they seem to tell of the outcome what new rows do not keep.

    "permutation" and "significance" take rows as independent: with groups of like rows they find
    too much. Components are made for the outcome, so that a test which takes them as given finds
    a component of noise significant nearly always; hence the permutations.

    Everything is computed from one pass over the rows, which sums the cross-products of all columns
    and the outcome; a permuted outcome changes only the products with it.

    The method is that of N. Zumel, "Principal Components Regression, Pt. 2: Y-Aware Methods" and
    "Pt. 3: Picking the Number of Components" (2016). There, the k-th component is compared with
    the k-th of permuted outcomes. Behind components of signal that lets noise pass, whose largest
    component is then the third, say; so here all are compared with the largest, as A. Buja and
    N. Eyuboglu discuss for parallel analysis ("Remarks on Parallel Analysis", Multivariate
    Behavioral Research 27, 1992).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from vtreat_py import YAwarePCA
    >>> random = np.random.default_rng(0)
    >>> cause, noise = random.normal(size=500), random.normal(size=(500, 8))
    >>> X = pd.DataFrame(100 * noise).add_prefix("noise")
    >>> X["a"] = cause + 0.3 * random.normal(size=500)
    >>> X["b"] = cause + 0.3 * random.normal(size=500)
    >>> pca = YAwarePCA(1).fit(X, 2 * cause + random.normal(size=500))
    >>> pca.explained_variance_ratio_.round(2)
    array([0.95])
    >>> pd.Series(pca.components_[0], X.columns)[["a", "b", "noise0"]].round(2)
    a         0.71
    b         0.70
    noise0    0.00
    dtype: float64
    """

    n_components: float | selection.ByPermutation = selection.PERMUTATION
    _: KW_ONLY
    n_permutations: int | None = None
    cv: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    def _fit_crossed(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[InputFrame, FloatArray]:
        xx, unit, components = self._learn(X, y, sample_weight, groups)
        given = self.get_params(deep=False)
        scaler = YAwareScaler(**{name: given[name] for name in YAwareScaler().get_params()})
        design, learned = scaler._learn(X, y, sample_weight, groups)
        leading = components[: self.selected_.max(initial=-1) + 1]
        fold, crossed = design.rows.folds.fold, scaled_out_of_fold(design, learned)
        return design.source, crossed_scores(xx, unit, leading, fold, *crossed)[self.selected_]

    def _check_options(self, p: int) -> None:
        selection.check_n_components(self.n_components, p)
        n: Any = self.n_permutations
        if n is None or self.n_components not in selection.BY_PERMUTATION:
            return
        if not selection.is_count(n):
            raise InvalidOptionError(f"n_permutations={n!r} must be a whole number of at least 1")
        if n < p - 1:
            warn(
                f"n_permutations={n} is too few to tell a chance of one in {p} columns: one in "
                f"{n + 1} is allowed; give {p - 1} or more"
            )

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Learn, and return cross-products of the columns, their units, and all components."""
        outcome, columns = self._read_training(X, y, sample_weight, groups)
        self._check_options(len(columns))
        matrix, contrasts = NumericMatrix.of(columns, outcome.weight), contrasts_of(outcome)
        products = cross_products(matrix, contrasts)
        if products.weight <= 1.0:
            raise InvalidOptionError(
                f"sample_weight sums to {products.weight:g}, but weights count rows, and their "
                "sum must be above 1: multiply them so that they sum to the number of rows"
            )
        slopes = y_aware_slopes(matrix, products, contrasts, self.link)
        self.outcome_type_ = outcome.kind
        self.scale_ = slopes / matrix.unit
        self.mean_ = matrix.outer(products.x)
        self.spread_ = np.sqrt(products.xx.diagonal() / (products.weight - 1.0)) * matrix.unit
        wanted: Any = self.n_components
        most = int(wanted) if selection.is_count(wanted) else None
        few = most if len(slopes) > MANY_COLUMNS else None
        with threads_for(len(slopes)):
            values, components = principal_components(products.xx, slopes, few)
        self.null_singular_values_: FloatArray | None = None
        if most is not None:
            self.selected_: IntArray = np.arange(most)
        elif wanted in selection.BY_PERMUTATION:
            self.selected_ = self._select(matrix, products, contrasts)
        else:
            self.selected_ = selection.covering(values, float(wanted))
        self.all_singular_values_ = values
        self.components_ = components[self.selected_]
        self.singular_values_ = values[self.selected_]
        self.explained_variance_ = self.singular_values_**2 / (products.weight - 1.0)
        total = float((slopes**2 * products.xx.diagonal()).sum())
        self.explained_variance_ratio_ = self.singular_values_**2 / (total or 1.0)
        if not self.n_components_:
            warn(
                "no component stands out of what chance gives: the transformed frame has no "
                "columns. A number for n_components keeps some all the same"
            )
        return products.xx, matrix.unit, components

    def _select(
        self, matrix: NumericMatrix, products: CrossProducts, contrasts: list[OutcomeRows]
    ) -> IntArray:
        """Compare components with those of permuted outcomes, by slopes of one kind."""
        slopes = linearised_slopes(matrix, products, self.link)
        p, by_rsq = len(slopes), self.n_components == selection.SIGNIFICANCE
        self.null_singular_values_, null_rsq = permuted_components(
            matrix,
            products,
            contrasts,
            self.link,
            int(self.n_permutations or max(_PERMUTATIONS, p - 1)),
            random_numbers(self.random_state),
            correlate=by_rsq,
        )
        with threads_for(p):
            most = looked_at(p) if by_rsq else None
            values, components = principal_components(products.xx, slopes, most)
        if not by_rsq:
            return selection.above_permuted(values, self.null_singular_values_)
        rsq = squared_correlations(values, components * slopes, products)
        return selection.significant(rsq, null_rsq, p)

    @property
    def n_components_(self) -> int:
        """Number of components that were kept."""
        return len(self.selected_)

    _n_features_out = n_components_

    def _of_numbers(self, numbers: FloatArray) -> FloatArray:
        return np.asarray((self.components_ * self.scale_) @ (numbers - self.mean_[:, None]))

    def _names(self) -> list[Any]:
        return list(self.get_feature_names_out())
