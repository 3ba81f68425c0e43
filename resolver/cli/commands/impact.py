"""`deltaresolver impact`: who breaks, and who gains, when a table changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import click

from deltaresolver.cli.completion import (
    complete_assignments,
    complete_clients,
    complete_features,
    complete_folders,
    complete_properties,
)
from deltaresolver.cli.error_output import print_notes
from deltaresolver.cli.inputs.catalog_profiles import profile_option
from deltaresolver.cli.inputs.clients_input import clients_file_option
from deltaresolver.cli.inputs.impact_question import Asked, ImpactQuestion, read_question
from deltaresolver.cli.inputs.lake_input import lake_clients_files, located, required_on
from deltaresolver.cli.inputs.required_clients import Requirement, check_requirements, in_words, read_requirement
from deltaresolver.cli.inputs.sources import STDIN
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_fields, print_wrapped
from deltaresolver.clients.catalogue import ClientAtVersion
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.model.facts.keys import APPEND_ONLY, DELETION_VECTORS, MAPPING_MODE
from deltaresolver.planning.impact import Impact, chosen_clients
from deltaresolver.planning.impact import impact as impact_on
from deltaresolver.planning.render.impact import render_impact
from deltaresolver.resolution.explain.phrases import newly_listed, pair, shortened
from deltaresolver.resolution.explain.visible_text import visible
from deltaresolver.value import Value

EXAMPLES = f"""\b
Examples:
  deltaresolver impact /lake/events --set {DELETION_VECTORS}=true
  deltaresolver impact /lake/events --add-feature variantType --client trino --client delta-rs-python@1.4.0
  deltaresolver impact /lake/events --drop-feature deletionVectors --client trino@468
  deltaresolver impact /lake/events --set {APPEND_ONLY}=true --require delta-spark@3.3.0 --require trino@468:read
  echo '{{"configuration": {{}}}}' | deltaresolver impact --set {MAPPING_MODE}=name --format markdown
