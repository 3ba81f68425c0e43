"""`deltaresolver drop-feature`: take a feature away from a table, or say what that would do."""

from __future__ import annotations

from typing import Any

import click

from deltaresolver.cli.alter import commits_told
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.output import print_fields, print_json
from deltaresolver.cli.table_to_change import open_table, opening_options
from deltaresolver.resolution.explain_phrases import pair

EXAMPLES = """\b
Examples:
  deltaresolver drop-feature /lake/events v2Checkpoint --dry-run
  deltaresolver drop-feature /lake/events deletionVectors
  deltaresolver drop-feature /lake/events checkpointProtection --truncate-history
"""


@click.command("drop-feature", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH")
@click.argument("feature")
@click.option("--truncate-history", is_flag=True, help="Wait for old versions to go, instead of protecting them.")
@opening_options
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would happen.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    path: str, feature: str, truncate_history: bool, dry_run: bool, as_json: bool, **options: tuple[str, ...]
) -> int:
    """Take a feature away from a table, as ALTER TABLE DROP FEATURE does.

    First the table stops using it; then checkpoints keep history readable for clients that do not know it; then
    the protocol goes down. Where data files would have to be rewritten, it names the Spark SQL that does so.
    """
    table = open_table(path, session=options["session"], storage=options["storage"])
    outcome = table.drop_feature(feature, truncate_history=truncate_history, dry_run=dry_run)
    if as_json:
        print_json(_as_data(outcome))
    else:
        _print(outcome)
    return 0


def _as_data(outcome: Any) -> dict[str, Any]:
    return {
        "dry_run": outcome.dry_run,
        "feature": outcome.feature,
        "before": outcome.before.to_json(),
        "protocol": outcome.after.to_json(),
        "commits": [{"version": one.table_version, "operation": one.operation} for one in outcome.commits],
        "checkpoints": list(outcome.checkpoints),
        "protects_before": outcome.protects_before,
    }


def _print(outcome: Any) -> None:
    would = "would be " if outcome.dry_run else ""
    protected = outcome.protects_before
    print_fields(
        (
            ("dropped", outcome.feature),
            ("protocol", f"{pair(outcome.before)} -> {pair(outcome.after)}"),
            ("reader features", ", ".join(sorted(outcome.after.reader_feature_names))),
            ("writer features", ", ".join(sorted(outcome.after.writer_feature_names))),
            (f"{would}committed", commits_told(outcome.commits)),
            ("checkpoints", ", ".join(map(str, outcome.checkpoints))),
            ("protected", "" if protected is None else f"checkpoints before version {protected}"),
        )
    )
    if outcome.dry_run:
        print_notes(("nothing was written",))
