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

    A Pipeline passes them to each step whose ``fit`` names ``sample_weight``, so that a treatment
    or a scaler counts rows as the model does; with scikit-learn's metadata routing, to the steps
    that request them.

    Raises
    ------
    InvalidOptionError
        If the estimator, or the last step of a Pipeline, takes no weights.
    """
    if sample_weight is None:
        return {}
    is_routed = get_config()["enable_metadata_routing"]
    model = estimator
    names = ["sample_weight"]
    if isinstance(estimator, Pipeline) and not is_routed:
        names = [
            f"{name}__sample_weight"
            for name, step in estimator.steps
            if hasattr(step, "fit") and has_fit_parameter(step, "sample_weight")
        ]
        model = estimator.steps[-1][1]
    if not takes_weight(model.fit):
        raise InvalidOptionError(
            f"{type(model).__name__}.fit takes no sample_weight, so it would count every row as "
            "one; use an estimator that takes weights, or leave out sample_weight"
        )
    return dict.fromkeys(names, sample_weight)
