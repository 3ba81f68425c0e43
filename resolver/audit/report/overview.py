"""The numbers of the first page, from a document's head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import attrs

from deltaresolver.audit.document.cards import SHOWN as FIRST
from deltaresolver.audit.document.document import ClientReach, LakeAudit, RuleInfo
from deltaresolver.audit.report.line_chart import adoption_chart

SHOWN = 20
"""Rows of a list on the first page; the JSON has them all."""


@attrs.frozen
class ReleaseCell:
    """One release in a client's strip: `share` of the tables, 0 to 10, sets its shade."""

    version: str
    share: int
    title: str


@attrs.frozen
class ClientRow:
    """One client: its releases, oldest first, and what its newest one reaches."""

    name: str
    newest: ClientReach
    reads: tuple[ReleaseCell, ...]
    appends: tuple[ReleaseCell, ...]


def overview(head: LakeAudit) -> Mapping[str, Any]:
    """The values for the template."""
    summary = head.summary
    readable = summary.tables - summary.broken
    return {
        "head": head,
        "cards": head.cards[:FIRST],
        "summary": summary,
        "when": moment(head.when_ms),
        "since": moment(head.since_ms) if head.since_ms else None,
        "rules": sorted(head.rules, key=_gravest_first),
        "features": sorted(summary.features, key=lambda feature: (-feature.supported, feature.name)),
        "most_supported": max((feature.supported for feature in summary.features), default=1) or 1,
        "most_protocol": max((count.tables for count in summary.protocols), default=1) or 1,
        "chart": adoption_chart(summary.adoption),
        "regressions": sorted(head.regressions, key=lambda one: one.severity, reverse=True)[:SHOWN],
        "clients": client_rows(summary.reach, readable),
        "readable": readable,
        "SHOWN": SHOWN,
    }


def moment(milliseconds: int) -> str:
    """A time as people read it, in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _gravest_first(rule: RuleInfo) -> tuple[int, int, str]:
    gravity = {"error": 0, "warning": 1, "info": 2}[rule.severity.value]
    return (0 if rule.findings else 1, gravity, rule.name)


def client_rows(reach: Sequence[ClientReach], readable: int) -> list[ClientRow]:
    """One row a client, in the document's order of releases."""
    rows = []
    for _, releases in groupby(reach, key=lambda release: release.client):
        versions = tuple(releases)
        rows.append(
            ClientRow(
                versions[0].client_name,
                versions[-1],
                tuple(_cell(release, release.reads, readable, "reads") for release in versions),
                tuple(_cell(release, release.appends, readable, "appends to") for release in versions),
            )
        )
    return rows


def _cell(release: ClientReach, tables: int, readable: int, verb: str) -> ReleaseCell:
    # Full shade says "all of them", so a share is never rounded up to it.
    share = 10 if tables >= readable else tables * 10 // readable
    return ReleaseCell(release.version, share, f"{release.release} {verb} {tables:,} of {readable:,} tables")
