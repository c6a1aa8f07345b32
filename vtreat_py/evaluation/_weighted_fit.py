"""How the weights of rows reach the ``fit`` of an estimator."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from vtreat_py._errors import InvalidOptionError
from vtreat_py.evaluation._classifier_scorers import takes_weight


def weight_parameters(estimator: Any, sample_weight: Any) -> dict[str, Any]:
    """Parameters of ``fit`` that pass weights on; none for no weights.

    A Pipeline passes them to its model, and to each step before it whose ``fit`` names
    ``sample_weight``, so that a treatment or a scaler counts rows as the model does. With
    scikit-learn's metadata routing it passes them to the steps that request them.

    Raises
    ------
    InvalidOptionError
        If the estimator, or the last step of a Pipeline, takes no weights.
    """
    if sample_weight is None:
        return {}
    model, names = estimator, ["sample_weight"]
    if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
        *before, (last, model) = estimator.steps
        names = [
            f"{name}__sample_weight"
            for name, step in before
            if hasattr(step, "fit") and has_fit_parameter(step, "sample_weight")
        ]
        names.append(f"{last}__sample_weight")
    if not takes_weight(model.fit):
        raise InvalidOptionError(
            f"{type(model).__name__}.fit takes no sample_weight, so it would count every row as "
            "one; use an estimator that takes weights, or leave out sample_weight"
        )
    return dict.fromkeys(names, sample_weight)
