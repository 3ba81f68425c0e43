"""What a change of a table did or would do, as every command that changes tables tells it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields, print_sections
from deltaresolver.resolution.explain.phrases import pair


def tell_outcome(schema: str, outcome: Any, *, as_json: bool, rewritten: Any = None) -> None:
    """Print the outcome of CREATE, ALTER or DROP FEATURE, as JSON by `schema`.

    `rewritten` is the cost of what a drop wrote again first.
    """
    data: Callable[[Any], dict[str, Any]]
    show: Callable[[Any], None]
    if hasattr(outcome, "feature"):
        data, show = partial(_drop_data, rewritten=rewritten), partial(_print_drop, rewritten=rewritten)
    elif hasattr(outcome, "resolution"):
        data, show = _alter_data, _print_alter
    else:
        data, show = _create_data, _print_create
    if as_json:
        print_answer(schema, data(outcome))
    else:
        show(outcome)


def _alter_data(outcome: Any) -> dict[str, Any]:
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


def _print_alter(outcome: Any) -> None:
    if not outcome.commits:
        print_fields((("protocol", f"{pair(outcome.after)}, unchanged"),))
        print_notes(("the table is like this already; nothing was written",))
        return
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


def _drop_data(outcome: Any, rewritten: Any) -> dict[str, Any]:
    return {
        "dry_run": outcome.dry_run,
        "feature": outcome.feature,
        "before": outcome.before.to_json(),
        "protocol": outcome.after.to_json(),
        "commits": [{"version": one.table_version, "operation": one.operation} for one in outcome.commits],
        "checkpoints": list(outcome.checkpoints),
        "protects_before": outcome.protects_before,
        "rewritten": None if rewritten is None else {"files": rewritten.files, "bytes": rewritten.bytes},
    }


def _print_drop(outcome: Any, rewritten: Any) -> None:
    would = "would be " if outcome.dry_run else ""
    protected = outcome.protects_before
    print_fields(
        (
            ("dropped", outcome.feature),
            ("protocol", f"{pair(outcome.before)} -> {pair(outcome.after)}"),
            ("reader features", ", ".join(sorted(outcome.after.reader_feature_names))),
            ("writer features", ", ".join(sorted(outcome.after.writer_feature_names))),
            (f"{would}rewritten", _rewriting_told(rewritten)),
            (f"{would}committed", commits_told(outcome.commits)),
            ("checkpoints", ", ".join(map(str, outcome.checkpoints))),
            ("protected", "" if protected is None else f"checkpoints before version {protected}"),
        )
    )
    if outcome.dry_run:
        print_notes(("nothing was written",))


def _rewriting_told(rewritten: Any) -> str:
    if rewritten is None:
        return ""
    return f"{rewritten.files:,} {'file' if rewritten.files == 1 else 'files'}, {rewritten.bytes:,} bytes, in Spark"


def _create_data(outcome: Any) -> dict[str, Any]:
    return {
        "dry_run": outcome.dry_run,
        "version": outcome.table_version,
        "committed": outcome.is_committed,
        "protocol": outcome.protocol.to_json(),
        "properties": dict(sorted(outcome.metadata.configuration.items())),
    }


def _print_create(outcome: Any) -> None:
    would = "would be " if outcome.dry_run else ""
    print_fields(
        (
            ("protocol", pair(outcome.protocol)),
            ("reader features", ", ".join(sorted(outcome.protocol.reader_feature_names))),
            ("writer features", ", ".join(sorted(outcome.protocol.writer_feature_names))),
            (f"{would}committed", f"version {outcome.table_version}" if outcome.is_committed else ""),
        )
    )
    if not outcome.is_committed:
        print_notes(("the table is there already and stays as it is",))
    elif outcome.dry_run:
        print_notes(("nothing was written",))
