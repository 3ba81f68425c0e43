"""Storage options: the names delta-rs takes, checked, so that a typing mistake is an error and not a riddle.

Names are case-insensitive, with or without the service's prefix (`AWS_REGION`, `aws_region`, `region`). What is not
given is looked up in the environment under the prefixed upper-case names. An unknown option is refused with the nearest
names; unknown environment variables are left alone, they belong to others. Options of another service are ignored:
one set of options often serves several tables.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

import attrs

from deltaresolver.errors import StorageOptionError

DEFAULT_MAX_RETRIES = 5
DEFAULT_RETRY_SECONDS = 60.0

_CLIENT = """allow_http allow_invalid_certificates connect_timeout default_content_type http1_only http2_only
    http2_keep_alive_interval http2_keep_alive_timeout http2_keep_alive_while_idle pool_idle_timeout
    pool_max_idle_per_host proxy_url proxy_ca_certificate proxy_excludes randomize_addresses read_timeout timeout
    user_agent"""
_S3 = """access_key_id secret_access_key session_token token region default_region endpoint endpoint_url endpoint_url_s3
    virtual_hosted_style_request skip_signature unsigned_payload checksum_algorithm conditional_put copy_if_not_exists
    s3_express request_payer server_side_encryption sse_kms_key_id sse_bucket_key_enabled sse_customer_key_base64
    imdsv1_fallback metadata_endpoint container_credentials_relative_uri container_credentials_full_uri
    container_authorization_token_file web_identity_token_file role_arn role_session_name endpoint_url_sts
    disable_tagging"""
_GCS = """service_account service_account_path service_account_key application_credentials bearer_token skip_signature
    base_url"""
_AZURE = """account_name account_key access_key master_key client_id client_secret tenant_id authority_id authority_host
    sas_key sas_token token bearer_token use_emulator endpoint use_fabric_endpoint msi_endpoint identity_endpoint
    object_id msi_resource_id federated_token_file use_azure_cli skip_signature disable_tagging"""
# Azure's names may carry a second prefix, `azure_storage_`; these the client only takes with it.
_ONLY_WITH_STORAGE = frozenset(
    ["account_name", "account_key", "access_key", "master_key", "sas_key", "sas_token", "token", "use_emulator"]
)
_PREFIXES = {"aws": "aws_", "google": "google_", "azure": "azure_"}
_CLIENT_NAMES = frozenset(_CLIENT.split())
_NAMES = {
    "aws": frozenset(_S3.split()) | _CLIENT_NAMES,
    "google": frozenset(_GCS.split()) | _CLIENT_NAMES,
    "azure": frozenset(_AZURE.split()) | _CLIENT_NAMES,
}
# delta-rs needs these for its own way of committing or sharing work; here they change nothing, so they may stay.
_DELTA_RS_ONLY = """allow_unsafe_rename mount_allow_unsafe_rename aws_s3_allow_unsafe_rename
    aws_s3_pool_idle_timeout_seconds aws_sts_pool_idle_timeout_seconds aws_s3_get_internal_server_error_retries
    object_store_concurrency_limit aws_force_credential_load aws_ec2_metadata_disabled delta_dynamo_table_name
    delta_dynamo_overflow_table_name dynamo_lock_table_name dynamo_lock_owner_name dynamo_lock_partition_key_value
    dynamo_lock_lease_duration dynamo_lock_refresh_period_millis dynamo_lock_additional_time_to_wait_millis
    aws_endpoint_url_dynamodb aws_region_dynamodb aws_access_key_id_dynamodb aws_secret_access_key_dynamodb
    aws_session_token_dynamodb"""
_SAID_BY_THE_LOCATION = "aws_bucket aws_bucket_name google_bucket google_bucket_name azure_container_name"
ALLOW_OUTSIDE = "allow_outside"
"""Whether files that a log names by absolute paths may lie in other buckets and accounts than the table."""
_WITHOUT_EFFECT = frozenset((_DELTA_RS_ONLY + " " + _SAID_BY_THE_LOCATION).split()) | {ALLOW_OUTSIDE}
_ROLES_AND_PROFILES = frozenset(
    [
        "aws_iam_role_arn",
        "aws_s3_assume_role_arn",
        "aws_iam_role_session_name",
        "aws_s3_role_session_name",
        "aws_profile",
    ]
)
_PARTS_OF_HOSTS = frozenset({"region", "default_region", "account_name"})
"""What the client puts into the name of the server that it turns to: a slash in it would name another server."""
_HOST_PART = re.compile(r"[A-Za-z0-9._-]+")
_LOCKING = "aws_s3_locking_provider"
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|sec|secs|seconds?|m|min|minutes?)?\s*")
_SECONDS = {"ms": 0.001, "m": 60.0, "min": 60.0, "minute": 60.0, "minutes": 60.0}


@attrs.frozen(slots=True)
class StorageOptions:
    """Checked options for one service."""

    service: str
    """`aws`, `google` or `azure`."""
    settings: dict[str, str]
    """What the service's client takes, by lower-case name with the service's prefix."""
    client_settings: dict[str, str] = attrs.field(factory=dict)
    """What its HTTP client takes, by lower-case name without a prefix."""
    max_retries: int = DEFAULT_MAX_RETRIES
    retry_seconds: float = DEFAULT_RETRY_SECONDS
    foreign_lock: str | None = None
    """The lock other writers of this table take turns with, which a conditional put cannot see."""


def check_storage_options(service: str, options: Mapping[str, str]) -> StorageOptions:
    """Raises `StorageOptionError` for an unknown name, one given twice, or a value that cannot be used."""
    given = _lower_names(options)
    foreign_lock = given.pop(_LOCKING, None)
    max_retries = _whole_number(given, "max_retries", DEFAULT_MAX_RETRIES)
    retry_seconds = _duration(given, "retry_timeout", DEFAULT_RETRY_SECONDS)
    settings: dict[str, str] = {}
    client_settings: dict[str, str] = {}
    for name, value in given.items():
        if name in _ROLES_AND_PROFILES:
            raise _unsupported(name)
        if name in _WITHOUT_EFFECT or _belongs_elsewhere(service, name):
            continue
        bare = _bare(service, name)
        if bare not in _NAMES[service]:
            raise _unknown(service, name)
        if bare in _PARTS_OF_HOSTS and not _HOST_PART.fullmatch(value):
            raise _bad_value(name, value, "a name of letters, digits and .-_")
        target = client_settings if bare in _CLIENT_NAMES else settings
        if target.setdefault(_canonical(service, bare), value) != value:
            raise _given_twice(name)
    # The client lets AWS_ENDPOINT_URL_S3 from the environment win over an endpoint given here; what is given must win.
    endpoint = settings.get("aws_endpoint_url") or settings.get("aws_endpoint")
    if endpoint is not None:
        settings.setdefault("aws_endpoint_url_s3", endpoint)
    lock = foreign_lock if (foreign_lock or "").lower() == "dynamodb" else None
    return StorageOptions(service, settings, client_settings, max_retries, retry_seconds, lock)


def is_known(name: str) -> bool:
    """Whether the client of some service takes an option of this name, in lower case."""
    return any(_bare(service, name) in names for service, names in _NAMES.items())


def client_settings_in(service: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The HTTP client's settings in an environment; the service's client finds its own by itself, but not these."""
    prefix = _PREFIXES[service].upper()
    names = ((name, f"{prefix}{name.upper()}") for name in sorted(_CLIENT_NAMES))
    return {name: environment[variable] for name, variable in names if variable in environment}


