"""Properties that instruct the resolver instead of describing the table: versions, features by name, defaults.

delta.minReaderVersion, delta.minWriterVersion     versions asked for
delta.feature.NAME = supported                      a feature asked for by name
delta.ignoreProtocolDefaults = true                 session defaults do not apply
spark.databricks.delta.properties.defaults.*        the session's defaults for new tables
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from deltaresolver.errors import (
    FeatureStatusInvalidError,
    PropertyInvalidError,
    ProtocolPropertyInMetadataError,
    ProtocolPropertyNotIntError,
)
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.model.rules import read_boolean

MIN_READER_VERSION = "delta.minReaderVersion"
MIN_WRITER_VERSION = "delta.minWriterVersion"
IGNORE_PROTOCOL_DEFAULTS = "delta.ignoreProtocolDefaults"
FEATURE_PREFIX = "delta.feature."
TABLE_PREFIX = "delta."
SESSION_PREFIX = "spark.databricks.delta.properties.defaults."
SESSION_FEATURE_PREFIX = SESSION_PREFIX + "feature."
SESSION_READER_VERSION = SESSION_PREFIX + "minReaderVersion"
SESSION_WRITER_VERSION = SESSION_PREFIX + "minWriterVersion"
SESSION_IGNORE_PROTOCOL_DEFAULTS = SESSION_PREFIX + "ignoreProtocolDefaults"

DEFAULT_READER_VERSION = "1"
DEFAULT_WRITER_VERSION = "2"

_HIGHEST_DEFAULTS = {
    SESSION_READER_VERSION: READER_VERSION_WITH_FEATURE_LIST,
    SESSION_WRITER_VERSION: WRITER_VERSION_WITH_FEATURE_LIST,
}
STATUSES = ("supported", "enabled")
# As many digits as any 32-bit number has: Python refuses to read thousands of them.
_INTEGER = r"([+-]?)0*([0-9]{1,10})"
_LARGEST_INT = 2**31 - 1
_USUAL_VERSIONS = {str(number): number for number in range(1, 8)}


def is_instruction(key: str) -> bool:
    """Whether a table property instructs the resolver and so never belongs into committed metadata."""
    return key.startswith(FEATURE_PREFIX) or key in (MIN_READER_VERSION, MIN_WRITER_VERSION, IGNORE_PROTOCOL_DEFAULTS)


def without_keys(configuration: Mapping[str, str], keys: Iterable[str]) -> dict[str, str]:
    """Properties without those of normalized `keys`; what asks for a feature goes however it was spelt.

    Some writers leave it behind with capitals, and as long as it is there every change of metadata follows it.
    """
    gone = set(keys)
    return {
        key: value
        for key, value in configuration.items()
        if key not in gone and not (key.startswith(FEATURE_PREFIX) and key.lower() in gone)
    }


def features_asked_for(configuration: Mapping[str, str], catalog: FeatureCatalog) -> Mapping[str, str]:
    """The features asked for by name, each with the property that asks.

    Raises `FeatureStatusInvalidError` for a status that is neither supported nor enabled, and
    `UnknownFeatureError` for features the catalog does not have, all of them together.
    """
    asked: dict[str, str] = {}
    unknown: list[str] = []
    for key, value in configuration.items():
        if not key.startswith(FEATURE_PREFIX):
            continue
        name, status = key.removeprefix(FEATURE_PREFIX).lower(), value.lower()
        if status not in STATUSES:
            raise FeatureStatusInvalidError(
                f"{key} is {value!r}; the status of a feature is supported.",
                fix=f"Set {key} to 'supported', or remove it.",
                details={"feature": name, "status": status, "key": key},
            )
        feature = catalog.find(name)
        if feature is None:
            unknown.append(key.removeprefix(FEATURE_PREFIX))
        else:
            asked.setdefault(feature.name, key)
    if unknown:
        raise catalog.unknown(unknown, asked_by="in table properties")
    return asked


def versions_asked_for(configuration: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The reader and writer versions asked for. Raises `ProtocolPropertyNotIntError`."""
    return _integer(configuration, MIN_READER_VERSION), _integer(configuration, MIN_WRITER_VERSION)


def _read_integer(text: str) -> int | None:
    """The 32-bit number, or None for what is none."""
    if text in _USUAL_VERSIONS:
        return _USUAL_VERSIONS[text]
    match = re.fullmatch(_INTEGER, text)
    if match and -_LARGEST_INT - 1 <= (number := int(match[1] + match[2])) <= _LARGEST_INT:
        return number
    return None


def _integer(configuration: Mapping[str, str], key: str) -> int | None:
    text = configuration.get(key)
    if text is None:
        return None
    number = _read_integer(text)
    if number is not None:
        return number
    raise ProtocolPropertyNotIntError(
        f"{key} is {text!r}, which is not a whole number.",
        fix=f"Set {key} to a number, or better remove it: the resolver finds the version itself.",
        details={"key": key, "value": text},
    )


