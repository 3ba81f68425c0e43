"""Commit bytes to Arrow line by line: slow, exact, and the judge of lines that the fast reader refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.columnar.action_rows import ActionRows, built_rows
from deltaresolver.log.columnar.projection import Projection
from deltaresolver.log.commits import decode_action, decode_line, numbered_lines
from deltaresolver.model.action_fields import write_fields

Row = dict[str, Any]


def read_lines(data: bytes, path: str, first_line: int, projection: Projection) -> ActionRows:
    """The file actions in `data`, whose first line is number `first_line` of `path`.

    Raises `CommitMalformedError` naming file and line.
    """
    adds: list[Row | None] = []
    removes: list[Row | None] = []
    for number, name, row in _file_actions(data, path, first_line):
        fields = projection.fields_of(name)
        try:
            picked = pa.array([_pick(row, fields)], pa.struct(list(fields)))[0].as_py()
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise _out_of_range(path, number, name, error) from error
        adds.append(picked if name == "add" else None)
        removes.append(picked if name == "remove" else None)
    arrays = {"add": _struct(adds, projection, "add"), "remove": _struct(removes, projection, "remove")}
    return built_rows(arrays, projection.action)


def _file_actions(data: bytes, path: str, first_line: int) -> Iterator[tuple[int, str, Row]]:
    for number, line in numbered_lines(data):
        for name, value in decode_line(line, path, first_line + number - 1).items():
            if name in ("add", "remove") and value is not None:
                fields = write_fields(decode_action(name, value, path, first_line + number - 1))
                # What the line does not say is null here too, not what an action has in its place.
                said = {key: item for key, item in fields.items() if value.get(key) is not None}
                yield first_line + number - 1, name, said


def _pick(row: Row, fields: tuple[pa.Field, ...]) -> Row:
    """The asked fields, maps as Arrow takes them."""
    return {
        field.name: list(row[field.name].items()) if pa.types.is_map(field.type) else row[field.name]
        for field in fields
        if row.get(field.name) is not None
    }


def _struct(rows: list[Row | None], projection: Projection, action: str) -> pa.StructArray:
    return pa.array(rows, pa.struct(list(projection.fields_of(action))))


def _out_of_range(path: str, number: int, action: str, error: Exception) -> CommitMalformedError:
    reason = f"a field of {action} does not fit its type ({error})"
    return CommitMalformedError(
        f"Line {number} of {path} cannot be used: {reason}.",
        fix=f"Restore {path} from a backup, or find the writer that left it like this.",
        details={"path": path, "line": number, "reason": reason},
    )
