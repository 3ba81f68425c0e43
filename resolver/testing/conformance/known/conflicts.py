"""Where a transaction ends in another way than delta-spark's, and is meant to."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deltaresolver.errors import DeltaResolverError
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.model.metadata import Metadata
from deltaresolver.transaction.settings import RECOGNISE_OWN_COMMIT

Case = Mapping[str, Any]

OWN_COMMIT = (
    "A commit with this transaction's id is this transaction's, whose answer was lost on the way; repeating it would "
    "write its rows twice. delta-spark recognises it only in a session that says so."
)
OWN_COMMIT_AND_OTHERS = (
    "delta-spark finds its own commit in the log and still holds it against commits that came after it: it reports a "
    "conflict for rows that are there, and who repeats the write has them twice. Here the commit that landed counts."
)
AGREES_FIRST = (
    "A commit after which the protocol would not name what the metadata switches on is refused before anything is "
    "written. delta-spark finds out when it reads the table next: then the commit may be there, and nobody reads it."
)
READS_NEWEST_FIRST = (
    "Both refuse. delta-spark reads the newest version first, where protocol and metadata disagree; here the commits "
    "that won are looked at one by one, and an earlier one is in the way."
)
WRITTEN_ONCE = "A large commit with new metadata: delta-spark writes the old metadata beside it, which one replaces."
CHECKED_TOO = (
    "A large commit is checked as any other. delta-spark's commitLarge writes what it is given, which CONVERT, CLONE "
    "and RESTORE have checked before."
)
NOT_EVALUATED = (
    "The condition takes a function that only an engine evaluates, so that the file counts as one that it may hold "
    "for: a conflict more, never one fewer."
)
PRUNED_BY_EACH_VALUE = (
    "Files are left out by each value of an IN list; delta-spark goes by the range of the list, or reads all. What is "
    "left out has no such row."
)
NOT_IMPLEMENTED = (
    "A commit brings a feature which this library does not implement and delta-spark does: nothing is written to a "
    "table whose rules are not known here."
)
LOSES_FEATURES = (
    "Both refuse a protocol that loses features. delta-spark names the version of IcebergCompat that needs one of "
    "them; here a protocol may lose none, whatever needs it."
)
CATALOG_DECIDES = (
    "A commit that would hand the table to a catalog is made by that catalog: by the log alone, nobody would know "
    "which later commits count. delta-spark's transaction writes it as it is given."
)
_READ = re.compile(r"read (\[.*\]), recorded (\[.*\])")
_MISMATCH = "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH"
_READ_AND_REMOVED = "raised ConcurrentDeleteReadError "
"""What comes of a file that was read here alone, where somebody removes it."""
_REMOVED_BY_BOTH = "raised ConcurrentDeleteDeleteError "
"""Here a conflict is that a file was removed twice, where it is there that the file was read."""
_LOST = "DELTA_CONCURRENT_WRITE"
_NEEDED_BY_ICEBERG = "DELTA_ICEBERG_COMPAT_VIOLATION.DISABLING_REQUIRED_TABLE_FEATURE"


def known_difference(case: Case, differences: Sequence[str]) -> str | None:
    """Why the differences of a case are meant; None if they are not."""
    first, condition = differences[0], str(case["outcome"].get("condition"))
    if first.startswith("committed, recorded DELTA_") and _is_own_commit(case):
        if RECOGNISE_OWN_COMMIT not in (case.get("conf") or {}):
            return OWN_COMMIT if condition.startswith("DELTA_CONCURRENT_") else None
        return OWN_COMMIT_AND_OTHERS
    if first.startswith("raised ") and (refused := _refused_here(case, first)) is not None:
        return refused
    if case["loser"].get("via") == "commitLarge" and first.endswith("'metaData', 'metaData']"):
        return WRITTEN_ONCE
    if "DELTA_CONCURRENT_APPEND." in first and first.endswith("recorded committed") and _is_beyond_us(case):
        return NOT_EVALUATED
    beyond = [one for one in differences if _read_beyond_us(case, one)]
    if beyond and len(beyond) == sum(not one.startswith(_READ_AND_REMOVED) for one in differences):
        return NOT_EVALUATED
    pruned = [one for one in differences if _reads_less(one)]
    others = [one for one in differences if not _reads_less(one) and not one.startswith(_REMOVED_BY_BOTH)]
    if pruned and not others and any(" IN (" in text for text in _conditions(case)):
        return PRUNED_BY_EACH_VALUE
    return None


def _refused_here(case: Case, first: str) -> str | None:
    """Why a case is refused here in another way, or at all."""
    outcome, condition = case["outcome"], str(case["outcome"].get("condition"))
    if first.startswith("raised ProtocolMismatchError ") and (outcome["result"] == "error" or _others_change(case)):
        return AGREES_FIRST
    if first.startswith("raised ProtocolUnsupportedError ") and "this client does not implement" in first:
        return NOT_IMPLEMENTED if _is_brought(case, first.partition(" takes ")[2].partition(", ")[0]) else None
    if first.startswith("raised ProtocolUnsupportedError ") and "this client commits to the log alone" in first:
        return CATALOG_DECIDES if outcome["result"] == "committed" else None
    if condition == _MISMATCH and _is_dropping(case) and case["winners"] != [[]]:
        return READS_NEWEST_FIRST
    if case["loser"].get("via") == "commitLarge" and (outcome["result"] == "committed" or condition == _LOST):
        return CHECKED_TOO
    if first.startswith("raised ProtocolDowngradeError ") and condition == _NEEDED_BY_ICEBERG:
        return LOSES_FEATURES
    return None


def _reads_less(difference: str) -> bool:
    """Whether the difference is that fewer files were read here."""
    lists = _READ.fullmatch(difference)
    return lists is not None and set(ast.literal_eval(lists[1])) < set(ast.literal_eval(lists[2]))


def _is_brought(case: Case, feature: str) -> bool:
    """Whether the loser or a winner puts the feature into the protocol."""
    given = [*case["loser"]["actions"], *(action for wave in case["winners"] for action in _actions(wave))]
    protocols = [action["protocol"] for action in given if "protocol" in action]
    return any(feature in protocol.get("writerFeatures", ()) for protocol in protocols)


def _is_own_commit(case: Case) -> bool:
    """Whether a winner carries the loser's id."""
    return any(name in json.dumps(case["winners"]) for name in ("{loserTxnId}", "{txnId}"))


