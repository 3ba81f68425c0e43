"""Names and values come from other people's tables, and what is printed must not steer what shows it.

A terminal is steered by control characters, a CI by words in its log: GitHub by `::` where a line begins, Azure DevOps
and TeamCity by `##` before a bracket.
"""

from __future__ import annotations

import re
import shlex

_COMMAND = r"^([^\S\n]*)::|##(?=\w*\[)"
_WORD = r"##(?=\w*\[)"


def visible(text: str) -> str:
    """Text with every control character replaced by `?`, as is the first sign of a CI's command; line breaks stay."""
    if not text.isprintable():  # it nearly always is, and asking is ten times as fast
        text = "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
    return re.sub(_COMMAND, _disarmed, text, flags=re.MULTILINE) if "::" in text or "##" in text else text


def visible_line(text: str) -> str:
    """The same on one line, for what is printed as a line."""
    return visible(" ".join(text.split("\n")) if "\n" in text else text)


def visible_command(command: str) -> str:
    """A command on one line that steers nothing and that bash, zsh and ksh read as it was meant: it can be copied.

    Words with control characters are spelt as `$'...'`; a text that is not a command is shown like any other.
    """
    if visible_line(command) == command:
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        return visible_line(command)
    return " ".join(map(_spelt, words))


def _spelt(word: str) -> str:
    quoted = shlex.quote(word)
    if visible_line(quoted) == quoted:
        return quoted
    plain = (char if char.isprintable() and char not in "\\'#:" else _octal(char) for char in word)
    return f"$'{''.join(plain)}'"


def _octal(char: str) -> str:
    """The bytes of a character as every shell with `$'...'` reads them, whatever follows."""
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def disarmed_json(text: str) -> str:
    """JSON that says the same, and in which no CI finds a command of its own."""
    return re.sub(_WORD, r"#\\u0023", text) if "##" in text else text


def _disarmed(found: re.Match[str]) -> str:
    return "?#" if found[1] is None else f"{found[1]}?:"
