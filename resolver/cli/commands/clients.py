"""`deltaresolver clients`: every known client, or what one release reads and writes and how that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from deltaresolver.cli.completion import complete_clients
from deltaresolver.cli.inputs.clients_input import clients_file_option
from deltaresolver.cli.inputs.lake_input import config_option, lake_clients_files
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import on_terminal, print_fields, print_table, print_wrapped
from deltaresolver.clients.catalogue import NEWEST, ClientCatalogue
from deltaresolver.clients.client import Client, SupportedReleases
from deltaresolver.clients.evidence import Outcome, Rank
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.clients.pages.sheet import ClientSheet, SheetRow, client_sheet
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import CommandUsageError

EXAMPLES = """\b
Examples:
  deltaresolver clients
  deltaresolver clients trino@468
  deltaresolver clients delta-rs-python@1.5.0 --path pyarrow
  deltaresolver clients delta-spark --json
"""

INFERRED_ONLY = "inferred, not stated"
"""The warning that says no more than the rank beside it."""

WEAK, WRONG, MIXED = "~", "!!", "while only listed"
_WORDS = {True: "yes", False: "no", None: "?"}
_RANKS = {
    Rank.MEASURED: "measured",
    Rank.BETWEEN: "between",
    Rank.SOURCE: "source code",
    Rank.DOCUMENTS: "documents",
    Rank.INFERRED: "inferred",
}


@click.command("clients", epilog=EXAMPLES)
@click.argument("client", metavar="[CLIENT[@VERSION]]", required=False, shell_complete=complete_clients)
@click.option("--path", metavar="ENGINE", help="Which of the client's ways to a table to show, where it has several.")
@clients_file_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(client: str | None, path: str | None, clients_files: tuple[str, ...], as_json: bool) -> int:
    """Every known client; with a CLIENT, what it reads and writes, feature by feature.

    Without a VERSION the newest release seen. Each answer says how surely it is known: measured with this release,
    between two measured releases that agree, read in source code, stated by documents, or inferred. ~ marks what
    is inferred or comes with a warning, !! what goes wrong without an error.
    """
    knowledge = knowledge_with((*lake_clients_files(), *clients_files))
    if client is None:
        if path is not None:
            raise CommandUsageError("--path is about one client.", fix="Name the client.", details={"path": path})
        _show_all(knowledge.catalogue, as_json=as_json)
        return 0
    sheet = client_sheet(_spec(client, path), knowledge)
    if as_json:
        print_answer("clients", _sheet_as_data(sheet, knowledge))
    else:
        _show_sheet(sheet, knowledge)
    return 0


def _spec(client: str, path: str | None) -> str:
    """The client as the catalogue parses it, on the path asked for."""
    if path is None:
        return client
    name, at, version = client.partition("@")
    return f"{name.partition('/')[0]}/{path}{at}{version}"


# --- all of them ----------------------------------------------------------------------------------


def _show_all(catalogue: ClientCatalogue, *, as_json: bool) -> None:
    if as_json:
        print_answer("clients", {"clients": list(map(_client_as_data, catalogue))})
    elif on_terminal():
        print_table(("client", "newest seen", "reads", "writes", "known from"), map(_narrow_row, catalogue))
    else:
        columns = ("client", "kind", "newest seen", "reads", "writes", "known from", "versions", "paths", "name")
        print_table(columns, map(_row, catalogue))


def _narrow_row(client: Client) -> tuple[str, ...]:
    paths = f"\n  by {', '.join(client.paths)}" if len(client.paths) > 1 else ""
    return (
        client.id + paths,
        str(client.latest_seen or "-"),
        _WORDS[client.reads],
        _WORDS[client.writes],
        _RANKS[client.knowledge],
    )


def _row(client: Client) -> tuple[str, ...]:
    return (
        client.id,
        client.kind,
        str(client.latest_seen or "-"),
        _WORDS[client.reads],
        _WORDS[client.writes],
        _RANKS[client.knowledge],
        client.scheme.value,
        ", ".join(client.paths) or "-",
        client.name,
    )


def _client_as_data(client: Client) -> dict[str, Any]:
    return {
        "client": client.id,
        "name": client.name,
        "kind": client.kind,
        "latest_seen": None if client.latest_seen is None else str(client.latest_seen),
        "reads": client.reads,
        "writes": client.writes,
        "knowledge": client.knowledge.value,
        "version_scheme": client.scheme.value,
        "version_example": client.scheme.example,
        "paths": list(client.paths),
        "sources": list(client.sources),
    }


# --- one release ----------------------------------------------------------------------------------


def _show_sheet(sheet: ClientSheet, knowledge: ClientKnowledge) -> None:
    client, version = sheet.release.client, sheet.release.version
    asked = "no version recorded" if version == NEWEST else str(version)
    print_fields(
        (
            ("client", f"{client.id} {asked}"),
            ("name", client.name),
            ("path", f"{sheet.release.path}, one of {', '.join(client.paths)}" if len(client.paths) > 1 else ""),
            ("known from", client.knowledge.value),
            ("measured", ", ".join(_measured_releases(sheet, knowledge))),
            ("this release", _when_measured(sheet, knowledge)),
            ("caution", _caution(sheet, knowledge)),
            ("remark", client.notes),
        )
    )
    print()
    rows = sorted(sheet.rows, key=lambda row: (not _is_wrong(row), row.feature))
    if on_terminal():
        print_table(("feature", "read", "write"), map(_narrow_sheet_row, rows))
    else:
        columns = ("feature", "read", "read: how sure", "write", "write: how sure", "remark")
        print_table(columns, (_sheet_row(sheet, row) for row in rows))
    print()
    more = "; --json tells where each answer is from" if on_terminal() else ""
    print_wrapped(f"{WEAK} inferred, or with a warning; {WRONG} goes wrong without an error{more}", "  ")
    for source in client.sources:
        print_wrapped(f"source  {' '.join(source.split())}", " " * 8)


def _caution(sheet: ClientSheet, knowledge: ClientKnowledge) -> str:
    """A sentence about a release that is newer than every one anybody looked at."""
    release = sheet.release
    known = [one.version for one in knowledge.measurements.releases.get((release.client.id, release.path), ())]
    known += [] if release.client.latest_seen is None else [release.client.latest_seen]
    if release.version == NEWEST or not known or release.version <= max(known):
        return ""
    return f"{release.version} is newer than {max(known)}, the newest release seen; it is taken to do what that does"


def _measured_releases(sheet: ClientSheet, knowledge: ClientKnowledge) -> Iterator[str]:
    releases = knowledge.measurements.releases.get((sheet.release.client.id, sheet.release.path), ())
    return (str(release.version) for release in releases)


def _when_measured(sheet: ClientSheet, knowledge: ClientKnowledge) -> str:
    """The day this very release was measured, and by whom; empty where it was not."""
    for one in knowledge.measurements.releases.get((sheet.release.client.id, sheet.release.path), ()):
        if one.version.order == sheet.release.version.order:
            return f"measured {one.measured} by {one.by}" if one.by else f"measured {one.measured}".rstrip()
    return ""


def _is_wrong(row: SheetRow) -> bool:
    return any(verdict.outcome is Outcome.SILENTLY_WRONG for verdict in row.verdicts)


def is_weak(verdict: Verdict) -> bool:
    """Whether an answer must not be shown as settled."""
    return verdict.outcome is Outcome.UNKNOWN or verdict.evidence.rank is Rank.INFERRED or bool(verdict.warning)


def _marked(verdict: Verdict) -> str:
    wrong = verdict.outcome is Outcome.SILENTLY_WRONG
    return f"{f'{WRONG} ' if wrong else ''}{verdict.outcome.value}{f' {WEAK}' if is_weak(verdict) else ''}"


def _answer(listed: Verdict, used: Verdict) -> str:
    """What happens, in a word; two where it depends on whether the feature is in use."""
    if listed.outcome is used.outcome:
        return _marked(used)
    return f"{_marked(used)}; {_marked(listed)} {MIXED}"


def _shown(listed: Verdict, used: Verdict) -> list[Verdict]:
    return [used] if listed.outcome is used.outcome else [used, listed]


def _facts(listed: Verdict, used: Verdict, claimed: SupportedReleases | None) -> str:
    """Where the answer is from: the sort of evidence and the fact itself, of both answers where they differ."""
    return "; ".join(dict.fromkeys(_fact(verdict, claimed) for verdict in _shown(listed, used)))


def _fact(verdict: Verdict, claimed: SupportedReleases | None) -> str:
    rank, basis = verdict.evidence.rank, verdict.evidence.basis
    if verdict.outcome is Outcome.UNKNOWN:
        return verdict.warning or "not established"
    if verdict.works and basis == verdict.reason:
        # That it works rests on the claim; where there is none, on there being no objection.
        basis = "" if claimed is None else str(claimed)
    said = _RANKS[rank] if rank is Rank.MEASURED or not basis else f"{_RANKS[rank]}: {basis}"
    if verdict.evidence.source:
        said += f", from {verdict.evidence.source}"
    warns_of_more = verdict.warning and verdict.warning != INFERRED_ONLY
    return f"{said} ({verdict.warning})" if warns_of_more else said


def _sheet_row(sheet: ClientSheet, row: SheetRow) -> Sequence[str]:
    claim = sheet.release.client.features.get(row.feature)
    # A finer rule may say that a release does what the claim about the feature denies.
    claimed = [] if claim is None else [claim.read, claim.write]
    version = sheet.release.version
    reads, writes = (one if one is not None and one.at(version) else None for one in claimed or (None, None))
    said_anyway = f" ({row.note})"  # in the last column
    return (
        row.feature,
        _answer(row.read_listed, row.read_used),
        _facts(row.read_listed, row.read_used, reads).replace(said_anyway, ""),
        _answer(row.append_listed, row.append_used),
        _facts(row.append_listed, row.append_used, writes).replace(said_anyway, ""),
        row.note,
    )


def _narrow_sheet_row(row: SheetRow) -> Sequence[str]:
    """The same for a terminal, where the sort of evidence must do, and a word on what goes wrong."""
    return row.feature, _narrow(row.read_listed, row.read_used), _narrow(row.append_listed, row.append_used)


def _narrow(listed: Verdict, used: Verdict) -> str:
    ranks = ", ".join(dict.fromkeys(_RANKS[verdict.evidence.rank] for verdict in _shown(listed, used)))
    wrong = [one.evidence.basis for one in _shown(listed, used) if one.outcome is Outcome.SILENTLY_WRONG]
    return "\n".join((f"{_answer(listed, used)} ({ranks})", *wrong))


def _sheet_as_data(sheet: ClientSheet, knowledge: ClientKnowledge) -> dict[str, Any]:
    value = sheet.to_json()
    for shown, row in zip(value["features"], sheet.rows, strict=True):
        shown["read"]["weak"] = is_weak(row.read_listed) or is_weak(row.read_used)
        shown["append"]["weak"] = is_weak(row.append_listed) or is_weak(row.append_used)
    return value | {
        "knowledge": sheet.release.client.knowledge.value,
        "measured": list(_measured_releases(sheet, knowledge)),
        "this_release": _when_measured(sheet, knowledge),
    }
