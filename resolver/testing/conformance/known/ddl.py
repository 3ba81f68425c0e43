"""Intended differences between the results of DDL here and in delta-spark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from deltaresolver.testing.conformance.ddl_states import LENGTH_NOTES
from deltaresolver.testing.conformance.known.choices import CLUSTERING_STAYS, LEFT_USABLE, UNTAKEN_TYPES
from deltaresolver.testing.conformance.recorded_ddl import Step

IN_FRONT_OF_DELTA = frozenset(
    {
        "ALL_PARTITION_COLUMNS_NOT_ALLOWED",
        "COLUMN_ALREADY_EXISTS",
        "DATATYPE_MISSING_SIZE",
        "DUPLICATE_KEY",
        "IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION",
        "INVALID_DEFAULT_VALUE.DATA_TYPE",
        "INVALID_PARTITION_COLUMN_DATA_TYPE",
        "TABLE_OR_VIEW_ALREADY_EXISTS",
        "TABLE_OR_VIEW_NOT_FOUND",
        "UNSUPPORTED_DATATYPE",
        "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED",
        "UNSUPPORTED_TABLE_CHANGE",
        "UNSUPPORTED_TIME_TYPE",
        "_LEGACY_ERROR_TEMP_0034",
        "_LEGACY_ERROR_TEMP_0035",
        "_LEGACY_ERROR_TEMP_3058",
        "_LEGACY_ERROR_TEMP_3060",
        None,
    }
)
"""Conditions of Spark that replace or wrap Delta's own, or that only say that there is an error."""

_TYPES = "Which type an expression has only an engine tells; it is found out when rows are written."

_STALE_NOTES = (
    "delta-spark leaves the note of a nested column with CHAR or VARCHAR in it as it was when something in the column "
    "is added, renamed or dropped, and later takes the column's type from it, with new ids. Here the note follows."
)

_DONE_HERE: Mapping[str, str] = {
    "CAST_INVALID_INPUT": _TYPES,
    "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION": (
        "A CREATE TABLE that delta-spark refuses late leaves an empty log folder, which blocks the next one. Here a "
        "refused statement leaves nothing."
    ),
    "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH": _TYPES,
    "DELTA_GEOSPATIAL_NOT_SUPPORTED": UNTAKEN_TYPES,
    "INVALID_DEFAULT_VALUE.DATA_TYPE": _TYPES,
    "INVALID_EXTRACT_BASE_FIELD_TYPE": _TYPES,
    "UNSUPPORTED_EXPRESSION_GENERATED_COLUMN": _TYPES,
    "UNSUPPORTED_FEATURE.PARTITION_WITH_NESTED_COLUMN_IS_UNSUPPORTED": (
        "Spark looks up the clustering columns of a new table in their exact case; elsewhere case does not matter."
    ),
}
"""Why a statement that was refused in the recording is carried out here, by the recorded condition."""

_REFUSED_HERE: Mapping[str, str] = {"DR521": LEFT_USABLE, "DR761": LEFT_USABLE}
"""Why a statement that was carried out in the recording is refused here, by our error code."""


_ASKED_EARLY = (
    "What IcebergCompat brings to a table and refuses there, delta-spark asks before the statement's schema and the "
    "session's defaults are in it: history leaves out what comes with a default, and of a table that is replaced the "
    "old schema is numbered, or refused. Here the new table is asked, and history names every property that it has."
)
_AT_ONCE = (
    "Before typeWidening is dropped, files are written again and the changed types forgotten in one commit. "
    "delta-spark takes three, and whoever writes between them may bring old types back."
)
REASONS = frozenset(
    {*_DONE_HERE.values(), *_REFUSED_HERE.values(), _STALE_NOTES, _ASKED_EARLY, CLUSTERING_STAYS, _AT_ONCE}
)
"""Every reason there is."""

