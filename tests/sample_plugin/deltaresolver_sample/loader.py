"""sample-loader: a made-up client, declared as one [[client]] table of a TOML file would declare it."""

from typing import Any

from deltaresolver.plugin import hookimpl


@hookimpl
def delta_client() -> dict[str, Any]:
    """Declare sample-loader."""
    return {
        "id": "sample-loader",
        "name": "Sample loader",
        "kind": "connector",
        "latest_seen": "2.3",
        "knowledge": "documents",
        "closed_list": True,
        "table_features_since": {"reader": "2.0", "writer": "2.0"},
        "max_legacy_reader": 2,
        "max_legacy_writer": 4,
        "features": {
            "appendOnly": {"read": True, "write": True},
            "invariants": {"read": True, "write": True},
            "columnMapping": {"read": "2.1", "write": False},
            "sampleMaskedColumns": {"read": "2.3", "write": "2.3"},
        },
        "sources": ["https://example.com/sample-loader"],
    }
