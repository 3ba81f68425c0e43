"""What losers read and try to commit: commands as they are, and calls no command makes."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.peers.conflict_changes import changed_metadata, changed_protocol
from tests.peers.conflict_commits import DOMAINS, VECTOR
from tests.peers.conflict_predicates import RandomPredicates
from tests.peers.conflict_tables import RandomTable, application, domain, removal

Json = dict[str, Any]

READERS = ("DELETE", "UPDATE", "MERGE", "WRITE", "OPTIMIZE", "REORG", "COMPUTE STATS")
OPERATIONS = (
    "WRITE", "DELETE", "UPDATE", "MERGE", "STREAMING UPDATE", "Manual Update", "OPTIMIZE", "COMPUTE STATS", "REORG",
    "RESTORE", "CLONE", "TRUNCATE", "REPLACE TABLE", "SET TBLPROPERTIES", "Empty Commit", "CHANGE COLUMN",
    "ROW TRACKING BACKFILL", "ROW TRACKING UNBACKFILL", "CREATE TABLE",
)  # fmt: skip


class RandomLoser:
    """Makes the loser of one case."""

    def __init__(self, random: Random, table: RandomTable) -> None:
        self._random = random
        self._table = table
        self._predicates = RandomPredicates(random, table.columns)

    def loser(self, kinds: tuple[str, ...] = ()) -> Json:
        """Reads, actions and the operation."""
        kind = self._random.choice(kinds or tuple(LOSERS))
        reads, actions, operation = LOSERS[kind](self)
        if self._random.random() < 0.05:
            actions = [*actions, application(self._random.choice(("app1", "app3")), 9)]
        loser: Json = {"reads": reads, "actions": actions, "operation": operation}
        if self._random.random() < 0.03:
            loser["tags"] = {"k": "v", "é": ""}
        if self._random.random() < 0.03:
            loser["via"] = self._random.choice(("commitIfNeeded", "commitIfNeeded", "commitLarge"))
        return loser

    def filter(self, *, on_partitions: bool = False) -> Json:
        """One call of filter_files."""
        shape = self._random.random()
        if shape < 0.1 and not on_partitions:
            return {"kind": "filter_files", "predicates": []}
        make = self._predicates.partition_only if on_partitions else self._predicates.any
        return {"kind": "filter_files", "predicates": [make() for _ in range(self._random.choice((1, 1, 1, 1, 2, 3)))]}

    def _read(self) -> Json:
        shape = self._random.random()
        if shape < 0.72:
            return self.filter()
        if shape < 0.8:
            return {"kind": "whole_table"}
        if shape < 0.9:
            return {"kind": "track_files", "paths": [file["path"] for file in self._some_files()]}
        if shape < 0.95:
            return {"kind": "track_predicates", "predicates": [self._predicates.partition_only()]}
        return {"kind": "txn_version", "appId": self._random.choice(("app1", "app2"))}

    def _reads(self) -> list[Json]:
        return [self._read() for _ in range(self._random.choice((1, 1, 1, 1, 2, 3)))]

    def _some_files(self, most: int = 2) -> list[Json]:
        files = self._table.files
        return self._random.sample(files, min(len(files), self._random.randint(1, most)))

    def _add(self, **how: Any) -> Json:
        return {"add": self._table.new_file(statistics=self._random.random() > 0.02, **how)}

    def _operation(self, *names: str) -> Json:
        """Backfills only where there are row ids: elsewhere delta-spark fails an assertion, if anybody else commits."""
        has_rows = "rowTracking" in self._table.features
        possible = [name for name in names or OPERATIONS if has_rows or not name.startswith("ROW TRACKING")]
        return {"name": self._random.choice(possible)}

    def append(self) -> tuple[list[Json], list[Json], Json]:
        """A blind append."""
        mode = (
            {"mode": self._random.choice(("Append", "Overwrite", "ErrorIfExists"))}
            if self._random.random() < 0.2
            else {}
        )
        return [], [self._add() for _ in range(self._random.choice((1, 2)))], {**self._operation("WRITE"), **mode}

    def command(self) -> tuple[list[Json], list[Json], Json]:
        """A command that read and rewrites or only adds."""
        reads = self._reads()
        name = self._random.choice(READERS)
        keeps_data = name in ("OPTIMIZE", "REORG", "COMPUTE STATS")
        operation: Json = {"name": name}
        conditions = [text for read in reads for text in read.get("predicates", ())]
        if conditions and name not in ("MERGE", "WRITE") and self._random.random() < 0.3:
            operation["predicate"] = conditions[0]
        if self._random.random() < 0.3:
            return reads, [self._add(is_data=not keeps_data)], operation
        picked = self._some_files()
        gone = [{"remove": removal(file, is_data=not keeps_data)} for file in picked]
        new = [self._add(is_data=not keeps_data, values=dict(file["partitionValues"])) for file in picked]
        return reads, [*gone, *(new if self._random.random() < 0.7 else ())], operation

    def unread(self) -> tuple[list[Json], list[Json], Json]:
        """Files are removed that nobody read."""
        extended = self._random.random() < 0.85
        gone = [{"remove": removal(file, is_extended=extended)} for file in self._some_files()]
        return [], gone, self._operation("DELETE", "WRITE", "Manual Update", "TRUNCATE", "RESTORE")

    def again(self) -> tuple[list[Json], list[Json], Json]:
        """Files that are there are committed again."""
        rows = self._random.random() < 0.5
        drop = () if rows else ("baseRowId", "defaultRowCommitVersion")
        adds = [{"add": {**{key: value for key, value in file.items() if key not in drop}, "dataChange": False}}
                for file in self._some_files()]  # fmt: skip
        reads = self._reads() if self._random.random() < 0.5 else []
        return (
            reads,
            adds,
            self._operation("COMPUTE STATS", "ROW TRACKING BACKFILL", "OPTIMIZE", "ROW TRACKING UNBACKFILL"),
        )

    def vector(self) -> tuple[list[Json], list[Json], Json]:
        """A file gets a deletion vector."""
        file = self._some_files(1)[0]
        stats = json.loads(file.get("stats", "{}"))
        stats |= {"tightBounds": False} if self._random.random() < 0.85 else {}
        add = {**file, "stats": json.dumps(stats, separators=(",", ":")), "deletionVector": VECTOR}
        if self._random.random() < 0.1:
            del add["stats"]
        reads = self._reads() if self._random.random() < 0.8 else []
        return reads, [{"remove": removal(file)}, {"add": add}], self._operation("DELETE", "UPDATE", "MERGE")

    def progress(self) -> tuple[list[Json], list[Json], Json]:
        """A micro-batch of a stream."""
        reads = [{"kind": "txn_version", "appId": self._random.choice(("app1", "app2"))}]
        if self._random.random() < 0.2:
            reads.append(self._read())
        files = [self._add()] if self._random.random() < 0.8 else []
        return reads, [application("app1", self._random.choice((2, 8))), *files], self._operation("STREAMING UPDATE")

    def metadata(self) -> tuple[list[Json], list[Json], Json]:
        """The metadata changes, with reads or files at times."""
        actions: list[Json] = [{"metaData": changed_metadata(self._random, self._table)}]
        if self._random.random() < 0.25:
            actions.append(self._add())
        reads = self._reads() if self._random.random() < 0.3 else []
        return reads, actions, self._operation("SET TBLPROPERTIES", "CHANGE COLUMN", "WRITE", "REPLACE TABLE")

    def protocol(self) -> tuple[list[Json], list[Json], Json]:
        """The protocol changes, by the operation for it or another."""
        actions: list[Json] = [{"protocol": changed_protocol(self._random, self._table)}]
        if self._random.random() < 0.2:
            actions.append({"metaData": changed_metadata(self._random, self._table)})
        return [], actions, self._operation("UPGRADE PROTOCOL", "UPGRADE PROTOCOL", "SET TBLPROPERTIES", "WRITE")

    def drop(self) -> tuple[list[Json], list[Json], Json]:
        """One feature is taken away."""
        listed = list(self._table.protocol.get("writerFeatures", ()))
        if not listed:
            return self.protocol()
        name = self._random.choice([each for each in listed if each not in ("appendOnly", "invariants")] or listed)
        gone = {name, self._random.choice(listed)} if self._random.random() < 0.05 else {name}
        left = sorted(set(listed) - gone)
        protocol = {**self._table.protocol, "writerFeatures": left}
        protocol["readerFeatures"] = sorted(set(protocol.get("readerFeatures", ())) - gone)
        if left == ["appendOnly", "invariants"]:
            protocol = {"minReaderVersion": 1, "minWriterVersion": 2}
        actions: list[Json] = [{"protocol": protocol}]
        if self._random.random() < 0.4:
            actions.append({"metaData": self._table.metadata})
        return [], actions, {"name": "DROP FEATURE", "feature": name}

    def domain(self) -> tuple[list[Json], list[Json], Json]:
        """Domains are written, with or without files."""
        names = self._random.sample(DOMAINS, self._random.choice((1, 1, 2)))
        if self._random.random() < 0.05:
            names.append(names[0])
        actions = [domain(name, "L", removed=self._random.random() < 0.25) for name in names]
        if self._random.random() < 0.4:
            actions.append(self._add())
        return [], actions, self._operation("Manual Update", "REPLACE TABLE", "WRITE", "SET TBLPROPERTIES")

    def water(self) -> tuple[list[Json], list[Json], Json]:
        """Row ids are claimed by hand."""
        return [], [domain("delta.rowTracking", '{"rowIdHighWaterMark":500}')], self._operation("Manual Update")

    def nothing(self) -> tuple[list[Json], list[Json], Json]:
        """A commit without actions."""
        reads = self._reads() if self._random.random() < 0.5 else []
        return reads, [], self._operation()

    def anything(self) -> tuple[list[Json], list[Json], Json]:
        """Any operation with files that change data or do not."""
        reads = self._reads() if self._random.random() < 0.6 else []
        is_data = self._random.random() < 0.6
        gone = [{"remove": removal(file, is_data=is_data)} for file in self._some_files()]
        new = [self._add(is_data=is_data)]
        actions = self._random.choice((gone, new, [*gone, *new]))
        return reads, list(actions), self._operation()

    def wrong(self) -> tuple[list[Json], list[Json], Json]:
        """Commits that are refused whoever else commits."""
        file = self._some_files(1)[0]
        new = self._table.new_file()
        shapes: tuple[list[Json], ...] = (
            [{"add": new}, {"add": new}], [{"remove": removal(file)}] * 2, [{"add": new}, {"remove": removal(new)}],
            [{"add": {**new, "partitionValues": {**new["partitionValues"], "extra": "1"}}}],
            [{"add": {**new, "partitionValues": {}}}], [{"metaData": self._table.metadata}] * 2,
            [{"protocol": self._table.protocol}] * 2, [application("a", 1), application("a", 2)],
            [application("a", 1), application("a", 1)], [{"add": {**file, "dataChange": True}}],
            [{"remove": removal(new)}], [{"add": {**new, "size": 0}}], [{"add": {**new, "tags": {"k": "v"}}}],
            [{"cdc": {"path": "c1", "partitionValues": new["partitionValues"], "size": 1, "dataChange": False}}],
            [{"metaData": {**self._table.metadata, "partitionColumns": ["v"]}}],
            [{"add": {**file, "dataChange": False}}, {"remove": removal(file)}], [{"add": {**new, "path": ""}}],
            [{"add": new}, {"remove": removal(file, is_data=False)}],
        )  # fmt: skip
        return [], self._random.choice(shapes), self._operation("WRITE", "Manual Update", "DELETE", "REPLACE TABLE")


Made = tuple[list[Json], list[Json], Json]
LOSERS: dict[str, Callable[[RandomLoser], Made]] = {
    "append": RandomLoser.append, "command": RandomLoser.command, "unread": RandomLoser.unread,
    "again": RandomLoser.again, "vector": RandomLoser.vector, "progress": RandomLoser.progress,
    "metadata": RandomLoser.metadata, "protocol": RandomLoser.protocol, "drop": RandomLoser.drop,
    "domain": RandomLoser.domain, "water": RandomLoser.water, "nothing": RandomLoser.nothing,
    "anything": RandomLoser.anything, "wrong": RandomLoser.wrong,
}  # fmt: skip
