"""Models whose fit takes the weights of rows under one name, whatever is inside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import Parameter, signature
from typing import Any, Self

from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.warn import warn


def routing_enabled() -> bool:
    """Whether scikit-learn's metadata routing is on."""
    return bool(get_config()["enable_metadata_routing"])


class WeightedModel(BaseEstimator):  # type: ignore[misc]
    """A model as scikit-learn's cross-validation and searches like it best.

    They hand out weights and groups by metadata routing, to this object; it hands them on in the
    way of the model (weights if it is to be ``weighted``), with ``routing`` on or off as the user
    has it. ``beside`` are parameters of fit that nobody hands out.
    """

    __metadata_request__fit = {"sample_weight": True, "groups": True}  # noqa: RUF012

    def __init__(
        self,
        model: Any,
        *,
        weighted: bool = True,
        routing: bool = False,
        beside: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.weighted = weighted
        self.routing = routing
        self.beside = beside

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the model: a search knows of no other."""
        self.model.set_params(**params)
        return self

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model."""
        weight = sample_weight if self.weighted else None
        with config_context(enable_metadata_routing=self.routing):
            if weight is not None:
                check_takes_weight(self.model)
            arguments = _fit_arguments(self.model, weight, groups)
            self.model.fit(X, y, **arguments, **(self.beside or {}))
        return self

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)


def fitted_clone(
    model: Any, X: Any, y: Any, sample_weight: Any = None, beside: Mapping[str, Any] | None = None
) -> Any:
    """Fit a clone of a model, by weights where there are any."""
    weighted = WeightedModel(clone(model), routing=routing_enabled(), beside=beside)
    return weighted.fit(X, y, sample_weight).model


def check_takes_weight(model: Any) -> None:
    """Refuse a model that would be fitted without the weights.

    Of a pipeline, the last step must take them. The steps before it may have no use for weights.
    """
    inner = model.steps[-1][1] if isinstance(model, Pipeline) else _handed_to(model)
    if inner is not None:
        check_takes_weight(inner)
    elif not _weight_names(model):
        name = type(model).__name__ if hasattr(model, "fit") else repr(model)
        raise InvalidOptionError(
            f"{name}.fit takes no sample_weight, so it would count every row as one; choose a "
            "model that takes weights, or fit without them: leave out sample_weight "
            "(weighted_cross_validate has fit_weight=False)"
        )


def row_metadata(weight: Any, groups: Any) -> dict[str, Any]:
    """Weights and groups, where there are any, by the names that routing knows them by."""
    given = {"sample_weight": weight, "groups": groups}
    return {name: values for name, values in given.items() if values is not None}


def check_weight_reaches(model: Any) -> None:
    """Refuse a model that takes no weights, and warn of its parts that they do not get to."""
    check_takes_weight(model)
    warn_of_parts_without_weight(model)


def warn_of_parts_without_weight(model: Any) -> None:
    """Say which parts of a pipeline would take weights, but cannot be reached without routing."""
    if routing_enabled() or not isinstance(model, Pipeline):
        return
    for _, step in model.steps:
        inside = [type(part).__name__ for part in _parts(step) if _weight_names(part)]
        if inside and not _weight_names(step):
            warn(
                f"{type(step).__name__} passes no weights on to {', '.join(sorted(set(inside)))} "
                "inside it, unless metadata routing is on: "
                "sklearn.set_config(enable_metadata_routing=True)"
            )


def _fit_arguments(model: Any, weight: Any, groups: Any) -> dict[str, Any]:
    """Parameters of fit, for weights and groups where they are taken."""
    if not routing_enabled():
        return {} if weight is None else dict.fromkeys(_weight_names(model), weight)
    given = row_metadata(weight, groups)
    if not hasattr(model, "get_metadata_routing"):
        return {name: given[name] for name in _weight_names(model) if name in given}
    if weight is not None:
        _request_weights(model)
    consumed = get_routing_for_object(model).consumes("fit", given)
    return {name: values for name, values in given.items() if name in consumed}


def _weight_names(model: Any) -> list[str]:
    """Names of the parameters by which fit takes weights, while routing is off."""
    if isinstance(model, Pipeline):
        return [f"{name}__{inner}" for name, step in model.steps for inner in _weight_names(step)]
    inner = _handed_to(model)
    if inner is not None:
        return _weight_names(inner)
    named = "sample_weight" in _parameters(model)
    # Of votes and stacks; transformers of other transformers refuse what they are not routed.
    unnamed = _takes_anything(model) and hasattr(model, "predict")
    return ["sample_weight"] if named or unnamed else []


def _handed_to(model: Any) -> Any:
    """Return the estimator that fit hands all its parameters to, as that of a search does."""
    if not _takes_anything(model) or "sample_weight" in _parameters(model):
        return None
    wrapped = (getattr(model, name, None) for name in ("estimator", "regressor"))
    return next((one for one in wrapped if one is not None), None)


def _takes_anything(model: Any) -> bool:
    return any(p.kind == Parameter.VAR_KEYWORD for p in _parameters(model).values())


def _parameters(model: Any) -> Mapping[str, Parameter]:
    """Parameters of fit; none of a step that only passes rows on."""
    return signature(model.fit).parameters if hasattr(model, "fit") else {}


def _parts(model: Any) -> Iterator[Any]:
    """All estimators in a model, itself included."""
    if not hasattr(model, "fit") or isinstance(model, type):
        return
    yield model
    if hasattr(model, "get_params"):
        for value in model.get_params(deep=True).values():
            if hasattr(value, "fit") and not isinstance(value, type):
                yield value


def _request_weights(model: Any) -> None:
    """Request weights wherever the user has not said whether to."""
    for part in _parts(model):
        routing = part.get_metadata_routing() if hasattr(part, "get_metadata_routing") else None
        if isinstance(routing, MetadataRouter):  # it may take metadata itself, too
            own = dict(routing).get("$self_request")
            routing = None if own is None else own.router
        if routing is None:
            continue
        requests = routing.fit.requests
        if "sample_weight" in requests and requests["sample_weight"] is None:
            part.set_fit_request(sample_weight=True)
