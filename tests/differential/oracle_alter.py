"""What ALTER TABLE must make of columns and rows."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pyarrow as pa

from tests.differential.expected import RefusedError
from tests.differential.program import AddColumn, Column, DropColumn, RenameColumn, Step, WidenColumn
from tests.differential.tables import MAPPED, MAPPING, WIDENING
from tests.differential.values import conformed


def altered(
    given: tuple[Column, ...], rows: pa.Table, properties: Mapping[str, str], step: Step
) -> tuple[tuple[Column, ...], pa.Table]:
    """Columns and rows behind the step. Raises `RefusedError`."""
    columns = list(given)
    places = {column.name: place for place, column in enumerate(columns)}
    match step:
        case AddColumn():
            if step.column.name.lower() in {name.lower() for name in places}:
                raise RefusedError("the column is there")
            columns.append(step.column)
        case RenameColumn() | DropColumn() | WidenColumn() if step.name not in places:
            raise RefusedError("there is no such column")
        case RenameColumn() | DropColumn() if properties.get(MAPPING) not in MAPPED:
            raise RefusedError("it takes column mapping")
        case WidenColumn() if properties.get(WIDENING) != "true":
            raise RefusedError("it takes type widening")
        case RenameColumn():
            columns[places[step.name]] = attrs.evolve(columns[places[step.name]], name=step.to)
            return tuple(columns), rows.rename_columns([column.name for column in columns])
        case DropColumn():
            del columns[places[step.name]]
        case WidenColumn():
            columns[places[step.name]] = attrs.evolve(columns[places[step.name]], type=step.type)
        case _:
            pass
    return tuple(columns), conformed(rows, columns)
