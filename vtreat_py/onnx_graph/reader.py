"""What the columns of a plan are read from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.made import MadeColumn
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.lookups import place_of_text
from vtreat_py.plan.data import Plan


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads the columns of the data.

    Attributes
    ----------
    graph : Graph
    plan : Plan
    sources : mapping from column to str
        The text or the numbers (doubles) of each, of shape (n, 1).
    missing_text : str
        Stands for missing text: ONNX has none that is missing.
    """

    graph: Graph
    plan: Plan
    sources: Mapping[Hashable, str]
    missing_text: str

    @cached_property
    def made(self) -> dict[Hashable, MadeColumn]:
        """Columns that are made of others."""
        return {one.name: one for one in self.plan.made}

    def place_of_text(self, column: Hashable, places: dict[str, int], lost: int, novel: int) -> str:
        """Look the texts of a column up; missing ones have the place ``lost``."""
        missing = (*self.plan.options.missing_values, self.missing_text)
        known = places | dict.fromkeys(missing, lost)
        return place_of_text(self.graph, self.sources[column], known, novel)

    def check_mark(self, column: Hashable, is_level: bool) -> None:
        """Refuse a mark of missing text that is a level."""
        if is_level:
            raise InvalidOptionError(
                f"column {column!r} has the level {self.missing_text!r}, which is to stand for "
                "missing text (ONNX has none that is missing). Give a text that is no level as "
                "missing_text="
            )
