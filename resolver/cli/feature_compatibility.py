"""The tables of the Databricks page on protocol compatibility, whole or about one feature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import on_terminal, print_table, print_wrapped
from deltaresolver.clients.pages.databricks import (
    FOOTNOTES,
    RuntimeRow,
    VersionRow,
    compatibility_markdown,
    rows_about,
)
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.resolution.prepared import prepare


def show_compatibility(catalog: FeatureCatalog, name: str | None, form: str) -> None:
    """Print both tables, or their rows about one feature, by its name in the protocol or on the page.

    Raises `UnknownFeatureError`.
    """
    runtimes, versions = rows_about(name, None)
    if name is not None and not (runtimes or versions):
        runtimes, versions = rows_about(name, catalog.get(name).name)
    if form == "json":
        print_answer(
            "features",
            {
                "runtimes": list(map(_runtime_as_data, runtimes)),
                "versions": [_version_as_data(row, catalog) for row in versions],
            },
        )
    elif not (runtimes or versions):
        print_wrapped(f"The Databricks page on protocol compatibility does not mention {name}.", "")
    elif form == "markdown":
        print(compatibility_markdown(runtimes, versions))
    else:
        _print_tables(runtimes, versions, catalog)


def _print_tables(runtimes: Sequence[RuntimeRow], versions: Sequence[VersionRow], catalog: FeatureCatalog) -> None:
    # Names of table features would leave no room for the rest on a terminal.
    names = [] if on_terminal() else ["table feature"]
    if runtimes:
        columns = ("feature", *names, "requires")
        print_table(columns, ((row.feature, *_names(row, names), row.requires) for row in runtimes))
    if runtimes and versions:
        print()
    if versions:
        columns = ("feature", *names, "writer", "reader", "iceberg", "type")
        print_table(columns, ((row.feature, *_names(row, names), *_version_cells(row)) for row in versions))
    remarks = [remark for row in versions for remark in _differences(row, catalog)]
    marked = any(row.footnote is not None for row in versions)
    if remarks or marked:
        print()
    for remark in remarks:
        print_wrapped(f"* {remark}", "  ")
    if marked:
        print_wrapped(FOOTNOTES, "  ")


def _names(row: RuntimeRow | VersionRow, columns: Sequence[str]) -> tuple[str, ...]:
    return (", ".join(row.protocol_features) or "-",) * len(columns)


def _version_cells(row: VersionRow) -> tuple[str, ...]:
    return str(row.writer_version), str(row.reader_version), row.iceberg, row.marked_type


def _differences(row: VersionRow, catalog: FeatureCatalog) -> Iterator[str]:
    """Where the page asks for other versions than the table feature with all that it requires."""
    prepared = prepare(catalog)
    for feature in filter(None, map(catalog.find, row.protocol_features)):
        reader, writer = prepared.minimum_versions(prepared.closure((feature.name,)))
        if (reader, writer) != (row.reader_version, row.writer_version):
            yield (
                f"{row.feature}: the table feature {feature.name}, with all it requires, needs reader version {reader} "
                f"and writer version {writer}"
            )


def _runtime_as_data(row: RuntimeRow) -> dict[str, Any]:
    return {
        "feature": row.feature,
        "table_features": list(row.protocol_features),
        "runtime": row.runtime,
        "long_term_support": row.long_term_support,
        "requires": row.requires,
    }


def _version_as_data(row: VersionRow, catalog: FeatureCatalog) -> dict[str, Any]:
    return {
        "feature": row.feature,
        "table_features": list(row.protocol_features),
        "min_writer_version": row.writer_version,
        "min_reader_version": row.reader_version,
        "iceberg_format_version": row.iceberg_format_version,
        "feature_type": row.feature_type,
        "footnote": row.footnote,
        "remarks": list(_differences(row, catalog)),
    }