def _lower_names(options: Mapping[Any, Any]) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in options.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise StorageOptionError(
                f"The storage option {name!r} is {type(value).__name__}, not text.",
                fix=f'Give it as text: {{"{name}": "..."}}.',
                details={"option": str(name), "type": type(value).__name__},
            )
        if given.setdefault(name.lower(), value) != value:
            raise _given_twice(name.lower())
    return given


def _bare(service: str, name: str) -> str:
    bare = name.removeprefix(_PREFIXES[service])
    return bare.removeprefix("storage_") if service == "azure" else bare


def _canonical(service: str, bare: str) -> str:
    if bare in _CLIENT_NAMES:
        return bare
    if service == "azure" and bare == "bearer_token":
        return "azure_storage_token"
    if service == "azure" and bare in _ONLY_WITH_STORAGE:
        return f"azure_storage_{bare}"
    return _PREFIXES[service] + bare


def _belongs_elsewhere(service: str, name: str) -> bool:
    return any(
        name.startswith(prefix) and _bare(other, name) in _NAMES[other]
        for other, prefix in _PREFIXES.items()
        if other != service
    )


def _unknown(service: str, name: str) -> StorageOptionError:
    prefix = _PREFIXES[service]
    known = {prefix + bare for bare in _NAMES[service]} | {"max_retries", "retry_timeout"}
    spelt = name if name.startswith(prefix) or name in {"max_retries", "retry_timeout"} else prefix + name
    nearest = difflib.get_close_matches(spelt, sorted(known), n=3, cutoff=0.75)
    advice = f"Did you mean {' or '.join(n.upper() for n in nearest)}?" if nearest else "Remove it."
    return StorageOptionError(
        f"The storage option {name!r} is unknown for {service}.",
        fix=advice,
        details={"option": name, "service": service, "nearest": nearest},
    )


def _unsupported(name: str) -> StorageOptionError:
    return StorageOptionError(
        f"The storage option {name!r} asks for credentials to be fetched from AWS, which is not done here.",
        fix="Give AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN of the role or profile instead.",
        details={"option": name},
    )


def _given_twice(name: str) -> StorageOptionError:
    return StorageOptionError(
        f"The storage option {name!r} is given twice with different values.",
        fix="Keep one spelling of it.",
        details={"option": name},
    )


def _whole_number(given: dict[str, str], name: str, default: int) -> int:
    text = given.pop(name, None)
    if text is None:
        return default
    if not text.strip().isdecimal():
        raise _bad_value(name, text, "a whole number such as 5")
    return int(text)


def _duration(given: dict[str, str], name: str, default: float) -> float:
    text = given.pop(name, None)
    if text is None:
        return default
    match = _DURATION.fullmatch(text)
    if match is None:
        raise _bad_value(name, text, "a duration such as 30s or 2 min")
    return float(match[1]) * _SECONDS.get(match[2], 1.0)


def _bad_value(name: str, text: str, expected: str) -> StorageOptionError:
    return StorageOptionError(
        # Without the value: what stands in the wrong place may be a key.
        f"The storage option {name!r} is not {expected}, but a text of {len(text)} characters.",
        fix=f"Give {expected}.",
        details={"option": name, "expected": expected},
    )