def ensure_session_versions(session: Mapping[str, str]) -> None:
    """The session's default versions exist. Raises `PropertyInvalidError`, as Spark refuses to set such a value."""
    faults = [fault for key in _HIGHEST_DEFAULTS if (fault := _fault_of_default(key, session.get(key))) is not None]
    if faults:
        first, *others = faults
        if others:
            first.details["also"] = [other.to_json() for other in others]
        raise first


def _fault_of_default(key: str, value: str | None) -> PropertyInvalidError | None:
    if value is None:
        return None
    highest, number = _HIGHEST_DEFAULTS[key], _read_integer(str(value).strip())
    if number is not None and 1 <= number <= highest:
        return None
    kind = "TYPE_MISMATCH" if number is None else "OUT_OF_RANGE_OF_OPTIONS"
    return PropertyInvalidError(
        f"{key} is {value!r}, which is none of the versions 1 to {highest}.",
        fix=f"Set {key} to a number from 1 to {highest}, or unset it.",
        details={"key": key, "value": str(value), "highest": highest},
        delta_class="SparkIllegalArgumentException",
        delta_condition=f"INVALID_CONF_VALUE.{kind}",
    )


def _ensure_bare(key: str, value: str) -> None:
    """A default version has nothing around its number: Spark sets such a value, but no table can take it."""
    if value != value.strip():
        setting = SESSION_PREFIX + key.removeprefix(TABLE_PREFIX)
        raise PropertyInvalidError(
            f"{setting} is {value!r}, with space around the number.",
            fix=f"Set {setting} to {value.strip()}.",
            details={"key": setting, "value": value},
        )


def with_session_defaults(configuration: Mapping[str, str], session: Mapping[str, str]) -> Mapping[str, str]:
    """The properties a new table is resolved by: the session's protocol defaults, overridden by its own.

    Only instructions are taken from the session. `delta.ignoreProtocolDefaults` in the table or the session
    stops that and starts from versions 1 and 1 instead. Raises `PropertyInvalidError`.
    """
    if ignores_protocol_defaults(configuration, session):
        defaults = {MIN_READER_VERSION: "1", MIN_WRITER_VERSION: "1"}
    else:
        defaults = {
            MIN_READER_VERSION: session.get(SESSION_READER_VERSION, DEFAULT_READER_VERSION),
            MIN_WRITER_VERSION: session.get(SESSION_WRITER_VERSION, DEFAULT_WRITER_VERSION),
        }
        for key in (MIN_READER_VERSION, MIN_WRITER_VERSION):
            _ensure_bare(key, defaults[key])
        for key, value in session.items():
            if key.startswith(SESSION_FEATURE_PREFIX):
                defaults[FEATURE_PREFIX + key.removeprefix(SESSION_FEATURE_PREFIX)] = value
    defaults.update(configuration)
    return defaults


def described_by_session(session: Mapping[str, str]) -> dict[str, str]:
    """The session's defaults for properties that describe a table, as table properties.

    A new table does not take them from here: whoever creates it has put them into its metadata already.
    """
    return {
        key: value
        for name, value in session.items()
        if name.startswith(SESSION_PREFIX)
        and not is_instruction(key := TABLE_PREFIX + name.removeprefix(SESSION_PREFIX))
    }


def ignores_protocol_defaults(configuration: Mapping[str, str], session: Mapping[str, str]) -> bool:
    """Whether the table, or else the session, leaves the session's protocol defaults out."""
    value = configuration.get(IGNORE_PROTOCOL_DEFAULTS)
    if value is not None:
        return read_boolean(IGNORE_PROTOCOL_DEFAULTS, value)
    value = session.get(SESSION_IGNORE_PROTOCOL_DEFAULTS)
    return value is not None and read_boolean(SESSION_IGNORE_PROTOCOL_DEFAULTS, value)


def ensure_no_instructions(metadata: Metadata) -> None:
    """Committed metadata holds no instruction. Raises `ProtocolPropertyInMetadataError`, in Delta's own words."""
    configuration = metadata.configuration
    for key in (MIN_READER_VERSION, MIN_WRITER_VERSION):
        if key in configuration:
            raise _instruction_in_metadata(
                f"Should not have the protocol version ({key}) as part of table properties", key
            )
    for key in sorted(configuration):
        if key.startswith(FEATURE_PREFIX):
            raise _instruction_in_metadata(
                f"Should not have table features (starts with '{FEATURE_PREFIX}') as part of table properties", key
            )
    if IGNORE_PROTOCOL_DEFAULTS in configuration:
        raise _instruction_in_metadata(
            f"Should not have the table property {IGNORE_PROTOCOL_DEFAULTS} stored in table metadata",
            IGNORE_PROTOCOL_DEFAULTS,
        )


def _instruction_in_metadata(message: str, key: str) -> ProtocolPropertyInMetadataError:
    return ProtocolPropertyInMetadataError(
        message, fix=f"Remove {key} from the table properties before the commit.", details={"key": key}
    )


def without_instructions(configuration: Mapping[str, str]) -> dict[str, str]:
    """The properties that describe the table, instructions left out."""
    return {key: value for key, value in configuration.items() if not is_instruction(key)}
