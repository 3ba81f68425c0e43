"""Intended differences between the results of transactions here and in delta-spark."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from deltaresolver.errors import DeltaResolverError
from deltaresolver.expressions.conditions import PartitionJudge, parse_predicate
from deltaresolver.model.facts.columns import mapping_mode, physical_name
from deltaresolver.model.metadata import Metadata
from deltaresolver.testing.conformance.known.choices import LEFT_USABLE
from deltaresolver.transaction.metadata.condition_check import depends_on_chance
from deltaresolver.transaction.settings import RECOGNISE_OWN_COMMIT

Case = Mapping[str, Any]

OWN_COMMIT = (
    "A commit with this transaction's id is this transaction's, whose answer was lost on the way, and counts: who "
    "repeats the write has its rows twice. delta-spark recognises it only in a session that says so, and even then "
    "goes on and reports a conflict with commits that came after it."
)
LARGE_TOO = (
    "A large commit is prepared and checked as any other. delta-spark's commitLarge writes what it is given, which "
    "CONVERT, CLONE and RESTORE have checked before, and old metadata beside new."
)
NOT_EVALUATED = (
    "The condition takes a function or a mix of types that only an engine evaluates, so that the file counts as one "
    "that it may hold for: a conflict more, never one fewer."
)
PRUNED_BY_EACH_VALUE = (
    "Files are left out by each value of an IN list, each statistic that they have and each side of an AND. "
    "delta-spark goes by the range of the list, or reads all, and reads files where a column that is asked for has no "
    "statistic, or beside rand(). What is left out has no such row."
)
NOT_FOLLOWED = (
    "Nothing is committed to a table whose rules are not followed here: one with a feature that this library does not "
    "implement, or one whose catalog decides which commits count. delta-spark writes what it is given."
)
BACKFILL_MET = (
    "Row ids that somebody gave by a backfill are taken back where the feature is dropped, as ids of any other commit, "
    "and mean nothing to a table that tracks no rows. delta-spark fails an assertion of its own there."
)
REASONS = frozenset(
    {LEFT_USABLE, OWN_COMMIT, LARGE_TOO, NOT_EVALUATED, PRUNED_BY_EACH_VALUE, NOT_FOLLOWED, BACKFILL_MET}
)
"""Every reason there is."""

_READ = re.compile(r"read (\[.*\]), recorded (\[.*\])")
_READ_AND_REMOVED = "raised ConcurrentDeleteReadError "
"""The result where a winner removes a file that only this library has read."""
_REMOVED_BY_BOTH = "raised ConcurrentDeleteDeleteError "
"""The result here where both remove a file; delta-spark reports that a file it has read was removed."""
_LOST = "DELTA_CONCURRENT_WRITE"
_BY_OTHERS = frozenset({_LOST, "DELTA_PROTOCOL_CHANGED", "DELTA_METADATA_CHANGED"})
"""Conflicts in recordings of transactions that are refused here before any winner is checked."""
_MISMATCH = "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH"
_NO_MARK = "not a high-water mark"
_ROWS_BOTH = "delta.enableRowTracking and delta.rowTrackingSuspended are both true"


def known_difference(case: Case, differences: Sequence[str], run: Callable[[Case], list[str]]) -> str | None:
    """Why the differences of a case are intended; None if they are not. `run` returns those of another case."""
    first, condition = differences[0], str(case["outcome"].get("condition"))
    if first.startswith("committed, recorded ") and case["outcome"]["result"] == "error" and _is_own_commit(case):
        is_told = RECOGNISE_OWN_COMMIT in (case.get("conf") or {})
        return OWN_COMMIT if is_told or condition.startswith("DELTA_CONCURRENT_") else None
    if first == "committed, recorded AssertionError" and _meets_backfill(case):
        return BACKFILL_MET
    if condition == _MISMATCH and all(" conflict checks, recorded " in one for one in differences):
        return LEFT_USABLE
    if first.startswith("raised ") and (refused := _refused_here(case, first)) is not None:
        return refused
    if case["loser"].get("via") == "commitLarge" and first.endswith("'metaData', 'metaData']"):
        return LARGE_TOO
    if first.startswith("raised ConcurrentAppendError ") and "_APPEND." not in condition and _is_beyond_us(case):
        return NOT_EVALUATED
    if first.startswith(_READ_AND_REMOVED) and "_DELETE_READ." not in condition and _is_removed_beyond_us(case):
        return NOT_EVALUATED
    beyond = [one for one in differences if _read_beyond_us(case, one)]
    if beyond and len(beyond) == sum(not one.startswith(_READ_AND_REMOVED) for one in differences):
        return NOT_EVALUATED
    pruned = [one for one in differences if _reads_less(one)]
    others = [one for one in differences if not _reads_less(one) and not one.startswith(_REMOVED_BY_BOTH)]
    if pruned and not others and any(" IN (" in text for text in _conditions(case)):
        return PRUNED_BY_EACH_VALUE
    return PRUNED_BY_EACH_VALUE if _is_pruned_further(case) and not run(_read_by_partition(case)) else None


def _refused_here(case: Case, first: str) -> str | None:
    """Why a case is refused here with another error, or is refused only here."""
    outcome, condition = case["outcome"], str(case["outcome"].get("condition"))
    if first.startswith("raised ProtocolMismatchError "):
        is_late = outcome["result"] == "error" or _others_change(case) or _is_own_commit(case)
        return LEFT_USABLE if is_late else None
    if first.startswith("raised RowTrackingError ") and (_ROWS_BOTH in first or _NO_MARK in first):
        return LEFT_USABLE
    if first.startswith("raised ProtocolUnsupportedError ") and " not implement " in first:
        return NOT_FOLLOWED if _brings_some_named_in(case, first) else None
    if first.startswith("raised ProtocolUnsupportedError ") and "this client commits to the log alone" in first:
        return NOT_FOLLOWED if outcome["result"] == "committed" or condition in _BY_OTHERS else None
    if case["loser"].get("via") == "commitLarge" and (outcome["result"] == "committed" or condition == _LOST):
        return LARGE_TOO
    return None


def _meets_backfill(case: Case) -> bool:
    """Whether a winner is a commit that only gives row ids to files or takes them away."""
    infos = [one["commitInfo"] for wave in case["winners"] for one in _actions(wave) if "commitInfo" in one]
    return any(str(info.get("operation")).startswith("ROW TRACKING ") for info in infos)


def _reads_less(difference: str) -> bool:
    """Whether the difference is that fewer files were read here."""
    lists = _READ.fullmatch(difference)
    return lists is not None and set(ast.literal_eval(lists[1])) < set(ast.literal_eval(lists[2]))


def _is_pruned_further(case: Case) -> bool:
    """Whether pruning leaves out files here that delta-spark keeps: an IN list, a random value, or no statistics."""
    metadata = _first_metadata(case)
    adds = [action["add"] for action in _actions(case["initial"]) if "add" in action]
    if metadata is None or not adds:
        return False
    partitions, mode = _partition_columns(metadata), mapping_mode(metadata)
    counted = [json.loads(add.get("stats") or "{}").get("nullCount", {}) for add in adds]
    known = {
        field.name.lower()
        for field in metadata.schema.fields
        if all(physical_name(field, mode) in counts for counts in counted)
    }
    data = [one for one in map(parse_predicate, _conditions(case)) if not one.looks_only_at(partitions)]
    return any(" IN (" in str(one) or depends_on_chance(one) or not one.columns <= known | partitions for one in data)


def _read_by_partition(case: Case) -> Case:
    """The case with all files read that remain after conditions on partition columns alone."""
    metadata = _first_metadata(case)
    columns = frozenset[str]() if metadata is None else _partition_columns(metadata)
    reads = [dict(read) for read in case["loser"]["reads"]]
    for read in reads:
        if read["kind"] == "filter_files":
            kept = [text for text in map(_text, read["predicates"]) if parse_predicate(text).looks_only_at(columns)]
            read["predicates"] = kept
    return {**case, "loser": {**case["loser"], "reads": reads}}


def _brings_some_named_in(case: Case, text: str) -> bool:
    """Whether the loser or a winner adds a feature that the text names to the protocol."""
    given = [*case["loser"]["actions"], *(action for wave in case["winners"] for action in _actions(wave))]
    protocols = [action["protocol"] for action in given if "protocol" in action]
    return any(name in text for protocol in protocols for name in protocol.get("writerFeatures") or ())


def _is_own_commit(case: Case) -> bool:
    """Whether a winner has the loser's transaction id."""
    return any(name in json.dumps(case["winners"]) for name in ("{loserTxnId}", "{txnId}"))


