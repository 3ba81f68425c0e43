"""Whether what the writers were told, what the log holds and a serial execution agree."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path, commit_version
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.commit.draft import IsolationLevel
from tests.simulation.model import Json, TableModel, decode, replay
from tests.simulation.work import DOMAIN, FILE_KINDS, Intent, Kind

BLIND = frozenset({Kind.APPEND, Kind.APPEND_ONCE})


@attrs.frozen(slots=True, eq=False)
class History:
    """A log read and replayed."""

    files: MemoryStore
    commits: list[list[Json]]
    states: list[TableModel]
    """The table after each commit."""
    infos: list[Json]

    @classmethod
    def of(cls, files: MemoryStore) -> History:
        """Raises `AssertionError` for a log with gaps or torn commits."""
        commits = _read_commits(files)
        return cls(files, commits, replay(commits), [_single(actions, "commitInfo") for actions in commits])


@attrs.frozen(slots=True, eq=False)
class Judge:
    """Holds what the writers were told against the log. `kinds` says what each transaction id was about."""

    history: History
    kinds: Mapping[str, Kind]
    level: IsolationLevel

    def check_log(self) -> None:
        """What has to be true of the log alone. Raises `AssertionError`."""
        found = Counter(info["txnId"] for info in self.history.infos)
        assert all(count == 1 for count in found.values()), f"committed twice: {found}"
        self.check_counts()
        self.check_row_ids()
        self.check_timestamps()

    def check_intent(self, intent: Intent) -> None:
        """What one writer was told of one transaction. Raises `AssertionError`."""
        self.check_report(intent)
        self.check_refusal(intent)
        for table_version, info in enumerate(self.history.infos):
            if info["txnId"] == intent.transaction_id:
                before = self.history.states[table_version - 1] if table_version else TableModel()
                self.check_written(intent, table_version)
                self.check_reads(intent, table_version, before)

    def check_report(self, intent: Intent) -> None:
        """A commit that was acknowledged is where it was said to be; one that was denied is nowhere."""
        infos = self.history.infos
        if intent.version_told is not None:
            assert intent.version_told < len(infos), f"{intent} is not there"
            assert infos[intent.version_told]["txnId"] == intent.transaction_id, f"{intent} is not there"
        if intent.failed_for_good is not None:
            assert all(info["txnId"] != intent.transaction_id for info in infos), f"{intent} is there"

    def check_refusal(self, intent: Intent) -> None:
        """A blind append is refused only if somebody changed the metadata or the protocol since it began."""
        reason = intent.failed_for_good or ""
        if intent.kind is not Kind.APPEND or reason.startswith(("Storage", "CommitRetries")) or not reason:
            return
        later = self.history.commits[intent.read_version + 1 :]
        assert any("metaData" in action or "protocol" in action for actions in later for action in actions), intent

    def check_written(self, intent: Intent, table_version: int) -> None:
        """The commit holds what its writer meant to write."""
        actions = self.history.commits[table_version]
        assert _paths(actions, "add") == intent.adds
        assert _paths(actions, "remove") == intent.removes
        if intent.application is not None:
            name, known = intent.application
            assert _single(actions, "txn")["appId"] == name
            assert _single(actions, "txn")["version"] == known + 1

    def check_reads(self, intent: Intent, table_version: int, before: TableModel) -> None:
        """What the transaction read holds at the place of its commit, as far as its level promises."""
        at = f"{intent} at version {table_version}"
        if intent.application is not None:
            name, known = intent.application
            assert before.applications.get(name, -1) == known, f"{at}: the application had got further"
        if intent.counter_read is not None:
            assert before.counter == intent.counter_read, f"{at}: a metadata update was lost"
        if intent.domain_read is not None:
            assert before.domain_counter == intent.domain_read, f"{at}: a domain update was lost"
        if intent.kind not in FILE_KINDS or intent.read_partitions is None:
            return
        seen = self.history.states[intent.read_version].in_partitions(intent.read_partitions)
        assert seen == intent.files_read, f"{at}: the snapshot was not read truly"
        now = before.in_partitions(intent.read_partitions)
        level = self.level_of(intent)
        assert self.history.infos[table_version]["isolationLevel"] == level.value, at
        assert not seen - now, f"{at}: files it read are gone"
        if level is IsolationLevel.SERIALIZABLE:
            assert seen == now, f"{at}: it should have read {sorted(now - seen)}"
        elif level is IsolationLevel.WRITE_SERIALIZABLE:
            assert now - seen <= self._blindly_added(intent.read_version, table_version), at

    def level_of(self, intent: Intent) -> IsolationLevel:
        """The level a transaction of the kind has to run under on this table."""
        if intent.kind is Kind.OPTIMIZE:
            return IsolationLevel.SNAPSHOT
        return self.level

    def _blindly_added(self, after: int, before: int) -> frozenset[str]:
        found: set[str] = set()
        for table_version in range(after + 1, before):
            # Who is no writer of the simulation filled the table in the beginning, blindly.
            if self.kinds.get(self.history.infos[table_version]["txnId"], Kind.APPEND) in BLIND:
                found |= _paths(self.history.commits[table_version], "add")
        return frozenset(found)

    def check_reader(self) -> None:
        """A reader of the table sees what the serial execution leaves."""
        snapshot, model = DeltaLog(self.history.files).snapshot(), self.history.states[-1]
        assert {file.path: file.partition_values["p"] for file in snapshot.add_actions()} == model.files
        assert {name: each.app_version for name, each in snapshot.transactions.items()} == model.applications
        assert {name: each.configuration for name, each in snapshot.domains.items()} == model.domains
        assert dict(snapshot.metadata.configuration) == model.configuration

    def check_counts(self) -> None:
        """As many updates of each counter as were committed."""
        kinds = Counter(self.kinds.get(info["txnId"]) for info in self.history.infos)
        assert self.history.states[-1].counter == kinds[Kind.METADATA]
        assert int(self.history.states[-1].domains.get(DOMAIN, "0")) == kinds[Kind.DOMAIN]

    def check_row_ids(self) -> None:
        """Where rows are tracked, no two files share a row id, and all lie below the high-water mark."""
        if self.history.states[-1].configuration.get("delta.enableRowTracking") != "true":
            return
        taken: list[tuple[int, int]] = []
        for table_version, actions in enumerate(self.history.commits):
            for add in (action["add"] for action in actions if "add" in action):
                assert add["defaultRowCommitVersion"] == table_version
                taken.append((add["baseRowId"], _rows(add)))
        taken.sort()
        for (first, count), (following, _) in itertools.pairwise(taken):
            assert first + count <= following, f"row ids are shared: {taken}"
        if taken:
            domain = self.history.states[-1].domains["delta.rowTracking"]
            mark = _json(domain)["rowIdHighWaterMark"]
            assert mark == taken[-1][0] + taken[-1][1] - 1

    def check_timestamps(self) -> None:
        """In-commit timestamps grow with every commit."""
        if self.history.states[-1].configuration.get("delta.enableInCommitTimestamps") != "true":
            return
        stamps = [info["inCommitTimestamp"] for info in self.history.infos]
        assert all(first < second for first, second in itertools.pairwise(stamps)), stamps


def _read_commits(files: MemoryStore) -> list[list[Json]]:
    versions = [commit_version(file.path) for file in files.list_from("_delta_log/")]
    found = sorted(version for version in versions if version is not None)
    assert found == list(range(len(found))), f"versions have gaps: {found}"
    return [decode(files.read(commit_path(version))) for version in found]


def _single(actions: list[Json], name: str) -> Json:
    found = [action[name] for action in actions if name in action]
    assert len(found) == 1, f"{len(found)} {name}"
    value: Json = found[0]
    return value


def _paths(actions: list[Json], name: str) -> frozenset[str]:
    return frozenset(action[name]["path"] for action in actions if name in action)


def _rows(add: Json) -> int:
    return int(_json(add["stats"])["numRecords"])


def _json(text: str) -> Any:
    return json.loads(text)
