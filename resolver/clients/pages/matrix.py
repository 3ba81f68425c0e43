"""The page `docs/clients.md`: which client reads and writes a table with which feature.

python -m deltaresolver.clients.pages.matrix > docs/clients.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from deltaresolver.clients.catalogue import ClientCatalogue
from deltaresolver.clients.client import Client, FeatureClaim, Gate, SupportedReleases
from deltaresolver.clients.evidence import Outcome, Rank
from deltaresolver.clients.measured.measurements import Measurements
from deltaresolver.clients.pages.answers import LEGEND, answers, seen_wrong
from deltaresolver.clients.shipped import default_knowledge
from deltaresolver.clients.verdicts import ClientKnowledge

_INTRODUCTION = """\
# Clients

Generated from the client catalogue by `python -m deltaresolver.clients.pages.matrix`; do not edit.

First what goes wrong without an error, then what the newest releases do, then what source code and documents say of
each client, release by release, and what was measured. `deltaresolver probe` measures a release here:
[probe.md](probe.md)."""

_LEGEND = """\
Each cell is read / write: a version is the first that supports it, `yes` means always as far as is known,
`..` closes a range, `no` means refused, `?` means nothing is established. `~` marks an inferred value,
`*` a note that limits it. Columns without an entry for a feature are left out of its row as `?`, or `no` for
clients that check a closed list."""

_OWN_CLIENTS = """\
## Your own clients

A TOML file brings clients of your own, one `[[client]]` table each: see [clients-toml.md](clients-toml.md)."""

_KINDS = (("library", "Libraries"), ("engine", "Engines"), ("warehouse", "Warehouses and services"))


def render_matrix(knowledge: ClientKnowledge) -> str:
    """The whole page."""
    catalogue = knowledge.catalogue
    parts = [_INTRODUCTION, _dangers(catalogue), seen_wrong(knowledge.measurements), f"## Newest releases\n\n{LEGEND}"]
    found = ((title, answers(knowledge, kind)) for kind, title in _KINDS)
    parts += [f"### Newest: {title.lower()}\n\n{table}" for title, table in found if table]
    parts.append("## Features by client\n\n" + _LEGEND)
    for kind, title in _KINDS:
        clients = [client for client in catalogue if client.kind == kind]
        if clients:
            parts.append(f"### {title}\n\n" + "\n".join(_matrix(clients)))
    others = [client for client in catalogue if client.kind not in dict(_KINDS)]
    if others:
        parts.append("### Others\n\n" + "\n".join(_matrix(others)))
    parts += [_measured(knowledge.measurements), _clients(catalogue), _OWN_CLIENTS]
    return "\n\n".join(parts) + "\n"


def _dangers(catalogue: ClientCatalogue) -> str:
    lines = ["## Silently wrong", "", "No error, and yet wrong rows or a damaged table:", ""]
    lines += sorted({_danger(client, gate) for client in catalogue for gate in client.gates if _is_harm(gate)})
    return "\n".join(lines)


def _is_harm(gate: Gate) -> bool:
    return gate.outcome is Outcome.SILENTLY_WRONG


def _danger(client: Client, gate: Gate) -> str:
    acts = " and ".join(sorted(act.value for act in gate.acts))
    path = f" ({gate.path})" if gate.path and len(client.paths) > 1 else ""
    library = "" if str(gate.library) == "all versions" else f", library {gate.library}"
    sure = " (inferred)" if gate.rank is Rank.INFERRED else ""
    return f"- **{client.id}**{path} {gate.versions}{library}, {acts}: {gate.why}{sure}"


def _matrix(clients: Sequence[Client]) -> Iterator[str]:
    features = sorted({feature for client in clients for feature in client.features}, key=str.lower)
    yield "| Feature | " + " | ".join(client.id for client in clients) + " |"
    yield "|---" * (len(clients) + 1) + "|"
    for feature in features:
        yield f"| {feature} | " + " | ".join(_cell(client, client.features.get(feature)) for client in clients) + " |"


def _cell(client: Client, claim: FeatureClaim | None) -> str:
    if claim is None:
        return "no / no" if client.closed_list else "?"
    weak = "~" if claim.rank(client.knowledge) is Rank.INFERRED else ""
    return f"{_support(claim.read)} / {_support(claim.write)}{weak}{'*' if claim.note else ''}"


def _support(support: SupportedReleases | None) -> str:
    if support is None:
        return "?"
    if support.never:
        return "no"
    text = "yes" if support.since is None else str(support.since)
    if support.until is not None:
        text = f"{text}..{support.until}"
    return text if support.gap is None else f"{text} not {support.gap.first}..{support.gap.last}"


def _measured(measurements: Measurements) -> str:
    lines = ["## Measured releases", "", "| Client | Path | Releases |", "|---|---|---|"]
    for (client, path), releases in sorted(measurements.releases.items()):
        lines.append(f"| {client} | {path} | {', '.join(str(release.version) for release in releases)} |")
    return "\n".join(lines)


def _clients(catalogue: ClientCatalogue) -> str:
    lines = ["## Notes and sources"]
    for client in catalogue:
        lines += ["", f"### {client.id}", "", f"{client.name}. Known from: {client.knowledge.value}."]
        if client.notes:
            lines += ["", client.notes]
        notes = [f"- {claim.feature}: {claim.note}" for claim in client.features.values() if claim.note]
        if notes:
            lines += ["", *notes]
        if client.sources:
            lines += ["", "Sources:", "", *(f"- {_source(source)}" for source in client.sources)]
    return "\n".join(lines)


def _source(text: str) -> str:
    """Where it is as code, and what it says beside it."""
    where, bracket, what = text.partition(" (")
    return f"`{where}`: {what.removesuffix(')')}" if bracket else f"`{where}`"


if __name__ == "__main__":
    sys.stdout.write(render_matrix(default_knowledge()))
