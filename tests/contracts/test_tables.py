"""The tables of the documents are those that the registries give."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from widgets.actions import ACTIONS

FIXED_KEYS = {
    # Of the form of key frames, the event-level form, and the options in Refine.
    "Up", "Down", "1", "4", "Ctrl+Left", "Ctrl+Right", "Backspace", "Shift", "Ctrl+Shift",
}  # fmt: skip
"""Keys of forms, which are no actions and cannot be changed."""
ARROWS = str.maketrans({"←": "Left", "→": "Right", "↑": "Up", "↓": "Down"})
DOCS = Path(__file__).resolve().parents[2] / "docs"


def _tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tables", DOCS / "make_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES = _tables()


@pytest.mark.parametrize("name", TABLES.PAGES)
def test_page_when_its_tables_are_written_anew_then_is_the_same(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert TABLES.with_tables(page) == page


def test_pages_when_read_then_every_table_stands_in_one_of_them() -> None:
    text = "".join((DOCS / name).read_text(encoding="utf-8") for name in TABLES.PAGES)
    assert sorted(found[1] for found in TABLES.TABLE.findall(text)) == sorted(TABLES.TABLES)


def test_page_when_a_table_is_out_of_date_then_is_written_anew() -> None:
    page = "Before.\n<!-- table importers -->\nout of date\n<!-- end -->\nAfter."
    made = TABLES.with_tables(page)
    assert "out of date" not in made
    assert "| `coco` |" in made
    assert made.startswith("Before.")
    assert made.endswith("After.")


def test_guide_when_it_names_keys_in_tables_then_they_are_those_of_the_actions() -> None:
    known = {TABLES.written_key(action.key) for action in ACTIONS} | FIXED_KEYS
    rows = (
        (page.name, line.split("|")[1])
        for page in sorted((DOCS / "guide").glob("*.md"))
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    )
    named = [(page, key.translate(ARROWS)) for page, cell in rows for key in re.findall(r"`([^`]+)`", cell)]
    assert len(named) > 80
    assert [key for key in named if key[1] not in known] == []


def test_keys_page_when_read_then_has_every_action() -> None:
    page = (DOCS / "guide" / "keys.md").read_text(encoding="utf-8")
    missing = [action.id for action in ACTIONS if f"| {action.text.rstrip('…')} |" not in page]
    assert missing == []
