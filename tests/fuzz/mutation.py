"""Bytes, JSON and text changed at random: some by structure, some by none."""

from __future__ import annotations

import copy
import json
import random
import struct
from typing import Any

from tests.nasty import COLUMN_NAMES, INTEGERS, PROPERTY_VALUES, STRINGS

NUMBERS: tuple[Any, ...] = (
    *INTEGERS,
    2**63,
    2**64,
    -(2**63) - 1,
    10**30,
    -(10**30),
    1e308,
    -0.0,
    0.5,
    1e400,
    float("nan"),
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    "",
    [],
    {},
    [None],
    {"": None},
    "\ud800",
    "\x00",
    "9" * 5000,
    *NUMBERS,
    *STRINGS,
    *PROPERTY_VALUES,
)
LONGEST = 200_000
"""Characters of a text; who parses takes time by their number."""
DEPTHS = (10, 150, 1_000, 20_000)


def changed_bytes(rng: random.Random, data: bytes, most: int = 8) -> bytes:
    """Up to `most` small changes of bytes, or a cut."""
    out = bytearray(data)
    for _ in range(rng.randint(1, most)):
        at = rng.randrange(len(out) + 1)
        _ODD_BYTES[rng.randrange(len(_ODD_BYTES))](rng, out, at)
    return bytes(out)


def _flip(rng: random.Random, out: bytearray, at: int) -> None:
    if at < len(out):
        out[at] ^= 1 << rng.randrange(8)


def _set(rng: random.Random, out: bytearray, at: int) -> None:
    out[at : at + 1] = rng.choice((b"\x00", b"\xff", b"\x80", b"\n", b'"', b"{", b"[", b"\\", rng.randbytes(1)))


def _cut(rng: random.Random, out: bytearray, at: int) -> None:
    del out[at : at + rng.choice((1, 4, 16, len(out)))]


def _double(rng: random.Random, out: bytearray, at: int) -> None:
    out[at:at] = out[at : at + rng.choice((1, 8, 64))] * rng.choice((1, 2, 50))


def _number(rng: random.Random, out: bytearray, at: int) -> None:
    order, (form, size) = rng.choice("<>"), rng.choice((("i", 4), ("q", 8), ("h", 2)))
    value = rng.choice((0, 1, -1, 2 ** (8 * size - 1) - 1, -(2 ** (8 * size - 1)), rng.getrandbits(8 * size - 2)))
    out[at : at + size] = struct.pack(order + form, value)


def _insert(rng: random.Random, out: bytearray, at: int) -> None:
    out[at:at] = rng.choice((b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\r\n", b"PAR1", b"\x00" * 64, b"9" * 400))


_ODD_BYTES = (_flip, _flip, _set, _cut, _double, _number, _insert)


def changed_json(rng: random.Random, value: Any, most: int = 3) -> Any:
    """The value with up to `most` of its parts changed."""
    changed = copy.deepcopy(value)
    for _ in range(rng.randint(1, most)):
        changed = _changed_part(rng, changed)
    return changed


def _changed_part(rng: random.Random, value: Any) -> Any:
    places: list[tuple[Any, Any]] = []
    _collect(value, places)
    if not places:
        return copy.deepcopy(rng.choice(VALUES))
    holder, key = rng.choice(places)
    act = rng.randrange(8)
    if act == 0:
        del holder[key]
    elif act == 1 and isinstance(holder, dict):
        holder[rng.choice((*COLUMN_NAMES, "unheard", key + " ", key.upper()))] = holder[key]
    elif act == 2:
        holder[key] = rng.choice(([holder[key]], {"a": holder[key]}, str(holder[key]), [holder[key]] * 3))
    elif act == 3:
        other, name = rng.choice(places)
        holder[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(holder[key])
    elif act == 4 and rng.randrange(8) == 0:
        holder[key] = nested(rng, holder[key])
    elif isinstance(holder[key], int) and not isinstance(holder[key], bool):
        holder[key] = rng.choice(NUMBERS)
    else:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    return value


def _collect(value: Any, places: list[tuple[Any, Any]], depth: int = 0) -> None:
    if depth > 50:
        return
    if isinstance(value, dict):
        items = [*value.items()]
    elif isinstance(value, list):
        items = [*enumerate(value)]
    else:
        return
    for key, inner in items:
        places.append((value, key))
        _collect(inner, places, depth + 1)


def nested(rng: random.Random, value: Any) -> Any:
    """The value at the bottom of some levels, not so many that this process' own JSON writer fails."""
    for _ in range(rng.choice((5, 60, 300))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def json_bytes(rng: random.Random, value: Any) -> bytes:
    """The value as JSON: plain, or written as nobody expects it."""
    text = json.dumps(value)
    act = rng.randrange(12)
    if act == 0:
        text = text.replace(": ", rng.choice((":", " :\t")))
    elif act == 1:
        text = json.dumps(value, ensure_ascii=False)
    elif act == 2 and isinstance(value, dict) and value:
        key = rng.choice(list(value))
        text = "{" + json.dumps(key) + ":" + json.dumps(copy.deepcopy(rng.choice(VALUES))) + "," + text[1:]
    elif act == 3:
        at, depth = rng.randrange(len(text) + 1), rng.choice(DEPTHS)
        text = text[:at] + rng.choice(("[", '{"a":')) * depth + text[at:]
    data = text.encode("utf-8", "surrogatepass")
    if act == 4:
        return text.encode(rng.choice(("utf-16", "utf-8-sig", "utf-32")), "surrogatepass")
    return changed_bytes(rng, data) if act in (5, 6) else data


def changed_text(rng: random.Random, text: str, words: tuple[str, ...], most: int = 4) -> str:
    """The text with words put in, left out, doubled or moved."""
    parts = _split(text)
    for _ in range(rng.randint(0, most)):
        at, act = rng.randrange(len(parts) + 1), rng.randrange(6)
        if act == 0:
            del parts[at : at + 1]
        elif act == 1:
            parts[at:at] = parts[at : at + rng.randint(1, 4)] * rng.choice((1, 1, 3, 400))
        elif act == 2 and parts:
            parts[at:at] = [parts.pop(rng.randrange(len(parts)))]
        elif act == 3 and rng.randrange(10) == 0:
            opening, closing = rng.choice((("(", ")"), ("not ", ""), ("-", ""), ("array(", ")"), ("case when ", "")))
            depth = rng.choice(DEPTHS)
            parts = [opening * depth, *parts, closing * rng.choice((depth, 0, 1))]
        else:
            parts[at:at] = [" ", rng.choice(words), " "]
    return "".join(parts)[:LONGEST]


def _split(text: str) -> list[str]:
    parts: list[str] = []
    for char in text:
        if parts and char.isalnum() and parts[-1][-1:].isalnum():
            parts[-1] += char
        else:
            parts.append(char)
    return parts