def _others_change(case: Case) -> bool:
    """Whether a winner changes the metadata or the protocol."""
    changes = [action for wave in case["winners"] for action in _actions(wave)]
    return any({"metaData", "protocol"} & action.keys() for action in changes)


def _read_beyond_us(case: Case, difference: str) -> bool:
    """Whether, for each file that only this library has read, a condition cannot be decided."""
    lists = _READ.fullmatch(difference)
    if lists is None:
        return False
    here, there = set(ast.literal_eval(lists[1])), set(ast.literal_eval(lists[2]))
    adds = {action["add"]["path"]: action["add"] for action in _actions(case["initial"]) if "add" in action}
    return there < here and all(_is_undecided(case, [adds[path]]) for path in here - there)


def _is_beyond_us(case: Case) -> bool:
    """Whether a condition on partition columns alone cannot be decided for some file that a winner added."""
    adds = [action["add"] for wave in case["winners"] for action in _actions(wave) if "add" in action]
    return _is_undecided(case, adds)


def _is_removed_beyond_us(case: Case) -> bool:
    """The same for some file that a winner removed."""
    removed = {one["remove"]["path"] for wave in case["winners"] for one in _actions(wave) if "remove" in one}
    adds = [one["add"] for one in _actions(case["initial"]) if "add" in one and one["add"]["path"] in removed]
    return _is_undecided(case, adds)


def _is_undecided(case: Case, adds: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a condition on partition columns alone cannot be decided for one of the files."""
    metadata = _first_metadata(case)
    if metadata is None:
        return False
    judge, names = PartitionJudge.of(metadata), _partition_columns(metadata)
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


def _first_metadata(case: Case) -> Metadata | None:
    found = (Metadata.from_json(one["metaData"]) for one in _actions(case["initial"]) if "metaData" in one)
    return next(found, None)


def _partition_columns(metadata: Metadata) -> frozenset[str]:
    return frozenset(name.lower() for name in metadata.partition_columns)


def _actions(commits: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[Mapping[str, Any]]:
    for commit in commits:
        yield from commit


def _conditions(case: Case) -> Iterator[str]:
    for read in case["loser"]["reads"]:
        yield from map(_text, read.get("predicates", ()))


def _text(condition: Any) -> str:
    if not isinstance(condition, str):
        raise TypeError(f"a condition is not a text: {condition!r:.100}")
    return condition
