"""Reasons for differences that apply to several kinds of recorded answers."""

from __future__ import annotations

LEFT_USABLE = (
    "What leaves a table that delta-spark itself then fails to read or write, or rows with one id, is refused before "
    "anything is written: a protocol that does not name what the metadata switches on, rows tracked and not tracked, "
    "a mark of row ids that is no number, a struct dropped with a clustering column in it, a constraint that no writer "
    "would evaluate. delta-spark finds out afterwards, if at all."
)
UNTAKEN_TYPES = (
    "delta-spark never gets to a table with column types that its Spark cannot read, or that a preview flag of its "
    "session has to allow (geometry, geography). This library keeps types that it does not know: the protocol that "
    "such a table needs does not depend on reading them."
)
CLUSTERING_STAYS = (
    "delta-spark ends that a table is clustered where its rows are overwritten, even with clusterBy in the write. Here "
    "a table stays clustered until somebody says otherwise, by ALTER TABLE, by replacing it or by overwriteSchema."
)
