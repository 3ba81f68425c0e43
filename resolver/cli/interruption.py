"""Work that somebody interrupted: what is kept of it, and how to go on."""

from __future__ import annotations

from collections.abc import Container, Sequence

_COMMITS = "`deltaresolver history` shows whether the change was committed; if not, the same command makes it"
_AGAIN = "the same command can be run again"
_GOES_ON = {
    "alter": _COMMITS,
    "audit": _AGAIN,
    "drop-feature": "steps that were committed stay, and the same command goes on with the rest",
    "new-feature": _AGAIN,
    "restore": _COMMITS,
    "sql": _COMMITS,
    "vacuum": "what is deleted stays deleted, and the same command goes on with the rest",
}
"""What to do after a command that writes, by its name."""


def interrupted(arguments: Sequence[str], commands: Container[str]) -> str:
    """What to say to somebody who interrupted a command with these arguments; `commands` are the names of all."""
    command = next((word for word in arguments if word in commands), "")
    if command == "plan" and "--apply" in arguments:
        return "interrupted; steps that were carried out stay, and the same command goes on with the rest"
    if command not in _GOES_ON or "--dry-run" in arguments:
        return f"interrupted; no table was changed, and {_AGAIN}"
    return f"interrupted; {_GOES_ON[command]}"
