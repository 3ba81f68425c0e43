"""`deltaresolver drop-feature`: take a feature away from a table, or show what that would do."""

from __future__ import annotations

import click

from deltaresolver.cli.change_outcome import tell_outcome
from deltaresolver.cli.completion import complete_features, complete_folders
from deltaresolver.cli.inputs.file_rewriter import find_rewriter
from deltaresolver.cli.inputs.table_to_change import open_table, opening_options

EXAMPLES = """\b
Examples:
  deltaresolver drop-feature /lake/events v2Checkpoint --dry-run
  deltaresolver drop-feature /lake/events deletionVectors
  deltaresolver drop-feature /lake/events checkpointProtection --truncate-history
"""


@click.command("drop-feature", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.argument("feature", shell_complete=complete_features)
@click.option("--truncate-history", is_flag=True, help="Wait for old versions to go, instead of protecting them.")
@opening_options
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would happen.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    path: str, feature: str, truncate_history: bool, dry_run: bool, as_json: bool, **options: tuple[str, ...]
) -> int:
    """Take a feature away from a table, as ALTER TABLE DROP FEATURE does.

    First the table stops using it; then checkpoints keep history readable for clients that do not know it; then
    the protocol goes down. Where data files hold it in use, they are written again first, in the Spark session that
    the environment configures; without PySpark it names the statement that does so elsewhere.
    """
    table = open_table(path, session=options["session"], storage=options["storage"])
    from deltaresolver.planning.rewriting_files.drop import drop_with_rewriting

    done = drop_with_rewriting(table, feature, find_rewriter(), truncate_history=truncate_history, dry_run=dry_run)
    tell_outcome("drop-feature", done.outcome, as_json=as_json, rewritten=done.rewritten)
    return 0
