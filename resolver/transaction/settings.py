"""What a session says about how transactions behave, under the names delta-spark gives these settings."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.expressions.allowed_functions import TRUST
from deltaresolver.model.rules import read_boolean

_PREFIX = "spark.databricks.delta."
ENFORCE_FEATURE_ENABLEMENT = _PREFIX + "conflictChecker.enforceConcurrentFeatureEnablement.enabled"
RESOLVE_METADATA_CONFLICTS = _PREFIX + "featureEnablement.conflictResolution.enabled"
RECOGNISE_OWN_COMMIT = _PREFIX + "commit.idempotencyCheck.enabled"
MAX_RETRIES = _PREFIX + "maxCommitAttempts"
SKIP_EMPTY_COMMITS = _PREFIX + "skipRecordingEmptyCommits"
PARTITION_COLUMN_CHANGES = _PREFIX + "partitionColumnChangeCheck"
REPLACE_MAY_DOWNGRADE = _PREFIX + "replace.protocolDowngradeAllowed"
CHECK_DUPLICATES = _PREFIX + "duplicateActionCheck.enabled"
VALIDATE_COMMITS = _PREFIX + "commitValidation.enabled"
CONSISTENT_DATA_CHANGE = _PREFIX + "commitValidation.consistentDataChange.mode"
WRITE_METRICS = _PREFIX + "history.metricsEnabled"
USER_METADATA = _PREFIX + "commitInfo.userMetadata"

DEFAULT_MAX_RETRIES = 10_000
"""With back-off this is hours of losing every race: time to look at what the other writers do."""


@attrs.frozen(slots=True)
class TransactionSettings:
    """The settings in effect.

    enforce_feature_enablement  a winner that adds a feature which aborts writers makes the draft fail
    resolve_metadata_conflicts  harmless changes of properties by a winner are taken over
    recognise_own_commit        a winner with this transaction's id is this transaction
    max_retries                 how often a lost attempt may be repeated
    skip_empty_commits          `commit_if_needed` writes nothing where nothing is to be written
    refuse_partition_changes    changing partition columns where the operation may not fails; else it is logged
    replace_may_downgrade       a replaced table may lose features
    user_metadata               free text for history where the operation gives none
    check_duplicates            a commit that names a file twice fails
    validate_commits            a first commit without metadata, and partition values that do not fit, fail; else they
                                are logged
    refuse_mixed_data_change    a commit fails whose file actions change data in part only
    write_metrics               history gets the operation's metrics
    trust_expressions           expressions that the table keeps may call anything when rows are written
    """

    enforce_feature_enablement: bool = False
    resolve_metadata_conflicts: bool = True
    recognise_own_commit: bool = True
    max_retries: int = DEFAULT_MAX_RETRIES
    skip_empty_commits: bool = True
    refuse_partition_changes: bool = False
    replace_may_downgrade: bool = False
    user_metadata: str | None = None
    check_duplicates: bool = True
    validate_commits: bool = True
    refuse_mixed_data_change: bool = False
    write_metrics: bool = True
    trust_expressions: bool = False

    @classmethod
    def from_session(cls, session: Mapping[str, str]) -> TransactionSettings:
        """What `session` sets, defaults elsewhere. Raises `PropertyInvalidError`."""
        return cls(
            _boolean(session, ENFORCE_FEATURE_ENABLEMENT, default=False),
            _boolean(session, RESOLVE_METADATA_CONFLICTS, default=True),
            _boolean(session, RECOGNISE_OWN_COMMIT, default=True),
            _number(session, MAX_RETRIES, DEFAULT_MAX_RETRIES),
            _boolean(session, SKIP_EMPTY_COMMITS, default=True),
            str(session.get(PARTITION_COLUMN_CHANGES, "log-only")).lower() == "true",
            _boolean(session, REPLACE_MAY_DOWNGRADE, default=False),
            session.get(USER_METADATA),
            _boolean(session, CHECK_DUPLICATES, default=True),
            _boolean(session, VALIDATE_COMMITS, default=True),
            _choice(session, CONSISTENT_DATA_CHANGE, ("log", "off", "fatal")) == "fatal",
            _boolean(session, WRITE_METRICS, default=True),
            _boolean(session, TRUST, default=False),
        )


def _boolean(session: Mapping[str, str], key: str, *, default: bool) -> bool:
    value = session.get(key)
    return default if value is None else read_boolean(key, value)


def _choice(session: Mapping[str, str], key: str, choices: tuple[str, ...]) -> str:
    """The value in lower case, by default the first choice."""
    value = str(session.get(key, choices[0]))
    if value.lower() in choices:
        return value.lower()
    raise PropertyInvalidError(
        f"{key} is {value!r}, which is none of {', '.join(choices)}.",
        fix=f"Set {key} to {' or '.join(choices)}.",
        details={"key": key, "value": value, "choices": list(choices)},
    )


def _number(session: Mapping[str, str], key: str, default: int) -> int:
    value = session.get(key)
    if value is None:
        return default
    if not str(value).isdecimal():
        raise PropertyInvalidError(
            f"{key} is {value!r}, which is not a whole number.",
            fix=f"Set {key} to a number, 0 or more.",
            details={"key": key, "value": str(value)},
        )
    return int(value)
