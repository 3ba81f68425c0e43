"""`deltaresolver alter`: set and unset table properties and add features, or show what that would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from deltaresolver.cli.change_outcome import tell_outcome
from deltaresolver.cli.completion import complete_assignments, complete_features, complete_folders, complete_properties
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.table_to_change import open_table, opening_options
from deltaresolver.model.facts.keys import CHANGE_DATA_FEED, DELETION_VECTORS
from deltaresolver.resolution.explain.phrases import pair

EXAMPLES = f"""\b
Examples:
  deltaresolver alter /lake/events --set {DELETION_VECTORS}=true --dry-run
  deltaresolver alter /lake/events --add-feature deletionVectors
  deltaresolver alter /lake/events --unset {CHANGE_DATA_FEED}
"""


@click.command("alter", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH", shell_complete=complete_folders)
@click.option(
    "--set",
    "to_set",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a table property. May be repeated.",
    shell_complete=complete_assignments,
)
@click.option(
    "--unset",
    "to_unset",
    multiple=True,
    metavar="KEY",
    help="Unset a table property. May be repeated.",
    shell_complete=complete_properties,
)
@click.option(
    "--add-feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="Add a feature. May be repeated.",
    shell_complete=complete_features,
)
@opening_options
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would happen, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(path: str, dry_run: bool, as_json: bool, **options: tuple[str, ...]) -> int:
    """Set and unset table properties and add features, as ALTER TABLE does.

    With --dry-run it shows the protocol that the table would get, why, what would become of writers that are busy
    meanwhile, and whose commits it conflicts with; everything is checked as if it were meant, but nothing is written.
    """
    table = open_table(path, session=options["session"], storage=options["storage"])
    outcome = table.alter(
        read_pairs(options["to_set"], "--set"), options["to_unset"], options["features"], dry_run=dry_run
    )
    tell_outcome("alter", outcome, as_json=as_json)
    print_notes(_absent(options["to_unset"], outcome))
    return 0


def looking_and_working(
    location: str, typed: dict[str, Any], storage: tuple[str, ...]
) -> tuple[Callable[[], str], Callable[[], str]]:
    """For a card of an audit: what the options would do to a table, and doing it."""
    table = open_table(location, session=typed["session"], storage=(*typed["storage"], *storage))
    to_set = read_pairs(typed["to_set"], "--set")

    def carry_out(*, dry_run: bool) -> str:
        outcome = table.alter(to_set, typed["to_unset"], typed["features"], dry_run=dry_run)
        return f"{pair(outcome.before)} -> {pair(outcome.after)}"

    return lambda: carry_out(dry_run=True), lambda: f"done: {carry_out(dry_run=False)}"


def _absent(to_unset: tuple[str, ...], outcome: Any) -> list[str]:
    """What was to be unset and had not been set, which may be a slip of the pen."""
    before = {key.lower() for key in outcome.properties_before}
    absent = sorted(key for key in to_unset if key.lower() not in before and key.lower() != "comment")
    return [f"{key} was not set" for key in absent]
