"""`deltaresolver restore`: put a table back to an earlier version."""

from __future__ import annotations

import click

from deltaresolver.cli.completion import complete_folders
from deltaresolver.cli.inputs.table_to_change import open_table, opening_options
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields

EXAMPLES = """\b
Examples:
  deltaresolver restore /lake/events --version 0
"""


@click.command("restore", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.option("--version", "table_version", type=int, metavar="VERSION", help="The version to restore.")
@click.option("--timestamp", metavar="TIME", help="Restore what was current then; UTC unless it names an offset.")
@opening_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    path: str, table_version: int | None, timestamp: str | None, as_json: bool, **options: tuple[str, ...]
) -> int:
    """Commit the state of an earlier version as the newest one.

    No data file is read or written, so VACUUM must not have deleted the files of that version. The protocol is not
    lowered, and identity columns count on from where they are.
    """
    table = open_table(path, session=options["session"], storage=options["storage"])
    outcome = table.restore(table_version, timestamp)
    committed = None if outcome.committed is None else outcome.committed.table_version
    if as_json:
        restored = {"version": committed, "restored_version": outcome.restored_version}
        print_answer("restore", {**restored, **outcome.metrics()})
        return 0
    print_fields(
        (
            ("restored", f"version {outcome.restored_version}"),
            ("committed", "nothing: it is the latest" if committed is None else f"RESTORE as {committed}"),
            ("files back", f"{outcome.num_restored_files:,}, {outcome.restored_files_size:,} bytes"),
            ("files removed", f"{outcome.num_removed_files:,}, {outcome.removed_files_size:,} bytes"),
        )
    )
    return 0
