"""Storage options that a stranger may set: none says who gets a token, which file is read, or whom to believe.

An option that is added to the known ones is refused in a file that nobody named until it is listed here. Not among them
are the endpoints of Azure and Google and those that give out credentials, to all of which secrets are sent as they are;
the paths of files, whose contents would be sent; proxies and what switches the check of certificates off; and
`allow_outside`.
"""

from __future__ import annotations

import re

from deltaresolver.log.storage.storage_options import ALLOW_OUTSIDE, is_known

ENDPOINTS = frozenset(
    f"{prefix}{name}" for prefix in ("", "aws_") for name in ("endpoint", "endpoint_url", "endpoint_url_s3")
)
"""Of S3, which gets signatures and the id of a key, but not the key."""
SHARED_ENDPOINT = "endpoint"
"""The one that Azure has too."""
_S3 = """access_key_id secret_access_key session_token token region default_region virtual_hosted_style_request
    skip_signature unsigned_payload checksum_algorithm conditional_put copy_if_not_exists s3_express request_payer
    server_side_encryption sse_kms_key_id sse_bucket_key_enabled disable_tagging s3_locking_provider"""
_GOOGLE = "service_account_key bearer_token skip_signature"
_AZURE = """account_name account_key access_key master_key client_id client_secret tenant_id sas_key sas_token token
    bearer_token use_fabric_endpoint skip_signature disable_tagging"""
_CLIENT = """allow_http connect_timeout default_content_type http1_only http2_only http2_keep_alive_interval
    http2_keep_alive_timeout http2_keep_alive_while_idle max_retries pool_idle_timeout pool_max_idle_per_host
    randomize_addresses read_timeout retry_timeout timeout user_agent"""
_PREFIXES = {"aws_": _S3, "google_": _GOOGLE, "azure_": _AZURE, "azure_storage_": _AZURE}
_HARMLESS = ENDPOINTS.union(
    _CLIENT.split(),
    *(each.split() for each in _PREFIXES.values()),
    *([f"{prefix}{name}" for name in (*names.split(), *_CLIENT.split())] for prefix, names in _PREFIXES.items()),
)
_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_SIGNED_WITH = frozenset({"secret_access_key", "aws_secret_access_key"})


def is_harmless(name: str) -> bool:
    """Whether a stranger may set the option of this name; one that is unknown has no effect but an error.

    A name with blanks or signs may become another one where options are written as text.
    """
    lowered = name.lower()
    if not _NAME.fullmatch(name):
        return False
    return lowered in _HARMLESS or (lowered != ALLOW_OUTSIDE and not is_known(lowered))


def is_only_signed_with(name: str) -> bool:
    """Whether the option's value never leaves this machine, whatever the server."""
    return name.lower() in _SIGNED_WITH
