"""dbt's properties of models to proposals: YAML files, and the `config(...)` at the head of a model."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from deltaresolver.check.found import CheckPlace
from deltaresolver.check.sources.metadata_files import texts
from deltaresolver.check.sources.proposal import PropertiesProposal
from deltaresolver.errors import PackageMissingError

_CONFIG = re.compile(r"\{\{\s*config\s*\((.*?)\)\s*\}\}", re.DOTALL)
_KEYS = ("tblproperties", "+tblproperties")


def is_about_tables(text: str) -> bool:
    """Whether a YAML file says something of table properties at all."""
    return "tblproperties" in text


def read_config(file: str, text: str) -> Iterator[PropertiesProposal]:
    """The properties in the head of a model; expressions that are not literals are passed over."""
    for found in _CONFIG.finditer(text):
        try:
            call = ast.parse(f"config({found[1]})", mode="eval").body
        except SyntaxError:
            continue
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            properties = _literal(keyword.value) if keyword.arg == "tblproperties" else None
            if isinstance(properties, dict):
                line = text.count("\n", 0, found.start()) + 1
                name = file.rpartition("/")[2].rpartition(".")[0]
                place = CheckPlace(file, line, found[0], line + found[0].count("\n"))
                yield PropertiesProposal(place, name, texts(properties))


_CONSTANTS = {"true": True, "false": False, "none": None}


class _Constants(ast.NodeTransformer):
    """The constants of Jinja, which are written in small letters."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Constant(_CONSTANTS[node.id]), node) if node.id in _CONSTANTS else node


def _literal(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(_Constants().visit(value))
    except ValueError:
        return None


def read_yaml(file: str, text: str) -> Iterator[PropertiesProposal]:
    """The models of a properties file. Raises `PackageMissingError` without PyYAML."""
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
        plain = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return  # dbt tells what is wrong with it
    if root is None or not isinstance(plain, dict):
        return
    models = _entry(root, "models")
    values = plain.get("models")
    if models is None or not isinstance(values, list):
        return
    for node, value in zip(models.value, values, strict=True):
        if isinstance(value, dict):
            yield from _model(file, node, value)


def _model(file: str, node: Any, value: dict[str, Any]) -> Iterator[PropertiesProposal]:
    config = value.get("config")
    properties = next((config[key] for key in _KEYS if key in config), None) if isinstance(config, dict) else None
    if not isinstance(properties, dict) or not value.get("name"):
        return
    where = _entry(node, "config")
    stated = next((one for key in _KEYS if (one := _entry(where, key)) is not None), node)
    place = CheckPlace(file, stated.start_mark.line + 1, json.dumps(properties, sort_keys=True, default=str))
    yield PropertiesProposal(place, str(value["name"]), texts(properties), tuple(_columns(value)))


def _columns(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    columns = value.get("columns")
    for column in columns if isinstance(columns, list) else ():
        if isinstance(column, dict) and column.get("name") and isinstance(column.get("data_type"), str):
            yield str(column["name"]), column["data_type"]


def _entry(node: Any, key: str) -> Any:
    """The value of a key in a node of YAML, with its place; None where there is none."""
    pairs = node.value if node is not None and node.id == "mapping" else ()
    return next((value for one, value in pairs if one.value == key), None)
