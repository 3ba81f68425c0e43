"""The command `deltaresolver`: finds a command's module when it is called, and turns every failure into one message.

Exit codes: 0 fine, 1 findings or a failed check, 2 an error; 130 ended by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem, add_completion_class

from deltaresolver.cli.error_output import COLOUR_CHOICES, logged_as_notes, print_error, print_notes, set_colours
from deltaresolver.cli.signals import InterruptedWorkError, followed, signal_behind
from deltaresolver.cli.unforeseen import as_own
from deltaresolver.cli.versions import version_lines

EXIT_ERROR = 2
EXIT_BY_SIGNAL = 128
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
GARBAGE_THRESHOLD = 50_000
"""So many more objects than before, and the youngest are looked through for garbage; Python's own number is 700."""

COMMANDS = {
    "resolve": ("deltaresolver.cli.commands.resolve", "The protocol a table needs, and what changes."),
    "explain": ("deltaresolver.cli.commands.explain", "Why a table needs its protocol; or what an error code means."),
    "impact": ("deltaresolver.cli.commands.impact", "Who breaks, and who gains, when a table changes."),
    "plan": ("deltaresolver.cli.commands.plan", "The cheapest steps to a client, a protocol, or without a feature."),
    "history": ("deltaresolver.cli.commands.history", "What happened to a table, and what changed its protocol."),
    "audit": (
        "deltaresolver.cli.commands.audit",
        "Every table of a lake: what is wrong, who is locked out, what to do.",
    ),
    "check": (
        "deltaresolver.cli.commands.check",
        "What scripts in a repository would do to tables: the gate for pull requests.",
    ),
    "verify": ("deltaresolver.cli.commands.verify", "Whether all files of a table are there and whole."),
    "clients": ("deltaresolver.cli.commands.clients", "What each client reads and writes, and how that is known."),
    "probe": ("deltaresolver.cli.commands.probe", "Measure what a release of a client does with tables."),
    "features": ("deltaresolver.cli.commands.features", "Every table feature known here, or one of them."),
    "alter": ("deltaresolver.cli.commands.alter", "Set table properties and add features, or show what that would do."),
    "sql": (
        "deltaresolver.cli.commands.sql",
        "Change columns, constraints and more by a statement, or show what that would do.",
    ),
    "drop-feature": (
        "deltaresolver.cli.commands.drop_feature",
        "Take a feature away from a table, or show what that would do.",
    ),
    "restore": ("deltaresolver.cli.commands.restore", "Put a table back to an earlier version."),
    "vacuum": ("deltaresolver.cli.commands.vacuum", "Delete the files of a table that no retained version needs."),
    "ui": ("deltaresolver.cli.commands.ui", "Try changes on a table in the browser, and see who breaks as you type."),
    "conformance": (
        "deltaresolver.cli.commands.conformance",
        "Compare with recorded answers of other implementations.",
    ),
    "plugins": (
        "deltaresolver.cli.commands.plugins",
        "What installed packages bring, which are set aside, and why.",
    ),
    "new-feature": ("deltaresolver.cli.commands.new_feature", "Write the package of a table feature of your own."),
}
"""Command name, module that holds its `command`, and one line for the overview, which must not load them all."""


class NobodyReadsError(Exception):
    """Our output is a pipe whose reader has gone. Not an `OSError`, for which click would end with 1."""


class CommandsOnDemand(click.Group):
    """A group that imports the module of a command when that command is called, and no other."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table above: the most useful first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with what may be meant by one that does not exist. Raises `CommandUsageError`."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args[0].startswith("-"):
                raise
            from deltaresolver.cli.unknown_command import unknown_command

            raise unknown_command(args[0], args[1:], COMMANDS) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises `NobodyReadsError`."""
        try:
            with logged_as_notes():
                return super().invoke(ctx)
        except BrokenPipeError as error:
            raise NobodyReadsError from error
        except click.UsageError as error:
            called = None if ctx.invoked_subcommand is None else self.get_command(ctx, ctx.invoked_subcommand)
            if error.ctx is None and called is not None:  # an option whose value lacks, or that takes none
                error.ctx = click.Context(called, parent=ctx, info_name=ctx.invoked_subcommand)
            raise

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands that begin like this, and the options of the group, without loading a command."""
        commands = [
            CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview of commands, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


EXAMPLES = """\b
Examples:
  deltaresolver explain /lake/events
  deltaresolver impact /lake/events --add-feature deletionVectors
  deltaresolver features rowTracking
  deltaresolver explain DR204
