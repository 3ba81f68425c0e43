"""Run recorded conflicts: one transaction against the commits that won before it, as delta-spark decided.

The file holds one case a line (or the same, gzipped); its README gives the format. The transaction is the real one, on
a store in memory; the winners are put into that store when the case says so. Values that only the recorded system has
are taken from the record: its name (`engineInfo`), and the text of predicates in operation parameters, in which Spark
writes numbers of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import msgspec

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.log.log import DeltaLog
from deltaresolver.log.names import commit_path
from deltaresolver.log.storage.memory_store import MemoryStore
from deltaresolver.model.actions import Action, AddFile, read_action
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.operation import Operation
from deltaresolver.model.protocol import Protocol
from deltaresolver.testing.conformance.conflict_answers import differences_in_commit, differences_in_error
from deltaresolver.testing.conformance.known.conflicts import known_difference
from deltaresolver.testing.conformance.recorded_cases import followed, recorded_cases
from deltaresolver.testing.conformance.recorded_operations import recorded_operation
from deltaresolver.testing.conformance.report import ConformanceReport, Failure, KnownDifference
from deltaresolver.transaction.transaction import OptimisticTransaction

RECORDED_ENGINE = "Apache-Spark/4.2.0 Delta-Lake/4.4.0"
NOW_MS = 1_800_000_000_000
"""The runner's clock: after everything recorded with real times, before the far future some cases reach for."""


def run_conflicts(path: str | Path, catalog: FeatureCatalog | None = None) -> ConformanceReport:
    """Run every case in the file at `path`."""
    known = delta_spark_catalog() if catalog is None else catalog
    passed = 0
    failures: list[Failure] = []
    meant: list[KnownDifference] = []
    for case in recorded_cases(path):
        with followed(path, case):
            differences = run_case(case, known)
            reason = known_difference(case, differences, lambda one: run_case(one, known)) if differences else None
        if reason is not None:
            meant.append(KnownDifference(str(case.get("id")), reason, "; ".join(differences)))
        elif differences:
            failures.append(Failure(str(case.get("id")), "; ".join(differences)))
        else:
            passed += 1
    return ConformanceReport("conflicts", passed, tuple(failures), tuple(meant))


def run_case(case: Mapping[str, Any], catalog: FeatureCatalog) -> list[str]:
    """The differences between the result of one case and the recorded one; empty if there are none."""
    scene = _Scene.of(case)
    outcome = case["outcome"]
    result, transaction, found = None, None, list[str]()
    try:
        transaction = scene.begin(catalog)
        found = _read(transaction, case["loser"]["reads"], outcome)
        scene.land_next()
        result = _commit(transaction, case)
    except DeltaResolverError as error:
        of_error = differences_in_error(error, outcome)
        return [*of_error, *found] if of_error else _differences_in_facts(transaction, outcome, failed=True)
    except Exception as error:  # noqa: BLE001 - any other exception is a difference to report
        return [f"raised {type(error).__name__}: {error}"]
    expected = "skipped" if result is None else "committed"
    if outcome["result"] != expected:
        answer = outcome.get("condition") or outcome.get("exception") or outcome["result"]
        return [f"{expected}, recorded {answer}"]
    differences = [*found, *_differences_in_facts(transaction, outcome)]
    if result is not None:
        lines = scene.store.read(commit_path(result)).splitlines()
        written = [json.loads(line) for line in lines]
        differences += differences_in_commit(result, written, outcome, transaction.transaction_id)
    return differences


class WaveStore(MemoryStore):
    """A table in memory where each attempt at a commit is preceded by the next wave of winners."""

    def __init__(self, waves: Sequence[Sequence[bytes]], clock: Any) -> None:
        super().__init__("recorded", clock_ms=clock)
        self.waves = list(waves)
        self.next_version = 0
        self.is_racing = False
        self.is_first_attempt = True

    def append(self, data: bytes) -> None:
        """Put a commit as the next version."""
        super().put_if_absent(commit_path(self.next_version), data)
        self.next_version += 1

    def land_wave(self) -> None:
        """Put the commits of the next wave, if there is one."""
        for data in self.waves.pop(0) if self.waves else ():
            self.append(data)

    def put_if_absent(self, path: str, data: bytes) -> None:
        """A commit attempt; before every attempt but the first the next wave is put."""
        if self.is_racing:
            if not self.is_first_attempt:
                self.land_wave()
            self.is_first_attempt = False
        super().put_if_absent(path, data)


