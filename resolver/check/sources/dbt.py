"""dbt's properties of models to proposals: YAML files, and the `config(...)` at the head of a model."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from deltaresolver.check.found import CheckPlace
from deltaresolver.check.sources.metadata_files import texts
from deltaresolver.check.sources.proposal import PropertiesProposal
from deltaresolver.errors import CheckFileError, PackageMissingError

_CONFIG = re.compile(r"\{\{\s*config\s*\(")
_CONFIG_END = re.compile(r"\)\s*\}\}")
MAX_NODES = 1_000_000
"""Of a YAML file, once every alias is written out."""
MAX_CHARACTERS = 100_000
"""Of what the properties of one table may come to, once what YAML repeats by aliases is written out."""
_KEYS = ("tblproperties", "+tblproperties")


def is_about_tables(text: str) -> bool:
    """Whether a YAML file may say something of table properties: an escape can spell any letter."""
    return "tblproperties" in text or "\\" in text


def read_config(file: str, text: str) -> Iterator[PropertiesProposal]:
    """The properties in the head of a model; expressions that are not literals are passed over.

    Raises `CheckFileError` for a head without measure.
    """
    place = 0
    while (head := _CONFIG.search(text, place)) is not None:
        end = _CONFIG_END.search(text, head.end())
        if end is None:
            return
        place = end.end()
        properties = _properties(file, text[head.end() : end.start()])
        if properties is not None:
            whole = text[head.start() : place]
            line = text.count("\n", 0, head.start()) + 1
            name = file.rpartition("/")[2].rpartition(".")[0]
            yield PropertiesProposal(CheckPlace(file, line, whole, line + whole.count("\n")), name, texts(properties))


def _properties(file: str, arguments: str) -> dict[Any, Any] | None:
    if len(arguments) > MAX_CHARACTERS:
        raise _without_measure(file)
    try:
        call = ast.parse(f"config({arguments})", mode="eval").body
        keywords = call.keywords if isinstance(call, ast.Call) else []
        found = [_literal(keyword.value) for keyword in keywords if keyword.arg == "tblproperties"]
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # all of them ways in which Python refuses a text
        return None
    return found[-1] if found and isinstance(found[-1], dict) else None


_CONSTANTS = {"true": True, "false": False, "none": None}


class _Constants(ast.NodeTransformer):
    """The constants of Jinja, which are written in small letters."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Constant(_CONSTANTS[node.id]), node) if node.id in _CONSTANTS else node


def _literal(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(_Constants().visit(value))
    except (ValueError, TypeError):
        return None


def read_yaml(file: str, text: str) -> Iterator[PropertiesProposal]:
    """The models of a properties file.

    Raises `PackageMissingError` without PyYAML, and `CheckFileError` for one without measure.
    """
    try:
        import yaml  # noqa: PLC0415 - only a repository with dbt needs it
    except ImportError as error:
        raise PackageMissingError(
            f"{file} is YAML, and the package PyYAML, which reads it, is not installed.",
            fix='Install the extra: pip install "deltaresolver[dbt]"; or check target/manifest.json instead.',
            details={"file": file, "package": "pyyaml", "extra": "dbt"},
        ) from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return
        if _written_out(root) > MAX_NODES:
            raise _without_measure(file)
        plain = yaml.safe_load(text)
    except RecursionError as error:
        raise _without_measure(file) from error
    except (yaml.YAMLError, ValueError):
        return  # dbt tells what is wrong with it
    if not isinstance(plain, dict):
        return
    values = plain.get("models")
    if not isinstance(values, list):
        return
    models = _entry(root, "models")
    # What a merge key (<<) brings has no place of its own.
    is_placed = models is not None and models.id == "sequence" and len(models.value) == len(values)
    for node, value in zip(models.value if is_placed else [root] * len(values), values, strict=True):
        if isinstance(value, dict):
            yield from _model(file, node, value)


def _model(file: str, node: Any, value: dict[str, Any]) -> Iterator[PropertiesProposal]:
    config = value.get("config")
    properties = next((config[key] for key in _KEYS if key in config), None) if isinstance(config, dict) else None
    if not isinstance(properties, dict) or not value.get("name"):
        return
    if not _is_small(properties):
        raise _without_measure(file)
    where = _entry(node, "config")
    stated = next((one for key in _KEYS if (one := _entry(where, key)) is not None), node)
    place = CheckPlace(file, stated.start_mark.line + 1, json.dumps(properties, sort_keys=True, default=str))
    yield PropertiesProposal(place, str(value["name"]), texts(properties), tuple(_columns(value)))


def _without_measure(file: str) -> CheckFileError:
    """The error for a file that is too large to read; skipping it would let its content pass unchecked."""
    reason = f"its properties have more than {MAX_CHARACTERS:,} characters, or its YAML to {MAX_NODES:,} nodes"
    return CheckFileError(
        f"{file} cannot be checked: {reason}.",
        fix="Use fewer or shorter properties, and no aliases that contain themselves.",
        details={"file": file, "reason": reason},
    )


def _written_out(root: Any) -> float:
    """How many nodes YAML has once every alias is written out; infinite if an alias contains itself."""
    sizes: dict[int, float] = {}
    waiting = [(root, False)]
    while waiting:
        node, is_back = waiting.pop()
        parts = node.value if node.id != "scalar" else ()
        below = [one for part in parts for one in (part if isinstance(part, tuple) else (part,))]
        if is_back:
            sizes[id(node)] = 1 + sum(sizes[id(one)] for one in below)
        elif id(node) not in sizes:
            sizes[id(node)] = math.inf  # until it is known: what comes back to it has no end
            waiting += [(node, True), *((one, False) for one in below)]
    return sizes[id(root)]


def _is_small(value: Any) -> bool:
    """Whether a value can be written out: one whose aliases lead back to it, or repeat without measure, cannot."""
    left, waiting = MAX_CHARACTERS, [value]
    while waiting and left >= 0:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, (list, tuple, set)):
            waiting += one
        left -= 1 + (len(one) if isinstance(one, (str, bytes)) else 0)
    return left >= 0


def _columns(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    columns = value.get("columns")
    for column in columns if isinstance(columns, list) else ():
        if isinstance(column, dict) and column.get("name") and isinstance(column.get("data_type"), str):
            yield str(column["name"]), column["data_type"]


def _entry(node: Any, key: str) -> Any:
    """The value of a key in a node of YAML, with its place; None where there is none."""
    pairs = node.value if node is not None and node.id == "mapping" else ()
    return next((value for one, value in pairs if one.value == key), None)
