"""Part of `docs/clients.md`: what the newest release of each client does with each feature, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deltaresolver.clients.asked import newest_of_all
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.client import Client
from deltaresolver.clients.evidence import Act, Outcome, Rank
from deltaresolver.clients.measured.measurements import MeasuredRelease, Measurements
from deltaresolver.clients.pages.sheet import ClientSheet, SheetRow, client_sheet
from deltaresolver.clients.table_needs import feature_of
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog

LEGEND = """\
The newest release seen, feature by feature, once the feature is in use: read / append. **WRONG** goes wrong without
an error, `?` is not known. The letter says how it is known: `m` measured with this release, `b` between two measured
releases that agree, `s` read in source code, `d` stated by documents, `i` inferred. `+` marks a feature that does no
harm while it is only listed, `!` a warning. `deltaresolver clients CLIENT@VERSION` has the reason and the source of
each answer, for any release."""

_WORDS = {
    Outcome.WORKS: "yes",
    Outcome.REFUSES: "no",
    Outcome.SILENTLY_WRONG: "**WRONG**",
    Outcome.UNKNOWN: "?",
}
_LETTERS = {Rank.MEASURED: "m", Rank.BETWEEN: "b", Rank.SOURCE: "s", Rank.DOCUMENTS: "d", Rank.INFERRED: "i"}


def answers(knowledge: ClientKnowledge, kind: str) -> str:
    """A table for the clients of one kind, with a column for each path."""
    releases = [
        release for asked in newest_of_all(knowledge) for release in asked.releases if release.client.kind == kind
    ]
    sheets = [client_sheet(release, knowledge) for release in releases if _is_told(release.client)]
    return "\n".join(_table(sheets)) if sheets else ""


def _is_told(client: Client) -> bool:
    """Whether there is any knowledge about what the client does."""
    return client.reads is not None or client.writes is not None or bool(client.delegations)


def _table(sheets: Sequence[ClientSheet]) -> Iterator[str]:
    yield "| Feature | " + " | ".join(_name(sheet.release) for sheet in sheets) + " |"
    yield "|---" * (len(sheets) + 1) + "|"
    for position, feature in enumerate(sorted(default_catalog().names)):
        yield f"| {feature} | " + " | ".join(_cell(sheet.rows[position]) for sheet in sheets) + " |"


def _name(release: ClientAtVersion) -> str:
    path = f" {release.path}" if len(release.client.paths) > 1 else ""
    return f"{release.client.id}{path}<br>{release.version}"


def _cell(row: SheetRow) -> str:
    return f"{_answer(row.read_listed, row.read_used)} / {_answer(row.append_listed, row.append_used)}"


def _answer(listed: Verdict, used: Verdict) -> str:
    if used.outcome is Outcome.UNKNOWN:
        return "?"
    only_listed = "+" if listed.works and not used.works else ""
    return f"{_WORDS[used.outcome]} {_LETTERS[used.evidence.rank]}{only_listed}{'!' if used.warning else ''}"


def seen_wrong(measurements: Measurements) -> str:
    """Every measured act that was silently wrong, by release."""
    lines = [
        f"| {client} | {path} | {release.version} | {act.value} | {', '.join(features) or 'none of them'} |"
        for (client, path), releases in sorted(measurements.releases.items())
        for release in releases
        for act in Act
        if (features := _features_wrong(release, act, measurements)) is not None
    ]
    head = ["## Seen going wrong", "", "Measured, without an error, on tables that use:", ""]
    return "\n".join([*head, "| Client | Path | Release | Act | Features |", "|---|---|---|---|---|", *lines])


def _features_wrong(release: MeasuredRelease, act: Act, measurements: Measurements) -> list[str] | None:
    """The features in use in the smallest tables that went wrong, possibly none; None if no table went wrong."""
    wrong = [
        demands
        for at, demands in enumerate(measurements.demand_sets)
        if release.outcome(at, act) is Outcome.SILENTLY_WRONG
    ]
    if not wrong:
        return None
    smallest = [one for one in wrong if not any(other < one for other in wrong)]
    return sorted({feature for demands in smallest for feature in _in_use(demands)})


def _in_use(demands: frozenset[str]) -> set[str]:
    used = {feature_of(one) for one in demands if not one.startswith(("reads:", "writes:"))} - {None}
    return {str(one) for one in used or {feature_of(one) for one in demands} - {None}}
