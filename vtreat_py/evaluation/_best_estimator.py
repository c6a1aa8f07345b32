"""Methods of a search that are those of the model it has found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted


def model_has(name: str) -> Callable[[Any], bool]:
    """Make the check that a refit is asked for, and that the model has an attribute."""

    def check(search: Any) -> bool:
        if not search.search.refit:
            raise AttributeError(
                f"{name} is there after a refit only, but the search has refit=False; fit a model "
                "by best_params_ yourself, or let the search refit"
            )
        getattr(getattr(search, "best_estimator_", search.search.estimator), name)
        return True

    return check


def _of_model(name: str) -> Any:
    def method(self: Any, X: Any) -> Any:
        check_is_fitted(self)
        return getattr(self.best_estimator_, name)(X)

    method.__name__ = name
    method.__doc__ = f"""Call ``{name}`` of the model with the best parameters.

        There if the model has it, and the search refits.

        Parameters
        ----------
        X : data frame or array, of n rows

        Returns
        -------
        array or frame of n rows
        """
    return available_if(model_has(name))(method)


class BestEstimatorMethods:
    """Predictions and transformations by ``best_estimator_``."""

    best_estimator_: Any

    predict = _of_model("predict")
    predict_proba = _of_model("predict_proba")
    predict_log_proba = _of_model("predict_log_proba")
    decision_function = _of_model("decision_function")
    score_samples = _of_model("score_samples")
    transform = _of_model("transform")
    inverse_transform = _of_model("inverse_transform")

    @property
    def classes_(self) -> Any:
        """Class labels; there for a classifier that was refitted."""
        model_has("classes_")(self)
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> Any:
        """Number of columns seen in fit; there after a refit."""
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(f"{type(self).__name__} is not fitted yet") from error
        return self.best_estimator_.n_features_in_
