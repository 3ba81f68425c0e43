"""The tables of the Databricks page on protocol compatibility.

One row of the page is one value here, under the name the page uses; `protocol_features` adds which table
features it is about, which the page does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import attrs

from deltaresolver.clients.shipped import load_json

ALL_SUPPORTED_RUNTIMES = "All supported Databricks Runtime versions"
NOT_IN_ICEBERG = "N/A"


@attrs.frozen(slots=True)
class RuntimeRow:
    """The least Databricks Runtime with full support of a feature, reads and writes."""

    feature: str
    protocol_features: tuple[str, ...]
    runtime: str | None
    """`13.3`; None when every runtime still supported has it."""
    long_term_support: bool

    @property
    def requires(self) -> str:
        """The required runtime in the words of the page."""
        if self.runtime is None:
            return ALL_SUPPORTED_RUNTIMES
        return f"Databricks Runtime {self.runtime}{' LTS' if self.long_term_support else ''}"


@attrs.frozen(slots=True)
class VersionRow:
    """The protocol versions a feature needs, and the Iceberg format version with a comparable feature."""

    feature: str
    protocol_features: tuple[str, ...]
    writer_version: int
    reader_version: int
    iceberg_format_version: str | None
    """None when Iceberg has nothing like it."""
    feature_type: str
    footnote: int | None = None

    @property
    def marked_type(self) -> str:
        """The feature type with the page's footnote mark; the page has no text for that footnote."""
        return self.feature_type if self.footnote is None else f"{self.feature_type} ({self.footnote})"

    @property
    def iceberg(self) -> str:
        """The Iceberg format version in the words of the page."""
        return self.iceberg_format_version or NOT_IN_ICEBERG


@cache
def required_runtimes() -> tuple[RuntimeRow, ...]:
    """The table of features and the runtime each requires, in the page's order."""
    return tuple(
        RuntimeRow(
            row["feature"], tuple(row["protocol_feature_names"]), row["dbr_min_read_write"], bool(row["dbr_lts"])
        )
        for row in load_json("databricks.json")["runtimes"]
    )


@cache
def protocol_versions() -> tuple[VersionRow, ...]:
    """The table of features by protocol version, in the page's order."""
    return tuple(
        VersionRow(
            row["feature"],
            tuple(row["protocol_feature_names"]),
            row["min_writer_version"],
            row["min_reader_version"],
            row["iceberg_format_version"],
            row["feature_type"],
            row["footnote"],
        )
        for row in load_json("databricks.json")["versions"]
    )


FOOTNOTES = "(1) and (2) are the page's own footnote marks; what they say is not in the text at hand."


def rows_about(name: str | None, feature: str | None) -> tuple[tuple[RuntimeRow, ...], tuple[VersionRow, ...]]:
    """The rows of both tables about a table feature or with a name of the page, in any case; all if none is given."""

    def is_wanted(row: RuntimeRow | VersionRow) -> bool:
        return name is None or row.feature.lower() == name.lower() or feature in row.protocol_features

    return tuple(filter(is_wanted, required_runtimes())), tuple(filter(is_wanted, protocol_versions()))


def compatibility_markdown(
    runtimes: Sequence[RuntimeRow] | None = None, versions: Sequence[VersionRow] | None = None
) -> str:
    """Both tables as Markdown, or these rows of them."""
    least = required_runtimes() if runtimes is None else runtimes
    numbered = protocol_versions() if versions is None else versions
    marked = any(row.footnote is not None for row in numbered)
    found = (
        *(_table(("Feature", "Requires"), [(row.feature, row.requires) for row in least]) if least else ()),
        *([""] if least and numbered else ()),
        *(_table(_VERSION_COLUMNS, [_version_cells(row) for row in numbered]) if numbered else ()),
        *(["", FOOTNOTES] if marked else ()),
    )
    return "\n".join(found)


_VERSION_COLUMNS = (
    "Feature",
    "Delta minWriterVersion",
    "Delta minReaderVersion",
    "Iceberg format-version",
    "Feature type",
)


def _version_cells(row: VersionRow) -> tuple[str, ...]:
    return row.feature, str(row.writer_version), str(row.reader_version), row.iceberg, row.marked_type


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
