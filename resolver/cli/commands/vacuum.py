"""`deltaresolver vacuum`: delete the files of a table that no retained version needs, or only list them."""

from __future__ import annotations

from typing import Any

import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.inputs.table_to_change import open_table, opening_options
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields
from deltaresolver.resolution.explain.visible_text import visible_line

EXAMPLES = """\b
Examples:
  deltaresolver vacuum /lake/events --dry-run
  deltaresolver vacuum /lake/events --retain 336
  deltaresolver vacuum /lake/events --lite
"""


@click.command("vacuum", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.option(
    "--retain",
    type=float,
    metavar="HOURS",
    help="Keep files younger than this.  [default: delta.deletedFileRetentionDuration, a week]",
)
@click.option("--lite", is_flag=True, help="Find files in the log instead of listing the table's folder.")
@opening_options
@click.option("--dry-run", is_flag=True, help="Delete nothing; print the files that would be deleted.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    path: str, retain: float | None, lite: bool, dry_run: bool, as_json: bool, **options: tuple[str, ...]
) -> int:
    """Delete the files in a table's folder that no retained version needs.

    Files that are younger than the retention stay, so that running writes are safe. Links are neither followed nor
    deleted, and tables inside the table's folder are left alone. A retention below that of the table is refused, unless
    --session spark.databricks.delta.retentionDurationCheck.enabled=false.
    """
    table = open_table(path, session=options["session"], storage=options["storage"])
    outcome = table.vacuum(retain, kind="LITE" if lite else None, dry_run=dry_run)
    if as_json:
        print_answer("vacuum", _data(outcome))
    else:
        _print(outcome)
    return 0


def _data(outcome: Any) -> dict[str, Any]:
    return {
        "dry_run": outcome.is_dry_run,
        "kind": outcome.kind.value,
        "cutoff_ms": outcome.cutoff_ms,
        "paths": list(outcome.paths),
        "bytes": outcome.bytes_to_delete,
        "deleted_files": outcome.deleted.files,
        "deleted_folders": outcome.deleted.folders,
        "links": list(outcome.links),
        "other_tables": list(outcome.other_tables),
        "version": outcome.table_version,
    }


def _print(outcome: Any) -> None:
    if outcome.is_dry_run:
        for path in outcome.paths:
            print(visible_line(path))
        print_notes((f"{_counted(len(outcome.paths))}, {outcome.bytes_to_delete:,} bytes, would be deleted",))
    else:
        deleted = outcome.deleted
        print_fields(
            (
                ("deleted", f"{_counted(deleted.files)}, {outcome.bytes_to_delete:,} bytes"),
                ("empty folders", str(deleted.folders) if deleted.folders else ""),
                ("committed", "" if outcome.table_version is None else f"VACUUM END as {outcome.table_version}"),
            )
        )
    notes = [f"{link} is a link and was left alone" for link in outcome.links]
    print_notes([*notes, *(f"{folder} is a table of its own and was left alone" for folder in outcome.other_tables)])


def _counted(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
