"""What a regression on y-aware components found, in two tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from vtreat_py.base.arrays import FloatArray
from vtreat_py.yaware.linear_models import LinearModel
from vtreat_py.yaware.pca import YAwarePCA

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class PCRSummary:
    """Components, variables and fit of a regression on y-aware components.

    Attributes
    ----------
    components : DataFrame
        A row for each component: its variance and share of variance, its coefficient (one a class
        if there are several), and the coefficient's standard error, which takes the components as
        given.
    variables : DataFrame
        A row for each derived variable: slope, loading on each component, coefficient, and
        ``effect``: what one standard deviation of the variable moves the prediction by.
    rsq : float
        Share of the variance that the components explain in the training rows; for classes, share
        of the deviance.
    """

    components: pd.DataFrame
    variables: pd.DataFrame
    rsq: float

    @classmethod
    def of(
        cls,
        pca: YAwarePCA,
        model: LinearModel,
        names: list[str],
        coef: FloatArray,
        classes: list[str],
    ) -> PCRSummary:
        """Describe a fitted regression; ``coef`` is of shape (q, p)."""
        labels = ["coef"] if len(model.coef) == 1 else [f"coef_{c}" for c in classes]
        places = [str(name) for name in pca.get_feature_names_out()]
        components = pd.DataFrame(
            {
                "variance": pca.explained_variance_,
                "share": pca.explained_variance_ratio_,
                **dict(zip(labels, model.coef, strict=True)),
            },
            index=pd.Index(places, name="component"),
        )
        if model.standard_error is not None:
            components["standard_error"] = model.standard_error
        variables = pd.DataFrame(
            {
                "scale": pca.scale_,
                **dict(zip(places, pca.components_, strict=True)),
                **dict(zip(labels, coef, strict=True)),
                "effect": np.abs(coef).max(axis=0) * pca.spread_,
            },
            index=pd.Index(names, name="variable"),
        )
        return cls(components, variables, model.rsq)

    def __repr__(self) -> str:
        largest = self.variables.sort_values("effect", ascending=False, kind="stable").head(_SHOWN)
        rest = len(self.variables) - len(largest)
        more = f"\n... and {rest} more variables, of smaller effect" if rest else ""
        return (
            f"{len(self.components)} y-aware components of {len(self.variables)} variables, "
            f"rsq {self.rsq:.4f} on the training rows\n\n"
            f"{self.components.round(4).to_string()}\n\n{largest.round(4).to_string()}{more}"
        )
