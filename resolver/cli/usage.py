"""The error for words that a command does not take."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

import click

from deltaresolver.errors import CommandUsageError

_PROGRAM = "deltaresolver"
_EXTRA_WORDS = re.compile(r"unexpected extra arguments? \((.*)\)")


def of_the_usage(error: click.UsageError) -> CommandUsageError:
    """What click says, with numbers and choices in plain words, and what the command takes instead."""
    called = error.ctx.command_path if error.ctx is not None else _PROGRAM
    return CommandUsageError(_message(error), fix=_fix(error, called), details={"command": called})


def _message(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        near = f" (did you mean {error.possibilities[0]}?)" if error.possibilities else ""
        return f"There is no option {error.option_name}{near}."
    if type(error) is click.BadOptionUsage:
        lacks = "requires an argument" in error.message
        return f"{error.option_name} {'needs a value, which is missing' if lacks else 'takes no value'}."
    if type(error) is click.UsageError and (words := _EXTRA_WORDS.search(error.message)):
        return f"There is a word too many: {words[1]}."
    choices = _choices(error)
    if choices is not None and isinstance(error, click.BadParameter):
        return f"{_option(error)} takes one of {', '.join(choices)}, not {error.message.partition(' is not ')[0]}."
    number = _number_type(error)
    if number is None or not isinstance(error, click.BadParameter):
        return error.format_message()
    given = error.message.partition(" is not ")[0]
    kind = "whole number" if isinstance(number, click.types.IntParamType) else "number"
    return f"{_option(error)} takes a {kind}{_range(number)}, not {given}."


def _fix(error: click.UsageError, called: str) -> str:
    if isinstance(error, click.NoSuchOption) and called == _PROGRAM:
        own = f"`{_PROGRAM} COMMAND --help` explains them"
        return f"Options of a command stand after it: {own}, `{called} --help` lists the commands."
    if error.ctx is not None and (type(error) is click.UsageError or isinstance(error, click.MissingParameter)):
        taken = " ".join(error.ctx.command.collect_usage_pieces(error.ctx))
        return f"Write `{called} {taken}`; `{called} --help` explains them."
    choices = _choices(error)
    if choices is not None and isinstance(error, click.BadParameter):
        given = error.message.partition(" is not ")[0].strip("'")
        near = difflib.get_close_matches(given, choices, n=1) or choices[:1]
        return f"Write {_option(error)} {near[0]}, for example; `{called} --help` explains it."
    if isinstance(error, click.BadParameter) and error.param is not None and error.param.type is click.FLOAT:
        return f"Give {error.param.metavar} as a number, such as 168."
    return f"Run `{called} --help` for {'all commands' if called == _PROGRAM else 'what it takes'}."


def _choices(error: click.UsageError) -> Sequence[str] | None:
    """The words that an option takes, if one of them was asked for."""
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    return list(map(str, kind.choices)) if isinstance(kind, click.Choice) and " is not " in error.message else None


def _number_type(error: click.UsageError) -> Any:
    """The type of the number that was asked for, if it was one."""
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    is_number = isinstance(kind, click.types.IntParamType | click.types.FloatParamType)
    return kind if is_number and " is not " in error.message else None


def _option(error: click.BadParameter) -> str:
    return "This" if error.param is None else max(error.param.opts, key=len)


def _range(number: Any) -> str:
    least, most = getattr(number, "min", None), getattr(number, "max", None)
    if least is not None and most is not None:
        return f" from {least} to {most}"
    return "" if least is None else f" of at least {least}"
