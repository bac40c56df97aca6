"""The tables of the documents are those that the registries give."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

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
