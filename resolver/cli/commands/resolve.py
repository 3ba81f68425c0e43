"""`deltaresolver resolve`: the protocol a table needs, and what changes."""

from __future__ import annotations

from typing import Any

import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.inputs.lake_input import located
from deltaresolver.cli.inputs.sources import ProtocolAnswer, Request, answer_for, request_options
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields
from deltaresolver.model.facts.keys import DELETION_VECTORS, ROW_TRACKING
from deltaresolver.resolution.explain.phrases import newly_listed, pair
from deltaresolver.resolution.resolution import Resolution

EXAMPLES = f"""\b
Examples:
  deltaresolver resolve /lake/events
  deltaresolver resolve /lake/events --set {DELETION_VECTORS}=true --check
  echo '{{"configuration": {{"{ROW_TRACKING}": "true"}}}}' | deltaresolver resolve
  deltaresolver resolve - --protocol 1,2 < /lake/events/_delta_log/00000000000000000000.json
"""


@click.command("resolve", epilog=EXAMPLES)
@click.argument("source", metavar="[TABLE_PATH | -]", required=False, shell_complete=complete_folders)
@request_options
@click.option("--check", is_flag=True, help="Exit with 1 if the table needs another protocol than it has.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(source: str | None, check: bool, as_json: bool, **options: Any) -> int:
    """The protocol a table needs, and what changes.

    Works on a table, or on metadata as JSON from stdin: a metaData object, bare or as an action, or a whole
    commit file. Without a current protocol the table is taken to be new.
    """
    source = None if source is None else located(source)
    answer = answer_for(source, Request(**options))
    if as_json:
        print_answer("resolve", _as_data(answer))
    else:
        _print(answer.resolution)
        print_notes(answer.notes)
    return 1 if check and answer.resolution.changed else 0


def _as_data(answer: ProtocolAnswer) -> dict[str, Any]:
    resolution = answer.resolution
    return {
        "protocol": resolution.protocol.to_json(),
        "current": None if resolution.current is None else resolution.current.to_json(),
        "changed": resolution.changed,
        "features": sorted(resolution.features),
        "added": sorted(resolution.added),
        "policy": resolution.policy.value,
        "notes": list(answer.notes),
    }


def _print(resolution: Resolution) -> None:
    protocol, current = resolution.protocol, resolution.current
    if current is None:
        change = f"{pair(protocol)} for a new table"
    elif resolution.changed:
        change = f"{pair(current)} -> {pair(protocol)}"
    else:
        change = f"{pair(protocol)}, unchanged"
    implied = [] if protocol.lists_writer_features else sorted(resolution.features)
    print_fields(
        (
            ("protocol", change),
            ("reader features", ", ".join(sorted(protocol.reader_feature_names))),
            ("writer features", ", ".join(sorted(protocol.writer_feature_names))),
            ("implied", ", ".join(implied)),
            ("new", ", ".join(sorted(resolution.added)) if current is not None else ""),
            ("now by name", ", ".join(newly_listed(resolution)) if resolution.changed else ""),
        )
    )
