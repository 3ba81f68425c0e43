"""What a table demands, which clients meet it, and who breaks when it changes.

    needs = TableNeeds.of(protocol, metadata, facts)                 what a table demands
    default_knowledge().verdict("trino@468", needs, Act.READ)        what one client will do
    impact.impact(before, after, clients)                            who loses, who gains
    client_sheet.client_sheet("delta-rs-python@1.6")                 one client, feature by feature

A plugin that brings a client gives a `Client`; `parse_clients` makes them from plain data, `load_clients_toml`
from a file.
"""

from deltaresolver.planning.client_catalogue import ClientAtVersion, ClientCatalogue
from deltaresolver.planning.client_parsing import parse_clients
from deltaresolver.planning.clients import Client
from deltaresolver.planning.evidence import Act, Evidence, Outcome, Rank
from deltaresolver.planning.shipped import default_clients, default_knowledge, load_clients_toml
from deltaresolver.planning.table_facts import CheckpointKind, TableFacts
from deltaresolver.planning.table_needs import TableNeeds
from deltaresolver.planning.verdict import Verdict
from deltaresolver.planning.verdicts import ClientKnowledge

__all__ = [
    "Act",
    "CheckpointKind",
    "Client",
    "ClientAtVersion",
    "ClientCatalogue",
    "ClientKnowledge",
    "Evidence",
    "Outcome",
    "Rank",
    "TableFacts",
    "TableNeeds",
    "Verdict",
    "default_clients",
    "default_knowledge",
    "load_clients_toml",
    "parse_clients",
]