def _others_change(case: Case) -> bool:
    """Whether a winner changes the metadata or the protocol."""
    changes = [action for wave in case["winners"] for action in _actions(wave)]
    return any({"metaData", "protocol"} & action.keys() for action in changes)


def _is_dropping(case: Case) -> bool:
    return bool(case["loser"]["operation"]["name"] == "DROP FEATURE")


def _read_beyond_us(case: Case, difference: str) -> bool:
    """Whether each file that was read here alone is one that a condition can be judged neither way for."""
    lists = _READ.fullmatch(difference)
    if lists is None:
        return False
    here, there = set(ast.literal_eval(lists[1])), set(ast.literal_eval(lists[2]))
    adds = {action["add"]["path"]: action["add"] for action in _actions(case["initial"]) if "add" in action}
    return there < here and all(_is_undecided(case, [adds[path]]) for path in here - there)


def _is_beyond_us(case: Case) -> bool:
    """Whether a condition over partitions alone can be judged neither way for some file that a winner added."""
    adds = [action["add"] for wave in case["winners"] for action in _actions(wave) if "add" in action]
    return _is_undecided(case, adds)


def _is_undecided(case: Case, adds: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a condition over partitions alone can be judged neither way for one of the files."""
    metadata = next((_metadata(action) for action in _actions(case["initial"]) if "metaData" in action), None)
    if metadata is None:
        return False
    judge, names = PartitionJudge.of(metadata), frozenset(name.lower() for name in metadata.partition_columns)
    for text in _conditions(case):
        try:
            predicate = parse_predicate(text)
        except DeltaResolverError:
            return True
        if predicate.looks_only_at(names):
            for add in adds:
                values = add["partitionValues"]
                if judge.may_hold(predicate, values) and not judge.surely_holds(predicate, values):
                    return True
    return False


def _metadata(action: Mapping[str, Any]) -> Metadata:
    return Metadata.from_json(action["metaData"])


def _actions(commits: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[Mapping[str, Any]]:
    for commit in commits:
        yield from commit


def _conditions(case: Case) -> Iterator[str]:
    for read in case["loser"]["reads"]:
        yield from read.get("predicates", ())
