"""For every built-in feature: metadata that switches it on, and metadata close to it that does not."""

from __future__ import annotations

import attrs

from deltaresolver.model import Metadata
from deltaresolver.model.schema import ArrayType, MapType
from tests.metadata_by_hand import column, struct, table


@attrs.frozen
class Examples:
    """What switches a feature on, and what does not. Both stay empty for one that is only asked for by name."""

    on: tuple[Metadata, ...] = ()
    off: tuple[Metadata, ...] = (Metadata(),)


def _boolean(key: str, *aliases: str) -> Examples:
    on = [table({spelt: value}) for spelt in (key, *aliases) for value in ("true", "TRUE", "True")]
    off = [Metadata(), table({key: "false"}), table({key.upper(): "true"}), table({key + "d": "true"})]
    off += [table({key: "false", alias: "true"}) for alias in aliases]
    return Examples(tuple(on), tuple(off))


def _type(name: str, *unlike: str) -> Examples:
    on = [
        table(None, column("c", name)),
        table(None, column("s", struct(column("c", name)))),
        table(None, column("a", ArrayType(name))),
        table(None, column("m", MapType("string", MapType(name, "string")))),
    ]
    off = [Metadata(), table(None, column(name)), table(None, column("c", metadata={"comment": name}))]
    return Examples(tuple(on), (*off, *(table(None, column("c", other)) for other in unlike)))


def _redirect(key: str) -> Examples:
    whole = '{"type": "PathBasedRedirect", "state": "REDIRECT-READY"}'
    off = ("{}", '{"type": "PathBasedRedirect"}', '{"type": "PathBasedRedirect", "state": null}', "[]", "no json")
    return Examples((table({key: whole}),), tuple(table({key: value}) for value in off))


_IDENTITY = {"delta.identity.start": 1, "delta.identity.step": 1, "delta.identity.allowExplicitInsert": False}
_GENERATED = {"delta.generationExpression": "c0 + 1"}
_INVARIANT = {"delta.invariants": '{"expression": {"expression": "c > 0"}}'}

BY_NAME_ONLY = Examples()

EXAMPLES = {
    "adaptiveMetadata-preview": BY_NAME_ONLY,
    "allowColumnDefaults": BY_NAME_ONLY,
    "appendOnly": _boolean("delta.appendOnly"),
    "catalogManaged": BY_NAME_ONLY,
    "changeDataFeed": _boolean("delta.enableChangeDataFeed", "delta.enableChangeDataCapture"),
    "checkConstraints": Examples(
        (table({"delta.constraints.positive": "c > 0"}), table({"DELTA.Constraints.odd": "c > 0"})),
        (Metadata(), table({"delta.constraint.positive": "c > 0"}), table({"x.delta.constraints.positive": "c > 0"})),
    ),
    "checkpointProtection": BY_NAME_ONLY,
    "clustering": BY_NAME_ONLY,
    "collations": Examples(
        (
            table(None, column("c", metadata={"__COLLATIONS": {"c": "ICU.de"}})),
            table(None, column("a", ArrayType(struct(column("c", metadata={"__COLLATIONS": {"c": "ICU.de"}}))))),
        ),
        (Metadata(), table(None, column("__COLLATIONS"))),
    ),
    "columnMapping": Examples(
        tuple(table({"delta.columnMapping.mode": mode}) for mode in ("name", "id", "NAME", "Id")),
        (Metadata(), table({"delta.columnMapping.mode": "none"}), table({"delta.columnmapping.mode": "name"})),
    ),
    "coordinatedCommits-preview": Examples(
        (table({"delta.coordinatedCommits.commitCoordinator-preview": ""}),),
        (Metadata(), table({"delta.coordinatedCommits.commitCoordinator": "x"})),
    ),
    "deletionVectors": _boolean("delta.enableDeletionVectors"),
    "domainMetadata": BY_NAME_ONLY,
    "generatedColumns": Examples(
        (table(None, column("c", metadata=_GENERATED)),),
        (Metadata(), table(None, column("s", struct(column("c", metadata=_GENERATED))))),
    ),
    "geospatial": Examples(
        (*_type("geometry").on, *_type("geography(4326)").on),
        _type("geometry", "geometrical", "point").off,
    ),
    "geospatial-dev": BY_NAME_ONLY,
    "icebergCompatV1": _boolean("delta.enableIcebergCompatV1"),
    "icebergCompatV2": _boolean("delta.enableIcebergCompatV2"),
    "icebergCompatV3": _boolean("delta.enableIcebergCompatV3"),
    "identityColumns": Examples(
        (table(None, column("c", "long", _IDENTITY)),),
        (Metadata(), table(None, column("s", struct(column("c", "long", _IDENTITY))))),
    ),
    "inCommitTimestamp": _boolean("delta.enableInCommitTimestamps"),
    "invariants": Examples(
        (
            table(None, column("c", nullable=False)),
            table(None, column("s", struct(column("c", nullable=False)))),
            table(None, column("c", metadata=_INVARIANT)),
            table(None, column("s", struct(column("c", metadata=_INVARIANT)))),
        ),
        (
            Metadata(),
            table(None, column("a", ArrayType(struct(column("c", nullable=False)), contains_null=False))),
            table(None, column("m", MapType("string", struct(column("c", metadata=_INVARIANT))))),
            table(None, column("m", MapType("string", struct(column("c", metadata={"delta.invariants": "?"}))))),
        ),
    ),
    "materializePartitionColumns": _boolean("delta.enableMaterializePartitionColumnsFeature"),
    "redirectReaderWriter-preview": _redirect("delta.redirectReaderWriter-preview"),
    "redirectWriterOnly-preview": _redirect("delta.redirectWriterOnly-preview"),
    "rowTracking": _boolean("delta.enableRowTracking"),
    "timestampNtz": _type("timestamp_ntz", "timestamp"),
    "typeWidening": _boolean("delta.enableTypeWidening"),
    "typeWidening-preview": BY_NAME_ONLY,
    "v2Checkpoint": Examples(
        (table({"delta.checkpointPolicy": "v2"}),), (Metadata(), table({"delta.checkpointPolicy": "classic"}))
    ),
    "vacuumProtocolCheck": BY_NAME_ONLY,
    "variantShredding": BY_NAME_ONLY,
    "variantShredding-preview": _boolean("delta.enableVariantShredding"),
    "variantType": _type("variant", "variants"),
    "variantType-preview": BY_NAME_ONLY,
}
