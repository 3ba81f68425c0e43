"""What winners commit: every kind of commit a table meets, as its log shows it."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.peers.conflict_changes import changed_metadata, changed_protocol
from tests.peers.conflict_tables import RandomTable, application, commit_info, domain, removal

Json = dict[str, Any]
Commit = list[Json]

DOMAINS = ("d0", "d1", "d2", "D1", "delta.clustering")
VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "offset": 4,
    "sizeInBytes": 40,
    "cardinality": 2,
}
IDENTITY_TAG = {"delta.identity.schemaUpdate": "true"}


class RandomWinner:
    """Makes the commits that win, keeping the files of the table as they become."""

    def __init__(self, random: Random, table: RandomTable) -> None:
        self._random = random
        self._table = table
        self._version = 0

    def commit(self, version: int, kinds: tuple[str, ...] = ()) -> Commit:
        """A random commit for this version."""
        self._version = version
        has_rows = "rowTracking" in self._table.features
        possible = [kind for kind in kinds or tuple(WINNERS) if has_rows or kind not in ("backfill", "water")]
        commit = WINNERS[self._random.choice(possible or ["append"])](self)
        if self._random.random() < 0.06:
            commit.append(application(self._random.choice(("app1", "app2")), self._random.choice((1, 2, 7))))
        if self._random.random() < 0.03 and len(commit) > 1:
            return commit[1:]
        return commit

    def _info(self, operation: str, *, blind: bool | None = False, tags: Json | None = None) -> Json:
        return commit_info(operation, self._table.time(self._version + 4), blind=blind, tags=tags)

    def _new(self, **how: Any) -> Json:
        return self._table.landed(self._table.new_file(**how), self._version)

    def _picked(self, most: int = 2) -> list[Json]:
        files = self._table.files
        return self._random.sample(files, min(len(files), self._random.randint(1, most)))

    def append(self) -> Commit:
        """Files are added, by one that read or by one that did not."""
        blind = self._random.choice((True, True, False, False, None))
        adds = [self._new() for _ in range(self._random.choice((1, 1, 2)))]
        return [self._info("WRITE", blind=blind), *({"add": add} for add in adds), *self._table.high_water_mark()]

    def delete(self) -> Commit:
        """Files are removed."""
        extended = self._random.random() < 0.9
        gone = [{"remove": removal(file, is_extended=extended)} for file in self._picked()]
        return [self._info("DELETE", blind=self._random.choice((False, False, None, True))), *gone]

    def update(self) -> Commit:
        """Files are removed and others put in their place."""
        picked = self._picked()
        new = [{"add": self._new(values=dict(file["partitionValues"]))} for file in picked]
        return [
            self._info("UPDATE"),
            *({"remove": removal(file)} for file in picked),
            *new,
            *self._table.high_water_mark(),
        ]

    def compact(self) -> Commit:
        """Files are rewritten without a change of data."""
        picked = self._picked(3)
        new = self._new(is_data=False, values=dict(picked[0]["partitionValues"]))
        gone = ({"remove": removal(file, is_data=False)} for file in picked)
        return [self._info("OPTIMIZE"), *gone, {"add": new}, *self._table.high_water_mark()]

    def again(self) -> Commit:
        """Files are added once more with other statistics."""
        adds = [{"add": {**file, "dataChange": False}} for file in self._picked()]
        return [self._info("COMPUTE STATS", blind=self._random.choice((False, True))), *adds]

    def vector(self) -> Commit:
        """A file gets a deletion vector."""
        file = self._picked(1)[0]
        wide = {**json.loads(file.get("stats", '{"numRecords":10}')), "tightBounds": False}
        add = {**file, "stats": json.dumps(wide, separators=(",", ":")), "deletionVector": VECTOR}
        return [self._info("DELETE"), {"remove": removal(file)}, {"add": add}]

    def progress(self) -> Commit:
        """A stream's progress, with or without files."""
        files = [{"add": self._new()}] if self._random.random() < 0.5 else []
        app = application(self._random.choice(("app1", "app1", "app2")), self._random.choice((0, 1, 5)))
        return [self._info("STREAMING UPDATE", blind=self._random.choice((True, False))), app, *files]

    def metadata(self) -> Commit:
        """The metadata changes, at times with files or by identity values alone."""
        changed = changed_metadata(self._random, self._table)
        tags = IDENTITY_TAG if self._random.random() < 0.1 else None
        files = [{"add": self._new()}] if self._random.random() < 0.2 else []
        return [self._info("SET TBLPROPERTIES", blind=self._random.choice((True, False)), tags=tags),
                {"metaData": changed}, *files]  # fmt: skip

    def protocol(self) -> Commit:
        """The protocol changes, with or without metadata."""
        commit = [self._info("UPGRADE PROTOCOL", blind=True), {"protocol": changed_protocol(self._random, self._table)}]
        if self._random.random() < 0.3:
            commit.append({"metaData": changed_metadata(self._random, self._table)})
        return commit

    def domain(self) -> Commit:
        """A domain is written or removed."""
        name = self._random.choice(DOMAINS)
        text = '{"clusteringColumns":[["v"]]}' if name == "delta.clustering" else "W"
        return [self._info("X", blind=True), domain(name, text, removed=self._random.random() < 0.25)]

    def water(self) -> Commit:
        """Row ids are taken without a file, or fewer than there are."""
        mark = self._random.choice((self._table.next_row + 49, 3, self._table.next_row - 1))
        text = json.dumps({"rowIdHighWaterMark": mark})
        if self._random.random() < 0.08:
            text = self._random.choice(("{}", "", '{"rowIdHighWaterMark":"7"}', '{"rowIdHighWaterMark":-1}', "x"))
        return [self._info("X", blind=True), domain("delta.rowTracking", text)]

    def backfill(self) -> Commit:
        """Files get row ids, or lose them."""
        picked = self._picked(3)
        if self._random.random() < 0.3:
            bare = [{name: value for name, value in file.items() if "Row" not in name} for file in picked]
            return [self._info("ROW TRACKING UNBACKFILL"), *({"add": {**file, "dataChange": False}} for file in bare)]
        rows = [{**file, "dataChange": False, "baseRowId": 100 + 10 * number, "defaultRowCommitVersion": self._version}
                for number, file in enumerate(picked)]  # fmt: skip
        mark = domain("delta.rowTracking", '{"rowIdHighWaterMark":199}')
        return [self._info("ROW TRACKING BACKFILL"), *({"add": row} for row in rows), mark]

    def empty(self) -> Commit:
        """Nothing but a name."""
        return [
            self._info(self._random.choice(("DELETE", "VACUUM START", "X")), blind=self._random.choice((True, False)))
        ]

    def unknown(self) -> Commit:
        """An action of a later protocol."""
        return [self._info("X"), {"futureAction": {"a": 1}}]


WINNERS: dict[str, Callable[[RandomWinner], Commit]] = {
    "append": RandomWinner.append, "delete": RandomWinner.delete, "update": RandomWinner.update,
    "compact": RandomWinner.compact, "again": RandomWinner.again, "vector": RandomWinner.vector,
    "progress": RandomWinner.progress, "metadata": RandomWinner.metadata, "protocol": RandomWinner.protocol,
    "domain": RandomWinner.domain, "water": RandomWinner.water, "backfill": RandomWinner.backfill,
    "empty": RandomWinner.empty, "unknown": RandomWinner.unknown,
}  # fmt: skip
