"""`deltaresolver plan`: the cheapest steps to where a table is wanted, and carrying them out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from deltaresolver.cli.completion import complete_clients, complete_features, complete_folders, complete_paths
from deltaresolver.cli.inputs.clients_input import clients_file_option
from deltaresolver.cli.inputs.file_rewriter import find_rewriter
from deltaresolver.cli.inputs.lake_input import lake_clients_files, located, required_on
from deltaresolver.cli.inputs.property_changes import read_pairs
from deltaresolver.cli.inputs.protocol_input import read_protocol
from deltaresolver.cli.inputs.table_to_change import storage_option
from deltaresolver.cli.json_answer import print_answer
from deltaresolver.cli.output import print_wrapped
from deltaresolver.clients.own_clients import knowledge_with
from deltaresolver.clients.verdicts import ClientKnowledge
from deltaresolver.errors import CommandUsageError, PlanTargetError
from deltaresolver.resolution.explain.visible_text import visible, visible_line
from deltaresolver.transaction.progress import stage

if TYPE_CHECKING:
    from deltaresolver.cli.card_work import Job

EXAMPLES = """\b
Examples:
  deltaresolver plan /lake/events --client trino@468
  deltaresolver plan /lake/events --protocol 1,2 --keep newest
  deltaresolver plan /lake/events --client delta-rs-python@1.6.6:read --json
  deltaresolver plan /lake/events --protocol 1,2 --markdown
  deltaresolver plan /lake/events --drop-feature deletionVectors --apply --yes
  deltaresolver plan /lake/events --purge --apply --yes
  deltaresolver plan --from audit.json
"""

_INDENTS = {"   cost": 11, "   after": 11, "  - ": 4}


@click.command("plan", epilog=EXAMPLES)
@click.argument("path", metavar="[TABLE_PATH]", required=False, shell_complete=complete_folders)
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="CLIENT[@VERSION][:read|:append]",
    help="This client is to read and append, or only to read. May be repeated.",
    shell_complete=complete_clients,
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    metavar="PROTOCOL",
    help="The protocol not to exceed: JSON, or short such as 1,2 or 2,5.",
)
@click.option(
    "--drop-feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="A feature to drop. May be repeated.",
    shell_complete=complete_features,
)
@click.option("--purge", "purges", is_flag=True, help="No data file is to have a deletion vector.")
@click.option(
    "--keep",
    multiple=True,
    metavar="CLIENT[@VERSION][:read|:append] | newest",
    help="This client must not lose what it can do, at any step; newest: no client's newest release. May be repeated.",
    shell_complete=complete_clients,
)
@click.option("--from", "audit_file", metavar="FILE", help="Work on an audit's cards.", shell_complete=complete_paths)
@click.option("--card", metavar="NUMBER", help="With --from: this card, for all of its tables.")
@click.option(
    "--at-once", type=click.IntRange(1, 64), default=4, show_default=True, help="With --card: tables at a time."
)
@click.option("--apply", "applies", is_flag=True, help="Carry the steps out, asking before each.")
@click.option("--yes", is_flag=True, help="With --apply: do not ask.")
@clients_file_option
@storage_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
def command(path: str | None, *, applies: bool, yes: bool, as_json: bool, as_markdown: bool, **asked: Any) -> int:
    """The cheapest steps from a table to a client, a protocol, or without a feature.

    Several targets have to hold together. Of all ways it shows the one that does the least damage: history is cut
    only if nothing else helps, then as few bytes as possible are rewritten, then as few steps as possible are taken.
    Exits with 1 when there is no way, and says what cannot go.

    With --apply the plan is made again after each step, so a run that was stopped goes on when it is run again.
    Steps that rewrite files run in Spark, in the session that the environment configures; without PySpark the plan
    stops before them and shows the statement.

    With --from, the plans that an audit found: without --card it lists the cards, with it the plan of each table of
    that card, and with --apply it carries them out, some tables at a time. A run that was stopped, or has to wait for
    history to age, goes on with what is left.
    """
    if applies and not yes and (as_json or not sys.stdin.isatty()):
        raise CommandUsageError("There is no terminal to ask at.", fix="Add --yes to apply every step without asking.")
    if asked["audit_file"] is not None:
        return _from_audit(path, asked, applies=applies, yes=yes, as_json=as_json)
    if path is None or asked["card"] is not None:
        missing = "no --from FILE" if asked["card"] is not None else "no table"
        raise CommandUsageError(f"There is nothing to plan for: {missing}.", fix="Give a table, or --from audit.json.")
    knowledge = knowledge_with((*lake_clients_files(), *asked["clients_files"]))
    path = located(path)
    target = _target(asked, knowledge)
    # Here, because Arrow takes longer to load than `--help` may.
    from deltaresolver.table import Table

    table = Table(path, read_pairs(asked["storage"], "--storage"))
    from deltaresolver.planning.plan import plan

    keep = tuple(dict.fromkeys((*asked["keep"], *required_on(path))))
    with stage("Looking for the cheapest steps (30 seconds at most)"):
        found = plan(table, target, knowledge=knowledge, keep=keep)
    if not (applies and as_json and found.is_possible):
        _show(found, as_json=as_json, as_markdown=as_markdown and not (applies and as_json))
    if not found.is_possible:
        return 1
    return _apply(table, target, knowledge, keep, yes=yes, as_json=as_json) if applies else 0


def _from_audit(path: str | None, asked: dict[str, Any], *, applies: bool, yes: bool, as_json: bool) -> int:
    from deltaresolver.cli import card_work

    if path is not None or any(asked[key] for key in ("clients", "protocols", "features", "purges", "keep")):
        raise CommandUsageError(
            "--from brings its tables and plans with it.", fix="Leave out the table and what it is planned for."
        )
    file, card = asked["audit_file"], asked["card"]
    if card is None:
        return card_work.list_cards(file, as_json=as_json)

    def make_job(location: str, arguments: list[str]) -> card_work.Job:
        return _job(location, arguments, asked)

    if applies:
        return card_work.apply_card(file, card, make_job, asked["at_once"], yes=yes, as_json=as_json)
    return card_work.show_card(file, card, make_job, asked["at_once"], as_json=as_json)


def _job(location: str, arguments: list[str], given: dict[str, Any]) -> Job:
    """What an audit's command for a table comes to. Options are read here, where the command line is known."""
    from deltaresolver.cli import card_work
    from deltaresolver.cli.commands import alter

    if arguments[1:2] == ["alter"]:
        typed = card_work.options_of(alter.command, location, arguments)
        return card_work.Job(location, *alter.looking_and_working(location, typed, given["storage"]))
    typed = card_work.options_of(command, location, arguments)
    from deltaresolver.planning.advice import way_of
    from deltaresolver.planning.apply import apply_plan, ensure_possible
    from deltaresolver.planning.plan import plan
    from deltaresolver.table import Table

    knowledge = knowledge_with((*lake_clients_files(), *given["clients_files"]))
    target = _target(typed, knowledge)
    keep = tuple(dict.fromkeys((*typed["keep"], *required_on(location))))
    storage = read_pairs((*typed["storage"], *given["storage"]), "--storage")

    def look() -> str:
        found = plan(Table(location, storage), target, knowledge=knowledge, keep=keep)
        ensure_possible(found)
        return way_of(found) if found.steps else "done already"

    def work() -> str:
        done = [one.step.title for one in apply_plan(
            Table(location, storage), target, knowledge=knowledge, rewriter=find_rewriter(), keep=keep
        )]  # fmt: skip
        return f"done: {', '.join(done)}" if done else "done already"

    return card_work.Job(location, look, work)


