"""`deltaresolver history`: what happened to a table, and which commit changed its protocol on what account."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import attrs
import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.inputs.catalog_profiles import catalog_of, profile_option
from deltaresolver.cli.inputs.lake_input import located
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import COLUMN_GAP, on_terminal, print_table, print_wrapped
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.history import HistoryEntry
from deltaresolver.log.protocol_change import ProtocolChange
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.planning.protocol_causes import FeatureCause, causes_of, dropped_features
from deltaresolver.resolution.explain.phrases import pair
from deltaresolver.table import Table
from deltaresolver.value import Value

EXAMPLES = """\b
Examples:
  deltaresolver history /lake/events
  deltaresolver history /lake/events --protocol-changes
  deltaresolver history /lake/events --limit 20 --json
"""

SHOWN_UNASKED = 1_000
"""So many commits are shown where no limit is given."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COLOURS = {"+": "green", "-": "red"}
NOTHING_SHOWS = "nothing in this commit shows why"


@attrs.frozen(slots=True)
class _Told(Value):
    """One commit with why it changed the protocol, if it did."""

    entry: HistoryEntry
    causes: tuple[FeatureCause, ...]


@attrs.frozen(slots=True)
class _Row(Value):
    """One commit in words."""

    version: str
    time: str
    operation: str
    by: tuple[str, ...]
    protocol: tuple[str, ...]


@click.command("history", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help=f"Show only the newest N.  [default: {SHOWN_UNASKED:,}]"
)
@click.option("--protocol-changes", is_flag=True, help="Show only commits that changed the protocol.")
@storage_option
@profile_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    path: str, limit: int | None, protocol_changes: bool, storage: tuple[str, ...], profile: str, as_json: bool
) -> int:
    """What happened to a table, newest first.

    For each commit: version, time, operation, user and engine; and where it changed the protocol, each feature
    that came, with the property or column that called for it, and each that went.
    """
    catalog = catalog_of(profile)
    table = Table(located(path), read_pairs(storage, "--storage"), catalog=catalog)
    entries = table.history(None if protocol_changes else (limit or SHOWN_UNASKED))
    if protocol_changes:
        entries = [entry for entry in entries if entry.protocol_change is not None][:limit]
    elif limit is None and len(entries) == SHOWN_UNASKED and entries[-1].table_version > 0:
        print_notes([f"only the newest {SHOWN_UNASKED:,} commits are shown; --limit N shows more"])

    def metadata_at(table_version: int) -> Metadata | None:
        with contextlib.suppress(DeltaResolverError):
            return table.snapshot(table_version).metadata
        return None

    told = [_Told(entry, causes_of(entry, catalog, metadata_at)) for entry in entries]
    if as_json:
        print_answer("history", {"table": table.log.store.location, "commits": [_as_data(one) for one in told]})
    elif not told:
        print_notes(["no commit that is left in the log changed the protocol"])
    else:
        _print([_row(one, catalog) for one in told])
    return 0


def _print(rows: list[_Row]) -> None:
    """A paragraph for each commit on a terminal, where a table would leave no room; otherwise one line each."""
    if not on_terminal():
        print_table(
            ("version", "time (UTC)", "operation", "by", "protocol"),
            ((one.version, one.time, one.operation, "\n".join(one.by), "\n".join(one.protocol)) for one in rows),
        )
        return
    width = max(len(one.version) for one in rows)
    for one in rows:
        heading = COLUMN_GAP.join((one.version.rjust(width), one.time, one.operation))
        by = COLUMN_GAP + ", ".join(one.by) if one.by else ""
        indent = " " * (width + len(COLUMN_GAP))
        print_wrapped(heading + by, indent, bold=heading)
        for line in one.protocol:
            print_wrapped(indent + line, f"{indent}    ", colour=_COLOURS.get(line[0]))


def _as_data(told: _Told) -> dict[str, Any]:
    value = told.entry.to_json() | {"time": _iso_time(told.entry.timestamp_ms)}
    if value["protocol_change"] is not None:
        value["protocol_change"]["causes"] = [cause.to_json() for cause in told.causes]
    return value


def _row(told: _Told, catalog: FeatureCatalog) -> _Row:
    entry = told.entry
    return _Row(
        str(entry.table_version),
        _time(entry.timestamp_ms),
        entry.operation or "-",
        tuple(who for who in (entry.user, entry.engine) if who),
        tuple(_change_in_words(entry.protocol_change, told, catalog)) if entry.protocol_change else (),
    )


def _time(timestamp_ms: int) -> str:
    moment = _find_moment(timestamp_ms)
    return f"{timestamp_ms} ms" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _iso_time(timestamp_ms: int) -> str | None:
    moment = _find_moment(timestamp_ms)
    return None if moment is None else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _find_moment(timestamp_ms: int) -> datetime | None:
    """None for a time that no calendar has."""
    try:
        return _EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return None


def _change_in_words(change: ProtocolChange, told: _Told, catalog: FeatureCatalog) -> Iterator[str]:
    """From which versions to which, then a line for each feature or for several with the same cause."""
    if change.before is None:
        from_start = told.entry.table_version == 0
        yield (
            f"starts at {pair(change.after)}" if from_start else f"{pair(change.after)}, before it is gone from the log"
        )
    elif pair(change.before) == pair(change.after):
        yield pair(change.after)
    else:
        yield f"{pair(change.before)} -> {pair(change.after)}"
    for because, causes in groupby(sorted(told.causes, key=_order), key=lambda cause: cause.because):
        features = ", ".join(cause.feature for cause in causes)
        yield f"+ {features}: {', '.join(because) or NOTHING_SHOWS}"
    yield from (f"- {feature}" for feature in dropped_features(change, catalog))


def _order(cause: FeatureCause) -> tuple[bool, tuple[str, ...], str]:
    return not cause.because, cause.because, cause.feature
