"""The reference pages of docs/extending, made from the code: one for each hook and each method of a behaviour."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from deltaresolver import plugin
from deltaresolver.defaults import built_in_catalog
from deltaresolver.model import capabilities
from deltaresolver.model.behaviour import ABILITIES, FeatureBehaviour
from deltaresolver.plugins import HOOKS, hookspecs

FOLDER = Path("docs/extending")
LONGEST_LINE = 120
ASKED = {
    "table_feature": "when a catalog is built: once in a process, when the first table is looked at",
    "catalog_profile": "when a profile is asked for by name",
    "delta_client": "when clients are looked at: `clients`, `impact`, `plan`, `audit`",
    "audit_rules": "when an audit begins",
    "commit_policy": "when the first commit of a process is made; the policies themselves before every commit",
    "post_commit_hook": "when the first commit of a process is made; the hooks themselves after every commit",
}
RETURNED = {
    "table_feature": plugin.TableFeature,
    "catalog_profile": plugin.CatalogProfile,
    "audit_rules": plugin.AuditRule,
    "commit_policy": plugin.CommitPolicy,
    "post_commit_hook": plugin.PostCommitHook,
}
KIT = {
    "table_feature": "check_feature",
    "catalog_profile": "check_profiles",
    "delta_client": "check_clients",
    "audit_rules": "check_audit_rules",
    "commit_policy": "check_policies",
    "post_commit_hook": "check_hooks",
}
VALUES = (
    plugin.MetadataChange,
    plugin.TableState,
    plugin.RemainingTable,
    plugin.Draft,
    plugin.Winner,
    plugin.Proposal,
    plugin.Committed,
    plugin.TableView,
    plugin.AuditedTable,
    plugin.Metadata,
    plugin.AddFile,
    plugin.RemoveFile,
    plugin.DomainMetadata,
    plugin.RowCondition,
    plugin.ColumnExpression,
    plugin.PreparatoryCommit,
)
"""What plugins are handed, and what they return."""


def pages() -> Iterator[tuple[Path, str]]:
    """Every page by its path."""
    for hook in HOOKS:
        yield FOLDER / "hooks" / f"{hook}.md", "\n".join(_hook_page(hook)) + "\n"
    for method in ABILITIES:
        yield FOLDER / "behaviour" / f"{method}.md", "\n".join(_method_page(method)) + "\n"
    yield FOLDER / "reference.md", "\n".join(_index()) + "\n"
    yield FOLDER / "values.md", "\n".join(_values_page()) + "\n"


def _index() -> Iterator[str]:
    yield from ("# Reference for authors of plugins", "", "[Writing a plugin](../extending.md)", "", "## Hooks", "")
    yield from ("| hook | brings |", "|---|---|")
    yield from (f"| [{hook}](hooks/{hook}.md) | {brings} |" for hook, brings in HOOKS.items())
    yield from ("", "## Capabilities of a behaviour", "", "| capability | method | what it does |", "|---|---|---|")
    for method in ABILITIES:
        capability = _capability(method).__name__
        yield f"| `{capability}` | [{method}](behaviour/{method}.md) | {_doc(getattr(FeatureBehaviour, method))[0]} |"
    yield from (
        "",
        "## Names in deltaresolver.plugin",
        "",
        ", ".join(f"`{name}`" for name in sorted(plugin.__all__)) + ".",
    )


def _hook_page(hook: str) -> Iterator[str]:
    function = getattr(hookspecs, hook)
    yield from (f"# Hook {hook}", "", "[All hooks](../reference.md)", "")
    yield from _doc(function)
    yield from ("", "```python", "from deltaresolver.plugin import hookimpl", "", "", "@hookimpl")
    yield from (f"def {hook}(){_returns(function)}: ...", "```", "")
    yield f"- Asked {ASKED[hook]}."
    yield f"- Checked by `deltaresolver.testing.{KIT[hook]}`."
    yield "- A wrong one sets its package aside, or is left out by itself: `deltaresolver plugins` has the reason."
    kind = RETURNED.get(hook)
    if kind is not None:
        yield from ("", f"## {kind.__name__}", "", "```text", *_doc(kind), "```")
        yield from _methods(kind)


def _methods(kind: type) -> Iterator[str]:
    """What an object of a protocol has to have."""
    if not getattr(kind, "_is_protocol", False):
        return
    for name, member in vars(kind).items():
        if not name.startswith("_") and inspect.isfunction(member):
            yield from ("", "```python", f"def {name}{_signature(member)}: ...", "```", "", *_doc(member))


def _values_page() -> Iterator[str]:
    yield from ("# Values that plugins are handed, and return", "", "[Writing a plugin](../extending.md)", "")
    yield "Fields and methods as the code declares them. Nothing that is handed to a plugin can be changed in place:"
    yield "`attrs.evolve` and the methods named `with_...` make changed copies. A field of type `Callable` is called:"
    yield "`table.domains()`, and reads the log only then."
    for kind in VALUES:
        yield from ("", f"## {kind.__name__}", "", *_doc(kind)[:1], "", "```text", *_members(kind), "```")


def _members(kind: type) -> Iterator[str]:
    """Fields, properties and methods of a class, each with the first sentence of what is written about it."""
    (source,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(source, ast.ClassDef)
    for one, after in itertools.zip_longest(source.body, source.body[1:]):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id[0] != "_":
            about = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield from _declared(f"{one.target.id}: {ast.unparse(one.annotation)}", str(about))
        if isinstance(one, ast.FunctionDef) and one.name[0] != "_":
            about = ast.get_docstring(one) or ""
            returned = "" if one.returns is None else ast.unparse(one.returns)
            if any(isinstance(each, ast.Name) and each.id == "property" for each in one.decorator_list):
                yield from _declared(f"{one.name}: {returned}", about)
            elif not one.decorator_list:
                arguments = ast.unparse(one.args).removeprefix("self, ").removeprefix("self")
                yield from _declared(f"{one.name}({arguments}) -> {returned}", about)


def _declared(line: str, about: str) -> Iterator[str]:
    if about:
        yield f"# {about.partition(chr(10))[0]}"
    yield line


def _method_page(method: str) -> Iterator[str]:
    function = getattr(FeatureBehaviour, method)
    capability = _capability(method)
    yield from (f"# {capability.__name__}: {method}", "", "[All capabilities](../reference.md)", "")
    yield from (*_doc(capability), "")
    yield from ("```python", f"class MyBehaviour({capability.__name__}):")
    # With what the capability asks for besides, without which Python makes no object of the class.
    for number, name in enumerate((method, *sorted(vars(capability)["__abstractmethods__"] - {method}))):
        yield from ([""] if number else [])
        yield from _formatted(f"    def {name}{_signature(getattr(FeatureBehaviour, name))}: ...")
    yield from ("```", "")
    yield from _doc(function)
    users = sorted(_users(method))
    yield ""
    if users:
        links = ", ".join(f"`{name}`" for name in users)
        yield f"Built-in features that have it, as examples: {links} (in `features/`)."
    else:
        yield "No built-in feature has it."
    yield ""
    yield "A fault in it ends with DR304, which names plugin, package and method; refuse with an error of your own."


def _capability(method: str) -> type:
    """The capability that a method belongs to."""
    every = (getattr(capabilities, name) for name in capabilities.__all__)
    return next(one for one in every if isinstance(one, type) and method in vars(one))


def _users(method: str) -> Iterator[str]:
    for feature in built_in_catalog():
        if getattr(type(feature.behaviour), method, None) not in (None, getattr(FeatureBehaviour, method)):
            yield feature.name


def _signature(function: object) -> str:
    assert callable(function)
    return re.sub(r"'", "", str(inspect.signature(function)))


def _formatted(line: str) -> list[str]:
    """A signature on one line, or broken as the formatter does."""
    if len(line) <= LONGEST_LINE:
        return [line]
    start, _, rest = line.partition("(")
    arguments, _, end = rest.rpartition(") ->")
    return [f"{start}(", f"        {arguments}", f"    ) ->{end}"]


def _returns(function: object) -> str:
    return _signature(function).removeprefix("()")


def _doc(thing: object) -> list[str]:
    return (inspect.getdoc(thing) or "").splitlines()


def renew(root: Path) -> None:
    """Write every page anew."""
    for path, text in pages():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def on_disk(root: Path) -> Mapping[Path, str]:
    """The generated pages as they are."""
    files = [*(root / FOLDER / "hooks").glob("*.md"), *(root / FOLDER / "behaviour").glob("*.md")]
    files += [root / FOLDER / "reference.md", root / FOLDER / "values.md"]
    return {file.relative_to(root): file.read_text(encoding="utf-8") for file in files}