def _target(asked: dict[str, Any], knowledge: ClientKnowledge) -> Any:
    if not (asked["clients"] or asked["protocols"] or asked["features"] or asked["purges"]):
        raise PlanTargetError(
            "There is nothing to plan for.",
            fix="Add --client trino@468, --protocol 1,2, --drop-feature NAME or --purge.",
        )
    from deltaresolver.defaults import default_catalog
    from deltaresolver.planning import targets

    catalog = default_catalog()
    goals: list[object] = [targets.client_target(text, knowledge) for text in asked["clients"]]
    goals += [read_protocol(text) for text in asked["protocols"]]
    goals += [targets.without_feature(name, catalog) for name in asked["features"]]
    goals += [targets.Purged()] if asked["purges"] else []
    return targets.read_target(goals, catalog, knowledge)


def _show(found: Any, *, as_json: bool, as_markdown: bool) -> None:
    if as_json:
        print_answer("plan", found.to_json())
        return
    from deltaresolver.planning.render.plan import render_plan

    render = render_plan
    if as_markdown:
        print(visible(render(found, "markdown")))
        return
    for line in render(found).splitlines():
        if " SQL " in line or " Python " in line or " CLI " in line:
            print(visible(line))  # a command is copied, so it is not wrapped
            continue
        indent = next((width for start, width in _INDENTS.items() if line.startswith(start)), 0)
        print_wrapped(line, " " * indent, bold="" if line.startswith(" ") else line)


def _apply(
    table: Any, target: Any, knowledge: ClientKnowledge, keep: tuple[str, ...], *, yes: bool, as_json: bool
) -> int:
    from deltaresolver.planning import apply as module

    done: list[dict[str, Any]] = []

    def confirm(step: Any) -> bool:
        return yes or click.confirm(visible_line(f"{step.title} ({'; '.join(step.costs)})?"), default=False)

    if not as_json:
        print()
    for one in module.apply_plan(table, target, confirm, knowledge, find_rewriter(), keep):
        done.append({"step": one.step.title, "table_version": one.table_version})
        if not as_json:
            print(f"done: {visible_line(one.step.title)}; the table is at version {one.table_version}", flush=True)
    from deltaresolver.planning.plan import plan

    left = plan(table, target, knowledge=knowledge, keep=keep)
    if as_json:
        print_answer("plan", {"applied": done, "reached": not left.steps, "plan": left.to_json()})
    elif not left.steps:
        print(f"The target is reached: {left.target}.")
    else:
        from deltaresolver.resolution.explain.phrases import counted

        print(f"Stopped; {counted(len(left.steps), 'step')} left. Run the same command to go on.")
    return 1 if left.steps else 0