"""


def _print_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:  # noqa: ARG001 - click's signature
    if wanted:
        print("\n".join(version_lines()))
        ctx.exit()


@click.group(cls=CommandsOnDemand, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the releases of deltaresolver, Python, PySpark and the plugins.",
)
@click.option("--traceback", is_flag=True, help="Show where in the code an error arose.")
@click.option(
    "--without-plugin",
    "without",
    multiple=True,
    metavar="PACKAGE",
    help="Do without what this installed package brings, its commit policies included. May be repeated.",
)
@click.option("--color", type=click.Choice(COLOUR_CHOICES), help="Whether to use colours.  [default: auto]")
def command(traceback: bool, without: tuple[str, ...], color: str | None) -> None:
    """Why a Delta table needs its protocol, who breaks if it changes, and how to get back."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    # What imports leave behind is not garbage: looking through it, at every 700th object and once more at the end,
    # took a fifth of a short command's time.
    gc.set_threshold(GARBAGE_THRESHOLD)
    code = run(sys.argv[1:] if arguments is None else list(arguments))
    gc.freeze()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line; the exit code. Raises `SystemExit` for shell completion alone."""
    _prepare_streams()
    if "_DELTARESOLVER_COMPLETE" in os.environ:
        from deltaresolver.cli.bash_completion import WholeWordsInBash

        add_completion_class(WholeWordsInBash)
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    try:
        packages: list[str] = []
        told = [*_without_general_options(own, packages), *arguments[len(own) :]]
        with followed(), _without_plugins(packages):
            code = command.main(told, "deltaresolver", standalone_mode=False)
        sys.stdout.flush()
    except (BrokenPipeError, NobodyReadsError):
        return _stop_printing()
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 0
    except (InterruptedWorkError, KeyboardInterrupt, click.Abort) as error:
        print_notes([str(error) if isinstance(error, InterruptedWorkError) else _interrupted(own)])
        return EXIT_BY_SIGNAL + (signal_behind(error) or signal.SIGINT)
    except Exception as error:  # noqa: BLE001 - the last place where anything can be said about it
        number = signal_behind(error)
        if number is not None:
            print_notes([_interrupted(own)])
            return EXIT_BY_SIGNAL + number
        if "--traceback" in own:
            import traceback

            traceback.print_exc()
        print_error(as_own(error), as_json=_wants_json(own))
        return _ended_by(error)
    return code if isinstance(code, int) else 0


def _interrupted(arguments: Sequence[str]) -> str:
    from deltaresolver.cli.interruption import interrupted

    return interrupted(arguments, COMMANDS)


def _without_plugins(packages: Sequence[str]) -> contextlib.AbstractContextManager[None]:
    """Leave out these packages. Raises `PluginUnknownError`."""
    if not packages:
        return contextlib.nullcontext()
    # Only here: most commands need no more of plugins than their features, and --help not even these.
    from deltaresolver.defaults import without_plugins

    return without_plugins(packages)


def _without_general_options(arguments: Sequence[str], packages: list[str]) -> Iterator[str]:
    """The arguments without those options that may stand anywhere.

    Colours are set on the way, and packages to leave out are appended to `packages`. A choice of colours that does not
    exist is left for click, which refuses it.
    """
    rest = iter(arguments)
    for one in rest:
        name, equals, choice = one.partition("=")
        if name == "--color" and (equals or (choice := next(rest, ""))) and choice in COLOUR_CHOICES:
            set_colours(choice)
        elif name == "--color":
            option = next(each for each in command.params if each.name == "color")
            raise click.BadParameter(f"{choice!r} is not one of {', '.join(COLOUR_CHOICES)}.", param=option)
        elif name == "--without-plugin":
            if not (equals or (choice := next(rest, ""))) or not choice.strip():
                raise click.BadParameter("A package is expected.", param_hint="'--without-plugin'")
            packages.append(choice)
        elif one != "--traceback":
            yield one


def _ended_by(error: Exception) -> int:
    """The exit code. What is left in a stream that cannot be written must not be tried again when Python ends."""
    if isinstance(error, OSError):
        _stop_printing()
    return EXIT_ERROR


def _prepare_streams() -> None:
    """Make sure that every stream can be used: a shell may have closed some of them."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open
        elif mode == "w" and hasattr(stream, "reconfigure"):
            # A name that the terminal cannot show must not make the command fail.
            stream.reconfigure(errors="backslashreplace")


def _stop_printing() -> int:
    """Whoever reads our output has seen enough, which is not an error; the interpreter must not flush the rest."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _wants_json(arguments: Sequence[str]) -> bool:
    asked_by_format = "--format=json" in arguments or ("--format", "json") in itertools.pairwise(arguments)
    return asked_by_format or "--json" in arguments


if __name__ == "__main__":
    main()
