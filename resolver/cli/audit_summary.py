"""What `deltaresolver audit` prints: the lake in numbers, what was found and where, what opens tables to clients."""

from __future__ import annotations

from typing import Any

from deltaresolver.cli.output import print_fields, print_table, print_wrapped
from deltaresolver.model.audit_finding import SILENTLY_WRONG
from deltaresolver.resolution.explain.phrases import counted
from deltaresolver.resolution.explain.visible_text import visible_command, visible_line

SHOWN = 20
FIRST = 7
"""Cards that are shown."""
NAMED = 5
"""Tables named for each rule."""
WITHOUT_HARM = "without taking something from a client that was asked about"


def print_summary(head: Any) -> None:
    """Print the head of an audit."""
    _print_cards(head)
    if head.summary.tables or any(not root.error for root in head.roots):
        _print_lake(head)
    _print_rules(head)
    _print_clients(head)
    _print_regressions(head)


def _print_cards(head: Any) -> None:
    """What to do first: at most as many cards as a week has days."""
    if not head.cards:
        return
    print_wrapped("What to do first", "", bold="What to do first")
    for card in head.cards[:FIRST]:
        mark = f"{card.number}  {card.title}"
        print_wrapped(f"  {mark}", " " * 5, bold=mark)
        told = [card.kind, counted(card.tables, "table"), card.price]
        told += [f"gains: {'; '.join(card.gains)}" if card.gains else "", "nobody loses" if card.price else ""]
        told += [f"owners: {', '.join(card.owners)}" if card.owners else ""]
        print_wrapped(f"     {' · '.join(filter(None, told))}", " " * 5)
        for location in card.locations[:NAMED]:
            print(f"       {visible_line(location)}")
        if card.tables > NAMED:
            print(f"       and {card.tables - NAMED:,} more")
        if card.command is not None:
            print(f"     {visible_command(card.command)}")  # a command is copied, so it is not wrapped
    if head.file is None and any(" --from " in (card.command or "") for card in head.cards[:FIRST]):
        print("  Keep the audit with --json audit.json first: that is what --from reads.")
    if len(head.cards) > FIRST:
        print(f"  and {len(head.cards) - FIRST} less urgent, in the JSON")
    print()


def _print_lake(head: Any) -> None:
    lake = head.summary
    protocols = (f"({one.label}): {one.tables:,}" for one in lake.protocols)
    print_fields(
        (
            ("tables", f"{lake.tables:,}"),
            ("cannot be read", f"{lake.broken:,}" if lake.broken else ""),
            ("with findings", f"{lake.with_findings:,}"),
            ("protocols", ", ".join(protocols)),
        )
    )


def _print_rules(head: Any) -> None:
    def urgency(one: Any) -> tuple[Any, ...]:
        return one.name == SILENTLY_WRONG, one.severity, one.tables

    found = sorted((one for one in head.rules if one.findings), key=urgency, reverse=True)
    if found:
        print()
        rows = [(one.name, one.severity.value, f"{one.tables:,}", one.title) for one in found]
        print_table(("rule", "severity", "tables", "what was found"), rows)
        print()
        print("where")
    for one in found:
        shown = one.locations[:NAMED]
        more = f"  and {one.tables - len(shown):,} more" if one.tables > len(shown) else ""
        print(f"  {one.name}{more}")
        for location in shown:
            print(f"    {visible_line(location)}")  # never wrapped, so that it can be copied


def _print_clients(head: Any) -> None:
    for unlock in head.summary.unlocks:
        print()
        works, locked_out = counted(unlock.works, "table"), f"{unlock.locked_out:,}"
        preposition = " to" if unlock.act == "append" else ""
        print(
            f"{unlock.release} can {unlock.act}{preposition} {works}, and cannot {unlock.act}{preposition} {locked_out}"
        )
        if unlock.upgrade is not None:
            print_wrapped(
                f"  {unlock.upgrade.title} It opens {counted(unlock.upgrade.unlocked, 'table')}: 0 bytes.", "    "
            )
        for number, step in enumerate(unlock.steps):
            so_far = f" ({step.unlocked_so_far:,} with those above)" if number else ""
            print_wrapped(f"  {step.title} It opens {counted(step.unlocked, 'table')}{so_far}: {step.price}.", "    ")
        if unlock.stays_locked:
            others = "the other " if unlock.steps else ""
            print_wrapped(f"  No plan opens {others}{counted(unlock.stays_locked, 'table')} {WITHOUT_HARM}.", "    ")


def _print_regressions(head: Any) -> None:
    if head.regressions:
        print()
        gravest = sorted(head.regressions, key=lambda one: one.severity, reverse=True)[:SHOWN]
        rows = [(one.location, one.kind, one.message) for one in gravest]
        print_table(("worse than before", "kind", "what"), rows)
        if len(head.regressions) > SHOWN:
            print(f"and {len(head.regressions) - SHOWN:,} more")
