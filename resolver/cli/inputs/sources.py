"""What `resolve` and `explain` work on: their arguments and options, and the resolution these ask for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click

from deltaresolver.cli.completion import complete_assignments, complete_properties
from deltaresolver.cli.inputs.catalog_profiles import catalog_of, profile_option
from deltaresolver.cli.inputs.json_input import EXAMPLE, Described, described_by
from deltaresolver.cli.inputs.property_changes import (
    Properties,
    changed_properties,
    read_pairs,
    with_session_properties,
)
from deltaresolver.cli.inputs.protocol_input import read_protocol
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.errors import CommandUsageError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.schema import quote_path
from deltaresolver.resolution.algebra import unknown_features
from deltaresolver.resolution.resolution import Policy, Resolution
from deltaresolver.resolution.resolve import (
    kept_relations,
    resolve_known_part,
    resolve_new_table,
    resolve_upgrade,
)
from deltaresolver.value import Value

Function = TypeVar("Function", bound=Callable[..., Any])

STDIN = "-"


@attrs.frozen(slots=True)
class Request(Value):
    """The options that `resolve` and `explain` share, as they were given."""

    protocol: str | None
    new: bool
    to_set: tuple[str, ...]
    to_unset: tuple[str, ...]
    session: tuple[str, ...]
    storage: tuple[str, ...]
    policy: str
    profile: str


@attrs.frozen(slots=True)
class ProtocolAnswer(Value):
    """A resolution, the table's name as SQL spells it if it has one, and remarks on the input."""

    resolution: Resolution
    table: str | None
    notes: tuple[str, ...]


def request_options(function: Function) -> Function:
    """Give a command the options of a `Request`, under the same names."""
    options = (
        click.option(
            "--protocol", metavar="PROTOCOL", help="The current protocol: JSON, or short such as 1,2 or 2,5 or 3,7."
        ),
        click.option("--new", is_flag=True, help="Ask for a new table: leave out the protocol the table has."),
        click.option(
            "--set",
            "to_set",
            multiple=True,
            metavar="KEY=VALUE",
            help="Try a table property. May be repeated.",
            shell_complete=complete_assignments,
        ),
        click.option(
            "--unset",
            "to_unset",
            multiple=True,
            metavar="KEY",
            help="Try without a table property. May be repeated.",
            shell_complete=complete_properties,
        ),
        click.option(
            "--session", multiple=True, metavar="KEY=VALUE", help="A Spark session property. May be repeated."
        ),
        storage_option,
        click.option(
            "--policy",
            type=click.Choice([policy.value for policy in Policy]),
            default=Policy.EXACT.value,
            show_default=True,
            help="exact: as delta-spark decides today; legacy: numbered protocols, as before features had names.",
        ),
        profile_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


def answer_for(source: str | None, request: Request) -> ProtocolAnswer:
    """Read what the command works on, apply the changes asked for, and resolve. Raises `DeltaResolverError`."""
    catalog = catalog_of(request.profile)
    described, table = read_source(source, read_pairs(request.storage, "--storage"))
    _ensure_schema_reads(described.metadata)
    current = described.protocol if request.protocol is None else read_protocol(request.protocol)
    if request.new:
        current = None
    session = read_pairs(request.session, "--session")
    to_set = read_pairs(request.to_set, "--set")
    properties = changed_properties(described.metadata.configuration, to_set, request.to_unset, catalog)
    notes = [*described.notes, *properties.notes]
    policy = Policy(request.policy)
    if current is not None:
        if session:
            notes.append("session properties count for new tables only")
        metadata = described.metadata.with_configuration(properties.values)
        # A name in a table's log is a fact; one that was typed may be a slip.
        before = described.metadata if request.protocol is None else None
        unknown = unknown_features(current, catalog) if before is not None else frozenset()
        notes += relations_in_words(before, current, catalog)
        if unknown and policy is Policy.EXACT:
            notes.append(strangers_in_words(unknown, catalog))
            found = resolve_known_part(metadata, current, catalog, before=before)
            return ProtocolAnswer(found, table, tuple(notes))
        if policy is Policy.EXACT and properties.values != described.metadata.configuration:
            from deltaresolver.transaction.alter.announce import announce_upgrade

            return ProtocolAnswer(announce_upgrade(described.metadata, metadata, current, catalog), table, tuple(notes))
        found = resolve_upgrade(metadata, current, catalog, policy=policy, before=before)
        return ProtocolAnswer(found, table, tuple(notes))
    inherited: Properties = with_session_properties(properties.values, session)
    metadata = described.metadata.with_configuration(inherited.values)
    resolution = resolve_new_table(metadata, catalog, session=session, policy=policy)
    return ProtocolAnswer(resolution, table, (*notes, *inherited.notes))


def strangers_in_words(unknown: frozenset[str], catalog: FeatureCatalog) -> str:
    """A remark on features of a table that nobody here knows."""
    told = f"{', '.join(sorted(unknown))}: unknown here, so what the table needs for it is not explained"
    return f"{told}, and deltaresolver commits nothing to it.{catalog.why_absent(unknown)}"


def relations_in_words(before: Metadata | None, protocol: Protocol, catalog: FeatureCatalog) -> list[str]:
    """A remark on each relation that a table does not keep to: a client that does not know it wrote the table."""
    kept = kept_relations(before, protocol, catalog)
    return [f"{one}, but the table has it so (DR306). {one.fix}" for one in kept]


def _ensure_schema_reads(metadata: Metadata) -> None:
    """Parse the schema even if no trigger will look at it: somebody who hands in a broken one wants to know."""
    _ = metadata.schema


def read_source(source: str | None, storage: Mapping[str, str]) -> tuple[Described, str | None]:
    """What is known of a table, from its path or from stdin, and its name for SQL."""
    if source is not None and source != STDIN:
        # By name, because Arrow takes longer to load than everything else a resolution does.
        from deltaresolver.cli.inputs.table_input import read_table

        described = read_table(source, storage)
        return described, f"delta.{quote_path((_absolute(source),))}"
    if source is None and sys.stdin.isatty():
        raise CommandUsageError(
            "There is nothing to work on: no table path, and nothing is piped in.",
            fix=f"Give a path, or pipe metadata: echo '{EXAMPLE}' | deltaresolver resolve",
        )
    piped = described_by(sys.stdin.buffer.read(), "standard input")
    name = piped.metadata.name
    return piped, quote_path((name,)) if name else None


def _absolute(path: str) -> str:
    return path if "://" in path else str(Path(path).resolve())
