"""Storage options: every accepted spelling reaches the client, every mistake is reported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deltaresolver.errors import StorageOptionError, StorageUnsupportedError
from deltaresolver.log.storage.locations import open_store
from deltaresolver.log.storage.object_connection import ObjectConnection
from deltaresolver.log.storage.storage_options import _NAMES, _PREFIXES, check_storage_options

pytest.importorskip("obstore", reason="obstore is missing: run script/bootstrap")

URLS = {"aws": "s3://lake", "google": "gs://lake", "azure": "abfss://files@account.dfs.core.windows.net"}
# A value each option takes, where plain text will not do.
VALUES = {
    "checksum_algorithm": "sha256",
    "conditional_put": "etag",
    "copy_if_not_exists": "multipart",
    "server_side_encryption": "AES256",
    "account_key": "a2V5",
    "access_key": "a2V5",
    "master_key": "a2V5",
    "sas_key": "sv=1&sig=2",
    "sas_token": "sv=1&sig=2",
    "endpoint": "https://storage.example.com",
    "proxy_url": "http://127.0.0.1:1",
    "pool_max_idle_per_host": "3",
    "service_account_key": '{"private_key": "", "private_key_id": "", "client_email": "", "disable_oauth": true}',
}
ON_DISK = {"service_account", "service_account_path", "application_credentials", "proxy_ca_certificate"}
TOGETHER = {"access_key_id": "secret_access_key", "secret_access_key": "access_key_id"}


def value_for(name: str) -> str:
    if name in VALUES:
        return VALUES[name]
    if name.endswith(("timeout", "interval")):
        return "5s"
    words = ("allow", "only", "idle", "skip", "disable", "use_", "unsigned", "express", "payer", "imds", "enabled")
    return "true" if any(word in name for word in (*words, "virtual", "randomize")) else "text"


@pytest.mark.parametrize(
    ("service", "name"), [(service, name) for service in _NAMES for name in sorted(_NAMES[service] - ON_DISK)]
)
def test_the_client_takes_every_known_option(service: str, name: str) -> None:
    prefix = _PREFIXES[service]
    options = {f"{prefix}{name}".upper(): value_for(name)}
    if service == "aws" and name in TOGETHER:
        options[TOGETHER[name]] = "x"
    url = "s3://lake--use1-az1--x-s3" if name == "s3_express" else URLS[service]
    ObjectConnection(url, check_storage_options(service, options)).open(0)


@pytest.mark.parametrize("name", ["AWS_REGION", "aws_region", "Aws_Region", "region", "REGION"])
def test_names_have_several_spellings(name: str) -> None:
    assert check_storage_options("aws", {name: "eu-west-1"}).settings == {"aws_region": "eu-west-1"}


@pytest.mark.parametrize(
    "name", ["AZURE_STORAGE_ACCOUNT_KEY", "azure_account_key", "account_key", "storage_account_key"]
)
def test_azure_has_a_second_prefix(name: str) -> None:
    assert check_storage_options("azure", {name: "k"}).settings == {"azure_storage_account_key": "k"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("AWS_ACESS_KEY_ID", "AWS_ACCESS_KEY_ID"),
        ("aws_endpoint_ur", "AWS_ENDPOINT_URL"),
        ("regon", "AWS_REGION"),
        ("allow_htp", "AWS_ALLOW_HTTP"),
        ("max_retires", "MAX_RETRIES"),
    ],
)
def test_a_misspelt_option_is_refused_with_what_was_meant(name: str, meant: str) -> None:
    with pytest.raises(StorageOptionError) as raised:
        open_store("s3://lake/events", {name: "x"})
    assert name.lower() in raised.value.message
    assert meant in raised.value.fix
    assert meant.lower() in raised.value.details["nearest"]


def test_an_option_like_no_other_is_to_be_removed() -> None:
    with pytest.raises(StorageOptionError) as raised:
        open_store("s3://lake/events", {"colour": "x"})
    assert raised.value.fix == "Remove it."


def test_options_of_other_services_and_of_delta_rs_alone_are_ignored() -> None:
    options = {"AZURE_CLIENT_ID": "x", "google_service_account": "x", "AWS_S3_ALLOW_UNSAFE_RENAME": "true"}
    assert check_storage_options("aws", options).settings == {}


@pytest.mark.parametrize(
    "options",
    [
        {"AWS_REGION": "a", "region": "b"},
        {"timeout": "1s", "AWS_TIMEOUT": "2s"},
        {"AWS_ALLOW_HTTP": "perhaps"},
        {"max_retries": "many"},
        {"retry_timeout": "long"},
        {"AWS_PROFILE": "work"},
        {"AWS_IAM_ROLE_ARN": "arn:aws:iam::000000000000:role/reader"},
        {"AWS_ACCESS_KEY_ID": "alone"},
        {"AWS_REGION": 1},
    ],
)
def test_values_that_cannot_be_used_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(StorageOptionError) as raised:
        open_store("s3://lake/events", options)
    assert raised.value.fix


def test_secrets_stay_out_of_messages_and_reprs() -> None:
    store = open_store("s3://lake/x", {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "do-not-tell"})
    assert "do-not-tell" not in repr(store) + repr(vars(store))


def test_an_azure_container_without_an_account_is_refused() -> None:
    with pytest.raises(StorageOptionError) as raised:
        open_store("az://files/events")
    assert "AZURE_STORAGE_ACCOUNT_NAME" in raised.value.fix


def test_given_options_win_over_a_special_endpoint_of_the_environment() -> None:
    settings = check_storage_options("aws", {"AWS_ENDPOINT_URL": "http://here"}).settings
    assert settings["aws_endpoint_url_s3"] == "http://here"


def test_durations_and_numbers_are_read() -> None:
    options = check_storage_options("google", {"max_retries": "7", "retry_timeout": "2 min"})
    assert (options.max_retries, options.retry_seconds) == (7, 120.0)
    assert check_storage_options("google", {"retry_timeout": "500ms"}).retry_seconds == 0.5


def test_a_lock_of_other_writers_forbids_commits_but_not_reading() -> None:
    store = open_store("s3://lake/events", {"AWS_S3_LOCKING_PROVIDER": "dynamodb"})
    with pytest.raises(StorageUnsupportedError) as raised:
        store.put_if_absent("_delta_log/00000000000000000001.json", b"")
    assert "AWS_S3_LOCKING_PROVIDER" in raised.value.fix


def test_without_the_extra_the_core_works_and_says_what_to_install() -> None:
    program = (
        "import sys\n"
        "sys.modules['obstore'] = None\n"
        "from deltaresolver.errors import StorageUnsupportedError\n"
        "from deltaresolver.log.storage.locations import open_store\n"
        "assert list(open_store('/nowhere/at/all').list_from('_delta_log/')) == []\n"
        "try:\n"
        "    open_store('s3://lake/events')\n"
        "except StorageUnsupportedError as error:\n"
        "    print(error.fix)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == 'Run: pip install "deltaresolver[cloud]"'


def test_the_core_does_not_load_the_client() -> None:
    program = (
        "import sys\n"
        "from deltaresolver.log.storage.locations import open_store\n"
        "open_store('/tmp')\n"
        "print([name for name in sys.modules if name.startswith('obstore')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
