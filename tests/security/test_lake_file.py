"""A lake.toml that came with a stranger's repository gets nobody's secrets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deltaresolver.errors import StorageOptionError
from deltaresolver.log.storage import storage_options, strangers_options
from deltaresolver.log.storage.locations import open_store
from tests.security.budget import run
from tests.security.tables import log_of

ASKS = '[storage]\nendpoint = "http://127.0.0.1:9"\nsecret_access_key = {{ env = "{variable}" }}\n'
SECRET = "ghp_planted"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    log_of(tmp_path / "t")
    return tmp_path


def told(repository: Path, variable: str, *arguments: str) -> str:
    (repository / "lake.toml").write_text(ASKS.format(variable=variable), encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], variable: SECRET}
    done = run("explain", "t", *arguments, folder=repository, environment=environment)
    assert SECRET not in done.out + done.err
    return f"{done.code} {done.err}"


@pytest.mark.parametrize("variable", ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "HOME2", "lake_secret", "XLAKE_A"])
def test_a_file_that_was_found_may_not_ask_for_any_variable(repository: Path, variable: str) -> None:
    found = told(repository, variable)
    assert found.startswith("2 error DR611")
    assert variable in found


@pytest.mark.parametrize("variable", ["LAKE_SECRET", "DELTARESOLVER_KEY"])
def test_a_file_that_was_found_may_ask_for_variables_of_lakes(repository: Path, variable: str) -> None:
    assert told(repository, variable).startswith("0")


def test_a_file_that_is_named_is_trusted(repository: Path) -> None:
    assert told(repository, "AWS_SECRET_ACCESS_KEY", "--config", "lake.toml").startswith("0")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_in_a_shared_folder_is_refused(tmp_path: Path) -> None:
    everybodys = tmp_path / "everybodys"
    log_of(everybodys / "mine/t")
    everybodys.chmod(0o1777)
    (everybodys / "lake.toml").write_text("", encoding="utf-8")
    assert run("explain", "t", folder=everybodys / "mine").code == 0
    os.chown(everybodys / "lake.toml", 4711, 4711)
    done = run("explain", "t", folder=everybodys / "mine")
    assert (done.code, "is somebody else's" in done.err) == (2, True)


def explained(repository: Path, text: str, *arguments: str) -> str:
    (repository / "lake.toml").write_text(text, encoding="utf-8")
    done = run("explain", "t", *arguments, folder=repository, environment={"PATH": os.environ["PATH"], "LAKE_A": "a"})
    return f"{done.code} {done.err}"


@pytest.mark.parametrize("option", ["access_key_id", "aws_session_token", "token", "user_agent", "region", "endpoint"])
def test_a_variable_is_not_sent_to_a_server_of_the_files_choice(repository: Path, option: str) -> None:
    server = '[storage]\naws_endpoint_url = "http://127.0.0.1:9"\n'
    asks = f'{option} = {{ env = "LAKE_A" }}\n'
    found = explained(repository, server + asks)
    assert found.startswith("2 error DR611")
    assert "sends the variable LAKE_A" in found
    assert explained(repository, server + asks, "--config", "lake.toml").startswith("0")


@pytest.mark.parametrize("client", ["", '[[client]]\nname = "trino"\n'], ids=["no client", "a client"])
@pytest.mark.parametrize("file", ["pipe", "/dev/zero", "t", "a\\u0000b", "link"])
def test_pipes_and_devices_in_place_of_client_files_are_not_waited_for(
    repository: Path, file: str, client: str
) -> None:
    os.mkfifo(repository / "pipe")
    (repository / "link").symlink_to("/dev/zero")
    found = explained(repository, f'[lake]\nclients-files = ["{file}"]\n{client}')
    assert found.startswith("2 error DR611"), found
    assert "is not a file" in found


@pytest.mark.parametrize("name", ["lake.toml", "clients.toml"])
def test_a_file_of_holes_is_not_read(repository: Path, name: str) -> None:
    own = '[lake]\nclients-files = ["clients.toml"]\n[[client]]\nname = "trino"\n'
    (repository / "lake.toml").write_text(own, encoding="utf-8")
    (repository / name).touch()
    os.truncate(repository / name, 20 << 30)
    done = run("explain", "t", folder=repository)
    assert (done.code, "larger than 5,000,000 bytes" in done.err) == (2, True)


GIVES_AWAY = (
    "azure_endpoint", "AZURE_ENDPOINT", "azure_storage_endpoint", "google_base_url", "base_url",
    "azure_authority_host", "authority_host", "azure_msi_endpoint", "identity_endpoint", "aws_endpoint_url_sts",
    "metadata_endpoint", "container_credentials_full_uri", "container_credentials_relative_uri",
    "container_authorization_token_file", "web_identity_token_file", "federated_token_file",
    "service_account", "service_account_path", "google_application_credentials", "role_arn",
    "proxy_url", "aws_proxy_url", "proxy_ca_certificate", "proxy_excludes", "allow_invalid_certificates",
    "azure_use_azure_cli", "use_emulator", "azure_storage_use_emulator", "allow_outside", "sse_customer_key_base64",
    "storage_endpoint", '" azure_endpoint"', '"azure_endpoint=http://127.0.0.1:9"', '"azure_endpoint\\n"', '""',
)  # fmt: skip


@pytest.mark.parametrize("option", GIVES_AWAY)
def test_a_file_that_was_found_may_set_nothing_that_sends_tokens_or_files_away(repository: Path, option: str) -> None:
    text = f'[storage]\n{option} = "http://127.0.0.1:9"\n'
    found = explained(repository, text)
    assert found.startswith("2 error DR611")
    assert option.strip('" ').removesuffix("\\n") in found


def test_every_option_not_listed_as_harmless_is_refused_in_a_file_that_was_found() -> None:
    prefixes = {"aws": "aws_", "google": "google_", "azure": "azure_storage_"}
    known = {f"{prefixes[service]}{name}" for service, names in storage_options._NAMES.items() for name in names}
    words = ("endpoint", "_url", "_uri", "file", "_path", "_host", "proxy", "certificate", "emulator", "credentials")
    told = {name for name in known if any(word in name for word in words) and "idle_per" not in name}
    of_s3 = {"aws_endpoint", "aws_endpoint_url", "aws_endpoint_url_s3"}
    harmless = {name for name in told if strangers_options.is_harmless(name)}
    assert harmless - of_s3 == {"azure_storage_use_fabric_endpoint", "aws_virtual_hosted_style_request"}


def test_the_endpoint_of_a_file_that_was_found_is_s3s_alone(tmp_path: Path) -> None:
    from deltaresolver.cli.inputs.found_lake import as_found
    from deltaresolver.log.storage.storage_options import check_storage_options
    from deltaresolver.planning.lake.read_lake import read_lake

    file = tmp_path / "lake.toml"
    file.write_text('[storage]\nEndpoint = "http://evil"\n', encoding="utf-8")
    options = as_found(file, read_lake(file)).storage_options({})
    assert check_storage_options("aws", options).settings["aws_endpoint"] == "http://evil"
    assert check_storage_options("azure", options).settings == {}
    assert check_storage_options("google", options).settings == {}


@pytest.mark.parametrize(
    "setting",
    ["spark.databricks.delta.retentionDurationCheck.enabled", "SPARK.databricks.delta.commitValidation.enabled"],
)
def test_a_file_that_was_found_switches_no_check_off(repository: Path, setting: str) -> None:
    text = f"[session]\n{setting} = false\n"
    assert explained(repository, text).startswith("2 error DR611")
    assert explained(repository, text, "--config", "lake.toml").startswith("0")


@pytest.mark.parametrize(
    ("scheme", "option", "value"),
    [
        ("s3://b/t", "region", "evil.example/"),
        ("s3://b/t", "AWS_DEFAULT_REGION", "x@evil"),
        ("s3://b/t", "aws_region", "a#"),
        ("abfss://c@a.dfs.core.windows.net/t", "account_name", "evil.example/"),
        ("az://c/t", "AZURE_STORAGE_ACCOUNT_NAME", "evil.example?"),
    ],
)
def test_no_part_of_a_servers_name_names_another_server(scheme: str, option: str, value: str) -> None:
    with pytest.raises(StorageOptionError) as raised:
        open_store(scheme, {option: value})
    assert raised.value.code == "DR409"
    assert value not in raised.value.message
