"""Why a feature is not dropped: the errors of a drop that was begun."""

from __future__ import annotations

from deltaresolver.errors import BarrierCheckpointError, FeatureStillUsedError, HistoryKeptError, RemovalUndoneError


def barrier_failed(feature: str, table_version: int, failure: Exception | None) -> BarrierCheckpointError:
    """A checkpoint that has to stand between old versions and readers could not be written."""
    return BarrierCheckpointError(
        f"{feature} is not dropped: a checkpoint of version {table_version} could not be written ({failure}).",
        fix="Make that checkpoint possible, then drop the feature again.",
        details={"feature": feature, "table_version": table_version, "reason": str(failure)},
    )


def history_kept(feature: str, reason: str, *, could_protect: bool) -> HistoryKeptError:
    """Versions that need the feature do not go."""
    return HistoryKeptError(
        f"{feature} is not dropped: the versions that need it do not go, since {reason}.",
        fix="Drop the feature without TRUNCATE HISTORY (--truncate-history), so that history is protected instead."
        if could_protect
        else "Drop the feature with TRUNCATE HISTORY (--truncate-history), or end what the message names first.",
        details={"feature": feature, "reason": reason},
    )


def removal_undone(feature: str, trace: str) -> RemovalUndoneError:
    """The commits by which the feature ends its use do not end it."""
    return RemovalUndoneError(
        f"{feature} cannot be dropped: after the commits that are to end its use, the table would still use it "
        f"({trace}).",
        fix=f"Report this to whoever provides {feature}: its removal does not end its use.",
        details={"feature": feature, "trace": trace},
    )


def used_again(feature: str, table_version: int, trace: str) -> FeatureStillUsedError:
    """Somebody else has used the feature meanwhile."""
    return FeatureStillUsedError(
        f"{feature} cannot be dropped at version {table_version}: {trace}.",
        fix="Find out who uses the feature again, then drop it once more.",
        details={"features": [feature], "table_version": table_version, "reason": trace},
    )
