"""Whether this client may read and write a table with a protocol, and whether protocol and metadata agree."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deltaresolver.errors import ProtocolMismatchError, ProtocolUnsupportedError
from deltaresolver.model.actions import Action, AddFile, RemoveFile
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.support import SAFE, Task
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.components import unlisted_features


def ensure_readable(protocol: Protocol, client: Capability) -> None:
    """The client reads tables of this protocol. Raises `ProtocolUnsupportedError`."""
    if protocol.min_reader_version not in client.reader_versions:
        raise _version_unsupported("reader", protocol.min_reader_version, client.reader_versions)
    missing = client.missing_to_read(protocol)
    if missing:
        raise _features_unsupported("read", missing, client)


def ensure_writable(protocol: Protocol, client: Capability) -> None:
    """The client writes tables of this protocol. Raises `ProtocolUnsupportedError`."""
    if protocol.min_writer_version not in client.writer_versions:
        raise _version_unsupported("writer", protocol.min_writer_version, client.writer_versions)
    missing = client.missing_to_write(protocol)
    if missing:
        raise _features_unsupported("write", missing, client)


def ensure_agree(
    protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog, asked_for: Collection[str] = ()
) -> None:
    """A protocol with a feature list names all that the metadata switches on, or is about to as it is asked for.

    `asked_for` has names of features in lower case. Raises `ProtocolMismatchError`.
    """
    unlisted = unlisted_features(protocol, metadata, catalog)
    if any(name.lower() not in asked_for for name in unlisted):
        names = sorted(unlisted)
        raise ProtocolMismatchError(
            f"The table needs {', '.join(names)}, which its protocol does not name.",
            fix=f"Ask for {'them' if names[1:] else 'it'} by name, for instance with `deltaresolver alter TABLE "
            f"{' '.join(f'--add-feature {name}' for name in names)}`, if what needs {'them' if names[1:] else 'it'} is "
            "meant; other clients refuse the table too.",
            details={"features": names},
        )


def ensure_done_here(before: TableState, actions: Iterable[Action], catalog: FeatureCatalog) -> None:
    """No feature of the table states that such a commit is refused. Raises `ProtocolUnsupportedError`."""
    if before.is_new:
        return
    stating = [one for one in catalog.derived(_refusing_some) if one.name in before.supported]
    if not stating:
        return
    rewrites = {type(action) for action in actions} >= {AddFile, RemoveFile}
    for feature in stating:
        for task in (Task.WRITE, Task.REWRITE) if rewrites else (Task.WRITE,):
            reason = feature.support.why_refused(task, before.metadata)
            if reason is not None:
                raise _refused(feature.name, task, reason)


def _refusing_some(catalog: FeatureCatalog) -> tuple[TableFeature, ...]:
    """Features that do not let every table be written and rewritten."""
    return tuple(one for one in catalog if (one.support.write, one.support.rewrite) != (SAFE, SAFE))


def _refused(feature: str, task: Task, reason: str) -> ProtocolUnsupportedError:
    cannot = "write to" if task is Task.WRITE else "rewrite stored rows of"
    because = f": {reason}" if reason else ""
    return ProtocolUnsupportedError(
        f"This client cannot {cannot} this table, which has {feature}{because}.",
        fix=f"Use a client that implements {feature}, or drop the feature from the table.",
        details={"features": [feature], "access": task.value},
        delta_class="DeltaUnsupportedTableFeatureException",
        delta_condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
    )


def _version_unsupported(side: str, found: int, known: Collection[int]) -> ProtocolUnsupportedError:
    return ProtocolUnsupportedError(
        f"The table's {side} version is {found}; this client knows {sorted(known)}.",
        fix="Use a newer client, or lower the table's protocol with one that knows it.",
        details={"side": side, "version": found, "known": sorted(known)},
    )


def _features_unsupported(verb: str, missing: frozenset[str], client: Capability) -> ProtocolUnsupportedError:
    names, done = sorted(missing), "written" if verb == "write" else verb
    return ProtocolUnsupportedError(
        f"The table cannot be {done} by this client, which does not implement {', '.join(names)}."
        f"{client.why_missing(missing)}",
        fix="Use a client that implements them, or drop the features from the table.",
        details={"features": names, "access": verb},
        delta_class="DeltaUnsupportedTableFeatureException",
        delta_condition=f"DELTA_UNSUPPORTED_FEATURES_FOR_{verb.upper()}",
    )
