"""Opens a bucket or container with obstore, which is only imported when a table needs it."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import attrs

from deltaresolver.errors import LocationInvalidError, LogError, StorageOptionError, StorageUnsupportedError
from deltaresolver.log.object_errors import from_object_error
from deltaresolver.log.storage_options import StorageOptions

if TYPE_CHECKING:
    from obstore.store import RetryConfig

    from deltaresolver.log.object_listing import Client


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

    def open(self, max_retries: int) -> Client:
        """A client that repeats a failed request up to `max_retries` times by itself.

        Raises `StorageUnsupportedError` without obstore and `StorageOptionError` for options that do not fit.
        """
        stores = _import_obstore()
        settings: dict[str, Any] = {
            "config": dict(self.options.settings),
            "client_options": dict(self.options.client_settings),
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
                opened = stores.S3Store(self._bucket, **settings)
        except Exception as error:
            raise self._refusal(error) from error
        return opened

    @property
    def _bucket(self) -> str:
        return self.url.partition("://")[2]

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
        return StorageOptionError(
            mapped.message, fix="Correct the storage options for this location.", details=mapped.details
        )


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
