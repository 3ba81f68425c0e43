"""Pages of the reference made from the catalog: one a table feature, with what the newest releases of clients do."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from deltaresolver.cli.feature_details import in_words
from deltaresolver.clients.asked import newest_of_all
from deltaresolver.clients.evidence import Outcome
from deltaresolver.clients.pages.sheet import ClientSheet, client_sheet
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.verdict import Verdict
from deltaresolver.defaults import built_in_catalog
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.resolution.graph import dependents
from deltaresolver.resolution.prepared import prepare

FOLDER = Path("docs/reference/features")
WORDS = {
    Outcome.WORKS: "yes",
    Outcome.REFUSES: "no",
    Outcome.SILENTLY_WRONG: "**wrong, without an error**",
    Outcome.UNKNOWN: "not known",
}
LISTED_ONLY = " (yes while it is only listed)"
RELATIONS = {"requires", "required by", "only together with", "not beside", "never beside"}


def pages() -> Iterator[tuple[Path, str]]:
    """Every page by its path."""
    catalog = built_in_catalog()
    yield FOLDER / "README.md", "\n".join(_overview(catalog)) + "\n"
    for feature in catalog:
        yield FOLDER / f"{feature.name}.md", "\n".join(_page(feature, catalog)) + "\n"


def _overview(catalog: FeatureCatalog) -> Iterator[str]:
    yield from (
        "# Table features",
        "",
        "`deltaresolver features` prints the same, with those of installed plugins.",
        "",
    )
    yield from ("| feature | | switched on by |", "|---|---|---|")
    for feature in catalog:
        fields = _fields(feature, catalog)
        yield f"| [{feature.name}]({feature.name}.md) | {_cell(feature.summary)} | {_cell(fields['switched on by'])} |"


def _fields(feature: TableFeature, catalog: FeatureCatalog) -> dict[str, str]:
    closure = sorted(prepare(catalog).closure((feature.name,)) - {feature.name})
    return dict(in_words(feature, closure, sorted(dependents(catalog, feature.name))))


def _page(feature: TableFeature, catalog: FeatureCatalog) -> Iterator[str]:
    fields = _fields(feature, catalog)
    yield from (
        f"# {feature.name}",
        "",
        "[All features](README.md)",
        "",
        fields.pop("summary"),
        "",
        "| | |",
        "|---|---|",
    )
    for label, value in fields.items():
        if value and label not in {"feature", "specification"}:
            linked = _linked(value, catalog, feature.name) if label in RELATIONS else _cell(value)
            yield f"| {label} | {linked} |"
    yield f"| specification | [{feature.name}]({feature.spec_url}) |"
    yield from ("", "## Clients", "")
    yield "The newest release seen of each client, on a table that uses the feature."
    yield "`deltaresolver clients CLIENT@VERSION` has the same for any release, with reasons and sources."
    yield from ("", "| client | read | append |", "|---|---|---|")
    for sheet in _sheets():
        row = next(row for row in sheet.rows if row.feature == feature.name)
        reads, appends = _answer(row.read_listed, row.read_used), _answer(row.append_listed, row.append_used)
        yield f"| {_client(sheet)} | {reads} | {appends} |"


@cache
def _sheets() -> tuple[ClientSheet, ...]:
    knowledge = default_knowledge()
    releases = [release for asked in newest_of_all(knowledge) for release in asked.releases]
    known = [one for one in releases if one.client.reads is not None or one.client.writes is not None]
    return tuple(client_sheet(release, knowledge) for release in known)


def _client(sheet: ClientSheet) -> str:
    release = sheet.release
    path = f"/{release.path}" if len(release.client.paths) > 1 else ""
    return f"{release.client.id}{path} {release.version}"


def _answer(listed: Verdict, used: Verdict) -> str:
    return WORDS[used.outcome] + (LISTED_ONLY if listed.works and used.outcome is Outcome.REFUSES else "")


def _linked(value: str, catalog: FeatureCatalog, own: str) -> str:
    """The text, with names of features as links."""
    words = [word.strip("(),") for word in value.split()]
    for name in dict.fromkeys(word for word in words if word in catalog.names and word != own):
        value = " ".join(
            word.replace(name, f"[{name}]({name}.md)") if word.strip("(),") == name else word for word in value.split()
        )
    return value


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
