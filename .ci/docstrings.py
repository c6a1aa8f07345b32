"""Print what `help` says of everything public; it is to be the same on every Python."""

import inspect
from importlib import import_module

PUBLIC = ["", ".compat", ".compat.cross_plan", ".compat.effect_scaler",
          ".compat.partial_pooling_estimator", ".compat.stats_utils", ".compat.transform",
          ".compat.util", ".evaluation", ".onnx_models", ".plots", ".split_plans",
          ".testing"]  # fmt: skip


def is_ours(thing: object) -> bool:
    """Whether a class, function or property was written here."""
    thing = getattr(thing, "fget", None) or getattr(thing, "func", None) or inspect.unwrap(thing)
    return (getattr(thing, "__module__", None) or "").startswith("vtreat_py")


def tell(name: str, thing: object) -> None:
    """Print the docstring of a thing, and of what it has."""
    print(f"=== {name}\n{inspect.getdoc(thing)}\n")
    if inspect.isclass(thing):
        for of_class in dir(thing):
            part = inspect.getattr_static(thing, of_class)
            if not of_class.startswith("_") and is_ours(part):
                tell(f"{name}.{of_class}", part)


for place in PUBLIC:
    module = import_module(f"vtreat_py{place}")
    for public in getattr(module, "__all__", sorted(vars(module))):
        thing = getattr(module, public)
        if not public.startswith("_") and not inspect.ismodule(thing) and is_ours(thing):
            tell(f"{module.__name__}.{public}", thing)
