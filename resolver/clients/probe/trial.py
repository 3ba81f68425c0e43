"""One table tried by a client: opened, read, appended to, and judged by the oracle."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.clients.evidence import Act
from deltaresolver.clients.probe.child import Answer, Child
from deltaresolver.clients.probe.facts import needs_of_copy
from deltaresolver.clients.probe.oracle import Rows, rows_of_client, rows_of_table, without_column
from deltaresolver.clients.probe.values import arrow_type, can_be_given, is_comparable, same_form, stored_name
from deltaresolver.clients.table_needs import TableNeeds
from deltaresolver.errors import DeltaResolverError, ProbeTableError
from deltaresolver.log.snapshot import Snapshot
from deltaresolver.model.facts.keys import GENERATION_EXPRESSION, IDENTITY_START, IN_COMMIT_TIMESTAMPS
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.table import Table

_PACKAGE_MISSING = "ModuleNotFoundError"
OK, REFUSED, WRONG, CRASH = "ok", "refused", "wrong", "crash"
_UNREADABLE = (
    DeltaResolverError, pa.ArrowException, OSError, LookupError, ArithmeticError, ValueError, TypeError, AttributeError,
    RecursionError,
)  # fmt: skip
"""The errors that reading an untrusted table value by value may end with."""
_GIVEN_BY_WRITERS = (GENERATION_EXPRESSION, IDENTITY_START)


@attrs.frozen(eq=False)
class Trial:
    """The outcome of each act (None: not tried), with the reason where it is not ok."""

    table: str
    needs: TableNeeds
    outcomes: dict[Act, str | None]
    why: dict[Act, str]


@attrs.frozen(eq=False)
class ProbeSubject:
    """A table to try: its location, its demands, and its rows."""

    name: str
    source: Path
    needs: TableNeeds
    rows: Rows


def subject_of(source: Path) -> ProbeSubject:
    """A table in a local folder, which is only read. Raises `ProbeTableError`."""
    if not (source / "_delta_log").is_dir():
        raise _unusable(source, "there is no Delta table in this folder", None)
    odd = next(_neither_files_nor_folders(source), None)
    if odd is not None:
        # A copied link has the same target: a client that writes through it would change the owner's files.
        raise _unusable(source, f"{odd!a} is a link, or neither a file nor a folder", None)
    try:
        table = Table(str(source))
        snapshot = table.snapshot()
        needs, rows = needs_of_copy(snapshot, source), rows_of_table(snapshot, table.log.store, source)
    except _UNREADABLE as error:
        raise _unusable(source, str(error).partition("\n")[0], error) from error
    return ProbeSubject(source.name, source, needs, rows)


def _neither_files_nor_folders(folder: Path) -> Iterator[str]:
    """The entries of a folder that are neither files nor folders: links, and others that cannot be copied."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                yield str(path.relative_to(folder))


def _unusable(source: Path, reason: str, _error: Exception | None) -> ProbeTableError:
    return ProbeTableError(
        f"{source} cannot be used to measure a client: {reason.rstrip('.')}.",
        fix="Name a local folder with a Delta table whose files are all there.",
        details={"table": str(source), "reason": reason},
    )


def try_table(subject: ProbeSubject, child: Child, folder: Path) -> Trial:
    """Try every act on a copy of the table in `folder`, which is deleted afterwards."""
    copy = folder / "table"
    shutil.copytree(subject.source, copy, symlinks=True)
    trial = Trial(subject.name, subject.needs, dict.fromkeys(Act), {})
    try:
        _note(trial, Act.OPEN, child.ask("open", copy, folder / "nothing"), "")
        answer = child.ask("read", copy, folder / "rows")
        _note(trial, Act.READ, answer, _misread(subject.rows, folder / "rows") if answer.ok else "")
        if subject.rows.example is not None:
            _append(subject, child, copy, folder, trial)
    finally:
        shutil.rmtree(copy)
        for left in folder.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    return trial


def _note(trial: Trial, act: Act, answer: Answer, harm: str) -> None:
    if answer.ok and not harm:
        trial.outcomes[act] = OK
        return
    trial.why[act] = harm or answer.error
    if answer.error.startswith(_PACKAGE_MISSING):
        trial.outcomes[act] = None  # the environment's fault, not the client's
        return
    trial.outcomes[act] = WRONG if answer.ok else CRASH if answer.crashed else REFUSED


def _misread(expected: Rows, file: Path) -> str:
    """How the rows that a client returned differ from the table's; empty where they do not."""
    found = _rows_in(file)
    missing = [one.name for one in expected.columns if one.name not in found.column_names and one.type != "variant"]
    if missing:
        return f"columns are missing: {', '.join(missing)}"
    left_out = frozenset(one.name for one in expected.columns if one.name not in found.column_names)
    try:
        lines = rows_of_client(expected.columns, found)
    except (TypeError, ValueError, ArithmeticError) as error:
        return f"values are of another type: {error}"
    return _difference(without_column(expected.counted, left_out) if left_out else expected.counted, lines)


