"""`deltaresolver alter`: set and unset table properties and add features, or say what that would do."""

from __future__ import annotations

from typing import Any

import click

from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.output import print_fields, print_json, print_sections
from deltaresolver.cli.property_changes import read_pairs
from deltaresolver.cli.table_to_change import open_table, opening_options
from deltaresolver.resolution.explain_phrases import pair

EXAMPLES = """\b
Examples:
  deltaresolver alter /lake/events --set delta.enableDeletionVectors=true --dry-run
  deltaresolver alter /lake/events --add-feature deletionVectors
  deltaresolver alter /lake/events --unset delta.enableChangeDataFeed
"""


@click.command("alter", epilog=EXAMPLES)
@click.argument("path", metavar="TABLE_PATH")
@click.option("--set", "to_set", multiple=True, metavar="KEY=VALUE", help="Set a table property. May be repeated.")
@click.option("--unset", "to_unset", multiple=True, metavar="KEY", help="Unset a table property. May be repeated.")
@click.option("--add-feature", "features", multiple=True, metavar="NAME", help="Add a feature. May be repeated.")
@opening_options
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would happen, and why.")
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
    if as_json:
        print_json(_as_data(outcome))
    else:
        _print(outcome)
    print_notes(_absent(options["to_unset"], outcome))
    return 0


def _absent(to_unset: tuple[str, ...], outcome: Any) -> list[str]:
    """What was to be unset and had not been set, which may be a slip of the pen."""
    before = {key.lower() for key in outcome.properties_before}
    absent = sorted(key for key in to_unset if key.lower() not in before and key.lower() != "comment")
    return [f"{key} was not set" for key in absent]


def _as_data(outcome: Any) -> dict[str, Any]:
    return {
        "dry_run": outcome.dry_run,
        "before": outcome.before.to_json(),
        "protocol": outcome.after.to_json(),
        "changed": outcome.changes_protocol,
        "added": sorted(outcome.resolution.added),
        "properties": dict(sorted(outcome.properties_after.items())),
        "commits": [{"version": one.table_version, "operation": one.operation} for one in outcome.commits],
        "writers_in_flight": _in_flight_as_data(outcome.in_flight),
        "after_an_append": _in_flight_as_data(outcome.rivalry.after_append),
        "after_a_change_of_properties": _in_flight_as_data(outcome.rivalry.after_change),
        "explanation": outcome.resolution.to_json(),
    }


def _in_flight_as_data(in_flight: Any) -> dict[str, Any]:
    return {"fail": in_flight.fails, "error": in_flight.error, "condition": in_flight.condition}


def _print(outcome: Any) -> None:
    change = f"{pair(outcome.before)} -> {pair(outcome.after)}"
    would = "would be " if outcome.dry_run else ""
    print_fields(
        (
            ("protocol", change if outcome.changes_protocol else f"{pair(outcome.after)}, unchanged"),
            ("new", ", ".join(sorted(outcome.resolution.added))),
            ("set", ", ".join(_newly_set(outcome))),
            ("unset", ", ".join(sorted(outcome.properties_before.keys() - outcome.properties_after.keys()))),
            (f"{would}committed", commits_told(outcome.commits)),
            ("writers in flight", _told_in_flight(outcome.in_flight)),
            ("conflicts with", _conflicts_told(outcome.rivalry) if outcome.dry_run else ""),
        )
    )
    if outcome.dry_run:
        print()
        print_sections(outcome.resolution.explain("text").rstrip("\n") + "\n")
        print_notes(("nothing was written",))


def _newly_set(outcome: Any) -> list[str]:
    before = outcome.properties_before
    return [f"{key} = {value}" for key, value in sorted(outcome.properties_after.items()) if before.get(key) != value]


def commits_told(commits: Any) -> str:
    """Commits in words: version and operation of each, in order."""
    return "; ".join(f"version {one.table_version} {one.operation}" for one in commits)


def _told_in_flight(in_flight: Any) -> str:
    if not in_flight.fails:
        return "an append in flight goes through"
    return f"an append in flight fails ({in_flight.condition or in_flight.error}) and must be repeated"


def _conflicts_told(rivalry: Any) -> str:
    """Which commits of others, coming first, would make the change fail."""
    met = (("an append", rivalry.after_append), ("a change of the table's properties", rivalry.after_change))
    told = [f"{rival} that comes first ({own.condition or own.error})" for rival, own in met if own.fails]
    return "; ".join(told) or "neither appends nor changes of the table's properties"
