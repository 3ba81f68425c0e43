"""What a table demands, which clients meet it, and who breaks when it changes.

    needs = TableNeeds.of(protocol, metadata, facts)                 what a table demands
    default_knowledge().verdict("trino@468", needs, Act.READ)        what one client will do
    impact.impact(before, after, clients)                            who loses, who gains
    client_sheet.client_sheet("delta-rs-python@1.6")                 one client, feature by feature

A plugin that brings a client gives a `Client`; `parse_clients` makes them from plain data, `load_clients_toml`
from a file.

Every name below loads its own part when it is first used: a commit looks for a guard here, and mostly finds none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaresolver.lazy_names import load_on_use

if TYPE_CHECKING:
    from deltaresolver.planning.client_catalogue import ClientAtVersion as ClientAtVersion
    from deltaresolver.planning.client_catalogue import ClientCatalogue as ClientCatalogue
    from deltaresolver.planning.client_parsing import parse_clients as parse_clients
    from deltaresolver.planning.clients import Client as Client
    from deltaresolver.planning.evidence import Act as Act
    from deltaresolver.planning.evidence import Evidence as Evidence
    from deltaresolver.planning.evidence import Outcome as Outcome
    from deltaresolver.planning.evidence import Rank as Rank
    from deltaresolver.planning.shipped import default_clients as default_clients
    from deltaresolver.planning.shipped import default_knowledge as default_knowledge
    from deltaresolver.planning.shipped import load_clients_toml as load_clients_toml
    from deltaresolver.planning.table_facts import CheckpointKind as CheckpointKind
    from deltaresolver.planning.table_facts import TableFacts as TableFacts
    from deltaresolver.planning.table_needs import TableNeeds as TableNeeds
    from deltaresolver.planning.verdict import Verdict as Verdict
    from deltaresolver.planning.verdicts import ClientKnowledge as ClientKnowledge

# A public name is one line here and one above, for type checkers.
_HOME_OF = {
    "Act": "deltaresolver.planning.evidence",
    "CheckpointKind": "deltaresolver.planning.table_facts",
    "Client": "deltaresolver.planning.clients",
    "ClientAtVersion": "deltaresolver.planning.client_catalogue",
    "ClientCatalogue": "deltaresolver.planning.client_catalogue",
    "ClientKnowledge": "deltaresolver.planning.verdicts",
    "Evidence": "deltaresolver.planning.evidence",
    "Outcome": "deltaresolver.planning.evidence",
    "Rank": "deltaresolver.planning.evidence",
    "TableFacts": "deltaresolver.planning.table_facts",
    "TableNeeds": "deltaresolver.planning.table_needs",
    "Verdict": "deltaresolver.planning.verdict",
    "default_clients": "deltaresolver.planning.shipped",
    "default_knowledge": "deltaresolver.planning.shipped",
    "load_clients_toml": "deltaresolver.planning.shipped",
    "parse_clients": "deltaresolver.planning.client_parsing",
}

__all__ = list(_HOME_OF)

__getattr__, __dir__ = load_on_use(globals(), _HOME_OF)
