"""What to do first: equal things over many tables are one card, the worst first, and a command that does them all."""

from __future__ import annotations

import contextlib
import io
import json
import time
from pathlib import Path

import pytest

from benchmarks.lake_generator import generate_lake
from deltaresolver.audit.audit_lake import AuditRequest, audit_lake
from deltaresolver.audit.document.cards import DAMAGE, LOCKED_OUT, SAVING, SHOWN, SILENT, entries_of
from deltaresolver.audit.document.document import Card
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.audit.scan.runners import InProcess
from deltaresolver.cli.main import run as run_here
from deltaresolver.model.audit_finding import SILENTLY_WRONG
from tests.unit.cli.running import run

CLIENTS = ("trino@413", "delta-rs-python@1.6.6")


def audited(lake: Path, folder: Path, name: str) -> StoredAudit:
    file = folder / name
    request = AuditRequest(roots=(str(lake),), clients=CLIENTS, kept_as=str(file), budget=None)
    return audit_lake(request, InProcess(), folder / f"{name}.work", file).document


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> StoredAudit:
    """A lake of every kind of table, twice, a few of them broken."""
    folder = tmp_path_factory.mktemp("lake")
    list(generate_lake(folder, 70, broken_every=12))
    return audited(folder, tmp_path_factory.mktemp("audit"), "audit.json")


def test_the_worst_comes_first_and_no_kind_hides_the_others(before: StoredAudit) -> None:
    cards = before.head.cards
    assert [card.number for card in cards] == list(range(1, len(cards) + 1))
    first = [card.kind for card in cards[:SHOWN]]
    assert set(first) == {SILENT, LOCKED_OUT, DAMAGE, SAVING}
    named = [card.kind for card in cards[:SHOWN] if card.severity != "info"]
    assert named == sorted(named, key=(SILENT, LOCKED_OUT, DAMAGE, SAVING).index)
    assert cards[0].kind == SILENT


def test_a_card_counts_each_table_once_and_names_who_gains(before: StoredAudit) -> None:
    tables = list(before.tables())
    for card in before.head.cards:
        mine = [one.location for one in tables if any(entry.key == card.key for entry in entries_of(one))]
        assert card.tables == len(mine)
        assert list(card.locations) == mine[: len(card.locations)]
        assert not card.price or card.gains or card.kind == SAVING


def test_silent_damage_of_a_client_that_was_asked_about_is_on_a_card(before: StoredAudit) -> None:
    wrong = {one.location for one in before.tables() if any(b.outcome == "silently wrong" for b in one.blocked)}
    silent = {location for card in before.head.cards if card.kind == SILENT for location in card.locations}
    assert wrong
    assert wrong <= silent
    assert {one.rule for t in before.tables() if t.location in wrong for one in t.findings} >= {SILENTLY_WRONG}


