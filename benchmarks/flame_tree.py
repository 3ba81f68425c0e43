"""Sampled stacks as a tree of shares, small enough to be stored with results, and drawn as a flame graph in SVG."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.stack_sampler import Stack

LEAST = 0.01
"""A function with a smaller share of the time is left out, together with its callees."""
DEEPEST = 24
WIDTH, ROW, TOP, BOTTOM = 1200, 17, 40, 10
_LETTER = 6.2
Tree = dict[str, Any]
"""`name`, `share` of the whole, and the functions it calls in `below`."""


def as_text(node: Tree) -> str:
    """A tree in the form of the results: one line."""
    return json.dumps(node, separators=(",", ":"))


def tree(seconds: Mapping[Stack, float], name_of: Callable[[str, str], str]) -> Tree:
    """Join stacks with equal beginnings into a tree; direct recursion counts as one call."""
    root: Tree = {"name": "all", "share": 0.0, "below": {}}
    whole = sum(seconds.values()) or 1.0
    for stack, took in seconds.items():
        node = root
        node["share"] += took / whole
        for place in stack:
            name = name_of(*place)
            if name != node["name"]:
                node = node["below"].setdefault(name, {"name": name, "share": 0.0, "below": {}})
                node["share"] += took / whole
    return _trimmed(root, DEEPEST)


def _trimmed(node: Tree, depth: int) -> Tree:
    below = [_trimmed(one, depth - 1) for one in node["below"].values() if one["share"] >= LEAST and depth > 0]
    below.sort(key=lambda one: one["name"])
    return {"name": node["name"], "share": round(node["share"], 4), **({"below": below} if below else {})}


def flame(title: str, root: Tree) -> str:
    """The figure: a caller is drawn below its callees; the width is the share of processor time."""
    depth = _depth(root)
    height = TOP + ROW * depth + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="24" font-size="15" text-anchor="middle" fill="#333">{escape(title)}</text>',
        *_boxes(root, 0.0, height - BOTTOM - ROW),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _depth(node: Tree) -> int:
    return 1 + max((_depth(one) for one in node.get("below", ())), default=0)


def _boxes(node: Tree, left: float, y: float) -> Iterator[str]:
    wide = WIDTH * node["share"]
    name = escape(node["name"])
    yield "<g>"
    yield f"<title>{name}: {node['share']:.1%}</title>"
    yield f'<rect x="{left:.1f}" y="{y:.0f}" width="{wide:.1f}" height="{ROW - 1}" fill="{_colour(node["name"])}"/>'
    letters = int((wide - 6) / _LETTER)
    if letters >= 3:
        shown = node["name"] if len(node["name"]) <= letters else node["name"][: letters - 1] + "…"
        yield f'<text x="{left + 3:.1f}" y="{y + 12:.0f}" font-size="11" fill="#222">{escape(shown)}</text>'
    yield "</g>"
    for one in node.get("below", ()):
        yield from _boxes(one, left, y - ROW)
        left += WIDTH * one["share"]


def _colour(name: str) -> str:
    """A colour, the same for all functions of a module."""
    mixed = zlib.crc32(name.partition(":")[0].encode())
    return f"#{205 + mixed % 50:02x}{120 + mixed // 50 % 100:02x}{60 + mixed // 5000 % 60:02x}"
