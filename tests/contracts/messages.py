"""Finds the messages for people in the code without a screen: sentences, and the phases of long work.

A message is found by how it looks, not by where it goes: many are made far from the error that carries them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PACKAGES = ("annotator", "models")
# The command line is English, as are cards and reports, which are published; the demo's texts are content.
SKIPPED = (
    "annotator/cli/",
    "annotator/demo/",
    "annotator/release/card.py",
    "annotator/release/document.py",
    "annotator/report/sections/",
)
SENTENCE = re.compile(r"(?:[A-Z]|\{1\}).* .*[.…](?: ?\{\d+\})?")
"""One line, since texts of several lines are prompts; a hint may follow as a value."""
NO_MESSAGES = {"{1} copy {2}.{3}", "SELECT {1} FROM main.{2}"}
"""Names of files, and SQL, that look like a sentence."""
WORDS = re.compile(r"[A-Za-z]{2,}.*[A-Za-z]{2,}")
"""What a template needs besides its values: one without words would fit every text."""
PHASE_CALLS = {"begin"}
ERRORS = {
    "UserError", "EnvironmentFailure", "StalePreparationError", "StagingError", "TooManyPixels",
    "ForeignSchema",
}  # fmt: skip
MESSAGE_ARGUMENTS = {"waiting_for", "message", "hint", "advice"}
# Calls whose texts are for developers: programming errors and the log.
INTERNAL = {
    "ValueError", "RuntimeError", "TypeError", "KeyError", "AssertionError", "NotImplementedError",
    "LookupError", "debug", "info", "warning", "error", "exception", "compile",
}  # fmt: skip
_PLACE = re.compile(r"\{\d+\}")
# Names that hold texts for models, or for the documents.
FOR_OTHERS = re.compile(r"prompt|PROMPT|docs|example|INSTRUCTION")


def messages() -> dict[str, str]:
    """Return the template of every message, with the place where it is first used.

    The values of a template are ``{1}``, ``{2}`` … in the order in which the English sentence names them.
    """
    return _read()[0]


def all_texts() -> set[str]:
    """Return the template of every text in the code, also of parts of messages."""
    return _read()[1]


@cache
def _read() -> tuple[dict[str, str], set[str]]:
    """Read the messages and all texts of the code; once, because parsing all files takes seconds."""
    found: dict[str, str] = {}
    texts: set[str] = set()
    for package in PACKAGES:
        for path in sorted((REPO / package).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            texts.update(text for node in ast.walk(tree) if (text := template_of(node)) is not None)
            name = path.relative_to(REPO).as_posix()
            if not name.startswith(SKIPPED):
                for template, line in _messages_of(tree):
                    if WORDS.search(_PLACE.sub("", template)) and template not in NO_MESSAGES:
                        found.setdefault(template, f"{name}:{line}")
    return found, texts


def _messages_of(tree: ast.Module) -> Iterator[tuple[str, int]]:
    outside = _ids_of_texts_for_others(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for part in _message_arguments(node):
                yield from ((text, part.lineno) for text in _templates(part))
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in outside:
            text = template_of(node)
            if text is not None and SENTENCE.fullmatch(text):
                yield text, node.lineno


def _message_arguments(call: ast.Call) -> Iterator[ast.expr]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if call.args and (name in PHASE_CALLS or name in ERRORS):
        yield call.args[0]
    yield from (keyword.value for keyword in call.keywords if keyword.arg in MESSAGE_ARGUMENTS)


def _templates(node: ast.expr) -> Iterator[str]:
    """Yield what an expression of texts can be."""
    if isinstance(node, ast.IfExp):
        yield from _templates(node.body)
        yield from _templates(node.orelse)
    elif (text := template_of(node)) is not None:
        yield text


def template_of(node: ast.AST) -> str | None:
    """Return a text with a number in the place of each value, None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    parts, count = [], 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        else:
            count += 1
            parts.append(f"{{{count}}}")
    return "".join(parts)


def _ids_of_texts_for_others(tree: ast.Module) -> set[int]:
    """Return the nodes of docstrings, of texts for developers and for models, and of parts of templates."""
    found: set[int] = set()
    for node in ast.walk(tree):
        # Docstrings alone: messages that are yielded or appended are statements of their own, too.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            found |= _below(node) - {id(node)}
        elif isinstance(node, ast.Call):
            if getattr(node.func, "attr", getattr(node.func, "id", "")) in INTERNAL:
                found |= _below(node)
        elif isinstance(node, ast.keyword) and node.arg and FOR_OTHERS.search(node.arg):
            found |= _below(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(FOR_OTHERS.search(getattr(target, "id", "")) for target in targets):
                found |= _below(node)
    return found


def _below(node: ast.AST) -> set[int]:
    return {id(part) for part in ast.walk(node)}
