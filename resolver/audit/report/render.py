"""Render an audit document as one HTML file that opens from disk, without network or other files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from deltaresolver.audit.document.document import AuditDocument
from deltaresolver.audit.document.output_place import find_obstacle, whole_file
from deltaresolver.audit.report.embedded import packed
from deltaresolver.audit.report.overview import overview
from deltaresolver.audit.report.table_index import TableIndex, chunks
from deltaresolver.errors import CommandUsageError, ReportPackageMissingError

if TYPE_CHECKING:
    import jinja2

TEMPLATE = "report.html.jinja"


def write_html(document: AuditDocument, path: str | os.PathLike[str]) -> None:
    """Write the report, whole or not at all; only one table is in memory at a time.

    Raises `ReportPackageMissingError` without jinja2.
    """
    template = _environment().get_template(TEMPLATE)
    with whole_file(path) as file:
        parts = template.generate(**overview(document.head), data=_data(document))
        file.writelines(part.encode("utf-8") for part in parts)


def write(document: AuditDocument, target: str, storage: Mapping[str, str]) -> None:  # noqa: ARG001
    """The writer with the signature that the command line calls; `storage` is ignored, since a page is local."""
    write_html(document, target)


def check(target: str, storage: Mapping[str, str]) -> None:  # noqa: ARG001
    """Raise before the audit what `write` would raise after it, and `CommandUsageError` for a place it cannot go to."""
    _environment()
    place = Path(target)
    obstacle = f"{target} is a folder" if place.is_dir() else find_obstacle(place)
    if obstacle is None and not place.absolute().parent.is_dir():
        obstacle = f"there is no folder {place.absolute().parent}"
    if obstacle is not None:
        raise CommandUsageError(
            f"The report cannot be written to {target}: {obstacle}.",
            fix="Give a file in a folder that is there and can be written to.",
            details={"path": target, "reason": obstacle},
        )


def _environment() -> jinja2.Environment:
    try:
        import jinja2  # noqa: PLC0415 - only a report needs it
    except ImportError as error:
        raise ReportPackageMissingError(
            "The HTML report needs the package jinja2, which is not installed.",
            fix='Run: pip install "deltaresolver[report]"',
            details={"package": "jinja2", "extra": "report"},
        ) from error
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.globals["part"] = _part
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment


def _part(name: str) -> str:
    """One of the files beside this module."""
    return resources.files("deltaresolver.audit.report").joinpath(name).read_text(encoding="utf-8")


def _data(document: AuditDocument) -> Iterator[tuple[str, str]]:
    """Element ids with their contents: the details in chunks, then the list and the clients."""
    profiles = document.head.profiles
    index = TableIndex({profile.key: number for number, profile in enumerate(profiles)})
    for number, text in enumerate(chunks(document.tables(), index)):
        yield f"chunk-{number}", text
    yield "profiles", packed([profile.locked_out for profile in profiles])
    yield "rule-severities", packed({rule.name: rule.severity.value for rule in document.head.rules})
    yield "index", packed(index.as_json())
