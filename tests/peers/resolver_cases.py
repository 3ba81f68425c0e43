"""Random questions about protocols, in the recorded format but without answers."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.peers.random_metadata import RandomMetadata
from tests.peers.random_protocol import (
    FOREIGN_FEATURES,
    KNOWN_FEATURES,
    changed_protocol,
    random_protocol,
)

Json = dict[str, Any]

KIND_WEIGHTS = {
    "new_table": 25, "min_components": 12, "upgrade": 25, "auto_enabled": 12, "auto_components": 6, "algebra": 20,
}  # fmt: skip


def random_questions(seed: int, count: int) -> Iterator[Json]:
    """`count` questions, the same ones for the same seed; each known feature is asked for once if there is room."""
    random = Random(seed)
    metadata = RandomMetadata(random)
    single = KNOWN_FEATURES if count > 2 * len(KNOWN_FEATURES) else ()
    kinds = random.choices(list(KIND_WEIGHTS), list(KIND_WEIGHTS.values()), k=count - len(single))
    for number, kind in enumerate(kinds):
        yield {"id": f"{kind}-{seed}-{number}", "kind": kind, **_inputs(random, metadata, kind, number)}
    for number, name in enumerate(single, start=len(kinds)):
        yield {"id": f"for_table_feature-{seed}-{number}", "kind": "for_table_feature", "feature": name}


def _inputs(random: Random, metadata: RandomMetadata, kind: str, number: int) -> Json:
    if kind == "algebra":
        return _algebra(random)
    if kind in {"new_table", "min_components"}:
        return {"metadata": metadata.metadata(number, asks_for_protocol=True), "session": metadata.session()}
    asks_for_protocol = random.random() < 0.1
    return {
        "metadata": metadata.metadata(number, asks_for_protocol=asks_for_protocol),
        "protocol": random_protocol(random),
    }


def _algebra(random: Random) -> Json:
    op = random.choice(sorted(ALGEBRA))
    protocol = random_protocol(random)
    return {"op": op, "protocol": protocol, **ALGEBRA[op](random, protocol)}


def _nothing(_: Random, __: Json) -> Json:
    return {}


def _others(random: Random, _: Json) -> Json:
    return {"others": [random_protocol(random) for _ in range(random.choice((0, 1, 1, 2, 3)))]}


def _to(random: Random, protocol: Json) -> Json:
    return {"to": changed_protocol(random, protocol)}


def _to_without_feature(random: Random, protocol: Json) -> Json:
    to = changed_protocol(random, protocol)
    dropped = sorted(set(protocol.get("writerFeatures", ())) - set(to.get("writerFeatures", ())))
    any_name = random.choice((*KNOWN_FEATURES, *FOREIGN_FEATURES))
    return {"to": to, "feature": random.choice(dropped) if dropped and random.random() < 0.8 else any_name}


def _feature(random: Random, protocol: Json) -> Json:
    listed = [name for name in protocol.get("writerFeatures", ()) if name in KNOWN_FEATURES]
    return {"feature": random.choice(listed if listed and random.random() < 0.5 else KNOWN_FEATURES)}


def _features(random: Random, _: Json) -> Json:
    return {"features": random.sample(KNOWN_FEATURES, random.choice((0, 1, 2, 3, 5)))}


ALGEBRA: dict[str, Callable[[Random, Json], Json]] = {
    "normalized": _nothing,
    "denormalized": _nothing,
    "denormalizedNormalized": _nothing,
    "implicitlySupportedFeatures": _nothing,
    "implicitlyAndExplicitlySupportedFeatures": _nothing,
    "supported": _nothing,
    "merge": _others,
    "canUpgradeTo": _to,
    "canDowngradeTo": _to_without_feature,
    "removeFeature": _feature,
    "withFeature": _feature,
    "withFeatures": _features,
}
