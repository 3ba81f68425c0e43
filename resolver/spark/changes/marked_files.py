"""Rows taken out of files by their positions: marked by deletion vectors, or left out when files are written anew."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import attrs
import msgspec

from deltaresolver.log.deletion_vector_encoding import vector_file
from deltaresolver.model.actions import Action, AddFile
from deltaresolver.model.facts.keys import DELETION_VECTORS
from deltaresolver.spark.changes.changed_table import Candidates, ChangedTable
from deltaresolver.spark.changes.copied_rows import copied, is_tracked
from deltaresolver.spark.changes.live_records import physical_records
from deltaresolver.spark.changes.row_places import Positions, bitmap_of
from deltaresolver.spark.reading.marked_rows import RowSets
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.footers import read_footer, stored_path

if TYPE_CHECKING:
    from pyroaring import BitMap64


def mark(changed: ChangedTable, among: Candidates, rows: Positions) -> list[Action]:
    """Take rows out by deletion vectors; files that lose all they have go."""
    if not rows:
        return []
    merged = with_earlier(changed, among, rows)
    whole = changed.whole_files(among, {number: len(found) for number, found in rows.items()})
    marked = [number for number in sorted(merged) if number not in whole]
    vectors = vector_file(RowSets(merged[number] for number in marked), uuid.uuid4())
    if marked:
        changed.put_vectors(vectors.path, vectors.data)
    actions: list[Action] = [*changed.removals(among.adds[number] for number in sorted(merged))]
    for number, vector in zip(marked, vectors.vectors, strict=True):
        add = _counted(changed, among.adds[number])
        stats = _with_wide_bounds(add.stats)
        actions.append(attrs.evolve(add, deletion_vector=vector, stats=stats, data_change=True))
    return actions


def take_out(changed: ChangedTable, among: Candidates, gone: Positions) -> tuple[list[Action], int]:
    """Mark rows, or write their files anew without them, as the table has it; how many rows were written so."""
    if not gone or changed.is_on(DELETION_VECTORS):
        return mark(changed, among, gone), 0
    actions: list[Action] = [*changed.removals(among.adds[number] for number in gone)]
    whole = changed.whole_files(among, {number: len(rows) for number, rows in gone.items()})
    partly = {number: rows for number, rows in gone.items() if number not in whole}
    if not partly:
        return actions, 0
    marked = with_earlier(changed, among, partly)
    rows = changed.scan(row_tracking=is_tracked(changed.metadata)).without(among.take(marked), RowSets(marked.values()))
    written = changed.write(copied(rows, changed.metadata))
    return [*actions, *written.adds], written.rows


def with_earlier(changed: ChangedTable, among: Candidates, rows: Positions) -> dict[int, BitMap64]:
    """The positions together with those that the files' vectors delete already."""
    before = [number for number in sorted(rows) if among.adds[number].deletion_vector is not None]
    merged = dict(rows)
    if before:
        earlier = changed.scan().marked_rows(among.take(before))
        for number, marked in zip(before, earlier, strict=True):
            merged[number] = rows[number] | bitmap_of(marked)
    return merged


def _counted(changed: ChangedTable, add: AddFile) -> AddFile:
    """The file with its number of rows, which a deletion vector needs, from its footer where the log has none."""
    if physical_records(add) is not None:
        return add
    store = changed.snapshot.store
    footer = read_footer(store, WrittenFile(stored_path(store, add.path), add.size, add.modification_time))
    stats = {**(_read_statistics(add.stats) or {}), "numRecords": msgspec.Raw(str(footer.num_rows).encode())}
    return attrs.evolve(add, stats=msgspec.json.encode(stats).decode())


def _with_wide_bounds(stats: str | None) -> str | None:
    kept = _read_statistics(stats)
    return None if kept is None else msgspec.json.encode({**kept, "tightBounds": msgspec.Raw(b"false")}).decode()


def _read_statistics(stats: str | None) -> dict[str, msgspec.Raw] | None:
    """The parts of statistics as they stand, so that no decimal loses a digit; None where nobody can read them."""
    if not stats:
        return None
    try:
        return msgspec.json.decode(stats, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return None
