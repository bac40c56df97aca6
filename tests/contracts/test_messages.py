"""Every message of the code without a screen has a Chinese form, and the window shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.messages import REPO, WORDS, _messages_of, all_texts, messages, template_of
from widgets.message_text import message_catalogue

WIDGETS = REPO / "widgets"
PLACE = re.compile(r"\{\d+\}")
HAN = re.compile(r"[\u4e00-\u9fff]")
# Attributes that hold an English message.
MESSAGES = {"message", "hint"}
# Texts of the window that have the same names.
WINDOW_TEXTS = {"self", "tool", "status_bar"}
TRANSLATING = {"message_text", "error_text", "FilePart"}
CATALOGUE = message_catalogue("zh")


def test_messages_when_read_from_the_code_then_are_many() -> None:
    assert len(messages()) > 900


def test_chinese_when_compared_with_the_messages_then_lacks_nothing() -> None:
    lacking = {text: location for text, location in messages().items() if text not in CATALOGUE["text"]}
    assert lacking == {}


def test_chinese_when_compared_with_the_messages_then_holds_nothing_unused() -> None:
    assert sorted(CATALOGUE["text"].keys() - messages().keys()) == []
    assert sorted(CATALOGUE["part"].keys() - all_texts()) == []


@pytest.mark.parametrize("table", ["text", "part", "older", "system"])
def test_chinese_when_read_then_has_the_values_of_the_english_and_words_of_its_own(table: str) -> None:
    texts = CATALOGUE[table]
    assert [text for text in texts if set(PLACE.findall(text)) != set(PLACE.findall(texts[text]))] == []
    assert [text for text, translated in texts.items() if not HAN.search(translated)] == []
    assert [text for text in texts if not WORDS.search(PLACE.sub("", text))] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('raise UserError(f"{a.name} is {b} of {c!r}.", hint="Do it.")', ["{1} is {2} of {3}.", "Do it."]),
        ('hint = "Choose " "another file."', ["Choose another file."]),
        ('progress.begin("Reading" if x else "Writing")', ["Reading", "Writing"]),
        ('raise UserError("no end", hint="list them with: runs")', ["no end", "list them with: runs"]),
        ('raise ValueError("The code is wrong.")', []),
        ('"""The docstring of it."""', []),
        ('PROMPT = "Write one sentence."', []),
        ('yield f"{a} of {b} differ."', ["{1} of {2} differ."]),
        ('problems.append("An option is empty.")', ["An option is empty."]),
        ('_LOG.warning("The file is broken.")', []),
    ],
)  # fmt: skip
def test_messages_when_code_has_one_then_it_is_found(code: str, found: list[str]) -> None:
    assert {text for text, _ in _messages_of(ast.parse(code))} == set(found)


def untranslated(tree: ast.Module) -> Iterator[int]:
    """Yield the lines in which an English message is used as it is."""
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in MESSAGES]
    if not used:
        return
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in used:
        owner = getattr(node.value, "attr", getattr(node.value, "id", ""))
        if owner not in WINDOW_TEXTS and not any(_is_translated(node, parents)):
            yield node.lineno


def _is_translated(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[bool]:
    while (parent := parents.get(node)) is not None and not isinstance(parent, ast.stmt):
        if isinstance(parent, ast.Call):
            yield getattr(parent.func, "id", getattr(parent.func, "attr", "")) in TRANSLATING
        # Whether there is a message.
        yield isinstance(parent, ast.IfExp) and parent.test is node
        node = parent


def test_window_when_it_uses_a_message_then_translates_it() -> None:
    found = {
        path.relative_to(REPO).as_posix(): lines
        for path in sorted(WIDGETS.rglob("*.py"))
        if path.name != "message_text.py"
        and (lines := list(untranslated(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("label(error.message)", [1]),
        ("label(message_text(error.message))", []),
        ("x = f'{error.message} {error.hint}'", [1, 1]),
        ("x = 'a' if error.hint else ''", []),
        ("self.hint.setText('')", []),
    ],
)
def test_window_when_code_shows_a_message_then_is_found(code: str, lines: list[int]) -> None:
    assert list(untranslated(ast.parse(code))) == lines


# What is compared with a text although it is a message, and why.
COMPARED = {
    ("annotator/commands/apply_blind.py", "EARLIER_RESTORED"): "resolutions that earlier versions stored",
    ("annotator/importers/csv_text.py", "_OPEN_QUOTE"): "the csv module has no codes of its errors",
}


def compared_texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield where a message, hint, resolution or fault is compared with a text of the code."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        operands = [node.left, *node.comparators]
        if any(getattr(one, "attr", "") in {"message", "hint", "resolution", "fault"} for one in operands):
            for part in (part for one in operands for part in ast.walk(one)):
                if isinstance(part, ast.Constant) and " " in str(part.value):
                    yield node.lineno, str(part.value)
                elif isinstance(part, ast.Name) and part.id.strip("_").isupper():
                    yield node.lineno, part.id


def test_code_when_it_decides_something_then_not_by_the_text_of_a_message() -> None:
    found = {
        (path.relative_to(REPO).as_posix(), text): line
        for package in ("annotator", "models", "widgets")
        for path in sorted((REPO / package).rglob("*.py"))
        for line, text in compared_texts(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {place: line for place, line in found.items() if place not in COMPARED} == {}
    assert COMPARED.keys() - found.keys() == set(), "no longer needed"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('if "not UTF-8" in row.fault: pass', [(1, "not UTF-8")]),
        ("x = run.message in REASONS.values()", [(1, "REASONS")]),
        ('x = flag.resolution == ""', []),
        ("x = flag.message != finding.message", []),
    ],
)
def test_code_when_it_compares_a_message_then_is_found(code: str, found: list[tuple[int, str]]) -> None:
    assert list(compared_texts(ast.parse(code))) == found


def test_template_when_a_value_is_in_it_then_has_its_number() -> None:
    node = ast.parse('f"{a} of {b.c()}"', mode="eval").body
    assert template_of(node) == "{1} of {2}"


def test_catalogue_when_looked_for_then_lies_beside_the_other() -> None:
    assert (Path(REPO) / "resources" / "translations" / "zh.messages.toml").is_file()
