"""The demands of a table, the clients that meet them, and the clients that break when the table changes.

    needs = TableNeeds.of(protocol, metadata, facts)                 what a table demands
    default_knowledge().verdict("trino@468", needs, Act.READ)        what one client will do
    impact.impact(before, after, clients)                            who loses, who gains
    client_sheet.client_sheet("delta-rs-python@1.6")                 one client, feature by feature

A plugin that adds a client returns a `Client`; `parse_clients` makes clients from plain data, `load_clients_toml` from
a file.

Every name below is imported when it is first used, because every commit imports this package to look for a guard.
"""

from __future__ import annotations

from deltaresolver.lazy_names import LazyNames

with LazyNames(globals()) as _public:
    from deltaresolver.clients.catalogue import ClientAtVersion as ClientAtVersion
    from deltaresolver.clients.catalogue import ClientCatalogue as ClientCatalogue
    from deltaresolver.clients.client import Client as Client
    from deltaresolver.clients.evidence import Act as Act
    from deltaresolver.clients.evidence import Evidence as Evidence
    from deltaresolver.clients.evidence import Outcome as Outcome
    from deltaresolver.clients.evidence import Rank as Rank
    from deltaresolver.clients.parsing import parse_clients as parse_clients
    from deltaresolver.clients.shipped import default_clients as default_clients
    from deltaresolver.clients.shipped import default_knowledge as default_knowledge
    from deltaresolver.clients.shipped import load_clients_toml as load_clients_toml
    from deltaresolver.clients.table_facts import CheckpointForm as CheckpointForm
    from deltaresolver.clients.table_facts import TableFacts as TableFacts
    from deltaresolver.clients.table_needs import TableNeeds as TableNeeds
    from deltaresolver.clients.verdict import Verdict as Verdict
    from deltaresolver.clients.verdicts import ClientKnowledge as ClientKnowledge

__all__ = list(_public.names)

__getattr__, __dir__ = _public.load, _public.known
