"""A small measure of our own style: lengths, branches, docstrings and annotations, from the syntax tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler, ast.match_case)


@dataclass
class Figures:
    """What was measured; each list holds (figure, where)."""

    module_lines: list[tuple[int, str]] = field(default_factory=list)
    class_lines: list[tuple[int, str]] = field(default_factory=list)
    class_methods: list[tuple[int, str]] = field(default_factory=list)
    branches: list[tuple[int, str]] = field(default_factory=list)
    public: list[tuple[bool, str]] = field(default_factory=list)
    annotations: list[tuple[bool, str]] = field(default_factory=list)
    banned: list[str] = field(default_factory=list)


def branches(function: ast.AST) -> int:
    """Count the ways through a function, functions and classes inside it left out (McCabe's measure)."""
    count = 1
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*Function.__args__, ast.ClassDef)):
            continue
        count += isinstance(node, BRANCHES)
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        waiting += ast.iter_child_nodes(node)
    return count


def annotated_slots(function: Function, *, is_method: bool) -> Iterator[bool]:
    """Tell of each parameter but self, and of the return value, whether it has an annotation."""
    given = function.args
    parameters = [*given.posonlyargs, *given.args]
    is_static = any(getattr(mark, "id", "") == "staticmethod" for mark in function.decorator_list)
    if is_method and not is_static:
        parameters = parameters[1:]
    parameters += [*given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    yield from (parameter.annotation is not None for parameter in parameters)
    if function.name != "__init__":
        yield function.returns is not None


class _Reader(ast.NodeVisitor):
    """Walk one module and add to the figures."""

    def __init__(self, figures: Figures, name: str) -> None:
        self.figures = figures
        self.name = name
        self.owners: list[ast.AST] = []

    def _where(self, node: ast.ClassDef | Function) -> str:
        return f"{self.name}:{node.lineno} {node.name}"

    def _enter(self, node: ast.ClassDef | Function) -> None:
        names = [getattr(owner, "name", "") for owner in self.owners]
        in_function = any(isinstance(owner, Function) for owner in self.owners)
        is_shown = not in_function and not any(name.startswith("_") for name in [*names, node.name])
        if is_shown and not {"setter", "overload"} & set(decorator_names(node)):
            self.figures.public.append((ast.get_docstring(node) is not None, self._where(node)))
        self.owners.append(node)
        self.generic_visit(node)
        self.owners.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        methods = sum(isinstance(child, Function) for child in node.body)
        self.figures.class_lines.append((lines, self._where(node)))
        self.figures.class_methods.append((methods, self._where(node)))
        self._enter(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    def _visit_function(self, node: Function) -> None:
        is_method = bool(self.owners) and isinstance(self.owners[-1], ast.ClassDef)
        slots = annotated_slots(node, is_method=is_method)
        self.figures.annotations += [(has_one, self._where(node)) for has_one in slots]
        self.figures.branches.append((branches(node), self._where(node)))
        self._enter(node)

    def visit_Call(self, node: ast.Call) -> None:
        # A nested event loop lets clicks in where nobody expects them.
        if isinstance(node.func, ast.Attribute) and node.func.attr == "processEvents":
            self.figures.banned.append(f"{self.name}:{node.lineno} processEvents")
        self.generic_visit(node)


def decorator_names(node: ast.ClassDef | Function) -> list[str]:
    """Return the last part of each decorator's name."""
    return [getattr(mark, "attr", getattr(mark, "id", "")) for mark in node.decorator_list]


def measure(paths: list[Path], *, root: Path) -> Figures:
    """Measure the files of a product."""
    figures = Figures()
    for path in paths:
        source = path.read_text(encoding="utf-8")
        name = str(path.relative_to(root))
        figures.module_lines.append((source.count("\n"), name))
        _Reader(figures, name).visit(ast.parse(source))
    return figures
