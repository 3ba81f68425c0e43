"""Pick a few kinds of action out of a commit's bytes without parsing the rest.

A key spelt `"protocol"` in bytes is found by plain search: inside a JSON string its quotes would be
escaped. A hit may still be a key deeper down, so the line is decoded before it is believed.
"""

from __future__ import annotations

from collections.abc import Collection

from deltaresolver.errors import CommitMalformedError
from deltaresolver.log.byte_search import contains
from deltaresolver.log.commits import decode_action, decode_line
from deltaresolver.model.actions import Action

_ONCE = frozenset({"protocol", "metaData"})


def find_actions(data: bytes, names: Collection[str], path: str) -> dict[str, list[Action]]:
    """The actions called `names` in a commit, in order. Raises `CommitMalformedError`.

    Only lines that hold one of them are decoded, so damage elsewhere goes unseen here.
    """
    found: dict[str, list[Action]] = {}
    for name in names:
        actions = _find_one_kind(data, name, path)
        if actions:
            found[name] = actions
            if name in _ONCE and len(actions) > 1:
                raise CommitMalformedError(
                    f"{path} cannot be used: it holds {len(actions)} {name} actions, where one commit may have one.",
                    fix=f"Restore {path} from a backup, or find the writer that left it like this.",
                    details={"path": path, "action": name, "count": len(actions)},
                )
    return found


def key_of(name: str) -> bytes:
    """The action's key as it is spelt in JSON."""
    return b'"' + name.encode() + b'"'


def _find_one_kind(data: bytes, name: str, path: str) -> list[Action]:
    needle = key_of(name)
    if not contains(data, needle):
        return []
    actions: list[Action] = []
    position, number, counted = data.find(needle), 1, 0
    while position >= 0:
        start = data.rfind(b"\n", 0, position) + 1
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        # From the line before: counted from the beginning each time, a commit of 100,000 domains took minutes.
        number, counted = number + data.count(b"\n", counted, start), start
        value = decode_line(data[start:end].strip(b"\xef\xbb\xbf \t\r"), path, number).get(name)
        if value is not None:
            actions.append(decode_action(name, value, path, number))
        position = data.find(needle, end)
    return actions
