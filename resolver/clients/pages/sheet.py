"""One client on one page: what it reads and writes, feature by feature, with the evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.evidence import Act, Outcome
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.table_needs import USES, TableNeeds, final_name
from deltaresolver.clients.verdict import Verdict
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.defaults import default_catalog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.resolution.prepared import prepare
from deltaresolver.value import Value


@attrs.frozen(slots=True)
class SheetRow(Value):
    """One feature: the verdicts for tables that only list it, and for tables that use it."""

    feature: str
    read_listed: Verdict
    read_used: Verdict
    append_listed: Verdict
    append_used: Verdict
    note: str = ""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All four."""
        return self.read_listed, self.read_used, self.append_listed, self.append_used

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON."""
        return {
            "feature": self.feature,
            "read": {"listed": self.read_listed.to_json(), "used": self.read_used.to_json()},
            "append": {"listed": self.append_listed.to_json(), "used": self.append_used.to_json()},
            "note": self.note,
        }


@attrs.frozen(slots=True)
class ClientSheet(Value):
    """A release and its rows."""

    release: ClientAtVersion
    rows: tuple[SheetRow, ...]

    def to_json(self) -> dict[str, Any]:
        """The value as plain data for JSON, in the form that `--json` prints."""
        client = self.release.client
        return {
            "client": client.id,
            "name": client.name,
            "version": str(self.release.version),
            "path": self.release.path,
            "paths": list(client.paths),
            "notes": client.notes,
            "sources": list(client.sources),
            "features": [row.to_json() for row in self.rows],
        }


def client_sheet(
    client: str | ClientAtVersion,
    knowledge: ClientKnowledge | None = None,
    catalog: FeatureCatalog | None = None,
) -> ClientSheet:
    """What one release does with each known feature. Raises what `ClientCatalogue.parse` raises."""
    known = default_knowledge() if knowledge is None else knowledge
    features = default_catalog() if catalog is None else catalog
    release = known.catalogue.parse(client) if isinstance(client, str) else client
    return ClientSheet(release, tuple(_row(release, name, known, features) for name in sorted(features.names)))


def _row(release: ClientAtVersion, feature: str, knowledge: ClientKnowledge, catalog: FeatureCatalog) -> SheetRow:
    prepared = prepare(catalog)
    protocol = prepared.lowest_protocol(prepared.closure([feature]))
    listed = TableNeeds.of(protocol, Metadata(), catalog=catalog)
    used = TableNeeds(listed.demands | {USES + final_name(feature)})
    claim = release.client.features.get(feature)
    return SheetRow(
        feature,
        knowledge.verdict(release, listed, Act.READ),
        knowledge.verdict(release, used, Act.READ),
        knowledge.verdict(release, listed, Act.APPEND),
        knowledge.verdict(release, used, Act.APPEND),
        claim.note if claim is not None else "",
    )


def render_sheet(sheet: ClientSheet, form: str = "text") -> str:
    """The sheet as `text` or `json`. Raises `ValueError` for any other form."""
    if form == "json":
        return json.dumps(sheet.to_json(), indent=2, ensure_ascii=False)
    if form == "text":
        return "\n".join(_text(sheet))
    raise ValueError(f"form must be text or json, not {form!r}")


def _text(sheet: ClientSheet) -> Iterator[str]:
    client = sheet.release.client
    yield f"{client.name} ({sheet.release})"
    if client.paths:
        yield f"Paths: {', '.join(client.paths)}; shown: {sheet.release.path}"
    if client.notes:
        yield client.notes
    yield ""
    width = max(len(row.feature) for row in sheet.rows)
    for row in sorted(sheet.rows, key=_danger):
        mark = "!!" if Outcome.SILENTLY_WRONG in [verdict.outcome for verdict in row.verdicts] else "  "
        read, append = _both(row.read_listed, row.read_used), _both(row.append_listed, row.append_used)
        yield f"{mark} {row.feature:<{width}}  read: {read}; append: {append}"
    yield ""
    yield from (f"Source: {source}" for source in client.sources)


def _danger(row: SheetRow) -> tuple[bool, str]:
    return Outcome.SILENTLY_WRONG not in [verdict.outcome for verdict in row.verdicts], row.feature


def _both(listed: Verdict, used: Verdict) -> str:
    if listed.outcome is used.outcome:
        return f"{used.outcome.value} [{used.evidence.rank.value}]"
    return f"{listed.outcome.value} while only listed, {used.outcome.value} once in use [{used.evidence.rank.value}]"
