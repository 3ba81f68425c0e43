"""Flame graphs show the share of processor time of each function under what called it."""

from __future__ import annotations

import time
from xml.etree import ElementTree

from benchmarks.flame_tree import LEAST, flame, tree
from benchmarks.stack_sampler import sampled


def place_of(file: str, name: str) -> str:
    return f"{file}: {name}"


def test_stacks_with_the_same_beginning_are_joined_and_repeated_functions_count_once() -> None:
    seconds = {
        (("a", "f"), ("a", "g")): 3.0,
        (("a", "f"), ("a", "f"), ("b", "h")): 1.0,
        (("a", "f"),): 6.0 - LEAST / 10,
        (("c", "rare"),): LEAST / 10,
    }
    found = tree(seconds, place_of)
    (f,) = found["below"]
    assert (f["name"], round(f["share"], 2)) == ("a: f", 1.0)
    assert [(one["name"], round(one["share"], 2)) for one in f["below"]] == [("a: g", 0.3), ("b: h", 0.1)]


def test_a_graph_has_a_box_for_each_function_as_wide_as_its_share() -> None:
    found = tree({(("<x>", "f&g"),): 1.0, (("b", "h"),): 3.0}, place_of)
    root = ElementTree.fromstring(flame("Some <work>", found))
    space = "{http://www.w3.org/2000/svg}"
    boxes = {
        group.findtext(f"{space}title"): float(group.find(f"{space}rect").get("width", 0))  # type: ignore[union-attr]
        for group in root.iter(f"{space}g")
    }
    assert boxes == {"all: 100.0%": 1200.0, "<x>: f&g: 25.0%": 300.0, "b: h: 75.0%": 900.0}


def test_a_sampler_finds_who_works() -> None:
    def works() -> None:
        end = time.process_time() + 0.08
        while time.process_time() < end:
            sum(range(1000))

    def waits() -> None:
        time.sleep(0.05)

    shares = tree(sampled([works, waits]), lambda _file, name: name)
    assert max(shares["below"], key=lambda one: one["share"])["name"] == "works"
    assert all(one["name"] != "waits" or one["share"] < 0.2 for one in shares["below"])
