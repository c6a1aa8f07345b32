"""Nodes of joint columns: their parts are looked up, and then what they are together.

ONNX cannot write texts together, so the place of each part stands for its text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np

from vtreat_py.base.arrays import EXACT_INTEGERS
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.joint import BETWEEN, ESCAPED, MISSING, NAMES, TEXT, JointColumn, JointPart
from vtreat_py.onnx_graph.calendar import label_of_part, labels_of
from vtreat_py.onnx_graph.graph import Graph
from vtreat_py.onnx_graph.lookups import place_of_number, place_of_whole
from vtreat_py.onnx_graph.numbers import is_good, scaled
from vtreat_py.onnx_graph.places import places_among
from vtreat_py.onnx_graph.reader import Reader
from vtreat_py.plan.treatments import LevelTreatment
from vtreat_py.plan.variables import DerivedVariable

_PLAIN = {written: plain for plain, written in ESCAPED}
_WRITTEN = re.compile("|".join(re.escape(written) for written in _PLAIN))
# Texts that start so stand for missing values, and for those of other types than the design's.
_MARKED = re.compile(r"\\[^\\c]")


@dataclass(frozen=True, eq=False)
class TextPlaces:
    """Where rows have one of several texts; what is none of them has the place behind the last.

    Attributes
    ----------
    name : str
        The places, of shape (n, 1).
    texts : list of str
        All different.
    """

    name: str
    texts: list[str]

    def of_texts(self) -> dict[str, int]:
        """Place of each text."""
        return {text: place for place, text in enumerate(self.texts)}


@dataclass(frozen=True, eq=False)
class _Parts:
    """Reads the parts of a joint column as places among texts."""

    reader: Reader

    @property
    def graph(self) -> Graph:
        """What is put together."""
        return self.reader.graph

    def places(
        self, joint: JointColumn, treatment: LevelTreatment
    ) -> tuple[TextPlaces, Sequence[TextPlaces]]:
        """Places among the levels, in their order, and among the keys (see `LevelParts`)."""
        levels = [level.split(BETWEEN) for level in treatment.levels.to_list()]
        parts: list[TextPlaces] = []
        together: list[TextPlaces] = []
        for number, part in enumerate(joint.parts, 1):
            texts = list(dict.fromkeys(level[number - 1] for level in levels))
            parts.append(TextPlaces(self._part(part, texts), texts))
            so_far = list(dict.fromkeys(BETWEEN.join(level[:number]) for level in levels))
            together.append(self._pair(together[-1], parts[-1], so_far) if together else parts[0])
        return together[-1], together[:-1] if joint.nested else parts

    def _pair(self, before: TextPlaces, part: TextPlaces, texts: list[str]) -> TextPlaces:
        """Look up what two places are together."""
        n_parts = len(part.texts) + 1
        number = self.graph.node("Mul", before.name, self.graph.constant(n_parts, np.int64))
        number = self.graph.node("Add", number, part.name)
        firsts, lasts, pairs = before.of_texts(), part.of_texts(), {}
        for place, text in enumerate(texts):
            first, _, last = text.rpartition(BETWEEN)
            pairs[firsts[first] * n_parts + lasts[last]] = place
        return TextPlaces(self.graph.lookup(number, pairs, len(texts)), texts)

    def _part(self, part: JointPart, texts: list[str]) -> str:
        """Place of a part among texts; what is none of them has the place behind the last."""
        of_text, novel = {text: i for i, text in enumerate(texts)}, len(texts)
        lost = of_text.get(MISSING, novel)
        made = self.reader.made.get(part.column)
        if isinstance(made, CalendarPart):
            label, good = label_of_part(self.graph, made, self.reader.sources[made.column])
            place = place_of_whole(
                self.graph, label, [of_text.get(text, novel) for text in labels_of(made)]
            )
            return self._or_lost(good, place, lost)
        column = self.reader.sources[part.column]
        plain = {_plain(text): i for text, i in of_text.items() if not _MARKED.match(text)}
        if part.kind == TEXT:
            self.reader.check_mark(part.column, self.reader.missing_text in plain)
            return self.reader.place_of_text(part.column, plain, lost, novel)
        if part.kind == NAMES:
            numbers = {_exact(part, text): i for text, i in plain.items()}
            return place_of_number(self.graph, column, numbers, lost, novel)
        good = is_good(self.graph, column)
        number = self.graph.node("Where", good, column, self.graph.constant(0.0))
        rank = places_among(self.graph, np.array(part.edges), number)
        of_range = [of_text.get(text, novel) for text in part.ranges]
        return self._or_lost(good, place_of_whole(self.graph, rank, of_range), lost)

    def _or_lost(self, good: str, place: str, lost: int) -> str:
        return self.graph.node("Where", good, place, self.graph.constant(lost, np.int64))


def joint_variables(
    reader: Reader,
    treatment: LevelTreatment,
    joint: JointColumn,
    variables: list[DerivedVariable],
    scale: bool,
) -> str:
    """Write variables of a joint column as a matrix with a column for each."""
    graph, n_levels = reader.graph, len(treatment.levels)
    level, keys = _Parts(reader).places(joint, treatment)
    tables = np.column_stack([treatment.table(v, scale) for v in variables])
    found = graph.rows_of(np.delete(tables, treatment.levels.missing, axis=0), level.name)
    reading = [i for i, v in enumerate(variables) if treatment.reads_parts(v)]
    if not reading:
        return found
    novel = _sums(graph, keys, treatment, [variables[i] for i in reading])
    if scale:
        novel = scaled(graph, novel, [variables[i] for i in reading])
    is_novel = graph.node("Equal", level.name, graph.constant(n_levels, np.int64))
    known = graph.columns(found, reading, len(variables))
    others = [i for i in range(len(variables)) if i not in reading]
    parts = [graph.node("Where", is_novel, novel, known)]
    if others:
        parts.append(graph.columns(found, others, len(variables)))
    order = np.argsort(reading + others).tolist()
    return graph.columns(graph.together(parts), order, len(variables))


def _sums(
    graph: Graph,
    keys: Sequence[TextPlaces],
    treatment: LevelTreatment,
    variables: list[DerivedVariable],
) -> str:
    """Add up what the keys of novel levels say, as `LevelTreatment.of_parts` does.

    The base is in the table of the first key: onnxruntime leaves out what adds one number that as
    one of 32 bits is 0.
    """
    bases, *effects = zip(*(treatment.sums(v) for v in variables), strict=True)
    tables = []
    for number, (key, of_variables) in enumerate(zip(keys, effects, strict=True)):
        rows = treatment.keys[number].codes_of([*key.texts, None])
        table = np.column_stack([np.append(one, [0.0, 0.0])[rows] for one in of_variables])
        table = table if number else np.concatenate(bases) + table
        tables.append(graph.rows_of(table, key.name))
    return reduce(partial(graph.node, "Add"), tables)


def _plain(text: str) -> str:
    """Undo what keeps a text from standing between parts."""
    return _WRITTEN.sub(lambda found: _PLAIN[found[0]], text)


def _exact(part: JointPart, text: str) -> float:
    number = float(text)
    if number.is_integer() and abs(int(text)) >= EXACT_INTEGERS:
        raise InvalidOptionError(
            f"column {part.column!r} has the level {text}: ONNX compares levels that are numbers "
            "as 64-bit floats, which are exact below 2**53 only. Convert the column to text before "
            "the design"
        )
    return number