@attrs.frozen(slots=True)
class _Scene:
    """The table of one case, and the transaction that will write to it."""

    store: WaveStore
    session: Mapping[str, str]
    transaction_id: str

    @classmethod
    def of(cls, case: Mapping[str, Any]) -> _Scene:
        """The table after its initial commits."""
        transaction_id = "00000000-0000-4000-8000-00000000aaaa"
        waves = [[_encode(commit, transaction_id) for commit in wave] for wave in case["winners"]]
        store = WaveStore(waves, lambda: NOW_MS)
        for commit in case["initial"]:
            store.append(_encode(commit, transaction_id))
        session = {key: str(value) for key, value in (case.get("conf") or {}).items()}
        return cls(store, session, transaction_id)

    def begin(self, catalog: FeatureCatalog) -> OptimisticTransaction:
        """The transaction that will lose the first race, if there is one."""
        return OptimisticTransaction(
            DeltaLog(self.store, clock=lambda: NOW_MS),
            catalog,
            session=self.session,
            clock=lambda: NOW_MS,
            new_id=lambda: self.transaction_id,
            sleep=lambda _: None,
            engine_info=RECORDED_ENGINE,
        )

    def land_next(self) -> None:
        """Put the first wave; the others are put between attempts."""
        self.store.land_wave()
        self.store.is_racing = True


def _encode(commit: Sequence[Mapping[str, Any]], transaction_id: str) -> bytes:
    found = b"".join(msgspec.json.encode(action) + b"\n" for action in commit)
    for placeholder in (b"{txnId}", b"{loserTxnId}"):
        found = found.replace(placeholder, transaction_id.encode())
    return found


def _read(
    transaction: OptimisticTransaction, reads: Sequence[Mapping[str, Any]], outcome: Mapping[str, Any]
) -> list[str]:
    """Make the recorded reads, and return how the last results differ."""
    files: list[AddFile] | None = None
    version: int | None = None
    for read in reads:
        kind = read["kind"]
        if kind == "whole_table":
            transaction.read_whole_table()
        elif kind == "filter_files":
            files = transaction.filter_files(*read["predicates"])
        elif kind == "track_files":
            wanted = set(read["paths"])
            live = [] if transaction.snapshot is None else transaction.snapshot.add_actions()
            transaction.track_files_read(file for file in live if file.path in wanted)
        elif kind == "track_predicates":
            transaction.track_read_predicates(*read["predicates"], partition_only=True)
        else:
            version = transaction.txn_version(read["appId"])
    differences = []
    if "read_files" in outcome and files is not None:
        paths = sorted(file.path for file in files)
        if paths != sorted(outcome["read_files"]):
            differences.append(f"read {paths}, recorded {sorted(outcome['read_files'])}")
    if outcome.get("txn_version") is not None and version != outcome["txn_version"]:
        differences.append(f"txn_version {version}, recorded {outcome['txn_version']}")
    return differences


def _commit(transaction: OptimisticTransaction, case: Mapping[str, Any]) -> int | None:
    loser = case["loser"]
    actions = [_action(action) for action in loser["actions"]]
    operation: Operation = recorded_operation(loser["operation"], case["outcome"])
    tags = loser.get("tags") or {}
    via = loser.get("via", "commit")
    if via == "commitIfNeeded":
        return transaction.commit_if_needed(actions, operation, tags)
    if via == "commitLarge":
        protocol = next((action for action in actions if isinstance(action, Protocol)), None)
        others = [action for action in actions if not isinstance(action, Protocol)]
        return transaction.commit_large(others, operation, protocol)
    return transaction.commit(actions, operation, tags)


def _action(wrapped: Mapping[str, Any]) -> Action:
    ((name, value),) = wrapped.items()
    return read_action(name, value)


def _differences_in_facts(
    transaction: OptimisticTransaction | None, outcome: Mapping[str, Any], *, failed: bool = False
) -> list[str]:
    if transaction is None:
        return []
    if failed and transaction.isolation_level is None:
        return []  # refused before an isolation level was chosen, so there is none to compare
    differences = []
    recorded = outcome.get("isolation_level")
    level = transaction.isolation_level
    if recorded is not None and (level is None or level.value != recorded):
        differences.append(f"isolation {level}, recorded {recorded}")
    blind = outcome.get("is_blind_append")
    if blind is not None and recorded is not None and transaction.is_blind_append != blind:
        differences.append(f"is_blind_append {transaction.is_blind_append}, recorded {blind}")
    if transaction.conflict_rounds != outcome.get("conflict_checks", 0):
        differences.append(f"{transaction.conflict_rounds} conflict checks, recorded {outcome['conflict_checks']}")
    return differences
