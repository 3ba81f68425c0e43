"""Small changes to a source file, each of which a test should notice.

A mutant replaces the text of one node of the syntax tree, so that all other lines stay as they are.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
OPERATORS: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.BitOr: ast.BitAnd(),
    ast.BitAnd: ast.BitOr(),
    ast.Mult: ast.FloorDiv(),
    ast.FloorDiv: ast.Mult(),
}
CALLS = {"any": "all", "all": "any", "min": "max", "max": "min"}
OBVIOUS = ("isinstance", "issubclass", "getattr", "hasattr", "setattr")
"""Swapping their arguments is an error wherever it runs, which says nothing about tests."""
MODULE = "<module>"
"""The function of what runs while a module is loaded."""
REMOVED = (ast.Raise, ast.Continue, ast.Break, ast.AugAssign, ast.Delete)


@attrs.frozen
class Mutant:
    """One change: the bytes of a file from `start` to `end` become `text`."""

    file: str
    function: str
    line: int
    kind: str
    before: str
    text: str
    start: int
    end: int
    turn: int = 1

    @property
    def name(self) -> str:
        """What identifies it, whatever is written before or after its function.

        Of several that read alike in one function, each has its turn.
        """
        turn = f" ({self.turn})" if self.turn > 1 else ""
        return f"{self.file}:{self.function} {self.kind}: {short(self.before)} -> {short(self.text)}{turn}"

    def apply(self, source: bytes) -> bytes:
        """The source with the change."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def short(text: str) -> str:
    """A text on one line, cut where it is long."""
    words = " ".join(text.split())
    return words if len(words) <= 70 else f"{words[:67]}..."


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Every mutant of a source file, in the order of their places."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    functions = _functions(tree)
    found = []
    for node, kind, text in _changes(tree):
        start, end = (
            starts[node.lineno - 1] + node.col_offset,
            starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0),
        )
        before = source[start:end].decode()
        found.append(Mutant(file, functions.get(node.lineno, MODULE), node.lineno, kind, before, text, start, end))
    return _told_apart(sorted(found, key=lambda one: (one.start, one.end, one.kind, one.text)))


def _functions(tree: ast.Module) -> dict[int, str]:
    """The innermost function or method around each line, with the classes it is in."""
    found: dict[int, str] = {}

    def visit(node: ast.AST, around: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            names = around
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names = (*around, child.name)
                if not isinstance(child, ast.ClassDef):
                    found.update(
                        dict.fromkeys(range(child.lineno, (child.end_lineno or child.lineno) + 1), ".".join(names))
                    )
            visit(child, names)

    visit(tree, ())
    return found


def _told_apart(mutants: Sequence[Mutant]) -> list[Mutant]:
    turns: Counter[str] = Counter()
    found = []
    for one in mutants:
        turns[one.name] += 1
        found.append(attrs.evolve(one, turn=turns[one.name]))
    return found


Change = tuple[ast.expr | ast.stmt, str, str]


def _changes(tree: ast.Module) -> Iterator[Change]:
    for node in _walk(tree):
        if isinstance(node, ast.expr):
            yield from _of_expression(node)
        elif isinstance(node, ast.stmt):
            yield from _of_statement(node)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run: no annotations, documentation, or imports for the type checker."""
    yield node
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not is_text and not isinstance(child, ast.JoinedStr):
                yield from _walk(child)


def _of_expression(node: ast.expr) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
        for operator in COMPARISONS[type(node.ops[0])]:
            yield node, "comparison", f"(({left}) {operator} ({right}))"
    elif isinstance(node, ast.BoolOp):
        other: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, "and/or", f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, "not removed", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS and not _is_text(node):
        yield node, "operator", f"({ast.unparse(ast.BinOp(node.left, OPERATORS[type(node.op)], node.right))})"
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.IfExp):
        yield node.test, "condition negated", f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        for test in (test for part in node.generators for test in part.ifs):
            yield test, "condition dropped", "True"


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) or _text_of(side) is not None for side in (node.left, node.right))


def _text_of(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _of_constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield node, "constant", repr(not value)
    elif isinstance(value, int):
        yield node, "constant", repr(value + 1)
    elif isinstance(value, str) and value and " " not in value and "://" not in value:  # others are for people
        yield node, "constant", repr(f"{value}_")


def _of_call(node: ast.Call) -> Iterator[Change]:
    if isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield node.func, "call", CALLS[node.func.id]
    is_obvious = isinstance(node.func, ast.Name) and node.func.id in OBVIOUS
    if len(node.args) > 1 and not is_obvious and not any(isinstance(one, ast.Starred) for one in node.args[:2]):
        first, second, *rest = node.args
        swapped = ast.Call(node.func, [second, first, *rest], node.keywords)
        yield node, "arguments swapped", f"({ast.unparse(swapped)})"


def _of_statement(node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield node, "return", "return None"
    elif isinstance(node, (ast.If, ast.While)) and ast.unparse(node.test) != "TYPE_CHECKING":
        yield node.test, "condition negated", f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, REMOVED) or _is_call(node) or _is_yield_from(node):
        yield node, "statement removed", "yield from ()" if _is_yield_from(node) else "pass"


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _is_yield_from(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.YieldFrom)
