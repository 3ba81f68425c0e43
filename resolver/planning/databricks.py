"""What the Databricks page on protocol compatibility says, as tables.

One row of the page is one value here, under the name the page uses; `protocol_features` adds which table
features it is about, which the page does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import attrs

from deltaresolver.planning.shipped import load_json

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
        """As the page words it."""
        if self.runtime is None:
            return ALL_SUPPORTED_RUNTIMES
        return f"Databricks Runtime {self.runtime}{' LTS' if self.long_term_support else ''}"


@attrs.frozen(slots=True)
class VersionRow:
    """The protocol versions a feature needs, and the Iceberg format version that has its like."""

    feature: str
    protocol_features: tuple[str, ...]
    writer_version: int
    reader_version: int
    iceberg_format_version: str | None
    """None when Iceberg has nothing like it."""
    feature_type: str
    footnote: int | None = None

    @property
    def iceberg(self) -> str:
        """As the page words it."""
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


def compatibility_markdown() -> str:
    """Both tables as Markdown."""
    runtimes = _table(("Feature", "Requires"), [(row.feature, row.requires) for row in required_runtimes()])
    versions = _table(
        ("Feature", "Delta minWriterVersion", "Delta minReaderVersion", "Iceberg format-version", "Feature type"),
        [
            (row.feature, str(row.writer_version), str(row.reader_version), row.iceberg, row.feature_type)
            for row in protocol_versions()
        ],
    )
    return "\n".join((*runtimes, "", *versions))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
