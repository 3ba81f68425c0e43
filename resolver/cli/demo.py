"""`python -m deltaresolver.cli.demo`: what deltaresolver is for, shown on example tables."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from deltaresolver.cli.error_output import is_coloured
from deltaresolver.cli.output import print_sections
from deltaresolver.defaults import default_catalog
from deltaresolver.errors import ManualEnablementError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.resolve import resolve_new_table, resolve_upgrade

SHOP = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": "order_id", "type": "long", "nullable": False, "metadata": {}},
            {"name": "country", "type": "string", "nullable": True, "metadata": {}},
            {"name": "total", "type": "decimal(12,2)", "nullable": True, "metadata": {}},
        ],
    }
)


def plain_table() -> str:
    """A new table with nothing special: why it is not protocol (1, 1)."""
    return resolve_new_table(Metadata(schema_string=SHOP), default_catalog()).explain(table="orders")


def row_tracking_brings_another_feature() -> str:
    """Row tracking on an existing table: the feature it brings along, and what becomes listed by name."""
    metadata = Metadata(schema_string=SHOP, configuration={"delta.enableRowTracking": "true"})
    return resolve_upgrade(metadata, Protocol.of(1, 2), default_catalog()).explain(table="orders")


def deletion_vectors_lock_out_old_readers() -> str:
    """Deletion vectors: the reader version rises, so that every reader must follow."""
    metadata = Metadata(schema_string=SHOP, configuration={"delta.enableDeletionVectors": "true"})
    return resolve_upgrade(metadata, Protocol.of(1, 2), default_catalog()).explain(table="orders")


def turning_it_off_keeps_the_protocol() -> str:
    """The same table with deletion vectors off again: a protocol never sinks by itself."""
    metadata = Metadata(schema_string=SHOP, configuration={"delta.enableDeletionVectors": "false"})
    listed = ("appendOnly", "deletionVectors", "invariants")
    current = Protocol.of(3, 7, ("deletionVectors",), listed)
    return resolve_upgrade(metadata, current, default_catalog()).explain(table="orders")


def new_column_type_is_refused() -> str:
    """A new column without a time zone on an existing table: refused, until somebody asks for the feature."""
    schema = SHOP.replace('"decimal(12,2)"', '"timestamp_ntz"')
    try:
        return resolve_upgrade(Metadata(schema_string=schema), Protocol.of(1, 2), default_catalog()).explain()
    except ManualEnablementError as error:
        return f"error {error.code}: {error.message}\n  fix: {error.fix}\n"


EXAMPLES: tuple[Callable[[], str], ...] = (
    plain_table,
    row_tracking_brings_another_feature,
    deletion_vectors_lock_out_old_readers,
    turning_it_off_keeps_the_protocol,
    new_column_type_is_refused,
)
"""What the demo shows, in order; each function's docstring is its title."""


def main() -> None:
    """Print every example; with the name of a folder, go on with a lake that Spark writes there."""
    for number, example in enumerate(EXAMPLES, start=1):
        _print_title(f"{number}. {(example.__doc__ or example.__name__).strip()}")
        print_sections(example())
        print()
    if len(sys.argv) > 1:
        # Its own module, because it starts Spark.
        lake = importlib.import_module("deltaresolver.cli.demo_lake")
        for number, (title, text) in enumerate(lake.show_lake(Path(sys.argv[1])), start=len(EXAMPLES) + 1):
            _print_title(f"{number}. {title}")
            print_sections(text)
            print()


def _print_title(title: str) -> None:
    print(click.style(title, fg="yellow", bold=True) if is_coloured(sys.stdout) else title)
    print()


if __name__ == "__main__":
    main()
