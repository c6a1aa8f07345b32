"""Nodes of the variables of a column of levels."""

from __future__ import annotations

import numpy as np

from vtreat_py.frames.calendar import CalendarPart
from vtreat_py.frames.joint import JointColumn
from vtreat_py.onnx_graph.calendar import label_of_part, labels_of
from vtreat_py.onnx_graph.codes import OnnxCodes
from vtreat_py.onnx_graph.inputs import TEXT
from vtreat_py.onnx_graph.joint import joint_variables
from vtreat_py.onnx_graph.lookups import place_of_number, place_of_whole
from vtreat_py.onnx_graph.reader import Reader
from vtreat_py.plan.treatments import LevelTreatment
from vtreat_py.plan.variables import DerivedVariable


def level_variables(
    reader: Reader, treatment: LevelTreatment, variables: list[DerivedVariable], scale: bool
) -> str:
    """Write variables of a column as a matrix with a column for each."""
    made = reader.made.get(treatment.column)
    if isinstance(made, JointColumn):
        return joint_variables(reader, treatment, made, variables, scale)
    codes = OnnxCodes.of(treatment, variables, ())
    if scale:
        codes = codes.scaled(variables)
    table = np.vstack([codes.values, codes.missing, codes.novel])
    return reader.graph.rows_of(table, _place(reader, treatment, codes))


def _place(reader: Reader, treatment: LevelTreatment, codes: OnnxCodes) -> str:
    """Look up which row of the codes each level has; behind them are missing and novel ones."""
    made, lost, novel = reader.made.get(treatment.column), len(codes), len(codes) + 1
    if isinstance(made, CalendarPart):
        return _of_date(reader, made, {str(key): i for i, key in enumerate(codes.keys)})
    if codes.kind == TEXT:
        reader.check_mark(treatment.column, reader.missing_text in treatment.levels.to_list())
        texts = {str(key): i for i, key in enumerate(codes.keys)}
        return reader.place_of_text(treatment.column, texts, lost, novel)
    numbers = {float(key): i for i, key in enumerate(codes.keys)}
    column = reader.sources[treatment.column]
    return place_of_number(reader.graph, column, numbers, lost, novel)


def _of_date(reader: Reader, part: CalendarPart, places: dict[str, int]) -> str:
    """Look up the text of a part of a date."""
    label, good = label_of_part(reader.graph, part, reader.sources[part.column])
    lost, novel = len(places), len(places) + 1
    place = place_of_whole(reader.graph, label, [places.get(one, novel) for one in labels_of(part)])
    return reader.graph.node("Where", good, place, reader.graph.constant(lost, np.int64))
