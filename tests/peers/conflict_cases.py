"""Random conflict cases in the recorded format, without outcomes: a table, a loser, and waves of winners."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.peers.conflict_commits import RandomWinner
from tests.peers.conflict_losers import RandomLoser
from tests.peers.conflict_tables import RandomTable

Json = dict[str, Any]

ENFORCE = "spark.databricks.delta.conflictChecker.enforceConcurrentFeatureEnablement.enabled"
RESOLVE = "spark.databricks.delta.featureEnablement.conflictResolution.enabled"
IDEMPOTENT = "spark.databricks.delta.commit.idempotencyCheck.enabled"
ATTEMPTS = "spark.databricks.delta.maxCommitAttempts"
SETTINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("spark.databricks.delta.duplicateActionCheck.enabled", ("false", "true")),
    ("spark.databricks.delta.commitValidation.enabled", ("false", "true")),
    ("spark.databricks.delta.commitValidation.consistentDataChange.mode", ("fatal", "fatal", "log", "off")),
    ("spark.databricks.delta.partitionColumnChangeCheck", ("true", "log-only", "false")),
    ("spark.databricks.delta.skipRecordingEmptyCommits", ("false", "true")),
    ("spark.databricks.delta.commitInfo.userMetadata", ("told", "", "é")),
    ("spark.databricks.delta.replace.protocolDowngradeAllowed", ("true",)),
)
"""Settings that change what a commit checks or writes."""
FILE_WINNERS = ("append", "append", "delete", "update", "compact", "again")
ROW_PROFILES = ("rows", "rows", "rows-supported", "rows-suspended", "timed-rows", "vectors-rows", "everything")


def random_cases(seed: int, count: int) -> Iterator[Json]:
    """`count` cases: the same ones for the same seed, and more of them where more are asked for."""
    random = Random(seed)
    families, weights = zip(*FAMILIES, strict=True)
    for number in range(count):
        (make,) = random.choices(families, weights)
        case = make(random)
        conf = _settings(random) | case.pop("conf", {})
        winner: Json = next((commit[0] for wave in case["winners"] for commit in wave), {})
        if random.random() < 0.02 and "commitInfo" in winner:
            winner["commitInfo"]["txnId"] = "{txnId}"
            conf[IDEMPOTENT] = random.choice(("true", "false"))
        group = make.__name__.strip("_").replace("_", "-")
        yield {"id": f"{group}/{seed}-{number}", "group": group, **({"conf": conf} if conf else {}), **case}


def _settings(random: Random) -> Json:
    conf: Json = {}
    if random.random() < 0.03:
        conf[ENFORCE] = random.choice(("true", "false"))
    if random.random() < 0.02:
        conf[RESOLVE] = "false"
    if random.random() < 0.03:
        conf[ATTEMPTS] = random.choice((0, 1, 2))
    if random.random() < 0.08:
        key, values = random.choice(SETTINGS)
        conf[key] = random.choice(values)
    return conf


def _case(
    random: Random,
    table: RandomTable,
    *,
    losers: tuple[str, ...] = (),
    winners: tuple[str, ...] = (),
    alone: float = 0.1,
) -> Json:
    initial = table.initial()
    maker = RandomLoser(random, table)
    loser = maker.loser(losers)
    return {"initial": initial, "loser": loser, "winners": _waves(random, table, len(initial), winners, alone)}


def _waves(
    random: Random, table: RandomTable, version: int, kinds: tuple[str, ...], alone: float
) -> list[list[list[Json]]]:
    if random.random() < alone:
        return [[]]
    winner = RandomWinner(random, table)
    waves: list[list[list[Json]]] = []
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        wave = []
        for _ in range(random.choice((1, 1, 1, 2))):
            wave.append(winner.commit(version, kinds))
            version += 1
        waves.append(wave)
    return waves


def anything(random: Random) -> Json:
    """Any table, any loser, any winners."""
    return _case(random, RandomTable(random))


def files(random: Random) -> Json:
    """Reads and files against files."""
    losers = ("append", "command", "command", "command", "unread", "anything", "again")
    return _case(random, RandomTable(random), losers=losers, winners=FILE_WINNERS)


def partition_predicates(random: Random) -> Json:
    """One read by partition, and one file that it concerns or does not."""
    table = RandomTable(random, profile=random.choice(("legacy",) * 6 + ("mapped", "mapped-lists")),
                        partitions=random.choice((1, 1, 2, 2, 3)))  # fmt: skip
    initial = table.initial()
    maker = RandomLoser(random, table)
    loser: Json = {"reads": [maker.filter(on_partitions=random.random() < 0.8)], "actions": [{"add": table.new_file()}],
                   "operation": {"name": "MERGE"}}  # fmt: skip
    winner = {"add": table.new_file(values=table.partition())}
    info = {"commitInfo": {"timestamp": 1700000002000, "operation": "WRITE", "operationParameters": {}}}
    return {"initial": initial, "loser": loser, "winners": [[[info, winner]]]}


def metadata_changes(random: Random) -> Json:
    """Somebody changed the metadata."""
    losers = ("append", "command", "metadata", "again", "nothing", "unread")
    profile = random.choice((None, "everything", "everything", "rows-supported", "lists"))
    return _case(
        random, RandomTable(random, profile), losers=losers, winners=("metadata",) * 4 + ("append",), alone=0.05
    )


def protocol_changes(random: Random) -> Json:
    """Somebody changed the protocol."""
    losers = ("append", "append", "command", "metadata", "protocol", "domain")
    table = RandomTable(random, random.choice((None, "legacy", "lists", "legacy-4", "everything")))
    case = _case(random, table, losers=losers, winners=("protocol",) * 4 + ("append",), alone=0.15)
    if random.random() < 0.6:
        case["conf"] = {ENFORCE: random.choice(("true", "false"))}
    return case


def row_tracking(random: Random) -> Json:
    """Row ids are taken on both sides."""
    losers = ("append", "command", "again", "again", "metadata", "water", "nothing", "vector", "domain", "anything")
    winners = (
        "append",
        "update",
        "water",
        "backfill",
        "backfill",
        "compact",
        "again",
        "domain",
        "metadata",
        "protocol",
    )
    return _case(random, RandomTable(random, random.choice(ROW_PROFILES)), losers=losers, winners=winners)


def domains(random: Random) -> Json:
    """Metadata domains on both sides."""
    profile = random.choice(("clustered", "rows", "everything", "rows-supported", "legacy"))
    losers = ("domain", "domain", "domain", "append", "metadata")
    return _case(random, RandomTable(random, profile), losers=losers, winners=("domain", "domain", "water", "append"))


def deletion_vectors(random: Random) -> Json:
    """Deletion vectors on both sides."""
    profile = random.choice(("vectors", "vectors", "vectors-rows", "everything", "lists"))
    losers = ("vector", "vector", "command", "append", "unread")
    return _case(random, RandomTable(random, profile), losers=losers, winners=("vector", "vector", "delete", "append"))


def dropped_features(random: Random) -> Json:
    """The loser drops a feature."""
    profile = random.choice(("vectors", "rows", "rows-suspended", "mapped-lists", "timed", "clustered", "protected",
                             "everything", "widening", "change-feed", "identity-lists"))  # fmt: skip
    winners = ("append", "delete", "metadata", "protocol", "vector", "domain", "backfill", "empty", "compact")
    return _case(random, RandomTable(random, profile), losers=("drop",), winners=winners, alone=0.3)


def set_transactions(random: Random) -> Json:
    """Streams at the same time."""
    return _case(random, RandomTable(random), losers=("progress", "progress", "append"), winners=("progress", "append"))


def refused_commits(random: Random) -> Json:
    """The loser's own actions are at fault."""
    case = _case(random, RandomTable(random), losers=("wrong", "wrong", "vector", "protocol", "metadata"), alone=0.6)
    if random.random() < 0.5:
        key, values = random.choice(SETTINGS[:4])
        case["conf"] = {key: random.choice(values)}
    return case