"""

_MET = {True: ("ok", "green"), False: ("FAIL", "red")}


@attrs.frozen(slots=True)
class ImpactAnswer(Value):
    """What was asked, who is affected, and whether the required clients still work."""

    question: ImpactQuestion
    impact: Impact
    requirements: tuple[Requirement, ...]
    is_asked: bool = False
    """Whether clients were named; otherwise the answer is about all of them."""

    @property
    def is_fine(self) -> bool:
        """Whether every requirement is met, and no client that was named will go wrong without an error."""
        wrong = self.impact.silently_wrong or self.impact.still_wrong
        return all(one.is_met for one in self.requirements) and not (self.is_asked and wrong)


@click.command("impact", epilog=EXAMPLES)
@click.argument("source", metavar="[TABLE_PATH | -]", required=False, shell_complete=complete_folders)
@click.option(
    "--set",
    "to_set",
    multiple=True,
    metavar="KEY=VALUE",
    help="A table property to set. May be repeated.",
    shell_complete=complete_assignments,
)
@click.option(
    "--unset",
    "to_unset",
    multiple=True,
    metavar="KEY",
    help="A table property to unset. May be repeated.",
    shell_complete=complete_properties,
)
@click.option(
    "--add-feature",
    "to_add",
    multiple=True,
    metavar="NAME",
    help="A feature to add. May be repeated.",
    shell_complete=complete_features,
)
@click.option(
    "--drop-feature",
    "to_drop",
    multiple=True,
    metavar="NAME",
    help="A feature to drop, after all other changes. May be repeated.",
    shell_complete=complete_features,
)
@click.option("--truncate-history", "truncates", is_flag=True, help="With --drop-feature: cut history.")
@click.option("--protocol", metavar="PROTOCOL", help="The current protocol: JSON, or short such as 1,2 or 2,5 or 3,7.")
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="CLIENT[@VERSION]",
    help="Ask about this client. May be repeated.  [default: the newest release of every one]",
    shell_complete=complete_clients,
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="CLIENT@VERSION[:read|:write]",
    help="Exit with 1 unless this client can read and write afterwards, or one of the two. May be repeated.",
    shell_complete=complete_clients,
)
@clients_file_option
@storage_option
@profile_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="The output format.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(
    source: str | None,
    clients: tuple[str, ...],
    required: tuple[str, ...],
    clients_files: tuple[str, ...],
    form: str,
    as_json: bool,
    **asked: Any,
) -> int:
    """Who breaks, and who gains, when a table changes.

    Compares what the table demands of clients before and after: what goes wrong without an error first, then who is
    refused, then who gains. A client named without its path is judged by all of them. Works on a table, or on
    metadata as JSON from stdin, as resolve does; without a current protocol it compares two new tables. A required
    client whose reading or writing is not known to work fails, and so does a client named with --client that goes
    wrong without an error afterwards, even if it does so now. Clients that a lake.toml requires are required here, too.
    """
    knowledge = knowledge_with((*lake_clients_files(), *clients_files))
    source = None if source is None else located(source)
    owned = required_on("" if source in (None, STDIN) else str(source))
    wanted = [read_requirement(text, knowledge) for text in dict.fromkeys((*required, *owned))]
    releases = _releases(clients, [release for client, _ in wanted for release in client.releases], knowledge)
    question = read_question(source, Asked(**asked))
    found = impact_on(question.before, question.after, releases, knowledge)
    answer = ImpactAnswer(
        question,
        # What is wrong already concerns those who ask about that client; all others would hear of it each time.
        found if clients else attrs.evolve(found, still_wrong=()),
        check_requirements(wanted, question.before, question.after),
        is_asked=bool(clients),
    )
    if as_json or form == "json":
        print_answer("impact", _as_data(answer))
    elif form == "markdown":
        print(visible("\n".join(_markdown(answer))))
    else:
        _print(answer)
        print_notes(question.notes)
    return 0 if answer.is_fine else 1


def _releases(
    clients: tuple[str, ...], required: list[ClientAtVersion], knowledge: ClientKnowledge
) -> tuple[ClientAtVersion, ...]:
    """The clients to tell about, each once: those named, else all; and those required."""
    chosen = chosen_clients(clients or None, knowledge)
    return tuple({str(release): release for release in (*chosen, *required)}.values())


def _as_data(answer: ImpactAnswer) -> dict[str, Any]:
    question = answer.question
    return {
        "before": question.before_protocol.to_json(),
        "after": question.after_protocol.to_json(),
        "changed": question.after_protocol != question.before_protocol,
        "added": sorted(question.added),
        "fine": answer.is_fine,
        "required": [one.to_json() for one in answer.requirements],
        **answer.impact.to_json(),
        "notes": list(question.notes),
    }


def _fields(question: ImpactQuestion) -> Iterator[tuple[str, str]]:
    before, after = question.before_protocol, question.after_protocol
    kind = " for a new table" if question.is_new else ""
    unchanged = "stays, and lists more" if pair(before) == pair(after) and before != after else "unchanged"
    change = f"{pair(before)} -> {pair(after)}" if pair(before) != pair(after) else f"{pair(before)}, {unchanged}"
    yield "protocol", change + kind
    yield "new", ", ".join(sorted(question.added))
    if question.resolution.current is not None and question.resolution.changed:
        yield "now by name", ", ".join(newly_listed(question.resolution))


# --- text -----------------------------------------------------------------------------------------


def _print(answer: ImpactAnswer) -> None:
    print_fields(_fields(answer.question))
    print()
    dangerous = False
    for line in render_impact(answer.impact, "text").splitlines():
        if line and not line.startswith(" "):
            dangerous = line.startswith("!!!")
            print_wrapped(line, "", bold=line, colour="red" if dangerous else None)
        else:
            print_wrapped(line, "     ", colour="red" if dangerous else None)
    if answer.requirements:
        print()
        print_wrapped("Required", "", bold="Required")
        for is_met, sentence in in_words(answer.requirements):
            word, colour = _MET[is_met]
            print_wrapped(f"  {word.ljust(4)}  {sentence}", " " * 8, colour=None if is_met else colour)


# --- Markdown -------------------------------------------------------------------------------------


def _markdown(answer: ImpactAnswer) -> Iterator[str]:
    for label, value in _fields(answer.question):
        if value:
            yield f"- {label}: {shortened(value)}"
    yield ""
    yield render_impact(answer.impact, "markdown")
    if answer.requirements:
        yield from ("", "### Required", "")
        for is_met, sentence in in_words(answer.requirements):
            yield f"- {'✅' if is_met else '❌'} {sentence}"