def here(*arguments: str) -> tuple[int, str]:
    """The command line in this process, whose clock a test moves."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = run_here(list(arguments))
    return code, "".join(line for line in out.getvalue().splitlines(keepends=True) if not line.startswith("note: "))


def appliable(card: Card) -> bool:
    return card.command is not None and "rewrites" not in card.price


def commands(file: str, card: Card) -> tuple[str, ...]:
    return ("plan", "--from", file, "--card", str(card.number))


def can(table: object) -> set[tuple[str, str]]:
    """What the clients that were asked about cannot do."""
    return {(one.release, one.act) for one in table.blocked}  # type: ignore[attr-defined]


@pytest.mark.slow
def test_every_card_that_has_a_command_does_what_it_says_and_nobody_loses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped = [0]
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + skipped[0])
    lake = tmp_path / "lake"
    list(generate_lake(lake, 70))
    first = audited(lake, tmp_path, "audit.json")
    was = {one.location: can(one) for one in first.tables()}
    file = str(tmp_path / "audit.json")
    cards = [card for card in first.head.cards if appliable(card)]
    assert {card.kind for card in cards} >= {LOCKED_OUT, SAVING}
    promised: dict[str, set[str]] = {}
    for card in cards:
        mine = {t.location: entry for t in first.tables() for entry in entries_of(t) if entry.key == card.key}
        code, out = here(*commands(file, card))
        assert code == 0, out
        assert all(location in out for location in mine)
        for _ in range(4):
            code, out = here(*commands(file, card), "--apply", "--yes")
            if " waits: " not in out:
                break
            # History has to age; whoever runs the command again days later goes on with the rest.
            skipped[0] += 3 * 86_400 * 1_000_000_000
        assert (code, f"Card {card.number}: " in out) == (0, True), out
        for location, entry in mine.items():
            if card.kind == LOCKED_OUT:
                promised.setdefault(location, set()).update(entry.gains)
        assert here(*commands(file, card), "--apply", "--yes") == (0, f"All tables of card {card.number} are done.\n")
    now = {one.location: can(one) for one in audited(lake, tmp_path, "after.json").tables()}
    for location, blocked in now.items():
        assert blocked <= was[location], location
    for location, gains in promised.items():
        for gain in gains:
            release, _, acts = gain.partition(" can ")
            assert not any((release, act) in now[location] for act in acts.split(" and ")), (location, gain)


def test_a_table_that_refuses_stops_no_other_and_stays_to_be_done(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    list(generate_lake(lake, 70))
    first = audited(lake, tmp_path, "audit.json")
    file = str(tmp_path / "audit.json")
    card = next(card for card in first.head.cards if appliable(card) and card.tables > 1)
    log = Path(card.locations[0]) / "_delta_log"
    log.rename(log.with_name("away"))
    stopped = run(*commands(file, card), "--apply", "--yes", "--at-once", "2")
    assert stopped.code == 1
    assert "1 left, the same command goes on with them" in stopped.out
    log.with_name("away").rename(log)
    rest = run(*commands(file, card), "--apply", "--yes")
    assert rest.code == 0, rest.out
    assert [line.partition(": ")[0] for line in rest.out.splitlines()[:-1]] == [card.locations[0]]


def test_a_command_that_was_put_into_the_audit_is_not_carried_out(before: StoredAudit, tmp_path: Path) -> None:
    file = str(tmp_path / "changed.json")
    card = next(card for card in before.head.cards if appliable(card) and card.tables > 1)
    text = Path(str(before.head.file)).read_text(encoding="utf-8")
    for wrong in ("deltaresolver plan /elsewhere", "rm -rf /elsewhere; deltaresolver plan", "deltaresolver vacuum"):
        changed = text.replace(f"deltaresolver plan {card.locations[0]}", f"{wrong} {card.locations[0]}")
        assert changed != text
        Path(file).write_text(changed, encoding="utf-8")
        refused = run("plan", "--from", file, "--card", str(card.number), "--apply", "--yes")
        assert refused.code == 2, refused.out
        assert "done" not in refused.out


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--card", "999"), "has no card 999"),
        (("--card", "x"), "has no card x"),
        (("--card", "1", "--client", "trino"), "--from brings its tables and plans with it"),
        (("/lake", "--card", "1"), "--from brings its tables and plans with it"),
    ],
)
def test_a_wrong_card_is_refused(before: StoredAudit, more: tuple[str, ...], told: str) -> None:
    refused = run("plan", "--from", str(before.head.file), *more)
    assert (refused.code, told in refused.err) == (2, True), refused.err


def test_cards_are_listed_and_one_without_a_command_is_marked(before: StoredAudit) -> None:
    listed = run("plan", "--from", str(before.head.file))
    assert listed.code == 0
    assert len(listed.out.splitlines()) == len(before.head.cards)
    card = next(card for card in before.head.cards if card.command is None)
    refused = run("plan", "--from", str(before.head.file), "--card", str(card.number), "--json")
    assert "DR437" in refused.err
    assert json.loads(refused.err)["details"]["card"] == card.number
