"""What a write was asked to do, from a mode and options that users spell in any case."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

import attrs

from deltaresolver.errors import WriteOptionError

MODES = {
    "append": "append",
    "overwrite": "overwrite",
    "error": "error",
    "errorifexists": "error",
    "default": "error",
    "ignore": "ignore",
}
REPLACE_WHERE = "replaceWhere"
PARTITION_OVERWRITE_MODE = "partitionOverwriteMode"
MERGE_SCHEMA = "mergeSchema"
OVERWRITE_SCHEMA = "overwriteSchema"
USER_METADATA = "userMetadata"
APPLICATION = "txnAppId"
APPLICATION_VERSION = "txnVersion"
DATA_CHANGE = "dataChange"
OPTIMIZE_WRITE = "optimizeWrite"
_KNOWN = (
    REPLACE_WHERE,
    PARTITION_OVERWRITE_MODE,
    MERGE_SCHEMA,
    OVERWRITE_SCHEMA,
    USER_METADATA,
    APPLICATION,
    APPLICATION_VERSION,
    DATA_CHANGE,
    OPTIMIZE_WRITE,
)
MAX_RECORDS = "maxRecordsPerFile"
_FOR_FILES = (MAX_RECORDS, "compression")
_FOR_FILES_PREFIX = "parquet."
_ELSEWHERE = frozenset({"path", "provider"})


@attrs.frozen(slots=True)
class WriteOptions:
    """One write, as asked.

    replace_where      SQL condition of the rows that are replaced
    overwrite_dynamic  only partitions that get rows are replaced; None leaves it to the session
    merge_schema       columns that the table lacks are added; None leaves it to the session
    overwrite_schema   the table takes the schema and partitioning of the rows
    application        id and version of the application's write: one not newer than the last is left out
    data_change        False for rows that only move between files
    optimize_write     rows are gathered before they are written; None leaves it to the session and the table
    for_files          options that Spark's Parquet writer gets
    """

    mode: str = "error"
    partition_by: tuple[str, ...] = ()
    properties: Mapping[str, str] = attrs.field(factory=dict, hash=False)
    replace_where: str | None = None
    overwrite_dynamic: bool | None = None
    merge_schema: bool | None = None
    overwrite_schema: bool = False
    user_metadata: str | None = None
    application: tuple[str, int] | None = None
    data_change: bool = True
    optimize_write: bool | None = None
    for_files: Mapping[str, str] = attrs.field(factory=dict, hash=False)

    @property
    def replaces(self) -> bool:
        """Whether rows that are there may go."""
        return self.mode == "overwrite"


def parse_write_options(
    mode: str,
    partition_by: Sequence[str] | str | None = (),
    options: Mapping[str, object] | None = None,
    properties: Mapping[str, str] | None = None,
) -> WriteOptions:
    """What is asked. Options called `delta.*` are table properties. Raises `WriteOptionError`."""
    given = {key.lower(): _Given(key, value) for key, value in (options or {}).items() if value is not None}
    if any(key.lower() == REPLACE_WHERE.lower() and value is None for key, value in (options or {}).items()):
        raise WriteOptionError(
            f"{REPLACE_WHERE} is None, which would replace every row.",
            fix="Give a condition, or leave the option out to replace every row.",
            details={"option": REPLACE_WHERE},
        )
    asked = WriteOptions(
        mode=_mode(mode),
        partition_by=(partition_by,) if isinstance(partition_by, str) else tuple(partition_by or ()),
        properties={**{one.key: one.text for one in given.values() if _is_property(one.key)}, **(properties or {})},
        replace_where=_text(given, REPLACE_WHERE),
        overwrite_dynamic=_is_dynamic(given),
        merge_schema=_flag(given, MERGE_SCHEMA),
        overwrite_schema=_flag(given, OVERWRITE_SCHEMA) or False,
        user_metadata=_text(given, USER_METADATA),
        application=_application(given),
        data_change=_flag(given, DATA_CHANGE) is not False,
        optimize_write=_flag(given, OPTIMIZE_WRITE),
        for_files={one.key: one.text for one in given.values() if _is_for_files(one.key)},
    )
    _ensure_known(given)
    most = _text(given, MAX_RECORDS)
    if most is not None and not most.strip().removeprefix("-").isdecimal():
        raise _illegal(MAX_RECORDS, most, "must be a whole number")
    _ensure_consistent(asked)
    return asked


def is_write_option(key: str) -> bool:
    """Whether a write takes an option of this name."""
    return key.lower() in {each.lower() for each in _KNOWN} or _is_property(key) or _is_for_files(key)


@attrs.frozen(slots=True)
class _Given:
    key: str
    value: object

    @property
    def text(self) -> str:
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)


def _is_property(key: str) -> bool:
    return key.lower().startswith("delta.")


def _is_for_files(key: str) -> bool:
    return key.lower() in {name.lower() for name in _FOR_FILES} or key.lower().startswith(_FOR_FILES_PREFIX)


def _mode(mode: str) -> str:
    found = MODES.get(mode.lower())
    if found is None:
        raise WriteOptionError(
            f"{mode!r} is not a valid write mode.",
            fix=f"Use one of {', '.join(sorted(set(MODES.values())))}.",
            details={"mode": mode},
            delta_class="AnalysisException",
            delta_condition="INVALID_SAVE_MODE",
        )
    return found


def _text(given: Mapping[str, _Given], name: str) -> str | None:
    found = given.get(name.lower())
    return None if found is None else found.text


def _flag(given: Mapping[str, _Given], name: str) -> bool | None:
    text = _text(given, name)
    if text is None:
        return None
    if text.lower() not in ("true", "false"):
        raise _illegal(name, text, "must be true or false")
    return text.lower() == "true"


def _is_dynamic(given: Mapping[str, _Given]) -> bool | None:
    text = _text(given, PARTITION_OVERWRITE_MODE)
    if text is None:
        return None
    if text.lower() not in ("static", "dynamic"):
        raise _illegal(PARTITION_OVERWRITE_MODE, text, "must be static or dynamic")
    return text.lower() == "dynamic"


def _application(given: Mapping[str, _Given]) -> tuple[str, int] | None:
    name, version = _text(given, APPLICATION), _text(given, APPLICATION_VERSION)
    if name is None and version is None:
        return None
    if name is None or version is None:
        raise WriteOptionError(
            f"{APPLICATION} and {APPLICATION_VERSION} only mean something together.",
            fix="Give both options, or neither.",
            details={APPLICATION: name, APPLICATION_VERSION: version},
            delta_condition="DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
        )
    if not version.removeprefix("-").isdecimal():
        raise WriteOptionError(
            f"{APPLICATION_VERSION} is {version!r}, which is not a whole number.",
            fix="Count the application's writes up in whole numbers.",
            details={APPLICATION_VERSION: version},
            delta_condition="DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
        )
    return name, int(version)


def _illegal(name: str, found: str, demand: str) -> WriteOptionError:
    return WriteOptionError(
        f"Option {name} {demand}, found {found!r}.",
        fix=f"Correct {name}, or leave it out.",
        details={"option": name, "found": found},
    )


def _ensure_known(given: Mapping[str, _Given]) -> None:
    known = {name.lower(): name for name in (*_KNOWN, *_FOR_FILES)}
    for lowered, one in given.items():
        if lowered in known or lowered in _ELSEWHERE or _is_property(one.key) or _is_for_files(one.key):
            continue
        near = difflib.get_close_matches(lowered, known, n=1)
        hint = f" (did you mean {known[near[0]]}?)" if near else ""
        raise WriteOptionError(
            f"{one.key} is not a valid write option{hint}.",
            fix=f"Use {', '.join(known.values())}, or an option of Parquet's beginning with parquet.",
            details={"option": one.key, "closest": known[near[0]] if near else None},
        )


def _ensure_consistent(asked: WriteOptions) -> None:
    if asked.replace_where is not None and not asked.replaces:
        raise WriteOptionError(
            f"{REPLACE_WHERE} is given, but the mode is {asked.mode}.",
            fix="Use mode overwrite, or leave the option out.",
            details={"mode": asked.mode, "replaceWhere": asked.replace_where},
            delta_condition="DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET",
        )
    if asked.replace_where is not None and asked.overwrite_dynamic:
        raise WriteOptionError(
            f"{REPLACE_WHERE} and {PARTITION_OVERWRITE_MODE} dynamic both decide which rows are replaced.",
            fix="Leave one of them out.",
            details={"replaceWhere": asked.replace_where},
            delta_condition="DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE",
        )
    if asked.overwrite_schema and asked.overwrite_dynamic:
        raise WriteOptionError(
            f"{OVERWRITE_SCHEMA} does not go with {PARTITION_OVERWRITE_MODE} dynamic: partitions that stay have the "
            "old schema.",
            fix="Leave one of them out.",
            delta_condition="DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE",
        )
    if asked.replace_where is not None and asked.overwrite_schema:
        raise WriteOptionError(
            f"{OVERWRITE_SCHEMA} does not go with {REPLACE_WHERE}: rows that stay have the old schema.",
            fix=f"Leave one of them out, or use {MERGE_SCHEMA}.",
            details={"replaceWhere": asked.replace_where},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_OVERWRITE_SCHEMA_WITH_REPLACE_WHERE",
        )
