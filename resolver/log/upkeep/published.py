"""Whether commits are in the log itself, and not only with the catalog that accepted them."""

from __future__ import annotations

from deltaresolver.errors import CommitsUnpublishedError
from deltaresolver.log.names import STAGED_FOLDER, commit_path, listing_prefix
from deltaresolver.log.segment import LogSegment
from deltaresolver.log.storage.log_store import LogStore


def ensure_published(store: LogStore, segment: LogSegment) -> None:
    """Raises `CommitsUnpublishedError` where the segment's last commit is staged and not yet in the log.

    A checkpoint beyond the published commits would hide a gap from readers that do not ask the catalog.
    """
    last = segment.last_commit
    if last is None or not last.path.startswith(f"{STAGED_FOLDER}/"):
        return
    wanted = commit_path(segment.table_version)
    if any(file.path == wanted for file in store.list_from(listing_prefix(segment.table_version))):
        return
    raise CommitsUnpublishedError(
        f"Version {segment.table_version} of {store.location} is only with its catalog: {wanted} is not in the log.",
        fix="Publish the commit through the table's catalog first.",
        details={"location": store.location, "table_version": segment.table_version, "path": wanted},
    )