def _difference(expected: Counter[str], found: Counter[str]) -> str:
    lost, new = expected - found, found - expected
    if not lost and not new:
        return ""
    example = next(iter(new or lost))[:200]
    return f"{lost.total()} rows of {expected.total()} are missing and {new.total()} are new, such as {example}"


def _rows_in(file: Path) -> pa.Table:
    with file.open("rb") as opened:
        is_parquet = opened.read(4) == b"PAR1"
    if is_parquet:
        return pq.ParquetFile(file).read()
    with pa.OSFile(str(file)) as source:
        return pa.ipc.open_stream(source).read_all()


# --- appending --------------------------------------------------------------------------------------


def _append(subject: ProbeSubject, child: Child, copy: Path, folder: Path, trial: Trial) -> None:
    """Append a row without the columns that writers fill in themselves; if that is refused, a row with them."""
    example = subject.rows.example or {}
    columns = [one for one in subject.rows.columns if can_be_given(example[one.name], one.type)]
    made = [one for one in columns if any(key in (one.metadata or {}) for key in _GIVEN_BY_WRITERS)]
    attempts = [[one for one in columns if one not in made], columns] if made else [columns]
    for given in attempts:
        before = set(_commits(copy))
        answer = child.ask("append", copy, _one_row(subject, given, folder / "row.parquet"))
        harm = _damage(subject, copy, given, before) if answer.ok else ""
        _note(trial, Act.APPEND, answer, harm)
        if answer.ok or answer.crashed:
            break
    if trial.outcomes[Act.APPEND] == OK:
        trial.why.pop(Act.APPEND, None)


def _one_row(subject: ProbeSubject, given: list[StructField], file: Path) -> Path:
    """One row of the table, under logical names, written to `file`."""
    example = subject.rows.example or {}
    arrays = [pa.array([_logical(example[one.name], one.type)], arrow_type(one.type)) for one in given]
    schema = pa.schema([pa.field(one.name, arrow_type(one.type), one.nullable) for one in given])
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), file)
    return file


def _logical(value: Any, kind: Any) -> Any:
    if value is None or not isinstance(kind, StructType):
        return value
    return {one.name: _logical(value.get(stored_name(one)), one.type) for one in kind.fields}


def _damage(subject: ProbeSubject, copy: Path, given: list[StructField], before: set[Path]) -> str:
    """What is wrong with the table after an append without an error; empty where it is right."""
    try:
        table = Table(str(copy))
        snapshot = table.snapshot()
        rows = rows_of_table(snapshot, table.log.store, copy)
    except _UNREADABLE as error:
        return f"the table cannot be read any more: {error}"
    if subject.rows.counted - rows.counted:
        return "rows that were there are gone"
    new = list((rows.counted - subject.rows.counted).elements())
    if len(new) != 1:
        return f"{len(new)} rows were added instead of one"
    return _wrong_value(subject, given, json.loads(new[0])) or _wrong_commit(
        snapshot, copy, sorted(set(_commits(copy)) - before)
    )


def _wrong_value(subject: ProbeSubject, given: list[StructField], row: dict[str, Any]) -> str:
    example = subject.rows.example or {}
    for column in given:
        expected = same_form(example[column.name], column.type, physical=True)
        if row[column.name] != expected:
            return f"{column.name} was given as {expected!r} and reads back as {row[column.name]!r}"
    left_out = [one for one in subject.rows.columns if one not in given and is_comparable(one.type)]
    empty = [one.name for one in left_out if row[one.name] is None and example[one.name] is not None]
    return f"{', '.join(empty)} should have been filled in and is NULL" if empty else ""


def _wrong_commit(snapshot: Snapshot, copy: Path, commits: list[Path]) -> str:
    """What a client's commit or its files lack of what the protocol requires; empty where it is right."""
    actions = [json.loads(line) for commit in commits for line in commit.read_text(encoding="utf-8").splitlines()]
    properties = snapshot.metadata.configuration
    if properties.get(IN_COMMIT_TIMESTAMPS, "").lower() == "true":
        infos = [action["commitInfo"] for action in actions if "commitInfo" in action]
        if not infos or any("inCommitTimestamp" not in info for info in infos):
            return "the commit lacks its in-commit timestamp"
    if "materializePartitionColumns" in snapshot.protocol.listed_features:
        partitions = set(snapshot.metadata.partition_columns)
        names = {stored_name(one) for one in snapshot.metadata.schema.fields if one.name in partitions}
        for action in actions:
            if "add" in action and not names <= set(pq.read_schema(copy / unquote(action["add"]["path"])).names):
                return "the new file lacks the partition columns"
    return ""


def _commits(copy: Path) -> list[Path]:
    return sorted((copy / "_delta_log").glob("*.json"))