_OLD_SCHEMA_ASKED = re.compile(
    r": condition \S+, recorded DELTA_ICEBERG_COMPAT_VIOLATION\."
    r"|: properties \{.*'delta\.columnMapping\.maxColumnId'.*\}, recorded \{.*'delta\.columnMapping\.maxColumnId'"
    r"|: schema \{.*'delta\.columnMapping\.id'.*\}, recorded \{.*'delta\.columnMapping\.id'"
    r"|: commit \d+ operationParameters \{.*'delta\.columnMapping\.maxColumnId'"
)
"""Of a table that is replaced."""
_DEFAULTS_ASKED_LATER = re.compile(
    r": condition DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION, "
    r"recorded DELTA_ADAPTIVE_METADATA_REQUIRES_COLUMN_MAPPING_ID_MODE$"
)
_IN_HISTORY = re.compile(r": commit \d+ operationParameters ")
_CREATED_WITH = re.compile(r": commit 0 operationParameters .*'delta\.enableIcebergCompatV\d'.*, recorded ")
_FOR_ICEBERG = re.compile(r"(?P<kind>(CREATE OR )?REPLACE|CREATE) TABLE .*'delta\.enableIcebergCompatV\d'")
_IN_ONE_COMMIT = re.compile(
    r": version \d+, recorded \d+$"
    r"|: properties \{'delta\.requireCheckpointProtectionBeforeVersion': '\d+'\}, recorded \{[^,]*\}$"
    r"|: commit \d+ "
)
_CLUSTERED = re.compile(
    r": clustering columns \[.+?\], recorded \[\]"
    r"|: commit \d+ actions \[.*?\], recorded \[[^]]*'domainMetadata'[^]]*\]"
    r"|: commit \d+ domains \[\], recorded \[\{'domain': 'delta\.clustering'"
)


def leaves_the_same_table(differences: Sequence[str]) -> bool:
    """Whether only history differs, so that the next statement can be compared."""
    return all(_IN_HISTORY.search(one) for one in differences)


def is_unread(sql: str, condition: object) -> bool:
    """Whether delta-spark's own grammar failed at an arrow, which Spark's grammar has, before any check was made."""
    return condition == "PARSE_SYNTAX_ERROR" and "->" in sql


def known_difference(step: Step, differences: Sequence[str]) -> str | None:
    """Why the differences of a step are intended; None if they are not."""
    outcome = step["outcome"]
    if _is_asked_early(step["sql"], differences):
        return _ASKED_EARLY
    by_an_engine = _known_by_an_engine(step, differences)
    if by_an_engine is not None or len(differences) != 1:
        return by_an_engine
    if "IcebergCompat" not in step["sql"] and _CREATED_WITH.search(differences[0]):
        return _ASKED_EARLY
    if f": {LENGTH_NOTES} " in differences[0]:
        return _STALE_NOTES
    if outcome["result"] == "ok":
        return next((reason for code, reason in _REFUSED_HERE.items() if f": raised {code} " in differences[0]), None)
    condition = str(outcome.get("condition"))
    return _DONE_HERE.get(condition) if f": done, recorded {condition}" in differences[0] else None


def _is_asked_early(sql: str, differences: Sequence[str]) -> bool:
    statement = _FOR_ICEBERG.match(sql)
    if statement is None or not differences:
        return False
    kinds = [_DEFAULTS_ASKED_LATER] if statement["kind"] == "CREATE" else [_DEFAULTS_ASKED_LATER, _OLD_SCHEMA_ASKED]
    return all(any(kind.search(one) for kind in kinds) for one in differences)


def _known_by_an_engine(step: Step, differences: Sequence[str]) -> str | None:
    """Why a statement that writes files has another result here; None if that is not intended."""
    sql = step["sql"]
    if not differences:
        return None
    if sql.startswith("INSERT OVERWRITE") and all(map(_CLUSTERED.search, differences)):
        return CLUSTERING_STAYS
    in_one = sql.endswith("DROP FEATURE typeWidening") and all(map(_IN_ONE_COMMIT.search, differences))
    return _AT_ONCE if in_one and any(" operation REORG, recorded UNSET " in one for one in differences) else None
