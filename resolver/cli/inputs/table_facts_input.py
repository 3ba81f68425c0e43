"""What a table's log tells beyond its protocol and metadata, for verdicts on clients."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.cli.inputs.json_input import Described
from deltaresolver.cli.inputs.table_input import open_snapshot
from deltaresolver.clients.table_facts import TableFacts
from deltaresolver.planning.table_reading import facts_of_log


def read_table_with_facts(location: str, storage: Mapping[str, str]) -> tuple[Described, TableFacts]:
    """What the latest version of a table says of it, and facts about its log. Raises as `open_snapshot`.

    What only the table's files would tell is left open.
    """
    snapshot = open_snapshot(location, storage)
    return Described(snapshot.metadata, snapshot.protocol), facts_of_log(snapshot)