def in_commit_timestamps(random: Random) -> Json:
    """Timestamps inside the commits."""
    table = RandomTable(random, random.choice(("timed", "timed-rows", "everything")))
    return _case(random, table, losers=("append", "command", "metadata", "nothing"), alone=0.2)


def first_commits(random: Random) -> Json:
    """There is no table yet."""
    table = RandomTable(random, random.choice(("legacy", "lists", "rows", "mapped", "everything", "change-feed")))
    commits = table.initial()
    actions = [action for action in commits[0] if "commitInfo" not in action]
    gone = random.choice(((), (), (), ("metaData",), ("protocol",), ("add",)))
    actions = [action for action in actions if not set(action) & set(gone)]
    operation = {"name": random.choice(("CREATE TABLE", "WRITE", "CLONE"))}
    winners: list[list[list[Json]]] = [[]] if random.random() < 0.6 else [[commits[0]]]
    return {"initial": [], "loser": {"reads": [], "actions": actions, "operation": operation}, "winners": winners}


FAMILIES: tuple[tuple[Callable[[Random], Json], int], ...] = (
    (anything, 12), (files, 20), (partition_predicates, 26), (metadata_changes, 12), (protocol_changes, 10),
    (row_tracking, 12), (domains, 5), (deletion_vectors, 5), (dropped_features, 5), (set_transactions, 3),
    (refused_commits, 5), (in_commit_timestamps, 4), (first_commits, 2),
)  # fmt: skip
