"""The guard for clients: a table property or a lake.toml names clients, and no commit may lock them out.

It is a built-in plugin, so every commit calls it. The knowledge about clients is loaded only for tables with the
property.
"""

from __future__ import annotations

import os

import attrs

from deltaresolver.plugins import hookimpl
from deltaresolver.transaction.policies import CommitPolicy, Proposal
from deltaresolver.value import Value

GUARDED_CLIENTS = "deltaresolver.guard.clients"
"""The table property: clients by commas, such as `trino@468, delta-rs-python@1.5:read`."""

CONFIG_VARIABLE = "DELTARESOLVER_CONFIG"
"""The environment variable with the lake.toml that applies to every commit of a process."""


@attrs.frozen(slots=True)
class GuardedClients(Value):
    """Applies `KeepClients` to the clients that a table's own property names and those that the lake.toml requires."""

    def check(self, proposal: Proposal) -> None:
        """Raise as `KeepClients.check`; for a new value of the property also as `KeepClients.ensure_known`."""
        config = os.environ.get(CONFIG_VARIABLE)
        if config not in (None, "", "none"):
            # Only a process with this variable has to import the code for lake.toml.
            from deltaresolver.planning.lake.guard import check_with_lake  # noqa: PLC0415

            check_with_lake(config, proposal)
        draft = proposal.draft
        before = draft.before.metadata.configuration.get(GUARDED_CLIENTS)
        after = draft.metadata.configuration.get(GUARDED_CLIENTS)
        if before is None and after is None:
            return
        # Every commit runs this, and only tables with the property need the knowledge about clients.
        from deltaresolver.planning.kept_clients import KeepClients  # noqa: PLC0415

        if after is not None and after != before:
            KeepClients.named(after).ensure_known()
        if before is not None:
            KeepClients.named(before).check(proposal)


@hookimpl
def commit_policy() -> CommitPolicy:
    """Declare the guard."""
    return GuardedClients()
