"""A lake.toml is read whole: every key, waivers with their last day, and all mistakes at once with their lines."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from deltaresolver.audit.scan.rule_set import default_rules
from deltaresolver.errors import LakeFileInvalidError, LakeFileMissingError
from deltaresolver.planning.lake.lake import Lake, find_lake_file
from deltaresolver.planning.lake.read_lake import read_lake

RULES = frozenset({"old-checkpoint", "long-log"})
WHOLE = """
[lake]
name = "shop"

[tables]
main.sales.orders = "sales/orders"
"main.raw.events" = "s3://bucket/events"

[storage]
endpoint = "http://localhost"
secret = { env = "LAKE_SECRET" }

[session]
spark.databricks.delta.properties.defaults.appendOnly = true

[[client]]
name = "trino@413"
acts = ["read"]
tables = ["sales/*"]
owner = "BI"

[[client]]
name = "delta-rs-python@1.6.6"
paths = ["native", "pyarrow"]

[[owner]]
name = "Sales"
contact = "sales@example.com"
tables = ["main.sales.*"]

[rules]
select = ["old-checkpoint"]

[[ignore]]
rule = "old-checkpoint"
tables = ["sales/*"]
reason = "made anew every night"
expires = 2026-12-31

[severity]
long-log = "info"

[changes]
protocol = "refuse"
features = ["deletionVectors"]
refuse = ["drop-columns"]
"""


def read(tmp_path: Path, text: str) -> Lake:
    (tmp_path / "lake.toml").write_text(text, encoding="utf-8")
    return read_lake(tmp_path / "lake.toml", RULES)


def test_everything_that_is_written_down_is_read(tmp_path: Path) -> None:
    lake = read(tmp_path, WHOLE)
    orders = lake.place(str(tmp_path / "sales" / "orders"))
    other = lake.place("/elsewhere/clicks")
    assert orders.names == ("main.sales.orders",)
    both = ("delta-rs-python/native@1.6.6", "delta-rs-python/pyarrow@1.6.6")
    assert lake.required_texts(orders) == ("trino@413:read", *both)
    assert lake.required_texts(other) == both
    assert str(lake.owner_of(orders)) == "Sales (sales@example.com)"
    assert lake.owner_of(other) is None
    assert lake.location_of("MAIN.raw.events") == "s3://bucket/events"
    assert lake.session == (("spark.databricks.delta.properties.defaults.appendOnly", "true"),)
    assert lake.selected == ("old-checkpoint",)
    assert lake.severity("long-log") == "info"
    assert (lake.changes.protocol, lake.changes.features) == (False, ("deletionVectors",))


def test_a_waiver_holds_up_to_and_with_its_last_day(tmp_path: Path) -> None:
    lake = read(tmp_path, WHOLE)
    orders = lake.place(str(tmp_path / "sales" / "orders"))
    last, after = date(2026, 12, 31), date(2027, 1, 1)
    assert lake.waiver("old-checkpoint", orders, last) is not None
    assert lake.waiver("old-checkpoint", orders, after) is None
    assert lake.waiver("long-log", orders, last) is None
    assert lake.waiver("old-checkpoint", lake.place("/elsewhere"), last) is None
    assert [one.rule for one in lake.expired(after)] == ["old-checkpoint"]


def test_a_secret_may_be_in_the_environment_and_nowhere_else(tmp_path: Path) -> None:
    lake = read(tmp_path, WHOLE)
    assert lake.storage_options({"LAKE_SECRET": "hush"}) == {"endpoint": "http://localhost", "secret": "hush"}
    with pytest.raises(LakeFileInvalidError, match=r"storage\.secret stands in the variable LAKE_SECRET"):
        lake.storage_options({})
    assert "localhost" not in repr(lake)


@pytest.mark.parametrize(
    ("pattern", "location", "matches"),
    [
        ("sales/*", "/lake/sales/orders", True),
        ("sales/*", "/lake/sales/deep/orders", True),
        ("sales", "/lake/sales", True),
        ("sales", "/lake/presales", False),
        ("/lake/*", "/lake/sales", True),
        ("/lake/*", "/other/lake/sales", False),
        ("s3://b/*", "s3://b/t", True),
        ("s3://b/*", "s3://other/b/t", False),
        ("a[bc]", "/x/ab", True),
        ("Sales", "/lake/sales", False),
    ],
)
def test_a_pattern_is_about_the_last_parts_of_a_location_or_all_of_it(
    pattern: str, location: str, matches: bool
) -> None:
    assert Lake("lake.toml").place(location).matches((pattern,)) is matches


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("[[client]]\nname = 'trinno@413'", 2, "client[1].name is wrong: No client is called 'trinno'. Did you mean"),
        ("[[client]]\nnmae = 'trino'", 2, "client[1].nmae is not a key here (did you mean name?)"),
        ("\n\n[[client]]\nacts = ['read']", 3, "client[1].name is missing"),
        ("[[client]]\nname = 'trino@468'\nacts = ['reed']", 3, "(did you mean read?)"),
        ("[[client]]\nname = 'trino@468'\nacts = []", 3, "names nothing that the client must do"),
        ("[[client]]\nname = 'delta-rs-python@1.6.6'\npaths = ['nativ']", 3, "has no path"),
        ("[client]\nname = 'trino'", 1, "client must be written as [[client]] tables"),
        ("[tables]\nx = 3", 2, "tables.x must be a text in quotes, found 3"),
        ("[[client]]\nname = 'trino@'", 2, "client[1].name is wrong: '' is not a version of trino"),
        ("[storrage]", 1, "storrage is not a key here (did you mean storage?)"),
        ("[rules]\nselect = ['old-checkpont']", 2, "(did you mean old-checkpoint?)"),
        ("[severity]\nlong-log = 'warn'", 2, "(did you mean warning?)"),
        ("[severity]\nlong-lag = 'info'", 2, "severity.long-lag is not a key here (did you mean long-log?)"),
        ("[[ignore]]\nrule = 'long-log'", 1, "ignore[1].reason is missing"),
        ("[[ignore]]\nrule = 'long-log'\nreason = 'x'\nexpires = 'soon'", 4, "must be a day such as 2027-01-31"),
        ("[changes]\nprotocol = 'no'", 2, "changes.protocol has 'no', which is not known"),
        ("[changes]\nfeatures = ['deletionVector']", 2, "(did you mean deletionVectors?)"),
        ("[changes]\nrefuse = [\n 'drop-colums',\n]", 2, "(did you mean drop-columns?)"),
        ("[lake]\nname = 3", 2, "lake.name must be a text in quotes, found 3"),
        ("[lake]\nclients-files = ['nowhere.toml']\n[[client]]\nname='trino'", 2, "cannot be used"),
        ("[tables]\na = [1]", 2, "tables.a must be a text in quotes"),
        ("[lake\nname = 'x'", 1, "is not TOML"),
    ],
)
def test_a_mistake_is_reported_with_line_key_and_what_may_have_been_meant(
    tmp_path: Path, text: str, line: int, told: str
) -> None:
    with pytest.raises(LakeFileInvalidError) as refused:
        read(tmp_path, text)
    problems = refused.value.details["problems"]
    assert any(one["line"] == line and told in one["problem"] for one in problems), problems


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(LakeFileInvalidError) as refused:
        read(tmp_path, "[lak]\n[rules]\nselct = []\n[[owner]]\n")
    assert [one["line"] for one in refused.value.details["problems"]] == [1, 3, 4]


def test_an_empty_file_has_no_demands(tmp_path: Path) -> None:
    lake = read(tmp_path, "")
    assert lake == Lake(str(tmp_path / "lake.toml"))
    assert lake.required_texts(lake.place("/x")) == ()


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LakeFileMissingError, match="nowhere"):
        read_lake(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b"[lake]\nname = '\xe4'")
    with pytest.raises(LakeFileMissingError, match="not UTF-8"):
        read_lake(tmp_path / "latin.toml")


def test_the_nearest_file_above_counts(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "lake.toml").touch()
    assert find_lake_file(deep) == tmp_path / "lake.toml"
    (tmp_path / "a" / "lake.toml").touch()
    assert find_lake_file(deep) == tmp_path / "a" / "lake.toml"


def test_an_unknown_rule_is_refused_with_all_that_are_known(tmp_path: Path) -> None:
    names = frozenset(rule.name for rule in default_rules().rules)
    assert len(names) > 20
    file = tmp_path / "lake.toml"
    file.write_text('[rules]\nselect = ["zzzz"]\n', encoding="utf-8")
    with pytest.raises(LakeFileInvalidError) as caught:
        read_lake(file, names)
    assert f"known: {', '.join(sorted(names))}" in caught.value.message
