"""Proposals carried out one after the other, each on the table that the ones before it leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import attrs

from deltaresolver.check.found import CheckPlace
from deltaresolver.check.scratch import carried_out, plain_table, with_metadata
from deltaresolver.check.sources.proposal import (
    MetadataProposal,
    PropertiesProposal,
    Proposal,
    SettingProposal,
    StatementProposal,
)
from deltaresolver.check.sources.unjudged import plain_names, why_not_judged
from deltaresolver.check.tables import Known, KnownTables
from deltaresolver.errors import DeltaResolverError, StatementUnsupportedError
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.planning.state import PlanState
from deltaresolver.transaction.alter.add_columns import AddColumns
from deltaresolver.transaction.alter.change_column import ChangeColumns
from deltaresolver.transaction.alter.cluster_by import ClusterBy
from deltaresolver.transaction.alter.constraints import AddConstraint, DropConstraint
from deltaresolver.transaction.alter.drop_columns import DropColumns
from deltaresolver.transaction.alter.rename_column import RenameColumn
from deltaresolver.transaction.alter.replace_columns import ReplaceColumns
from deltaresolver.transaction.create.create_mode import CreateMode
from deltaresolver.transaction.create.create_table import NewTable
from deltaresolver.transaction.ddl.data_types import read_type
from deltaresolver.transaction.ddl.read_statement import read_statement
from deltaresolver.transaction.ddl.statements import (
    AlterProperties,
    AlterTable,
    CreateStatement,
    DropFeatureStatement,
    Statement,
)
from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

_KINDS: Mapping[type, str] = {
    AddColumns: "add-columns",
    ChangeColumns: "change-columns",
    RenameColumn: "rename-column",
    DropColumns: "drop-columns",
    ReplaceColumns: "replace-columns",
    AddConstraint: "add-constraint",
    DropConstraint: "drop-constraint",
    ClusterBy: "cluster-by",
    AlterProperties: "properties",
    DropFeatureStatement: "drop-feature",
}


@attrs.frozen(slots=True, eq=False)
class ProposedStep:
    """The result of a proposal: the table before and after, or why there is none.

    `before` is None for a new table. `error` is what the statement or the table's refusal says, `unjudged` why nobody
    can say here what the statement does.
    """

    place: CheckPlace
    known: Known | None
    kind: str
    before: PlanState | None = None
    after: PlanState | None = None
    error: DeltaResolverError | None = None
    unjudged: str = ""


def steps(proposals: Iterable[Proposal], tables: KnownTables, session: Mapping[str, str]) -> Iterator[ProposedStep]:
    """A step for each proposal that is about a Delta table. What a script sets holds to its end."""
    own, file = dict(session), ""
    for one in proposals:
        if one.place.file != file:
            own, file = dict(session), one.place.file
        if isinstance(one, SettingProposal):
            own.pop(one.key, None)
            own |= {} if one.value is None else {one.key: one.value}
            continue
        if isinstance(one, StatementProposal):
            found = _of_statement(one, tables, own)
        elif isinstance(one, PropertiesProposal):
            found = _of_properties(one, tables, own)
        else:
            found = _of_metadata(one, tables)
        if found is not None:
            yield found


def _of_statement(one: StatementProposal, tables: KnownTables, session: Mapping[str, str]) -> ProposedStep | None:
    reason = why_not_judged(one.sql, lambda name: tables.find(name).is_known)
    if reason:
        return ProposedStep(one.place, None, "statement", unjudged=reason)
    try:
        statement = _read(plain_names(one.sql))
    except DeltaResolverError as error:
        return ProposedStep(one.place, None, "statement", error=error)
    if statement is None:
        return None
    location = statement.location if isinstance(statement, CreateStatement) else None
    known = tables.find(statement.table, location)
    return _carry_out(one.place, statement, known, tables, session)


def _read(sql: str) -> Statement | None:
    """The statement; of CREATE TABLE ... AS SELECT what stands before the query; None for what is not Delta's.

    Raises `StatementUnreadableError` and what reading a definition raises.
    """
    try:
        return read_statement(sql)
    except StatementUnsupportedError:
        head = _before_query(sql)
        if head is None:
            return None
    try:
        return read_statement(head)
    except StatementUnsupportedError:
        return None


def _before_query(sql: str) -> str | None:
    stream = TokenStream(sql)
    if stream.sees("ALTER") or stream.sees("COMMENT"):
        return None
    head = stream.written(stream.read_until("AS", "SELECT", "WITH"))
    return None if stream.at_end else head


def kind_of(statement: Statement) -> str:
    """The kind, as `changes.refuse` of a lake.toml names it."""
    if isinstance(statement, CreateStatement):
        return "create-table" if statement.new.mode in _CREATING else "replace-table"
    return _KINDS[type(statement.change if isinstance(statement, AlterTable) else statement)]


_CREATING = (CreateMode.CREATE, CreateMode.CREATE_IF_NOT_EXISTS)


def _carry_out(
    place: CheckPlace, statement: Statement, known: Known, tables: KnownTables, session: Mapping[str, str]
) -> ProposedStep | None:
    kind, before = kind_of(statement), known.state
    try:
        if kind == "create-table":
            # What a script creates is how the table is wanted, whether it is there or not.
            after = carried_out(None, statement, tables.catalog, session)
            tables.keep(known, before or after)
            return ProposedStep(place, known, kind, before, after)
        if kind == "replace-table":
            after = carried_out(before, statement, tables.catalog, session)
        else:
            before = plain_table(tables.catalog) if before is None else before
            after = carried_out(before, statement, tables.catalog, session)
    except DeltaResolverError as error:
        return ProposedStep(place, known, kind, before, error=error)
    if known.state is not None or kind == "replace-table":
        tables.keep(known, after)
    return ProposedStep(place, known, kind, before, after)


def _of_properties(one: PropertiesProposal, tables: KnownTables, session: Mapping[str, str]) -> ProposedStep | None:
    known = tables.find(one.table)
    if known.state is not None:
        return _carry_out(one.place, AlterProperties(one.table, one.properties), known, tables, session)
    new = NewTable(_schema(one.columns), properties=dict(one.properties), may_be_empty=True)
    return _carry_out(one.place, CreateStatement(one.table, new), known, tables, session)


def _schema(columns: Iterable[tuple[str, str]]) -> StructType:
    """The columns whose types can be read; dbt leaves types of other engines in the same file."""
    fields = []
    for name, written in columns:
        try:
            fields.append(StructField(name, read_all(written, read_type)))
        except DeltaResolverError:
            continue
    return StructType(tuple(fields))


def _of_metadata(one: MetadataProposal, tables: KnownTables) -> ProposedStep | None:
    known = tables.find(one.table)
    before = known.state
    try:
        if before is None:
            made = plain_table(tables.catalog, one.metadata)
            after = made if one.protocol is None else attrs.evolve(made, protocol=one.protocol)
        else:
            after = with_metadata(before, one.metadata, one.protocol)
    except DeltaResolverError as error:
        return ProposedStep(one.place, known, "metadata", before, error=error)
    if before is not None:
        tables.keep(known, after)
    return ProposedStep(one.place, known, "metadata", before, after)
