"""`deltaresolver plan --from audit.json --card N`: one thing to do, done to every table of its card.

A few tables at once, each on its own: one that refuses or has to wait stops no other. What is done is noted beside the
audit, so a run that was stopped goes on with the rest.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import click
import msgspec

from deltaresolver.audit.document.cards import entries_of
from deltaresolver.audit.document.document import Card
from deltaresolver.audit.document.document_file import StoredAudit
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_wrapped
from deltaresolver.errors import AuditCardError, CommandUsageError, DeltaResolverError, HistoryUsesFeatureError
from deltaresolver.plugins import in_threads
from deltaresolver.resolution.explain.phrases import counted
from deltaresolver.resolution.explain.visible_text import visible_line


@attrs.frozen(slots=True, eq=False)
class Job:
    """One table of a card: `look` says what would be done, `work` does it and says what came of it."""

    location: str
    look: Callable[[], str]
    work: Callable[[], str]


@attrs.frozen(slots=True)
class Done:
    """What came of a job; `is_open` where it has to be tried again."""

    location: str
    told: str
    is_open: bool = False


MakeJob = Callable[[str, list[str]], Job]
"""A job from a table's location and the arguments of its command."""


def list_cards(file: str, *, as_json: bool) -> int:
    """Show the cards of an audit."""
    cards = StoredAudit(file).head.cards
    if as_json:
        print_answer("plan", {"cards": msgspec.to_builtins(cards)})
        return 0
    if not cards:
        print("The audit found nothing to do.")
    for card in cards:
        mark = f"{card.number:>3}  {card.title}"
        price = f"; {card.price}" if card.price else ""
        how = "" if card.command else "; nothing to carry out here"
        print_wrapped(f"{mark} ({card.kind}: {counted(card.tables, 'table')}{price}{how})", " " * 5, bold=mark)
    return 0


def show_card(file: str, name: str, make_job: MakeJob, at_once: int, *, as_json: bool) -> int:
    """Say what would be done to each table. Raises `AuditCardError` and `AuditFileError`."""
    card, jobs = _open_jobs(file, name, make_job)
    if as_json:
        with ThreadPoolExecutor(at_once) as pool:
            plans = zip(jobs, pool.map(in_threads(_looked), jobs), strict=True)
            tables = [{"location": job.location, "plan": told} for job, told in plans]
        print_answer("plan", {"card": card.number, "title": card.title, "tables": tables})
        return 0
    print_wrapped(f"{card.title} {card.price}".rstrip(), "", bold=card.title)
    with ThreadPoolExecutor(at_once) as pool:
        for job, told in zip(jobs, pool.map(in_threads(_looked), jobs), strict=True):
            print_wrapped(f"  {job.location}: {told}", "    ")
    print_notes([f"{counted(len(jobs), 'table')} to do; nothing was written"])
    return 0


def apply_card(file: str, name: str, make_job: MakeJob, at_once: int, *, yes: bool, as_json: bool) -> int:
    """Do it to every table that is still open; 1 if some are left. Raises as `show_card`."""
    card, jobs = _open_jobs(file, name, make_job)
    question = f"{card.title} {card.price}: {counted(len(jobs), 'table')}, {at_once} at once?"
    if not jobs and not as_json:
        print(f"All tables of card {card.number} are done.")
        return 0
    if not yes and not click.confirm(question, default=False):
        return 1
    tables = []
    with ThreadPoolExecutor(at_once) as pool, _done_file(file, card).open("a", encoding="utf-8") as noted:
        for done in pool.map(in_threads(_worked), jobs):
            if not as_json:
                print(visible_line(f"{done.location}: {done.told}"), flush=True)
            tables.append({"location": done.location, "outcome": done.told, "done": not done.is_open})
            if not done.is_open:
                noted.write(f"{done.location}\n")
                noted.flush()
    left = sum(not table["done"] for table in tables)
    if as_json:
        print_answer("plan", {"card": card.number, "title": card.title, "tables": tables, "left": left})
        return 1 if left else 0
    finished = len(jobs) - left
    rest = f"; {left:,} left, the same command goes on with them" if left else ""
    print(f"Card {card.number}: {counted(finished, 'table')} done{rest}.")
    return 1 if left else 0


def _looked(job: Job) -> str:
    try:
        return job.look()
    except DeltaResolverError as error:
        return f"{error.code}: {error.message}"


def _worked(job: Job) -> Done:
    try:
        return Done(job.location, _worked_twice(job))
    except HistoryUsesFeatureError as error:
        return Done(job.location, f"waits: {error.message}", is_open=True)
    except DeltaResolverError as error:
        return Done(job.location, f"{error.code}: {error.message} {error.fix}".rstrip(), is_open=True)


def _worked_twice(job: Job) -> str:
    """The first drop ends the use of a feature; what history is old enough by then, the second one cuts."""
    try:
        return job.work()
    except HistoryUsesFeatureError:
        return job.work()


def _open_jobs(file: str, name: str, make_job: MakeJob) -> tuple[Card, list[Job]]:
    audit = StoredAudit(file)
    card = _card(audit, name, file)
    if card.command is None:
        raise AuditCardError(
            f"Card {card.number} has nothing to carry out here: {card.title}",
            fix="Do by hand what it says; its tables are in the report.",
            details={"card": card.number, "title": card.title},
        )
    done = _done_before(file, card)
    return card, [make_job(where, arguments) for where, arguments in _commands(audit, card) if where not in done]


def _commands(audit: StoredAudit, card: Card) -> Iterator[tuple[str, list[str]]]:
    for table in audit.tables():
        for entry in entries_of(table):
            if entry.key == card.key and entry.command is not None:
                yield table.location, shlex.split(entry.command)


def _card(audit: StoredAudit, name: str, file: str) -> Card:
    found = next((card for card in audit.head.cards if name in (str(card.number), card.key)), None)
    if found is None:
        known = f"1 to {len(audit.head.cards)}" if audit.head.cards else "none"
        raise AuditCardError(
            f"{file} has no card {name}; it has {known}.",
            fix=f"List them with: deltaresolver plan --from {shlex.quote(file)}",
            details={"card": name, "cards": len(audit.head.cards)},
        )
    return found


def _done_file(file: str, card: Card) -> Path:
    return Path(f"{file}.card-{card.key}.done")


def _done_before(file: str, card: Card) -> frozenset[str]:
    path = _done_file(file, card)
    return frozenset(path.read_text(encoding="utf-8").split("\n")) if path.exists() else frozenset()


def options_of(command: click.Command, location: str, arguments: list[str]) -> dict[str, Any]:
    """The options of a command that an audit holds, read as if they were typed.

    Raises `CommandUsageError` for one that is about another table than its own, or another command.
    """
    if arguments[:2] != ["deltaresolver", command.name]:
        raise _foreign(location, arguments)
    context = command.make_context(str(command.name), arguments[2:], parent=click.get_current_context())
    if context.params["path"] != location:
        raise _foreign(location, arguments)
    return dict(context.params)


def _foreign(location: str, arguments: list[str]) -> CommandUsageError:
    return CommandUsageError(
        f"The audit has a command for {location} that does not name this table: {shlex.join(arguments)}.",
        fix="Make the audit again; somebody has changed the file.",
        details={"location": location, "command": shlex.join(arguments)},
    )
