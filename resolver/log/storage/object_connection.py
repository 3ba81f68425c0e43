"""Opens a bucket or container with obstore, which is only imported when a table needs it."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.errors import LocationInvalidError, LogError, StorageOptionError, StorageUnsupportedError
from deltaresolver.errors.secrets import HIDDEN
from deltaresolver.log.storage.object_errors import from_object_error
from deltaresolver.log.storage.storage_options import StorageOptions, client_settings_in

if TYPE_CHECKING:
    from obstore.store import RetryConfig, S3Credential, S3CredentialProvider

    from deltaresolver.log.storage.object_listing import Client


_SHORTEST_SECRET = 6


@attrs.frozen(slots=True)
class ObjectConnection:
    """Everything needed to reach a bucket or container; opens nothing itself, so it can be sent to other processes."""

    url: str
    """Scheme and bucket, without a path: `s3://lake`, `abfss://container@account.dfs.core.windows.net`."""
    options: StorageOptions = attrs.field(repr=False)

    @property
    def lists_in_order(self) -> bool:
        """Whether listings come sorted and can start in the middle; not so in Azure and in S3's directory buckets."""
        return self.options.service == "google" or (
            self.options.service == "aws"
            and not self.url.endswith("--x-s3")
            and self.options.settings.get("aws_s3_express", "false").lower() != "true"
        )

    @property
    def counts_from_the_end(self) -> bool:
        """Whether the last bytes can be asked for without knowing the size; not so in Azure."""
        return self.options.service != "azure"

    def open(self, max_retries: int) -> Client:
        """A client that repeats a failed request up to `max_retries` times by itself.

        Raises `StorageUnsupportedError` without obstore and `StorageOptionError` for options that do not fit.
        """
        ensure_client_survived()
        stores = _import_obstore()
        settings: dict[str, Any] = {
            "config": dict(self.options.settings),
            "client_options": {
                **client_settings_in(self.options.service, os.environ),
                **self.options.client_settings,
            },
            "retry_config": self._retry_config(max_retries),
        }
        try:
            opened: Client
            if self.options.service == "azure":
                # Only the URL form tells account from container.
                opened = stores.AzureStore.from_url(self.url, **settings)
            elif self.options.service == "google":
                opened = stores.GCSStore(self._bucket, **settings)
            else:
                opened = stores.S3Store(self._bucket, credential_provider=self._given_credentials(), **settings)
        except Exception as error:
            raise self._refusal(error) from error
        return opened

    @property
    def _bucket(self) -> str:
        return self.url.partition("://")[2]

    def _given_credentials(self) -> S3CredentialProvider | None:
        """The keys given as options, where the client would add a session token from the environment to them."""
        given = self.options.settings
        if not {"aws_access_key_id", "aws_secret_access_key"} <= given.keys():
            return None
        if not given.keys().isdisjoint({"aws_session_token", "aws_token"}):
            return None
        if os.environ.keys().isdisjoint({"AWS_SESSION_TOKEN", "AWS_TOKEN"}):
            return None
        credentials: S3Credential = {
            "access_key_id": given["aws_access_key_id"],
            "secret_access_key": given["aws_secret_access_key"],
            "expires_at": None,
        }
        return lambda: credentials

    def _retry_config(self, max_retries: int) -> RetryConfig:
        return {
            "max_retries": max_retries,
            "retry_timeout": dt.timedelta(seconds=self.options.retry_seconds),
            "backoff": {
                "init_backoff": dt.timedelta(milliseconds=100),
                "max_backoff": dt.timedelta(seconds=3),
                "base": 2,
            },
        }

    def _refusal(self, error: Exception) -> LogError:
        if "Account must be specified" in str(error):
            return StorageOptionError(
                f"{self.url} does not say which Azure storage account holds the container.",
                fix='Set the storage option "AZURE_STORAGE_ACCOUNT_NAME", or write abfss://container@account.dfs'
                ".core.windows.net/path.",
                details={"url": self.url},
            )
        if "did not match any known pattern" in str(error):
            return LocationInvalidError(
                f"{self.url!r} names no Azure container: it is neither container@account.dfs.core.windows.net nor a"
                " plain container.",
                fix="Write it like abfss://container@account.dfs.core.windows.net/table.",
                details={"url": self.url},
            )
        mapped = from_object_error(error, "open", "", self.url)
        details = {**mapped.details, "reason": self._without_values(str(mapped.details.get("reason", "")))}
        return StorageOptionError(
            self._without_values(mapped.message), fix="Correct the storage options for this location.", details=details
        )

    def _without_values(self, text: str) -> str:
        """The client's words without the values of options, one of which may be a key in the wrong place."""
        values = {*self.options.settings.values(), *self.options.client_settings.values()}
        for value in sorted((each for each in values if len(each) >= _SHORTEST_SECRET), key=len, reverse=True):
            text = text.replace(value, HIDDEN)
        return text


def ensure_client_survived() -> None:
    """Raises `StorageUnsupportedError` in a process forked from one that used the client.

    The client's threads stay behind in the parent: a call here would never return, and would disturb the parent's.
    """
    if _client_state.lost_by_fork:
        raise StorageUnsupportedError(
            "The object store client was in use when this process was forked, and does not survive that.",
            fix='Start worker processes with the "spawn" or "forkserver" method, or fork before the first use.',
            details={"process": os.getpid()},
        )
    _client_state.in_use = True


@attrs.define(slots=True)
class _ClientState:
    """What becomes of the client in this process; its threads are one per process, whatever the number of stores."""

    in_use: bool = False
    lost_by_fork: bool = False

    def note_fork(self) -> None:
        self.lost_by_fork = self.in_use


_client_state = _ClientState()
os.register_at_fork(after_in_child=_client_state.note_fork)


def _import_obstore() -> Any:
    try:
        import obstore.store  # noqa: PLC0415 - optional, and loaded only when needed
    except ImportError as error:
        raise StorageUnsupportedError(
            "Tables on object stores need the package obstore, which is not installed.",
            fix='Run: pip install "deltaresolver[cloud]"',
            details={"package": "obstore", "extra": "cloud"},
        ) from error
    return obstore.store
